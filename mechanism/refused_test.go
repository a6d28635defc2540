package mechanism_test

import (
	"context"
	"errors"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/looks"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/privacy"
	"dpworkbench/query"
)

// What is refused, and what fails, is told by whoever was asked.
func TestRefusalsAreTold(t *testing.T) {
	ctx := t.Context()
	q, m := halves(t)
	other := pathQuery(t, 2)
	product := must.For(query.Product(ctx, []*query.Query{q, q}, query.SumNorm, nil))(t)
	_, twin := halves(t)
	discrete := must.For(query.New("names", q.Space(), []query.Value{query.Name("a"), query.Name("b"), query.Name("a")}, nil, query.ValueMetric{Discrete: true}))(t)
	far := must.For(query.New("far", q.Space(), []query.Value{query.Number(0), query.Number(7), query.Number(0)}, nil, query.ValueMetric{Discrete: true}))(t)
	broken := errors.New("broken")
	bad := func(int, int) (*big.Rat, error) { return nil, broken }
	fine := func(int, int) (*big.Rat, error) { return big.NewRat(1, 1), nil }
	r := big.NewRat
	space := must.For(query.NewPathSpace(1, nil))(t)
	one := must.For(query.NewNumeric("one", space, []float64{0}, []float64{0, 1}))(t)
	sole := must.For(query.NewNumeric("sole", space, []float64{0}, nil))(t)
	enclosed := build(t, "laplace", q, eps(t, 0.5))
	apart := build(t, "laplace", must.For(query.NewNumeric("three", q.Space(), []float64{0, 5, 0}, nil))(t), eps(t, 0.5)) // of other values
	for want, do := range map[string]func() error{
		"answering with values beyond the range needs a value metric, but lossy has a loss: use a mechanism that needs no distances, such as purest or optimal": func() error {
			numbers := must.For(query.NewNumeric("lossy", q.Space(), []float64{0, 1, 0}, nil))(t)
			_, err := mechanism.WithRange(ctx, m, must.For(numbers.WithLoss("lossy", [][]*big.Rat{{r(0, 1), r(1, 1)}, {r(1, 1), r(0, 1)}}))(t))
			return err
		},
		"prior has 2 entries, want 3, one per dataset": func() error {
			_, err := mechanism.MeanLoss(ctx, m, fine, []*big.Rat{r(1, 2), r(1, 2)})
			return err
		},
		"broken": func() error { _, err := mechanism.MeanLoss(ctx, m, bad, nil); return err },
		"the comparison is empty, want one that Compare returned": func() error { _, _, err := (mechanism.Comparison{}).Signs(ctx); return err },
		"q, y, has other datasets or neighbors than three": func() error {
			_, err := mechanism.WithRange(ctx, m, must.For(query.NewNumeric("y", other.Space(), []float64{0, 1}, nil))(t))
			return err
		},
		"the mechanism may output 0, which is not in the range of far": func() error { _, err := mechanism.WithRange(ctx, m, far); return err },
		"0 mechanisms on a product of 0 queries, want one each": func() error {
			_, err := mechanism.Product(ctx, sole, nil)
			return err
		},
		"0 mechanisms on a product of 2 queries, want one each": func() error {
			_, err := mechanism.Product(ctx, product, nil)
			return err
		},
		"mechanisms[0] answers three, want the product's three": func() error {
			_, err := mechanism.Product(ctx, product, []mechanism.Mechanism{apart, m})
			return err
		},
		"mechanisms[1] answers three, want the product's three": func() error {
			_, err := mechanism.Product(ctx, product, []mechanism.Mechanism{m, apart})
			return err
		},
		"probability -1/2 in row 0, value 1, is negative": func() error {
			_, err := mechanism.NewRationalTable(mechanism.Info{Name: "bad", Query: one, Claimed: evidence.Claimed{}}, [][]*big.Rat{{r(3, 2), r(-1, 2)}}, nil)
			return err
		},
		enclosed.Name() + " has no exact sampler: a release needs probabilities that are rational or sums of powers of e^{−ε}, and only bounds are known": func() error {
			half := interval.Between(0.49, 0.51)
			rows := [][]interval.Interval{{half, half, interval.Int(0)}}
			table, err := mechanism.NewEnclosedTable(mechanism.Info{Name: enclosed.Name(), Query: q, Claimed: evidence.Claimed{}}, rows, nil, []int32{0, 0, 0})
			if err != nil {
				return err
			}
			_, err = mechanism.Release(ctx, table, 0, 1, nil)
			return err
		},
		"the mechanisms have different universes, with 2 datasets and 1 pairs of neighbors, and with 3 and 2; want the same universe": func() error {
			a, b := mechanism.Pairs(build(t, "ladder", other, eps(t, 1))), mechanism.Pairs(m)
			if err := b.Scope.(privacy.Exclusive).Excludes(mechanism.Pairs(twin).Scope); (err == nil) != q.Space().SameNeighbors(twin.Query().Space()) {
				t.Errorf("equal universes: %v", err)
			}
			return a.Scope.(privacy.Exclusive).Excludes(b.Scope)
		},
	} {
		err := do()
		if err == nil || err.Error() != want || err != broken && !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if _, err := mechanism.WithRange(ctx, m, discrete); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("numbers for a query of names: %v", err)
	}
	for name, do := range map[string]func(ctx context.Context) error{
		"a mean loss": func(ctx context.Context) error { _, err := mechanism.MeanLoss(ctx, m, fine, nil); return err },
		"an answer":   func(ctx context.Context) error { _, err := mechanism.WithRange(ctx, m, q); return err },
		"a product": func(ctx context.Context) error {
			_, err := mechanism.Product(ctx, product, []mechanism.Mechanism{m, m})
			return err
		},
		"a release": func(ctx context.Context) error { _, err := mechanism.Release(ctx, m, 0, 3, nil); return err },
	} {
		t.Run(name, func(t *testing.T) { looks.Each(t, 1, do) })
	}
}

