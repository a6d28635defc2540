package smooth_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/mechanism"
	"dpworkbench/query"
	"dpworkbench/smooth"
)

var ctx = context.Background()

// randomQuery returns an integer query on a random connected universe.
func randomQuery(t testing.TB, r *rand.Rand) *query.Query {
	n := 3 + r.IntN(7)
	var edges [][2]int
	for x := 1; x < n; x++ {
		edges = append(edges, [2]int{r.IntN(x), x})
	}
	edges = append(edges, [2]int{0, n - 1})
	values := make([]float64, n)
	for x := range values {
		values[x] = float64(r.IntN(12))
	}
	if n == 3 {
		edges = edges[:2]
	}
	space := must.For(query.NewPathSpace(n, edges))(t)
	return must.For(query.NewNumeric("random", space, values, nil))(t)
}

// S is the maximum over all datasets in its definition. It changes by a factor of at most e^β between neighbors.
func TestSmoothBoundByDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 40 {
		q := randomQuery(t, r)
		c := must.For(smooth.Calibrate(cauchyOf(t, 4, 1), evidencetest.Epsilon(1+4*r.Float64()), evidence.Delta{}, nil))(t)
		m := must.For(smooth.New(ctx, q, c))(t)
		beta := c.BetaEnclosure().Mid()
		for x := range q.Size() {
			want := 0.0
			for y, d := range q.Space().Distances(x) {
				want = max(want, math.Exp(-beta*d)*q.LocalSteps(y)*toFloat(q.Metric().Unit()))
			}
			s, _ := m.SmoothBound(x)
			if lo, hi := s.Bounds(); lo > want*(1+1e-12) || hi < want*(1-1e-12) {
				t.Fatalf("S in [%g, %g], the definition gives %g", lo, hi, want)
			}
		}
	}
}

// The smallest ε of no universe exceeds the claim of the theorem, and clamping to the range does not increase it.
func TestTheoremsHold(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 5))
	largest := map[string]float64{}
	for range 25 {
		q, e := randomQuery(t, r), math.Exp(r.NormFloat64())
		for _, n := range []smooth.Noise{cauchyOf(t, 4, 1), cauchyOf(t, 3, 2), studentOf(t, 3, 1), studentOf(t, 1, 2)} {
			m := must.For(smooth.New(ctx, q, must.For(smooth.Calibrate(n, evidencetest.Epsilon(e), evidence.Delta{}, nil))(t)))(t)
			w := must.For(m.Worst(ctx))(t)
			lo, hi := w.Loss.Bounds()
			if lo > e || hi-lo > 1e-8*(1+hi) {
				t.Fatalf("%s on %v: smallest ε in [%g, %g]", m.Name(), q.Values(), lo, hi)
			}
			largest[n.Name()] = max(largest[n.Name()], hi/e)
			moved := must.For(m.OnRange(ctx))(t)
			if p := must.For(mechanism.Privacy(moved).Epsilon(ctx, evidence.Delta{}))(t); p.Float() > hi*(1+1e-9) {
				t.Fatalf("%s: smallest ε on the range %v, on the line at most %g", m.Name(), p, hi)
			}
		}
		m := must.For(smooth.New(ctx, q, must.For(smooth.Calibrate(smooth.Laplace(), evidencetest.Epsilon(e), evidencetest.RationalDelta(big.NewRat(1, 100)), nil))(t)))(t)
		d := must.For(m.DeltaAt(ctx, evidencetest.Epsilon(e)))(t)
		if lo, _ := d.Bounds(); lo > 0.01 {
			t.Fatalf("%s on %v: δ = %v", m.Name(), q.Values(), d)
		}
	}
	for name, share := range largest { // the claims are not vacuous
		if share < 0.2 {
			t.Errorf("%s: the largest ε is only %g of the claimed one", name, share)
		}
	}
}

func TestAtEpsilon(t *testing.T) {
	q := randomQuery(t, rand.New(rand.NewPCG(3, 3)))
	for _, want := range []float64{0.1, 1, 4} {
		m := must.For(smooth.AtEpsilon(ctx, func(e evidence.Epsilon) (*smooth.Mechanism, error) {
			c, err := smooth.Calibrate(studentOf(t, 3, 1), e, evidence.Delta{}, nil)
			if err != nil {
				return nil, err
			}
			return smooth.New(ctx, q, c)
		}, evidencetest.Epsilon(want)))(t)
		if _, hi := must.For(m.SmallestEpsilon(ctx))(t).Bounds(); hi > want || hi < want*(1-1e-6) {
			t.Errorf("asked for %g, got %g", want, hi)
		}
	}
	_, err := smooth.AtEpsilon(ctx, func(e evidence.Epsilon) (*smooth.Mechanism, error) {
		return smooth.New(ctx, q, must.Be(smooth.Calibrate(smooth.Laplace(), e, evidencetest.RationalDelta(big.NewRat(1, 10)), nil)))
	}, evidencetest.Epsilon(1))
	if !errors.Is(err, smooth.ErrNotReached) {
		t.Errorf("noise without a smallest ε: %v", err)
	}
}

