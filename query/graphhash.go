package query

import (
	"math/bits"
	"sync/atomic"
)

// graphHash is an isomorphism-invariant hash of graphs: the determinant, modulo 2⁶⁴, of the matrix with
// diagonal[d] for a node of degree d, edge for an adjacent pair and other for a non-adjacent pair. Relabelling
// permutes rows and columns alike, which preserves the determinant.
//
// The diagonal is odd and the other entries are even, so every pivot is odd and invertible. The numbers are
// otherwise arbitrary. They determine how many classes share a hash, but not the result of graphLevel.next.
type graphHash struct {
	diagonal    [maxGraphNodes]uint64
	edge, other uint64
}

// splitMixHash separates all classes on up to nine nodes with the same number of edges, and almost all on ten. Its
// numbers are the first outputs of SplitMix64 with seed 0 (Steele, Lea and Flood 2014).
var splitMixHash = func() (v graphHash) {
	state := uint64(0)
	next := func() uint64 {
		state += 0x9e3779b97f4a7c15
		z := state
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		return z ^ z>>31
	}
	for d := range v.diagonal {
		v.diagonal[d] = next() | 1
	}
	v.edge, v.other = next()&^1, next()&^1
	return v
}()

// withEdges appends, for every non-adjacent pair of nodes in the order of pairs, the hash of the graph with that
// edge added. Hashes are odd.
//
// Adding the edge {a, b} changes the matrix M only in a 2×2 block, by Δ. It multiplies the determinant by |1 +
// ΔP|, where P is that block of M⁻¹. So one inversion serves all pairs.
func (v *graphHash) withEdges(nodes int, adj *[16]uint16, out []uint64) []uint64 {
	var (
		degree [maxGraphNodes]int
		m      [maxGraphNodes][maxGraphNodes]uint64 // the lower triangle
	)
	for i := range nodes {
		degree[i] = bits.OnesCount16(adj[i])
		for j := range i {
			if m[i][j] = v.other; adj[i]>>j&1 != 0 {
				m[i][j] = v.edge
			}
		}
		m[i][i] = v.diagonal[degree[i]]
	}
	det := minusInverse(nodes, &m)
	step := v.edge - v.other
	for b := range nodes {
		for a := range b {
			if adj[b]>>a&1 == 0 {
				p, q, s := -m[a][a], -m[b][a], -m[b][b]
				da := v.diagonal[degree[a]+1] - v.diagonal[degree[a]]
				db := v.diagonal[degree[b]+1] - v.diagonal[degree[b]]
				out = append(out, det*((1+da*p+step*q)*(1+step*q+db*s)-(da*q+step*s)*(step*p+db*q)))
			}
		}
	}
	return out
}

// minusInverse replaces the lower triangle of a symmetric matrix by that of minus its inverse, and returns the
// determinant. It sweeps one pivot after the other (Goodnight, The American Statistician 1979). Each pivot is odd,
// since the matrix is and stays the identity modulo 2.
func minusInverse(nodes int, m *[maxGraphNodes][maxGraphNodes]uint64) uint64 {
	det := uint64(1)
	var column, scaled [maxGraphNodes]uint64
	for k := range nodes {
		p := m[k][k]
		det *= p
		q := oddInverse(p)
		for i := range nodes {
			if i < k {
				column[i] = m[k][i]
			} else {
				column[i] = m[i][k]
			}
			scaled[i] = column[i] * q
		}
		for i := range nodes {
			row, f := &m[i], scaled[i]
			for j := range i + 1 {
				row[j] -= f * column[j]
			}
		}
		for i := range k { // overwrite the pivot's row and column
			m[k][i] = scaled[i]
		}
		for i := k + 1; i < nodes; i++ {
			m[i][k] = scaled[i]
		}
		m[k][k] = -q
	}
	return det
}

// oddInverse returns 1/a modulo 2⁶⁴ for an odd a. The first guess is correct modulo 2⁵, and each Newton step
// doubles the number of correct bits.
func oddInverse(a uint64) uint64 {
	x := a*3 ^ 2
	for range 4 {
		x *= 2 - a*x
	}
	return x
}

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

// prefetch reads the slots of several hashes, so that they are in the processor's cache when insert needs them. The
// result has no meaning; it keeps the compiler from removing the reads.
func (t *hashTable) prefetch(keys []uint64) (all uint64) {
	for _, key := range keys {
		all |= t.slots[t.firstSlot(key)].key.Load()
	}
	return all
}

// firstSlot returns the slot at which the search for a hash begins.
func (t *hashTable) firstSlot(key uint64) int { return int(key * 0x9e3779b97f4a7c15 >> t.shift) }

// insert adds a hash unless the table has it, and records the item who that added it. It adds weight to the total of
// the hash, and returns its slot.
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
