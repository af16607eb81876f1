package model

// Params steers one namespace. It is a stored fact, so replay uses the values of its time. The zero value is
// invalid; start from DefaultParams. Defaults and formulas: docs/model.md.
type Params struct {
	Strength StrengthParams `json:"strength"`
	Encode   EncodeParams   `json:"encode"`
	Window   WindowParams   `json:"window"`
	Ranking  RankingParams  `json:"ranking"`
}

// StrengthParams steers strength and decay.
type StrengthParams struct {
	BaseStrength         float64 `json:"base_strength"`         // (0,1]
	MaxStrength          float64 `json:"max_strength"`          // (0,1]
	MinStrength          float64 `json:"min_strength"`          // [0,max_strength): the forgetting floor
	LTPDelta             float64 `json:"ltp_delta"`             // [0,1]
	StabilityIncrement   float64 `json:"stability_increment"`   // [0,10], multiplicative
	BaseStability        float64 `json:"base_stability"`        // ticks, >= 1
	SemanticStability    float64 `json:"semantic_stability"`    // factor, >= 1
	SchemaStability      float64 `json:"schema_stability"`      // factor, >= 1
	MaxStability         float64 `json:"max_stability"`         // ticks, >= base_stability
	Spacing              bool    `json:"spacing"`               // scale the increment by the share forgotten
	SpacingFloor         float64 `json:"spacing_floor"`         // [0,1]
	NoveltyBoost         float64 `json:"novelty_boost"`         // [0,10]
	AttentionBoost       float64 `json:"attention_boost"`       // [0,10]
	ArousalBoost         float64 `json:"arousal_boost"`         // [0,10]
	ReconsolidationBonus float64 `json:"reconsolidation_bonus"` // [0,1]
}

// EncodeParams steers intake.
type EncodeParams struct {
	Attention         float64 `json:"attention"`          // [0,1], when the caller gives none
	AttentionMin      float64 `json:"attention_min"`      // [0,1], below it intake is discarded
	BypassArousal     float64 `json:"bypass_arousal"`     // [0,1]
	BypassValence     float64 `json:"bypass_valence"`     // [0,1]
	SalienceAttention float64 `json:"salience_attention"` // weights of the cues, [0,1] each
	SalienceNovelty   float64 `json:"salience_novelty"`
	SalienceTask      float64 `json:"salience_task"`
	SalienceArousal   float64 `json:"salience_arousal"`
	Confidence        float64 `json:"confidence"`        // [0.1,1], initial
	Authoritativeness float64 `json:"authoritativeness"` // [0,1], when the caller gives none
	DuplicateCosine   float64 `json:"duplicate_cosine"`  // [0,1]
	ShortlistMax      uint32  `json:"shortlist_max"`     // neighbours inspected per encode, 1 to 1,000
}

// WindowParams steers the labile window.
type WindowParams struct {
	Ticks       float64 `json:"ticks"`        // longest window, ticks
	TicksMin    float64 `json:"ticks_min"`    // shortest window, ticks
	AgeHalf     float64 `json:"age_half"`     // ticks at which age halves the window
	StrengthMin float64 `json:"strength_min"` // effective strength under which no window opens
}

// RankingParams are the weights of recall; Relevance's parts come first and carry at least 60 % of a score.
type RankingParams struct {
	LexicalWeight    float64    `json:"lexical_weight"`     // of the z-scored BM25 arm
	VectorWeight     float64    `json:"vector_weight"`      // of the z-scored cosine arm
	ArmCandidatesMax uint32     `json:"arm_candidates_max"` // per arm, 1 to 1,000
	BeforeWeights    [3]float64 `json:"before_weights"`     // what a memory gains from the 1st to 3rd before it in its session
	AfterWeights     [3]float64 `json:"after_weights"`      // and after it
	EntityWeight     float64    `json:"entity_weight"`      // when the query names its entity, share of the best score
	EpisodeWeight    float64    `json:"episode_weight"`     // share of the best score in its session
	Strength         float64    `json:"strength"`
	Salience         float64    `json:"salience"`
	Confidence       float64    `json:"confidence"`
	Utility          float64    `json:"utility"`
	Recency          float64    `json:"recency"`
	RecencyHalf      float64    `json:"recency_half"`  // ticks after which recency halves
	Context          float64    `json:"context"`       // same session, task or workspace as the caller
	Difficulty       float64    `json:"difficulty"`    // subtracted
	Conflict         float64    `json:"conflict"`      // subtracted while a conflict is open
	Duplicate        float64    `json:"duplicate"`     // subtracted from later members of a family
	AbstainBelow     float64    `json:"abstain_below"` // [-1,1]: cosine under which what shares no word with the query is no answer
}
