package lexical

import "errors"

// ErrRebuild says that a stored index is of no use: absent, damaged, foreign, newer than this
// program, or made by another analyser. Build the index again from the contents.
var ErrRebuild = errors.New("lexical index must be rebuilt")
