package logtest

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"github.com/membrain-db/membrain/eventlog"
)

// History makes lawful commits, the same ones for the same seed. The commits must be appended in order to a log
// that has none of another origin. Not safe for concurrent use.
type History struct {
	random  *rand.Rand
	seq     eventlog.Seq
	streams map[eventlog.Stream]position
	spaces  [namespaces]eventlog.Commit // marks and ticks so far
}

type position struct {
	version uint64
	seq     eventlog.Seq
}

const (
	namespaces    = 3
	streamsMax    = 40 // per namespace, so that streams get long
	factsMax      = 6
	bodyBytesMax  = 300
	startOfTime   = 1_700_000_000_000
	contentsNamed = 2
)

// NewHistory returns the history of a seed.
func NewHistory(seed uint64) *History {
	return &History{random: rand.New(rand.NewPCG(seed, 1)), streams: map[eventlog.Stream]position{}}
}

// Next returns the next commit. Its contents and symbols are those up to its marks.
func (h *History) Next() *eventlog.Commit {
	h.seq++
	space := &h.spaces[h.random.IntN(namespaces)]
	space.Namespace = eventlog.Ordinal(1 + indexOf(h, space))
	space.Tick += uint64(h.random.IntN(2))
	space.TimeMillis = max(space.TimeMillis, startOfTime) + int64(h.random.IntN(1000))
	space.ContentHigh += uint64(h.random.IntN(contentsNamed))
	space.SymbolHigh += uint64(h.random.IntN(contentsNamed))
	commit := *space
	commit.Agent, commit.Door, commit.Verb = uint64(h.random.IntN(3)), "api", "encode"
	binary.LittleEndian.PutUint64(commit.RequestDigest[:], h.random.Uint64())
	for range 1 + h.random.IntN(factsMax) {
		commit.Facts = append(commit.Facts, h.fact(commit.Namespace))
	}
	return &commit
}

func indexOf(h *History, space *eventlog.Commit) int {
	for i := range h.spaces {
		if &h.spaces[i] == space {
			return i
		}
	}
	panic("logtest: not one of the namespaces")
}

func (h *History) fact(ns eventlog.Ordinal) eventlog.Fact {
	stream := eventlog.Stream{Namespace: ns, Family: eventlog.FamilyMemory}
	stream.ID[15] = byte(1 + h.random.IntN(streamsMax))
	at := h.streams[stream]
	fact := eventlog.Fact{
		Stream: stream, Version: at.version + 1, Prev: at.seq,
		Type: fmt.Sprintf("memory.tested%d.v1", h.random.IntN(4)), Schema: 1,
		Body: make([]byte, 1+h.random.IntN(bodyBytesMax)),
	}
	if at.version > 0 && at.seq == h.seq {
		fact.Prev = eventlog.SameCommit
	}
	for i := range fact.Body {
		fact.Body[i] = byte(h.random.Uint32())
	}
	h.streams[stream] = position{version: fact.Version, seq: h.seq}
	return fact
}

// Take returns the next n commits.
func (h *History) Take(n int) []*eventlog.Commit {
	commits := make([]*eventlog.Commit, n)
	for i := range commits {
		commits[i] = h.Next()
	}
	return commits
}

// Head returns the version of a stream and the commit that holds its last fact.
func (h *History) Head(stream eventlog.Stream) (version uint64, seq eventlog.Seq) {
	at := h.streams[stream]
	return at.version, at.seq
}

// Streams returns the streams so far, in no order.
func (h *History) Streams() []eventlog.Stream {
	var streams []eventlog.Stream
	for stream := range h.streams {
		streams = append(streams, stream)
	}
	return streams
}
