package program

import (
	"context"
	"math"
	"math/big"
	"slices"
	"sync"

	"dpworkbench/evidence"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
)

// extremes caches the distinct ratios of a program, which determine all privacy at δ = 0.
type extremes struct {
	sync.Mutex
	known bool
	all   []extreme
}

// extreme is an output at two neighbors. The ratio of its probabilities is a/b.
type extreme struct {
	x, y  int
	cells []int // index of the output's cell in each table
	a, b  fraction
}

// different returns the outputs with distinct ratios, each with the first pair of neighbors that has it. It returns
// the context's error.
func (p *Program) different(ctx context.Context) ([]extreme, error) {
	p.extremes.Lock()
	defer p.extremes.Unlock()
	if p.extremes.known {
		return p.extremes.all, nil
	}
	var out []extreme
	seen := make(map[string]bool)
	known := newRatios(p.tables)
	for i := range int(2 * p.space.Pairs()) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		x, y := p.space.Pair(int64(i))
		products, err := p.products(x, y, known)
		if err != nil {
			return nil, err
		}
		for _, c := range products {
			if !seen[c.key] {
				seen[c.key] = true
				out = append(out, extreme{x, y, c.cells, c.a, c.b})
			}
		}
	}
	p.extremes.known, p.extremes.all = true, out
	return out, nil
}

// SmallestEpsilon returns the smallest ε at which the program is ε-differentially private over all neighbors of its
// universe, +Inf if one of two neighbors has an output that the other does not have. It is exact if probabilities are
// rational, certified otherwise. For a symbolic program, call it on At(ε). It returns the context's error.
func (p *Program) SmallestEpsilon(ctx context.Context) (evidence.Number, error) {
	if slices.ContainsFunc(p.tables, func(t *table) bool { return t.extra != nil }) {
		a, err := p.Account(ctx)
		if err != nil {
			return nil, err
		}
		return a.Epsilon(ctx, evidence.Delta{})
	}
	all, err := p.different(ctx)
	if err != nil {
		return nil, err
	}
	most, exact := big.NewRat(1, 1), true
	bound := interval.Int(1)
	powers := make(map[exponent]*big.Rat)
	for i, e := range all {
		if i&0xff == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if e.b.isZero() {
			n := evidence.Certified{
				Lo: math.Inf(1), Hi: math.Inf(1), Side: evidence.Up,
				Provenance: evidence.From("an output that one of two neighbors alone has").By("the different ratios of outputs at neighbors"),
			}
			return stated(p, n), nil
		}
		if exact {
			a, rational := p.rates.rational(e.a, powers)
			b, positive := p.rates.rational(e.b, powers)
			if exact = rational && positive; exact {
				if q := a.Quo(a, b); q.Cmp(most) > 0 {
					most = q
				}
				continue
			}
			bound = interval.Max(bound, interval.Rat(most))
		}
		bound = interval.Max(bound, p.rates.enclose(e.a).Quo(p.rates.enclose(e.b)))
	}
	if exact {
		return stated(p, evidence.ExactLog{Argument: most, Cases: uint64(len(all)), Side: evidence.Up, Provenance: evidence.From("different ratios of outputs at neighbors")}), nil
	}
	return stated(p, evidence.EnclosedLoss(bound.Log(), "closed form in intervals", "different ratios of outputs at neighbors")), nil
}

// stated attaches the statement that n is the smallest ε of the program, unless the law is spread over several tables.
func stated[N evidence.Number](p *Program, n N) evidence.Number {
	if len(p.tables) > 1 {
		return n
	}
	return mechanism.WithEpsilonStatement(n, p.name, func(ctx context.Context) (mechanism.Mechanism, error) {
		all, err := p.laws(ctx)
		if err != nil {
			return nil, err
		}
		return all[0], nil
	})
}
