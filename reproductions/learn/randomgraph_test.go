package learn_test

import (
	"errors"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/internal/parameter"
	"dpworkbench/internal/stattest"
	"dpworkbench/reproductions/learn"
)

// The binomial law agrees with rational arithmetic, and the divergence from it with its definition.
func TestRandomLaw(t *testing.T) {
	degrees := degreesOf(t, learn.Karate)
	law := must.Be(learn.RandomLaw(degrees))
	p, rest := big.NewRat(2*78, 34*33), big.NewRat(34*33-2*78, 34*33)
	for k, v := range law {
		want := new(big.Rat).SetInt(new(big.Int).Binomial(33, int64(k)))
		for range k {
			want.Mul(want, p)
		}
		for range 33 - k {
			want.Mul(want, rest)
		}
		if w, _ := want.Float64(); math.Abs(v-w) > 1e-12*w {
			t.Errorf("p(%d) = %v, want %v", k, v, w)
		}
	}
	own := must.Be(learn.DegreeLaw(degrees))
	want := 0.0
	for k, p := range own {
		if p > 0 {
			want += p * math.Log(p/law[k])
		}
	}
	if got, err := learn.RandomDivergence(degrees); err != nil || math.Abs(got-want) > 1e-12 {
		t.Errorf("divergence %v, %v, want %v", got, err, want)
	}
	for what, same := range map[string][]int{"no edges": {0, 0, 0}, "all edges": {2, 2, 2}, "one node": {0}} {
		if d, err := learn.RandomDivergence(same); err != nil || d != 0 {
			t.Errorf("%s: %v, %v, want 0", what, d, err)
		}
	}
	// In a star of 2000 nodes the degree 1999 has a binomial probability of about e^−13000.
	star := make([]int, 2000)
	for i := range star {
		star[i] = 1
	}
	star[0] = 1999
	if d, err := learn.RandomDivergence(star); err != nil || math.IsInf(d, 0) || d < 5 {
		t.Errorf("a star: %v, %v, want a finite number", d, err)
	}
	for _, bad := range [][]int{nil, {3}, {-1, 0}} {
		if _, err := learn.RandomDivergence(bad); !errors.Is(err, parameter.Err) {
			t.Errorf("%v gives %v", bad, err)
		}
		if _, err := learn.RandomLaw(bad); !errors.Is(err, parameter.Err) {
			t.Errorf("%v gives %v", bad, err)
		}
	}
}

// RandomGraph and RandomPairs draw every graph on 4 nodes with the right frequency.
func TestRandomGraphs(t *testing.T) {
	n := stattest.Draws(t, 100000)
	src := rand.NewPCG(1, 7)
	for edges := range 7 {
		counts, law := make([]int, 64), make([]float64, 64)
		all := new(big.Int).Binomial(6, int64(edges)).Int64()
		for code := range law {
			if bits.OnesCount(uint(code)) == edges {
				law[code] = 1 / float64(all)
			}
		}
		for range n {
			rows := must.Be(learn.RandomGraph(t.Context(), 4, edges, src))
			counts[numberOf(rows)]++
		}
		if edges == 0 && counts[0] != n || edges == 6 && counts[63] != n {
			t.Errorf("%d edges: %v", edges, counts)
		} else if edges%6 != 0 {
			stattest.Tells(t, "G(4, m)", counts, law, stattest.Heavier(law, slices.IndexFunc(law, func(p float64) bool { return p > 0 }), .2), 1e-9)
		}
	}
	for _, p := range []float64{0, .2, .5, .9, 1} {
		counts, law := make([]int, 64), make([]float64, 64)
		for code := range law {
			k := float64(bits.OnesCount(uint(code)))
			law[code] = math.Pow(p, k) * math.Pow(1-p, 6-k)
		}
		for range n {
			rows := must.Be(learn.RandomPairs(t.Context(), 4, p, src))
			counts[numberOf(rows)]++
		}
		if p == 0 && counts[0] != n || p == 1 && counts[63] != n {
			t.Errorf("p = %g: %v", p, counts)
		} else if p > 0 && p < 1 {
			stattest.Tells(t, "G(4, p)", counts, law, stattest.Heavier(law, 7, 5), 1e-9)
		}
	}
	for _, size := range []int{1, 2, 64, 65, 200} { // sizes with full words and with a partial last word
		for _, p := range []float64{0, .3, .8, 1} {
			rows := must.Be(learn.RandomPairs(t.Context(), size, p, src))
			degreesOf(t, rows) // no loops, nothing outside the matrix
			for i, row := range rows {
				for j := range size {
					if row[j/64]>>(j%64)&1 != rows[j][i/64]>>(i%64)&1 {
						t.Fatalf("%d nodes at %g: (%d, %d) is not (%d, %d)", size, p, i, j, j, i)
					}
				}
			}
		}
	}
	for what, call := range map[string]func() error{
		"no nodes":       func() error { _, err := learn.RandomGraph(t.Context(), 0, 0, src); return err },
		"too many nodes": func() error { _, err := learn.RandomPairs(t.Context(), 1<<20, .5, src); return err },
		"too many edges": func() error { _, err := learn.RandomGraph(t.Context(), 4, 7, src); return err },
		"NaN":            func() error { _, err := learn.RandomPairs(t.Context(), 4, math.NaN(), src); return err },
	} {
		if err := call(); !errors.Is(err, parameter.Err) {
			t.Errorf("%s gives %v", what, err)
		}
	}
}
