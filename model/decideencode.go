package model

// DecideEncode works out the first state of a new memory: strength, stability, bypass, novelty, salience with its
// cues, confidence, utility and the labile window. content and payload are already numbered. at.Tick is the tick that
// the encode carries. Pure.
//
// The salience is the sum of value*weight over the stored cues, clamped to [0,1]; Params.Validate keeps the weights'
// sum at most 1, so a clamp cannot change it by more than rounding. A memory whose strength opens no window is Labile
// for no tick and so reads as SynapticDone. The id of a duplicate family is that of its first member; the first
// member itself names none.
//
// Errors: *Error (validation) for a draft without id or type, without provenance (PRV-4, KIND-5), or without the
// typed fields of its type (TAX-4, NRM-4).
func DecideEncode(cmd Encode, content ContentRef, payload PayloadRef, p Params, at Moment) (MemoryEncoded, error) {
	m := cmd.Draft
	m.ID = cmd.ID
	if err := checkDraft(&m); err != nil {
		return MemoryEncoded{}, err
	}
	m.Version, m.ContentRevision = 1, 1
	m.CreatedAt, m.UpdatedAt, m.EncodedTick = at.Now, at.Now, at.Tick
	m.Content, m.Payload = content, payload
	if m.Payload.State == 0 {
		m.Payload.State = PayloadNone
	}
	m.Tier, m.TierReason = Tier2, TierFirstWrite
	m.Conflict = ConflictNone
	m.Confidence = clampConfidence(p.Encode.Confidence)
	m.Utility = UtilityEstimate(0, false)
	m.encoded(cmd, p, at)
	return MemoryEncoded{Memory: m}, nil
}

// encoded sets what follows from the findings and the cues.
func (m *Memory) encoded(cmd Encode, p Params, at Moment) {
	arousal, valence := 0.0, 0.0
	if m.EmotionOf != 0 {
		arousal, valence = m.Arousal, m.Valence
	}
	novelty := Novelty(cmd.Findings.Inspected, cmd.Findings.NearestSimilarity)
	m.Outcome = outcomeOf(cmd.Findings, novelty)
	m.DuplicateOf = cmd.Findings.Family
	m.Cues = SalienceCues(p.Encode, cmd.Cues, novelty, arousal, m.EmotionOf)
	m.Salience = Salience(m.Cues)
	m.Charge = arousal
	m.Decay = DecayState{
		BaseStrength:     InitialStrength(p.Strength, novelty, cmd.Cues.Attention, arousal, valence),
		Stability:        InitialStability(p.Strength, m.Kind),
		LastAccessedTick: at.Tick,
		Bypass:           bypassOf(p.Encode, cmd.Bypass, m.Kind, arousal, valence),
	}
	m.Lifecycle, m.RestabiliseTo = Labile, SynapticDone
	m.LabileUntil = at.Tick + Tick(WindowTicks(0, m.Decay.BaseStrength, p.Window))
}

func outcomeOf(f Findings, novelty float64) EncodeOutcome {
	out := EncodeOutcome{
		Route: RouteMintedNew, Family: f.Family, Inspected: f.Inspected,
		Novelty: novelty, PatternSeparated: f.PatternSeparated,
	}
	if f.Inspected > 0 {
		out.NearestSimilarity = f.NearestSimilarity
	}
	if !f.Family.Zero() {
		out.Route = RouteAttachedToFamily
	}
	return out
}

// checkDraft refuses a draft that Normalise would not have made, so that no other path writes one either.
func checkDraft(m *Memory) error {
	switch {
	case m.ID.Zero():
		return Invalid("id", "", "a UUID")
	case m.Type.String() == "":
		return Invalid("memory_type", "", list(MemoryTypeLabels()))
	case m.Kind.String() == "":
		return Invalid("kind", "", list(KindLabels()))
	case m.SourceKind.String() == "":
		return Invalid("source_kind", "", list(SourceKindLabels()))
	}
	if err := checkProvenance(m.Kind, m.SourceRefOf, m.SourceRef != 0, len(m.Lineage)); err != nil {
		return err
	}
	return checkTyped(m.Type, len(m.Endpoints), m.Tool.Tool != 0 && m.Tool.Category != 0)
}

// checkProvenance demands a trace to evidence: lineage or a source_ref, which for procedural and schema memories the
// caller has to state (PRV-4, KIND-5).
func checkProvenance(k Kind, of Origin, has bool, parents int) error {
	if parents > 0 {
		return nil
	}
	if (k == Procedural || k == Schema) && (!has || of != OriginCallerSupplied) {
		return Invalid("source_ref", "", "a stated source_ref, or lineage, because the kind is "+k.String())
	}
	if !has {
		return Invalid("source_ref", "", "a source_ref, or lineage")
	}
	return nil
}

// checkTyped demands the typed fields of a type (TAX-4, NRM-4).
func checkTyped(t MemoryType, endpoints int, tool bool) error {
	switch t {
	case TypeRelation, TypeConflictRecord:
		if endpoints < 2 {
			return Invalid("endpoints", counted(endpoints), "at least 2 memories for a "+t.String())
		}
	case TypeToolOutcome:
		if !tool {
			return Invalid("tool", "", "tool and outcome for a tool_outcome")
		}
	}
	return nil
}
