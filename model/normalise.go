package model

import (
	"cmp"
	"fmt"
	"time"
)

// Normalise validates an intake, fills in what was not given, and returns the one envelope that every door's writes
// pass through (NRM-1). It reads context from the request and the caller's binding, never from the text (CTX-2). The
// envelope shares the request's slices. Pure.
//
// Errors: the first fault in the order of the request's fields, an *Error with field, value and what is allowed:
// validation, too_large, or policy_denied for another agent's id (CTX-3) or a source_kind that the caller may not
// claim (PRV-6). Nothing may be written after an error (NRM-7).
func Normalise(req EncodeRequest, c Caller, p Params) (Envelope, error) {
	n := normaliser{req: req, caller: c, params: p}
	steps := []func() error{
		n.identity, n.classify, n.texts, n.tags, n.source, n.context, n.time, n.numbers,
		n.governance, n.references, n.typed, n.provenance,
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return Envelope{}, err
		}
	}
	return n.out, nil
}

// normaliser fills the envelope field by field.
type normaliser struct {
	req    EncodeRequest
	caller Caller
	params Params
	out    Envelope
}

func (n *normaliser) identity() (err error) {
	if n.out.Namespace, err = ParseNamespace(n.req.Namespace); err != nil {
		return err
	}
	n.out.RequestID = n.req.RequestID
	return reference("request_id", n.req.RequestID, RequestIDBytesMax)
}

// classify chooses type and kind. Without a stated type the typed fields and the path decide, else it is the raw
// event; nothing is ever promoted by its text (NRM-2, NRM-5).
func (n *normaliser) classify() error {
	if err := first(
		known("memory_type", n.req.Type, MemoryTypeLabels()),
		known("kind", n.req.Kind, KindLabels()),
	); err != nil {
		return err
	}
	n.out.Type = cmp.Or(n.req.Type, n.defaultType())
	n.out.Kind, n.out.KindOf = n.req.Kind, OriginCallerSupplied
	if n.req.Kind == 0 {
		n.out.Kind, n.out.KindOf = KindOf(n.out.Type), OriginDerived
	}
	return nil
}

func (n *normaliser) defaultType() MemoryType {
	switch {
	case n.req.Tool != nil:
		return TypeToolOutcome
	case n.req.Observation != nil, n.req.SourceKind == SourceObserve, n.req.SourceKind == 0 && n.caller.Door == SourceObserve:
		return TypeObservation
	}
	return TypeEvent
}

func (n *normaliser) texts() error {
	if blank(n.req.Text) {
		return Invalid("text", n.req.Text, "a text that is not blank")
	}
	if err := first(
		body("text", n.req.Text, TextBytesMax),
		body("context", n.req.Context, ContextBytesMax),
	); err != nil {
		return err
	}
	n.out.Text, n.out.Context = n.req.Text, n.req.Context
	return nil
}

func (n *normaliser) tags() (err error) {
	n.out.Tags, err = labelList("tags", n.req.Tags, TagsMax)
	return err
}

// source binds source_kind and source_ref. A caller may name its own door or observe; import, repair and
// consolidation are no door of a public request (PRV-6).
func (n *normaliser) source() error {
	if err := known("source_kind", n.req.SourceKind, SourceKindLabels()); err != nil {
		return err
	}
	door := n.caller.Door
	if door.String() == "" {
		return Invalid("source_kind", "", "a caller bound to a door: "+list(SourceKindLabels()))
	}
	n.out.SourceKind = cmp.Or(n.req.SourceKind, door)
	if n.out.SourceKind != door && n.out.SourceKind != SourceObserve {
		err := Denied("source_kind", fmt.Sprintf("source_kind %s is not the path of this request", n.out.SourceKind))
		err.Value, err.Allowed = n.out.SourceKind.String(), list([]string{door.String(), SourceObserve.String()})
		return err
	}
	n.out.SourceRef, n.out.SourceRefOf = n.req.SourceRef, OriginCallerSupplied
	if n.req.SourceRef == "" {
		n.out.SourceRef, n.out.SourceRefOf = n.caller.Handle, originIf(n.caller.Handle != "", OriginExecutionEnvelope)
	}
	return reference("source_ref", n.out.SourceRef, LabelBytesMax)
}

