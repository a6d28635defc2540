package query

import (
	"hash/maphash"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"dpworkbench/internal/memory"
)

// rowSet stores equal rows once. A row consists of words of eight layers, one byte each. Goroutines may insert
// concurrently, into shards that the row's hash selects. A row with a known index may be read meanwhile.
type rowSet struct {
	stride     int // words of a row
	shift      int // a block has 2^shift rows; shift is 0 if rows are long
	blocks     [][]uint64
	blockCount atomic.Int64 // number of blocks
	shards     [shards]rowShard
}

const (
	shards     = 1 << 6
	blockShift = 4
	longStride = 1 << 12
	memoryStep = 1 << 24 // bytes between two checks of the available memory
)

type rowShard struct {
	mu    sync.Mutex
	block int      // the block of the next row
	used  int      // number of rows in that block
	count int      // number of rows
	slots []uint64 // open addressing: the upper half of a hash, and 1 + an index
}

// newRowSet returns a set for the rows of the given number of datasets.
func newRowSet(stride, datasets int) *rowSet {
	s := &rowSet{stride: stride, shift: blockShift}
	if stride >= longStride {
		s.shift = 0
	}
	s.blocks = make([][]uint64, datasets>>s.shift+shards)
	for i := range s.shards {
		s.shards[i].used = 1 << s.shift
		s.shards[i].slots = make([]uint64, 1<<3)
	}
	return s
}

// insert returns the index of a row, which it copies. It returns errors of memory.Need.
func (s *rowSet) insert(row []uint64) (int32, error) {
	h := hash(row)
	shard := &s.shards[h%shards]
	shard.mu.Lock()
	defer shard.mu.Unlock()
	i := shard.firstSlot(h)
	for ; shard.slots[i] != 0; i = (i + 1) & (len(shard.slots) - 1) {
		if e := shard.slots[i]; e>>32 == h>>32 {
			if place := int32(uint32(e) - 1); slices.Equal(s.row(place), row) {
				return place, nil
			}
		}
	}
	if shard.used == 1<<s.shift {
		block := int(s.blockCount.Add(1) - 1)
		each := 8 * s.stride << s.shift
		if more := each * (block + 1) / memoryStep; more > each*block/memoryStep {
			if err := memory.Need("the layers of all datasets", float64(max(each, memoryStep))); err != nil {
				return 0, err
			}
		}
		shard.block, shard.used = block, 0
		s.blocks[block] = make([]uint64, s.stride<<s.shift)
	}
	place := int32(shard.block<<s.shift + shard.used)
	copy(s.row(place), row)
	shard.used++
	shard.count++
	shard.slots[i] = h>>32<<32 | uint64(place+1)
	if 2*shard.count > len(shard.slots) {
		shard.grow()
	}
	return place, nil
}

// firstSlot returns the slot at which the search for a hash begins, by the upper bits.
func (s *rowShard) firstSlot(h uint64) int {
	return int(h >> (64 - bits.TrailingZeros(uint(len(s.slots)))))
}

// grow doubles the number of slots.
func (s *rowShard) grow() {
	old := s.slots
	s.slots = make([]uint64, 2*len(old))
	for _, e := range old {
		if e != 0 {
			i := s.firstSlot(e)
			for s.slots[i] != 0 {
				i = (i + 1) & (len(s.slots) - 1)
			}
			s.slots[i] = e
		}
	}
}

// row returns the row with the given index.
func (s *rowSet) row(place int32) []uint64 {
	from := int(place) & (1<<s.shift - 1) * s.stride
	return s.blocks[place>>s.shift][from : from+s.stride]
}

// dropIndex frees the memory that only insert needs.
func (s *rowSet) dropIndex() { clear(s.shards[:]) }

// hash returns a hash that depends on the process. No result depends on it.
func hash(row []uint64) uint64 {
	return maphash.Bytes(hashSeed, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(row))), 8*len(row)))
}

var hashSeed = maphash.MakeSeed()
