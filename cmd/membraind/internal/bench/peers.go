//go:build !sqlite

package bench

// peers are the other databases that the log is compared with: none without the build tag sqlite.
func peers() []func(string) (contender, error) { return nil }
