package layers_test

import (
	"context"
	"math"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

func triangles(t testing.TB, n int) *query.Query {
	t.Helper()
	g, err := query.NewGraphs(context.Background(), n)
	if err != nil {
		t.Fatal(err)
	}
	q, err := g.Count("triangle")
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func epsilon(t testing.TB, v float64) evidence.Epsilon {
	t.Helper()
	e, err := evidence.NewEpsilon("eps", v)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Golden values from computations independent of this code (Figure 1 of Wu et
// al.; fraction better, mean ratio, smallest ε of both mechanisms).
func TestPurestAgainstLadderOnG7(t *testing.T) {
	ctx := context.Background()
	q := triangles(t, 7)
	if q.Size() != 1044 || len(q.Range()) != 28 || q.Space().Diameter() != 21 || q.Space().Pairs() != 6558 {
		t.Fatalf("G_7 has %d graphs, %d values, diameter %g, %d pairs", q.Size(), len(q.Range()), q.Space().Diameter(), q.Space().Pairs())
	}
	for _, c := range []struct{ decay, better, mean, purest, ladder float64 }{
		{0.5, 0.9923, 0.72234, 0, 0},
		{1, 0.9952, 0.72692, 1.4138, 1.4260},
		{2, 0.9971, 0.80644, 2.2736, 2.3216},
		{3, 1, 0.82358, 3.1501, 3.1800},
	} {
		p, err := layers.NewPurest(ctx, q, epsilon(t, c.decay))
		if err != nil {
			t.Fatal(err)
		}
		l, err := mechanism.NewLadder(ctx, q, epsilon(t, 2*c.decay))
		if err != nil {
			t.Fatal(err)
		}
		r, err := mechanism.Compare(ctx, p, l)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(r.Better-c.better) > 5e-5 || math.Abs(r.Mean-c.mean) > 5e-6 {
			t.Errorf("decay %g: better %.4f, mean %.5f, want %.4f, %.5f", c.decay, r.Better, r.Mean, c.better, c.mean)
		}
		for _, m := range []struct {
			m    mechanism.Mechanism
			want float64
		}{{p, c.purest}, {l, c.ladder}} {
			got, err := mechanism.Privacy(m.m).Epsilon(ctx, evidence.Delta{})
			if err != nil {
				t.Fatal(err)
			}
			lo, hi := got.Bounds()
			if m.want > 0 && math.Abs(got.Float()-m.want) > 5e-5 {
				t.Errorf("decay %g: smallest ε of %s is %.5f, want %.4f", c.decay, m.m.Name(), got.Float(), m.want)
			}
			if hi-lo > 1e-12*max(hi, c.decay) {
				t.Errorf("%s: enclosure [%v, %v] is too wide", m.m.Name(), lo, hi)
			}
		}
	}
}
