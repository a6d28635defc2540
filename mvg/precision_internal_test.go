package mvg

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/mvg/internal/symmetric"

	"gonum.org/v1/gonum/mat"
)

// crossedEnds bounds a quarter of the square of λ_max(tP + Q/t) for all P and Q within the given distances of the
// computed ones. Its rounding allowance equals the one derived by hand.
func TestCrossedEndsWidth(t *testing.T) {
	p, q := mat.NewSymDense(3, []float64{1, 0.25, 0, 0.25, 0.5, 0, 0, 0, 0.25}), mat.NewSymDense(3, []float64{0.5, 0, 0, 0, 1, 0.125, 0, 0.125, 0.5})
	const trP, trQ, top, low = 1.75, 2.0, 3.0, 0.7
	for _, at := range []float64{0.25, 1, 8} {
		for _, off := range [][2]float64{{0, 0}, {1e-3, 0}, {0, 1e-3}, {1e-9, 1e-6}} {
			lo, hi := crossedEnds(top, at, low, p, q, off[0], off[1])
			over := at*off[0] + off[1]/at + 12*unit*(at*trP+trQ/at) // crossedEnds allows 4u·n·tr with n = 3
			want := (top + over) * (top + over) / 4
			if math.Abs(hi-want) > 8*unit*want {
				t.Errorf("t = %v, off by %v: up to %v, want %v", at, off, hi, want)
			}
			if want := low - off[0] - off[1] - 2*17*3*unit*(trP+trQ); math.Abs(lo-want) > 4*unit*want {
				t.Errorf("t = %v, off by %v: from %v, want %v", at, off, lo, want)
			}
		}
	}
	if lo, _ := crossedEnds(top, 1, 1e-9, p, q, 1e-3, 1e-3); lo != 0 {
		t.Errorf("from %v, want 0", lo)
	}
}

// The probability of each cell of the angle is the difference of the distribution function's bounds, rounded outward.
// The error of normalized is that of the inverse plus three roundings of the trace. The bounds of a large basis follow
// from its skewness.
func TestWidthsOfParts(t *testing.T) {
	for _, dimension := range []int{2, 3, 10, 500} {
		s := must.Be(newAngles(t.Context(), dimension, 60))
		law := newCosines(dimension)
		for j := range 30 {
			low, high := law.below(s.cuts[j])
			lo, hi := law.below(s.cuts[j+1])
			if s.least[j] != math.Max(0, interval.Down(lo-high)) || s.most[j] != interval.Up(hi-low) || s.least[59-j] != s.least[j] || s.most[59-j] != s.most[j] {
				t.Errorf("dimension %d: cell %d from %v to %v, the law from %v to %v", dimension, j, s.least[j], s.most[j], lo-high, hi-low)
			}
		}
	}
	rng := rand.New(rand.NewPCG(141, 3))
	for n := 2; n < 8; n++ {
		w := symmetric.RandomBasis(n, rng)
		v := symmetric.Multiple(n, 1)
		v.SetSym(0, 0, 1.25)
		c := must.Be(NewDense(symmetric.Turn(v, mat.DenseCopyOf(w.T()))))
		p, _, off := c.normalized()
		inverse, trace := c.dense.inverse(), mat.Trace(p)
		want := inverse.Entry*trace + inverse.Spread/(1-inverse.Spread) + 3*unit*trace
		if math.Abs(off-want*(1+1e-6)) > 1e-9*want {
			t.Errorf("order %d: off by %v, want %v", n, off, want)
		}
	}
	const m = enclosedOrder + 1
	w := symmetric.RandomBasis(m, rng)
	w.Set(0, 0, w.At(0, 0)+1e-3)
	f := must.Be(newBasis(w, uniform(m, 1)))
	norm, off := symmetric.Skew(w)
	drift := interval.Up(norm + off)
	if f.least != interval.Down(1-drift) || f.most != interval.Up(1+drift) {
		t.Errorf("eigenvalues from %v to %v, want 1 ± %v", f.least, f.most, drift)
	}
	want := square(interval.Between(f.least, f.most)).Add(interval.Int(m).Mul(square(interval.Between(0, drift))))
	for _, v := range f.charges {
		if v.CmpHi(want) != 0 || v.CmpLo(want) != 0 {
			t.Fatalf("a charge of %v, want %v", v, want)
		}
	}
	if f := must.Be(newBasis(nil, uniform(2, 1))); f.least != 1 || f.most != 1 {
		t.Errorf("the standard basis has eigenvalues from %v to %v, want 1", f.least, f.most)
	}
}