// context binds agent, session, task and workspace (CTX-1, CTX-3, CTX-4, CTX-7).
func (n *normaliser) context() (err error) {
	if n.req.AgentID != "" && n.req.AgentID != n.caller.Agent {
		err := Denied("agent_id", "a caller writes under its own agent_id only")
		err.Value, err.Allowed = shorten(n.req.AgentID), orNone(n.caller.Agent)
		return err
	}
	if n.out.Agent, err = bind("agent_id", "", n.caller.Agent); err != nil {
		return err
	}
	if n.out.Session, err = bind("session_id", n.req.SessionID, n.caller.Session); err != nil {
		return err
	}
	if n.out.Task, err = bind("task_id", n.req.TaskID, n.caller.Task); err != nil {
		return err
	}
	n.out.Workspace, err = bind("workspace_id", n.req.WorkspaceID, n.caller.Workspace)
	return err
}

// bind prefers what the request states over what the door knows.
func bind(field, stated, bound string) (BoundText, error) {
	of, s := OriginCallerSupplied, stated
	if stated == "" {
		of, s = OriginExecutionEnvelope, bound
	}
	s, err := label(field, s)
	if err != nil {
		return BoundText{}, err
	}
	return BoundText{Text: s, Origin: originIf(s != "", of)}, nil
}

func (n *normaliser) time() (err error) {
	if n.req.OccurredAt != nil {
		n.out.OccurredAt, err = instant("occurred_at", *n.req.OccurredAt)
	}
	return err
}

// instant returns a time in milliseconds. 0 stands for "unknown" in the log, so the Unix epoch itself is refused.
func instant(field string, t time.Time) (Millis, error) {
	u := t.UTC()
	ms := Millis(u.UnixMilli())
	if t.IsZero() || u.Year() < 1 || u.Year() > 9999 || ms == 0 {
		return 0, Invalid(field, u.Format(time.RFC3339Nano), "a time in the years 1 to 9999, but neither the zero time nor the Unix epoch")
	}
	return ms, nil
}

func (n *normaliser) numbers() error {
	r := n.req
	if err := first(
		optional("authoritativeness", r.Authoritativeness, 0, 1),
		optional("attention", r.Attention, 0, 1),
		optional("task_relevance", r.TaskRelevance, 0, 1),
		optional("encoding_valence", r.Valence, -1, 1),
		optional("encoding_arousal", r.Arousal, 0, 1),
	); err != nil {
		return err
	}
	e := n.params.Encode
	n.out.Authoritativeness, _ = given(r.Authoritativeness, e.Authoritativeness)
	n.out.Cues.Attention, n.out.Cues.AttentionOf = given(r.Attention, e.Attention)
	n.out.Cues.TaskRelevance, n.out.Cues.TaskRelevanceOf = given(r.TaskRelevance, 0)
	n.out.Valence, _ = given(r.Valence, 0)
	n.out.Arousal, _ = given(r.Arousal, 0)
	n.out.EmotionOf = originIf(r.Valence != nil || r.Arousal != nil, OriginCallerSupplied)
	n.out.Bypass = r.BypassDecay
	return nil
}

// given returns the caller's value or the default, with its origin. It never returns negative zero.
func given(v *float64, otherwise float64) (float64, Origin) {
	if v == nil {
		return otherwise, OriginDefault
	}
	return *v + 0, OriginCallerSupplied
}

