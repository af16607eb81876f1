package membrain

import (
	"context"
	"encoding/hex"
	"fmt"
	"iter"

	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/eventlog/codec"
	"github.com/membrain-db/membrain/model"
)

// VerifyReply is what AuditVerify found.
type VerifyReply struct {
	OK        bool            `json:"ok"`
	Commits   uint64          `json:"commits"`
	Facts     uint64          `json:"facts"`
	HeadSeq   uint64          `json:"head_seq"`
	HeadHash  string          `json:"head_hash"`
	Problems  []VerifyProblem `json:"problems"`
	Truncated bool            `json:"truncated"` // there were more than 1,000 problems
}

// VerifyProblem is one thing that is wrong.
type VerifyProblem struct {
	Seq  uint64 `json:"seq"`
	Kind string `json:"kind"`
	Want string `json:"want"`
	Got  string `json:"got"`
}

// AuditVerify reads the whole log and all contents: checksums, hash chain, gaps, versions and links of every stream,
// marks, ticks and times, that each fact decodes, that each text is the one that its fact names, and that a replay
// of the log gives the digest of what is served. progress may be nil. Errors: *Error when it could not be done;
// damage is no error but a problem.
func (s *Store) AuditVerify(ctx context.Context, progress func(done, total uint64)) (VerifyReply, error) {
	if err := s.operatorOnly("verify the log"); err != nil {
		return VerifyReply{}, err
	}
	report, err := eventlog.Verify(ctx, s.bolt.Log(), s.bolt.Contents(), progress)
	if err != nil {
		return VerifyReply{}, failure(err, "verify the log")
	}
	out := VerifyReply{
		Commits: report.Commits, Facts: report.Facts, HeadSeq: uint64(report.HeadSeq), Problems: []VerifyProblem{},
		HeadHash: hex.EncodeToString(report.HeadHash[:]), Truncated: report.Truncated,
	}
	for _, p := range report.Problems {
		out.Problems = append(out.Problems, VerifyProblem{uint64(p.Seq), p.Kind, p.Want, p.Got})
	}
	if len(out.Problems) == 0 {
		if err := s.verifyMeaning(ctx, &out); err != nil {
			return out, failure(err, "verify the facts")
		}
	}
	out.OK = len(out.Problems) == 0
	return out, nil
}

// Kinds of VerifyProblem beside those of package eventlog.
const (
	ProblemFact       = "fact"       // a fact does not decode
	ProblemDigest     = "digest"     // a text is not the one that its fact names
	ProblemProjection = "projection" // what is served is not the fold of the log
)

// verifyMeaning checks what only the codec and the projections can tell.
func (s *Store) verifyMeaning(ctx context.Context, out *VerifyReply) error {
	head := s.bolt.Log().Head().Seq
	for record, err := range s.bolt.Log().Scan(ctx, 1) {
		if err != nil {
			return err
		}
		if record.Seq > head {
			break
		}
		for _, f := range record.Facts {
			if p, bad := s.checkFact(record, f); bad {
				out.Problems = append(out.Problems, p)
			}
		}
	}
	return s.verifyProjection(ctx, out)
}

func (s *Store) checkFact(r eventlog.Record, f eventlog.Fact) (VerifyProblem, bool) {
	fact, err := codec.DecodeFact(f.Type, f.Schema, f.Body)
	if err != nil {
		return VerifyProblem{uint64(r.Seq), ProblemFact, f.Type, err.Error()}, true
	}
	var ref model.ContentRef
	switch fact := fact.(type) {
	case model.MemoryEncoded:
		ref = fact.Memory.Content
	case model.MemoryRevised:
		if fact.Content != nil {
			ref = fact.Content.Content
		}
	}
	if ref.Number == 0 {
		return VerifyProblem{}, false
	}
	want := fmt.Sprintf("content %d of %s with digest %x", ref.Number, f.Stream, ref.Digest)
	got, ok := s.digestOf(r.Namespace, ref)
	return VerifyProblem{uint64(r.Seq), ProblemDigest, want, got}, !ok
}

// digestOf compares a content with its digest; an erased one has none to compare.
func (s *Store) digestOf(ns eventlog.Ordinal, ref model.ContentRef) (got string, ok bool) {
	body, err := s.bolt.Contents().Get(ns, uint64(ref.Number))
	if erased(err) {
		return "", true
	}
	if err != nil {
		return err.Error(), false
	}
	record, err := codec.DecodeRecord(body)
	if err != nil {
		return err.Error(), false
	}
	digest := codec.ContentDigest(record)
	return fmt.Sprintf("%x", digest), digest == ref.Digest
}

