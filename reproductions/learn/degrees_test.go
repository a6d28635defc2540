package learn

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/internal/parameter"
	"dpworkbench/internal/stattest"
)

// karate is Zachary's club, nodes from 0.
var karate = rowsOf(34, [][2]int{
	{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {0, 6}, {0, 7}, {0, 8}, {0, 10}, {0, 11}, {0, 12}, {0, 13}, {0, 17}, {0, 19}, {0, 21}, {0, 31},
	{1, 2}, {1, 3}, {1, 7}, {1, 13}, {1, 17}, {1, 19}, {1, 21}, {1, 30}, {2, 3}, {2, 7}, {2, 8}, {2, 9}, {2, 13}, {2, 27}, {2, 28}, {2, 32},
	{3, 7}, {3, 12}, {3, 13}, {4, 6}, {4, 10}, {5, 6}, {5, 10}, {5, 16}, {6, 16}, {8, 30}, {8, 32}, {8, 33}, {9, 33}, {13, 33}, {14, 32}, {14, 33},
	{15, 32}, {15, 33}, {18, 32}, {18, 33}, {19, 33}, {20, 32}, {20, 33}, {22, 32}, {22, 33}, {23, 25}, {23, 27}, {23, 29}, {23, 32}, {23, 33},
	{24, 25}, {24, 27}, {24, 31}, {25, 31}, {26, 29}, {26, 33}, {27, 33}, {28, 31}, {28, 33}, {29, 32}, {29, 33}, {30, 32}, {30, 33}, {31, 32}, {31, 33}, {32, 33},
})

// degreesOf returns the degrees of a graph.
func degreesOf(t *testing.T, rows [][]uint64) []int {
	t.Helper()
	d, err := Degrees(rows)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// The binomial law in rationals, and the divergence from it by its definition.
func TestRandomLaw(t *testing.T) {
	degrees := degreesOf(t, karate)
	law, err := RandomLaw(degrees)
	if err != nil {
		t.Fatal(err)
	}
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
	own, err := DegreeLaw(degrees)
	if err != nil {
		t.Fatal(err)
	}
	want, err := kullbackLeibler(own, law, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := RandomDivergence(degrees); err != nil || math.Abs(got-want) > 1e-12 {
		t.Errorf("divergence %v, %v, want %v", got, err, want)
	}
	for what, same := range map[string][]int{"no edges": {0, 0, 0}, "all edges": {2, 2, 2}, "one node": {0}} {
		if d, err := RandomDivergence(same); err != nil || d != 0 {
			t.Errorf("%s: %v, %v, want 0", what, d, err)
		}
	}
	// 2000 nodes, one of which joins all others: the law of 1999 is about e^−13000.
	star := make([]int, 2000)
	for i := range star {
		star[i] = 1
	}
	star[0] = 1999
	if d, err := RandomDivergence(star); err != nil || math.IsInf(d, 0) || d < 5 {
		t.Errorf("a star: %v, %v, want a finite number", d, err)
	}
	for _, bad := range [][]int{nil, {3}, {-1, 0}} {
		if _, err := RandomDivergence(bad); !errors.Is(err, parameter.Err) {
			t.Errorf("%v gives %v", bad, err)
		}
		if _, err := RandomLaw(bad); !errors.Is(err, parameter.Err) {
			t.Errorf("%v gives %v", bad, err)
		}
	}
}

// Graphs of 4 nodes as numbers of six bits.
func numberOf(rows [][]uint64) (code int) {
	at := 0
	for j := range rows {
		for i := range j {
			code |= int(rows[i][0]>>j&1) << at
			at++
		}
	}
	return code
}

// Every graph on 4 nodes comes as often as it should.
func TestRandomGraphs(t *testing.T) {
	n := stattest.Draws(t, 100000)
	src := rand.NewPCG(1, 7)
	for edges := range 7 {
		counts, law := make([]int, 64), make([]float64, 64)
		all := new(big.Int).Binomial(6, int64(edges)).Int64()
		for code := range law {
			if count([]uint64{uint64(code)}) == edges {
				law[code] = 1 / float64(all)
			}
		}
		for range n {
			rows, err := RandomGraph(t.Context(), 4, edges, src)
			if err != nil {
				t.Fatal(err)
			}
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
			k := float64(count([]uint64{uint64(code)}))
			law[code] = math.Pow(p, k) * math.Pow(1-p, 6-k)
		}
		for range n {
			rows, err := RandomPairs(t.Context(), 4, p, src)
			if err != nil {
				t.Fatal(err)
			}
			counts[numberOf(rows)]++
		}
		if p == 0 && counts[0] != n || p == 1 && counts[63] != n {
			t.Errorf("p = %g: %v", p, counts)
		} else if p > 0 && p < 1 {
			stattest.Tells(t, "G(4, p)", counts, law, stattest.Heavier(law, 7, 5), 1e-9)
		}
	}
	for _, size := range []int{1, 2, 64, 65, 200} { // whole words, and the last one
		for _, p := range []float64{0, .3, .8, 1} {
			rows, err := RandomPairs(t.Context(), size, p, src)
			if err != nil {
				t.Fatal(err)
			}
			degreesOf(t, rows) // no loops, nothing beyond
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
		"no nodes":       func() error { _, err := RandomGraph(t.Context(), 0, 0, src); return err },
		"too many nodes": func() error { _, err := RandomPairs(t.Context(), 1<<20, .5, src); return err },
		"too many edges": func() error { _, err := RandomGraph(t.Context(), 4, 7, src); return err },
		"NaN":            func() error { _, err := RandomPairs(t.Context(), 4, math.NaN(), src); return err },
	} {
		if err := call(); !errors.Is(err, parameter.Err) {
			t.Errorf("%s gives %v", what, err)
		}
	}
}

// Exponent, distance and likelihood by mpmath at 40 digits: the root of the derivative of
// the likelihood with Hurwitz's ζ, and sums term by term.
func TestPowerLaw(t *testing.T) {
	for _, c := range []struct {
		opts                   PowerLawOptions
		least                  int
		exponent, distance, ll float64
	}{
		{PowerLawOptions{}, 2, 2.161474127148294, 0.09998306779303366, -72.25904796214806},
		{PowerLawOptions{Min: 1}, 1, 1.5663222218266277, 0.3902932964994786, -97.71095004546594},
		{PowerLawOptions{Min: 3}, 3, 2.445233250004158, 0.10578242551611958, -50.086011627409285},
		{PowerLawOptions{Min: 5}, 5, 2.7026063772333146, 0.15910909764589912, -25.73812285129408},
		{PowerLawOptions{Min: 1, Max: 6}, 1, 0.07921681920126879, 0.14709793806481547, -51.92703341001449},
	} {
		fit, err := FitPowerLaw(t.Context(), degreesOf(t, karate), c.opts)
		if err != nil {
			t.Fatal(err)
		}
		if fit.Min != c.least || math.Abs(fit.Exponent-c.exponent) > 1e-10 || math.Abs(fit.Distance-c.distance) > 1e-10 || math.Abs(fit.LogLikelihood-c.ll) > 1e-9 {
			t.Errorf("%+v: %+v, want %+v", c.opts, fit, c)
		}
	}
	// Sums of a wide range of exponents and least values, against many terms one by one.
	for _, c := range []struct{ q, s float64 }{{1, 1.5}, {1, 3}, {7, 2.2}, {1000, 40}, {1000, 3000}, {30, 1.01}, {100, 12.5}} {
		z := zeta{c.q, 0}
		got := z.moments(c.s)
		const far = 1 << 22
		var sum, first float64
		for k := c.q; k < far; k++ {
			x := math.Log(k / c.q)
			w := math.Exp(-c.s * x)
			sum, first = sum+w, first+w*x
		}
		rest := restOf(c.s, far, c.q) // one part in 10¹³ beyond its integral
		sum, first = sum+rest[0], first+rest[1]
		if math.Abs(got.logSum-math.Log(sum)) > 1e-10 || math.Abs(got.mean-first/sum) > 1e-10*first/sum {
			t.Errorf("s = %g from %g on: %+v, want %v, %v", c.s, c.q, got, math.Log(sum), first/sum)
		}
	}
	// Degrees that hardly differ have a steep law.
	if fit, err := FitPowerLaw(t.Context(), []int{1000, 1001, 1001, 1000, 1000}, PowerLawOptions{}); err != nil || !(fit.Exponent > 100 && fit.Exponent < 1e5) {
		t.Errorf("%+v, %v", fit, err)
	}
	for what, c := range map[string]struct {
		values []int
		opts   PowerLawOptions
	}{
		"none": {}, "one": {[]int{3}, PowerLawOptions{}}, "equals": {[]int{4, 4, 4, 0}, PowerLawOptions{}}, "zeros": {[]int{0, 0}, PowerLawOptions{}},
		"a negative one": {[]int{1, -2, 3}, PowerLawOptions{}}, "all below x_min": {[]int{1, 2, 3}, PowerLawOptions{Min: 5}}, "one above x_min": {[]int{1, 2, 5}, PowerLawOptions{Min: 5}},
		"a negative x_min": {[]int{1, 2}, PowerLawOptions{Min: -1}}, "x_max below x_min": {[]int{1, 2}, PowerLawOptions{Min: 2, Max: 2}}, "a huge one": {[]int{1, 1 << 40}, PowerLawOptions{}},
	} {
		if _, err := FitPowerLaw(t.Context(), c.values, c.opts); !errors.Is(err, parameter.Err) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// Draws from a power law give its exponent back, within five standard errors.
func TestPowerLawOfDraws(t *testing.T) {
	const exponent, least = 2.5, 4
	rng := rand.New(rand.NewPCG(3, 4))
	values := make([]int, 20000)
	for i := range values {
		u, k := rng.Float64()*math.Exp(zeta{least, 0}.moments(exponent).logSum), least
		for u -= 1; u > 0; u -= math.Pow(float64(k)/least, -exponent) {
			k++
		}
		values[i] = k
	}
	fit, err := FitPowerLaw(t.Context(), values, PowerLawOptions{Min: least})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(fit.Exponent-exponent) > 5*fit.StandardError || fit.StandardError > .02 || fit.Distance > .02 {
		t.Errorf("%+v", fit)
	}
}
