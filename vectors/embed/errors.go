package embed

import "errors"

// When an embedder is made.
var (
	// ErrTable says that the built-in table is damaged: the binary was.
	ErrTable = errors.New("damaged word table")
	// ErrOptions says which options were refused, all of them together, with the values allowed.
	ErrOptions = errors.New("embedder options")
)

// When a server is asked.
var (
	// ErrUnavailable says that the server did not answer or was overloaded, also after the retries. Later may work.
	ErrUnavailable = errors.New("embedding server unavailable")
	// ErrRefused says that the server refused the request (key, model, size): the same request will fail again.
	ErrRefused = errors.New("embedding server refused the request")
	// ErrAnswer says that the server answered something that is no set of vectors of the configured dimension.
	ErrAnswer = errors.New("embedding server answered wrongly")
	// ErrEmptyText says that a text has no characters, which such servers refuse.
	ErrEmptyText = errors.New("empty text")
)
