// Package cli is the command line of membraind: it turns words and flags into requests of package membrain, and
// replies into tables or JSON. It holds no rule of memory.
//
// The types to know: [Env] is the world that a command runs in, and [Main] runs one. Inside, a session is one run
// with its global flags, and every verb stands in a file of its own.
//
// It promises: stdout carries results only, one JSON document with --json and tables otherwise; errors, logs,
// notes and progress bars go to stderr, bars only when that is a terminal. Every failure has the exit code of its
// error code (exit.go). Text from memories reaches a terminal without control characters.
//
// It never touches a data directory except through membrain.Open, and starts no goroutine of its own.
package cli
