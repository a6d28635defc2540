package mvg

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/gaussian"
	"dpworkbench/interval"

	"gonum.org/v1/gonum/mat"
)

// frustrated is a box of as many rows, in threes, under a covariance whose inverse wants the signs of any
// two of three to differ, and the largest vᵀΣ⁻¹v: beyond 2²⁰ vertices it is known by part.
func frustrated(t *testing.T, threes int) (Box, Covariance, float64) {
	m := 3 * threes
	q := mat.NewSymDense(m, nil)
	for i := range m {
		q.SetSym(i, i, 1)
		for j := range i {
			if i/3 == j/3 {
				q.SetSym(i, j, -0.4)
			}
		}
	}
	var inverse mat.Dense
	if err := inverse.Inverse(q); err != nil {
		t.Fatal(err)
	}
	for i := range m {
		for j := range m {
			if i/3 != j/3 {
				inverse.Set(i, j, 0)
			}
		}
	}
	// s of (1, 1, −1) have sᵀQs = 3 + 2·0.4, of which the sum of all entries' sizes is 3 + 6·0.4; times (2·½)².
	return ok(NewBox(2, uniform(m, 0.5))), ok(NewDense(&inverse)), float64(threes) * 3.8
}

// The largest form over vertices is enclosed: up to 2²⁰ of them nearly as it is, beyond from what a search
// finds up to a bound.
func TestVertexMaximumOfThrees(t *testing.T) {
	for _, threes := range []int{3, 8} {
		b, sigma, want := frustrated(t, threes)
		lo, hi := ok(b.vertexMaximum(t.Context(), sigma)).Bounds()
		if lo > want*(1+1e-12) || hi < want*(1-1e-12) || lo < want*(1-1e-9) {
			t.Errorf("%d vertices: in [%v, %v], want %v", 3*threes, lo, hi, want)
		}
		if wide := hi > want*1.05; wide != (3*threes > maxVertexBits) {
			t.Errorf("%d rows: at most %v, is %v", 3*threes, hi, want)
		}
	}
}

// Scaled noise is private by the upper end of its whitened sensitivity, however wide that is, against the
// lower end of μ, and short of it by rounding alone.
func TestScalesByTheEndsThatAreSafe(t *testing.T) {
	b, sigma, _ := frustrated(t, 8)
	m, n := b.Shape()
	fits := func(what string, d *Design, mu float64) {
		t.Helper()
		if d.norm.hi > mu || d.norm.hi < mu*(1-1e-12) {
			t.Errorf("%s: whitened sensitivity up to %v, want just below %v", what, d.norm.hi, mu)
		}
	}
	w := sigma.Directions()
	for _, mu := range []float64{1, 0.3} {
		d := ok(Recipe{Directions: w}.scale(t.Context(), b, sigma.Variances(), mu))
		fits("given directions", d, mu)
		if d.norm.lo > 0.99*d.norm.hi {
			t.Errorf("a sensitivity in [%v, %v], want it known by part", d.norm.lo, d.norm.hi)
		}
		o := &optimizer{ctx: t.Context(), s: b, mu: evidence.Certified{Lo: mu, Hi: 2 * mu}}
		asked := 0
		d = ok(o.scaled(func(k float64) (Covariance, Covariance, error) {
			asked++
			scaled := mat.NewSymDense(m, nil)
			scaled.ScaleSym(k, sigma.Matrix())
			c, err := NewDense(scaled)
			return c, unitNoise(n), err
		}))
		fits("an optimum", d, mu)
		if asked > 4 {
			t.Errorf("%d scales are looked at", asked)
		}
	}
	rng := rand.New(rand.NewPCG(303, 1))
	narrow := 0
	for range 60 {
		eps, delta := ok(evidence.NewEpsilon("eps", math.Exp(rng.NormFloat64()))), math.Exp(-1-10*rng.Float64())
		mu := ok(gaussian.Mu(eps, evidencetest.Delta(delta)))
		if mu.Lo < mu.Hi {
			narrow++
		}
		for mode := Unimodal; mode <= Equimodal; mode++ {
			fits("a ball", ok(NewTight(t.Context(), ok(NewBall(2, 2, BallOptions{S2: math.Exp(rng.NormFloat64()), Gamma: 1e3})), Recipe{Epsilon: eps, Delta: evidencetest.Delta(delta), Mode: mode})), mu.Lo)
		}
	}
	if narrow < 30 {
		t.Errorf("%d of 60 μ are known by part", narrow)
	}
}

// Variances of which some are beyond float64, at either end, are refused with both ends.
func TestVariancesBeyondFloat64(t *testing.T) {
	for _, c := range []struct {
		s2, mu   float64
		from, to string
	}{
		{1e79, 1, "the variances would be from 1", "e+158 to +Inf, want"},
		{7e-163, 1, "the variances would be from 0 to 4.9406", "e-174, want"},
	} {
		d, err := Recipe{}.scale(t.Context(), ok(NewBall(2, 1, BallOptions{S2: c.s2, Gamma: 1e90})), []float64{0.1, 1e150}, c.mu)
		if d != nil || !errors.Is(err, evidence.ErrParameter) || !says(err, c.from) || !says(err, c.to) {
			t.Errorf("s2 = %v: %v, error %v, want %s…%s", c.s2, d, err, c.from, c.to)
		}
	}
}

