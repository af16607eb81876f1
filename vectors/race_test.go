//go:build race

package vectors_test

const raceEnabled = true
