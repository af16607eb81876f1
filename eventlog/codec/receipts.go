package codec

import (
	"github.com/membrain-db/membrain/eventlog/eventpb"
	"github.com/membrain-db/membrain/model"
)

func encodeRequestAccepted(f *model.RequestAccepted) []byte {
	p := eventpb.RequestAcceptedFact{
		Verb:       uint32(f.Verb),
		BodyDigest: someBytes(&f.BodyDigest),
		ReadSeq:    f.ReadSeq,
		Tick:       uint64(f.Tick),
		At:         int64(f.At),
		Memories:   idBytes(f.Memories),
	}
	if f.Recall != nil {
		p.Recall = recallPart(f.Recall)
	}
	if r := f.Import; r != nil {
		p.Import = &eventpb.ImportReceiptPart{Read: r.Read, Created: r.Created, Skipped: r.Skipped}
	}
	if d := f.Discarded; d != nil {
		p.Discarded = &eventpb.DiscardReceiptPart{Attention: bits(d.Attention), Threshold: bits(d.Threshold)}
	}
	return sound(p.MarshalVT())
}

func decodeRequestAccepted(body []byte) (fact, error) {
	var p eventpb.RequestAcceptedFact
	if err := p.UnmarshalVT(body); err != nil {
		return nil, malformed("%v", err)
	}
	var c checker
	f := model.RequestAccepted{
		Verb:       enum[model.Verb](&c, "verb", p.Verb),
		BodyDigest: c.id("body_digest", p.BodyDigest),
		ReadSeq:    p.ReadSeq,
		Tick:       model.Tick(p.Tick),
		At:         model.Millis(p.At),
		Memories:   c.ids("memories", p.Memories),
	}
	if p.Recall != nil {
		f.Recall = c.recall(p.Recall)
	}
	if r := p.Import; r != nil {
		f.Import = &model.ImportReceipt{Read: r.Read, Created: r.Created, Skipped: r.Skipped}
	}
	if d := p.Discarded; d != nil {
		f.Discarded = &model.DiscardReceipt{Attention: float(d.Attention), Threshold: float(d.Threshold)}
	}
	return c.result(f)
}

// recallPart lays the items out as columns, which share two slabs: a receipt of ten items has over a hundred parts.
func recallPart(r *model.RecallReceipt) *eventpb.RecallReceiptPart {
	parts := 0
	for i := range r.Items {
		parts += len(r.Items[i].Parts)
	}
	n := len(r.Items)
	long := make([]uint64, 0, 3*n+parts)
	short := make([]uint32, 0, 2*n+parts+2*len(r.Omitted))
	p := &eventpb.RecallReceiptPart{Abstained: r.Abstained, Memories: make([]byte, 0, 16*n)}
	p.Contents, long = column(long, n)
	p.Scores, long = column(long, n)
	p.Versions, long = column(long, n)
	p.PartValues, _ = column(long, parts)
	p.Lanes, short = column(short, n)
	p.PartCounts, short = column(short, n)
	p.PartNames, short = column(short, parts)
	p.OmittedReasons, short = column(short, len(r.Omitted))
	p.OmittedCounts, _ = column(short, len(r.Omitted))
	for i := range r.Items {
		addItem(p, &r.Items[i])
	}
	for _, o := range r.Omitted {
		p.OmittedReasons = append(p.OmittedReasons, uint32(o.Reason))
		p.OmittedCounts = append(p.OmittedCounts, o.Count)
	}
	return p
}

// column carves an empty column with room for n entries off the front of an empty slab.
func column[T any](slab []T, n int) (col, rest []T) {
	return slab[:0:n], slab[n:n:cap(slab)]
}

func addItem(p *eventpb.RecallReceiptPart, item *model.RecallReceiptItem) {
	p.Memories = append(p.Memories, item.Memory[:]...)
	p.Contents = append(p.Contents, uint64(item.Content))
	p.Scores = append(p.Scores, bits(item.Score))
	p.Lanes = append(p.Lanes, uint32(item.Lane))
	p.Versions = append(p.Versions, item.Version)
	p.PartCounts = append(p.PartCounts, uint32(len(item.Parts)))
	for _, part := range item.Parts {
		p.PartNames = append(p.PartNames, uint32(part.Name))
		p.PartValues = append(p.PartValues, bits(part.Value))
	}
}

