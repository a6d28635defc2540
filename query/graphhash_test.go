package query

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// withEdges equals the integer determinants by Bareiss' elimination, modulo 2⁶⁴.
func TestWithEdgesIsDeterminant(t *testing.T) {
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

// The numbers are the first outputs of SplitMix64 as published.
func TestSplitMixHashSeparatesClasses(t *testing.T) {
	want := []uint64{0xe220a8397b1dcdaf, 0x6e789e6aa1b965f5, 0x06c45d188009454f, 0xf88bb8a8724c81ed, 0x1b39896a51a8749b,
		0x53cb9f0c747ea2eb, 0x2c829abe1f4532e1, 0xc584133ac916ab3d, 0x3ee5789041c98ac3, 0xf3b8488c368cb0a7}
	if !slices.Equal(splitMixHash.diagonal[:], want) {
		t.Errorf("on the diagonal is %#x, want %#x", splitMixHash.diagonal, want)
	}
	if splitMixHash.edge != 0x657eecdd3cb13d08 || splitMixHash.other != 0xc2d326e0055bdef6 {
		t.Errorf("beside it are %#x and %#x", splitMixHash.edge, splitMixHash.other)
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
