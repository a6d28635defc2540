package mechanism

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/query"
)

// Laplace and geometric noise is rounded to the nearest value of the range. The cell of r is the set of numbers that
// round to r, with ties to the smaller value: ((r⁻+r)/2, (r+r⁺)/2], where r⁻ and r⁺ are the adjacent values.

// NewLaplace returns the Laplace mechanism (Dwork, McSherry, Nissim and Smith 2006) with noise of scale Δf/ε,
// rounded to the nearest value of the range (ties to the smaller). Its claimed guarantee is ε.
//
// It returns an error wrapping evidence.ErrParameter unless ε is positive and the values are numbers, and the
// context's error.
func NewLaplace(ctx context.Context, q *query.Query, eps evidence.Epsilon) (*Table, error) {
	if err := eps.Positive("eps"); err != nil {
		return nil, err
	}
	law := noiseLaw{total: func(*big.Rat) ExpSum { return ExpTerm(big.NewRat(2, 1), new(big.Rat)) }}
	law.above = func(t, delta *big.Rat) ExpSum { return ExpTerm(big.NewRat(1, 1), new(big.Rat).Quo(t, delta)) }
	law.from = law.above // a continuous law has no atoms
	return newNoise(ctx, "laplace", q, nil, eps, "Dwork et al. 2006; Wu et al., Definition 3", law)
}

// NewGeometric returns the geometric mechanism (Ghosh, Roughgarden and Sundararajan 2009): integer noise k with
// weight e^{−ε|k|/Δf}, rounded to the nearest value of the range (ties to the smaller). Its claimed guarantee is
// ε. The values f(x) must be integers; other values of the range need not be.
//
// It returns errors as NewLaplace does.
func NewGeometric(ctx context.Context, q *query.Query, eps evidence.Epsilon) (*Table, error) {
	return newGeometric(ctx, q, eps, nil)
}

// mostClamped bounds the outputs of NewClampedGeometric.
const mostClamped = 1 << 12

// NewClampedGeometric returns the geometric mechanism with outputs clamped to the integers lo…hi. An f(x) or a noisy
// value outside is moved to the nearer end. Its claimed guarantee is ε, as clamping is post-processing. The integers
// are added to the range of q if they are missing, and errors are measured from f(x).
//
// It returns errors as NewLaplace and WithRange do. It also returns an error if lo > hi or there are more than 2^12
// integers.
func NewClampedGeometric(ctx context.Context, q *query.Query, eps evidence.Epsilon, lo, hi *big.Int) (*Table, error) {
	size := new(big.Int).Sub(hi, lo)
	if size.Sign() < 0 || size.Cmp(big.NewInt(mostClamped)) >= 0 {
		return nil, parameter.Errorf(
			"clamp = (%v, %v), want lo ≤ hi and at most %d integers from lo to hi", lo, hi, mostClamped)
	}
	outputs := make([]query.Value, size.Int64()+1)
	for k := range outputs {
		v := new(big.Rat).SetInt(lo)
		outputs[k] = query.RationalValue(v.Add(v, big.NewRat(int64(k), 1)))
	}
	extended, err := addToRange(q, outputs)
	if err != nil {
		return nil, err
	}
	return newGeometric(ctx, extended, eps, outputs)
}

// newGeometric is NewGeometric with outputs rounded to the nearest of the given values of the range. Nil outputs mean
// the whole range.
func newGeometric(ctx context.Context, q *query.Query, eps evidence.Epsilon, outputs []query.Value) (*Table, error) {
	if err := eps.Positive("eps"); err != nil {
		return nil, err
	}
	for x := range q.Size() {
		if v, ok := query.RationalOf(q.Value(x)); ok && !v.IsInt() {
			return nil, parameter.Errorf("geometric needs integer values, but f(%d) = %v", x, q.Value(x))
		}
	}
	one := big.NewRat(1, 1)
	least := func(k *big.Int, delta *big.Rat) ExpSum { // Pr[noise ≥ k] = w^k/(1 + w), k ≥ 1
		return ExpTerm(one, new(big.Rat).Quo(new(big.Rat).SetInt(k), delta))
	}
	return newNoise(ctx, "geometric", q, outputs, eps, "Ghosh, Roughgarden and Sundararajan 2009", noiseLaw{
		total: func(delta *big.Rat) ExpSum {
			return ExpTerm(one, new(big.Rat)).Add(ExpTerm(one, new(big.Rat).Inv(delta)))
		},
		above: func(t, delta *big.Rat) ExpSum {
			return least(new(big.Int).Add(interval.RationalFloor(t), big.NewInt(1)), delta)
		},
		from: func(t, delta *big.Rat) ExpSum {
			return least(new(big.Int).Neg(interval.RationalFloor(new(big.Rat).Neg(t))), delta)
		},
	})
}

