package gaussian_test

import (
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/gaussian"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// theta is a discrete Gaussian summed term by term at 900 bits. Its only exponential is q = e^{−1/2σ²}, computed from
// the series. The weights are q^{k²}.
type theta struct {
	weights []*big.Float // h(0), h(1), …
	total   *big.Float
}

const thetaBits = 900

func newTheta(square *big.Rat, terms int) *theta {
	f := func(q *big.Rat) *big.Float { return new(big.Float).SetPrec(thetaBits).SetRat(q) }
	x := new(big.Rat).Quo(big.NewRat(-1, 2), square) // q = e^x: halve x, sum the series, and square
	halvings := 0
	for limit := big.NewRat(1, 1024); new(big.Rat).Abs(x).Cmp(limit) > 0; halvings++ {
		x.Quo(x, big.NewRat(2, 1))
	}
	q, term, at := f(big.NewRat(1, 1)), f(big.NewRat(1, 1)), f(x)
	for n := int64(1); n < 100; n++ {
		term = new(big.Float).Mul(term, at)
		term.Quo(term, f(big.NewRat(n, 1)))
		q.Add(q, term)
	}
	for range halvings {
		q.Mul(q, q)
	}
	out := &theta{total: f(big.NewRat(1, 1))}
	w, ratio, step := f(big.NewRat(1, 1)), new(big.Float).Set(q), new(big.Float).Mul(q, q)
	for range terms {
		out.weights = append(out.weights, w)
		w = new(big.Float).Mul(w, ratio)
		ratio = new(big.Float).Mul(ratio, step)
	}
	for _, w := range out.weights[1:] {
		out.total.Add(out.total, w).Add(out.total, w)
	}
	return out
}

// sum returns Σ g(k)·h(|k|)/Z over the integers k ≥ from whose weights are stored.
func (h *theta) sum(from int, g func(k int) int64) *big.Float {
	out := new(big.Float).SetPrec(thetaBits)
	for k := max(from, 1-len(h.weights)); k < len(h.weights); k++ {
		w := new(big.Float).SetPrec(thetaBits).SetInt64(g(k))
		out.Add(out, w.Mul(w, h.weights[max(k, -k)]))
	}
	return out.Quo(out, h.total)
}

// encloses fails the test unless the interval a contains want and is narrow. want has a relative error of at most
// 2^−250.
func encloses(t *testing.T, what string, a interval.Interval, want *big.Float, bits int) {
	t.Helper()
	hair := new(big.Float).SetMantExp(new(big.Float).SetPrec(thetaBits).Abs(want), -250)
	lo, hi := new(big.Float).Sub(want, hair), new(big.Float).Add(want, hair)
	if interval.Big(hi).Less(a.Lower()) || a.Upper().Less(interval.Big(lo)) {
		t.Errorf("%s is %v, want %.30g", what, a, want)
	}
	if !a.Narrow(bits) {
		t.Errorf("%s is %v, relative width more than 2^-%d", what, a, bits)
	}
}

// Sums of terms and Euler–Maclaurin sums, on either side of the switch between them, agree with the sum of all terms at
// 900 bits.
func TestDiscreteSums(t *testing.T) {
	one := func(int) int64 { return 1 }
	for i, square := range []*big.Rat{
		big.NewRat(1, 1000), big.NewRat(1, 9), big.NewRat(1, 1), big.NewRat(7, 3), big.NewRat(25, 1), big.NewRat(255, 1),
		big.NewRat(256, 1), big.NewRat(1001, 3), big.NewRat(3000, 1), big.NewRat(1<<16-1, 1), big.NewRat(1<<16, 1),
	} {
		if !cases.Every(2, i) {
			continue
		}
		d := must.For(gaussian.NewDiscrete(square))(t)
		s, _ := square.Float64()
		h := newTheta(square, int(45*math.Sqrt(s))+8)
		name := square.RatString()
		bits := 200
		for _, u := range []float64{0, 0.3, 1, 2, 5, 11, 15, 16, 20, 30} {
			k := int(u * math.Sqrt(s))
			for _, k := range []int{k, k + 1, -k} {
				if k < len(h.weights)*2/3 {
					encloses(t, "tail of "+name, d.Tail(big.NewInt(int64(k))), h.sum(k, one), bits)
					encloses(t, "mass of "+name, d.Mass(big.NewInt(int64(k))), new(big.Float).Quo(h.weights[max(k, -k)], h.total), 200)
				}
			}
		}
		encloses(t, "E|k| of "+name, d.MeanSize(), h.sum(-1<<30, func(k int) int64 { return int64(max(k, -k)) }), 200)
		encloses(t, "E k² of "+name, d.Variance(), h.sum(-1<<30, func(k int) int64 { return int64(k) * int64(k) }), 200)
		masses := must.For(d.Masses(-300, 900))(t)
		for i, m := range masses {
			if k := max(i-300, 300-i); k < len(h.weights) {
				encloses(t, "masses of "+name, m, new(big.Float).Quo(h.weights[k], h.total), 200)
			}
		}
	}
}

// Delta returns the sum of (p − e^ε q)⁺ over all outputs, which uses no threshold.
func TestDiscreteDelta(t *testing.T) {
	for _, c := range []struct {
		square *big.Rat
		n      int64
	}{{big.NewRat(1, 4), 1}, {big.NewRat(1, 1), 1}, {big.NewRat(9, 2), 3}, {big.NewRat(400, 1), 1}, {big.NewRat(400, 1), 37}, {big.NewRat(2, 1), 12}} {
		d := must.For(gaussian.NewDiscrete(c.square))(t)
		s, _ := c.square.Float64()
		h := newTheta(c.square, int(80*math.Sqrt(s))+8+2*int(c.n))
		ratio, _ := new(big.Rat).Quo(big.NewRat(c.n*c.n, 2), c.square).Float64()
		for _, q := range []*big.Rat{big.NewRat(2, 1), big.NewRat(9, 8), big.NewRat(50, 1)} { // ε = ln q
			e := must.For(evidence.LogEpsilon("eps", q))(t)
			got := must.For(d.Delta(e, c.n))(t)
			want, growth := new(big.Float).SetPrec(thetaBits), new(big.Float).SetPrec(thetaBits).SetRat(q)
			for k := 1 - len(h.weights) + int(c.n); k < len(h.weights); k++ {
				from := k - int(c.n)
				p, q := h.weights[max(from, -from)], new(big.Float).Mul(growth, h.weights[max(k, -k)])
				if gap := new(big.Float).Sub(p, q); gap.Sign() > 0 {
					want.Add(want, gap)
				}
			}
			encloses(t, "δ at ln "+q.RatString()+" of "+c.square.RatString(), got, want.Quo(want, h.total), 200)
		}
		for _, eps := range []*big.Rat{new(big.Rat), big.NewRat(1, 8), big.NewRat(1, 1), big.NewRat(5, 2), new(big.Rat).SetFloat64(ratio), new(big.Rat).SetFloat64(3 * ratio)} {
			value, _ := eps.Float64()
			var e evidence.Epsilon
			if value > 0 {
				e = must.For(evidence.NewEpsilon("eps", value))(t)
			}
			growth := e.Enclosure().Exp().MidFloat(250) // the only number that this test takes from the package
			want := new(big.Float).SetPrec(thetaBits)
			for k := 1 - len(h.weights) + int(c.n); k < len(h.weights); k++ {
				from := k - int(c.n)
				p, q := h.weights[max(from, -from)], new(big.Float).Mul(growth, h.weights[max(k, -k)])
				if gap := new(big.Float).Sub(p, q); gap.Sign() > 0 {
					want.Add(want, gap)
				}
			}
			want.Quo(want, h.total)
			got := must.For(d.Delta(e, c.n))(t)
			if want.Sign() == 0 {
				t.Fatal("δ is 0")
			}
			hair := new(big.Float).Mul(want, big.NewFloat(0x1p-150))
			low, high := new(big.Float).Sub(want, hair), new(big.Float).Add(want, hair)
			if interval.Big(high).Less(got.Lower()) || got.Upper().Less(interval.Big(low)) || !got.Narrow(200) {
				t.Errorf("σ² = %v, n = %d, ε = %v: %v, want %.30g", c.square, c.n, value, got, want)
			}
		}
	}
}

// At multiples c of ¼, Z(c)/Z(0) follows from every fourth weight of the discrete Gaussian with parameter 4σ. LogShift
// is 0 at integers. For σ² ≥ 16 the lower bound follows from Poisson's sum.
func TestDiscreteLogShift(t *testing.T) {
	for _, square := range []*big.Rat{big.NewRat(1, 10), big.NewRat(8, 1), big.NewRat(15, 1)} {
		d := must.For(gaussian.NewDiscrete(square))(t)
		s, _ := square.Float64()
		h := newTheta(new(big.Rat).Mul(square, big.NewRat(16, 1)), int(4*45*math.Sqrt(s))+64)
		sum := func(shift int) *big.Float {
			out := new(big.Float).SetPrec(thetaBits)
			for k := -len(h.weights) / 4; k <= len(h.weights)/4; k++ {
				if at := max(4*k-shift, shift-4*k); at < len(h.weights) {
					out.Add(out, h.weights[at])
				}
			}
			return out
		}
		for shift := range 5 {
			want := sum(shift)
			got := d.LogShift(interval.Rat(big.NewRat(int64(shift)+12, 4)))
			encloses(t, "Z(c)/Z(0) of "+square.RatString(), got.Exp(), want.Quo(want, sum(0)), 230)
			if lo, hi := got.Bounds(); shift%4 == 0 && (lo != 0 || hi != 0) {
				t.Errorf("σ² = %v: LogShift(%d/4) = %v, want 0", square, shift, got)
			}
		}
	}
	for _, s := range []float64{16, 16.5, 20} {
		d := must.For(gaussian.NewDiscrete(new(big.Rat).SetFloat64(s)))(t)
		lo, hi := d.LogShift(interval.Float(0.5)).Bounds()
		if least := -4 * math.Exp(-2*math.Pi*math.Pi*s); !(lo <= least && lo >= -3.01*math.Exp(-19*s)) || hi != 0 {
			t.Errorf("σ² = %v: at c = ½ [%v, %v], want %v", s, lo, hi, least)
		}
	}
}

// Parameters out of range are rejected. Results below the smallest float64 are reported as positive numbers.
func TestDiscreteRange(t *testing.T) {
	for _, square := range []*big.Rat{new(big.Rat), big.NewRat(-1, 1), big.NewRat(1, 1<<21), new(big.Rat).SetFloat64(0x1p101)} {
		if _, err := gaussian.NewDiscrete(square); err == nil {
			t.Errorf("σ² = %v is accepted", square)
		}
	}
	d := must.For(gaussian.NewDiscrete(new(big.Rat).SetFloat64(0x1p80)))(t)
	e, _ := evidence.NewEpsilon("eps", 1e300)
	v, err := d.Delta(e, 1)
	lo, _ := v.Lower().Sign()
	hi, _ := v.Upper().Sign()
	if err != nil || lo < 0 || hi <= 0 {
		t.Errorf("δ(1e300) is %v, %v: want a tiny positive number", v, err)
	}
	for _, k := range []*big.Int{new(big.Int).Lsh(big.NewInt(1), 100), new(big.Int).Lsh(big.NewInt(1), 3000)} {
		for what, a := range map[string]interval.Interval{"tail": d.Tail(k), "mass": d.Mass(k)} {
			lo, _ := a.Lower().Sign()
			if hi, _ := a.Upper().Sign(); lo > 0 || hi <= 0 || !a.Less(interval.Float(0x1p-1000)) {
				t.Errorf("%s at 2^%d is %v: want a tiny positive number", what, k.BitLen()-1, a)
			}
		}
	}
	small, _ := evidence.NewEpsilon("eps", 1e-30)
	if v, err := d.Delta(small, 1); err != nil || !v.Narrow(60) {
		t.Errorf("σ = 2^40, δ(1e-30) is %v, %v", v, err)
	}
	for _, c := range []struct {
		from int64
		n    int
	}{{0, -1}, {0, 1<<20 + 1}, {1<<60 + 1, 1}, {-1<<60 - 1, 1}} {
		if _, err := d.Masses(c.from, c.n); err == nil {
			t.Errorf("%d masses from %d are accepted", c.n, c.from)
		}
	}
	for _, n := range []int64{0, -1, math.MaxInt64} {
		if _, err := d.Delta(small, n); err == nil {
			t.Errorf("shift %d is accepted", n)
		}
	}
}
