package query

import (
	"context"
	"errors"
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
)

func twoCounts(t *testing.T) (a, b *Query) {
	g := must.For(NewGraphs(context.Background(), 4))(t)
	return must.For(g.Count("triangle"))(t), must.For(g.Count("edge"))(t)
}

// The product's metric is the norm of the parts', and a metric; values and range are tuples.
func TestProduct(t *testing.T) {
	ctx := context.Background()
	a, b := twoCounts(t)
	for _, norm := range []Norm{SumNorm, MaxNorm, EuclideanNorm} {
		for _, weights := range [][]*big.Rat{nil, {big.NewRat(1, 2), big.NewRat(3, 1)}} {
			q := must.For(Product(ctx, []*Query{a, b}, norm, weights))(t)
			if len(q.Range()) != len(a.Range())*len(b.Range()) {
				t.Fatalf("%d tuples", len(q.Range()))
			}
			w := [2]float64{1, 1}
			if weights != nil {
				w = [2]float64{0.5, 3}
			}
			for i, v := range q.Range() {
				p := v.(Tuple)
				for j, u := range q.Range() {
					o := u.(Tuple)
					d, e := w[0]*math.Abs(float64(p[0].(Number)-o[0].(Number))), w[1]*math.Abs(float64(p[1].(Number)-o[1].(Number)))
					want := d + e
					switch norm {
					case MaxNorm:
						want = max(d, e)
					case EuclideanNorm:
						want = math.Hypot(d, e)
					}
					if got := q.Metric().Distance(i, j); got < want-1e-12 || got > want+1e-6 {
						t.Fatalf("%s of %v and %v: %g, want %g", norm, p, o, got, want)
					}
				}
				if r, ok := q.Find(v); !ok || r != i {
					t.Fatalf("%v stands at %d, %v", v, r, ok)
				}
			}
			if err := checkMetric(ctx, len(q.Range()), flatDistances(q), "product"); err != nil {
				t.Fatalf("%s: %v", norm, err)
			}
			for x := range q.Size() {
				v := q.Value(x).(Tuple)
				if v[0] != a.Value(x) || v[1] != b.Value(x) {
					t.Fatalf("f(%d) = %v", x, v)
				}
			}
		}
	}
	other := must.For(NewNumeric("other", must.For(NewPathSpace(2, [][2]int{{0, 1}}))(t), []float64{0, 1}, nil))(t)
	for name, f := range map[string]func() (*Query, error){
		"one query":      func() (*Query, error) { return Product(ctx, []*Query{a}, SumNorm, nil) },
		"other datasets": func() (*Query, error) { return Product(ctx, []*Query{a, other}, SumNorm, nil) },
		"a weight of 0": func() (*Query, error) {
			return Product(ctx, []*Query{a, b}, SumNorm, []*big.Rat{big.NewRat(1, 1), new(big.Rat)})
		},
		"one weight": func() (*Query, error) { return Product(ctx, []*Query{a, b}, SumNorm, []*big.Rat{big.NewRat(1, 1)}) },
		"no norm":    func() (*Query, error) { return Product(ctx, []*Query{a, b}, "l3", nil) },
	} {
		if _, err := f(); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func flatDistances(q *Query) []*big.Rat {
	var out []*big.Rat
	for i := range q.Range() {
		for j := range q.Range() {
			out = append(out, q.Metric().Rational(i, j))
		}
	}
	return out
}

// Definition 10 by all triples.
func TestMonotonic(t *testing.T) {
	ctx := context.Background()
	a, b := twoCounts(t)
	h := must.For(NewHistograms(ctx, 1, 4, AddRemove))(t)
	line := must.For(h.Counting([]int{0}))(t)
	flat := must.For(NewNumeric("flat", line.Space(), []float64{0, 0, 1, 1, 2}, nil))(t)
	for _, q := range []*Query{a, b, line, flat} {
		weak, strict := true, true
		for x := range q.Size() {
			far := q.Space().Distances(x)
			for y := range far {
				for z := range far {
					if far[y] > far[z] {
						d, e := q.Metric().Steps(q.ValueIndex(x), q.ValueIndex(y)), q.Metric().Steps(q.ValueIndex(x), q.ValueIndex(z))
						weak, strict = weak && d >= e, strict && d > e
					}
				}
			}
		}
		m := must.For(q.Monotonic(ctx))(t)
		if m.Weak != weak || m.Strict != strict {
			t.Errorf("%s: %+v, want %v and %v", q.Name(), m, weak, strict)
		}
		if !m.Strict {
			far := q.Space().Distances(m.X)
			d, e := q.Metric().Steps(q.ValueIndex(m.X), q.ValueIndex(m.Y)), q.Metric().Steps(q.ValueIndex(m.X), q.ValueIndex(m.Z))
			if !(far[m.Y] > far[m.Z]) || d > e || m.Weak != (d == e) {
				t.Errorf("%s: %+v shows nothing", q.Name(), m)
			}
		}
	}
}

func TestWithLoss(t *testing.T) {
	a, _ := twoCounts(t)
	size := len(a.Range())
	loss := make([][]*big.Rat, size)
	for i := range loss {
		loss[i] = make([]*big.Rat, size)
		for j := range loss[i] {
			loss[i][j] = must.For(SquaredError(a, i, j))(t)
		}
	}
	loss[0][1] = big.NewRat(7, 3) // no symmetry is asked
	q := must.For(a.WithLoss("lossy", loss))(t)
	for i := range loss {
		for j := range loss {
			if q.Metric().Rational(i, j).Cmp(loss[i][j]) != 0 {
				t.Fatalf("loss[%d][%d] is %v", i, j, q.Metric().Rational(i, j))
			}
		}
	}
	if q.CheckMetric("x") == nil || a.CheckMetric("x") != nil {
		t.Error("a loss passes for a metric, or a metric for a loss")
	}
	loss[1][1] = big.NewRat(-1, 1)
	if _, err := a.WithLoss("negative", loss); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("a negative loss: %v", err)
	}
	if _, err := a.WithLoss("short", loss[1:]); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("a matrix too short: %v", err)
	}
}

