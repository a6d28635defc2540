package xor

import (
	"slices"

	"dpworkbench/internal/parameter"
)

// Neighbors is the neighbor relation of the noise. Two matrices are neighbors if they differ in a pattern of bits
// that f(D) ⊕ f(D') can have. The zero value has no neighbors.
type Neighbors struct {
	kind     neighborKind
	times    int // the largest number of bits, rows or edges
	patterns []*Bits
}

type neighborKind int

const (
	anyBits neighborKind = iota + 1
	wholeRows
	edges
	listed
)

// FlipBits returns neighbors that differ in at most s bits anywhere (Definition 3 with sensitivity s).
func FlipBits(s int) Neighbors { return Neighbors{kind: anyBits, times: s} }

// FlipRows returns neighbors that differ in any bits of at most k rows, which are the records of k objects.
func FlipRows(k int) Neighbors { return Neighbors{kind: wholeRows, times: k} }

// FlipEdges returns neighbors that differ in the bits (i, j) and (j, i) for at most k pairs i ≠ j, undirected edges of
// an adjacency matrix. The symmetrization of Algorithm 3 is post-processing.
func FlipEdges(k int) Neighbors { return Neighbors{kind: edges, times: k} }

// FlipPatterns returns neighbors that differ in exactly the bits that are 1 in one of the given matrices.
func FlipPatterns(patterns ...*Bits) Neighbors {
	return Neighbors{kind: listed, patterns: slices.Clone(patterns)}
}

// check returns an error wrapping evidence.ErrParameter unless the neighbors suit noise on n × p bits.
func (nb Neighbors) check(n, p int) error {
	switch nb.kind {
	case anyBits, wholeRows, edges:
		if nb.times < 1 {
			return parameter.Errorf("sensitivity = %d %s, want at least 1", nb.times, [...]string{anyBits: "bits", wholeRows: "rows", edges: "edges"}[nb.kind])
		}
		if nb.kind == edges && (n != p || n < 2) {
			return parameter.Errorf("edges need a square matrix of order at least 2, the noise is %d × %d", n, p)
		}
	case listed:
		if len(nb.patterns) == 0 {
			return parameter.Errorf("no difference patterns, want at least one")
		}
		for k, m := range nb.patterns {
			if a, b := m.Shape(); a != n || b != p {
				return parameter.Errorf("pattern %d is %d × %d, want %d × %d, the noise's shape", k, a, b, n, p)
			}
		}
	default:
		return parameter.Errorf("neighbors are missing, want the result of FlipBits, FlipRows, FlipEdges or FlipPatterns")
	}
	return nil
}

// MaxDifferences is the number of bits up to which differences are listed.
const MaxDifferences = 16

// Differences returns the nonzero patterns in which neighbors of n × p bits differ, as numbers: entry (i, j) is bit
// i·p + j. There are none if no two matrices are neighbors, as for the edges of one node. It returns an error
// wrapping evidence.ErrParameter if the neighbors do not fit the shape, and above MaxDifferences bits.
func (nb Neighbors) Differences(n, p int) ([]int, error) {
	if n < 1 || p < 1 || n > MaxDifferences || p > MaxDifferences || n*p > MaxDifferences {
		return nil, parameter.Errorf("n·p = %d·%d, want 1 to %d bits to list the differences of neighbors", n, p, MaxDifferences)
	}
	if nb.kind == edges && n != p {
		return nil, parameter.Errorf(`neighbors = "edge" with n = %d and p = %d, want n = p`, n, p)
	}
	if nb.kind != edges || nb.times < 1 { // one node is allowed, although it has no edges
		if err := nb.check(n, p); err != nil {
			return nil, err
		}
	}
	return nb.differences(n, p), nil
}

// differences is Differences for neighbors and a shape that were checked.
func (nb Neighbors) differences(n, p int) []int {
	var units []int
	times := nb.times
	switch nb.kind {
	case anyBits:
		for i := range n * p {
			units = append(units, 1<<i)
		}
	case wholeRows:
		times = min(times, n)
		for i := range n {
			for pattern := 1; pattern < 1<<p; pattern++ {
				units = append(units, pattern<<(i*p))
			}
		}
	case edges:
		for i := range n {
			for j := range i {
				units = append(units, 1<<(i*p+j)|1<<(j*p+i))
			}
		}
	case listed:
		times = 1
		for _, m := range nb.patterns {
			units = append(units, m.number())
		}
	}
	reached := make([]bool, 1<<(n*p))
	reached[0] = true
	var out []int
	for frontier := []int{0}; times > 0 && len(frontier) > 0; times-- {
		from := len(out)
		for _, b := range frontier {
			for _, u := range units {
				if c := b ^ u; !reached[c] {
					reached[c] = true
					out = append(out, c)
				}
			}
		}
		frontier = out[from:]
	}
	return out
}

// simple returns the same neighbors in a form that the search handles. It lists the patterns of several rows or edges
// at once, and returns an error wrapping evidence.ErrParameter above MaxDifferences bits.
func (nb Neighbors) simple(n, p int) (Neighbors, error) {
	if nb.kind != wholeRows && nb.kind != edges || nb.times == 1 {
		return nb, nil
	}
	numbers, err := nb.Differences(n, p)
	if err != nil {
		return nb, parameter.Errorf("%d rows or edges at once: %w", nb.times, err)
	}
	patterns := make([]*Bits, len(numbers))
	for i, number := range numbers {
		patterns[i] = newBits(n, p)
		for k := range n * p {
			patterns[i].Set(k/p, k%p, number>>k&1 == 1)
		}
	}
	return Neighbors{kind: listed, patterns: patterns}, nil
}

// number returns the matrix as a number, entry (i, j) being bit i·P + j.
func (b *Bits) number() int {
	v := 0
	for k, on := range b.Flat() {
		if on {
			v |= 1 << k
		}
	}
	return v
}
