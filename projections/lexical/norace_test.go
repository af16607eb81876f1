//go:build !race

package lexical_test

const raceEnabled = false
