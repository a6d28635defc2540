package matrices_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/mvg"
	"dpworkbench/query"
	"dpworkbench/reproductions/matrices"

	"gonum.org/v1/gonum/mat"
)

func box(t testing.TB, n int, half ...float64) mvg.Box {
	return must.Be(mvg.NewBox(n, half))
}

func TestSymmetricGauss(t *testing.T) {
	eps, delta := evidencetest.Epsilon(1), 1e-3
	s := must.Be(matrices.UpperSensitivity(3, 1, nil, false, 0.1))
	for form, want := range map[matrices.Scaling]float64{matrices.Classic: 0.1 * math.Sqrt(2*math.Log(1250)), matrices.Tight: 0} {
		g := must.Be(matrices.SymmetricGaussFor(3, s, eps, evidencetest.Delta(delta), form))
		d, err := g.Privacy().Delta(context.Background(), eps)
		_, hi := d.Bounds()
		if err != nil || hi > delta*(1+1e-12) || form == matrices.Tight && hi < delta*(1-1e-9) || want > 0 && math.Abs(g.Sigma-want) > 1e-12 {
			t.Errorf("%s: sigma %v, δ %v, %v", form, g.Sigma, d, err)
		}
		// Every entry on and above the diagonal has independent noise with the standard deviation Sigma.
		sum, src := 0.0, rand.NewPCG(4, 5)
		const draws = 4000
		for range draws {
			out := must.Be(g.Simulate(mat.NewDense(3, 3, []float64{1, 2, 3, 2, 5, 6, 3, 6, 9}), src))
			a, b := out.At(0, 2)-3, out.At(2, 2)-9
			sum += a*a + b*b
		}
		if ratio := sum / (2 * draws) / (g.Sigma * g.Sigma); math.Abs(ratio-1) > 6/math.Sqrt(draws) {
			t.Errorf("%s: the variance is %v times Sigma²", form, ratio)
		}
	}
}

// With one feature, δ = 1 − e^{(ε − Δ/b)/2}, as for one Laplace variable. With six features the sensitivities add up.
// The tight scale is smaller than the classic one and attains the given δ.
func TestLaplace(t *testing.T) {
	ctx := context.Background()
	eps := evidencetest.Epsilon(0.5)
	one, err := matrices.NewLaplace(box(t, 5, 1), 2) // Δ/b = 1
	if err != nil {
		t.Fatal(err)
	}
	d, err := one.Privacy().Delta(ctx, eps)
	want := 1 - math.Exp(-0.25)
	if lo, hi := d.Bounds(); err != nil || math.Abs(lo-want) > 1e-12 || math.Abs(hi-want) > 1e-12 {
		t.Errorf("δ(½) = %v, %v; want %v", d, err, want)
	}
	six := box(t, 248, 1, 1, 1, 1, 1, 1)
	classic, err := matrices.ClassicLaplace(six, evidencetest.Epsilon(1))
	if err != nil || classic.Scale != 12 {
		t.Errorf("classic mechanism %v, error %v, want scale 12", classic, err)
	}
	if claim, ok := classic.Claimed(); !ok || claim.Value != 1 {
		t.Errorf("claimed %v", claim)
	}
	e, err := classic.Privacy().Epsilon(ctx, evidence.Delta{})
	if err != nil || math.Abs(e.Float()-1) > 1e-12 {
		t.Errorf("ε(0) = %v, %v", e, err)
	}
	gram, _ := mvg.NewGram(3, 1, query.Replace, 1)
	loose, err := matrices.TightLaplace(ctx, gram, evidencetest.Epsilon(1), evidencetest.Delta(1e-2))
	if err != nil || loose.Scale >= 3*math.Sqrt2 || loose.Scale < 3 {
		t.Errorf("tight mechanism %+v, error %v", loose, err)
	}
	if _, ok := loose.Claimed(); ok {
		t.Error("a tight scale has a claimed ε")
	}
}

