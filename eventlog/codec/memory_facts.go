package codec

import (
	"github.com/membrain-db/membrain/eventlog/eventpb"
	"github.com/membrain-db/membrain/model"
)

// The body of a MemoryEncoded is the MemoryState itself.
func decodeMemoryEncoded(body []byte) (fact, error) {
	var f model.MemoryEncoded
	if err := decodeMemoryState(body, &f.Memory); err != nil {
		return nil, err
	}
	return f, nil
}

func encodeMemoryRecalled(f *model.MemoryRecalled) []byte {
	return sound((&eventpb.MemoryRecalledFact{
		Cause:         uint32(f.Cause),
		At:            int64(f.At),
		Tick:          uint64(f.Tick),
		DeltaTicks:    f.DeltaTicks,
		Decayed:       bits(f.Decayed),
		BaseStrength:  bits(f.BaseStrength),
		Stability:     bits(f.Stability),
		RecallCount:   f.RecallCount,
		Utility:       bits(f.Utility),
		Lifecycle:     uint32(f.Lifecycle),
		RestabiliseTo: uint32(f.RestabiliseTo),
		LabileUntil:   uint64(f.LabileUntil),
	}).MarshalVT())
}

func decodeMemoryRecalled(body []byte) (fact, error) {
	var p eventpb.MemoryRecalledFact
	if err := p.UnmarshalVT(body); err != nil {
		return nil, malformed("%v", err)
	}
	var c checker
	f := model.MemoryRecalled{
		Cause:         enum[model.RecallCause](&c, "cause", p.Cause),
		At:            model.Millis(p.At),
		Tick:          model.Tick(p.Tick),
		DeltaTicks:    p.DeltaTicks,
		Decayed:       float(p.Decayed),
		BaseStrength:  float(p.BaseStrength),
		Stability:     float(p.Stability),
		RecallCount:   p.RecallCount,
		Utility:       float(p.Utility),
		Lifecycle:     enum[model.Lifecycle](&c, "lifecycle", p.Lifecycle),
		RestabiliseTo: enum[model.Lifecycle](&c, "restabilise_to", p.RestabiliseTo),
		LabileUntil:   model.Tick(p.LabileUntil),
	}
	return c.result(f)
}

func encodeMemoryPinned(f model.MemoryPinned) []byte {
	return sound((&eventpb.MemoryPinnedFact{At: int64(f.At), Tick: uint64(f.Tick), Was: uint32(f.Was)}).MarshalVT())
}

func decodeMemoryPinned(body []byte) (fact, error) {
	var p eventpb.MemoryPinnedFact
	if err := p.UnmarshalVT(body); err != nil {
		return nil, malformed("%v", err)
	}
	var c checker
	was := enum[model.Retention](&c, "was", p.Was)
	return c.result(model.MemoryPinned{At: model.Millis(p.At), Tick: model.Tick(p.Tick), Was: was})
}

func encodeMemoryUnpinned(f model.MemoryUnpinned) []byte {
	return sound((&eventpb.MemoryUnpinnedFact{At: int64(f.At), Tick: uint64(f.Tick), Retention: uint32(f.Retention)}).MarshalVT())
}

func decodeMemoryUnpinned(body []byte) (fact, error) {
	var p eventpb.MemoryUnpinnedFact
	if err := p.UnmarshalVT(body); err != nil {
		return nil, malformed("%v", err)
	}
	var c checker
	retention := enum[model.Retention](&c, "retention", p.Retention)
	return c.result(model.MemoryUnpinned{At: model.Millis(p.At), Tick: model.Tick(p.Tick), Retention: retention})
}

func encodeLabileWindowClosed(f model.LabileWindowClosed) []byte {
	return sound((&eventpb.LabileWindowClosedFact{At: int64(f.At), Tick: uint64(f.Tick), Lifecycle: uint32(f.Lifecycle)}).MarshalVT())
}

func decodeLabileWindowClosed(body []byte) (fact, error) {
	var p eventpb.LabileWindowClosedFact
	if err := p.UnmarshalVT(body); err != nil {
		return nil, malformed("%v", err)
	}
	var c checker
	lifecycle := enum[model.Lifecycle](&c, "lifecycle", p.Lifecycle)
	return c.result(model.LabileWindowClosed{At: model.Millis(p.At), Tick: model.Tick(p.Tick), Lifecycle: lifecycle})
}

func encodeMemoryArchived(f model.MemoryArchived) []byte {
	return sound((&eventpb.MemoryArchivedFact{
		At:         int64(f.At),
		Tick:       uint64(f.Tick),
		From:       uint32(f.From),
		Reason:     uint32(f.Reason),
		Effective:  bits(f.Effective),
		DeltaTicks: f.DeltaTicks,
	}).MarshalVT())
}

func decodeMemoryArchived(body []byte) (fact, error) {
	var p eventpb.MemoryArchivedFact
	if err := p.UnmarshalVT(body); err != nil {
		return nil, malformed("%v", err)
	}
	var c checker
	return c.result(model.MemoryArchived{
		At:         model.Millis(p.At),
		Tick:       model.Tick(p.Tick),
		From:       enum[model.Lifecycle](&c, "from", p.From),
		Reason:     enum[model.ArchiveReason](&c, "reason", p.Reason),
		Effective:  float(p.Effective),
		DeltaTicks: p.DeltaTicks,
	})
}

func encodeMemoryRestored(f model.MemoryRestored) []byte {
	return sound((&eventpb.MemoryRestoredFact{At: int64(f.At), Tick: uint64(f.Tick), To: uint32(f.To)}).MarshalVT())
}

func decodeMemoryRestored(body []byte) (fact, error) {
	var p eventpb.MemoryRestoredFact
	if err := p.UnmarshalVT(body); err != nil {
		return nil, malformed("%v", err)
	}
	var c checker
	to := enum[model.Lifecycle](&c, "to", p.To)
	return c.result(model.MemoryRestored{At: model.Millis(p.At), Tick: model.Tick(p.Tick), To: to})
}

// result is what a decoder returns: the fact, or the first fault met while it was read.
func (c *checker) result(f fact) (fact, error) {
	if c.err != nil {
		return nil, c.err
	}
	return f, nil
}
