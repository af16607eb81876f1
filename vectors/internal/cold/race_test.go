//go:build race

package cold_test

const raceEnabled = true
