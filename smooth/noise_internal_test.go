package smooth

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/query"
)

// For Student's t, the supremum of the loss under a shift is attained where u² − δu − d = 0. Under a change of scale
// alone it is at 0 or at infinity.
func TestSupremumAgainstClosedForms(t *testing.T) {
	for _, d := range []float64{1, 2.5, 30} {
		n := must.For(Student(new(big.Rat).SetFloat64(d)))(t)
		for _, shift := range []float64{1e-3, 0.1, 1, 20, 1e4} {
			u := (shift - math.Sqrt(shift*shift+4*d)) / 2
			want := (d + 1) / 2 * math.Log((d+(u-shift)*(u-shift))/(d+u*u))
			if lo, hi := n.supremum(shift, 1, 0); lo > want || hi < want || hi-lo > 1e-8 {
				t.Errorf("d = %g, shift %g: in [%.12g, %.12g], want %.12g", d, shift, lo, hi, want)
			}
		}
	}
	for _, n := range []Noise{must.Be(Cauchy(big.NewRat(3, 2))), must.Be(Cauchy(big.NewRat(4, 1))), must.Be(Student(big.NewRat(3, 1)))} {
		for _, r := range []float64{0.5, 0.9, 1.1, 7} {
			want := max(math.Log(r), (1-n.index())*math.Log(r))
			if lo, hi := n.supremum(0, r, 0); lo > want || hi < want || hi-lo > 1e-8 {
				t.Errorf("%s, scales 1 and %g: in [%.12g, %.12g], want %.12g", n.Name(), r, lo, hi, want)
			}
		}
	}
}

// No point of the line exceeds the supremum, and some come close to it.
func TestSupremumAgainstPoints(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 9))
	for range cases.Of(20, 60) {
		n := []Noise{must.Be(Cauchy(big.NewRat(4, 1))), must.Be(Cauchy(big.NewRat(6, 5))), must.Be(Student(big.NewRat(3, 1))), must.Be(Student(big.NewRat(1, 2)))}[r.IntN(4)]
		shift, ratio := math.Exp(3*r.NormFloat64()), math.Exp(0.5*r.NormFloat64())
		lo, hi := n.supremum(shift, ratio, 0)
		g := func(z float64) float64 {
			if n.family == student {
				return n.index() / 2 * math.Log1p(z*z/(n.index()-1))
			}
			return math.Log1p(math.Pow(math.Abs(z), n.index()))
		}
		best := (1 - n.index()) * math.Log(ratio)
		for k := -1500; k <= 1500; k++ {
			for _, z := range []float64{math.Copysign(math.Expm1(math.Abs(float64(k))/75), float64(k)), shift + math.Copysign(math.Expm1(math.Abs(float64(k))/75), float64(k)), float64(k) / 1500 * shift} {
				best = max(best, math.Log(ratio)+g((z-shift)/ratio)-g(z))
			}
		}
		if best > hi || best < lo-1e-3*(1+lo) || hi-lo > 1e-8*(1+hi) {
			t.Errorf("%s, shift %g, scales 1 and %g: in [%.12g, %.12g], the largest at a point is %.12g", n.Name(), shift, ratio, lo, hi, best)
		}
	}
}

// The profile of two Laplace laws agrees with sums over a fine grid, and with its closed form for equal scales.
func TestLaplaceProfile(t *testing.T) {
	for _, c := range [][4]float64{{1, 1, 1.2, 0.3}, {1, 1.2, 1, 0.3}, {0, 1, 1.5, 0.1}, {0, 1.5, 1, 0.2}, {3, 1, 1.1, 0.5}, {0.2, 1, 1.02, 2}, {2, 2, 1.4, 0}, {1, 1, 1.5, 1.2}} {
		delta, s, u, eps := c[0], c[1], c[2], c[3]
		sum := 0.0
		const step = 1e-4
		for z := -60 + step/2; z < 60; z += step {
			p, q := math.Exp(-math.Abs(z)/s)/(2*s), math.Exp(-math.Abs(z-delta)/u)/(2*u)
			sum += max(0, p-math.Exp(eps)*q) * step
		}
		lo, hi := laplaceProfile(interval.Float(delta), interval.Float(s), interval.Float(u), false, interval.Float(eps)).Bounds()
		if lo > sum+1e-6 || hi < sum-1e-6 || hi-lo > 1e-12 {
			t.Errorf("Δ, s, t, ε = %v: in [%g, %g], sums give %g", c, lo, hi, sum)
		}
	}
	for _, eps := range []float64{0, 0.5, 0.9, 1, 2} {
		lo, hi := laplaceProfile(interval.Int(2), interval.Int(2), interval.Int(2), true, interval.Float(eps)).Bounds()
		if want := max(0, -math.Expm1((eps-1)/2)); lo > want+1e-15 || hi < want-1e-15 {
			t.Errorf("one scale, ε = %g: in [%g, %g], want %g", eps, lo, hi, want)
		}
	}
}

