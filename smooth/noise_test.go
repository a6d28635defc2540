package smooth

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/query"
)

func cauchyOf(t testing.TB, num, den int64) Noise { return must.For(Cauchy(big.NewRat(num, den)))(t) }

func studentOf(t testing.TB, num, den int64) Noise { return must.For(Student(big.NewRat(num, den)))(t) }

// holds fails unless an enclosure is narrow and holds what another formula gives, to its rounding.
func holds(t *testing.T, what string, a interval.Interval, want float64) {
	t.Helper()
	lo, hi := a.Bounds()
	if !(lo <= want*(1+1e-13) && hi >= want*(1-1e-13)) || hi-lo > 1e-14*math.Abs(want) {
		t.Errorf("%s in [%.17g, %.17g], another formula gives %.17g", what, lo, hi, want)
	}
}

// The moments are π/(γ sin(π(k + 1)/γ)) in ratios, and those of Student's t gamma functions.
func TestMoments(t *testing.T) {
	for _, g := range [][2]int64{{21, 10}, {3, 1}, {7, 2}, {4, 1}, {10, 1}, {100, 1}} {
		n, v := cauchyOf(t, g[0], g[1]), float64(g[0])/float64(g[1])
		m, ok := n.AbsMoment()
		if !ok {
			t.Fatalf("γ = %g has no first moment", v)
		}
		holds(t, "E|Z|", m, math.Sin(math.Pi/v)/math.Sin(2*math.Pi/v))
		if s, ok := n.SquareMoment(); ok != (v > 3) {
			t.Errorf("γ = %g: a second moment, %v", v, ok)
		} else if ok {
			holds(t, "E Z²", s, math.Sin(math.Pi/v)/math.Sin(3*math.Pi/v))
		}
	}
	for _, d := range []int64{2, 3, 5, 40} {
		n, v := studentOf(t, d, 1), float64(d)
		m, _ := n.AbsMoment()
		a, _ := math.Lgamma((v + 1) / 2)
		b, _ := math.Lgamma(v / 2)
		holds(t, "E|T|", m, 2*math.Sqrt(v)*math.Exp(a-b)/(math.Sqrt(math.Pi)*(v-1)))
		if s, ok := n.SquareMoment(); ok != (d > 2) {
			t.Errorf("d = %d: a second moment, %v", d, ok)
		} else if ok {
			holds(t, "E T²", s, v/(v-2))
		}
	}
	for _, n := range []Noise{cauchyOf(t, 2, 1), cauchyOf(t, 11, 10), studentOf(t, 1, 1), studentOf(t, 1, 2)} {
		if _, ok := n.AbsMoment(); ok {
			t.Errorf("%s has a first moment", n.Name())
		}
	}
}

// Tails have closed forms for γ = 2, d = 1 (both Cauchy's law) and d = 2.
func TestTails(t *testing.T) {
	for _, z := range []float64{0, 1e-3, 0.5, 1, math.Nextafter(1, 2), 1.5, 10, 1e5} {
		at := interval.Float(z)
		cauchy := math.Atan2(1, z) / math.Pi
		holds(t, "tail of γ = 2", cauchyOf(t, 2, 1).Tail(at), cauchy)
		holds(t, "tail of d = 1", studentOf(t, 1, 1).Tail(at), cauchy)
		if z < 100 { // no cancellation of the formula
			lo, hi := studentOf(t, 2, 1).Tail(at).Bounds()
			if want := 0.5 - z/(2*math.Sqrt(2+z*z)); !(lo <= want+1e-15 && hi >= want-1e-15) {
				t.Errorf("tail of d = 2 at %g in [%g, %g], want %g", z, lo, hi, want)
			}
		}
		if z < 100 {
			holds(t, "tail of Laplace", Laplace().Tail(at), math.Exp(-z)/2)
		}
	}
	// An interval's tail holds those of its points.
	wide := cauchyOf(t, 3, 1).Tail(interval.Between(0.9, 1.1))
	for _, z := range []float64{0.9, 1, 1.1} {
		if p := cauchyOf(t, 3, 1).Tail(interval.Float(z)); p.Less(wide) || wide.Less(p) {
			t.Errorf("the tail at %g lies outside of that of an interval around it", z)
		}
	}
}

