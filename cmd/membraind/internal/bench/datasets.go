package bench

import (
	"os"
	"path/filepath"

	"github.com/membrain-db/membrain/model"
)

// EnvData names the folder of the data sets.
const EnvData = "MEMBRAIN_DATASETS"

// FindData returns the path of a data set: in dir, else in the folder that EnvData names, else in a folder
// shared/data beside or above the working directory. Errors: *model.Error, not_found with a hint.
func FindData(dir, file string) (string, error) {
	for _, folder := range dataFolders(dir) {
		path := filepath.Join(folder, file)
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return path, nil
		}
	}
	return "", model.NotFound("data set", file).WithHint("set " + EnvData + " to the folder that holds " + file + "; docs/benchmarks.md says where to get it")
}

func dataFolders(dir string) []string {
	if dir != "" {
		return []string{dir}
	}
	if dir = os.Getenv(EnvData); dir != "" {
		return []string{dir}
	}
	at, err := os.Getwd()
	if err != nil { // no working directory: nothing beside it
		return nil
	}
	var folders []string
	for ; ; at = filepath.Dir(at) {
		folders = append(folders, filepath.Join(at, "shared", "data"))
		if at == filepath.Dir(at) {
			return folders
		}
	}
}
