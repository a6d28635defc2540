package query

import (
	"math/bits"
	"slices"
	"sync/atomic"
)

// codeTable is a set of codes that goroutines insert into at the same time: open
// addressing, with room for twice the codes it is made for.
type codeTable struct {
	slots []atomic.Uint64 // code + 1, or 0
	shift int
}

func newCodeTable(size int) *codeTable {
	width := bits.Len(uint(size)) + 1
	return &codeTable{slots: make([]atomic.Uint64, 1<<width), shift: 64 - width}
}

// insert adds the code and returns its slot.
func (t *codeTable) insert(code graphCode) int32 {
	key := code + 1
	for i := int(key * 0x9e3779b97f4a7c15 >> t.shift); ; i = (i + 1) & (len(t.slots) - 1) {
		switch old := t.slots[i].Load(); {
		case old == key:
			return int32(i)
		case old == 0:
			if t.slots[i].CompareAndSwap(0, key) || t.slots[i].Load() == key {
				return int32(i)
			}
		}
	}
}

// ranks returns the codes ascending, of which there are about size, and the
// rank of the code in each slot.
func (t *codeTable) ranks(size int) ([]graphCode, []int32) {
	codes := make([]graphCode, 0, size)
	for i := range t.slots {
		if key := t.slots[i].Load(); key != 0 {
			codes = append(codes, key-1)
		}
	}
	slices.Sort(codes)
	rank := make([]int32, len(t.slots))
	for k, code := range codes {
		rank[t.insert(code)] = int32(k)
	}
	return codes, rank
}
