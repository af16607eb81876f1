// Package eventlog is the durable truth of a store: an append-only, hash-chained log of commits, and beside it the
// contents, which hold everything that may one day have to be erased.
package eventlog
