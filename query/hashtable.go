package query

import (
	"math/bits"
	"sync/atomic"
)

// hashTable is a concurrent set of nonzero hashes with open addressing, at most 80 % full.
type hashTable struct {
	slots []hashSlot
	first []uint32 // the item that inserted the hash of each slot
	shift int
}

type hashSlot struct{ key, weight atomic.Uint64 }

func newHashTable(size int) *hashTable {
	width := bits.Len(uint(size + size/4))
	return &hashTable{make([]hashSlot, 1<<width), make([]uint32, 1<<width), 64 - width}
}

// prefetch loads the slots of several hashes at once. The result has no meaning.
func (t *hashTable) prefetch(keys []uint64) (all uint64) {
	for _, key := range keys {
		all |= t.slots[t.firstSlot(key)].key.Load()
	}
	return all
}

// firstSlot returns the slot at which the search for a hash begins.
func (t *hashTable) firstSlot(key uint64) int { return int(key * 0x9e3779b97f4a7c15 >> t.shift) }

// insert adds a hash for an item, and adds a weight to its total. It returns the slot.
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

// weight returns the total weight of a slot.
func (t *hashTable) weight(slot int32) uint64 { return t.slots[slot].weight.Load() }

// occupied returns the occupied slots, ascending.
func (t *hashTable) occupied(size int) []int32 {
	out := make([]int32, 0, size)
	for i := range t.slots {
		if t.slots[i].key.Load() != 0 {
			out = append(out, int32(i))
		}
	}
	return out
}
