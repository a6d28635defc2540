package matrices

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/interval"

	"gonum.org/v1/gonum/mat"
)

func epsilon(t testing.TB, v float64) evidence.Epsilon {
	t.Helper()
	e, err := evidence.NewEpsilon("eps", v)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func encloses(t *testing.T, what string, a interval.Interval, want, narrow float64) {
	t.Helper()
	lo, hi := a.Bounds()
	if tiny := 1e-14 * math.Abs(want); !(lo <= want+tiny && hi >= want-tiny) || !(hi-lo <= narrow*math.Abs(want)) {
		t.Errorf("%s is in [%v, %v], want %v", what, lo, hi, want)
	}
}

// Numbers are from mpmath's regularised incomplete gamma function, 30 digits.
func TestChiSquare(t *testing.T) {
	for _, c := range []struct {
		r               int
		x, below, above float64
	}{
		{1, 0.25, 0.382924922548026207, 0.617075077451973793},
		{1, 9, 0.997300203936739811, 0.00269979606326018905},
		{2, 3, 0.776869839851570171, 0.223130160148429829},
		{3, 0.5, 0.0811085883453241406, 0.918891411654675859},
		{3, 40, 0.999999989344909666, 1.06550903342558608e-8},
		{10, 4, 0.0526530173437111567, 0.947346982656288843},
		{10, 60, 0.999999996375699048, 3.62430095206148803e-9},
		{101, 70, 0.0080382377159687759, 0.991961762284031224},
		{101, 180, 0.999997755965437779, 2.2440345622210745e-6},
		{1000, 1300, 0.99999999961102635, 3.88973649948685248e-10},
	} {
		law := newChiSquare(c.r)
		at := law.at(interval.Float(c.x))
		encloses(t, "Pr[S ≤ x]", at.below, c.below, 1e-12)
		encloses(t, "Pr[S > x]", at.above, c.above, 1e-12)
		next := newChiSquare(c.r + 2).at(interval.Float(c.x))
		encloses(t, "the step", at.step, at.below.Sub(next.below).Mid(), 1e-12)
	}
	law := newChiSquare(4)
	if lo, hi := law.at(interval.Between(-1, 2)).below.Bounds(); lo > 0 || hi < 0.26424111765711533 { // 1 − 2/e
		t.Errorf("Pr[S ≤ x] for x in [−1, 2] is in [%v, %v]", lo, hi)
	}
}

// Closed forms of one variance, in mpmath.
// Near 0, where an argument may be smaller than any float64, and down to 0, the law
// is enclosed as a monotone one, and its step up to where that turns.
func TestChiSquareNearZero(t *testing.T) {
	for _, r := range []int{1, 2, 3, 8} {
		c := newChiSquare(r)
		tiny := interval.Int(-2000).Exp()
		for what, x := range map[string]interval.Interval{"tiny": tiny, "down to 0": interval.Between(0, 1), "beyond r": interval.Between(-1, 30)} {
			_, hi := x.Bounds()
			got, end := c.at(x), c.at(interval.Float(hi))
			if got.below.CmpHi(end.below) < 0 || got.above.CmpLo(end.above) > 0 || got.below.CmpLo(interval.Int(0)) > 0 {
				t.Errorf("r = %d, %s: %v and %v, want from those of 0 to %v and %v", r, what, got.below, got.above, end.below, end.above)
			}
			for _, at := range []float64{1e-3, 1, float64(r), 30} {
				if at <= hi && got.step.CmpHi(c.at(interval.Float(at)).step) < 0 {
					t.Errorf("r = %d, %s: step %v misses that at %v", r, what, got.step, at)
				}
			}
		}
	}
}

func TestScaled(t *testing.T) {
	for _, c := range []struct {
		r                 int
		eps, lambda, want float64
	}{
		{1, 0.1, 1.5, 0.0387832511695046},
		{1, 0.1, 0.5, 0.144171840206877},
		{5, 1, 3, 0.2945785233193},
		{5, 1, 0.2, 0.698927952272047},
		{40, 0.3, 1.1, 0.0606419762605455},
		{40, -0.3, 0.9, 0.315816818040299},
	} {
		got := newChiSquare(c.r).scaled(interval.Float(c.eps), interval.Float(c.lambda))
		encloses(t, "δ", got, got.Mid(), 1e-9)
		if math.Abs(got.Mid()-c.want) > 1e-12 {
			t.Errorf("r = %d, ε = %v, λ = %v: δ = %v, want %v", c.r, c.eps, c.lambda, got.Mid(), c.want)
		}
	}
}

// The raised spectrum's δ by mpmath's quadrature of the mixture, and by the two eigenvalues λ and
// 1/λ, λ + 1/λ = 2 + t², that a long record and a move at right angles have.
func TestRaisedDelta(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		r             int
		eps, w, delta float64
	}{
		{1, 0.1, 3, 0.0722253240315},
		{1, 1, 3, 0.00464802315752},
		{2, 0.5, 5, 0.0103576576456},
		{7, 1, 10, 0.000141239096347},
		{50, 1, 30, 3.22851996219e-6},
		{500, 3, 30, 2.29847784935e-5},
	} {
		j, err := NewJL(Raised, c.r, 2*c.w, 2)
		if err != nil {
			t.Fatal(err)
		}
		d, err := j.Privacy().Delta(context.Background(), epsilon(t, c.eps))
		if err != nil {
			t.Fatal(err)
		}
		if lo, hi := d.Bounds(); !(lo <= c.delta*(1+1e-9) && hi >= c.delta*(1-1e-9) && hi-lo <= 3e-4*c.delta) {
			t.Errorf("%v at ε = %v: δ in [%v, %v], want %v", j, c.eps, lo, hi, c.delta)
		}
		if c.r > 50 {
			continue
		}
		square := 1 / (c.w * c.w)
		up := 1 + square/2 + math.Sqrt(square+square*square/4)
		both, err := newChiSquare(c.r).twoScales(context.Background(), interval.Float(c.eps), interval.Float(up), interval.Float(1/up), near(1e-2))
		if err != nil {
			t.Fatal(err)
		}
		if lo, hi := both.Bounds(); !(lo <= c.delta && hi >= c.delta && hi <= 1.02*c.delta) {
			t.Errorf("%v at ε = %v: by two eigenvalues δ in [%v, %v], want %v", j, c.eps, lo, hi, c.delta)
		}
	}
}