// Expected errors on the line have closed forms. Infinite errors give the reason.
func TestErrors(t *testing.T) {
	q := randomQuery(t, rand.New(rand.NewPCG(4, 4)))
	m := must.For(smooth.New(ctx, q, must.For(smooth.Calibrate(cauchyOf(t, 2, 1), evidencetest.Epsilon(1), evidence.Delta{}, nil))(t)))(t)
	if e := m.Distortion(0); !math.IsInf(e.Float(), 1) || !strings.Contains(e.Origin(), "infinite unless gamma > 2") {
		t.Errorf("γ = 2: %v, %s", e, e.Origin())
	}
	if e := must.For(m.ExpectedDistortion(ctx, nil))(t); !math.IsInf(e.Float(), 1) {
		t.Errorf("γ = 2: the mean error is %v", e)
	}
	m = must.For(smooth.New(ctx, q, must.For(smooth.Calibrate(studentOf(t, 2, 1), evidencetest.Epsilon(1), evidence.Delta{}, nil))(t)))(t)
	if e := m.SquaredError(0); !math.IsInf(e.Float(), 1) || !strings.Contains(e.Origin(), "d > 2") {
		t.Errorf("d = 2: %v, %s", e, e.Origin())
	}
	// Laplace noise around a value off the query's by b has mean error |b| + σe^{−|b|/σ}.
	g := must.For(smooth.McShane(ctx, q, big.NewRat(1, 1), []int{0}, smooth.Upper))(t)
	l := must.For(smooth.NewGlobal(g, evidencetest.Epsilon(1), q))(t)
	total := 0.0
	for x := range q.Size() {
		b := math.Abs(float64(g.Value(x).(query.Number)) - float64(q.Value(x).(query.Number)))
		s := toFloat(g.RationalSensitivity())
		want := b + s*math.Exp(-b/s)
		total += want
		if lo, hi := l.Distortion(x).Bounds(); lo > want*(1+1e-13) || hi < want*(1-1e-13) {
			t.Errorf("dataset %d: in [%g, %g], want %g", x, lo, hi, want)
		}
	}
	if e := must.For(l.ExpectedDistortion(ctx, nil))(t); math.Abs(e.Float()-total/float64(q.Size())) > 1e-12 {
		t.Errorf("the mean error is %v, want %g", e, total/float64(q.Size()))
	}
	if e := must.For(l.SmallestEpsilon(ctx))(t); e.Float() > 1+1e-12 {
		t.Errorf("Laplace noise on an extension: %v", e)
	}
}

// Releases are on the grid, and a seed gives identical releases.
func TestSampleOnGrid(t *testing.T) {
	q := randomQuery(t, rand.New(rand.NewPCG(5, 5)))
	m := must.For(smooth.New(ctx, q, must.For(smooth.Calibrate(studentOf(t, 3, 1), evidencetest.Epsilon(1), evidence.Delta{}, nil))(t)))(t)
	a := must.For(m.Sample(ctx, 1, 50, big.NewRat(1, 4), rand.NewPCG(9, 9)))(t)
	b := must.For(m.Sample(ctx, 1, 50, big.NewRat(1, 4), rand.NewPCG(9, 9)))(t)
	for i, v := range a {
		if v != b[i] || v*4 != math.Trunc(v*4) {
			t.Fatalf("draw %d: %g and %g, want multiples of 1/4", i, v, b[i])
		}
	}
	// Without a source the noise is from the operating system's generator, and two releases differ.
	c, d := must.For(m.Sample(ctx, 1, 50, big.NewRat(1, 1<<40), nil))(t), must.For(m.Sample(ctx, 1, 50, big.NewRat(1, 1<<40), nil))(t)
	if len(c) != 50 || slices.Equal(c, d) {
		t.Errorf("two releases of the system's noise: %v and %v", c, d)
	}
	if c := must.For(m.MultiplesAt(ctx, number(q, 1), smooth.Constant(big.NewRat(2, 1)), 3, big.NewRat(1, 4), nil))(t); len(c) != 3 {
		t.Errorf("three multiples are %v", c)
	}
	for _, grid := range []*big.Rat{new(big.Rat), big.NewRat(-1, 2)} {
		if _, err := m.Sample(ctx, 1, 1, grid, rand.NewPCG(9, 9)); err == nil {
			t.Errorf("grid %v is accepted", grid)
		}
	}
}

func toFloat(q *big.Rat) float64 {
	v, _ := q.Float64()
	return v
}
