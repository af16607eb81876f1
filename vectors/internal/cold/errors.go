package cold

import "errors"

// Refusals of what a caller hands in.
var (
	// ErrSource says that a shard cannot be made of a source: a number out of range, a vector without a direction, a key that
	// stands twice.
	ErrSource = errors.New("vectors that cannot be sealed")
	// ErrQuery says that a query has another form or dimension than the shard, no direction, or a number that is none.
	ErrQuery = errors.New("query that the shard cannot answer")
	// ErrClosed says that the shard has been closed.
	ErrClosed = errors.New("shard is closed")
)

// ErrRebuild says that a file cannot be used: absent, damaged, foreign, of a newer format, or cut while it was open. A
// shard is derived, so the answer to all of them is to seal it again.
var ErrRebuild = errors.New("shard file cannot be used, seal it again")