// The bounds on the inverse of a covariance and on a box's vertices hold in rational arithmetic.
func TestPrecisionsInRationals(t *testing.T) {
	rng := rand.New(rand.NewPCG(103, 2))
	for k := range 60 {
		a := gramOf(normalMatrix(2, 2, rng))
		if k%3 == 0 {
			a.SetSym(0, 1, 0)
		}
		for i := range 2 {
			a.SetSym(i, i, a.At(i, i)+0.1)
		}
		a.ScaleSym(math.Ldexp(1, rng.IntN(200)-100), a)
		c := must.Be(NewDense(a))
		p := ratInverse(a)
		mul := func(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }
		add := func(a, b *big.Rat) *big.Rat { return new(big.Rat).Add(a, b) }
		sub := func(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) }
		const width = 1e-13
		entry := p[0][0]
		if p[1][1].Cmp(entry) > 0 {
			entry = p[1][1]
		}
		if lo, hi := c.largestEntry().Bounds(); !inside(entry, lo, hi, width) {
			t.Errorf("%v: the largest entry of the inverse in [%v, %v], want %v", a, lo, hi, entry)
		}
		squares := add(add(mul(p[0][0], p[0][0]), mul(p[1][1], p[1][1])), mul(big.NewRat(2, 1), mul(p[0][1], p[0][1])))
		if lo, hi := c.precisionSquares().Bounds(); !inside(squares, lo, hi, width) {
			t.Errorf("%v: squares of the inverse in [%v, %v], want %v", a, lo, hi, squares)
		}
		trace := add(ratOf(a.At(0, 0)), ratOf(a.At(1, 1)))
		if lo, hi := c.trace().Bounds(); !inside(trace, lo, hi, 0x1p-52) {
			t.Errorf("trace in [%v, %v], want %v", lo, hi, trace)
		}
		// The characteristic polynomial changes sign between the bounds of an eigenvalue. The larger eigenvalue comes
		// first.
		trace, det := add(p[0][0], p[1][1]), sub(mul(p[0][0], p[1][1]), mul(p[0][1], p[0][1]))
		at := func(x float64) int { return add(sub(mul(ratOf(x), ratOf(x)), mul(trace, ratOf(x))), det).Sign() }
		values := c.top(5)
		if len(values) != 2 || len(c.top(1)) != 1 {
			t.Fatalf("%d eigenvalues at order 2", len(values))
		}
		size, _ := trace.Float64()
		if v := values[0].Mid() + values[1].Mid(); values[0].Mid() < values[1].Mid() || math.Abs(v-size) > width*size {
			t.Errorf("%v: eigenvalues %v of the inverse", a, values)
		}
		for i, v := range values {
			lo, hi := v.Bounds()
			if sign := 1 - 2*i; at(hi)*sign < 0 || at(lo)*sign > 0 || hi-lo > width*size {
				t.Errorf("%v: eigenvalue %d of the inverse in [%v, %v]", a, i, lo, hi)
			}
		}
		// ‖P/s − p‖ ≤ off follows from the minors of off·I ± the difference. The norm of p is nearly 1.
		near, s, off := c.normalized()
		_, top := s.Bounds()
		for _, sign := range []float64{1, -1} {
			var d [2][2]*big.Rat
			for i := range 2 {
				for j := range 2 {
					d[i][j] = mul(ratOf(sign), sub(new(big.Rat).Quo(p[i][j], ratOf(s.Mid())), ratOf(near.At(i, j))))
				}
				d[i][i].Add(d[i][i], ratOf(off))
			}
			if d[0][0].Sign() < 0 || d[1][1].Sign() < 0 || sub(mul(d[0][0], d[1][1]), mul(d[0][1], d[0][1])).Sign() < 0 {
				t.Errorf("%v: the scaled inverse is farther than %v from %v", a, off, mat.Formatted(near))
			}
		}
		if off > 1e-13 || math.Abs(symmetric.EigenvalueUpperBound(near)-1) > 1e-13 || math.IsInf(top, 0) {
			t.Errorf("%v: normalized to %v, off by %v", a, mat.Formatted(near), off)
		}
		// The maximum over the vertices is 4·max(h₀²P₀₀ + h₁²P₁₁ + 2h₀h₁|P₀₁|).
		h := []float64{math.Exp(rng.NormFloat64()), math.Exp(rng.NormFloat64())}
		want := add(add(mul(mul(ratOf(h[0]), ratOf(h[0])), p[0][0]), mul(mul(ratOf(h[1]), ratOf(h[1])), p[1][1])),
			mul(mul(ratOf(2*h[0]), ratOf(h[1])), new(big.Rat).Abs(p[0][1])))
		want.Mul(want, big.NewRat(4, 1))
		if lo, hi := must.Be(must.Be(NewBox(1, h)).vertexMaximum(t.Context(), c)).Bounds(); !inside(want, lo, hi, 2e-13) {
			t.Errorf("%v: the vertices reach [%v, %v], want %v", a, lo, hi, want)
		}
		// One record is added or removed, and both covariances have the same axes. The norm is a product of two
		// functions that are linear in the squared coordinates, so the maximum is on an edge of the simplex.
		e := []float64{1, 2 + rng.Float64(), 5}
		f := []float64{3, rng.Float64(), 1 + rng.Float64()}
		w := symmetric.RandomBasis(3, rng)
		x, y := must.Be(NewDirectional(e, w)), must.Be(NewDirectional(f, w))
		most := 0.0
		for i := range 3 {
			for j := range 3 {
				// maximise (a + ut)(b + vt) for t in [0, 1]
				a, b := 1/e[i], 1/f[i]
				u, v := 1/e[j]-a, 1/f[j]-b
				most = math.Max(most, a*b)
				if t := -(a*v + b*u) / (2 * u * v); t > 0 && t < 1 {
					most = math.Max(most, (a+u*t)*(b+v*t))
				}
			}
		}
		v := must.Be(crossedModes(t.Context(), x, y))
		if lo, hi := v.Bounds(); lo > most*(1+1e-14) || hi < most*(1-1e-14) || hi > lo*(1+1e-7) {
			t.Errorf("variances %v and %v: a record reaches [%v, %v], want %v", e, f, lo, hi, most)
		}
	}
}

// surplus uses the lower bound of each price interval, so that the result is an upper bound.
func TestSurplusOfPriceInterval(t *testing.T) {
	for _, c := range []struct{ w, lo, hi, want float64 }{
		{4, 1, 2, math.Log(4) - 0.75},
		{4, 1, 8, math.Log(4) - 0.75},
		{1, 1, 1, 0},
		{1, 2, 3, 0},
		{0, 1, 2, 0},
		{1, 0.5, 0.5, math.Ln2 - 0.5},
	} {
		v := must.Be(surplus(exactly([]float64{c.w}), []interval.Interval{interval.Between(c.lo, c.hi)}))
		if lo, hi := v.Bounds(); math.Abs(lo-c.want) > 1e-15 || math.Abs(hi-c.want) > 1e-15 {
			t.Errorf("gain %v at a price in [%v, %v]: surplus in [%v, %v], want %v", c.w, c.lo, c.hi, lo, hi, c.want)
		}
	}
}
