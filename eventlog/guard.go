package eventlog

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// guard runs fn, which touches mapped pages, and turns a panic or a memory fault into a CorruptError.
//
// bbolt panics on pages that make no sense, and reading past the end of a short file is SIGBUS, which kills the
// process unless the goroutine has asked for a panic. fn must not start goroutines (the request is per goroutine)
// and must not call code of a consumer, whose own panics are nobody's damage.
func guard(file string, fn func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if cause := recover(); cause != nil {
			err = &CorruptError{File: file, What: "page", Want: "a readable page", Got: fmt.Sprint(cause)}
		}
	}()
	return fn()
}

// inFile names the file and, where it has none yet, the commit in an error about damage.
func inFile(err error, file string, seq Seq) error {
	var corrupt *CorruptError
	if !errors.As(err, &corrupt) {
		return err
	}
	named := *corrupt
	named.File = file
	if named.Seq == 0 {
		named.Seq = seq
	}
	return &named
}