// What is known by its name and ε says so, and is made again alike, with the number that it answers.
func TestRemadeMechanisms(t *testing.T) {
	q := pathQuery(t, 4)
	for _, name := range []string{"ladder", "exponential", "laplace", "geometric"} {
		e := ln(t, 3, 1)
		m := build(t, name, q, e)
		d, ok := m.(interface{ Definition() mechanism.Definition })
		if !ok || d.Definition() != (mechanism.Definition{Name: name, Eps: e}) {
			t.Errorf("%s is defined by %+v", name, d.Definition())
			continue
		}
		recipe := m.(interface{ Builder() mechanism.Builder }).Builder()
		again, err := recipe(t.Context())
		if err != nil || again == m {
			t.Fatalf("%s again: %v", name, err)
		}
		for x := range 4 {
			for r := range q.Range() {
				a, b := m.Enclose(x, r), again.Enclose(x, r)
				if again.Name() != m.Name() || again.Query() != q || a.Less(b) || b.Less(a) || m.LogProb(x, r) != again.LogProb(x, r) {
					t.Errorf("%s is made again as %s with %v, want %v", m.Name(), again.Name(), b, a)
				}
			}
		}
		looks.Each(t, 1, func(ctx context.Context) error { _, err := recipe(ctx); return err })
		// the number's statement is made again, too, and what the recipe says to a context that has ended is told
		n := must.For(mechanism.Privacy(m).Epsilon(t.Context(), 0))(t)
		if s, ok := n.Citation().Statement.(*mechanism.RebuiltStatement); ok {
			of := must.For(s.Statement(t.Context()))(t)
			if of.Says() != s.Says() {
				t.Errorf("%s says %q, and made again %q", name, s.Says(), of.Says())
			}
			looks.Each(t, 1, func(ctx context.Context) error { _, err := s.Statement(ctx); return err })
		}
	}
	for _, name := range []string{"", "other"} {
		m := mechanism.NewLayered("plain", must.For(mechanism.NewLayerTable(t.Context(), q, make([]int32, 16)))(t), ln(t, 2, 1), evidence.Claimed{})
		if r := m.Builder(); r != nil || m.Definition() != (mechanism.Definition{}) {
			t.Errorf("%q: a mechanism without a definition has a recipe", name)
		}
	}
}

// Levels of more datasets than are told apart at a time are told apart as few are: three kinds of rows in turn.
func TestLevelsOfManyDatasets(t *testing.T) {
	const n = 5000
	var edges [][2]int
	values := make([]query.Value, n)
	names := []query.Value{query.Name("a"), query.Name("b"), query.Name("c")}
	table := make([]int32, 0, 3*n)
	kind := func(x int) int { return (x / 7 * x) % 3 } // not the same part by part
	rows := [][]int32{{0, 1, 1}, {0, 0, 2}, {1, 2, 2}} // the third is the first, one level on
	for x := range n {
		values[x] = names[x%3]
		if x > 0 {
			edges = append(edges, [2]int{x - 1, x})
		}
		table = append(table, rows[kind(x)]...)
	}
	q := must.For(query.New("many", must.For(query.NewPathSpace(n, edges))(t), values, names, query.ValueMetric{Discrete: true}))(t)
	m := mechanism.NewLayered("many", must.For(mechanism.NewLayerTable(t.Context(), q, table))(t), ln(t, 2, 1), evidence.Claimed{})
	laws := [][]string{{"1/2", "1/4", "1/4"}, {"4/9", "4/9", "1/9"}, {"1/2", "1/4", "1/4"}}
	for x := range n {
		for r, want := range laws[kind(x)] {
			if p, ok := m.Rational(x, r); !ok || p.RatString() != want {
				t.Fatalf("value %d has the probability %v at dataset %d, want %s", r, p, x, want)
			}
		}
	}
	// 1/4 against 4/9, 1/2 against 4/9, 1/4 against 1/9
	if e := must.For(mechanism.Privacy(m).Epsilon(t.Context(), 0))(t); e.(evidence.ExactLog).Argument.RatString() != "9/4" {
		t.Errorf("smallest ε %v, want ln(9/4)", e)
	}
}

// Rows that are each other, one level on, have one normaliser: their loss is a level exactly, and no hair more. One dataset alone loses nothing.
func TestLossesWithoutNormalisers(t *testing.T) {
	q := pathQuery(t, 2)
	m := mechanism.NewLayered("levels", must.For(mechanism.NewLayerTable(t.Context(), q, []int32{0, 1, 2, 1}))(t), eps(t, 0.5), evidence.Claimed{})
	lo, hi := must.For(mechanism.Privacy(m).Epsilon(t.Context(), 0))(t).Bounds()
	// e^{−0}/(1 + w) against w/(w + w²): 1; w/(1 + w) against 1/(1 + w): w = e^{−1/2}
	if lo != 0.5 || hi != 0.5 {
		t.Errorf("a loss of one level in [%.17g, %.17g], want 1/2 exactly", lo, hi)
	}
	for _, e := range []evidence.Epsilon{ln(t, 2, 1), eps(t, 0.5)} {
		m := mechanism.NewLayered("alone", must.For(mechanism.NewLayerTable(t.Context(), pathQuery(t, 1), []int32{0}))(t), e, evidence.Claimed{})
		n := must.For(mechanism.Privacy(m).Epsilon(t.Context(), 0))(t)
		if lo, hi := n.Bounds(); lo != 0 || hi != 0 || n.Float() != 0 {
			t.Errorf("one dataset loses %v in [%g, %g], want 0", n, lo, hi)
		}
	}
}
