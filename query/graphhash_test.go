package query

import (
	"context"
	"math/big"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"dpworkbench/internal/looks"
)

// The keys of graphs with one edge more are determinants in whole numbers, by Bareiss'
// elimination, modulo 2⁶⁴.
func TestKeysAreDeterminants(t *testing.T) {
	modulus := new(big.Int).Lsh(big.NewInt(1), 64)
	bareiss := func(nodes int, adj *[16]uint16, v *graphHash) uint64 {
		m := make([][]*big.Int, nodes)
		for i := range m {
			m[i] = make([]*big.Int, nodes)
			for j := range m {
				entry := v.other
				switch {
				case i == j:
					entry = v.diagonal[popcount(uint64(adj[i]))]
				case adj[i]>>j&1 != 0:
					entry = v.edge
				}
				m[i][j] = new(big.Int).SetUint64(entry)
			}
		}
		last := big.NewInt(1)
		for k := range nodes - 1 {
			for i := k + 1; i < nodes; i++ {
				for j := k + 1; j < nodes; j++ {
					a, b := new(big.Int).Mul(m[k][k], m[i][j]), new(big.Int).Mul(m[i][k], m[k][j])
					m[i][j].Quo(a.Sub(a, b), last)
				}
			}
			last = m[k][k]
		}
		return new(big.Int).Mod(m[nodes-1][nodes-1], modulus).Uint64()
	}
	rng := rand.New(rand.NewPCG(5, 6))
	for nodes := 1; nodes <= maxGraphNodes; nodes++ {
		for range 20 {
			code := rng.Uint64N(1 << (nodes * (nodes - 1) / 2))
			adj := decode(nodes, code)
			keys := splitMixHash.withEdges(nodes, &adj, nil)
			for k, key := range keys {
				pair := pairs[missing(nodes, code, k)]
				a, b := pair[0], pair[1]
				if adj[a]>>b&1 != 0 || k > 0 && missing(nodes, code, k-1) >= missing(nodes, code, k) {
					t.Fatalf("code %b on %d nodes: missing edge %d is {%d, %d}", code, nodes, k, a, b)
				}
				more := adj
				more[a] ^= 1 << b
				more[b] ^= 1 << a
				if want := bareiss(nodes, &more, &splitMixHash); key != want {
					t.Errorf("code %b on %d nodes and {%d, %d}: key %#x, want %#x", code, nodes, a, b, key, want)
				}
			}
			if want := nodes*(nodes-1)/2 - popcount(code); len(keys) != want {
				t.Errorf("code %b on %d nodes: %d pairs, want %d", code, nodes, len(keys), want)
			}
		}
	}
}

func popcount(code uint64) (n int) {
	for ; code != 0; code &= code - 1 {
		n++
	}
	return n
}

// The numbers of the invariant are SplitMix64's: the first ones are those of every implementation's own test.
func TestSharpest(t *testing.T) {
	want := []uint64{0xe220a8397b1dcdaf, 0x6e789e6aa1b965f5, 0x06c45d188009454f, 0xf88bb8a8724c81ed, 0x1b39896a51a8749b,
		0x53cb9f0c747ea2eb, 0x2c829abe1f4532e1, 0xc584133ac916ab3d, 0x3ee5789041c98ac3, 0xf3b8488c368cb0a7}
	if !slices.Equal(splitMixHash.diagonal[:], want) {
		t.Errorf("on the diagonal is %#x, want %#x", splitMixHash.diagonal, want)
	}
	if splitMixHash.edge != 0x657eecdd3cb13d08 || splitMixHash.other != 0xc2d326e0055bdef6 {
		t.Errorf("beside it are %#x and %#x", splitMixHash.edge, splitMixHash.other)
	}
}

// On up to eight nodes no two classes share a key. Each class has as many labelled graphs as there are
// labellings to one of them.
func TestGrow(t *testing.T) {
	for n := 1; n <= 8; n++ {
		counts := graphCounts(n)
		level, size := emptyGraph(n), n*(n-1)/2
		ways := uint64(1) // to choose so many edges
		for m, count := range counts {
			labelled := uint64(0)
			for x, k := range level.labelled {
				labelled += uint64(k)
				if n <= 5 {
					if _, attained := leastByAllLabellings(n, level.codes[x]); uint64(k)*attained != factorial(n) {
						t.Errorf("n = %d: class %b has %d labelled graphs, and %d of %d labellings give one of them", n, level.codes[x], k, attained, factorial(n))
					}
				}
			}
			if len(level.codes) != count || labelled != ways {
				t.Errorf("n = %d, %d edges: %d classes with %d labelled graphs, want %d with %d", n, m, len(level.codes), labelled, count, ways)
			}
			if m == size {
				break
			}
			next, err := level.next(t.Context(), counts[m+1], &splitMixHash, func(int64) {})
			if err != nil {
				t.Fatal(err)
			}
			if level.shared != 0 {
				t.Errorf("n = %d: %d keys of %d edges are shared", n, level.shared, m+1)
			}
			level, ways = next, ways*uint64(size-m)/uint64(m+1)
		}
		if size > 0 {
			if _, err := emptyGraph(n).next(t.Context(), 2, &splitMixHash, func(int64) {}); err == nil || !strings.Contains(err.Error(), "1 classes on") {
				t.Errorf("n = %d: one class where two are wanted gives the error %v", n, err)
			}
		}
	}
}

// A universe stops wherever it looks at its context, also where keys are shared.
func TestUniverseStops(t *testing.T) {
	degrees := splitMixHash
	degrees.edge, degrees.other = 0, 0
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for processors, least := range map[int]int{1: 12, 2: 14} { // one tells callers apart, several look in more places
		runtime.GOMAXPROCS(processors)
		looks.Each(t, least, func(ctx context.Context) error {
			_, err := buildGraphs(ctx, 5, graphCounts(5), &degrees, func(int64) {})
			return err
		})
	}
}

func TestOddInverse(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, a := range []uint64{1, 3, 5, 1<<64 - 1, 1<<63 + 1, rng.Uint64() | 1, rng.Uint64() | 1} {
		if x := oddInverse(a); a*x != 1 {
			t.Errorf("%#x times %#x is %#x", a, x, a*x)
		}
	}
}

// Which classes there are, and which are neighbors, does not depend on the invariant: not where it tells nothing
// apart, nor where it counts degrees alone.
func TestUniverseByAnyInvariant(t *testing.T) {
	degrees := splitMixHash
	degrees.edge, degrees.other = 0, 0
	nothing := graphHash{}
	for d := range nothing.diagonal {
		nothing.diagonal[d] = 1
	}
	for n := 1; n <= 7; n++ {
		want := mustGraphs(t, n)
		for name, v := range map[string]*graphHash{"degrees": &degrees, "nothing": &nothing} {
			u, err := buildGraphs(t.Context(), n, graphCounts(n), v, func(int64) {})
			if err != nil {
				t.Fatalf("%s, n = %d: %v", name, n, err)
			}
			if !slices.Equal(u.codes, want.universe.codes) || !slices.Equal(u.complement, want.universe.complement) {
				t.Errorf("%s, n = %d: other classes", name, n)
			}
			for x := range u.codes {
				if got := u.above(x, u.below(x, nil)); !slices.Equal(got, want.space.Neighbors(x)) {
					t.Fatalf("%s, n = %d: neighbors of %d are %v, want %v", name, n, x, got, want.space.Neighbors(x))
				}
			}
		}
	}
}
