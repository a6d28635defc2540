package xor

import (
	"context"
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/privacy"
)

// Under returns the privacy of X ⊕ B for the given neighbors. It computes with the law's rationals, or with its float64
// weights divided by their sum, and visits all states exactly. It returns an error wrapping evidence.ErrParameter if
// the neighbors do not fit the law's shape.
func (l *NoiseLaw) Under(nb Neighbors) (privacy.Profile, error) {
	steps, err := nb.Differences(l.Rows, l.Columns)
	if err != nil {
		return nil, err
	}
	const source = "every state of every difference pattern"
	cases := uint64(len(steps)) * uint64(l.States())
	return privacy.ProfileFunc{
		Pure: func(ctx context.Context) (evidence.Number, error) {
			ratio, err := l.largestRatio(ctx, steps)
			switch {
			case err != nil:
				return nil, err
			case ratio == nil:
				return evidence.Certified{Lo: math.Inf(1), Hi: math.Inf(1), Side: evidence.Up,
					Provenance: evidence.From(source).By("a value that just one of two neighbors can output")}, nil
			}
			return evidence.ExactLog{Argument: ratio, Cases: cases, Side: evidence.Up, Provenance: evidence.From(source)}, nil
		},
		At: func(ctx context.Context, eps evidence.Epsilon) (evidence.Number, error) {
			largest, err := l.largestDelta(ctx, eps, steps)
			if err != nil {
				return nil, err
			}
			if largest.Rational != nil {
				return evidence.Exact{Value: largest.Rational, Side: evidence.Up, Cases: cases, Provenance: evidence.From(source)}, nil
			}
			out := evidence.EnclosedLoss(largest.Enclosure, "all states visited, 256-bit intervals", source)
			out.Hi = math.Min(out.Hi, 1)
			return out, nil
		},
		Source: source,
	}, nil
}

// whole returns the probabilities as integers, with their sum.
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

// largestRatio returns the largest p(b)/p(b ⊕ step), nil if it is infinite. It
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

// largestDelta returns the largest Σ_b max(0, p(b) − e^ε p(b ⊕ step)), which is the same in the other direction. It
// returns ctx's error.
func (l *NoiseLaw) largestDelta(ctx context.Context, eps evidence.Epsilon, steps []int) (evidence.RatOrInterval, error) {
	kinds, largest := l.kinds(), evidence.ExactRat(new(big.Rat))
	for _, s := range steps {
		if err := ctx.Err(); err != nil {
			return evidence.RatOrInterval{}, err
		}
		delta, err := kinds.pair(s).Delta(ctx, eps)
		if err != nil {
			return evidence.RatOrInterval{}, err
		}
		largest = privacy.Max(largest, delta)
	}
	return largest, nil
}
