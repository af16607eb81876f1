package hot

import "sync/atomic"

const (
	keyGone       = 0xFFFFFFFF // in place of node+1: the key was taken out
	keyTableFirst = 1 << 8
)

// keyTable finds the node of a key: open addressing, one writer, readers without locks. A slot is key << 32 | node+1, 0
// when it was never used. A table that is three quarters full is copied to one twice the size, or of the same size when
// most of it is gone keys.
type keyTable struct {
	slots atomic.Pointer[[]atomic.Uint64]
	used  int // with those gone
	gone  int
}

func (t *keyTable) init() { t.store(make([]atomic.Uint64, keyTableFirst)) }

func (t *keyTable) store(slots []atomic.Uint64) { t.slots.Store(&slots) }

func (t *keyTable) bytes() int64 { return int64(len(*t.slots.Load())) * 8 }

func firstSlot(key uint32, slots int) int {
	return int(uint64(key*0x9e3779b9) * uint64(slots) >> 32)
}

func (t *keyTable) get(key uint32) (node uint32, ok bool) {
	slots := *t.slots.Load()
	mask := len(slots) - 1
	for i := firstSlot(key, len(slots)); ; i = (i + 1) & mask {
		s := slots[i&mask].Load()
		if s == 0 {
			return 0, false
		}
		if uint32(s>>32) == key && uint32(s) != keyGone {
			return uint32(s) - 1, true
		}
	}
}

// put adds a key that is not in the table.
func (t *keyTable) put(key, node uint32) {
	slots := *t.slots.Load()
	if (t.used+1)*4 > len(slots)*3 {
		slots = t.grown(slots)
		t.store(slots)
	}
	insertKey(slots, uint64(key)<<32|uint64(node+1))
	t.used++
}

func insertKey(slots []atomic.Uint64, s uint64) {
	mask := len(slots) - 1
	i := firstSlot(uint32(s>>32), len(slots))
	for slots[i].Load() != 0 {
		i = (i + 1) & mask
	}
	slots[i].Store(s)
}

func (t *keyTable) grown(old []atomic.Uint64) []atomic.Uint64 {
	size := len(old)
	if live := t.used - t.gone; live*2 > size {
		size *= 2
	}
	slots := make([]atomic.Uint64, size)
	for i := range old {
		if s := old[i].Load(); s != 0 && uint32(s) != keyGone {
			insertKey(slots, s)
		}
	}
	t.used -= t.gone
	t.gone = 0
	return slots
}

// remove takes out a key that is in the table.
func (t *keyTable) remove(key uint32) {
	slots := *t.slots.Load()
	mask := len(slots) - 1
	i := firstSlot(key, len(slots))
	for s := slots[i].Load(); uint32(s>>32) != key || uint32(s) == keyGone; s = slots[i].Load() {
		i = (i + 1) & mask
	}
	slots[i].Store(uint64(key)<<32 | keyGone)
	t.gone++
}
