package xor_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"runtime"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/must"
	"dpworkbench/xor"
)

// formatted returns a call's result as text, with its error.
func formatted(v any, err error) (string, error) {
	if err != nil {
		return "", err
	}
	switch v := v.(type) {
	case *xor.Bits:
		return fmt.Sprint(v.Rows()), err
	case []*xor.Bits:
		out := ""
		for _, m := range v {
			out += fmt.Sprint(m.Rows())
		}
		return out, err
	case *xor.Moments:
		return fmt.Sprint(v.Products()), err
	case *xor.Enumeration:
		return fmt.Sprint(*v), err
	case *xor.AlphaSolution:
		return fmt.Sprint(v.Alpha, v.FlipRate, v.Smallest), err
	}
	return fmt.Sprint(v), err
}

// If the context is cancelled at any of its polls, a call returns ctx's error or its complete answer. It polls often
// enough.
func TestEveryPollCancels(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // for a fixed number of polls
	seeded := func(s uint64) *rand.Rand { return rand.New(rand.NewPCG(22, s)) }
	dense := func() *xor.Bernoulli { return randomLaw(t, 4, 3, .4, seeded(1)) }
	parts := func() *xor.Bernoulli { return sparseLaw(t, 4, 3, .3, seeded(2)) }
	wild := func() *xor.Bernoulli { return randomLaw(t, 4, 3, 400, seeded(3)) }
	uniform := func() *xor.Bernoulli { return must.Be(xor.NewUniform(3, 3, -.5, .1)) }
	path := func(p int, by float64) *xor.Bernoulli {
		m := make([][]float64, p)
		for i := range m {
			m[i] = make([]float64, p)
			for j := range m[i] {
				if j == i+1 || i == j+1 || by < 0 {
					m[i][j] = by
				}
			}
		}
		return must.Be(xor.NewBernoulli(m, nil, 1))
	}
	src := func() rand.Source { return rand.NewPCG(22, 4) }
	draws := func(b *xor.Bernoulli, method xor.Method) func(context.Context) (string, error) {
		return func(ctx context.Context) (string, error) {
			v, report, err := b.Noise(ctx, 3, method, src())
			if err == nil && report.Method == "" {
				return "no report", nil
			}
			return formatted(v, err)
		}
	}
	query := must.Be(xor.Adjacency(3, [][2]int{{0, 1}}))
	third := must.Be(evidence.LogEpsilon("eps", big.NewRat(2, 1)))
	type call struct {
		what  string
		polls int // at least
		do    func(context.Context) (string, error)
	}
	const shared = 9 // the first 9 calls run on several processors, so their number of polls varies
	calls := []call{
		{"an enumeration", 9, func(ctx context.Context) (string, error) { return formatted(dense().Enumerate(ctx)) }},
		{"a wide enumeration", 9, func(ctx context.Context) (string, error) { return formatted(wild().Enumerate(ctx)) }},
		{"the normaliser of parts", 22, func(ctx context.Context) (string, error) { return formatted(parts().LogNormalizer(ctx)) }},
		{"the mean of parts", 22, func(ctx context.Context) (string, error) { return formatted(parts().MeanOnes(ctx, xor.Plain)) }},
		{"the zeros of parts", 22, func(ctx context.Context) (string, error) { return formatted(parts().MeanOnes(ctx, xor.Complement)) }},
		{"the error rate of parts", 22, func(ctx context.Context) (string, error) { return formatted(parts().ErrorRate(ctx, 3, xor.Complement)) }},
		{"moments", 21, func(ctx context.Context) (string, error) { return formatted(dense().Moments(ctx)) }},
		{"moments of parts", 20, func(ctx context.Context) (string, error) { return formatted(parts().Moments(ctx)) }},
		{"moments of columns", 2, func(ctx context.Context) (string, error) { return formatted(uniform().Moments(ctx)) }},
		{"the normaliser of columns", 2, func(ctx context.Context) (string, error) { return formatted(uniform().LogNormalizer(ctx)) }},
		{"the mean of columns", 2, func(ctx context.Context) (string, error) { return formatted(uniform().MeanOnes(ctx, xor.Complement)) }},
		{"the error rate of columns", 2, func(ctx context.Context) (string, error) { return formatted(uniform().ErrorRate(ctx, 0, xor.Plain)) }},
		{"the flip rate of columns", 2, func(ctx context.Context) (string, error) {
			return formatted(uniform().Columns().FlipRate(ctx, xor.Plain))
		}},
		{"the ones of columns", 2, func(ctx context.Context) (string, error) { return formatted(uniform().Columns().ColumnOnes(ctx)) }},
		{"long columns", 4, func(ctx context.Context) (string, error) {
			return formatted(must.Be(xor.NewUniform(9000, 1, -1, 1e-5)).LogNormalizer(ctx))
		}},
		{"a draw of columns", 5, func(ctx context.Context) (string, error) {
			return formatted(must.Be(xor.NewUniform(3, 130, -.5, .1)).Columns().Noise(ctx, src()))
		}},
		{"closed draws", 5, draws(uniform(), xor.Closed)},
		{"enumerated draws", 27, draws(dense(), xor.Enumerated)},
		{"enumerated draws of parts", 30, draws(parts(), xor.Enumerated)},
		{"perfect draws", 10, draws(path(5, .2), xor.Perfect)},
		{"chain draws", 4054, draws(dense(), xor.EHMC)},
		{"Gibbs draws", 2021, draws(dense(), xor.Gibbs)},
		{"printed draws", 4, draws(dense(), xor.Published)},
		{"automatic draws of columns", 5, draws(uniform(), xor.Auto)},
		{"automatic draws of parts", 30, draws(parts(), xor.Auto)},
		{"automatic draws of a long path", 49, draws(path(22, .2), xor.Auto)},
		{"automatic draws of a frustrated law", 4054, draws(path(22, -.05), xor.Auto)},
		{"a release", 3, func(ctx context.Context) (string, error) {
			m, _, err := xor.Release(ctx, query, uniform(), xor.ReleaseOptions{Complement: true}, src())
			return formatted(m, err)
		}},
		{"a release of a graph", 4, func(ctx context.Context) (string, error) {
			m, _, err := xor.ReleaseGraph(ctx, query, uniform(), xor.ReleaseOptions{Method: xor.Enumerated}, src())
			return formatted(m, err)
		}},
		{"the best share", 382, func(ctx context.Context) (string, error) {
			return formatted(xor.OptimizeAlpha(ctx, xor.AlphaProblem{N: 3, P: 2, Epsilon: evidencetest.Epsilon(2), Sensitivity: 1, Privacy: xor.ClaimedPrivacy}))
		}},
	}
	little := func() *xor.Bernoulli { return randomLaw(t, 2, 2, .4, seeded(1)) }
	loose := func() *xor.Bernoulli { return sparseLaw(t, 3, 2, .3, seeded(2)) }
	for _, nb := range []xor.Neighbors{xor.FlipBits(2), xor.FlipRows(1), xor.FlipBits(4), xor.FlipRows(2)} {
		for name, law := range map[string]func() *xor.Bernoulli{"dense": little, "sparse": loose} {
			what := fmt.Sprintf("%s law and %v", name, nb)
			under := func() *xor.Privacy { return must.Be(law().Under(nb, xor.LossOptions{})) }
			calls = append(calls,
				call{"the loss of a " + what, 0, func(ctx context.Context) (string, error) {
					l, err := under().Loss(ctx)
					return formatted(l.Certified, err)
				}},
				call{"δ of a " + what, 0, func(ctx context.Context) (string, error) { return formatted(under().Delta(ctx, third)) }},
				call{"ε of a " + what, 0, func(ctx context.Context) (string, error) {
					return formatted(under().Epsilon(ctx, evidencetest.Delta(.01)))
				}})
		}
	}
	for _, nb := range []xor.Neighbors{xor.FlipBits(2), xor.FlipEdges(1)} {
		curve := must.Be(responses(2, 2).Under(nb))
		for _, delta := range []float64{0, .01} {
			calls = append(calls, call{"ε of a table", 1, func(ctx context.Context) (string, error) {
				return formatted(curve.Epsilon(ctx, evidencetest.Delta(delta)))
			}})
		}
		for _, eps := range []evidence.Epsilon{third, evidencetest.Epsilon(.5), evidencetest.Epsilon(200)} {
			calls = append(calls, call{"δ of a table", 1, func(ctx context.Context) (string, error) { return formatted(curve.Delta(ctx, eps)) }})
		}
	}
	for i, c := range calls {
		counted := ctxtest.CancelAfter(ctx, math.MaxInt)
		whole, err := c.do(counted)
		if err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		all := counted.Polls()
		if all < c.polls {
			t.Errorf("%s: polled %d times, want %d", c.what, all, c.polls)
		}
		for at := 0; at < all; at += 1 + all/12 {
			if got, err := c.do(ctxtest.CancelAfter(ctx, at)); !errors.Is(err, context.Canceled) && (err != nil || got != whole) {
				t.Errorf("%s: %v, %v, cancelled from poll %d of %d on", c.what, got, err, at, all)
			}
			if i < shared {
				continue
			}
			if got, err := c.do(ctxtest.CancelOnce(ctx, at)); !errors.Is(err, context.Canceled) && (err != nil || got != whole) {
				t.Errorf("%s: %v, %v, cancelled at poll %d of %d only", c.what, got, err, at, all)
			}
		}
	}
}
