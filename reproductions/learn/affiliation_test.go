package learn

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/internal/must"
)

// Rows and lists give the same numbers, bit by bit: inner products, and what neighbors bring to a step, for any number of
// neighbors and shares of zeros.
func TestRowsAreLists(t *testing.T) {
	const n, k = 23, 7
	rows := must.For(RandomPairs(t.Context(), n, 0.6, rand.NewPCG(4, 1)))(t)
	g := must.For(newAdjacency(rows))(t)
	r := rand.New(rand.NewPCG(4, 2))
	for _, share := range []float64{0.05, 0.5, 1} {
		m := newAffiliationFit(g, k, 0.01, nil)
		for u := range n {
			for c := range k {
				if r.Float64() < share {
					m.put(u, c, r.ExpFloat64())
				}
			}
		}
		m.drop(3)
		sum := 0
		for u := range n {
			at, val := m.list(u)
			sum += len(at)
			for c := range k {
				want := 0.0
				if i := slices.Index(at, int32(c)); i >= 0 {
					want = val[i]
				}
				if m.row[u*k+c] != want {
					t.Fatalf("affiliation (%d, %d) is %v in its row, %v in its list", u, c, m.row[u*k+c], want)
				}
			}
		}
		if m.listed != sum {
			t.Fatalf("%d affiliations are counted, %d are there", m.listed, sum)
		}
		for u := range n {
			near := g.of(u)
			a, w := make([]float64, k), make([]float64, len(near))
			for c := range a {
				a[c] = r.NormFloat64()
			}
			for i := range w {
				w[i] = r.ExpFloat64()
			}
			var got [2][]float64
			for way, listed := range []int{0, n * k} { // lists, rows
				m.listed = listed
				for _, v := range [][]float64{m.gradient, m.rest, m.bend} {
					for c := range v {
						v[c] = float64(c)
					}
				}
				out := make([]float64, len(near))
				m.alongAll(a, near, out)
				m.gather(near, w)
				got[way] = slices.Concat(out, m.gradient, m.rest, m.bend)
			}
			for i, v := range got[0] {
				if math.Float64bits(v) != math.Float64bits(got[1][i]) {
					t.Fatalf("node %d, number %d: %v by lists, %v by rows", u, i, v, got[1][i])
				}
			}
		}
	}
}
