package mechanism_test

import (
	"context"
	"errors"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// halves is a mechanism of three datasets on a path, by a table of rationals.
func halves(t *testing.T) (*query.Query, *mechanism.Table) {
	space := must.For(query.NewPathSpace(3, [][2]int{{0, 1}, {1, 2}}))(t)
	q := must.For(query.NewNumeric("three", space, []float64{0, 1, 5}, nil))(t)
	r := func(a, b int64) *big.Rat { return big.NewRat(a, b) }
	m := must.For(mechanism.NewFinite(context.Background(), q, [][]*big.Rat{
		{r(1, 2), r(1, 4), r(1, 4)}, {r(1, 3), r(1, 3), r(1, 3)}, {r(1, 4), r(1, 4), r(1, 2)}}, mechanism.Claim(must.For(evidence.NewEpsilon("eps", 1))(t), "given")))(t)
	return q, m
}

func TestExpectedLoss(t *testing.T) {
	q, m := halves(t)
	squared := func(x, r int) (*big.Rat, error) { return query.SquaredError(q, q.ValueIndex(x), r) }
	e := must.For(mechanism.ExpectedLoss(m, 0, squared))(t)
	if got := e.(evidence.Exact).Value; got.Cmp(big.NewRat(26, 4)) != 0 { // 1/4 + 25/4
		t.Errorf("E(r − f)² = %v, want 13/2", got)
	}
	mean := must.For(mechanism.MeanLoss(context.Background(), m, squared, []*big.Rat{big.NewRat(1, 2), big.NewRat(1, 2), new(big.Rat)}))(t)
	if got := mean.(evidence.Exact).Value; got.Cmp(big.NewRat(73, 12)) != 0 { // (13/2 + 17/3)/2
		t.Errorf("the mean is %v, want 73/12", got)
	}
	missing := errors.New("none")
	if _, err := mechanism.ExpectedLoss(m, 0, func(x, r int) (*big.Rat, error) { return nil, missing }); !errors.Is(err, missing) {
		t.Errorf("an error of the loss: %v", err)
	}
	if _, err := mechanism.ExpectedLoss(m, 0, func(x, r int) (*big.Rat, error) { return nil, nil }); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("a missing loss: %v", err)
	}
}

// The laws stay; distances are those to the other query's values.
func TestAnswering(t *testing.T) {
	ctx := context.Background()
	q, m := halves(t)
	other := must.For(query.NewNumeric("other", q.Space(), []float64{2, 2, 0}, nil))(t)
	a := must.For(mechanism.WithRange(ctx, m, other))(t)
	if got := mechanism.Distortion(a, 0).(evidence.Exact).Value; got.Cmp(big.NewRat(2, 1)) != 0 { // 2/2 + 1/4 + 3/4
		t.Errorf("distortion %v, want 2", got)
	}
	p, s := must.For(mechanism.Privacy(m).Epsilon(ctx, 0))(t), must.For(mechanism.Privacy(a).Epsilon(ctx, 0))(t)
	if p.Float() != s.Float() {
		t.Errorf("smallest ε %v became %v", p, s)
	}
	apart := must.For(query.NewNumeric("apart", must.For(query.NewPathSpace(3, [][2]int{{0, 1}}))(t), []float64{0, 1, 2}, nil))(t)
	if _, err := mechanism.WithRange(ctx, m, apart); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("other neighbors: %v", err)
	}
	names := must.For(query.New("names", q.Space(), []query.Value{query.Name("a"), query.Name("b"), query.Name("a")}, nil, query.ValueMetric{Discrete: true}))(t)
	if _, err := mechanism.WithRange(ctx, m, names); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("values beyond names: %v", err)
	}
}

// The product's probabilities are products, and its smallest ε the largest sum.
func TestProductOfMechanisms(t *testing.T) {
	ctx := context.Background()
	q, m := halves(t)
	eps := must.For(evidence.NewEpsilon("eps", 1))(t)
	g := must.For(mechanism.NewGeometric(ctx, q, eps))(t)
	product := must.For(query.Product(ctx, []*query.Query{q, q}, query.SumNorm, nil))(t)
	both := must.For(mechanism.Product(ctx, product, []mechanism.Mechanism{m, g}))(t)
	if c := both.ClaimedEpsilon().Float(); c != 2 {
		t.Errorf("claimed %g, want the sum, 2", c)
	}
	largest := 0.0
	for x := range q.Size() {
		for a := range q.Range() {
			for b := range q.Range() {
				got, want := both.Enclose(x, 3*a+b).Mid(), m.Enclose(x, a).Mid()*g.Enclose(x, b).Mid()
				if got < want*(1-1e-14) || got > want*(1+1e-14) {
					t.Fatalf("p^%d(%d, %d) = %g, want %g", x, a, b, got, want)
				}
				for _, y := range q.Space().Neighbors(x) {
					largest = max(largest, m.LogProb(x, a)-m.LogProb(int(y), a)+g.LogProb(x, b)-g.LogProb(int(y), b))
				}
			}
		}
	}
	if e := must.For(mechanism.Privacy(both).Epsilon(ctx, 0))(t); e.Float() < largest-1e-9 || e.Float() > largest+1e-9 {
		t.Errorf("smallest ε %v, want %g", e, largest)
	}
	if _, err := mechanism.Product(ctx, product, []mechanism.Mechanism{m}); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("one mechanism on two queries: %v", err)
	}
	if _, err := mechanism.Product(ctx, q, []mechanism.Mechanism{m}); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("no product: %v", err)
	}
}

// What needs a metric refuses a loss.
func TestLossesAreRefused(t *testing.T) {
	ctx := context.Background()
	q, _ := halves(t)
	one := big.NewRat(1, 1)
	lossy := must.For(q.WithLoss("lossy", [][]*big.Rat{{one, one, one}, {one, one, one}, {one, one, one}}))(t)
	eps := must.For(evidence.NewEpsilon("eps", 1))(t)
	if _, err := mechanism.NewExponential(ctx, lossy, eps); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("exponential: %v", err)
	}
	if _, err := mechanism.NewLadder(ctx, lossy, eps); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("ladder: %v", err)
	}
	if _, err := mechanism.NewInverseSensitivity(ctx, lossy, eps, one); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("inverse sensitivity: %v", err)
	}
	laplace := must.For(mechanism.NewLaplace(ctx, lossy, eps))(t) // noise on numbers needs none
	if got := mechanism.Distortion(laplace, 1).Float(); got < 1-1e-12 || got > 1+1e-12 {
		t.Errorf("a loss of 1 everywhere is expected as %g", got)
	}
}
