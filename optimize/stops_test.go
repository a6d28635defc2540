package optimize_test

import (
	"context"
	"math/big"
	"runtime"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/must"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/optimize"
	"dpworkbench/xor"
)

// Every function returns the error of its context at each poll.
func TestEverythingStops(t *testing.T) {
	q := counts(t, 2)
	tied := radiiQuery(t, [][2]int{{0, 1}, {1, 2}, {2, 3}}, []float64{11, 12, 1, 10})
	than := must.For(layers.NewPurest(context.Background(), q, evidencetest.Epsilon(0.3)))(t)
	exact, decimal := evidencetest.LogEpsilon(3, 1), evidencetest.Epsilon(0.7)
	for _, eps := range []evidence.Epsilon{exact, decimal} {
		for _, c := range []struct {
			what  string
			least int
			do    func(ctx context.Context) error
		}{
			{"tight", 3, func(ctx context.Context) error { _, err := optimize.NewTight(ctx, q, eps); return err }},
			{"constants", 2, func(ctx context.Context) error { _, err := optimize.TightConstants(ctx, q.Space(), eps); return err }},
			{"calibration", 3, func(ctx context.Context) error {
				_, err := optimize.Calibrate(ctx, func(e evidence.Epsilon) (mechanism.Mechanism, error) {
					return mechanism.NewGeometric(context.Background(), q, e)
				}, decimal)
				return err
			}},
			{"greedy radii", 4, func(ctx context.Context) error {
				_, err := optimize.GreedyRadii(ctx, q, eps, optimize.Mean, nil)
				return err
			}},
			{"radii that grow", 6, func(ctx context.Context) error {
				_, err := optimize.GreedyRadii(ctx, tied, exact, optimize.Mean, nil)
				return err
			}},
			{"all radii", 3, func(ctx context.Context) error {
				_, err := optimize.ExhaustiveRadii(ctx, q, eps, optimize.Worst, nil)
				return err
			}},
			{"improvement", 6, func(ctx context.Context) error {
				_, err := optimize.NewOptimal(ctx, q, eps, optimize.Options{Objective: optimize.Pareto, Than: than})
				return err
			}},
			{"optimum", 5, func(ctx context.Context) error {
				_, err := optimize.NewOptimal(ctx, q, eps, optimize.Options{Objective: optimize.Worst, Rational: optimize.Never})
				return err
			}},
			{"optimum at a δ", 5, func(ctx context.Context) error {
				_, err := optimize.NewOptimal(ctx, q, eps, optimize.Options{Objective: optimize.Worst, Rational: optimize.Never, Delta: evidencetest.RationalDelta(big.NewRat(1, 100))})
				return err
			}},
			{"improvement at a δ", 6, func(ctx context.Context) error {
				_, err := optimize.NewOptimal(ctx, q, eps, optimize.Options{Objective: optimize.Pareto, Than: than, Delta: evidencetest.RationalDelta(big.NewRat(1, 100))})
				return err
			}},
			{"noise", 3, func(ctx context.Context) error {
				_, err := xor.NewOptimalNoise(ctx, 2, 2, eps, xor.FlipRows(1))
				return err
			}},
			{"all radii of ties", 5, func(ctx context.Context) error {
				_, err := optimize.ExhaustiveRadii(ctx, tied, exact, optimize.Worst, nil)
				return err
			}},
			{"ratio of a constant", 3, func(ctx context.Context) error {
				row := []float64{1, 0, 0}
				m, err := mechanism.NewTable(mechanism.Info{Name: "constant", Query: q, Claimed: evidence.Claimed{}}, [][]float64{row, row, row}, nil)
				if err != nil {
					t.Fatal(err)
				}
				_, err = optimize.RatioToOptimum(ctx, m)
				return err
			}},
			{"ratio", 4, func(ctx context.Context) error {
				m, err := layers.NewPurest(context.Background(), q, eps.Ratio(1, 2))
				if err != nil {
					t.Fatal(err)
				}
				_, err = optimize.RatioToOptimum(ctx, m)
				return err
			}},
		} {
			t.Run(c.what, func(t *testing.T) {
				ctxtest.EachPoll(t, c.least, c.do)
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // the callers identify the workers
				ctxtest.EachPoll(t, 1, c.do)
			})
		}
	}
}
