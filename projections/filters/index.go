package filters

import (
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/membrain-db/membrain/model"
)

// Index holds columns and bitmaps of one namespace. Make one with New.
type Index struct {
	tick     model.Tick // up to which lifecycle bitmaps are right (F3)
	columns  columns
	ordinals map[model.MemoryID]uint32
	live     *roaring.Bitmap
	bits     map[facet]*roaring.Bitmap
	when     ranges // occurred, else created
	created  ranges
	encoded  ranges // tick
	windows  windows

	old, new []facet // scratch
}

// New returns an empty index.
func New() *Index {
	return &Index{
		ordinals: map[model.MemoryID]uint32{},
		live:     roaring.New(),
		bits:     map[facet]*roaring.Bitmap{},
		when:     newRanges(millisShift),
		created:  newRanges(millisShift),
		encoded:  newRanges(tickShift),
	}
}

// OrdinalOf returns the ordinal of a memory's present content; ok is false when the number is none (0, or over 32 bits).
func OrdinalOf(m *model.Memory) (ordinal uint32, ok bool) {
	n := m.Content.Number
	return uint32(n), n > 0 && n <= 1<<32-1
}

// Put replaces what the index knows of a memory: before is the state that it was last put with, nil when it is new. A new
// content takes a new ordinal, and the old one is live no more. The ordinal of after must be valid (OrdinalOf).
func (x *Index) Put(before, after *model.Memory) {
	ordinal, _ := OrdinalOf(after)
	if before == nil {
		x.add(ordinal, after)
		return
	}
	if was, _ := OrdinalOf(before); was != ordinal {
		x.remove(was, before)
		x.add(ordinal, after)
		return
	}
	x.change(ordinal, before, after)
}

func (x *Index) add(ordinal uint32, m *model.Memory) {
	x.columns.put(ordinal, hotOf(m))
	x.ordinals[m.ID] = ordinal
	x.live.Add(ordinal)
	x.new = facetsOf(x.new[:0], m, x.tick)
	for _, f := range x.new {
		x.set(f, ordinal)
	}
	x.when.add(int64(whenOf(m.OccurredAt, m.CreatedAt)), ordinal)
	x.created.add(int64(m.CreatedAt), ordinal)
	x.encoded.add(tickFrom(m.EncodedTick), ordinal)
	x.watch(ordinal, m)
}

func (x *Index) remove(ordinal uint32, m *model.Memory) {
	x.columns.drop(ordinal)
	delete(x.ordinals, m.ID)
	x.live.Remove(ordinal)
	x.old = facetsOf(x.old[:0], m, x.tick)
	for _, f := range x.old {
		x.clear(f, ordinal)
	}
	x.when.remove(int64(whenOf(m.OccurredAt, m.CreatedAt)), ordinal)
	x.created.remove(int64(m.CreatedAt), ordinal)
	x.encoded.remove(tickFrom(m.EncodedTick), ordinal)
}

// change moves an ordinal between the bitmaps in which its memory differs. Times and ticks of a memory never change.
func (x *Index) change(ordinal uint32, before, after *model.Memory) {
	x.columns.put(ordinal, hotOf(after))
	x.old = facetsOf(x.old[:0], before, x.tick)
	x.new = facetsOf(x.new[:0], after, x.tick)
	if !slices.Equal(x.old, x.new) {
		for _, f := range x.old {
			if !slices.Contains(x.new, f) {
				x.clear(f, ordinal)
			}
		}
		for _, f := range x.new {
			if !slices.Contains(x.old, f) {
				x.set(f, ordinal)
			}
		}
	}
	if before.LabileUntil != after.LabileUntil || before.Lifecycle != after.Lifecycle {
		x.watch(ordinal, after)
	}
}

func (x *Index) set(f facet, ordinal uint32) {
	b := x.bits[f]
	if b == nil {
		b = roaring.New()
		x.bits[f] = b
	}
	b.Add(ordinal)
}

func (x *Index) clear(f facet, ordinal uint32) {
	b := x.bits[f]
	if b == nil {
		return
	}
	if b.Remove(ordinal); b.IsEmpty() {
		delete(x.bits, f)
	}
}

// watch remembers when the window of a labile memory ends.
func (x *Index) watch(ordinal uint32, m *model.Memory) {
	if m.LifecycleAt(x.tick) == model.Labile {
		x.windows.push(window{m.LabileUntil, ordinal})
	}
}

// Advance takes the lifecycle bitmaps to a tick; an earlier one than before changes nothing.
func (x *Index) Advance(tick model.Tick) {
	if tick <= x.tick {
		return
	}
	x.tick = tick
	for {
		w, ok := x.windows.popUntil(tick)
		if !ok {
			return
		}
		if h := x.open(w); h != nil {
			x.clear(facet{field: fieldLifecycle, value: uint64(model.Labile)}, w.ordinal)
			x.set(facet{field: fieldLifecycle, value: uint64(h.RestabiliseTo)}, w.ordinal)
		}
	}
}

// open returns the row whose window w is; nil when that was closed or restarted meanwhile.
func (x *Index) open(w window) *Hot {
	h := x.columns.at(w.ordinal)
	if h == nil || h.Lifecycle != model.Labile || h.LabileUntil != w.until {
		return nil
	}
	return h
}

// Tick returns the tick up to which the index has advanced.
func (x *Index) Tick() model.Tick { return x.tick }

// Len returns the number of live ordinals.
func (x *Index) Len() int { return len(x.ordinals) }

// Live returns the live ordinals. The caller must not change them, and not keep them past its lock.
func (x *Index) Live() *roaring.Bitmap { return x.live }

// Hot returns the row of an ordinal, nil when it is not live. It is only to be read, under the owner's lock.
func (x *Index) Hot(ordinal uint32) *Hot { return x.columns.at(ordinal) }

// Ordinal returns the ordinal of a memory's present content.
func (x *Index) Ordinal(id model.MemoryID) (uint32, bool) {
	ordinal, ok := x.ordinals[id]
	return ordinal, ok
}

// Mentioning returns the live ordinals that mention an entity, nil when none does. As for Live.
func (x *Index) Mentioning(mention model.Symbol) *roaring.Bitmap {
	return x.bits[facet{field: fieldEntity, value: uint64(mention)}]
}

// Bitmaps returns how many bitmaps there are and the bytes that they take, for people.
func (x *Index) Bitmaps() (count int, bytes uint64) {
	for _, b := range x.bits {
		bytes += b.GetSizeInBytes()
	}
	return len(x.bits), bytes
}

// CountTypes counts live memories by type.
func (x *Index) CountTypes() map[model.MemoryType]int { return count[model.MemoryType](x, fieldType) }

// CountLifecycles counts live memories by lifecycle state.
func (x *Index) CountLifecycles() map[model.Lifecycle]int {
	return count[model.Lifecycle](x, fieldLifecycle)
}

// CountTiers counts live memories by durable tier.
func (x *Index) CountTiers() map[model.Tier]int { return count[model.Tier](x, fieldTier) }

func count[E ~uint8](x *Index, f field) map[E]int {
	counts := map[E]int{}
	for key, b := range x.bits {
		if key.field == f {
			counts[E(key.value)] = int(b.GetCardinality())
		}
	}
	return counts
}

// Drop forgets a memory, given the state that it was last put with.
func (x *Index) Drop(m *model.Memory) {
	if ordinal, ok := OrdinalOf(m); ok && x.columns.at(ordinal) != nil {
		x.remove(ordinal, m)
	}
}
