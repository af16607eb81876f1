package eventlog

import (
	"errors"
	"os"
	"runtime"
)

// syncDir makes names that were created or renamed in dir durable.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // directories cannot be opened for this; NTFS journals names
	}
	handle, err := os.Open(dir)
	if err != nil {
		return unavailable(err)
	}
	return unavailable(errors.Join(handle.Sync(), handle.Close()))
}
