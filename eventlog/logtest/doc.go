// Package logtest is the conformance suite of eventlog: what every Log and Contents has to do, whatever it stands on.
//
// A store's test builds a Suite and runs it. History makes commits that obey the laws of the log (versions, links,
// marks, ticks), for this suite and for the tests of whoever stands on a log. The package is imported by tests only
// and writes no files of its own.
package logtest
