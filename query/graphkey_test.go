package query

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// The keys of graphs with one edge more are determinants in whole numbers, by Leibniz's
// sum over all permutations, modulo 2⁶⁴.
func TestKeysAreDeterminants(t *testing.T) {
	modulus := new(big.Int).Lsh(big.NewInt(1), 64)
	leibniz := func(nodes int, adj *[16]uint16, v *invariant) uint64 {
		entry := func(i, j int) uint64 {
			degree := 0
			for k := range nodes {
				degree += int(adj[i] >> k & 1)
			}
			switch {
			case i == j:
				return v.diagonal[degree]
			case adj[i]>>j&1 != 0:
				return v.edge
			}
			return v.other
		}
		sum := new(big.Int)
		var visit func(row int, used uint, term *big.Int)
		visit = func(row int, used uint, term *big.Int) {
			if row == nodes {
				sum.Add(sum, term)
				return
			}
			for j := range nodes {
				if used>>j&1 == 0 {
					next := new(big.Int).Mul(term, new(big.Int).SetUint64(entry(row, j)))
					for k := j + 1; k < nodes; k++ {
						if used>>k&1 != 0 { // an inversion
							next.Neg(next)
						}
					}
					visit(row+1, used|1<<j, next)
				}
			}
		}
		visit(0, 0, big.NewInt(1))
		return sum.Mod(sum, modulus).Uint64()
	}
	rng := rand.New(rand.NewPCG(5, 6))
	for nodes := 1; nodes <= 6; nodes++ {
		for range 20 {
			code := rng.Uint64N(1 << (nodes * (nodes - 1) / 2))
			adj := decode(nodes, code)
			keys := sharpest.keys(nodes, &adj, nil)
			for k, key := range keys {
				pair := pairs[missing(nodes, code, k)]
				a, b := pair[0], pair[1]
				if adj[a]>>b&1 != 0 || k > 0 && missing(nodes, code, k-1) >= missing(nodes, code, k) {
					t.Fatalf("code %b on %d nodes: missing edge %d is {%d, %d}", code, nodes, k, a, b)
				}
				more := adj
				more[a] ^= 1 << b
				more[b] ^= 1 << a
				if want := leibniz(nodes, &more, &sharpest); key != want {
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
	degrees := sharpest
	degrees.edge, degrees.other = 0, 0
	nothing := invariant{}
	for d := range nothing.diagonal {
		nothing.diagonal[d] = 1
	}
	for n := 1; n <= 7; n++ {
		want := mustGraphs(t, n)
		for name, v := range map[string]*invariant{"degrees": &degrees, "nothing": &nothing} {
			u, err := buildGraphs(t.Context(), n, graphCounts(n), v, func(int64) {})
			if err != nil {
				t.Fatalf("%s, n = %d: %v", name, n, err)
			}
			if !slices.Equal(u.codes, want.universe.codes) || !slices.Equal(u.co, want.universe.co) {
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
