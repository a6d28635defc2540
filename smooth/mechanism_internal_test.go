package smooth

import (
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/query"
)

// A β that is too large makes the smallest ε exceed the claim. The test uses β = ε instead of ε/10, the largest β for γ
// = 4.
func TestLargeBetaIsRefuted(t *testing.T) {
	space := must.For(query.NewPathSpace(3, [][2]int{{0, 1}, {1, 2}}))(t)
	q := must.For(query.NewNumeric("steep", space, []float64{0, 0, 100}, nil))(t)
	e := must.Be(evidence.NewEpsilon("eps", 1))
	n := must.Be(Cauchy(big.NewRat(4, 1)))
	c := must.For(Calibrate(n, e, evidence.Delta{}, nil))(t)
	c.beta = rational(big.NewRat(1, 1))
	m := must.For(New(t.Context(), q, c))(t)
	if lo, _ := must.For(m.SmallestEpsilon(t.Context()))(t).Bounds(); lo < 1 {
		t.Errorf("the mutant's smallest ε is at least %g, want above 1", lo)
	}
}

// One dataset has no noise, and the scales of the others differ.
func TestScalesThatDiffer(t *testing.T) {
	q := must.Be(query.NewNumeric("three", must.Be(query.NewPathSpace(3, [][2]int{{0, 1}, {1, 2}})), []float64{0, 2, 5}, nil))
	c := must.For(Calibrate(Laplace(), must.Be(evidence.NewEpsilon("eps", 1)), evidencetest.RationalDelta(big.NewRat(1, 100)), nil))(t)
	half := &Mechanism{Calibration: c, name: "half", q: q, center: []*big.Rat{big.NewRat(0, 1), big.NewRat(2, 1), big.NewRat(5, 1)}, bound: []Bound{{}, Constant(big.NewRat(1, 1)), Constant(big.NewRat(2, 1))}}
	if d, ok := must.For(half.DeltaAt(t.Context(), must.Be(evidence.NewEpsilon("eps", 1))))(t).(evidence.Exact); !ok || d.Value.Cmp(big.NewRat(1, 1)) != 0 {
		t.Errorf("δ = %v beside a dataset without noise, want 1", d)
	}
	if w := must.For(half.Worst(t.Context()))(t); !math.IsInf(w.Loss.Float(), 1) || w.X+w.Y != 1 {
		t.Errorf("beside a dataset without noise: %+v", w)
	}
	half.bound[0] = Constant(big.NewRat(1, 1))
	if w := must.For(half.Worst(t.Context()))(t); !math.IsInf(w.Loss.Float(), 1) || w.X+w.Y != 3 {
		t.Errorf("two scales: %+v", w)
	}
	half.bound[2] = Constant(big.NewRat(1, 5)) // a scale of 2/5
	if g := half.Grid(); g.Cmp(new(big.Rat).SetFrac64(1, 1<<34)) != 0 {
		t.Errorf("smallest scale 2/5: grid %v", g)
	}
}

// A query whose values are names cannot be rounded to its range.
func TestNamesOnTheirRange(t *testing.T) {
	names := must.Be(query.New("names", must.Be(query.NewPathSpace(2, [][2]int{{0, 1}})), []query.Value{query.Name("a"), query.Name("b")}, nil, query.ValueMetric{Discrete: true}))
	if table, err := (&Mechanism{q: names}).OnRange(t.Context()); table != nil || !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), "range[0] = a is not a number") {
		t.Errorf("names on their range: %v, %v", table, err)
	}
}
