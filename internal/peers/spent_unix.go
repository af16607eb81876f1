//go:build unix

package main

import (
	"syscall"
	"time"
)

// spent is the processor time of this process, the collector's included.
func spent() time.Duration {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