// The tests below detect reversed roundings, exchanged bounds and ignored errors.

// lossOf returns the log-ratio of two densities and the slope of a potential, computed independently.
func lossOf(n Noise, shift, r float64) (loss, slope func(u float64) float64) {
	shape, _ := n.shape.Float64()
	g := func(u float64) float64 {
		u = math.Abs(u)
		if n.family == student {
			return (shape + 1) / 2 * math.Log1p(u*u/shape)
		}
		return math.Log1p(math.Pow(u, shape))
	}
	slope = func(u float64) float64 {
		v := math.Abs(u)
		if n.family == student {
			return (shape + 1) * u / (shape + v*v)
		}
		return math.Copysign(shape*math.Pow(v, shape-1)/(1+math.Pow(v, shape)), u)
	}
	return func(u float64) float64 { return math.Log(r) + g((u-shift)/r) - g(u) }, slope
}

var lossy = []Noise{must.Be(Cauchy(big.NewRat(4, 1))), must.Be(Cauchy(big.NewRat(3, 2))), must.Be(Student(big.NewRat(3, 1))), must.Be(Student(big.NewRat(1, 2)))}

// The bound of a piece is at least the log-ratio of densities anywhere in it, also if it extends to infinity. The
// excess is at most the square of a short piece's length.
func TestPieceBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	open := 0
	for _, n := range lossy {
		for range 300 {
			shift, r := math.Exp(rng.NormFloat64()), math.Exp(rng.NormFloat64()/2)
			loss, _ := lossOf(n, shift, r)
			l := &pairLoss{n: n, delta: shift, r: r, logR: math.Log(r)}
			limit := (1 - n.index()) * math.Log(r)
			far := func(p piece) { // towards infinity
				p = l.bounded(p)
				most := limit
				for k := range 500 {
					u := p.b - math.Expm1(float64(k)/12.5)
					most = max(most, loss(u))
				}
				if p.bound < most-1e-12*(1+math.Abs(most)) {
					t.Errorf("%s, shift %g, ratio %g, piece [%g, %g]: bound %g, but the loss reaches %g", n.Name(), shift, r, p.a, p.b, p.bound, most)
				}
				if !math.IsInf(p.bound, 1) && p.bound > most+n.index()*(1+shift) {
					t.Errorf("%s, shift %g, ratio %g, piece [%g, %g]: bound %g, want near %g", n.Name(), shift, r, p.a, p.b, p.bound, most)
				}
				if math.IsInf(p.bound, 1) {
					open++
				}
			}
			from := shift * (1 + 4*rng.Float64())
			far(piece{a: math.Inf(-1), b: -from, fb: loss(-from)})
			far(piece{a: math.Inf(-1), b: -from / 8, fb: loss(-from / 8)})
			for range 3 {
				a := -3 * shift * rng.Float64()
				b := min(a+shift*math.Exp(-6*rng.Float64()), 0)
				if other := loss(-a); other > loss(a)+1e-12*(1+math.Abs(other)) {
					t.Errorf("%s, shift %g, ratio %g: loss %g at %g exceeds that at the mirrored point", n.Name(), shift, r, other, -a)
				}
				p := l.bounded(piece{a: a, b: b, fa: loss(a), fb: loss(b)})
				most := max(p.fa, p.fb)
				for k := range 201 {
					most = max(most, loss(a+(b-a)*float64(k)/200))
				}
				if p.bound < most-1e-12*(1+math.Abs(most)) {
					t.Errorf("%s, shift %g, ratio %g, piece [%g, %g]: bound %g, but the loss reaches %g", n.Name(), shift, r, a, b, p.bound, most)
				}
				a1, a2 := n.slopes((a-shift)/r, (b-shift)/r)
				b1, b2 := n.slopes(a, b)
				if most := most + (a2/r-b1-a1/r+b2)*(b-a)*(1+1e-9) + 1e-12; p.bound > most {
					t.Errorf("%s, shift %g, ratio %g, piece [%g, %g]: bound %g, want %g", n.Name(), shift, r, a, b, p.bound, most)
				}
			}
		}
	}
	if open == 0 {
		t.Error("no piece has an infinite bound")
	}
}

