package records_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/records"
	"dpworkbench/smooth"
)

// NewSmooth scales noise by the largest e^{−βt}·I_t over all t, for every kind of query.
func TestSmoothBounds(t *testing.T) {
	for _, c := range []struct {
		noise smooth.Noise
		delta *big.Rat
		eps   float64
	}{{smooth.Laplace(), rat(1, 1000), 1}, {smooth.Laplace(), rat(1, 100), 0.05}, {must.Be(smooth.Student(rat(3, 1))), nil, 2}, {must.Be(smooth.Cauchy(rat(4, 1))), nil, 5}} {
		eps := must.For(evidence.NewEpsilon("eps", c.eps))(t)
		by := must.For(smooth.Calibrate(c.noise, eps, evidencetest.RationalDelta(c.delta), nil))(t)
		for n, q := range map[string]*records.Query{"median": must.For(recordsOf(t, []int64{0, 50, 51, 51, 52, 52, 53, 54, 100}, 100, rat(1, 1), records.Replace).Median())(t), "triangles": must.For(triangle(records.Edge).Triangles(ctx))(t),
			"edges": must.For(triangle(records.Node).Edges())(t), "total": must.For(small(records.AddRemove).Total())(t)} {
			m := must.For(records.NewSmooth(ctx, q, by))(t)
			want, beta := fresh(), by.BetaEnclosure()
			for d := range 40 {
				lo, hi := bounds(beta)
				middle := times(plus(lo, hi), fresh().SetFloat64(-0.5*float64(d)))
				if v := times(expOf(middle), realOf(must.For(q.Local(d))(t))); v.Cmp(want) > 0 {
					want = v
				}
			}
			s := m.Bound()
			lo, hi := s.Bounds()
			near, _ := want.Float64()
			if lo > near*(1+1e-15) || hi < near*(1-1e-15) || hi-lo > 1e-14*hi {
				t.Errorf("%s: S = %v, want %g", n, s, near)
			}
			if evidence.SideOf(s) != evidence.Up {
				t.Errorf("%s: S is rounded %v", n, evidence.SideOf(s))
			}
			f := by.Scale().Mid() * near
			if math.Abs(m.Scale().Mid()-f) > 1e-14*f || !m.Delta().Equal(evidencetest.RationalDelta(c.delta)) {
				t.Errorf("%s: the scale is %g, want %g; δ = %v", n, m.Scale().Mid(), f, m.Delta())
			}
			title := "smooth_sensitivity, " + c.noise.Name() + "(eps=" + eps.String()
			if c.delta != nil {
				title += ", delta=" + map[int64]string{1000: "0.001", 100: "0.01"}[c.delta.Denom().Int64()]
			}
			if m.Name() != title+")" || m.OnLine().Name() != title+") on the line" || fmt.Sprint(m.ClaimedEpsilon()) != fmt.Sprint(by.Claim()) {
				t.Errorf("%s: %s claims %v", n, m.Name(), m.ClaimedEpsilon())
			}
			_, grid, err := m.Release(ctx, 1, rand.NewPCG(1, 1))
			if (grid == nil) != (q.Range().Step != nil) || err != nil {
				t.Errorf("%s: released on %v, %v", n, grid, err)
			}
			_, _, err = m.Release(ctx, -1, rand.NewPCG(1, 1))
			if !isParameter(err, "n = -1") {
				t.Error(err)
			}
		}
	}
}
