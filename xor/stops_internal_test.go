package xor

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
	"dpworkbench/internal/cases"
	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/must"
)

// polledTask is a task and its minimal number of polls of the context.
type polledTask struct {
	what  string
	polls int
	do    func(ctx context.Context) (any, error)
}

// path returns a law of one object whose features are coupled in a line.
func path(p int) *Bernoulli {
	theta := make([][]float64, p)
	for i := range theta {
		theta[i] = make([]float64, p)
		for j := range theta[i] {
			if j == i+1 || i == j+1 {
				theta[i][j] = .2
			}
		}
		theta[i][i] = .1 * float64(i%3)
	}
	return must.Be(NewBernoulli(theta, nil, 1))
}

func draws() (out []polledTask) {
	src := func() rand.Source { return rand.NewPCG(52, 2) }
	out = append(out,
		polledTask{"a refined draw of columns", 2, func(ctx context.Context) (any, error) {
			return must.Be(must.Be(NewColumns(9000, 1, -.7, 1e-5)).counts(context.Background())).refined().draw(ctx, src())
		}},
		polledTask{"a refined draw of a table", 4, func(ctx context.Context) (any, error) {
			diag, rows := path(13).dense(nil)
			return must.Be(newTable(context.Background(), diag, rows)).refined().draw(ctx, src())
		}},
		polledTask{"draws of many free objects", 10, func(ctx context.Context) (any, error) {
			m, _, err := must.Be(NewBernoulli([][]float64{{1, .5}, {.5, 1.25}}, nil, 9000)).Noise(ctx, 2, Enumerated, src())
			if err != nil {
				return nil, err
			}
			return [2]int{m[0].Ones(), m[1].Ones()}, err
		}},
	)
	for method, polls := range map[Method]int{EHMC: 4078, Gibbs: 2021} {
		out = append(out, polledTask{"chain draws by " + string(method), polls, func(ctx context.Context) (any, error) {
			m, _, err := path(4).Noise(ctx, 3, method, src())
			drawn := ""
			for _, b := range m {
				drawn += fmt.Sprint(b.Floats())
			}
			return drawn, err
		}})
	}
	return append(out, polledTask{"the best share", 382, func(ctx context.Context) (any, error) {
		a, err := OptimizeAlpha(ctx, AlphaProblem{N: 3, P: 2, Epsilon: must.Be(evidence.NewEpsilon("eps", 2)), Sensitivity: 1, Privacy: ClaimedPrivacy})
		if err != nil {
			return nil, err
		}
		return fmt.Sprint(a.Alpha, a.FlipRate.Lo, a.FlipRate.Hi), err
	}})
}

// Columns longer than keepTerms are summed twice, and cancellation stops either pass. It also stops a draw of more than
// a million rows.
func TestLongColumnsPoll(t *testing.T) {
	long := must.Be(NewColumns(keepTerms+1, 1, -1, 0))
	over := ctxtest.CancelAfter(t.Context(), 1+(keepTerms+1)/anew+1+3)
	if _, err := long.solve(over); !errors.Is(err, context.Canceled) || over.LatePolls() != 1 {
		t.Errorf("sum cancelled in its second half: error %v, %d late polls", err, over.LatePolls())
	}
	tall := must.Be(NewColumns(1<<20+1, 1, -1, 0))
	must.Be(tall.counts(t.Context()))
	over = ctxtest.CancelAfter(t.Context(), 1)
	if m, err := tall.Noise(over, rand.NewPCG(52, 4)); m != nil || !errors.Is(err, context.Canceled) || over.LatePolls() > 2 {
		t.Errorf("draw cancelled halfway: error %v, %d late polls", err, over.LatePolls())
	}
	ratio, err := must.Be(NewNoiseLaw(1, 1, []*big.Rat{big.NewRat(1, 3), big.NewRat(2, 3)})).largestRatio(ctxtest.CancelAfter(t.Context(), 0), []int{1})
	if ratio != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled ratio: %v, error %v", ratio, err)
	}
}

