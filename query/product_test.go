package query_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/query"
)

// VectorMetric matches its definition. Euclidean distances are rounded up by less than 2⁻²⁰ of the unit.
func TestVectorMetric(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 3))
	for range 30 {
		vectors := make([][]*big.Rat, 4)
		for i := range vectors {
			for range 3 {
				vectors[i] = append(vectors[i], big.NewRat(rng.Int64N(19)-9, []int64{1, 2, 6}[rng.IntN(3)]))
			}
		}
		unit := big.NewRat(1, 6<<20) // smaller common denominators give a multiple of this unit
		for _, norm := range []query.Norm{query.SumNorm, query.MaxNorm, query.EuclideanNorm} {
			d := must.For(query.VectorMetric(vectors, norm))(t)
			for i, a := range vectors {
				for j, b := range vectors {
					sum, most, square := new(big.Rat), new(big.Rat), new(big.Rat)
					for k := range a {
						v := new(big.Rat).Sub(a[k], b[k])
						v.Abs(v)
						sum.Add(sum, v)
						if v.Cmp(most) > 0 {
							most = v
						}
						square.Add(square, new(big.Rat).Mul(v, v))
					}
					switch got := d[i][j]; {
					case norm == query.SumNorm && got.Cmp(sum) != 0, norm == query.MaxNorm && got.Cmp(most) != 0:
						t.Errorf("%s: d(%v, %v) = %v", norm, a, b, got)
					case norm == query.EuclideanNorm:
						less := new(big.Rat).Sub(got, big.NewRat(1, 1<<20))
						if new(big.Rat).Mul(got, got).Cmp(square) < 0 || less.Sign() > 0 && less.Mul(less, less).Cmp(square) >= 0 || !new(big.Rat).Quo(got, unit).IsInt() {
							t.Errorf("d(%v, %v) = %v, want √%v", a, b, got, square)
						}
					}
				}
			}
		}
	}
	for what, f := range map[string]func() ([][]*big.Rat, error){
		"norm": func() ([][]*big.Rat, error) { return query.VectorMetric(nil, "l3") },
		"shape": func() ([][]*big.Rat, error) {
			return query.VectorMetric([][]*big.Rat{{big.NewRat(1, 1)}, {}}, query.SumNorm)
		},
	} {
		if d, err := f(); d != nil || !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("a bad %s: %v, %v", what, d, err)
		}
	}
	// sqrtUp returns the smallest multiple of the unit that is at least the root, also if the root is itself a
	// multiple.
	for _, c := range [][3]int64{{3, 4, 5 << 20}, {1, 1, 1482911}, {0, 0, 0}, {20, 21, 29 << 20}, {2, 3, 3780695}} { // ⌈√2·2²⁰⌉, ⌈√13·2²⁰⌉
		d := must.For(query.VectorMetric([][]*big.Rat{{new(big.Rat), new(big.Rat)}, {big.NewRat(c[0], 1), big.NewRat(c[1], 1)}}, query.EuclideanNorm))(t)
		if want := big.NewRat(c[2], 1<<20); d[0][1].Cmp(want) != 0 || d[1][0].Cmp(want) != 0 {
			t.Errorf("|(%d, %d)| is %v, want %v", c[0], c[1], d[0][1], want)
		}
	}
}

func twoCounts(t *testing.T) (a, b *query.Query) {
	g := must.For(query.NewGraphs(context.Background(), 4))(t)
	return must.For(g.Count("triangle"))(t), must.For(g.Count("edge"))(t)
}

// The metric of a product is the norm of the factors' metrics, and its values are tuples.
func TestProduct(t *testing.T) {
	ctx := context.Background()
	a, b := twoCounts(t)
	for _, norm := range []query.Norm{query.SumNorm, query.MaxNorm, query.EuclideanNorm} {
		for _, weights := range [][]*big.Rat{nil, {big.NewRat(1, 2), big.NewRat(3, 1)}} {
			q := must.For(query.Product(ctx, []*query.Query{a, b}, norm, weights))(t)
			if len(q.Range()) != len(a.Range())*len(b.Range()) {
				t.Fatalf("%d tuples", len(q.Range()))
			}
			w := [2]float64{1, 1}
			if weights != nil {
				w = [2]float64{0.5, 3}
			}
			for i, v := range q.Range() {
				p := v.(query.Tuple)
				for j, u := range q.Range() {
					o := u.(query.Tuple)
					d, e := w[0]*math.Abs(float64(p[0].(query.Number)-o[0].(query.Number))), w[1]*math.Abs(float64(p[1].(query.Number)-o[1].(query.Number)))
					want := d + e
					switch norm {
					case query.MaxNorm:
						want = max(d, e)
					case query.EuclideanNorm:
						want = math.Hypot(d, e)
					}
					if got := q.Metric().Distance(i, j); got < want-1e-12 || got > want+1e-6 {
						t.Fatalf("%s of %v and %v: %g, want %g", norm, p, o, got, want)
					}
				}
				if r, ok := q.Find(v); !ok || r != i {
					t.Fatalf("%v has the index %d, %v", v, r, ok)
				}
			}
			if err := checkMetric(ctx, q); err != nil {
				t.Fatalf("%s: %v", norm, err)
			}
			for x := range q.Size() {
				v := q.Value(x).(query.Tuple)
				if v[0] != a.Value(x) || v[1] != b.Value(x) {
					t.Fatalf("f(%d) = %v", x, v)
				}
			}
		}
	}
	other := must.For(query.NewNumeric("other", must.For(query.NewPathSpace(2, [][2]int{{0, 1}}))(t), []float64{0, 1}, nil))(t)
	for name, f := range map[string]func() (*query.Query, error){
		"one query":      func() (*query.Query, error) { return query.Product(ctx, []*query.Query{a}, query.SumNorm, nil) },
		"other datasets": func() (*query.Query, error) { return query.Product(ctx, []*query.Query{a, other}, query.SumNorm, nil) },
		"a weight of 0": func() (*query.Query, error) {
			return query.Product(ctx, []*query.Query{a, b}, query.SumNorm, []*big.Rat{big.NewRat(1, 1), new(big.Rat)})
		},
		"one weight": func() (*query.Query, error) {
			return query.Product(ctx, []*query.Query{a, b}, query.SumNorm, []*big.Rat{big.NewRat(1, 1)})
		},
		"unknown norm": func() (*query.Query, error) { return query.Product(ctx, []*query.Query{a, b}, "l3", nil) },
	} {
		if _, err := f(); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// checkMetric returns an error unless the value metric of a query satisfies the axioms of a metric.
func checkMetric(ctx context.Context, q *query.Query) error {
	d := make([][]*big.Rat, len(q.Range()))
	for i := range d {
		for j := range d {
			d[i] = append(d[i], q.Metric().Rational(i, j))
		}
	}
	_, err := query.NewRationalSpace(ctx, d)
	return err
}
