package field

import (
	"context"
	"iter"
	"math/big"
	"strings"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// inequality states that a quantity is at most a bound at every instance of a family. All instances have one type,
// which [check.Untyped], [computed] and [describing] hide. If it were a type parameter, the compiler would generate the
// methods once for each type.
type inequality struct {
	family          string
	each            iter.Seq[any]
	quantity, bound side
	witness         func(i any) *check.Witness
}

// side is one side of an inequality.
type side struct {
	name string
	of   func(ctx context.Context, i any) evidence.Number
}

func describing[I any](witness func(i I) *check.Witness) func(i any) *check.Witness {
	return func(i any) *check.Witness { return witness(i.(I)) }
}

func computed[I any](name string, of func(ctx context.Context, i I) evidence.Number) side {
	return side{name, func(ctx context.Context, i any) evidence.Number { return of(ctx, i.(I)) }}
}

// exactly returns a side with rational values.
func exactly[I any](name, source string, of func(i I) *big.Rat) side {
	return side{name, func(_ context.Context, i any) evidence.Number { return exact(of(i.(I)), source) }}
}

// closely returns a side with enclosed values.
func closely[I any](name, source string, of func(i I) interval.Interval) side {
	return side{name, func(_ context.Context, i any) evidence.Number { return enclosed(of(i.(I)), source) }}
}

// Check implements check.Checker. It returns an error if the enclosures of the two sides overlap without being equal.
func (q inequality) Check(ctx context.Context, run check.Run) (check.Outcome, error) {
	return q.statement(ctx).Check(ctx, run)
}

func (q inequality) statement(ctx context.Context) check.Statement[any] {
	return check.Statement[any]{
		Family: q.family,
		Each:   q.each,
		Holds: func(i any) bool {
			return check.Must(evidence.Decide(q.quantity.of(ctx, i), evidence.Less|evidence.Equal, q.bound.of(ctx, i)))
		},
		Witness: q.witness,
		Measure: func(i any) []check.Item {
			return []check.Item{{Label: q.quantity.name, Number: q.quantity.of(ctx, i)}, {Label: q.bound.name, Number: q.bound.of(ctx, i)}}
		},
	}
}

// surveyed returns a check that counts the instances at which an inequality fails.
func surveyed(q inequality) check.Checker {
	return check.Surveyed(q.statement(context.Background()))
}

// bounded returns the inequality with another bound.
func (q inequality) bounded(bound side) inequality {
	q.bound = bound
	return q
}

// times returns the inequality with its bound multiplied by a factor.
func (q inequality) times(factor float64) inequality {
	of := q.bound.of
	return q.bounded(side{q.bound.name, func(ctx context.Context, i any) evidence.Number {
		return enclosed(evidence.Enclosure(of(ctx, i)).Mul(interval.Float(factor)), "a multiple of the bound")
	}})
}

// plus returns the inequality with a slack added to its bound. The slack covers the rounding of two sides that are
// equal and have no exact form.
func (q inequality) plus(slack float64) inequality {
	of := q.bound.of
	return q.bounded(side{q.bound.name, func(ctx context.Context, i any) evidence.Number {
		return enclosed(evidence.Enclosure(of(ctx, i)).Add(interval.Float(slack)), "the formula, and its rounding")
	}})
}

// shown returns a check that adds both sides at the given instances to the evidence of another check. The labels name
// each instance by the fields of its witness.
func (q inequality) shown(of check.Checker, instances ...any) check.Checker {
	return check.Loose(of, func(ctx context.Context) (items []check.Item) {
		for _, i := range instances {
			var at []string
			for _, f := range q.witness(i).Fields {
				at = append(at, f.Name+" = "+f.Value)
			}
			for _, item := range q.statement(ctx).Measure(i) {
				items = append(items, check.Item{Label: item.Label + ", " + strings.Join(at, ", "), Number: item.Number})
			}
		}
		return items
	})
}

// enclosed returns a certified number with the bounds of an interval.
func enclosed(v interval.Interval, source string) evidence.Certified {
	lo, hi := v.Bounds()
	return evidence.Certified{Lo: lo, Hi: hi, Provenance: evidence.From(source).By("interval arithmetic of 256 bits")}
}

// exact returns a rational number as exact evidence.
func exact(v *big.Rat, source string) evidence.Exact {
	return evidence.Exact{Value: v, Cases: 1, Provenance: evidence.From(source)}
}

// Shorthands for intervals that enclose a number.
func real(v float64) interval.Interval   { return interval.Readings(v) }
func ratio(a, b int64) interval.Interval { return interval.Rat(big.NewRat(a, b)) }
func whole(n int) interval.Interval      { return interval.Int(int64(n)) }
func tanh(x interval.Interval) interval.Interval {
	e := x.Mul(whole(2)).Expm1()
	return e.Quo(e.Add(whole(2)))
}

// hockeyStick encloses Σ (p_i − e^ε q_i)⁺.
func hockeyStick(p, q []interval.Interval, eps interval.Interval) interval.Interval {
	sum, factor := whole(0), eps.Exp()
	for i := range p {
		sum = sum.Add(interval.Max(whole(0), p[i].Sub(factor.Mul(q[i]))))
	}
	return sum
}

// epsilonAt encloses the smallest ε ≤ most at which the hockey-stick divergence of p from q is at most δ.
func epsilonAt(p, q []interval.Interval, delta interval.Interval, most float64) interval.Interval {
	lo, hi := 0., most
	for hi-lo > 1e-9*hi {
		mid := lo + (hi-lo)/2
		d := hockeyStick(p, q, interval.Float(mid))
		switch {
		case d.Less(delta):
			hi = mid
		case delta.Less(d):
			lo = mid
		default:
			return interval.Between(lo, hi)
		}
	}
	return interval.Between(lo, hi)
}

// binomial encloses the law of the number of successes in n trials with probability p, 0 < p < 1.
func binomial(n int, p interval.Interval) []interval.Interval {
	out := make([]interval.Interval, n+1)
	rest := whole(1).Sub(p)
	odds := p.Quo(rest)
	out[0] = rest.Pow(n)
	for k := 1; k <= n; k++ {
		out[k] = out[k-1].Mul(odds).Mul(ratio(int64(n-k+1), int64(k)))
	}
	return out
}

// convolved returns the law of the sum of two independent numbers.
func convolved(p, q []interval.Interval) []interval.Interval {
	out := make([]interval.Interval, len(p)+len(q)-1)
	for i := range out {
		out[i] = whole(0)
	}
	for i := range p {
		for j := range q {
			out[i+j] = out[i+j].Add(p[i].Mul(q[j]))
		}
	}
	return out
}
