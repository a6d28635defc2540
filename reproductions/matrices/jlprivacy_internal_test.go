package matrices

import (
	"context"
	"fmt"
	"math"
	"testing"

	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// For one variance δ is F(x) − e^ε F(x/λ), or the same with upper tails. Expected values use mpmath's incomplete gamma
// function, 28 digits.
func TestScaledDivergence(t *testing.T) {
	for _, c := range []struct {
		r           int
		eps, lambda float64
		want        string
	}{
		{1, 0.125, 1.5, "0.02615259001019474065204842683"},
		{1, 0.125, 0.5, "0.1392646021006014671465301522"},
		{5, 1, 3, "0.2945785233193004817260436771"},
		{5, 1, 0.25, "0.6054824979281012589298772548"},
		{40, 0.25, 1.125, "0.1123661640079183038578309700"},
		{40, -0.25, 0.875, "0.3301040683616920215055337232"},
		{40, -0.25, 1.125, "0.3200401573335449392040556238"},
		{3, 2, 0.5, "0.05713257594598466210385051464"},
		{1, -4, 1.5, "0.9816846050042479912901066932"},
		{1, -4, 0.75, "0.9816843611112658197062819787"},
	} {
		got := newChiSquare(c.r).scaled(interval.Float(c.eps), interval.Float(c.lambda))
		CheckEnclosure(t, fmt.Sprintf("r = %d, ε = %v, λ = %v", c.r, c.eps, c.lambda), got, c.want, 1e-11)
	}
	law := newChiSquare(3)
	for _, c := range []struct{ eps, lambda, lo, hi interval.Interval }{
		{interval.Float(8), interval.Float(1.5), interval.Int(0), interval.Int(0)}, // the loss is always below ε
		{interval.Float(0.5), interval.Int(1), interval.Int(0), interval.Int(0)},   // equal laws
		{interval.Int(0), interval.Int(1), interval.Int(0), interval.Int(0)},
		{interval.Float(0.5), interval.Between(0.5, 2), interval.Int(0), interval.Int(1)}, // λ may be below or above 1
	} {
		if got := law.scaled(c.eps, c.lambda); got.CmpLo(c.lo) != 0 || got.CmpHi(c.hi) != 0 {
			t.Errorf("ε = %v, λ = %v: %v, want from %v to %v", c.eps, c.lambda, got, c.lo, c.hi)
		}
	}
	if lo, hi := law.scaled(interval.Float(-0.5), interval.Int(1)).Bounds(); lo > 1-math.Exp(-0.5)+1e-15 || hi < 1-math.Exp(-0.5)-1e-15 || hi-lo > 1e-15 {
		t.Errorf("one law at ε = −½: [%v, %v], want 1 − e^−½", lo, hi)
	}
	for _, l := range [][2]float64{{1.25, 1.5}, {0.5, 0.75}} { // an interval of variances encloses the divergences of all
		all := law.scaled(interval.Float(0.25), interval.Between(l[0], l[1]))
		for _, lambda := range []float64{l[0], (l[0] + l[1]) / 2, l[1]} {
			CheckContains(t, fmt.Sprintf("λ in %v", l), all, law.scaled(interval.Float(0.25), interval.Float(lambda)))
		}
	}
}

// For two variances the expected values are from mpmath's quadrature over the first coordinate's square, 16 digits. The
// enclosure is as narrow as requested.
func TestTwoScalesDivergence(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		r             int
		eps, up, down float64
		want          string
	}{
		{2, 0.25, 1.25, 0.75, "0.06081531965259265"},
		{5, 1, 1.5, 0.5, "0.2559072464874977"},
		{20, 0.5, 1.125, 0.875, "0.07422033495170363"},
	} {
		for _, share := range []float64{0.5, 0.05, 0.01} {
			got := must.Be(newChiSquare(c.r).twoScales(t.Context(), interval.Float(c.eps), interval.Float(c.up), interval.Float(c.down), near(share)))
			CheckEnclosure(t, fmt.Sprintf("%+v", c), got, c.want, 2*share)
		}
	}
}

