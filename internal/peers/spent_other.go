//go:build !unix

package main

import "time"

var started = time.Now()

// spent is the time since the start: here the system does not tell what the process took of it.
func spent() time.Duration { return time.Since(started) }
