package xor

import (
	"context"
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/interval"
	"dpworkbench/privacy"
)

// largestGrowth bounds the ε whose e^ε is put between rationals: beyond it δ is bounded
// by the law's largest ratio.
const largestGrowth = 138.0

// Under returns the privacy of X ⊕ B for the given neighbors. The law is that of the rationals that it has, or of its
// weights, float64s, over their sum; all of it is visited exactly. It returns an error
// wrapping evidence.ErrParameter where the neighbors do not suit its shape.
func (l *NoiseLaw) Under(nb Neighbors) (privacy.Curve, error) {
	steps, err := nb.Differences(l.Rows, l.Columns)
	if err != nil {
		return nil, err
	}
	const source = "every state of every difference pattern"
	cases := uint64(len(steps)) * uint64(l.States())
	return privacy.Profile{
		Pure: func(ctx context.Context) (evidence.Number, error) {
			ratio, err := l.largestRatio(ctx, steps)
			switch {
			case err != nil:
				return nil, err
			case ratio == nil:
				return evidence.Certified{Lo: math.Inf(1), Hi: math.Inf(1), Side: evidence.Up,
					Method: "a value that just one of two neighbors can output", Source: source}, nil
			}
			return evidence.ExactLog{Argument: ratio, Cases: cases, Source: source, Side: evidence.Up}, nil
		},
		At: func(ctx context.Context, eps evidence.Epsilon) (evidence.Number, error) {
			if w, ok := eps.Exp(); ok {
				delta, err := l.hockey(ctx, w, steps)
				if err != nil {
					return nil, err
				}
				return evidence.Exact{Value: delta, Side: evidence.Up, Cases: cases, Source: source}, nil
			}
			out := evidence.Certified{Side: evidence.Up, Method: "all states visited, e^ε between rationals", Source: source}
			if eps.Value() > largestGrowth {
				pure, err := l.largestRatio(ctx, steps)
				if err != nil {
					return nil, err
				}
				out.Hi = 1
				if pure != nil {
					out.Hi = privacy.PureDelta(evidence.ExactLog{Argument: pure, Side: evidence.Up}, eps, source).Hi
				}
				return out, nil
			}
			w := eps.Enclosure().Exp()
			for _, end := range []struct {
				at interval.Interval
				to func(lo, hi float64)
			}{
				{w.Upper(), func(lo, _ float64) { out.Lo = lo }},
				{w.Lower(), func(_, hi float64) { out.Hi = hi }},
			} {
				at, _ := end.at.MidFloat(2 * interval.Prec).Rat(nil)
				delta, err := l.hockey(ctx, at, steps)
				if err != nil {
					return nil, err
				}
				end.to(interval.Rat(delta).Bounds())
			}
			return out, nil
		},
		Source: source,
	}, nil
}

// whole returns the probabilities as whole numbers over their sum.
func (l *NoiseLaw) whole() (weight []*big.Int, sum *big.Int) {
	p := l.exact
	if p == nil {
		for _, w := range l.weights {
			p = append(p, new(big.Rat).SetFloat64(w))
		}
	}
	common := big.NewInt(1)
	for _, q := range p {
		d := q.Denom()
		common.Div(new(big.Int).Mul(common, d), new(big.Int).GCD(nil, nil, common, d))
	}
	sum = new(big.Int)
	for _, q := range p {
		w := new(big.Int).Div(common, q.Denom())
		weight = append(weight, w.Mul(w, q.Num()))
		sum.Add(sum, w)
	}
	return weight, sum
}

// largestRatio returns the largest p(b)/p(b ⊕ step), nil where it is infinite. It
// returns ctx's error.
func (l *NoiseLaw) largestRatio(ctx context.Context, steps []int) (*big.Rat, error) {
	weight, _ := l.whole()
	over, under := big.NewInt(1), big.NewInt(1)
	var left, right big.Int
	for _, s := range steps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for b, w := range weight {
			v := weight[b^s]
			if v.Sign() == 0 && w.Sign() > 0 {
				return nil, nil
			}
			if left.Mul(w, under).Cmp(right.Mul(v, over)) > 0 {
				over, under = w, v
			}
		}
	}
	return new(big.Rat).SetFrac(over, under), nil
}

// hockey returns the largest Σ_b max(0, p(b) − w p(b ⊕ step)), which is that of the
// other direction too. It returns ctx's error.
func (l *NoiseLaw) hockey(ctx context.Context, w *big.Rat, steps []int) (*big.Rat, error) {
	weight, sum := l.whole()
	most := new(big.Int)
	var left, right big.Int
	for _, s := range steps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		total := new(big.Int)
		for b, v := range weight {
			left.Mul(v, w.Denom())
			if left.Sub(&left, right.Mul(weight[b^s], w.Num())); left.Sign() > 0 {
				total.Add(total, &left)
			}
		}
		if total.Cmp(most) > 0 {
			most = total
		}
	}
	return new(big.Rat).SetFrac(most, new(big.Int).Mul(sum, w.Denom())), nil
}
