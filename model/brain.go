package model

// Brain is the state of a namespace: the fold of its brain stream, plus what its commits carry in their heads.
// Immutable once ApplyBrain returned it.
type Brain struct {
	Version     uint64 // of the brain stream
	CreatedAt   Millis
	Params      Params
	Embedder    EmbedderRef
	Import      *ImportStarted // an import that has neither committed nor aborted
	Accepted    uint64         // requests acknowledged with a receipt
	Refused     uint64         // refusals recorded
	Discarded   uint64         // intakes that attention did not admit
	Tick        Tick           // after the last commit of the namespace
	Millis      Millis         // time of the last commit of the namespace
	ContentHigh ContentNumber
	SymbolHigh  Symbol
}

// CommitHead is what every commit of a namespace carries beside its facts.
type CommitHead struct {
	Tick        Tick
	Millis      Millis
	ContentHigh ContentNumber
	SymbolHigh  Symbol
}
