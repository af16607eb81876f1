package codec

// Stored names of facts. Never changed, never reused: a log holds them for ever. The number at the end belongs to
// the name; changes of the body count in the schema number beside it.
const (
	TypeMemoryEncoded      = "memory.encoded.v1"
	TypeMemoryRecalled     = "memory.recalled.v1"
	TypeMemoryRevised      = "memory.revised.v1"
	TypeMemoryPinned       = "memory.pinned.v1"
	TypeMemoryUnpinned     = "memory.unpinned.v1"
	TypeLabileWindowClosed = "memory.labile_window_closed.v1"
	TypeMemoryArchived     = "memory.archived.v1"
	TypeMemoryRestored     = "memory.restored.v1"
	TypeNamespaceCreated   = "namespace.created.v1"
	TypeParamsChanged      = "namespace.params_changed.v1"
	TypeEmbedderChanged    = "namespace.embedder_changed.v1"
	TypeImportStarted      = "import.started.v1"
	TypeImportAborted      = "import.aborted.v1"
	TypeRequestAccepted    = "request.accepted.v1"
	TypeRequestRefused     = "request.refused.v1"
)

// form is how a fact of one type and schema is read.
type form struct {
	Version
	decode func(body []byte) (fact, error)
}

// currentForms lists what EncodeFact writes, one entry for each type.
func currentForms() []form {
	return []form{
		{Version{TypeMemoryEncoded, 1}, decodeMemoryEncoded},
		{Version{TypeMemoryRecalled, 1}, decodeMemoryRecalled},
		{Version{TypeMemoryRevised, 1}, decodeMemoryRevised},
		{Version{TypeMemoryPinned, 1}, decodeMemoryPinned},
		{Version{TypeMemoryUnpinned, 1}, decodeMemoryUnpinned},
		{Version{TypeLabileWindowClosed, 1}, decodeLabileWindowClosed},
		{Version{TypeMemoryArchived, 1}, decodeMemoryArchived},
		{Version{TypeMemoryRestored, 1}, decodeMemoryRestored},
		{Version{TypeNamespaceCreated, 1}, decodeNamespaceCreated},
		{Version{TypeParamsChanged, 1}, decodeParamsChanged},
		{Version{TypeEmbedderChanged, 1}, decodeEmbedderChanged},
		{Version{TypeImportStarted, 1}, decodeImportStarted},
		{Version{TypeImportAborted, 1}, decodeImportAborted},
		{Version{TypeRequestAccepted, 1}, decodeRequestAccepted},
		{Version{TypeRequestRefused, 1}, decodeRequestRefused},
	}
}