// The mean, around a point too, is an integral of tails: E|Z| = 2∫ Pr[Z > z] dz, and E|Z − b| is more
// by ∫₀^b (1 − 2 Pr[Z > z]) dz.
func TestMeansAreIntegralsOfTails(t *testing.T) {
	for _, n := range []Noise{cauchyOf(t, 4, 1), cauchyOf(t, 5, 2), studentOf(t, 3, 1), Laplace()} {
		integral := func(f func(z float64) float64, to float64, steps int) (sum float64) {
			for k := range steps {
				sum += f((float64(k)+0.5)*to/float64(steps)) * to / float64(steps)
			}
			return sum
		}
		tail := func(z float64) float64 { return n.Tail(interval.Float(z)).Mid() }
		mean, _ := n.AbsMoment()
		if want := 2 * (integral(tail, 8, 400) + n.Above(interval.Int(8)).Mid()); math.Abs(mean.Mid()-want) > 1e-3 {
			t.Errorf("%s: E|Z| = %g, by tails %g", n.Name(), mean.Mid(), want)
		}
		if zero := n.AbsAround(interval.Int(0)).Mid(); math.Abs(zero-mean.Mid()) > 1e-12 {
			t.Errorf("%s: E|Z| = %g, around 0 %g", n.Name(), mean.Mid(), zero)
		}
		for _, b := range []float64{0.3, 1, 4} {
			want := mean.Mid() + integral(func(z float64) float64 { return 1 - 2*tail(z) }, b, 100)
			if got := n.AbsAround(interval.Float(b)).Mid(); math.Abs(got-want) > 1e-3 {
				t.Errorf("%s: E|Z − %g| = %g, by tails %g", n.Name(), b, got, want)
			}
		}
	}
}

// The supremum of a shift of Student's t is where u² − δu − d = 0; that of a change of scale
// alone is at 0 or at infinity.
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
	for _, n := range []Noise{cauchyOf(t, 3, 2), cauchyOf(t, 4, 1), studentOf(t, 3, 1)} {
		for _, r := range []float64{0.5, 0.9, 1.1, 7} {
			want := max(math.Log(r), (1-n.index())*math.Log(r))
			if lo, hi := n.supremum(0, r, 0); lo > want || hi < want || hi-lo > 1e-8 {
				t.Errorf("%s, scales 1 and %g: in [%.12g, %.12g], want %.12g", n.Name(), r, lo, hi, want)
			}
		}
	}
}

// No point of the line is above the supremum, and some are next to it.
func TestSupremumAgainstPoints(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 9))
	for range 60 {
		n := []Noise{cauchyOf(t, 4, 1), cauchyOf(t, 6, 5), studentOf(t, 3, 1), studentOf(t, 1, 2)}[r.IntN(4)]
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
			t.Errorf("%s, shift %g, scales 1 and %g: in [%.12g, %.12g], points reach %.12g", n.Name(), shift, ratio, lo, hi, best)
		}
	}
}

// The profile of two Laplace laws against sums over a fine grid, and its closed form where the
// scales are one.
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

// As many draws as their law says lie beyond its deciles, and not beyond those of another law:
// Hoeffding's inequality at 1e-9 for all of them together.
func TestDraws(t *testing.T) {
	const n = 4000
	radius := math.Sqrt(math.Log(2*8*7/1e-9) / (2 * n))
	farthest := func(drawn, as Noise) float64 {
		src := rand.NewPCG(7, 8)
		var z []float64
		for range n {
			x := must.For(drawn.Draw(src))(t)
			lo, _ := x(60)
			v, _ := new(big.Float).SetInt(lo).Float64()
			z = append(z, math.Ldexp(v, -60))
		}
		worst := 0.0
		for k := 1; k <= 8; k++ {
			_, cut, err := as.Quantile(big.NewRat(int64(k), 9))
			if err != nil {
				t.Fatal(err)
			}
			up, down := 0, 0
			for _, v := range z {
				if v > cut {
					up++
				}
				if v < -cut {
					down++
				}
			}
			want := (1 - float64(k)/9) / 2
			worst = max(worst, math.Abs(float64(up)/n-want), math.Abs(float64(down)/n-want))
		}
		return worst
	}
	for _, noise := range []Noise{Laplace(), cauchyOf(t, 4, 1), cauchyOf(t, 5, 2), studentOf(t, 3, 1), studentOf(t, 3, 2)} {
		if gap := farthest(noise, noise); gap > radius {
			t.Errorf("%s: shares are off by %g, want at most %g", noise.Name(), gap, radius)
		}
	}
	if gap := farthest(studentOf(t, 3, 1), cauchyOf(t, 4, 1)); gap < radius {
		t.Errorf("draws of one law pass for another's: off by %g alone", gap)
	}
}

