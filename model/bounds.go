package model

// Bounds of requests. A value beyond one is refused with the bound in the error.
const (
	NamespaceBytesMax = 128
	TextBytesMax      = 16 << 20 // full text of one memory
	InlineBytesMax    = 64 << 10 // text over it is served as a payload, behind compact_text
	CompactBytesMax   = 2048
	ContextBytesMax   = 64 << 10
	PayloadBytesMax   = 64 << 20
	QueryBytesMax     = 64 << 10
	LabelBytesMax     = 256 // a tag, context id, source ref, entity mention
	RequestIDBytesMax = 128
	TagsMax           = 64
	EntitiesMax       = 64
	LineageMax        = 256
	FilterValuesMax   = 256 // values in one filter field
	DefaultLimit      = 10
	LimitMax          = 1000
	ImportRowsMax     = 100_000 // rows of one namespace in one import
)