// An optimum is enclosed by the outer ends of what is reached and of the limit, moved outward by what
// readings of decimals may bear on it; what is no enclosure is refused.
func TestBetweenWideEnds(t *testing.T) {
	for _, c := range []struct {
		objective      Objective
		reached, limit [2]float64
		want           [2]float64
		apart          bool
		refused        string
	}{
		{MostInformation, [2]float64{2, 3}, [2]float64{5, 7}, [2]float64{2, 7}, true, ""},
		{LeastError, [2]float64{5, 7}, [2]float64{2, 3}, [2]float64{2, 7}, true, ""},
		{MostInformation, [2]float64{0, 3}, [2]float64{5, 7}, [2]float64{0, 7}, true, ""},
		{MostInformation, [2]float64{1, 1}, [2]float64{1, 1 + 1.0000002e-6}, [2]float64{1, 1 + 1.0000002e-6}, false, ""},
		{MostInformation, [2]float64{1, 1}, [2]float64{1, 1 + 1.0001e-6}, [2]float64{1, 1 + 1.0001e-6}, true, ""},
		{MostInformation, [2]float64{0, 0}, [2]float64{0, 0}, [2]float64{}, false, "from 0 to 0"},
		{MostInformation, [2]float64{8, 9}, [2]float64{1, 2}, [2]float64{}, false, "from 8 to 2"},
		{MostInformation, [2]float64{-1, 3}, [2]float64{5, 7}, [2]float64{}, false, "from -1 to 7"},
		{MostInformation, [2]float64{1, 3}, [2]float64{5, math.Inf(1)}, [2]float64{}, false, "from 1 to +Inf"},
	} {
		o := &optimizer{goal: Goal{Objective: c.objective}}
		v, err := o.between(interval.Between(c.reached[0], c.reached[1]), interval.Between(c.limit[0], c.limit[1]), "how")
		if c.refused != "" {
			if !errors.Is(err, errScale) || !says(err, c.refused) {
				t.Errorf("%+v: [%v, %v], error %v", c, v.Lo, v.Hi, err)
			}
			continue
		}
		if err != nil || v.Lo != c.want[0]*(1-readings) || v.Hi != c.want[1]*(1+readings) || (v.Method != "how") != c.apart {
			t.Errorf("%+v: [%v, %v], %q, error %v", c, v.Lo, v.Hi, v.Method, err)
		}
	}
}

// The largest one or two of precisions that are known by part are bounded by the largest of their upper ends.
func TestTopTwoOfWidePrecisions(t *testing.T) {
	p := []interval.Interval{interval.Between(2, 3), interval.Between(0, 10), interval.Between(1, 4), interval.Between(2.5, 2.75)}
	rng := rand.New(rand.NewPCG(303, 2))
	for range 20 {
		rng.Shuffle(len(p), func(i, j int) { p[i], p[j] = p[j], p[i] })
		for _, c := range []struct {
			mode  Mode
			count int
			want  float64
		}{{Unimodal, 1, 10}, {Unimodal, 2, 14}, {Equimodal, 1, 100}, {Equimodal, 2, 116}} {
			o := &optimizer{recipe: Recipe{Mode: c.mode}, frame: ok(newFrame(nil, uniform(4, 1)))}
			if _, hi := o.topTwo(p, c.count).Bounds(); hi != c.want {
				t.Errorf("mode %d, %d of %v: at most %v, want %v", c.mode, c.count, p, hi, c.want)
			}
		}
	}
}

// What stands for a precision of 0 costs 1e-20 of the constraint at most, at the lower end of μ, and not
// less than a thousandth of that for all of them.
func TestNegligiblePrecisionsCostNothing(t *testing.T) {
	h, signal := []float64{0.5, 2, 0.1}, []float64{3, 0, 40}
	b := ok(NewBox(3, h))
	for _, mode := range []Mode{Unimodal, Equimodal} {
		o := &optimizer{ctx: t.Context(), s: b, goal: Goal{MostInformation, signal}, recipe: Recipe{Mode: mode}, n: 3, columns: 1,
			frame: ok(newFrame(nil, signal)), mu: evidence.Certified{Lo: 1, Hi: 1}}
		if mode == Unimodal {
			o.mu.Hi = 2
		}
		best := ok(o.box(b))
		sum, top, whole, large := 0.0, 0.0, 0.0, 0.0
		for i, v := range o.negligible {
			square := 4 * h[i] * h[i]
			sum, top = math.Max(sum, square*v), math.Max(top, v)
			whole, large = whole+square*best.Precisions[i], math.Max(large, best.Precisions[i])
		}
		if len(o.negligible) != 3 || mode == Unimodal && (sum > 1.01e-20 || sum < 0.99e-20) {
			t.Errorf("mode %d: %v costs up to %v", mode, o.negligible, sum)
		}
		if mode == Equimodal && (sum > 1.01e-20*whole || top > 1.01e-20*large || sum < 1e-23*whole && top < 1e-23*large) {
			t.Errorf("mode %d: %v costs %v of %v and %v of %v", mode, o.negligible, sum, whole, top, large)
		}
	}
}

// Rows are told apart by what they differ beside their largest entry, whatever the others are.
func TestRowsAreToldApartBesideTheLargest(t *testing.T) {
	for _, c := range []struct {
		row  []float64
		want bool
	}{{[]float64{0, 1}, true}, {[]float64{1e-13, 1}, true}, {[]float64{1e-11, 1}, false}, {[]float64{0, 1 + 1e-13}, true}, {[]float64{0, 1 + 1e-11}, false}} {
		if got := hasRow([][]float64{{0, 1}}, c.row); got != c.want {
			t.Errorf("%v is among the rows: %v", c.row, got)
		}
	}
}
