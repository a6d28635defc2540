package mvg_test

import (
	"math"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/mvg"
)

// The findings report δ by simulation: .0084 (dimension 5), .18 (10), .75 (30), 1.0 (1000) at ε = 1, with claimed δ =
// 1e-5. The claim holds in dimension 3.
func TestRankOneRealDelta(t *testing.T) {
	findings := []struct {
		dimension int
		want, off float64
	}{{5, 0.0084, 5e-4}, {30, 0.75, 0.006}, {10, 0.18, 0.006}, {1000, 1, 0.01}}
	for _, c := range findings[:cases.Of(2, 4)] {
		r := must.Be(mvg.NewRankOne(c.dimension, 1, one, evidencetest.Delta(1e-5)))
		d := must.Be(r.Privacy(4e-4).Delta(ctx, one)).(evidence.Certified)
		t.Logf("dimension %d: variance %.4g, δ in [%.6g, %.6g]", c.dimension, r.Variance, d.Lo, d.Hi)
		if d.Lo > c.want+c.off || d.Hi < c.want-c.off || d.Hi-d.Lo > 0.02 {
			t.Errorf("dimension %d: δ in [%v, %v], want %v", c.dimension, d.Lo, d.Hi, c.want)
		}
	}
	r := must.Be(mvg.NewRankOne(3, 1, one, evidencetest.Delta(1e-5)))
	d := must.Be(r.Privacy(1e-6).Delta(ctx, one)).(evidence.Certified)
	t.Logf("dimension 3: variance %.4g, δ in [%.4g, %.4g]", r.Variance, d.Lo, d.Hi)
	if d.Hi > 1e-5 {
		t.Errorf("dimension 3: δ in [%v, %v], want at most 1e-5", d.Lo, d.Hi)
	}
}

// δ(ε) crosses δ at ε(δ). ε is infinite at δ = 0.
func TestRankOneEpsilon(t *testing.T) {
	const want = 0.1
	p := must.Be(mvg.NewRankOne(10, 1, one, evidencetest.Delta(1e-5))).Privacy(0.01)
	e := must.Be(p.Epsilon(ctx, evidencetest.Delta(want)))
	lo, hi := e.Bounds()
	if !(lo > 0 && lo < hi && hi < 10) {
		t.Fatalf("ε in [%v, %v]", lo, hi)
	}
	below, above := must.Be(p.Delta(ctx, epsilon(lo))), must.Be(p.Delta(ctx, epsilon(hi)))
	if _, most := below.Bounds(); most < want {
		t.Errorf("δ(%v) is at most %v, want at least %v", lo, most, want)
	}
	if _, most := above.Bounds(); most > want {
		t.Errorf("δ(%v) is at most %v, want at most %v", hi, most, want)
	}
	if lo, hi := must.Be(p.Epsilon(ctx, evidence.Delta{})).Bounds(); !math.IsInf(lo, 1) || !math.IsInf(hi, 1) {
		t.Errorf("ε(0) in [%v, %v], want +Inf", lo, hi)
	}
}
