package records_test

import (
	"context"
	"errors"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/must"
	"dpworkbench/records"
	"dpworkbench/smooth"
)

// Every method that polls its context stops if the context is cancelled at any poll.
func TestLawsStop(t *testing.T) {
	one, little := must.Be(evidence.NewEpsilon("eps", 1)), must.Be(evidence.NewEpsilon("eps", 0.004))
	_, grid := quarterRecords(t, quarters[0], rat(1, 4), records.Replace)
	_, open := quarterRecords(t, quarters[0], nil, records.Replace)
	for i, name := range slices.Sorted(maps.Keys(mechanisms)) {
		of := mechanisms[name]
		for j, q := range []*records.Query{must.For(grid.Median())(t), must.For(open.Median())(t)} {
			if !cases.All() && i%2 != j {
				continue
			}
			fresh := func() records.Law { return must.For(of(q, one))(t) } // without cached results
			what := name + " of " + q.Name()
			check := func(do string, f func(ctx context.Context, m records.Law) error) {
				t.Run(what+": "+do, func(t *testing.T) {
					places := ctxtest.EachPoll(t, 0, func(ctx context.Context) error { return f(ctx, fresh()) })
					if err := f(ctxtest.CancelAfter(t.Context(), 0), fresh()); places > 0 && !errors.Is(err, context.Canceled) {
						t.Errorf("%v from an ended context", err)
					}
				})
			}
			check("distortion", func(ctx context.Context, m records.Law) error { return errorOf(m.Distortion(ctx)) })
			check("distortion from", func(ctx context.Context, m records.Law) error {
				return errorOf(records.DistortionFrom(ctx, m, rat(1, 3)))
			})
			check("within", func(ctx context.Context, m records.Law) error { return errorOf(m.Within(ctx, rat(1, 3))) })
			check("between", func(ctx context.Context, m records.Law) error { return errorOf(m.Between(ctx, rat(0, 1), rat(1, 3))) })
			check("probability", func(ctx context.Context, m records.Law) error {
				return errorOf(records.Probability(ctx, m, rat(0, 1), rat(1, 3)))
			})
			check("quantile", func(ctx context.Context, m records.Law) error {
				return errorOf(records.ErrorQuantile(ctx, m, rat(1, 3)))
			})
			check("simulate", func(ctx context.Context, m records.Law) error {
				return errorOf(m.Simulate(ctx, 4097, rand.NewPCG(1, 2)))
			})
			if l, ok := fresh().(*records.Layered); ok && l != nil {
				check("pieces", func(ctx context.Context, m records.Law) error { return errorOf(m.(*records.Layered).Pieces(ctx)) })
				check("density", func(ctx context.Context, m records.Law) error {
					_, _, err := m.(*records.Layered).Density(ctx, rat(1, 2))
					return err
				})
			}
			check("release", func(ctx context.Context, m records.Law) error {
				_, _, err := m.(records.Releaser).Release(ctx, 2, rand.NewPCG(1, 2))
				return err
			})
		}
	}
	long := make([]float64, 2000)
	for i := range long {
		long[i] = float64(i) / 2000
	}
	many := must.For(records.New(long, records.Options{Lo: rat(0, 1), Hi: rat(1, 1), Neighbors: records.Replace}))(t)
	for _, decay := range []evidence.Epsilon{little, ln3} { // by orderLaw and by the general code
		ctxtest.EachPoll(t, 1, func(ctx context.Context) error {
			return errorOf(must.For(records.NewPurest(must.For(many.Median())(t), decay))(t).Distortion(ctx))
		})
	}
	// Test a staircase with many steps across a long lattice.
	steps := must.For(records.New([]float64{0.5}, records.Options{Lo: rat(0, 1), Hi: rat(1000, 1), Grid: rat(1, 2), Neighbors: records.AddRemove}))(t)
	stair := must.For(records.NewStaircase(must.For(steps.Total())(t), little, nil))(t)
	ctxtest.EachPoll(t, 1, func(ctx context.Context) error { return errorOf(stair.Distortion(ctx)) })
	ctxtest.EachPoll(t, 1, func(ctx context.Context) error {
		return errorOf(records.DistortionFrom(ctx, stair, rat(7, 1)))
	})
	ctxtest.EachPoll(t, 1, func(ctx context.Context) error {
		return errorOf(records.Probability(ctx, must.For(records.NewPurest(must.For(many.Median())(t), little))(t), rat(0, 1), rat(1, 3)))
	})
	for _, of := range modal {
		m := must.For(of(modeOf(t, []int{1, 3, 2}, records.Replace), one))(t)
		ctxtest.EachPoll(t, 1, func(ctx context.Context) error {
			_, _, err := m.(records.Releaser).Release(ctx, 2, rand.NewPCG(1, 2))
			return err
		})
		ctxtest.EachPoll(t, 1, func(ctx context.Context) error { return errorOf(records.ErrorQuantile(ctx, m, rat(1, 3))) })
	}
}