// The three examples: what a dataset's value is, by hand, and that metrics are metrics.
func TestExampleQueries(t *testing.T) {
	ctx := context.Background()
	h := must.For(NewHistograms(ctx, 3, 3, AddRemove))(t)
	f := must.For(h.Cumulative(MaxNorm))(t)
	if v := f.Value(must.For(h.Index([]int{1, 0, 2}))(t)); v.String() != "(1/3, 1/3, 1)" {
		t.Errorf("the distribution function of (1, 0, 2) is %v", v)
	}
	c := must.For(h.Classifier([]int{0, 1, 1}, [][]int{{1, 1, 1}, {0, 1, 1}, {0, 0, 0}}, nil))(t)
	for counts, want := range map[[3]int]string{{0, 0, 0}: "[1, 1, 1]", {0, 2, 0}: "[1, 1, 1]", {1, 2, 0}: "[0, 1, 1]", {3, 0, 0}: "[0, 1, 1]"} {
		if v := c.Value(must.For(h.Index(counts[:]))(t)); v.String() != want {
			t.Errorf("the best classifier of %v is %v, want %s", counts, v, want)
		}
	}
	p := must.For(h.Principal([][]int{{1, 1}, {1, -1}, {2, 0}}, 2))(t)
	for counts, want := range map[[3]int][4]float64{
		{0, 0, 0}: {1, 0, 0, 1}, // one eigenspace: the axes
		{1, 1, 0}: {1, 0, 0, 1},
		{0, 0, 1}: {1, 0, 0, 1},
		{2, 0, 0}: {math.Sqrt2 / 2, math.Sqrt2 / 2, math.Sqrt2 / 2, -math.Sqrt2 / 2},
	} {
		v := p.Value(must.For(h.Index(counts[:]))(t)).(Tuple)
		for i, w := range want {
			q, _ := RationalOf(v[i])
			if got, _ := q.Float64(); math.Abs(got-w) > 0x1p-20 {
				t.Errorf("components of %v: %v, want %v", counts, v, want)
			}
		}
	}
	for _, q := range []*Query{f, c, p} {
		if err := checkMetric(ctx, len(q.Range()), flatDistances(q), q.Name()); err != nil {
			t.Error(err)
		}
	}
	for name, g := range map[string]func() (*Query, error){
		"a label too few":    func() (*Query, error) { return h.Classifier([]int{0}, [][]int{{0, 0, 0}}, nil) },
		"the same twice":     func() (*Query, error) { return h.Classifier([]int{0, 0, 0}, [][]int{{0, 0, 0}, {0, 0, 0}}, nil) },
		"no classifier":      func() (*Query, error) { return h.Classifier([]int{0, 0, 0}, nil, nil) },
		"ragged vectors":     func() (*Query, error) { return h.Principal([][]int{{1, 1}, {1}, {1, 1}}, 1) },
		"three components":   func() (*Query, error) { return h.Principal([][]int{{1, 1}, {1, 0}, {1, 1}}, 3) },
		"a norm that is not": func() (*Query, error) { return h.Cumulative("l7") },
	} {
		if _, err := g(); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