func (n *normaliser) governance() error {
	if err := first(
		known("retention_class", n.req.Retention, RetentionLabels()),
		known("visibility", n.req.Visibility, VisibilityLabels()),
	); err != nil {
		return err
	}
	flags, err := FlagsOf("policy_flags", n.req.PolicyFlags)
	if err != nil {
		return err
	}
	n.out.Retention = cmp.Or(n.req.Retention, RetentionOf(n.out.Type))
	n.out.Visibility = cmp.Or(n.req.Visibility, Private)
	n.out.PolicyFlags = flags
	return nil
}

// FlagsOf returns the set of the flags, refusing an unknown one.
func FlagsOf(field string, flags []PolicyFlag) (PolicyFlags, error) {
	flags, err := values(field, flags, PolicyFlagLabels())
	if err != nil {
		return 0, err
	}
	set := PolicyFlags(0)
	for _, f := range flags {
		set = set.With(f)
	}
	return set, nil
}

func (n *normaliser) references() (err error) {
	if n.out.Entities, err = labelList("entities", n.req.Entities, EntitiesMax); err != nil {
		return err
	}
	if n.out.Goals, err = idList("goals", n.req.Goals, EntitiesMax); err != nil {
		return err
	}
	if len(n.req.Payload) > PayloadBytesMax {
		return TooLarge("payload", len(n.req.Payload), PayloadBytesMax)
	}
	n.out.Payload = n.req.Payload
	if n.out.Lineage, err = idList("lineage", n.req.Lineage, LineageMax); err != nil {
		return err
	}
	n.out.Endpoints, err = idList("endpoints", n.req.Endpoints, LineageMax)
	return err
}

// typed checks the fields that belong to one type (NRM-3, NRM-4, TAX-4).
func (n *normaliser) typed() error {
	r, t := n.req, n.out.Type
	if t != TypeRelation && t != TypeConflictRecord && len(r.Endpoints) > 0 {
		return Invalid("endpoints", counted(len(r.Endpoints)), "none, but for relation and conflict_record")
	}
	if r.Observation != nil {
		if err := n.observation(*r.Observation); err != nil {
			return err
		}
	}
	if r.Tool != nil {
		if err := n.tool(*r.Tool); err != nil {
			return err
		}
	}
	return checkTyped(t, len(n.out.Endpoints), n.out.Tool.Tool != "")
}

func (n *normaliser) observation(in ObservationIn) error {
	if n.out.Type != TypeObservation {
		return Invalid("observation", n.out.Type.String(), "memory_type observation")
	}
	n.out.Observation = in
	return first(
		known("observation_source", in.Source, ObservationSourceLabels()),
		reference("observation_chunk_id", in.Chunk, LabelBytesMax),
	)
}

func (n *normaliser) tool(in ToolRunIn) (err error) {
	if n.out.Type != TypeToolOutcome {
		return Invalid("tool", n.out.Type.String(), "memory_type tool_outcome")
	}
	name, err := label("tool", in.Tool)
	if err != nil {
		return err
	}
	if name == "" {
		return Invalid("tool", "", "the name of the tool")
	}
	if in.Outcome.String() == "" {
		return Invalid("outcome", orNumber("", uint8(in.Outcome)), list(ToolOutcomeCategoryLabels()))
	}
	in.Tool = name
	n.out.Tool = in
	return first(
		reference("execution_ref", in.ExecutionRef, LabelBytesMax),
		reference("execution_context", in.Context, LabelBytesMax),
	)
}

// provenance demands a trace to evidence, and lineage of what the engine itself derives (PRV-3, PRV-4).
func (n *normaliser) provenance() error {
	e := n.out
	if (e.SourceKind == SourceRepair || e.SourceKind == SourceConsolidation) && len(e.Lineage) == 0 {
		return Invalid("lineage", "", "at least one parent for source_kind "+e.SourceKind.String())
	}
	return checkProvenance(e.Kind, e.SourceRefOf, e.SourceRef != "", len(e.Lineage))
}

func originIf(has bool, of Origin) Origin {
	if has {
		return of
	}
	return 0
}