// Roundings turned round, ends taken for each other and errors that are passed over.

func everyNoise(t testing.TB) []Noise {
	return []Noise{Laplace(), cauchyOf(t, 11, 10), cauchyOf(t, 3, 1), cauchyOf(t, 5, 2), studentOf(t, 1, 3), studentOf(t, 3, 1), studentOf(t, 30, 1)}
}

// What rises or falls with z has, of z between two ends, the ends that it has there, and no others; of ends that
// differ in the last bits alone too.
func TestEndsOfOpenPoints(t *testing.T) {
	next := interval.Big(new(big.Float).SetPrec(interval.Prec).SetMantExp(big.NewFloat(1), -152)) // in the 152nd bit
	for _, n := range everyNoise(t) {
		for what, of := range map[string]func(z interval.Interval) interval.Interval{"tail": n.Tail, "area": n.Area, "what is above": n.Above, "E|Z − b|": n.AbsAround} {
			if _, ok := n.AbsMoment(); !ok && (what == "what is above" || what == "E|Z − b|") {
				continue
			}
			for _, z := range []interval.Interval{interval.Between(0.5, 0.75), interval.Between(0, 1), interval.Between(0.75, 3), interval.Between(1, 1), interval.Hull(interval.Int(1), interval.Int(1).Add(next)),
				interval.Hull(interval.Int(3).Sub(next), interval.Int(3))} {
				a, b := of(z.Lower()), of(z.Upper())
				got, want := of(z), interval.Hull(a, b)
				if got.Less(a) || a.Less(got) || got.Less(b) || b.Less(got) {
					t.Errorf("%s: the %s at %v is %v, without that of an end, %v or %v", n.Name(), what, z, got, a, b)
				}
				lo, hi := got.Bounds()
				if l, h := want.Bounds(); lo < l-1e-15*h || hi > h*(1+1e-15) {
					t.Errorf("%s: the %s at %v is in [%g, %g], want [%g, %g]", n.Name(), what, z, lo, hi, l, h)
				}
			}
		}
		if lo, hi := n.Tail(interval.Between(-1, 1)).Bounds(); hi != 0.5 || math.Abs(lo-n.Tail(interval.Int(1)).Mid()) > 1e-15 { // what is below 0 counts as 0
			t.Errorf("%s: the tail about 0 is in [%g, %g]", n.Name(), lo, hi)
		}
	}
}