// noiseLaw is the law of symmetric noise at sensitivity Δf: above is Pr[noise > t]·total and from is Pr[noise ≥
// t]·total, for t > 0.
type noiseLaw struct {
	above, from func(t, delta *big.Rat) ExpSum
	total       func(delta *big.Rat) ExpSum
}

// newNoise returns the mechanism that adds the noise and rounds to the nearest of the given outputs, which are values
// of the range. Nil outputs mean the whole range.
func newNoise(ctx context.Context, name string, q *query.Query, outputs []query.Value, eps evidence.Epsilon, source string, law noiseLaw) (*Table, error) {
	values := make([]*big.Rat, len(q.Range()))
	for r, v := range q.Range() {
		n, ok := query.RationalOf(v)
		if !ok {
			return nil, parameter.Errorf("%s needs a query with numbers as values, but range[%d] = %q", name, r, v)
		}
		values[r] = n
	}
	delta := sensitivity(q, values)
	places := lists.Of(len(values), func(r int) int { return r }) // indices of the outputs in the range
	if outputs != nil {
		places = lists.Each(outputs, func(v query.Value) int { r, _ := q.Find(v); return r })
	}
	lower, upper := cells(values, places)
	total := ExpTerm(big.NewRat(1, 1), new(big.Rat))
	if delta.Sign() > 0 {
		total = law.total(delta)
	}
	weights := func(v int) []ExpSum {
		row := make([]ExpSum, len(values))
		above := func(end *big.Rat) bool { return end == nil || end.Cmp(values[v]) >= 0 } // f(x) ≤ end; a nil end is +∞
		right := func(end *big.Rat) ExpSum {                                              // noise > end − f(x), end ≥ f(x)
			if end == nil {
				return ExpSum{}
			}
			return law.above(new(big.Rat).Sub(end, values[v]), delta)
		}
		left := func(end *big.Rat) ExpSum { // noise ≤ end − f(x), end ≤ f(x)
			if end == nil {
				return ExpSum{}
			}
			return law.from(new(big.Rat).Sub(values[v], end), delta)
		}
		for _, r := range places {
			beyond := lower[r] != nil && above(lower[r]) // f(x) lies below the cell
			switch {
			case !beyond && above(upper[r]) && delta.Sign() == 0: // no noise
				row[r] = total
			case delta.Sign() == 0:
			case beyond:
				row[r] = right(lower[r]).Sub(right(upper[r]))
			case above(upper[r]):
				row[r] = total.Sub(left(lower[r])).Sub(right(upper[r]))
			default:
				row[r] = left(upper[r]).Sub(left(lower[r]))
			}
		}
		return row
	}
	powers := make(map[string]evidence.RatOrInterval)
	var laws expSumTable
	scale := total.evaluate(eps, powers)
	title := name + "(eps=" + eps.String() + ")"
	if outputs != nil {
		title = fmt.Sprintf("%s(eps=%s, clamp=(%v, %v))", name, eps, outputs[0], outputs[len(outputs)-1])
	}
	t, err := newValueTable(ctx, title, q, Claim(eps, source), laws.logs(eps), func(v int, row []evidence.RatOrInterval) {
		laws.add(weights(v), total)
		for r, s := range laws.weight[len(laws.weight)-1] {
			row[r] = s.evaluate(eps, powers).Quo(scale)
		}
	})
	if err == nil {
		t.sums, t.sumEpsilon = &laws, eps
		if outputs == nil {
			t.definition = Definition{name, eps}
		}
	}
	return t, err
}

// cells returns the lower and upper ends of the cells of the values at the given indices. A nil end is infinite.
func cells(values []*big.Rat, places []int) (lower, upper []*big.Rat) {
	order := slices.Clone(places)
	slices.SortFunc(order, func(a, b int) int { return values[a].Cmp(values[b]) })
	lower, upper = make([]*big.Rat, len(values)), make([]*big.Rat, len(values))
	half := big.NewRat(1, 2)
	for k := 1; k < len(order); k++ {
		a, b := order[k-1], order[k]
		middle := new(big.Rat).Add(values[a], values[b])
		middle.Mul(middle, half)
		upper[a], lower[b] = middle, middle
	}
	return lower, upper
}

// sensitivity returns Δf; values holds the numbers of the range.
func sensitivity(q *query.Query, values []*big.Rat) *big.Rat {
	delta := new(big.Rat)
	seen := make(map[[2]int]bool)
	for x := range q.Size() {
		for _, y := range q.Space().Neighbors(x) {
			pair := [2]int{q.ValueIndex(x), q.ValueIndex(int(y))}
			if pair[0] <= pair[1] || seen[pair] {
				continue
			}
			seen[pair] = true
			d := new(big.Rat).Sub(values[pair[0]], values[pair[1]])
			if d.Abs(d).Cmp(delta) > 0 {
				delta = d
			}
		}
	}
	return delta
}