func searches() (out []polledTask) {
	rng := rand.New(rand.NewPCG(52, 1))
	pattern := must.Be(ParseBits([][]float64{{1, 0, 1}, {0, 0, 0}, {0, 1, 0}}))
	two := must.Be(ParseBits([][]float64{{0, 0, 1}, {0, 0, 0}, {0, 1, 0}}))
	loss := func(what string, polls int, b *Bernoulli, nb Neighbors) {
		out = append(out, polledTask{what, polls, func(ctx context.Context) (any, error) {
			l, err := must.Be(b.Under(nb, LossOptions{General: true})).Loss(ctx)
			return fmt.Sprint(l.Lo, l.Hi), err
		}})
	}
	uniform, dense := must.Be(NewUniform(3, 3, -1, .1)), randomRoundedLaw(rng, 3, 3, .5)
	copies := func(n int) *Bernoulli { return must.Be(NewBernoulli([][]float64{{1, .5}, {.5, 1.25}}, nil, n)) }
	wide := randomRoundedLaw(rng, 12, 12, .1)
	loss("a row of columns", 5, uniform, FlipRows(1))
	loss("two bits of columns", 12, uniform, FlipBits(2))
	loss("an edge of columns", 9, uniform, FlipEdges(1))
	loss("three bits of a law", 140, dense, FlipBits(3))
	loss("a row of a law", 69, dense, FlipRows(1))
	loss("an edge of a law", 24, dense, FlipEdges(1))
	loss("patterns of a law", 40, dense, FlipPatterns(pattern, two))
	loss("edges of many bits", 358, wide, FlipEdges(1))
	loss("all bits of many objects", 57, copies(1500), FlipBits(3000))
	loss("many bits of many objects", 79, copies(4200), FlipBits(4190))
	loss("few bits of many objects", 14, copies(1500), FlipBits(5))
	loss("all of many free bits", 7, must.Be(NewUniform(200, 1, .3, 0)), FlipBits(200))
	return out
}

func pairsOf() (out []polledTask) {
	rng := rand.New(rand.NewPCG(52, 3))
	dense := randomRoundedLaw(rng, 2, 2, .5)
	for what, c := range map[string]struct {
		b     *Bernoulli
		nb    Neighbors
		polls int
	}{
		"columns": {must.Be(NewUniform(4, 2, .5, .1)), FlipBits(2), 3}, "states": {dense, FlipBits(2), 5}, "many states": {path(13), FlipBits(1), 15}, "long columns": {must.Be(NewUniform(9000, 1, -.1, 1e-6)), FlipBits(1), 9},
	} {
		out = append(out, polledTask{"a pair of " + what, c.polls, func(ctx context.Context) (any, error) {
			f := must.Be(c.b.PairsUnder(c.nb))
			p, err := f.Pair(ctx, f.Size-1)
			if err != nil {
				return nil, err
			}
			return fmt.Sprint(must.Be(p.Delta(context.Background(), must.Be(evidence.NewEpsilon("eps", .25)))).Enclosure), nil
		}})
	}
	return out
}

// If the context is cancelled at any of its polls, a call returns ctx's error or its complete answer. Every long loop
// polls.
func TestEveryLoopPolls(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // for a fixed number of polls
	for _, c := range append(append(searches(), draws()...), pairsOf()...) {
		counted := ctxtest.CancelAfter(t.Context(), math.MaxInt)
		whole, err := c.do(counted)
		if err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		all := counted.Polls()
		if all < c.polls {
			t.Errorf("%s: polled %d times, want %d", c.what, all, c.polls)
		}
		for at := range all {
			if ends := cases.Of(2, 6); at >= ends && at < all-ends && at%(1+all/cases.Of(3, 6)) > 0 {
				continue
			}
			for what, ends := range map[string]func(context.Context, int) *ctxtest.Context{"from": ctxtest.CancelAfter, "at": ctxtest.CancelOnce} {
				if got, err := c.do(ends(t.Context(), at)); !errors.Is(err, context.Canceled) && (err != nil || got != whole) {
					t.Errorf("%s: %v, %v, cancelled %s poll %d of %d", c.what, got, err, what, at, all)
				}
			}
		}
	}
}