// The l1 sensitivity of a box, a list, a ball and a Gram matrix is rounded outward by one ulp at most, compared with
// rational sums.
func TestL1SensitivityRoundsOutward(t *testing.T) {
	half := []float64{0.1, 0.3, 1e-3, 7}
	sum := new(big.Rat)
	for _, h := range half {
		sum.Add(sum, matrices.RatOf(h))
	}
	got := must.For(matrices.L1Sensitivity(box(t, 3, half...)))(t)
	checkOutward(t, "a box", got.Lo, got.Hi, sum.Add(sum, sum))

	small, large := mat.NewDense(1, 2, []float64{-0.1, 0.3}), mat.NewDense(1, 2, []float64{-0.7, -0.2})
	for _, list := range [][]*mat.Dense{{small, large}, {large, small}, {large, small, small}} {
		got = must.For(matrices.L1Sensitivity(must.For(mvg.NewDifferences(list))(t)))(t)
		checkOutward(t, "a list", got.Lo, got.Hi, new(big.Rat).Add(matrices.RatOf(0.7), matrices.RatOf(0.2)))
	}

	ball := must.For(mvg.NewBall(2, 3, mvg.BallOptions{S2: 3, Gamma: 3}))(t)
	got = must.For(matrices.L1Sensitivity(ball))(t)
	checkOutward(t, "a ball", got.Lo, got.Hi, matrices.Rational(t, "7.3484692283495342945918522241176")) // 3√6

	one := new(big.Rat).Mul(matrices.RatOf(0.3), matrices.RatOf(0.3))
	one.Mul(one, matrices.RatOf(0.7))
	more := func(d int, replaced bool) evidence.Certified {
		return must.For(matrices.L1Sensitivity(must.For(mvg.NewGram(d, 0.3, map[bool]query.Relation{false: query.AddRemove, true: query.Replace}[replaced], 0.7))(t)))(t)
	}
	for d := 1; d <= 3; d++ {
		want := new(big.Rat).Mul(one, big.NewRat(int64(d), 1))
		got = more(d, false)
		checkOutward(t, "a record added or removed", got.Lo, got.Hi, want)
		got = more(d, true)
		if d == 1 {
			checkOutward(t, "one dimension", got.Lo, got.Hi, want)
			continue
		}
		root := new(big.Rat).Mul(want, matrices.Rational(t, "1.41421356237309504880168872420969807856967"))
		least, _ := want.Float64()
		if matrices.RatOf(got.Lo).Cmp(want) > 0 || got.Lo < math.Nextafter(least, 0) || matrices.RatOf(got.Hi).Cmp(root) < 0 || matrices.RatOf(math.Nextafter(got.Hi, 0)).Cmp(root) > 0 {
			t.Errorf("%d dimensions, replaced: [%v, %v], want %s and √2 times that", d, got.Lo, got.Hi, want.FloatString(20))
		}
	}
	var unknown mvg.Sensitivity = struct{ mvg.Sensitivity }{ball}
	if _, err := matrices.L1Sensitivity(unknown); err == nil || err.Error() != "the l1 sensitivity of a struct { mvg.Sensitivity } is unknown" {
		t.Errorf("unknown set: error %v", err)
	}
}

