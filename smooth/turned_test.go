package smooth

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/internal/sampling"
	"dpworkbench/interval"
	"dpworkbench/query"
)

// Roundings turned round, ends taken for each other and errors that are passed over.

func everyNoise(t testing.TB) []Noise {
	return []Noise{Laplace(), cauchyOf(t, 11, 10), cauchyOf(t, 3, 1), cauchyOf(t, 5, 2), studentOf(t, 1, 3), studentOf(t, 3, 1), studentOf(t, 30, 1)}
}

// What rises or falls with z has, of z between two ends, the ends that it has there, and no others; of ends that differ in the last bits alone too.
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

// The slope of a potential over an interval lies between the ends that are said, and comes as near to them as a thousand points show.
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

// A piece's bound is no less than the log-ratio of densities anywhere in it, an end at infinity included, and off by no more than the square of a short piece's length.
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

// A supremum that is shown to be at most enough is no more than that, and no less than it is; the least that is known of it is reached.
func TestSupremaThatAreEnough(t *testing.T) {
	for _, of := range lossy {
		n := of(t)
		for _, c := range [][2]float64{{0.1, 1}, {1, 1.5}, {5, 0.5}, {0, 2}, {300, 1}, {2, 40}} {
			lo, hi := n.supremum(c[0], c[1], 0)
			if lo < 0 || hi < lo || hi-lo > 1e-8*(1+hi) {
				t.Errorf("%s, %v: in [%g, %g]", n.Name(), c, lo, hi)
			}
			for _, more := range []float64{1.01, 1.5, 10} {
				enough := hi * more
				l, h := n.supremum(c[0], c[1], enough)
				if h < lo || h > enough+n.slack() || l > hi || l < 0 {
					t.Errorf("%s, %v: in [%g, %g] where %g is enough, is in [%g, %g]", n.Name(), c, l, h, enough, lo, hi)
				}
			}
		}
		if lo, hi := n.supremum(0, 1, 0); lo != 0 || hi != 0 {
			t.Errorf("%s: of one law in [%g, %g]", n.Name(), lo, hi)
		}
	}
}

// Of rises that are far apart the largest alone is enclosed.
func TestOnlyTheLargestIsEnclosed(t *testing.T) {
	c := must.For(Calibrate(cauchyOf(t, 4, 1), eps(t, 1), evidence.Delta{}, nil))(t) // β = 1/10
	for name, k := range map[string]struct {
		values []float64
		asked  int // a bit for each
	}{"the first": {[]float64{8, 9, 10}, 1}, "the last": {[]float64{1, 2, 9}, 4}, "the middle": {[]float64{0, 5, 3}, 2}, "none": {[]float64{0, 0, 0}, 0}} {
		asked := 0
		b := largest(3, func(i int) (int, float64) { return 5 * i, k.values[i] }, func(i int) *big.Rat { asked |= 1 << i; return new(big.Rat).SetFloat64(k.values[i]) }, c)
		if asked != k.asked || b.IsZero() != (asked == 0) || b.Amount().Rational == nil && b.At() == 0 {
			t.Errorf("%s: %b were enclosed, want %b: %+v", name, asked, k.asked, b)
		}
	}
}

// endless are the words of a source, the last for ever.
type endless []uint64

func (e *endless) Uint64() uint64 {
	if len(*e) > 1 {
		defer func() { *e = (*e)[1:] }()
	}
	return (*e)[0]
}

// A draw that cannot be decided is refused: the digits of a uniform number are those of the chance that it is compared with, for ever.
func TestUndecidedDraws(t *testing.T) {
	half := uint64(1) << 63
	ring := endless{0, ^uint64(0)} // (0, 1), on the unit circle, by digits in the order in which they are asked for
	for n := 1; n <= 1<<11; n *= 2 {
		for _, w := range [2]uint64{0, ^uint64(0)} {
			for range max(n/2, 1) {
				ring = append(ring, w)
			}
		}
	}
	for name, c := range map[string]struct {
		noise Noise
		words endless
	}{
		"near or far": {cauchyOf(t, 2, 1), endless{half, 0}},                             // 1/2
		"kept":        {cauchyOf(t, 2, 1), endless{0, ^uint64(0), half - 1, ^uint64(0)}}, // 1/(1 + 1²) = 1/2
		"on the ring": {studentOf(t, 3, 1), ring},
	} {
		words := append(endless(nil), c.words...)
		if z, err := c.noise.Draw(&words); z != nil || !errors.Is(err, sampling.ErrUndecided) {
			t.Errorf("%s: %v", name, err)
		}
		words = append(endless(nil), c.words...)
		scaled := must.For(Calibrate(c.noise, eps(t, 1), evidence.Delta{}, nil))(t)
		if out, err := scaled.SampleAt(ctx, rat(0, 1), Constant(rat(1, 1)), 1, rat(1, 4), &words); out != nil || !errors.Is(err, sampling.ErrUndecided) {
			t.Errorf("%s: %v, %v", name, out, err)
		}
	}
	// Nor can an answer be rounded whose scale is not known.
	c := must.For(Calibrate(Laplace(), eps(t, 1), evidencetest.RationalDelta(rat(1, 9)), nil))(t)
	c.scale.number = func(bits int) (lo, hi *big.Int) { return new(big.Int), new(big.Int).Lsh(big.NewInt(1), uint(bits)) }
	if out, err := c.MultiplesAt(ctx, rat(0, 1), Constant(rat(1, 1)), 1, rat(1, 4), rand.NewPCG(1, 1)); out != nil || !errors.Is(err, sampling.ErrUndecided) {
		t.Errorf("%v, %v", out, err)
	}
	// There is room for as many answers as are asked for, or for a part of them.
	c = must.For(Calibrate(Laplace(), eps(t, 1), evidencetest.RationalDelta(rat(1, 9)), nil))(t)
	if out := must.For(c.MultiplesAt(ctx, rat(0, 1), Bound{}, 3, rat(1, 4), nil))(t); len(out) != 3 || cap(out) != 3 {
		t.Errorf("room for %d answers of %d", cap(out), len(out))
	}
}

