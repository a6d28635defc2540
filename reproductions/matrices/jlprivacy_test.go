package matrices

import (
	"context"
	"fmt"
	"math"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// One variance: F(x) − e^ε F(x/λ), or its like from above, in mpmath's incomplete gamma function, 28 digits.
func TestScaledHoldsTheTruth(t *testing.T) {
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
		contains(t, fmt.Sprintf("r = %d, ε = %v, λ = %v", c.r, c.eps, c.lambda), got, c.want, 1e-11)
	}
	law := newChiSquare(3)
	for _, c := range []struct{ eps, lambda, lo, hi interval.Interval }{
		{interval.Float(8), interval.Float(1.5), interval.Int(0), interval.Int(0)}, // the loss is below ε always
		{interval.Float(0.5), interval.Int(1), interval.Int(0), interval.Int(0)},   // one law, to whom e^ε is nothing
		{interval.Int(0), interval.Int(1), interval.Int(0), interval.Int(0)},
		{interval.Float(0.5), interval.Between(0.5, 2), interval.Int(0), interval.Int(1)}, // nobody knows which
	} {
		if got := law.scaled(c.eps, c.lambda); got.CmpLo(c.lo) != 0 || got.CmpHi(c.hi) != 0 {
			t.Errorf("ε = %v, λ = %v: %v, want from %v to %v", c.eps, c.lambda, got, c.lo, c.hi)
		}
	}
	if lo, hi := law.scaled(interval.Float(-0.5), interval.Int(1)).Bounds(); lo > 1-math.Exp(-0.5)+1e-15 || hi < 1-math.Exp(-0.5)-1e-15 || hi-lo > 1e-15 {
		t.Errorf("one law at ε = −½: [%v, %v], want 1 − e^−½", lo, hi)
	}
	for _, l := range [][2]float64{{1.25, 1.5}, {0.5, 0.75}} { // of an interval of variances the divergences of all
		all := law.scaled(interval.Float(0.25), interval.Between(l[0], l[1]))
		for _, lambda := range []float64{l[0], (l[0] + l[1]) / 2, l[1]} {
			within(t, fmt.Sprintf("λ in %v", l), all, law.scaled(interval.Float(0.25), interval.Float(lambda)))
		}
	}
}

// Two variances: mpmath's quadrature of the first coordinate's squares, 16 digits, as near as is asked.
func TestTwoScalesHoldTheTruth(t *testing.T) {
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
			contains(t, fmt.Sprintf("%+v", c), got, c.want, 2*share)
		}
	}
}

// The raised spectrum: mpmath's quadrature of Gaussian mechanisms over χ², 16 digits, as near as is asked.
func TestRaisedHoldsTheTruth(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
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
		law, eps := newChiSquare(c.r), epsilon(t, c.eps)
		for _, share := range []float64{1e-1, 1e-2, 1e-4} {
			points := 0
			got, err := raised(t.Context(), law, eps, interval.Float(c.t), func(lo, hi float64) bool { points++; return near(share)(lo, hi) })
			if err != nil {
				t.Fatal(err)
			}
			contains(t, fmt.Sprintf("%+v", c), got, c.want, 1.01*share)
			if points > 10 { // a cell that chords bound leaves a quarter open when it is halved
				t.Errorf("%+v within %v: %d rounds", c, share, points)
			}
		}
		// Of a shift that is known between two ends, both ends' divergences.
		wide := must.Be(raised(t.Context(), law, eps, interval.Between(0.9*c.t, 1.1*c.t), near(0.6)))
		for _, s := range []float64{0.9 * c.t, c.t, 1.1 * c.t} {
			one := must.Be(raised(t.Context(), law, eps, interval.Float(s), near(1e-3)))
			if wide.Less(one.Lower()) || one.Upper().Less(wide) {
				t.Errorf("%+v within a tenth: %v, which does not hold %v of %v", c, wide, one, s)
			}
		}
	}
	law := newChiSquare(2)
	ctxtest.EachPoll(t, 1, func(ctx context.Context) error {
		_, err := raised(ctx, law, epsilon(t, 1), interval.Float(0.25), near(0.5))
		return err
	})
}