// loss returns the log-ratio of two densities and the slope of a potential, by logarithms of their own.
func lossOf(n Noise, shift, r float64) (loss, slope func(u float64) float64) {
	shape := toFloat(n.shape)
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

var lossy = []func(t testing.TB) Noise{func(t testing.TB) Noise { return cauchyOf(t, 4, 1) }, func(t testing.TB) Noise { return cauchyOf(t, 3, 2) },
	func(t testing.TB) Noise { return studentOf(t, 3, 1) }, func(t testing.TB) Noise { return studentOf(t, 1, 2) }}

// The slope of a potential over an interval lies between the ends that are said, and comes as near to them as a
// thousand points show.
func TestSlopesOfPotentials(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 7))
	for _, of := range lossy {
		n := of(t)
		if lo, hi := n.slopes(0, 0); lo != 0 || hi != 0 {
			t.Errorf("%v: slopes from %v to %v at 0", n, lo, hi)
		}
		_, slope := lossOf(n, 0, 1)
		for range 100 {
			a := math.Exp(2 * rng.NormFloat64())
			b := a * (1 + 3*rng.Float64())
			if rng.IntN(4) == 0 {
				a = 0
			}
			for _, ends := range [][2]float64{{a, b}, {-b, -a}} {
				lo, hi := n.slopes(ends[0], ends[1])
				least, most := math.Inf(1), math.Inf(-1)
				for k := range 1001 {
					v := slope(ends[0] + (ends[1]-ends[0])*float64(k)/1000)
					if ends[0] == 0 && k == 0 || ends[1] == 0 && k == 1000 {
						v = 0 // said of 0 itself, where that of a small power leaps
					}
					least, most = min(least, v), max(most, v)
				}
				if lo > least+1e-9*math.Abs(least) || hi < most-1e-9*math.Abs(most) || n.shape.Cmp(rat(2, 1)) > 0 && (lo < least-1e-2 || hi > most+1e-2) {
					t.Errorf("%s over %v: slopes in [%g, %g], points from %g to %g", n.Name(), ends, lo, hi, least, most)
				}
			}
		}
		if v, s := n.potential(1e200); math.Abs(v-n.index()*math.Log(1e200)) > 3 || math.Abs(s*1e200-n.index()) > 1e-9 { // where powers are no float64s
			t.Errorf("%s far out: %g with slope %g", n.Name(), v, s)
		}
	}
}

// A piece's bound is no less than the log-ratio of densities anywhere in it, an end at infinity included, and off by
// no more than the square of a short piece's length.
func TestPiecesAreBounded(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	open := 0
	for _, of := range lossy {
		n := of(t)
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
					t.Errorf("%s, shift %g, ratio %g, from %g to %g: at most %g, and %g is reached", n.Name(), shift, r, p.a, p.b, p.bound, most)
				}
				if !math.IsInf(p.bound, 1) && p.bound > most+n.index()*(1+shift) {
					t.Errorf("%s, shift %g, ratio %g, from %g to %g: at most %g, want near %g", n.Name(), shift, r, p.a, p.b, p.bound, most)
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
					t.Errorf("%s, shift %g, ratio %g: %g at %g, and less on the other side", n.Name(), shift, r, other, -a)
				}
				p := l.bounded(piece{a: a, b: b, fa: loss(a), fb: loss(b)})
				most := max(p.fa, p.fb)
				for k := range 201 {
					most = max(most, loss(a+(b-a)*float64(k)/200))
				}
				if p.bound < most-1e-12*(1+math.Abs(most)) {
					t.Errorf("%s, shift %g, ratio %g, from %g to %g: at most %g, and %g is reached", n.Name(), shift, r, a, b, p.bound, most)
				}
				a1, a2 := n.slopes((a-shift)/r, (b-shift)/r)
				b1, b2 := n.slopes(a, b)
				if most := most + (a2/r-b1-a1/r+b2)*(b-a)*(1+1e-9) + 1e-12; p.bound > most {
					t.Errorf("%s, shift %g, ratio %g, from %g to %g: at most %g, want %g", n.Name(), shift, r, a, b, p.bound, most)
				}
			}
		}
	}
	if open == 0 {
		t.Error("no piece was open")
	}
}

