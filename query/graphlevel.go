package query

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
	"sync"

	"dpworkbench/internal/parallel"
)

// graphLevel holds the isomorphism classes with a given number of edges.
type graphLevel struct {
	nodes    int
	codes    []graphCode // least codes, ascending
	labelled []uint32    // number of labelled graphs of each class
	up       rowList     // neighbors of each class in the next level
	shared   int         // number of hashes that several classes of the next level share
}

// emptyGraph returns the level of the graph without edges.
func emptyGraph(nodes int) *graphLevel {
	return &graphLevel{nodes: nodes, codes: []graphCode{0}, labelled: []uint32{1}}
}

// next computes l.up and returns the next level, which has size classes.
//
// Adding each missing edge to each class gives graphs of all classes of the next level. Most classes have a unique
// hash, so only the first graph of each hash computes its least code and the number of labelled graphs of its
// class. A count decides whether the hash is unique. Pairs of a labelled graph of the next level and one of its
// edges correspond to pairs of a labelled graph of this level and one of its missing edges. So the weight of a
// hash, the number of the latter pairs, is the number of labelled graphs of all classes with that hash times their
// number of edges. If the weight exceeds what the first class accounts for, several classes share the hash, and
// every graph with that hash computes its least code.
func (l *graphLevel) next(ctx context.Context, size int, v *graphHash, done func(int64)) (*graphLevel, error) {
	table := newHashTable(size)
	if err := l.insertHashes(ctx, v, table, done); err != nil {
		return nil, err
	}
	occupied := table.occupied(size)
	found := make([]class, len(occupied))
	alone := make([]bool, len(occupied)) // the hash is unique
	edges := uint64(bits.OnesCount64(l.codes[0]) + 1)
	err := l.eachLabelled(ctx, len(occupied), func(c *canonicalLabeller, i int) {
		slot := occupied[i]
		who := table.first[slot]
		found[i] = c.addEdge(l, int(who>>pairBits), int(who&(1<<pairBits-1)))
		alone[i] = edges*uint64(found[i].labelled) == table.weight(slot)
	}, done)
	if err != nil {
		return nil, err
	}
	shared := make([]bool, len(table.slots))
	for i, slot := range occupied {
		if !alone[i] {
			shared[slot] = true
			l.shared++
		}
	}
	others, err := l.classesIn(ctx, shared)
	if err != nil {
		return nil, err
	}
	all := slices.Clone(others)
	for i, f := range found {
		if alone[i] {
			all = append(all, f)
		}
	}
	next, err := l.sorted(all, size)
	if err != nil {
		return nil, err
	}
	rank := make([]int32, len(table.slots))
	err = parallel.Chunks(ctx, len(occupied), chunkSize(len(occupied)), func(from, to int) error {
		for i := from; i < to; i++ {
			rank[occupied[i]] = next.rank(found[i].code)
			if !alone[i] {
				rank[occupied[i]] = -1
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return next, l.up.renumber(ctx, func(c *canonicalLabeller, x, k int, slot int32) int32 {
		if r := rank[slot]; r >= 0 {
			return r
		}
		return next.rank(c.addEdge(l, x, k).code)
	}, done)
}

// class is an isomorphism class: its least code and its number of labelled graphs.
type class struct {
	code     graphCode
	labelled uint32
}

// pairBits is the number of bits of a missing edge's index.
const pairBits = 6

// insertHashes inserts the hashes of all graphs of the next level into the table. It stores in l.up, for each class of
// this level, the slots of these hashes.
func (l *graphLevel) insertHashes(ctx context.Context, v *graphHash, table *hashTable, done func(int64)) error {
	l.up = newRowList(len(l.codes))
	return parallel.Workers(ctx, len(l.codes), l.up.chunk, func() func(from, to int) error {
		var row []int32
		var keys []uint64
		return func(from, to int) error {
			row = row[:0]
			for x := from; x < to; x++ {
				adj := decode(l.nodes, l.codes[x])
				keys = v.withEdges(l.nodes, &adj, keys[:0])
				table.prefetch(keys)
				for k, key := range keys {
					row = append(row, table.insert(key, uint32(x)<<pairBits|uint32(k), uint64(l.labelled[x])))
				}
				l.up.ends[x] = int32(len(row))
			}
			l.up.chunks[from/l.up.chunk] = slices.Clone(row)
			done(int64(to - from))
			return nil
		}
	})
}

// eachLabelled calls f(0) to f(n−1), each with a labeller.
func (l *graphLevel) eachLabelled(ctx context.Context, n int, f func(c *canonicalLabeller, i int), done func(int64)) error {
	return parallel.Workers(ctx, n, chunkSize(n), func() func(from, to int) error {
		c := new(canonicalLabeller)
		return func(from, to int) error {
			for i := from; i < to; i++ {
				f(c, i)
			}
			done(int64(to - from))
			return nil
		}
	})
}

// addEdge returns the class of graph x of the level with its k-th missing edge added.
func (c *canonicalLabeller) addEdge(l *graphLevel, x, k int) class {
	c.load(l.nodes, l.codes[x])
	pair := pairs[missing(l.nodes, l.codes[x], k)]
	c.toggle(pair[0], pair[1])
	code := c.minCode()
	return class{code, uint32(factorial(l.nodes) / c.labellings())}
}

func factorial(n int) uint64 {
	f := uint64(1)
	for k := 2; k <= n; k++ {
		f *= uint64(k)
	}
	return f
}

// missing returns the k-th non-adjacent pair of nodes.
func missing(nodes int, code graphCode, k int) int {
	for p := nodes*(nodes-1)/2 - 1; ; p-- { // from the first pair, the most significant bit
		if code>>p&1 == 0 {
			if k == 0 {
				return nodes*(nodes-1)/2 - 1 - p
			}
			k--
		}
	}
}

// classesIn returns the classes of the next level whose hashes are in the marked slots.
func (l *graphLevel) classesIn(ctx context.Context, slots []bool) ([]class, error) {
	if !slices.Contains(slots, true) {
		return nil, nil
	}
	var mu sync.Mutex
	known := make(map[class]bool)
	err := l.eachLabelled(ctx, len(l.codes), func(c *canonicalLabeller, x int) {
		for k, slot := range l.up.row(x) {
			if slots[slot] {
				f := c.addEdge(l, x, k)
				mu.Lock()
				known[f] = true
				mu.Unlock()
			}
		}
	}, func(int64) {})
	out := make([]class, 0, len(known))
	for f := range known {
		out = append(out, f)
	}
	return out, err
}

// sorted returns the level with the given classes. It returns an error unless there are size of them.
func (l *graphLevel) sorted(all []class, size int) (*graphLevel, error) {
	if len(all) != size {
		return nil, fmt.Errorf("%d isomorphism classes of graphs on %d nodes with %d edges, want %d", len(all), l.nodes, bits.OnesCount64(l.codes[0])+1, size)
	}
	next := &graphLevel{nodes: l.nodes, codes: make([]graphCode, size), labelled: make([]uint32, size)}
	for i, f := range all {
		next.codes[i] = f.code
	}
	slices.Sort(next.codes)
	for _, f := range all {
		next.labelled[next.rank(f.code)] = f.labelled
	}
	return next, nil
}

// rank returns the index of a least code.
func (l *graphLevel) rank(code graphCode) int32 {
	i, _ := slices.BinarySearch(l.codes, code)
	return int32(i)
}