// No two neighbors tell more than the bounds say: eigenvalues of pairs of data sets, drawn, as those
// of C⁻¹C'; and for the threshold the lower end is a pair's.
func TestNeighborsWithinBounds(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(29, 1))
	const width, move, rows = 6.0, 1.0, 5
	eps := epsilon(t, 0.5)
	bounds := map[Form]float64{}
	for _, f := range []Form{Raised, Threshold} {
		j, err := NewJL(f, rows, width, move)
		if err != nil {
			t.Fatal(err)
		}
		d, err := j.Privacy().Delta(context.Background(), eps)
		if err != nil {
			t.Fatal(err)
		}
		_, bounds[f] = d.Bounds()
	}
	law := newChiSquare(rows)
	most := map[Form]float64{}
	for range 60 {
		const m = 2
		n := 2 + rng.IntN(3)
		x := mat.NewDense(m, n, nil)
		scale := math.Exp(4 * rng.Float64())
		for i := range m {
			for k := range n {
				x.Set(i, k, scale*rng.NormFloat64())
			}
		}
		y := mat.DenseCopyOf(x)
		angle := 2 * math.Pi * rng.Float64()
		y.Set(0, 0, y.At(0, 0)+move*math.Cos(angle))
		y.Set(1, 0, y.At(1, 0)+move*math.Sin(angle))
		for _, f := range []Form{Raised, Threshold} {
			j := JL{Form: f, Rows: rows, Width: width, Move: move}
			if j.Check(x) != nil || j.Check(y) != nil {
				continue
			}
			a, b := gram(x), gram(y)
			if f == Raised {
				for i := range m {
					a.SetSym(i, i, a.At(i, i)+width*width)
					b.SetSym(i, i, b.At(i, i)+width*width)
				}
			}
			var quotient mat.Dense
			if err := quotient.Solve(a, b); err != nil {
				t.Fatal(err)
			}
			half, det := mat.Trace(&quotient)/2, mat.Det(&quotient)
			root := math.Sqrt(math.Max(0, half*half-det))
			both, err := law.twoScales(context.Background(), interval.Float(0.5), interval.Float(math.Max(1, half+root)), interval.Float(math.Min(1, half-root)), func(lo, hi float64) bool { return hi < bounds[f]/50 || near(0.1)(lo, hi) })
			if err != nil {
				t.Fatal(err)
			}
			lo, _ := both.Bounds()
			most[f] = math.Max(most[f], lo)
			if lo > bounds[f] {
				t.Errorf("%s: a pair has δ ≥ %v, the bound is %v", f, lo, bounds[f])
			}
		}
	}
	for f, v := range most {
		if v < bounds[f]/30 {
			t.Errorf("%s: the pairs reach %v of the bound %v", f, v, bounds[f])
		}
	}
}

// The form Threshold: one record w against w + move in one dimension is what the lower end shows.
func TestThresholdWitness(t *testing.T) {
	j, err := NewJL(Threshold, 40, 20, 2) // λ = 1.1²
	if err != nil {
		t.Fatal(err)
	}
	d, err := j.Privacy().Delta(context.Background(), epsilon(t, 0.3))
	if err != nil {
		t.Fatal(err)
	}
	want := newChiSquare(40).scaled(interval.Float(0.3), interval.Float(1.1).Pow(2))
	lo, hi := d.Bounds()
	if least, _ := want.Bounds(); lo < least || hi < lo || hi > 1.3*lo {
		t.Errorf("δ in [%v, %v], want at least %v", lo, hi, least)
	}
}

