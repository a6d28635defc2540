package query

import (
	"math/bits"
	"sync/atomic"
)

// keyTable is a set of keys that goroutines insert into at the same time: open
// addressing, at most four fifths full. No key is 0.
type hashTable struct {
	slots []hashSlot
	first []uint32 // who inserted the key of a slot
	shift int
}

type hashSlot struct{ key, weight atomic.Uint64 }

func newHashTable(size int) *hashTable {
	width := bits.Len(uint(size + size/4))
	return &hashTable{make([]hashSlot, 1<<width), make([]uint32, 1<<width), 64 - width}
}

// fetch asks memory for the slots of some keys, all at once. What it returns means
// nothing.
func (t *hashTable) prefetch(keys []uint64) (all uint64) {
	for _, key := range keys {
		all |= t.slots[t.firstSlot(key)].key.Load()
	}
	return all
}

// begin is the slot at which the search for a key begins.
func (t *hashTable) firstSlot(key uint64) int { return int(key * 0x9e3779b97f4a7c15 >> t.shift) }

// insert adds the key for somebody, and a weight to what those before gave it. It
// returns the key's slot.
func (t *hashTable) insert(key uint64, who uint32, weight uint64) int32 {
	i := t.firstSlot(key)
	for {
		s := &t.slots[i]
		switch old := s.key.Load(); {
		case old == key:
			s.weight.Add(weight)
			return int32(i)
		case old != 0:
			i = (i + 1) & (len(t.slots) - 1)
		case s.key.CompareAndSwap(0, key):
			t.first[i] = who
			s.weight.Add(weight)
			return int32(i)
		}
	}
}

// weight returns what the key of a slot was given in all.
func (t *hashTable) weight(slot int32) uint64 { return t.slots[slot].weight.Load() }

// occupied returns the slots that hold a key, ascending.
func (t *hashTable) occupied(size int) []int32 {
	out := make([]int32, 0, size)
	for i := range t.slots {
		if t.slots[i].key.Load() != 0 {
			out = append(out, int32(i))
		}
	}
	return out
}