// The sensitivity on and above the diagonal is rounded outward to the nearest float64, compared with its square in
// rational arithmetic.
func TestUpperSensitivityRoundsOutward(t *testing.T) {
	next := func(what string, v float64, square *big.Rat, up bool) { // v is the float64 next to the root, on one side
		t.Helper()
		other := math.Nextafter(v, 0)
		if !up {
			other = math.Nextafter(v, math.Inf(1))
		}
		mine, his := new(big.Rat).Mul(matrices.RatOf(v), matrices.RatOf(v)).Cmp(square), new(big.Rat).Mul(matrices.RatOf(other), matrices.RatOf(other)).Cmp(square)
		if up && (mine < 0 || his >= 0) || !up && (mine > 0 || his <= 0) {
			t.Errorf("%s: %v is not the float64 next to the root of %s", what, v, square.FloatString(30))
		}
	}
	two := big.NewRat(2, 1)
	squared := func(q *big.Rat) *big.Rat { return new(big.Rat).Mul(q, q) }
	for _, c := range []struct {
		half []float64
		rest *big.Rat // of the greedy partition of the h_i²; 0 if it divides evenly
	}{
		{[]float64{0.3}, squared(matrices.RatOf(0.3))},
		{[]float64{0.1, 0.7}, new(big.Rat).Sub(squared(matrices.RatOf(0.1)), squared(matrices.RatOf(0.7)))},
		{[]float64{0.7, 0.1, 0.2}, new(big.Rat).Sub(squared(matrices.RatOf(0.7)), new(big.Rat).Add(squared(matrices.RatOf(0.1)), squared(matrices.RatOf(0.2))))},
		{[]float64{0.3, 0.3}, new(big.Rat)},
		{[]float64{0.3, 0.3, 0.7, 0.7}, new(big.Rat)},
		{[]float64{1, 3, 2}, big.NewRat(-4, 1)}, // 1, 1 − 9, −8 + 4
	} {
		sum, fourth := new(big.Rat), new(big.Rat)
		for _, h := range c.half {
			sum.Add(sum, squared(matrices.RatOf(h)))
			fourth.Add(fourth, squared(squared(matrices.RatOf(h))))
		}
		scale := squared(matrices.RatOf(0.7))
		corner := new(big.Rat).Add(squared(sum), fourth)
		corner.Mul(corner.Quo(corner, two), scale)
		pair := new(big.Rat).Mul(new(big.Rat).Sub(squared(sum), squared(c.rest)), scale)
		whole := new(big.Rat).Mul(squared(sum), scale)
		what := fmt.Sprint(c.half)
		got := must.For(matrices.UpperSensitivity(len(c.half), 0, c.half, false, 0.7))(t)
		if v := got.Hi; got.Lo == v { // exact
			if new(big.Rat).Mul(matrices.RatOf(v), matrices.RatOf(v)).Cmp(corner) != 0 {
				t.Errorf("%s: %v", what, got)
			}
		} else {
			next(what+" from below", got.Lo, corner, false)
			next(what+" from above", got.Hi, corner, true)
		}
		got = must.For(matrices.UpperSensitivity(len(c.half), 0, c.half, true, 0.7))(t)
		least := pair
		if corner.Cmp(least) > 0 {
			least = corner
		}
		next(what+" replaced, from below", got.Lo, least, false)
		next(what+" replaced, from above", got.Hi, whole, true)
	}
	norm := new(big.Rat).Mul(squared(matrices.RatOf(0.3)), matrices.RatOf(0.7))
	for d, replaced := range map[int]bool{1: true, 2: false, 5: false} {
		got := must.For(matrices.UpperSensitivity(d, 0.3, nil, replaced, 0.7))(t)
		checkOutward(t, fmt.Sprintf("%d dimensions", d), got.Lo, got.Hi, norm)
	}
	got := must.For(matrices.UpperSensitivity(2, 0.3, nil, true, 0.7))(t)
	next("two dimensions, replaced, from below", got.Lo, new(big.Rat).Mul(two, squared(norm)), false)
	next("two dimensions, replaced, from above", got.Hi, new(big.Rat).Mul(two, squared(norm)), true)
}

