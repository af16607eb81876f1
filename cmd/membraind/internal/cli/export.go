package cli

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/membrain-db/membrain"
	"github.com/membrain-db/membrain/model"
)

func (s *session) export() *cobra.Command {
	var all, force bool
	c := &cobra.Command{
		Use:   "export [FILE]",
		Short: "Write a namespace with its history",
		Long: `Write a namespace with its whole history to FILE, or to stdout: JSON lines that import --format membrain brings back
without loss. A file appears whole or not at all.`,
		Example: `  membraind export team.jsonl --namespace team
  membraind export --all > everything.jsonl`,
		Args: words(0, 1),
		RunE: func(c *cobra.Command, args []string) error {
			namespace := s.space()
			if all {
				namespace = ""
			}
			if len(args) == 0 || args[0] == "-" {
				return s.exportTo(c, namespace, s.env.Stdout)
			}
			return writeWhole(args[0], force, func(w io.Writer) error { return s.exportTo(c, namespace, w) })
		},
	}
	c.Flags().BoolVar(&all, "all", false, "every namespace")
	c.Flags().BoolVar(&force, "force", false, "replace FILE when it is there")
	return c
}

func (s *session) exportTo(c *cobra.Command, namespace string, w io.Writer) error {
	bars := s.bars()
	buffered := bufio.NewWriterSize(w, 1<<20)
	return s.useOld(c.Context(), func(store *membrain.Store) error {
		err := store.Export(c.Context(), membrain.ExportRequest{
			Namespace: namespace, Writer: buffered,
			Progress: func(done, total int) { bars.show("export", uint64(done), uint64(total)) },
		})
		bars.clear()
		if err != nil {
			return err
		}
		return buffered.Flush()
	})
}

// writeWhole writes a file beside its place and moves it there when all of it is on disk.
func writeWhole(name string, force bool, write func(io.Writer) error) error {
	if _, err := os.Lstat(name); err == nil && !force {
		return model.Invalid("file", name, "a file that is not there yet").WithHint("--force replaces it")
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return model.Failure(model.CodeUnavailable, err, "write %s", name)
	}
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return model.Failure(model.CodeUnavailable, err, "write %s", name)
	}
	if err := write(f); err != nil {
		return errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return model.Failure(model.CodeUnavailable, errors.Join(err, os.Remove(f.Name())), "write %s", name)
	}
	if err := os.Rename(f.Name(), name); err != nil {
		return model.Failure(model.CodeUnavailable, errors.Join(err, os.Remove(f.Name())), "write %s", name)
	}
	return nil
}
