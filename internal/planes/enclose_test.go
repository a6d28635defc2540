package planes

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/symmetric"

	"gonum.org/v1/gonum/mat"
)

// enclosed returns the proven ends, with no upper end known beforehand.
func enclosed(t *testing.T, p, q *mat.SymDense) (lo, hi float64) {
	t.Helper()
	got, err := Enclose(t.Context(), p, q, math.Inf(1))
	if err != nil {
		t.Fatal(err)
	}
	return got.Best - got.Rounding, got.Hi
}

// Two levels of variance, where the compound leaves a gap and the lift none. The seeds
// are those of 600 pairs of orders 4 to 7 that the compound leaves 5e-6 to 4e-3 apart.
func TestEnclosesTwoLevels(t *testing.T) {
	for _, seed := range []uint64{24, 60, 63, 93, 161, 366, 456, 471, 474, 502, 518, 584} {
		rng := rand.New(rand.NewPCG(seed, 5))
		d, k, l := 4+rng.IntN(4), 1+rng.IntN(3), 1+rng.IntN(3)
		r := []float64{2, 10, 1000}[rng.IntN(3)]
		p := twoLevels(d, k, r, rng)
		q := twoLevels(d, l, r, rng)
		lo, hi := enclosed(t, p, q)
		if hi-lo > 3e-8*hi {
			t.Errorf("seed %d, order %d: enclosure [%v, %v]", seed, d, lo, hi)
		}
	}
}

// Two levels of which the large variances differ a little: the entries of a lift within
// four directions suffice, with the sums over those outside.
func TestEnclosesNearlyTwoLevels(t *testing.T) {
	for _, c := range []struct {
		d int
		r float64
	}{{11, 10}} {
		rng := rand.New(rand.NewPCG(87, uint64(c.d)))
		var pair [2]*mat.SymDense
		for i := range pair {
			v := make([]float64, c.d)
			for j := range v {
				if v[j] = c.r * (1 + 1e-6*rng.Float64()); j < 2 {
					v[j] = 1
				}
			}
			pair[i] = precision(v, symmetric.RandomBasis(c.d, rng))
		}
		lo, hi := enclosed(t, pair[0], pair[1])
		if hi-lo > 1e-7*hi {
			t.Errorf("order %d: enclosure [%v, %v]", c.d, lo, hi)
		}
	}
}

// Subspaces at equal angles: half-planes leave 1 %, and the compound 1e-4.
func TestEnclosesEqualAngles(t *testing.T) {
	levels := []float64{1, 1, 1, 1, 1, 10, 10, 10, 10, 10}
	axes := turnedPairs(10, [][2]int{{0, 5}, {1, 6}, {2, 7}, {3, 8}, {4, 9}}, []float64{72, 80, 80, 80, 80})
	lo, hi := enclosed(t, precision(levels, symmetric.Eye(10)), precision(levels, axes))
	if !(lo > 1.0264984) || hi-lo > 1e-8*hi {
		t.Errorf("[%v, %v]", lo, hi)
	}
}

// A floor that P and Q share up to a small angle costs nothing.
func TestEnclosesAboveANearFloor(t *testing.T) {
	for _, angle := range []float64{1e-9, 1e-6, 1e-5, 4e-5, 1e-4} {
		degrees := angle * 180 / math.Pi
		axes := turnedPairs(6, [][2]int{{0, 3}, {1, 4}, {2, 5}}, []float64{degrees, degrees, degrees})
		p := precision([]float64{1, 2, 3, 100, 100, 100}, symmetric.Eye(6))
		lo, hi := enclosed(t, p, precision([]float64{3, 1, 2, 100, 100, 100}, axes))
		if hi-lo > 1e-10*hi {
			t.Errorf("turned by %g: [%v, %v]", angle, lo, hi)
		}
	}
}

// The ends meet at high order, also where P and Q share their axes, which makes the
// best planes many, and where no face holds (the compound then closes the gap).
func TestEnclosesAtHighOrder(t *testing.T) {
	for _, c := range []struct {
		d, left, right int
		shared         bool
		seed           uint64
		width          float64
	}{
		{d: 12, left: 0, right: 1, seed: 57, width: 1e-9},
		{d: 12, left: 3, right: 0, seed: 9, width: 1e-8},
		{d: 21, left: 0, right: 0, seed: 58, width: 1e-9},
		{d: 21, left: 1, right: 2, seed: 59, width: 1e-9},
		{d: 21, left: 5, right: 4, seed: 66, width: 1e-9},
		{d: 21, left: 1, right: 5, shared: true, seed: 61, width: 1e-8},
		{d: 40, left: 0, right: 0, seed: 62, width: 1e-9},
		{d: 60, left: 6, right: 4, seed: 63, width: 1e-9},
	} {
		rng := rand.New(rand.NewPCG(c.seed, 77))
		var axes *mat.Dense
		if c.shared {
			axes = symmetric.RandomBasis(c.d, rng)
		}
		p := spectrum(c.d, c.left, axes, rng)
		if c.shared { // the same axes, in another order
			turned := mat.NewDense(c.d, c.d, nil)
			for j, k := range rng.Perm(c.d) {
				turned.SetCol(j, mat.Col(nil, k, axes))
			}
			axes = turned
		}
		lo, hi := enclosed(t, p, spectrum(c.d, c.right, axes, rng))
		if !(lo > 0) || hi-lo > c.width*hi {
			t.Errorf("order %d, spectra %d and %d: [%v, %v], relative width %g", c.d, c.left, c.right, lo, hi, (hi-lo)/hi)
		}
	}
}

// Pairs where covers leave a gap: the compound closes it at small order, cuts of frames at
// large.
func TestWhereNoFaceHolds(t *testing.T) {
	for _, c := range []struct {
		d    int
		seed uint64
	}{{9, 1057}, {40, 18}} {
		rng := rand.New(rand.NewPCG(c.seed, 77))
		k, l := rng.IntN(7), rng.IntN(7)
		p := spectrum(c.d, k, nil, rng)
		q := spectrum(c.d, l, nil, rng)
		climb := &search{ascent: ascent{forms: newForms(p, q)}, hi: math.Inf(1)}
		for range 12 {
			if err := climb.climbFrom(t.Context(), firstTwo(symmetric.RandomBasis(c.d, rng))); err != nil {
				t.Fatal(err)
			}
		}
		if err := climb.lowerByHalfPlanes(t.Context()); err != nil {
			t.Fatal(err)
		}
		if gap := climb.hi/climb.best - 1; gap < 1e-4 {
			t.Errorf("order %d, seed %d: the half-planes leave %g; take another pair", c.d, c.seed, gap)
		}
		lo, hi := enclosed(t, p, q)
		if hi-lo > 1e-8*hi {
			t.Errorf("order %d, seed %d: [%v, %v], relative width %g", c.d, c.seed, lo, hi, (hi-lo)/hi)
		}
	}
}
