package projections

import (
	"github.com/RoaringBitmap/roaring/v2"
	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/projections/filters"
	"github.com/membrain-db/membrain/projections/fingerprints"
	"github.com/membrain-db/membrain/projections/graph"
	"github.com/membrain-db/membrain/projections/lexical"
	"github.com/membrain-db/membrain/vectors"
)

// body is what a namespace's space holds. The lock of the space guards it; words and the vector indexes have locks of their own, and
// take new ordinals before they are live.
//
// B1: words, prints and vectors hold live ordinals, and those of the commit that is being applied.
// B2: vectors come from one embedder, embedder; next from another, which will follow it.
type body struct {
	seq      eventlog.Seq
	filters  *filters.Index
	sessions *graph.Sessions
	prints   *fingerprints.Index
	mentions *mentions
	words    *lexical.Index

	embedder model.EmbedderRef
	vectors  *vectors.Auto // nil while the namespace has no embedder
	next     *vectors.Auto // nil unless PrepareVectors has begun one
	nextRef  model.EmbedderRef

	unreadable  *roaring.Bitmap // live ordinals whose record could not be read: found by filters only
	quarantined map[eventlog.Stream]Quarantined
	changed     int // documents changed since the index files were saved
}

func newBody() *body {
	return &body{
		filters:     filters.New(),
		sessions:    graph.New(),
		prints:      fingerprints.New(),
		mentions:    newMentions(),
		words:       lexical.New(),
		unreadable:  roaring.New(),
		quarantined: map[eventlog.Stream]Quarantined{},
	}
}

// lexicalText is what the words of a memory are: its text, what surrounds it, and the day that it tells of, so that a question
// for a date finds it. The day never enters the vector.
func lexicalText(m *model.Memory, r *model.Record) string {
	return lexicalTextAt(m.OccurredAt, r)
}

func lexicalTextAt(occurred model.Millis, r *model.Record) string {
	s := r.Text
	if r.Context != "" {
		s += "\n" + r.Context
	}
	if occurred != 0 {
		s += "\n" + timeOf(occurred).Format("2 January 2006")
	}
	return s
}

// memberOf is where a memory stands in its session.
func memberOf(m *model.Memory, ordinal uint32) graph.Member {
	when := m.OccurredAt
	if when == 0 {
		when = m.CreatedAt
	}
	return graph.Member{Session: m.Session.Symbol, When: when, Ordinal: ordinal}
}