// If the shift is an interval, the profile of Laplace laws encloses that of every shift in it, also at its bounds.
func TestLaplaceProfileOfShiftInterval(t *testing.T) {
	for _, c := range []struct {
		shift  [2]float64
		t, eps float64
	}{{[2]float64{0, 0.1}, 2, 0.7}, {[2]float64{0.5, 0.75}, 2, 0.25}, {[2]float64{0.5, 0.75}, 1, 0.25}, {[2]float64{0.5, 0.75}, 0.5, 0.25}, {[2]float64{0.1, 3}, 2, 1}, {[2]float64{2, 2.5}, 1.5, 5}} {
		same := c.t == 1
		of := func(shift interval.Interval) interval.Interval {
			return laplaceProfile(shift, interval.Int(1), interval.Float(c.t), same, interval.Float(c.eps))
		}
		lo, hi := of(interval.Between(c.shift[0], c.shift[1])).Bounds()
		for _, shift := range []float64{c.shift[0], (c.shift[0] + c.shift[1]) / 2, c.shift[1]} {
			want := 0.0 // by the midpoint rule
			const n, far = 40000, 40.0
			for k := range n {
				z := -far + 2*far*(float64(k)+0.5)/n
				want += max(math.Exp(-math.Abs(z))/2-math.Exp(c.eps-math.Abs(z-shift)/c.t)/2/c.t, 0) * 2 * far / n
			}
			if lo < 0 || lo > want+1e-5 || hi < want-1e-5 {
				t.Errorf("%+v: δ is %g with a shift of %g, not in [%g, %g]", c, want, shift, lo, hi)
			}
		}
	}
}

// The largest loss over several pairs is in its interval, for any order of the pairs. The cases are shifts of Laplace's
// and of Student's law.
func TestLargestLossOfPairs(t *testing.T) {
	for _, values := range [][]float64{{0, 3, 5}, {0, 2, 5}} {
		q := must.Be(query.NewNumeric("three", must.Be(query.NewPathSpace(3, [][2]int{{0, 1}, {1, 2}})), values, nil))
		tenth := must.For(NewGlobal(q, must.For(evidence.RationalEpsilon("eps", big.NewRat(1, 10)))(t), nil))(t)
		lo, hi := must.For(tenth.Worst(t.Context()))(t).Loss.Bounds() // ε, because the largest step is Δ
		if new(big.Rat).SetFloat64(lo).Cmp(big.NewRat(1, 10)) > 0 || new(big.Rat).SetFloat64(hi).Cmp(big.NewRat(1, 10)) < 0 || hi-lo > 1e-16 {
			t.Errorf("%v: largest loss in [%v, %v], want 1/10", values, lo, hi)
		}
		c := must.For(Calibrate(must.Be(Student(big.NewRat(3, 1))), must.Be(evidence.NewEpsilon("eps", 1)), evidence.Delta{}, nil))(t)
		m := &Mechanism{Calibration: c, q: q, bound: []Bound{Constant(big.NewRat(1, 1)), Constant(big.NewRat(1, 1)), Constant(big.NewRat(1, 1))}}
		for _, v := range values {
			m.center = append(m.center, new(big.Rat).SetFloat64(v))
		}
		shift := 3 / c.Scale().Mid()
		u := (shift - math.Sqrt(shift*shift+12)) / 2
		want := 2 * math.Log((3+(u-shift)*(u-shift))/(3+u*u))
		lo, hi = must.For(m.Worst(t.Context()))(t).Loss.Bounds()
		if lo > want || hi < want || hi-lo > 1e-8 {
			t.Errorf("%v: largest loss in [%.15g, %.15g], want %.15g", values, lo, hi, want)
		}
	}
}