// For the raised spectrum the expected values are from mpmath's quadrature of Gaussian mechanisms over χ², 16 digits.
// The enclosure is as narrow as requested.
func TestRaisedDivergence(t *testing.T) {
	t.Parallel()
	for i, c := range []struct {
		r      int
		eps, t float64
		want   string
	}{
		{1, 0.5, 0.25, "0.008558917601705057"},
		{2, 0.5, 0.5, "0.1110935012738146"},
		{7, 1, 0.125, "0.0008850918784092527"},
		{50, 0.5, 0.0625, "0.03613930898609675"},
		{200, 2, 0.125, "0.2397347806210590"},
	} {
		if !cases.Every(2, i) {
			continue
		}
		law, eps := newChiSquare(c.r), evidencetest.Epsilon(c.eps)
		for _, share := range []float64{1e-1, 1e-2, 1e-4} {
			points := 0
			got, err := raised(t.Context(), law, eps, interval.Float(c.t), func(lo, hi float64) bool { points++; return near(share)(lo, hi) })
			if err != nil {
				t.Fatal(err)
			}
			CheckEnclosure(t, fmt.Sprintf("%+v", c), got, c.want, 1.01*share)
			if points > 10 { // halving a cell with a chord bound leaves a quarter of the gap
				t.Errorf("%+v within %v: %d rounds", c, share, points)
			}
		}
		// If the shift is an interval, the result encloses the divergences of all shifts in it.
		wide := must.Be(raised(t.Context(), law, eps, interval.Between(0.9*c.t, 1.1*c.t), near(0.6)))
		for _, s := range []float64{0.9 * c.t, c.t, 1.1 * c.t} {
			one := must.Be(raised(t.Context(), law, eps, interval.Float(s), near(1e-3)))
			if wide.Less(one.Lower()) || one.Upper().Less(wide) {
				t.Errorf("%+v ± 10 %%: %v, which does not contain %v for %v", c, wide, one, s)
			}
		}
	}
	law := newChiSquare(2)
	ctxtest.EachPoll(t, 1, func(ctx context.Context) error {
		_, err := raised(ctx, law, evidencetest.Epsilon(1), interval.Float(0.25), near(0.5))
		return err
	})
}

// The δ of the form Threshold is at least that of both one-dimensional pairs. Its lower bound is exactly the larger of
// these two. Its upper bound is at least the δ of every pair on the curve, and at most the bound from a single cell.
func TestThresholdDelta(t *testing.T) {
	t.Parallel()
	one := interval.Int(1)
	for _, c := range []struct {
		r        int
		eps, t   float64
		narrower float64 // largest ratio of the bounds
	}{{1, 0.5, 0.25, 1.1}, {4, 0.5, 0.125, 1.25}, {2, 1, 1, 1.2}} {
		law, eps, ratio := newChiSquare(c.r), evidencetest.Epsilon(c.eps), interval.Float(c.t)
		e := eps.Enclosure()
		got := must.Be(thresholdDelta(t.Context(), law, eps, ratio, near(5e-3)))
		up := (1 + c.t) * (1 + c.t) // exact
		grown, shrunk := law.scaled(e, interval.Float(up)), law.scaled(e, one.Quo(interval.Float(up)))
		least := interval.Max(grown, shrunk)
		lo, hi := got.Bounds()
		if want, _ := least.Bounds(); lo != want {
			t.Errorf("%+v: lower bound %v, want the larger of %v and %v", c, lo, grown, shrunk)
		}
		if hi > c.narrower*lo {
			t.Errorf("%+v: in [%v, %v]", c, lo, hi)
		}
		for _, cosine := range []float64{-0.5, 0, 0.6, 0.88, 0.97, 0.999} {
			p, q := eigenvaluesOf(interval.Float(cosine*c.t), ratio)
			if p.CmpHi(interval.Float(up-1)) > 0 || one.Sub(q).CmpLo(one.Quo(interval.Float(up))) < 0 {
				continue // below the threshold
			}
			pair := must.Be(law.twoScales(t.Context(), e, one.Add(p), one.Sub(q), near(0.1)))
			if pair.CmpLo(got.Upper()) > 0 {
				t.Errorf("%+v: a pair with cosine %v has δ = %v, the bound is %v", c, cosine, pair, hi)
			}
		}
		// If less accuracy is requested, one cell covers the whole curve. Its bound is valid.
		rough := must.Be(thresholdDelta(t.Context(), law, eps, ratio, func(_, high float64) bool { return high <= 1 }))
		CheckContains(t, "with less accuracy", rough, got.Lower())
		if rough.CmpHi(got) < 0 {
			t.Errorf("%+v: one cell gives %v, many cells %v", c, rough, got)
		}
		if first, _ := rough.Bounds(); first != lo {
			t.Errorf("%+v: one cell has lower bound %v, want %v", c, first, lo)
		}
	}
	law := newChiSquare(2)
	ctxtest.EachPoll(t, 3, func(ctx context.Context) error {
		_, err := thresholdDelta(ctx, law, evidencetest.Epsilon(1), interval.Float(0.25), near(5e-3))
		return err
	})
}
