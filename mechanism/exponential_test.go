package mechanism_test

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// fractionQuery returns a query whose values have no common unit that float64 represents.
func fractionQuery(t testing.TB, rng *rand.Rand, n int) (*query.Query, []*big.Rat) {
	t.Helper()
	values, points := make([]query.Value, n), make([]*big.Rat, n)
	for x := range values {
		points[x] = new(big.Rat).SetFrac64(rng.Int64N(1<<40), 1<<40-1-2*rng.Int64N(1<<20))
		values[x] = query.RationalValue(points[x])
	}
	q := must.For(query.New("fractions", pathQuery(t, n).Space(), values, nil, query.ValueMetric{}))(t)
	if q.Metric().IsExact() {
		t.Fatal("the distances are integer steps")
	}
	return q, points
}

// The exponential mechanism is layered up to MaxLayer and a table above it. Both have the weights e^{−εd/(2Δf)}.
func TestExponentialUpToMaxLayer(t *testing.T) {
	space := must.For(query.NewPathSpace(3, [][2]int{{0, 1}}))(t) // the farthest value belongs to an isolated dataset
	for _, c := range []struct {
		far    float64
		levels bool
	}{{query.MaxLayer - 1, true}, {query.MaxLayer, true}, {query.MaxLayer + 1, false}} {
		q := must.For(query.NewNumeric("far", space, []float64{0, 1, c.far}, nil))(t)
		m := build(t, "exponential", q, eps(t, 0.5))
		if _, ok := m.(*mechanism.Layered); ok != c.levels {
			t.Errorf("distances up to %v: layered is %t", c.far, ok)
		}
		if gap := m.EncloseLog(0, 0).Sub(m.EncloseLog(0, 2)).Sub(interval.Float(c.far / 4)); !isAround(gap, new(big.Rat)) || gap.Upper().Sub(gap.Lower()).Mid() > 1e-50 {
			t.Errorf("distance %v: want the relative weight e^−%v, off by %v", c.far, c.far/4, gap)
		}
	}
}