// The exact width is private, one a little smaller is not, and the published one is far above.
func TestExactJL(t *testing.T) {
	t.Parallel()
	eps, delta := epsilon(t, 1), 1.0/248
	ctx := context.Background()
	for _, form := range []Form{Raised, Threshold} {
		j, err := ExactJL(ctx, form, 20, 1, eps, evidencetest.Delta(delta))
		if err != nil {
			t.Fatal(err)
		}
		_, hi := bounds(t, j, eps)
		if hi > delta {
			t.Errorf("%v: δ up to %v", j, hi)
		}
		j.Width *= 0.97
		if lo, _ := bounds(t, j, eps); lo <= delta {
			t.Errorf("%v: δ from %v on, want it above %v", j, lo, delta)
		}
		p, err := PublishedJL(form, 20, 1, eps, evidencetest.Delta(delta))
		if err != nil {
			t.Fatal(err)
		}
		// 16 √(20 ln 496) ln(79360)
		if want := 2011.0; math.Abs(p.Width/want-1) > 1e-3 {
			t.Errorf("published width %v, want %v", p.Width, want)
		}
		if claimed, delta, ok := p.Claimed(); !ok || claimed.Value != 1 || delta.Value != 1.0/248 {
			t.Errorf("claimed %v, %v, %v", claimed, delta, ok)
		}
		for width, want := range map[float64]evidence.Verdict{p.Width: evidence.Confirmed, j.Width: evidence.Refuted, j.Width / 0.97: evidence.Confirmed} {
			if v, err := (JL{Form: form, Rows: 20, Width: width, Move: 1}).IsPrivate(ctx, eps, evidencetest.Delta(delta)); err != nil || v != want {
				t.Errorf("%s at width %v: %v, %v; want %v", form, width, v, err, want)
			}
		}
		if _, _, ok := j.Claimed(); ok {
			t.Error("something is claimed of an exact width")
		}
	}
	// 100 times the move has 100 times the width.
	near, err1 := ExactJL(ctx, Raised, 5, 1, eps, evidencetest.Delta(delta))
	far, err2 := ExactJL(ctx, Raised, 5, 100, eps, evidencetest.Delta(delta))
	if err := errors.Join(err1, err2); err != nil || math.Abs(far.Width/near.Width/100-1) > 1e-3 {
		t.Errorf("widths %v and %v, %v", near.Width, far.Width, err)
	}
}

func bounds(t *testing.T, j JL, eps evidence.Epsilon) (lo, hi float64) {
	t.Helper()
	d, err := j.Privacy().Delta(context.Background(), eps)
	if err != nil {
		t.Fatal(err)
	}
	return d.Bounds()
}

// ε(δ) is where δ(ε) is δ; infinite at 0.
func TestJLEpsilon(t *testing.T) {
	j, err := NewJL(Raised, 200, 60, 1)
	if err != nil {
		t.Fatal(err)
	}
	e, err := j.Privacy().Epsilon(context.Background(), evidencetest.Delta(1e-3))
	if err != nil {
		t.Fatal(err)
	}
	lo, hi := e.Bounds()
	if least, _ := bounds(t, j, epsilon(t, lo*0.999)); least <= 1e-3 {
		t.Errorf("δ(%v) from %v", lo, least)
	}
	if _, most := bounds(t, j, epsilon(t, hi)); most > 1e-3*(1+1e-9) {
		t.Errorf("δ(%v) up to %v", hi, most)
	}
	if e, err = j.Privacy().Epsilon(context.Background(), evidence.Delta{}); err != nil || !math.IsInf(e.Float(), 1) {
		t.Errorf("ε(0) = %v, %v", e, err)
	}
}

// Mixed records have the covariance C/r: means over draws within six standard errors, and the
// raised spectrum is taken off. (False-positive rate below 1e-7.)
func TestJLSimulate(t *testing.T) {
	x := mat.NewDense(2, 4, []float64{3, 1, -2, 4, 1, 5, 0, -1})
	for _, form := range []Form{Raised, Threshold} {
		j := JL{Form: form, Rows: 4000, Width: 2, Move: 1}
		got, err := j.SimulateGram(x, rand.NewPCG(1, 2))
		if err != nil {
			t.Fatal(err)
		}
		want := gram(x)
		c := mat.NewSymDense(2, nil)
		c.CopySym(want)
		if form == Raised {
			c.SetSym(0, 0, c.At(0, 0)+4)
			c.SetSym(1, 1, c.At(1, 1)+4)
		}
		for i := range 2 {
			for k := range 2 {
				off := math.Sqrt((c.At(i, i)*c.At(k, k) + c.At(i, k)*c.At(i, k)) / 4000)
				if d := got.At(i, k) - want.At(i, k); math.Abs(d) > 6*off {
					t.Errorf("%s: entry (%d, %d) is %v, want %v", form, i, k, got.At(i, k), want.At(i, k))
				}
			}
		}
		again, _ := j.SimulateGram(x, rand.NewPCG(1, 2))
		if !mat.Equal(got, again) {
			t.Error("the same seed has another draw")
		}
	}
}
