package pld

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/interval"
)

// drawn is a law on a grid whose masses are integer multiples of 2^−30, which float64 represents exactly.
type drawn struct {
	first int64
	mass  []int64
	inf   int64
	times int
}

const unit = 1 << 30

func draw(rng *rand.Rand, times int, withInfinity bool) drawn {
	n := 1 + rng.IntN(12)
	d := drawn{first: rng.Int64N(20) - 12, mass: make([]int64, n), times: times}
	left := int64(unit)
	if withInfinity {
		d.inf = rng.Int64N(1 << 12)
		left -= d.inf
	}
	for j := range n - 1 {
		d.mass[j] = rng.Int64N(left/2 + 1)
		if rng.IntN(3) == 0 {
			d.mass[j] = rng.Int64N(64)
		}
		left -= d.mass[j]
	}
	d.mass[n-1] = left
	if rng.IntN(2) == 0 {
		slices.Reverse(d.mass)
	}
	return d
}

// law returns the Law with the logarithms of the masses rounded up or down.
func (d drawn) law(step float64, up bool) *Law {
	side := 1.0
	if !up {
		side = -1
	}
	l := &Law{Step: step, First: d.first, Tail: math.Inf(-1), Infinity: float64(d.inf) / unit}
	for _, m := range d.mass {
		log := math.Log(float64(m) / unit)
		if m == 0 {
			l.Log = append(l.Log, log)
			continue
		}
		l.Log = append(l.Log, log+side*4*u*(math.Abs(log)+1))
	}
	return l
}

// exactDelta encloses the hockey-stick divergence of the composition. It convolves the integer masses.
func exactDelta(laws []drawn, step float64, eps float64) interval.Interval {
	sum, first, whole := []*big.Int{big.NewInt(1)}, int64(0), big.NewInt(1)
	finite := big.NewInt(1)
	for _, d := range laws {
		for range d.times {
			next := make([]*big.Int, len(sum)+len(d.mass)-1)
			for i := range next {
				next[i] = new(big.Int)
			}
			all := new(big.Int)
			for j, m := range d.mass {
				for i, s := range sum {
					next[i+j].Add(next[i+j], new(big.Int).Mul(s, big.NewInt(m)))
				}
				all.Add(all, big.NewInt(m))
			}
			sum, first = next, first+d.first
			whole.Mul(whole, big.NewInt(unit))
			finite.Mul(finite, all)
		}
	}
	out := interval.Rat(new(big.Rat).Sub(big.NewRat(1, 1), new(big.Rat).SetFrac(finite, whole)))
	for i, m := range sum {
		gap := interval.Float(eps).Sub(interval.Float(step).Mul(interval.Int(first + int64(i))))
		if s, _ := gap.Sign(); s < 0 && m.Sign() > 0 {
			out = out.Add(interval.Rat(new(big.Rat).SetFrac(m, whole)).Mul(gap.Expm1().Neg()))
		}
	}
	return out
}

func compose(t *testing.T, laws []drawn, step, theta float64) bounds {
	t.Helper()
	var up, low []*Law
	var times []int
	for _, d := range laws {
		up, low, times = append(up, d.law(step, true)), append(low, d.law(step, false)), append(times, d.times)
	}
	above, below, err := Compose(t.Context(), up, low, times, theta)
	if err != nil {
		t.Fatal(err)
	}
	return bounds{above, below}
}

// saddle returns a tilt at which the mean of the sum is about ε.
func saddle(laws []drawn, step, eps float64) float64 {
	a := &Account{}
	for _, d := range laws {
		l := d.law(step, true)
		s := &List{Log: l.Log}
		for j := range l.Log {
			s.Loss = append(s.Loss, l.at(j))
		}
		a.Parts = append(a.Parts, Part{s, s, d.times})
	}
	return a.forEpsilon(eps)
}

func TestDeltaEnclosesExactConvolutions(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	deepest := 1.0
	for round := range 150 {
		var laws []drawn
		for range 1 + rng.IntN(3) {
			laws = append(laws, draw(rng, 1+rng.IntN(14), round%3 == 0))
		}
		step := math.Ldexp(1+rng.Float64(), rng.IntN(6)-5)
		top := 0.0
		for _, d := range laws {
			top += float64(d.times) * float64(d.first+int64(len(d.mass)-1)) * step
		}
		eps := max(top*rng.Float64(), 0)
		if round%2 == 0 { // ε near the largest loss, above nearly all of the mass
			eps = max(top-step*(0.5+float64(rng.IntN(3))), 0)
		}
		theta := saddle(laws, step, eps)
		b := compose(t, laws, step, theta)
		want := exactDelta(laws, step, eps)
		lo, hi := math.Exp(b.below.LogDelta(eps)), math.Exp(b.above.LogDelta(eps))
		if want.Less(interval.Float(lo)) || interval.Float(hi).Less(want) {
			t.Fatalf("round %d: δ in [%g, %g], want %v; θ = %g", round, lo, hi, want, theta)
		}
		if size := want.Mid(); size > 1e-250 && round%3 != 0 {
			deepest = min(deepest, size)
			if hi-lo > 1e-5*size {
				t.Errorf("round %d: δ in [%g, %g] is too wide for %v; θ = %g", round, lo, hi, want, theta)
			}
		}
	}
	if deepest > 1e-60 {
		t.Errorf("the smallest divergence was %g, want a smaller one", deepest)
	}
}

