package query

import (
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
)

// rowSet keeps different rows once. A row is words of eight layers, a byte each. Goroutines insert
// at the same time, into shards that the row's hash chooses; rows of which the place is
// known may be read meanwhile.
type rowSet struct {
	stride int // words of a row
	rows   int // of a block: 1 << shift
	shift  uint
	blocks [][]uint64
	taken  atomic.Int64 // blocks
	shards []rowShard
}

type rowShard struct {
	mu    sync.Mutex
	block int      // where the next row goes
	used  int      // rows of it
	count int      // rows in all
	slots []uint64 // open addressing: a hash's upper half, and 1 + a place
}

// newRowSet returns a set for the rows of so many datasets.
func newRowSet(stride, datasets int) *rowSet {
	s := &rowSet{stride: stride, shift: 4, shards: make([]rowShard, 1)}
	if datasets > 1<<12 {
		s.shift, s.shards = 8, make([]rowShard, 1<<6)
	}
	s.rows = 1 << s.shift
	s.blocks = make([][]uint64, datasets/s.rows+len(s.shards)+1)
	for i := range s.shards {
		s.shards[i].used = s.rows
		s.shards[i].slots = make([]uint64, 1<<6)
	}
	return s
}

// insert returns the place of a row, of which it keeps a copy.
func (s *rowSet) insert(row []uint64) int32 {
	h := hash(row)
	shard := &s.shards[h&uint64(len(s.shards)-1)]
	shard.mu.Lock()
	defer shard.mu.Unlock()
	i := shard.begin(h)
	for ; shard.slots[i] != 0; i = (i + 1) & (len(shard.slots) - 1) {
		if e := shard.slots[i]; e>>32 == h>>32 {
			if place := int32(uint32(e) - 1); slices.Equal(s.row(place), row) {
				return place
			}
		}
	}
	if shard.used == s.rows {
		shard.block, shard.used = int(s.taken.Add(1)-1), 0
		s.blocks[shard.block] = make([]uint64, s.rows*s.stride)
	}
	place := int32(shard.block*s.rows + shard.used)
	copy(s.row(place), row)
	shard.used++
	shard.count++
	shard.slots[i] = h>>32<<32 | uint64(place+1)
	if 2*shard.count > len(shard.slots) {
		shard.grow()
	}
	return place
}

// begin is the slot at which a search begins, by the hash's upper half.
func (s *rowShard) begin(h uint64) int {
	return int(h >> (64 - bits.TrailingZeros(uint(len(s.slots)))))
}

// grow doubles the slots.
func (s *rowShard) grow() {
	old := s.slots
	s.slots = make([]uint64, 2*len(old))
	for _, e := range old {
		if e != 0 {
			i := s.begin(e)
			for s.slots[i] != 0 {
				i = (i + 1) & (len(s.slots) - 1)
			}
			s.slots[i] = e
		}
	}
}

// row returns the row at a place.
func (s *rowSet) row(place int32) []uint64 {
	from := int(place) & (s.rows - 1) * s.stride
	return s.blocks[int(uint(place)>>s.shift)][from : from+s.stride]
}

// close frees what only insert needs.
func (s *rowSet) close() { s.shards = nil }

// hash mixes the words of a row.
func hash(row []uint64) uint64 {
	h := uint64(len(row))
	for _, w := range row {
		hi, lo := bits.Mul64(h^w^0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
		h = hi ^ lo
	}
	hi, lo := bits.Mul64(h, 0x9e3779b97f4a7c15)
	return hi ^ lo
}
