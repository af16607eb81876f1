package model

import (
	"strings"
	"unicode/utf8"

	"github.com/membrain-db/membrain/text"
)

// Envelope is an intake that Normalise validated and completed: what will be stored, still with its strings (NRM-1).
type Envelope struct {
	Namespace string // NFC
	RequestID string

	Type   MemoryType
	Kind   Kind
	KindOf Origin

	Text       string // as given, byte for byte
	Context    string // surrounding text, as given
	Payload    []byte // the caller's; nil when none
	OccurredAt Millis // 0 when unknown

	SourceKind        SourceKind
	SourceRef         string
	SourceRefOf       Origin
	Authoritativeness float64
	Lineage           []MemoryID

	Agent     BoundText
	Session   BoundText
	Task      BoundText
	Workspace BoundText

	Cues      CueInput
	Valence   float64 // valid when EmotionOf != 0; 0 when only arousal was given
	Arousal   float64 // valid when EmotionOf != 0; 0 when only valence was given
	EmotionOf Origin
	Bypass    bool

	Retention   Retention
	Visibility  Visibility
	PolicyFlags PolicyFlags

	Tags        []string // NFC, without duplicates, in the order given
	Entities    []string
	Goals       []MemoryID
	Endpoints   []MemoryID
	Observation ObservationIn
	Tool        ToolRunIn
}

// BoundText is a context id with how it came to be bound (CTX-4); Origin 0 when there is none.
type BoundText struct {
	Text   string
	Origin Origin
}

// Texts returns the text and its context, for the embedder and the index.
func (e Envelope) Texts() (text, context string) { return e.Text, e.Context }

// Compact returns compact_text: the text itself up to CompactBytesMax bytes, else its beginning (NRM-6).
func (e Envelope) Compact() string { return CompactText(e.Text) }

// Fingerprint returns the duplicate-family hint of the text (IDN-3).
func (e Envelope) Fingerprint() Fingerprint { return Fingerprint(text.Fingerprint(e.Text)) }

// OutOfLine reports whether the text is served as a payload (NRM-6).
func (e Envelope) OutOfLine() bool { return len(e.Text) > InlineBytesMax }

// Discard reports whether attention is under the minimum, so that no memory is made of the intake.
func (e Envelope) Discard(p Params) bool { return e.Cues.Attention < p.Encode.AttentionMin }

// Strings returns every string that Command interns, in the order in which it does.
func (e Envelope) Strings() []string {
	var out []string
	e.Command(MemoryID{}, func(s string) Symbol {
		out = append(out, s)
		return Symbol(len(out))
	})
	return out
}

// Command returns the encode of this envelope under an id, every string replaced by the symbol that intern gives.
// Findings are the caller's to add.
func (e Envelope) Command(id MemoryID, intern func(string) Symbol) Encode {
	sym := func(s string) Symbol {
		if s == "" {
			return 0
		}
		return intern(s)
	}
	bound := func(b BoundText) Bound { return Bound{sym(b.Text), b.Origin} }
	draft := Memory{
		ID: id, Type: e.Type, Kind: e.Kind, KindOf: e.KindOf,
		OccurredAt: e.OccurredAt,
		SourceKind: e.SourceKind, SourceRef: sym(e.SourceRef), SourceRefOf: e.SourceRefOf,
		Authoritativeness: e.Authoritativeness, Lineage: e.Lineage,
		Agent: bound(e.Agent), Session: bound(e.Session), Task: bound(e.Task), Workspace: bound(e.Workspace),
		Retention: e.Retention, Visibility: e.Visibility, PolicyFlags: e.PolicyFlags,
		Endpoints: e.Endpoints,
		Valence:   e.Valence, Arousal: e.Arousal, EmotionOf: e.EmotionOf,
	}
	for _, t := range e.Tags {
		draft.Tags = append(draft.Tags, Tag{sym(t), OriginCallerSupplied})
	}
	for _, mention := range e.Entities {
		draft.Entities = append(draft.Entities, Ref{Mention: sym(mention), Origin: OriginCallerSupplied, Status: RefCandidate})
	}
	for _, goal := range e.Goals {
		draft.Relations = append(draft.Relations, Ref{ID: goal, Origin: OriginCallerSupplied, Status: RefResolved})
	}
	draft.Observation = Observation{Source: e.Observation.Source, Chunk: sym(e.Observation.Chunk)}
	draft.Tool = ToolRun{
		Tool: sym(e.Tool.Tool), ExecutionRef: sym(e.Tool.ExecutionRef),
		Context: sym(e.Tool.Context), Category: e.Tool.Outcome,
	}
	return Encode{ID: id, Draft: draft, Cues: e.Cues, Bypass: e.Bypass}
}

// CompactText returns the compact_text of a text: the text itself up to CompactBytesMax bytes, else what fits of its
// beginning without leading white space, cut between two grapheme clusters, or between two runes when a single cluster
// is longer than that. Pure.
func CompactText(s string) string {
	if len(s) <= CompactBytesMax {
		return s
	}
	s = strings.TrimSpace(s)
	if cut := text.Compact(s, CompactBytesMax); cut != "" {
		return cut
	}
	end := CompactBytesMax
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end]
}