// If any term of the error bound is omitted, the bounds exclude the true value.
func TestEveryTermOfTheErrorIsNeeded(t *testing.T) {
	laws := []drawn{{first: -3, mass: []int64{unit / 2, unit / 4, 0, 0, 0, unit/4 - 1000, 1000}, times: 12}}
	misses := func(b bounds, step, eps float64, laws []drawn) bool {
		want := exactDelta(laws, step, eps)
		return want.Less(interval.Float(math.Exp(b.below.LogDelta(eps)))) || interval.Float(math.Exp(b.above.LogDelta(eps))).Less(want)
	}
	t.Run("rounding of transforms", func(t *testing.T) {
		const eps = 8.8 // far from the ε for which the tilt is chosen
		b := compose(t, laws, 0.25, 0.1)
		if misses(b, 0.25, eps, laws) {
			t.Error("the bounds miss the truth")
		}
		b.above.err, b.below.err = 0, 0
		b.above.beyond, b.below.beyond = 0, 0
		if !misses(b, 0.25, eps, laws) {
			t.Error("without this term the bounds still hold")
		}
	})
	t.Run("twiddle factors", func(t *testing.T) {
		w := twiddlesOf(5)
		saved := w[0]
		defer func() { w[0] = saved }()
		w[0] *= complex(1+1e-9, 0)
		once := []drawn{{first: 0, mass: []int64{unit / 2, unit / 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, unit / 4}, times: 1}}
		if b := compose(t, once, 0.25, 0.5); !misses(b, 0.25, 1, once) {
			t.Error("a wrong twiddle factor changes no answer")
		}
	})
	t.Run("wrapped and cut masses", func(t *testing.T) {
		b := compose(t, laws, 0.25, 2)
		for _, s := range []*Sum{b.above, b.below} { // half the window: large losses wrap around onto small ones
			n := len(s.mass) / 2
			for j := range n {
				s.mass[j] += s.mass[j+n]
			}
			s.mass = s.mass[:n]
		}
		if !misses(b, 0.25, 4, laws) {
			t.Error("a window of half the length changes no answer")
		}
	})
	t.Run("infinite losses", func(t *testing.T) {
		with := []drawn{{first: -3, mass: []int64{unit / 2, unit/2 - 64}, inf: 64, times: 9}}
		b := compose(t, with, 0.25, 2)
		if misses(b, 0.25, 1, with) {
			t.Error("the bounds miss the truth")
		}
		b.above.infinity = 0
		if !misses(b, 0.25, 1, with) {
			t.Error("without this term the bounds still hold")
		}
	})
	t.Run("rounded masses", func(t *testing.T) {
		law := laws[0].law(0.25, true)
		for j := range law.Log {
			law.Log[j] -= 1e-12
		}
		above, below, err := Compose(t.Context(), []*Law{law}, []*Law{laws[0].law(0.25, false)}, []int{12}, 2)
		if err != nil || !misses(bounds{above, below}, 0.25, 4, laws) {
			t.Error("masses that are too small change no answer", err)
		}
	})
}

func TestEpsilonInvertsDelta(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for round := range 40 {
		laws := []drawn{draw(rng, 1+rng.IntN(10), round%4 == 0), draw(rng, 1+rng.IntN(10), false)}
		delta := math.Pow(10, -1-9*rng.Float64())
		b := compose(t, laws, 0.1, 1+3*rng.Float64())
		lo, hi := epsilon(b.below, math.Log(delta)), epsilon(b.above, math.Log(delta))
		if !(lo <= hi) {
			t.Fatalf("round %d: [%g, %g]", round, lo, hi)
		}
		if lo > 0 && exactDelta(laws, 0.1, lo).Less(interval.Float(delta)) {
			t.Errorf("round %d: δ at the lower end %g is below %g", round, lo, delta)
		}
		if !math.IsInf(hi, 1) && interval.Float(delta).Less(exactDelta(laws, 0.1, hi)) {
			t.Errorf("round %d: δ at the upper end %g is above %g", round, hi, delta)
		}
	}
}
