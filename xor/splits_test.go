package xor

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// drawnLaw draws a law of d bits: own exponents and couplings of several sizes, and of one sign or of both. Some of
// them are paid back by others, so that weights leave float64 on the way though few states' do.
func drawnLaw(rng *rand.Rand, d int) (diag []float64, rows [][]float64) {
	sizes := []float64{0, .3, 12, 34, 150, 640, 3000}
	own, pull := sizes[rng.IntN(len(sizes))], sizes[rng.IntN(5)]
	signs := rng.IntN(3)
	draw := func(size float64) float64 {
		v := size * rng.Float64()
		if signs == 1 || signs == 2 && rng.IntN(2) == 0 {
			return -v
		}
		return v
	}
	diag, rows = make([]float64, d), make([][]float64, d)
	for k := range rows {
		rows[k] = make([]float64, d)
		if rng.IntN(3) > 0 {
			diag[k] = draw(own)
		} else {
			diag[k] = draw(.3)
		}
		for j := range k {
			v := draw(pull)
			rows[k][j], rows[j][k] = v, v
			if rng.IntN(2) == 0 {
				diag[k] -= 2 * v
			}
		}
	}
	return diag, rows
}

// exponentsOf returns bᵀΠb of all states, state by state.
func exponentsOf(diag []float64, rows [][]float64) []interval.Interval {
	out := make([]interval.Interval, 1<<len(diag))
	for state := range out {
		out[state] = interval.Int(0)
		for k, v := range diag {
			if state>>k&1 == 0 {
				continue
			}
			out[state] = out[state].Add(interval.Float(v))
			for j := range k {
				if state>>j&1 == 1 {
					out[state] = out[state].Add(interval.Float(2 * rows[k][j]))
				}
			}
		}
	}
	return out
}

// Wherever a law is cut into a vector, bits that are walked and bits that make tasks, the sums over its states by number of ones, and over
// those with each pair of bits, are within their relative errors of those taken state by state.
func TestEverySplitSumsTheSame(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 7))
	const d = 8
	near := func(what string, got scaledFloat, rel float64, want interval.Interval) {
		t.Helper()
		lo, hi := got.log(rel)
		if least, most := want.Log().Bounds(); !(most >= lo && least <= hi && hi-lo < 1e-9) || !(rel < 1e-12) {
			t.Errorf("%s: the logarithm is in [%v, %v] by a relative error of %g, want %v", what, lo, hi, rel, want.Log())
		}
	}
	plain, guarded, folded, separate := 0, 0, 0, 0
	for trial := range 24 {
		diag, rows := drawnLaw(rng, d)
		if trial == 0 { // weights at the end of what is trusted, which two of the last bits' ratios take beyond float64 before their coefficients take them back
			diag, rows = make([]float64, d), make([][]float64, d)
			for k := range rows {
				rows[k] = make([]float64, d)
			}
			diag[0] = 640
			for k := d - 2; k < d; k++ {
				diag[k] = -80
				for j := range 2 {
					rows[k][j], rows[j][k] = 20, 20
				}
			}
		}
		ones, pairs, total := make([]interval.Interval, d+1), make([][]interval.Interval, d), interval.Int(0)
		for t := range ones {
			ones[t] = interval.Int(0)
		}
		for i := range pairs {
			pairs[i] = make([]interval.Interval, i+1)
			for j := range pairs[i] {
				pairs[i][j] = interval.Int(0)
			}
		}
		for state, x := range exponentsOf(diag, rows) {
			w, t := x.Exp(), 0
			for i := range d {
				if state>>i&1 == 0 {
					continue
				}
				t++
				for j := range i + 1 {
					if state>>j&1 == 1 {
						pairs[i][j] = pairs[i][j].Add(w)
					}
				}
			}
			ones[t], total = ones[t].Add(w), total.Add(w)
		}
		for low := 1; low <= d; low++ {
			s := must.Be(newSplit(diag, rows, low))
			s.first = rng.IntN(s.high + 1)
			switch f := newFast(s); {
			case f == nil:
				separate++
			case f.both != nil:
				folded++
			case f.unguarded:
				plain++
			default:
				guarded++
			}
			sum := must.Be(s.enumerate(t.Context()))
			for k, want := range ones {
				near("ones", sum.ones[k], sum.rel, want)
			}
			m := must.Be(s.moments(t.Context()))
			near("all", m.total, m.rel, total)
			for i, row := range pairs {
				for j, want := range row {
					near("a pair", m.pairs[i][j], m.rel, want)
				}
			}
			if t.Failed() {
				t.Fatalf("%d of %d bits in the vector, %d that make tasks; %v, %v", low, d, s.first, diag, rows)
			}
		}
	}
	if plain < 10 || guarded < 10 || folded < 10 || separate < 10 {
		t.Errorf("%d plain walks, %d guarded, %d that fold, %d of numbers of any size", plain, guarded, folded, separate)
	}
}

// A walk goes unguarded where bounds alone show that weights are within what is trusted; it need not where they come near it.
func TestUnguardedWalksAreInRange(t *testing.T) {
	for _, x := range []float64{-900, -670, -666, -620, -1, 0, 1, 620, 666, 670, 900} {
		for _, y := range []float64{-900, -666, -620, 0, 620, 666, 900} {
			rows := [][]float64{{0, 0}, {0, 0}}
			f := newFast(must.Be(newSplit([]float64{x, y}, rows, 2)))
			least, most := math.Min(x, 0)+math.Min(y, 0), math.Max(x, 0)+math.Max(y, 0)
			trusted := guardBits * math.Ln2
			if in := f != nil && f.unguarded; in && (least < -trusted || most > trusted) || !in && least > -650 && most < 650 {
				t.Errorf("exponents %g and %g: unguarded %t", x, y, in)
			}
		}
	}
}

// A coefficient is taken in float64 exactly where its product with every entry of its vector is a normal number with a few bits to spare.
func TestCoefficientsOfNormalProducts(t *testing.T) {
	rows := [][]float64{{0, 0, 40}, {0, 0, 7}, {40, 7, 0}} // the vector of the last bit is 1, e^80, e^14, e^94
	f := newFast(must.Be(newSplit(make([]float64, 3), rows, 2)))
	products := func(e int64) (least, most float64) { // in bits
		return float64(e-1) + math.Log2(f.ends2[0][0]) + float64(f.shift[0]), float64(e-1) + math.Log2(f.ends2[0][1]) + float64(f.shift[0])
	}
	for e := int64(-1300); e <= 1300; e++ {
		_, ok := f.coefficient(0, scaledFloat{.5, e})
		least, most := products(e)
		if in := least > -1010 && most < 1010; in && !ok && math.Abs(float64(e)) < 900 || ok && (least < -1021 || most > 1021) {
			t.Errorf("2^%d: ok %t, products from 2^%g to 2^%g", e-1, ok, least, most)
		}
	}
}

// Work that stops early because its context ended is no work done, be it the last part there was.
func TestStoppedPartsAreNotDone(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	ok, err := runParts(ctx, 1, 1, func(_ int, stop *atomic.Bool) bool {
		for end(); !stop.Load(); {
			runtime.Gosched()
		}
		return true
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%t, %v", ok, err)
	}
	if ok, err := runParts(t.Context(), 3, 1, func(i int, _ *atomic.Bool) bool { return i != 1 }); ok || err != nil {
		t.Errorf("a part that leaves the range: %t, %v", ok, err)
	}
	if ok, err := runParts(t.Context(), 3, 1, func(int, *atomic.Bool) bool { return true }); !ok || err != nil {
		t.Errorf("parts that are done: %t, %v", ok, err)
	}
}