// A threshold's δ is at least that of either one-dimensional pair, exactly their larger one from below, and at least
// that of every pair on the curve from above, and no more than what one cell for the whole curve gives.
func TestThresholdOnItsCurve(t *testing.T) {
	t.Parallel()
	one := interval.Int(1)
	for _, c := range []struct {
		r        int
		eps, t   float64
		narrower float64 // how far apart the ends may be
	}{{1, 0.5, 0.25, 1.1}, {4, 0.5, 0.125, 1.25}, {2, 1, 1, 1.2}} {
		law, eps, ratio := newChiSquare(c.r), epsilon(t, c.eps), interval.Float(c.t)
		e := eps.Enclosure()
		got := must.Be(thresholdDelta(t.Context(), law, eps, ratio, near(5e-3)))
		up := (1 + c.t) * (1 + c.t) // exact
		grown, shrunk := law.scaled(e, interval.Float(up)), law.scaled(e, one.Quo(interval.Float(up)))
		least := interval.Max(grown, shrunk)
		lo, hi := got.Bounds()
		if want, _ := least.Bounds(); lo != want {
			t.Errorf("%+v: from %v on, want the larger of %v and %v", c, lo, grown, shrunk)
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
				t.Errorf("%+v: a pair of cosine %v has %v, the bound is %v", c, cosine, pair, hi)
			}
		}
		// Where less is asked, one cell for the whole curve does, and no worse.
		rough := must.Be(thresholdDelta(t.Context(), law, eps, ratio, func(_, high float64) bool { return high <= 1 }))
		within(t, "what is asked for less", rough, got.Lower())
		if rough.CmpHi(got) < 0 {
			t.Errorf("%+v: one cell has %v, many %v", c, rough, got)
		}
		if first, _ := rough.Bounds(); first != lo {
			t.Errorf("%+v: one cell begins at %v, want %v", c, first, lo)
		}
	}
	law := newChiSquare(2)
	ctxtest.EachPoll(t, 3, func(ctx context.Context) error {
		_, err := thresholdDelta(ctx, law, epsilon(t, 1), interval.Float(0.25), near(5e-3))
		return err
	})
}

// Privacy is decided by the certified ends, on both sides and in both forms. If the enclosure contains the bound, it
// is undecided.
func TestIsPrivateByTheEnds(t *testing.T) {
	t.Parallel()
	eps := epsilon(t, 0.5)
	for _, form := range []Form{Raised, Threshold} {
		j := JL{Form: form, Rows: 2, Width: 8, Move: 1}
		lo, hi := bounds(t, j, eps)
		for _, c := range []struct {
			delta float64
			want  evidence.Verdict
		}{{hi, evidence.Confirmed}, {1.5 * hi, evidence.Confirmed}, {math.Nextafter(lo, 0) * (1 - 1e-3), evidence.Refuted}, {lo / 2, evidence.Refuted}} {
			if got, err := j.IsPrivate(t.Context(), eps, evidencetest.Delta(c.delta)); err != nil || got != c.want {
				t.Errorf("%v, δ in [%v, %v]: at %v %v, %v; want %v", j, lo, hi, c.delta, got, err, c.want)
			}
		}
		ctxtest.EachPoll(t, 1, func(ctx context.Context) error {
			v, err := j.IsPrivate(ctx, eps, evidencetest.Delta((lo+hi)/2))
			if err != nil && v != evidence.Undecided {
				t.Errorf("%v beside an error", v)
			}
			return err
		})
	}
	open := JL{Form: Threshold, Rows: 2, Width: 8, Move: 1}
	lo, hi := bounds(t, open, eps)
	if got, err := open.IsPrivate(t.Context(), eps, evidencetest.Delta(lo+(hi-lo)/8)); err != nil || got != evidence.Undecided {
		t.Errorf("between the ends %v and %v: %v, %v; want undecided", lo, hi, got, err)
	}
}
