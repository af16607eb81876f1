//go:build !linux

package kernel_test

import "testing"

func hugeBytes(*testing.B) func(int) []byte { return func(n int) []byte { return make([]byte, n) } }
