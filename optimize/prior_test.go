package optimize_test

import (
	"context"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/mechanism"
	"dpworkbench/optimize"
	"dpworkbench/query"
)

// A prior with no small common denominator is the certificate's own, to the last
// digit, and what the certificate proves is the lower end.
func TestCertificateOfLongPrior(t *testing.T) {
	q := counts(t, 3)
	prior := decimals(0.12345678901234567, 0.2345678901234567, 0.3456789012345678, 0.29629641962962966)
	weights, err := mechanism.PriorWeights(4, prior)
	if err != nil {
		t.Fatal(err)
	}
	for _, eps := range []evidence.Epsilon{epsilon(t, 1), logarithm(t, 3, 1)} {
		m := solve(t, q, eps, optimize.Options{Prior: prior})
		c := m.Certificate()
		for x, w := range weights {
			if c.Weight[x].Cmp(w) != 0 {
				t.Errorf("weight %d is %v, want the prior's %v", x, c.Weight[x], w)
			}
		}
		if c.Unit.Cmp(q.Metric().Unit()) != 0 {
			t.Errorf("unit %v, want the value metric's %v", c.Unit, q.Metric().Unit())
		}
		w := new(big.Rat)
		if v, ok := eps.Exp(); ok {
			w = v
			if m.Optimum().Kind() != evidence.KindExact {
				t.Errorf("optimum at %v is %s, want exact", eps, m.Optimum().Kind())
			}
		}
		checkCertificate(t, q, m, w)
	}
}

// A calibrated mechanism keeps its word at an exact ε and at tiny ones.
func TestCalibrateKeepsItsWord(t *testing.T) {
	ctx := context.Background()
	q := triangles(t, 4)
	for _, eps := range []evidence.Epsilon{logarithm(t, 3, 1), logarithm(t, 7, 2), epsilon(t, 1e-10), epsilon(t, 1e-80), epsilon(t, 1e-300)} {
		m, err := optimize.Calibrate(ctx, purest(q), eps)
		if err != nil {
			t.Fatal(err)
		}
		loss, err := mechanism.Privacy(m).Epsilon(ctx, evidence.Delta{})
		if err != nil {
			t.Fatal(err)
		}
		if mechanism.AtMost(loss, eps) != evidence.Confirmed || !(loss.Float() > 0) {
			t.Errorf("calibrated to %v, smallest ε %v", eps, loss)
		}
	}
}

// A value that is nearer to every dataset's than another by less than a rounding is the
// one that is kept.
func TestValuesThatRoundToOneDistance(t *testing.T) {
	space, err := query.NewMatrixSpace([][]float64{{0, 1, 1}, {1, 0, 1}, {1, 1, 0}})
	if err != nil {
		t.Fatal(err)
	}
	one, corner := big.NewRat(1, 1), big.NewRat(9, 5)
	less, _ := new(big.Rat).SetString("0.99999999999999999999")
	d := make([][]*big.Rat, 5) // three corners and two centres
	for i := range d {
		d[i] = make([]*big.Rat, 5)
		for j := range d[i] {
			switch far := max(i, j); {
			case i == j:
				d[i][j] = new(big.Rat)
			case far < 3:
				d[i][j] = corner
			case far == 4 && min(i, j) < 3:
				d[i][j] = less
			default:
				d[i][j] = one
			}
		}
	}
	names := []query.Value{query.Name("a"), query.Name("b"), query.Name("c"), query.Name("r"), query.Name("s")}
	q, err := query.New("centres", space, names[:3], names, query.ValueMetric{Rational: d})
	if err != nil {
		t.Fatal(err)
	}
	for _, objective := range []optimize.Objective{optimize.Mean, optimize.Worst} {
		m := solve(t, q, logarithm(t, 3, 2), optimize.Options{Objective: objective})
		if e, ok := m.Optimum().(evidence.Exact); !ok || e.Value.Cmp(less) != 0 {
			t.Errorf("%s: optimum %v, want exactly %v", objective, m.Optimum(), less.FloatString(20))
		}
	}
}

// A value that is far away and of no use takes nothing from the optimum.
func TestFarValueOfNoUse(t *testing.T) {
	space, err := query.NewMatrixSpace([][]float64{{0, 1}, {1, 0}})
	if err != nil {
		t.Fatal(err)
	}
	near := []*big.Rat{big.NewRat(3, 1), big.NewRat(9, 4)}
	for _, far := range []*big.Rat{big.NewRat(1<<53-1, 1), new(big.Rat).SetFrac(new(big.Int).Lsh(big.NewInt(1), 900), big.NewInt(7))} {
		values := []query.Value{query.RationalValue(near[0]), query.RationalValue(near[1])}
		q, err := query.New("near", space, values, append(values, query.RationalValue(far)), query.ValueMetric{})
		if err != nil {
			t.Fatal(err)
		}
		for _, objective := range []optimize.Objective{optimize.Mean, optimize.Worst} {
			m := solve(t, q, logarithm(t, 3, 1), optimize.Options{Objective: objective})
			want := big.NewRat(3, 16) // the distance, ¾, a time in four
			if e, ok := m.Optimum().(evidence.Exact); !ok || e.Value.Cmp(want) != 0 {
				t.Errorf("%s beside %v: optimum %v, want exactly %v", objective, far, m.Optimum(), want)
			}
			checkCertificate(t, q, m, big.NewRat(3, 1))
		}
	}
}
