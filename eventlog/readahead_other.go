//go:build !linux

package eventlog

import "os"

// adviseWillNeed has no portable form; a cold scan is slower here.
func adviseWillNeed(*os.File, int64, int64) {}