// A member is found whose smallest ε is the one asked for, however it grows with the parameter, by few questions; where it leaps over that, or ends below, none is.
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

// The largest loss of several pairs lies between its own ends, whichever pair has been looked at first: of shifts of Laplace's and of Student's law.
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

// Where ε is known no better than to an interval that meets Δ/s, δ reaches up to that of the least ε: 1 − e^{(ε−Δ/s)/2}.
func TestProfileOfAnOpenEpsilon(t *testing.T) {
	one := interval.Int(1)
	for _, wide := range []float64{1e-300, 1e-20, 1e-10, 1e-3} {
		lo, hi := laplaceProfile(one, one, one, true, one.Add(interval.Hull(interval.Float(-wide), interval.Float(wide)))).Bounds()
		if most := -math.Expm1(-wide / 2); lo > 0 || hi < most {
			t.Errorf("ε = 1 ± %g: δ in [%g, %g], want up to %g", wide, lo, hi, most)
		}
	}
	if lo, hi := laplaceProfile(one, one, one, true, interval.Int(2)).Bounds(); lo != 0 || hi != 0 {
		t.Errorf("ε = 2: δ in [%g, %g], want 0", lo, hi)
	}
}

// A series whose argument may be 1 or anything ends, and bounds nothing from above.
func TestSeriesWithoutAnEnd(t *testing.T) {
	one := interval.Int(1)
	for _, w := range []interval.Interval{one, interval.Hull(interval.Float(.5), one), interval.Whole(), interval.Float(2)} {
		if _, hi := hypergeometric(one, interval.Int(2), w).Bounds(); !math.IsInf(hi, 1) && !math.IsNaN(hi) {
			t.Errorf("at %v the series is at most %v", w, hi)
		}
	}
	for _, to := range []float64{1, 2} { // from below it is bounded by what it is at 1/2, 2 ln 2
		if lo, _ := hypergeometric(one, interval.Int(2), interval.Between(0.5, to)).Bounds(); !(lo <= 2*math.Ln2) {
			t.Errorf("up to %v the series is at least %v", to, lo)
		}
	}
}

// An error without a mean has none around another value either, nor over all datasets, and says why.
func TestErrorsWithoutMoments(t *testing.T) {
	q := randomQuery(t, rand.New(rand.NewPCG(3, 3)))
	for _, c := range []struct {
		noise  Noise
		square bool // alone is without a mean
	}{{studentOf(t, 2, 1), true}, {studentOf(t, 1, 1), false}} {
		m := must.For(New(ctx, q, must.For(Calibrate(c.noise, eps(t, 4), evidence.Delta{}, nil))(t)))(t)
		m.center[0] = new(big.Rat).Add(m.center[0], rat(1, 1))
		if e := m.SquaredError(0); e != m.SquareError(m.bound[0].Amount()) || !math.IsInf(e.Float(), 1) {
			t.Errorf("%s: E(answer − f)² is %v", c.noise.Name(), e)
		}
		if c.square {
			continue
		}
		mean, err := m.ExpectedDistortion(ctx, nil)
		if lo, hi := mean.Bounds(); err != nil || mean != m.Distortion(0) || !math.IsInf(lo, 1) || !math.IsInf(hi, 1) {
			t.Errorf("%s: the mean over all datasets is %v, %v", c.noise.Name(), mean, err)
		}
	}
}

// The quantile of Laplace noise encloses −ln(1 − p) times its scale, from both sides.
func TestQuantileOfLaplace(t *testing.T) {
	c := must.For(Calibrate(Laplace(), eps(t, 1), evidencetest.RationalDelta(rat(1, 100)), nil))(t)
	for _, p := range []*big.Rat{rat(1, 1000), rat(1, 3), rat(1, 2), rat(9, 10), rat(999, 1000)} {
		got := evidence.Enclosure(must.For(c.Quantile(evidence.ExactRat(rat(3, 7)), p))(t))
		want := interval.Rat(new(big.Rat).Sub(rat(1, 1), p)).Log().Neg().Mul(interval.Rat(rat(3, 7))).Mul(c.scale.enclosure)
		if got.Less(want) || want.Less(got) {
			t.Errorf("p = %v: %v, is %v", p, got, want)
		}
	}
}