// The scales of the published formulas Δ₁/ε and Δ√(2 ln(1.25/δ))/ε use the upper bound of the sensitivity. Expected
// values are from mpmath, 30 digits.
func TestClassicScales(t *testing.T) {
	eps := evidencetest.Epsilon(0.75)
	l := must.For(matrices.ClassicLaplace(box(t, 2, 0.1, 0.3), eps))(t)
	above := func(what string, v float64, decimal string) {
		t.Helper()
		q := matrices.Rational(t, decimal)
		if d := new(big.Rat).Sub(matrices.RatOf(v), q); d.Sign() < 0 {
			t.Errorf("%s: %v is below %s", what, v, decimal)
		} else if f, _ := d.Float64(); f > 4e-15*v {
			t.Errorf("%s: %v is %v above %s", what, v, f, decimal)
		}
	}
	above("Laplace", l.Scale, "1.06666666666666665186") // 2(0.1 + 0.3)/0.75, with the float64 0.1 and 0.3
	claim, ok := l.Claimed()
	if !ok || claim.Value != 0.75 || claim.Epsilon != eps || claim.Source != "Dwork, McSherry, Nissim and Smith 2006" || l.L1().Hi != 0.8 {
		t.Errorf("%+v has the claim %+v, %t", l, claim, ok)
	}
	if claim, ok = must.For(matrices.NewLaplace(box(t, 2, 1), 1))(t).Claimed(); ok || !claim.Epsilon.IsZero() {
		t.Errorf("a given scale has the claim %+v", claim)
	}

	wide := evidence.Certified{Lo: 1, Hi: 2} // the upper bound counts
	g := must.For(matrices.SymmetricGaussFor(3, wide, eps, evidencetest.Delta(0.0625), matrices.Classic))(t)
	above("Classic", g.Sigma, "6.5273248818155107903")
	tight := must.For(matrices.SymmetricGaussFor(3, wide, eps, evidencetest.Delta(0.0625), matrices.Tight))(t)
	if d := must.For(tight.Privacy().Delta(t.Context(), eps))(t); !atMost(d, 0.0625) || tight.Sigma >= g.Sigma {
		t.Errorf("Tight: %v with δ = %v", tight.Sigma, d)
	}
	if tight.Sensitivity() != wide || g.Sensitivity() != wide {
		t.Errorf("sensitivities %v and %v", tight.Sensitivity(), g.Sensitivity())
	}
	less := *tight // Sigma is nearly the least one
	less.Sigma *= 1 - 1e-6
	if d := must.For(less.Privacy().Delta(t.Context(), eps))(t); atMost(d, 0.0625) {
		t.Errorf("a smaller deviation has δ = %v", d)
	}
	if e := must.For(tight.Privacy().Epsilon(t.Context(), evidencetest.Delta(0.0625)))(t); !atMost(e, 0.75+1e-9) {
		t.Errorf("ε = %v, want at most ¾", e)
	}
}

func atMost(n evidence.Number, most float64) bool {
	_, hi := n.Bounds()
	return hi <= most
}

// The largest loss of Laplace noise is Δ₁ over its scale, here 6/3 = 2.
func TestLaplaceLargestLoss(t *testing.T) {
	for _, l := range []*matrices.Laplace{must.For(matrices.NewLaplace(box(t, 2, 1, 2), 3))(t), must.For(matrices.NewLaplace(must.For(mvg.NewGram(3, 1, query.AddRemove, 2))(t), 3))(t)} {
		if e := must.For(l.Privacy().Epsilon(t.Context(), evidence.Delta{}))(t).(evidence.Certified); e.Lo > 2 || e.Hi < 2 || e.Hi-e.Lo > 1e-15 || e.Side != evidence.Up || e.Source != "Dwork, McSherry, Nissim and Smith 2006" {
			t.Errorf("ε(0) = %+v, want 2", e)
		}
	}
	gram := must.For(matrices.NewLaplace(must.For(mvg.NewGram(3, 1, query.AddRemove, 2))(t), 3))(t) // the bound for any mechanism with ε(0) = 2
	for _, eps := range []float64{0.5, 1, 1.5, 2, 3} {
		d := must.For(gram.Privacy().Delta(t.Context(), evidencetest.Epsilon(eps)))(t)
		want := max(0, (math.Exp(2)-math.Exp(eps))/(math.Exp(2)+1))
		if _, hi := d.Bounds(); math.Abs(hi-want) > 1e-14 {
			t.Errorf("δ(%v) up to %v, want %v", eps, hi, want)
		}
	}
}
