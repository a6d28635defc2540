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
	below, above := must.Be(p.Delta(ctx, evidencetest.Epsilon(lo))), must.Be(p.Delta(ctx, evidencetest.Epsilon(hi)))
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

// The expected δ were computed by Gauss–Legendre quadrature in NumPy, with 20 × 20 points an angle and 6400 radii.
func TestRankOneAgainstQuadrature(t *testing.T) {
	for _, c := range []struct {
		dimension         int
		shift, eps, delta float64
	}{
		{2, 0.5, 1, 0.10309937787090213},
		{3, 0.5, 1, 0.23823040464456535},
		{3, 0.001, 1, 0.00038568654622204957},
		{4, 0.1, 1, 0.05744909724697589},
		{5, 0.3, 0.5, 0.3152988905361523},
		{7, 3, 4, 0.9687635215890646},
		{10, 0.7, 1, 0.7020709775718326},
		{30, 0.2, 2, 0.35277284345198784},
		{100, 0.05, 1, 0.2309766586257684},
		{1000, 0.3, 0.1, 0.9969958121475224},
	} {
		r := mvg.RankOne{Dimension: c.dimension, Sensitivity: c.shift, Variance: 1}
		d := must.Be(r.Privacy(0.02).Delta(t.Context(), evidencetest.Epsilon(c.eps)))
		if lo, hi := d.Bounds(); c.delta < lo*(1-1e-9) || c.delta > hi*(1+1e-9) || hi-lo > 0.02 {
			t.Errorf("dimension %d, Δ = %v sd, ε = %v: δ in [%v, %v], want %v", c.dimension, c.shift, c.eps, lo, hi, c.delta)
		}
	}
}

// High dimensions and extreme ε and shifts give ordered bounds in [0, 1] in finite time.
func TestRankOneExtremes(t *testing.T) {
	for _, c := range []struct {
		dimension int
		shift     float64
		eps       float64
	}{{2, 1e-100, 0}, {2, 1e100, 1}, {3, 1, 1e308}, {3, 1e-9, 1e-300}, {100000, 1, 1}, {1 << 31, 1e-6, 1}, {40, 50, 10}} {
		d, err := mvg.RankOne{Dimension: c.dimension, Sensitivity: c.shift, Variance: 1}.Privacy(1).Delta(t.Context(), evidencetest.Epsilon(c.eps))
		if err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		if lo, hi := d.Bounds(); !(lo >= 0 && lo <= hi && hi <= 1) {
			t.Errorf("%+v: δ in [%v, %v]", c, lo, hi)
		}
	}
}

// Here the loss exceeds ε only at norms below the grid, and δ is still positive. The loss at norm x is at least −ln x,
// so x < e⁻²¹ is enough for ε = 20.
func TestRankOneBelowTheGrid(t *testing.T) {
	d := must.Be(mvg.RankOne{Dimension: 2, Sensitivity: 1, Variance: 1}.Privacy(1).Delta(t.Context(), evidencetest.Epsilon(20)))
	want := math.Erf(math.Exp(-21)/math.Sqrt2) * (1 - math.Exp(-1))
	if lo, hi := d.Bounds(); hi < want || lo > hi || hi > 1e-6 {
		t.Errorf("δ in [%v, %v], want at least %v", lo, hi, want)
	}
}