// Graph queries, extensions, smooth bounds and verifications stop at each poll as well.
func TestGraphsStop(t *testing.T) {
	edge, node := triangle(records.Edge), triangle(records.Node)
	for name, do := range map[string]func(ctx context.Context) error{
		"triangles":          func(ctx context.Context) error { return errorOf(edge.Triangles(ctx)) },
		"triangles of nodes": func(ctx context.Context) error { return errorOf(node.Triangles(ctx)) },
		"extension of edges": func(ctx context.Context) error { return errorOf(records.Extend(ctx, must.Be(node.Edges()), 1, nil)) },
		"extension of stars": func(ctx context.Context) error { return errorOf(records.Extend(ctx, must.Be(node.KStar(2)), 2, nil)) },
		"extension of triangles": func(ctx context.Context) error {
			return errorOf(records.Extend(ctx, must.Be(edge.Triangles(context.Background())), 2, nil))
		},
		"smooth": func(ctx context.Context) error {
			return errorOf(records.NewSmooth(ctx, must.Be(edge.Triangles(context.Background())), must.Be(smooth.Calibrate(must.Be(smooth.Student(rat(3, 1))), ln3, evidence.Delta{}, nil))))
		},
	} {
		t.Run(name, func(t *testing.T) { ctxtest.EachPoll(t, 1, do) })
	}
	own := ownMedian(func(_ []float64, _, layer int) int { return layer }).Bare(records.Replace)
	for name, q := range map[string]*records.Query{"median": must.For(small(records.Replace).Median())(t), "own": own, "mode": modeOf(t, []int{1, 2}, records.AddRemove)} {
		for what, of := range map[string]func(q *records.Query) (records.Law, error){
			"purest":  purest,
			"laplace": func(q *records.Query) (records.Law, error) { return records.NewLaplace(q, ln3) },
			"delta": func(q *records.Query) (records.Law, error) {
				return records.NewSmooth(ctx, q, must.Be(smooth.Calibrate(smooth.Laplace(), ln3, evidencetest.RationalDelta(rat(1, 100)), nil)))
			},
		} {
			if name != "median" && what != "purest" {
				continue
			}
			t.Run(name+", "+what, func(t *testing.T) {
				values := []float64{0, 1, 2, 3}
				if name == "mode" {
					values = values[:2]
				}
				ctxtest.EachPoll(t, 4, func(ctx context.Context) error {
					return errorOf(records.Verify(ctx, q, of, records.VerifyOptions{Records: 4, Values: values}))
				})
			})
		}
	}
	for _, g := range []*records.Graph{edge, node} {
		ctxtest.EachPoll(t, 4, func(ctx context.Context) error {
			return errorOf(records.Verify(ctx, must.Be(g.Edges()), purest, records.VerifyOptions{Nodes: 4}))
		})
	}
}

// DistortionFrom stops at each poll, also if the reference value is many staircase corners away.
func TestDistortionFromStops(t *testing.T) {
	eps := must.For(evidence.NewEpsilon("eps", 0.2))(t)
	r := must.For(records.New([]float64{0.5}, records.Options{Lo: rat(0, 1), Hi: rat(1000, 1), Grid: rat(1, 2), Neighbors: records.AddRemove}))(t)
	stair := must.For(records.NewStaircase(must.For(r.Total())(t), eps, nil))(t)
	ctxtest.EachPoll(t, 2, func(ctx context.Context) error { // polls in computing the error, and on the way to the reference value
		n, err := records.DistortionFrom(ctx, stair, rat(500_000, 1))
		if (n == nil) != (err != nil) {
			t.Errorf("%v beside the error %v", n, err)
		}
		return err
	})
}

// The answers of a noisy mean stop at each poll.
func TestNoisyMeanStops(t *testing.T) {
	r := must.For(records.New([]float64{0, 2, 2}, records.Options{Lo: rat(0, 1), Hi: rat(2, 1), Grid: rat(1, 1), Neighbors: records.AddRemove}))(t)
	m := must.For(records.NewNoisyMean(must.For(r.Mean())(t), must.Be(evidence.NewEpsilon("eps", 2)), rat(1, 2)))(t)
	for _, ask := range []func(ctx context.Context) error{
		func(ctx context.Context) error { return errorOf(records.DistortionFrom(ctx, m, rat(1, 3))) },
		func(ctx context.Context) error { return errorOf(m.Distortion(ctx)) },
		func(ctx context.Context) error { return errorOf(m.Between(ctx, rat(1, 3), rat(1, 1))) },
		func(ctx context.Context) error { return errorOf(records.ErrorQuantile(ctx, m, rat(1, 3))) },
		func(ctx context.Context) error { return errorOf(m.Simulate(ctx, 4097, rand.NewPCG(1, 2))) },
	} {
		ctxtest.EachPoll(t, 1, ask)
	}
}

// After its context ends, Verify calls custom functions and builds mechanisms for at most 64 more datasets.
func TestVerifyStopsPromptly(t *testing.T) {
	options := records.VerifyOptions{Records: 4, Values: []float64{0, 1, 2, 3, 4}} // 70 datasets
	c, end := context.WithCancel(t.Context())
	made := 0
	v, err := records.Verify(c, must.For(small(records.Replace).Median())(t), func(q *records.Query) (records.Law, error) {
		made++
		end()
		return purest(q)
	}, options)
	if v != nil || !errors.Is(err, context.Canceled) || made > 64 {
		t.Errorf("%v after %d mechanisms, error %v", v, made, err)
	}
	c, end = context.WithCancel(t.Context())
	asked := 0
	own := must.For(records.NewCustomQuery(records.CustomQuery{
		Value: func(x records.Dataset) (*big.Rat, error) {
			asked++
			end()
			return new(big.Rat).SetFloat64(x.Records[0]), nil
		},
		Distance: func(records.Dataset, *big.Rat) (int, error) { return 1, nil },
	}))(t)
	if v, err := records.Verify(c, own.Bare(records.Replace), purest, options); v != nil || !errors.Is(err, context.Canceled) || asked > 64 {
		t.Errorf("%v after %d values, error %v", v, asked, err)
	}
}