func (c *checker) recall(p *eventpb.RecallReceiptPart) *model.RecallReceipt {
	r := &model.RecallReceipt{Abstained: p.Abstained}
	r.Items = c.items(p)
	if c.columns("omitted", len(p.OmittedReasons), len(p.OmittedCounts)) && len(p.OmittedReasons) > 0 {
		r.Omitted = make([]model.OmittedCount, len(p.OmittedReasons))
		for i := range r.Omitted {
			r.Omitted[i] = model.OmittedCount{
				Reason: enum[model.OmitReason](c, "omitted_reasons", p.OmittedReasons[i]),
				Count:  p.OmittedCounts[i],
			}
		}
	}
	return r
}

func (c *checker) items(p *eventpb.RecallReceiptPart) []model.RecallReceiptItem {
	n := len(p.Contents)
	if !c.columns("memories", 16*n, len(p.Memories)) ||
		!c.columns("items", n, len(p.Scores), len(p.Lanes), len(p.Versions), len(p.PartCounts)) || n == 0 {
		if len(p.PartNames)+len(p.PartValues) > 0 {
			c.fail("parts of no item")
		}
		return nil
	}
	parts := c.parts(p)
	items := make([]model.RecallReceiptItem, n)
	for i := range items {
		items[i] = model.RecallReceiptItem{
			Memory:  model.MemoryID(p.Memories[i*16:]),
			Content: model.ContentNumber(p.Contents[i]),
			Score:   float(p.Scores[i]),
			Parts:   c.takeParts(&parts, p.PartCounts[i]),
			Lane:    enum[model.Lane](c, "lanes", p.Lanes[i]),
			Version: p.Versions[i],
		}
	}
	if len(parts) > 0 {
		c.fail("%d parts of no item", len(parts))
	}
	return items
}

func (c *checker) parts(p *eventpb.RecallReceiptPart) []model.ScorePart {
	if !c.columns("parts", len(p.PartNames), len(p.PartValues)) {
		return nil
	}
	parts := make([]model.ScorePart, len(p.PartNames))
	for i := range parts {
		parts[i] = model.ScorePart{Name: enum[model.PartName](c, "part_names", p.PartNames[i]), Value: float(p.PartValues[i])}
	}
	return parts
}

// takeParts cuts the parts of one item off the front of all.
func (c *checker) takeParts(all *[]model.ScorePart, n uint32) []model.ScorePart {
	if uint64(n) > uint64(len(*all)) {
		c.fail("an item of %d parts where %d are left", n, len(*all))
		return nil
	}
	if n == 0 {
		return nil
	}
	taken := (*all)[:n:n]
	*all = (*all)[n:]
	return taken
}

func encodeRequestRefused(f *model.RequestRefused) []byte {
	return sound((&eventpb.RequestRefusedFact{
		Verb:   uint32(f.Verb),
		Family: uint32(f.Family),
		Memory: someBytes((*[16]byte)(&f.Memory)),
		From:   uint32(f.From),
		To:     uint32(f.To),
		Flag:   uint32(f.Flag),
		Count:  f.Count,
		At:     int64(f.At),
	}).MarshalVT())
}

func decodeRequestRefused(body []byte) (fact, error) {
	var p eventpb.RequestRefusedFact
	if err := p.UnmarshalVT(body); err != nil {
		return nil, malformed("%v", err)
	}
	var c checker
	return c.result(model.RequestRefused{
		Verb:   enum[model.Verb](&c, "verb", p.Verb),
		Family: enum[model.FailureFamily](&c, "family", p.Family),
		Memory: c.id("memory", p.Memory),
		From:   enum[model.Lifecycle](&c, "from", p.From),
		To:     enum[model.Lifecycle](&c, "to", p.To),
		Flag:   enum[model.PolicyFlag](&c, "flag", p.Flag),
		Count:  p.Count,
		At:     model.Millis(p.At),
	})
}
