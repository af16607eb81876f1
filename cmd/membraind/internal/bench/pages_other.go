//go:build !linux

package bench

import "os"

// dropPages reports that this system has no way to make it forget a file's pages.
func dropPages(*os.File) (bool, error) { return false, nil }