// A member is found whose smallest ε is the one asked for, however it grows with the parameter, by few questions;
// where it leaps over that, or ends below, none is.
func TestMembersOfAnyGrowth(t *testing.T) {
	q := threeOf(t, 0, 1, 1)
	member := func(loss float64) (*Mechanism, error) { // whose smallest ε is loss
		if math.IsInf(loss, 1) {
			return NewPoint(t, q), nil
		}
		return NewGlobal(q, must.Be(evidence.NewEpsilon("eps", loss)), nil)
	}
	for name, c := range map[string]struct {
		of   func(e float64) float64
		none bool
		most int // questions
	}{
		"as it":          {func(e float64) float64 { return e }, false, 3},
		"a third":        {func(e float64) float64 { return e / 3 }, false, 3},
		"tenfold":        {func(e float64) float64 { return 10 * e }, false, 3},
		"a thousandth":   {func(e float64) float64 { return e / 1000 }, false, 5},
		"its cube":       {func(e float64) float64 { return e * e * e / 8 }, false, 40},
		"its ninth":      {func(e float64) float64 { return 5 * math.Pow(e, 9) }, false, 40},
		"its root":       {func(e float64) float64 { return math.Sqrt(e) / 9 }, false, 60},
		"endless from 1": {func(e float64) float64 { return map[bool]float64{false: e / 4, true: math.Inf(1)}[e > 4] }, false, 60},
		"a leap":         {func(e float64) float64 { return map[bool]float64{false: e / 9, true: 9 * e}[e > 1] }, true, 120},
		"bounded":        {func(e float64) float64 { return e / (1 + e) / 9 }, true, 300},
		"always more":    {func(e float64) float64 { return 5 + e }, true, 210},
	} {
		for _, want := range []float64{0.5, 0.75} {
			asked := 0
			m, err := AtEpsilon(ctx, func(e evidence.Epsilon) (*Mechanism, error) { asked++; return member(c.of(e.Value())) }, eps(t, want))
			if asked > c.most || errors.Is(err, ErrNotReached) != c.none || err != nil && !c.none {
				t.Errorf("%s, %g: %d questions, %v", name, want, asked, err)
				continue
			}
			if c.none {
				if m != nil {
					t.Errorf("%s, %g: %v", name, want, m.Name())
				}
				continue
			}
			if _, hi := must.For(m.SmallestEpsilon(ctx))(t).Bounds(); hi > want || hi <= want*(1-1e-6) {
				t.Errorf("%s, %g: a smallest ε of %g", name, want, hi)
			}
		}
	}
}

// NewPoint answers without noise at one dataset.
func NewPoint(t testing.TB, q *query.Query) *Mechanism {
	m := must.For(NewGlobal(q, eps(t, 1), nil))(t)
	m.bound[0] = Bound{}
	return m
}

// The profile of Laplace laws whose shift is open holds that of every shift; next to where it ends too.
func TestProfilesOfOpenShifts(t *testing.T) {
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
	// Cauchy's law has the median 1 of |Z|, and at ε = 1 a scale of 2.
	c := must.For(Calibrate(studentOf(t, 1, 1), eps(t, 1), evidence.Delta{}, nil))(t)
	if lo, hi := must.For(c.Quantile(Constant(rat(3, 1)).Amount(), rat(1, 2)))(t).Bounds(); lo > 6 || hi < 6 || hi-lo > 1e-14 {
		t.Errorf("the median of an error is in [%v, %v], is 6", lo, hi)
	}
}

// The largest loss of several pairs lies between its own ends, whichever pair has been looked at first: of shifts of
// Laplace's and of Student's law.
func TestLargestLossOfPairs(t *testing.T) {
	for _, values := range [][]float64{{0, 3, 5}, {0, 2, 5}} {
		q := threeOf(t, values...)
		tenth := must.For(NewGlobal(q, must.For(evidence.RationalEpsilon("eps", rat(1, 10)))(t), nil))(t)
		lo, hi := must.For(tenth.Worst(ctx))(t).Loss.Bounds() // ε, as the largest step is Δ
		if new(big.Rat).SetFloat64(lo).Cmp(rat(1, 10)) > 0 || new(big.Rat).SetFloat64(hi).Cmp(rat(1, 10)) < 0 || hi-lo > 1e-16 {
			t.Errorf("%v: a largest loss in [%v, %v], is 1/10", values, lo, hi)
		}
		c := must.For(Calibrate(studentOf(t, 3, 1), eps(t, 1), evidence.Delta{}, nil))(t)
		m := &Mechanism{Calibration: c, q: q, bound: []Bound{Constant(rat(1, 1)), Constant(rat(1, 1)), Constant(rat(1, 1))}}
		for _, v := range values {
			m.center = append(m.center, new(big.Rat).SetFloat64(v))
		}
		shift := 3 / c.Scale().Mid()
		u := (shift - math.Sqrt(shift*shift+12)) / 2
		want := 2 * math.Log((3+(u-shift)*(u-shift))/(3+u*u))
		lo, hi = must.For(m.Worst(ctx))(t).Loss.Bounds()
		if lo > want || hi < want || hi-lo > 1e-8 {
			t.Errorf("%v: a largest loss in [%.15g, %.15g], is %.15g", values, lo, hi, want)
		}
	}
}