// AuditFilter narrows the audit log; zero values match all.
type AuditFilter struct {
	Namespace   string
	FromSeq     uint64 // inclusive
	ToSeq       uint64 // inclusive; 0 is the head
	Verb        string
	Agent       string
	Memory      MemoryID
	RefusedOnly bool
	Limit       int // 0 is all
}

// AuditEntry is one commit as people read it.
type AuditEntry struct {
	Seq       uint64      `json:"seq"`
	Namespace string      `json:"namespace"`
	Tick      Tick        `json:"tick"`
	At        string      `json:"at"`
	AgentID   *string     `json:"agent_id"`
	Door      string      `json:"door"`
	Verb      string      `json:"verb"`
	Request   string      `json:"request"` // keyed digest, hex
	Hash      string      `json:"hash"`
	Facts     []AuditFact `json:"facts"`
}

// AuditFact is one fact of a commit.
type AuditFact struct {
	Stream  string         `json:"stream"` // "brain", or "memory/" and the id
	Memory  MemoryID       `json:"memory,omitzero"`
	Version uint64         `json:"version"`
	Type    string         `json:"type"`
	Changes map[string]any `json:"changes"`
}

// AuditLog yields the commits that match, oldest first. Only the operator sees it. Errors: *Error, as the last pair.
func (s *Store) AuditLog(ctx context.Context, f AuditFilter) iter.Seq2[AuditEntry, error] {
	return func(yield func(AuditEntry, error) bool) {
		if err := s.operatorOnly("read the audit log"); err != nil {
			yield(AuditEntry{}, err)
			return
		}
		n := 0
		for record, err := range s.bolt.Log().Scan(ctx, eventlog.Seq(f.FromSeq)) {
			if err != nil {
				yield(AuditEntry{}, failure(err, "read the log"))
				return
			}
			if f.ToSeq != 0 && uint64(record.Seq) > f.ToSeq {
				return
			}
			entry, match, err := s.auditEntry(record, f)
			if err != nil {
				yield(AuditEntry{}, failure(err, "read the log"))
				return
			}
			if !match {
				continue
			}
			if !yield(entry, nil) {
				return
			}
			if n++; n == f.Limit {
				return
			}
		}
	}
}

func (s *Store) auditEntry(r eventlog.Record, f AuditFilter) (AuditEntry, bool, error) {
	space, ok := s.projections.Space(r.Namespace)
	if !ok || (f.Namespace != "" && space.Name() != f.Namespace) || (f.Verb != "" && r.Verb != f.Verb) {
		return AuditEntry{}, false, nil
	}
	out := AuditEntry{
		Seq: uint64(r.Seq), Namespace: space.Name(), Tick: Tick(r.Tick), At: model.Timestamp(model.Millis(r.TimeMillis)),
		Door: r.Door, Verb: r.Verb, Request: hex.EncodeToString(r.RequestDigest[:]), Hash: hex.EncodeToString(r.Hash[:]), Facts: []AuditFact{},
	}
	if agent, ok := space.Text(model.Symbol(r.Agent)); ok && r.Agent != 0 {
		out.AgentID = &agent
	}
	if f.Agent != "" && (out.AgentID == nil || *out.AgentID != f.Agent) {
		return out, false, nil
	}
	match := f.Memory.Zero() && !f.RefusedOnly
	for _, fact := range r.Facts {
		decoded, err := codec.DecodeFact(fact.Type, fact.Schema, fact.Body)
		if err != nil {
			return out, false, fmt.Errorf("commit %d: %w", r.Seq, err)
		}
		refused, isRefused := decoded.(model.RequestRefused)
		concerns := MemoryID(fact.Stream.ID) == f.Memory || isRefused && refused.Memory == f.Memory
		match = match || (isRefused || !f.RefusedOnly) && (f.Memory.Zero() || concerns)
		line := AuditFact{Stream: "brain", Version: fact.Version, Type: fact.Type, Changes: model.Changes(decoded, space.Text)}
		if fact.Stream.Family == eventlog.FamilyMemory {
			line.Memory = MemoryID(fact.Stream.ID)
			line.Stream = "memory/" + line.Memory.String()
		}
		out.Facts = append(out.Facts, line)
	}
	return out, match, nil
}
