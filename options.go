package membrain

import (
	"crypto/rand"
	"io"
	"log/slog"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/google/uuid"

	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/vectors/embed"
)

// Options of Open. The zero value is sane.
type Options struct {
	// Caller is whom the store speaks for; the zero value is the local operator at the door api. As makes handles
	// for others.
	Caller Caller
	// Embedder makes the vectors; nil is the built-in one, which needs neither model file nor network.
	Embedder embed.Embedder
	// Params are those of namespaces made from now on; nil is DefaultParams.
	Params *Params
	// Reembed embeds namespaces of another embedder anew, in the background. Without it they answer recalls from
	// words alone and refuse encodes.
	Reembed bool

	// ActorSystem is a host's own; it is used and never shut down. nil makes one.
	ActorSystem *actor.ActorSystem
	// Logger gets warnings and errors, never memory contents. nil discards.
	Logger *slog.Logger
	// MustExist refuses a directory that holds no store (not_found) instead of making one.
	MustExist bool
	// LockWait bounds the wait for another process to leave the directory; 0 is one second.
	LockWait time.Duration
	// OneShot says that the process will be short: it writes no checkpoints.
	OneShot bool
	// Progress hears of long work: "catch up", "rebuild", "verify", "import". nil for nobody.
	Progress func(stage string, done, total uint64)

	// Clock, NewID and Random make a store deterministic in tests. NewID must rise with time.
	Clock  func() time.Time
	NewID  func() MemoryID
	Random io.Reader
}

func (o Options) withDefaults() (Options, error) {
	if o.Caller == (Caller{}) {
		o.Caller = Caller{Operator: true, Door: model.SourceAPI}
	}
	if o.Caller.Door == 0 {
		o.Caller.Door = model.SourceAPI
	}
	if o.Embedder == nil {
		static, err := embed.Static()
		if err != nil {
			return o, err
		}
		o.Embedder = static
	}
	if o.Params != nil {
		if err := o.Params.Validate(); err != nil {
			return o, err
		}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Progress == nil {
		o.Progress = func(string, uint64, uint64) {}
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Random == nil {
		o.Random = rand.Reader
	}
	if o.NewID == nil {
		o.NewID = newID
	}
	return o, nil
}

// newID returns a UUIDv7, which rises with time.
func newID() MemoryID { return MemoryID(uuid.Must(uuid.NewV7())) }
