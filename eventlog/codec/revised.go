package codec

import (
	"github.com/membrain-db/membrain/eventlog/eventpb"
	"github.com/membrain-db/membrain/model"
)

func encodeMemoryRevised(f *model.MemoryRevised) []byte {
	p := eventpb.MemoryRevisedFact{
		At:          int64(f.At),
		Tick:        uint64(f.Tick),
		Type:        uint32(f.Type),
		Kind:        uint32(f.Kind),
		KindOrigin:  uint32(f.KindOf),
		Retention:   uint32(f.Retention),
		PolicyFlags: (*uint64)(f.PolicyFlags),
		TagsSet:     f.Tags != nil,
	}
	if f.Tags != nil {
		for _, tag := range *f.Tags {
			p.TagSymbols = append(p.TagSymbols, uint64(tag.Symbol))
			p.TagOrigins = append(p.TagOrigins, uint32(tag.Origin))
		}
	}
	if d := f.Decay; d != nil {
		p.Decay = &eventpb.DecayPart{
			BaseStrength:     bits(d.BaseStrength),
			Stability:        bits(d.Stability),
			LastAccessedTick: uint64(d.LastAccessedTick),
			Bypass:           uint32(d.Bypass),
		}
	}
	if f.Content != nil {
		p.Content = contentPart(f.Content)
	}
	return sound(p.MarshalVT())
}

func contentPart(r *model.ContentRevised) *eventpb.ContentRevisedPart {
	return &eventpb.ContentRevisedPart{
		ContentNumber:        uint64(r.Content.Number),
		ContentDigest:        someBytes(&r.Content.Digest),
		ContentTextBytes:     r.Content.TextBytes,
		ContentOutOfLine:     r.Content.OutOfLine,
		PayloadNumber:        uint64(r.Payload.Number),
		PayloadState:         uint32(r.Payload.State),
		PayloadBytes:         r.Payload.Bytes,
		PayloadDigest:        someBytes(&r.Payload.Digest),
		Reconsolidated:       r.Reconsolidated,
		DeltaTicks:           r.DeltaTicks,
		Decayed:              bits(r.Decayed),
		BaseStrength:         bits(r.BaseStrength),
		ReconsolidationCount: r.ReconsolidationCount,
		Confidence:           bits(r.Confidence),
		Lifecycle:            uint32(r.Lifecycle),
		RestabiliseTo:        uint32(r.RestabiliseTo),
		LabileUntil:          uint64(r.LabileUntil),
	}
}

func decodeMemoryRevised(body []byte) (fact, error) {
	var p eventpb.MemoryRevisedFact
	if err := p.UnmarshalVT(body); err != nil {
		return nil, malformed("%v", err)
	}
	var c checker
	f := model.MemoryRevised{
		At:        model.Millis(p.At),
		Tick:      model.Tick(p.Tick),
		Type:      enum[model.MemoryType](&c, "type", p.Type),
		Kind:      enum[model.Kind](&c, "kind", p.Kind),
		KindOf:    enum[model.Origin](&c, "kind_origin", p.KindOrigin),
		Retention: enum[model.Retention](&c, "retention", p.Retention),
	}
	if p.PolicyFlags != nil {
		flags := model.PolicyFlags(*p.PolicyFlags)
		f.PolicyFlags = &flags
	}
	tags := c.tags(p.TagSymbols, p.TagOrigins)
	if p.TagsSet {
		f.Tags = &tags
	} else if tags != nil {
		c.fail("tags that are not set")
	}
	if d := p.Decay; d != nil {
		f.Decay = c.decay(d.BaseStrength, d.Stability, d.LastAccessedTick, d.Bypass)
	}
	if p.Content != nil {
		f.Content = c.contentRevised(p.Content)
	}
	return c.result(f)
}

func (c *checker) contentRevised(p *eventpb.ContentRevisedPart) *model.ContentRevised {
	return &model.ContentRevised{
		Content: model.ContentRef{
			Number:    model.ContentNumber(p.ContentNumber),
			Digest:    c.id("content_digest", p.ContentDigest),
			TextBytes: p.ContentTextBytes,
			OutOfLine: p.ContentOutOfLine,
		},
		Payload: model.PayloadRef{
			Number: model.ContentNumber(p.PayloadNumber),
			State:  enum[model.PayloadState](c, "payload_state", p.PayloadState),
			Bytes:  p.PayloadBytes,
			Digest: c.id("payload_digest", p.PayloadDigest),
		},
		Reconsolidated:       p.Reconsolidated,
		DeltaTicks:           p.DeltaTicks,
		Decayed:              float(p.Decayed),
		BaseStrength:         float(p.BaseStrength),
		ReconsolidationCount: p.ReconsolidationCount,
		Confidence:           float(p.Confidence),
		Lifecycle:            enum[model.Lifecycle](c, "lifecycle", p.Lifecycle),
		RestabiliseTo:        enum[model.Lifecycle](c, "restabilise_to", p.RestabiliseTo),
		LabileUntil:          model.Tick(p.LabileUntil),
	}
}

func (c *checker) decay(base, stability, tick uint64, bypass uint32) *model.DecayState {
	return &model.DecayState{
		BaseStrength:     float(base),
		Stability:        float(stability),
		LastAccessedTick: model.Tick(tick),
		Bypass:           enum[model.BypassCause](c, "decay bypass", bypass),
	}
}
