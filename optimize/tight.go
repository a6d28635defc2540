package optimize

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/optimize/lp"
	"dpworkbench/privacy"
	"dpworkbench/query"
)

// ErrSingular is wrapped if the distance kernel has no unique solution, or this cannot be decided.
var ErrSingular = errors.New("no unique constants")

// NegativeError lists the datasets whose constants in a tight mechanism would be negative.
type NegativeError struct {
	Datasets []int
	Values   []float64 // the constants, rounded
}

// Error implements error.
func (e *NegativeError) Error() string {
	const most = 8
	var b strings.Builder
	fmt.Fprintf(&b, "no tight mechanism: its constant c is negative at %d datasets:", len(e.Datasets))
	for i, x := range e.Datasets {
		if i == most {
			fmt.Fprintf(&b, " and %d more", len(e.Datasets)-most)
			break
		}
		fmt.Fprintf(&b, " %d", x)
		if i < len(e.Values) {
			fmt.Fprintf(&b, " (%.4g)", e.Values[i])
		}
	}
	return b.String()
}

// Unwrap returns ErrInfeasible.
func (e *NegativeError) Unwrap() error { return ErrInfeasible }

// Tight is a mechanism that outputs dataset y with probability
// c_y e^{−ε d̄(x,y)} at dataset x, and releases f(y).
type Tight struct {
	*mechanism.Table
	constants []interval.Interval
	exact     []*big.Rat
}

// Pairs implements privacy.Private.
func (t *Tight) Pairs(context.Context) (*privacy.DominatingPairs, error) {
	return mechanism.Pairs(t), nil
}

// Constants returns c, one per dataset, as enclosures.
func (t *Tight) Constants() []interval.Interval { return t.constants }

// RationalConstants returns c if it is rational, nil otherwise.
func (t *Tight) RationalConstants() []*big.Rat { return t.exact }

// NewTight returns the tight mechanism. It has one constant per output instead of one normaliser per input, so it is ε-
// rather than 2ε-differentially private. The constants solve Σ_y e^{−ε d̄(x,y)} c_y = 1 for every x. On a line of
// counts it is the geometric mechanism.
//
// It returns an error wrapping ErrSingular if the system has no unique solution, or float64 cannot show that it has
// one. It returns a *NegativeError if some constant is negative, and an error wrapping ErrPrecision if the sign of a
// constant is not certain.
func NewTight(ctx context.Context, q *query.Query, eps evidence.Epsilon) (*Tight, error) {
	if err := eps.Positive("eps"); err != nil {
		return nil, err
	}
	k, err := newKernel(ctx, q.Space(), eps)
	if err != nil {
		return nil, err
	}
	t := &Tight{}
	if t.constants, t.exact, err = k.solve(ctx); err != nil {
		return nil, err
	}
	negative := &NegativeError{}
	for y, c := range t.constants {
		switch sign, known := c.Sign(); {
		case sign < 0:
			negative.Datasets = append(negative.Datasets, y)
			negative.Values = append(negative.Values, c.Mid())
		case sign == 0 && !known:
			lo, hi := c.Bounds()
			return nil, fmt.Errorf("%w: the constant of dataset %d lies in %s, which contains 0", ErrPrecision, y, evidence.FormatBounds(lo, hi, 3))
		}
	}
	if len(negative.Datasets) > 0 {
		return nil, negative
	}
	if t.Table, err = k.release(ctx, q, eps, t); err != nil {
		return nil, err
	}
	return t, nil
}

// TightConstants returns the solution c of Σ_y e^{−ε d̄(x,y)} c_y = 1, which may have negative entries. It returns the
// errors of NewTight, except those about the sign of a constant.
func TightConstants(ctx context.Context, space *query.Space, eps evidence.Epsilon) ([]interval.Interval, error) {
	if err := eps.Positive("eps"); err != nil {
		return nil, err
	}
	k, err := newKernel(ctx, space, eps)
	if err != nil {
		return nil, err
	}
	constants, _, err := k.solve(ctx)
	return constants, err
}

// TightConstantNumbers returns the constants of TightConstants with their evidence: exact if they are rational and
// there are at most 64 datasets, certified otherwise.
func TightConstantNumbers(ctx context.Context, space *query.Space, eps evidence.Epsilon) ([]evidence.Number, error) {
	if err := eps.Positive("eps"); err != nil {
		return nil, err
	}
	k, err := newKernel(ctx, space, eps)
	if err != nil {
		return nil, err
	}
	constants, exact, err := k.solve(ctx)
	if err != nil {
		return nil, err
	}
	return lists.Of(len(constants), func(y int) evidence.Number {
		if exact != nil {
			return evidence.Exact{Value: exact[y], Provenance: evidence.From(kernelEquation).By("Gaussian elimination")}
		}
		return evidence.Enclosed(constants[y], "256-bit intervals", kernelEquation)
	}), nil
}

const kernelEquation = "Σ_y e^{−ε d̄(x,y)} c_y = 1 for every x"

// solve returns the constants, also as rationals if the kernel is rational and small.
func (k *kernel) solve(ctx context.Context) (constants []interval.Interval, exact []*big.Rat, err error) {
	if k.exact == nil || k.n > rationalKernel {
		constants, err = k.enclose(ctx)
		return constants, nil, err
	}
	if exact, err = k.rational(ctx); err != nil {
		return nil, nil, err
	}
	return lists.Each(exact, interval.Rat), exact, nil
}

// release sums the probabilities of the datasets that share a value.
func (k *kernel) release(ctx context.Context, q *query.Query, eps evidence.Epsilon, t *Tight) (*mechanism.Table, error) {
	name := fmt.Sprintf("tight(%s)", eps)
	claim := evidence.Claimed{Value: eps.Value(), Epsilon: eps, Provenance: evidence.From("triangle inequality: e^{−ε d̄(x,y)} changes by e^ε at most between neighbors")}
	size := len(q.Range())
	if t.exact != nil {
		rows := make([][]*big.Rat, k.n)
		term := new(big.Rat)
		for x := range rows {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			rows[x] = lp.Zeros(size)
			for y, c := range t.exact {
				p := rows[x][q.ValueIndex(y)]
				p.Add(p, term.Mul(k.exact[k.class[x*k.n+y]], c))
			}
		}
		return mechanism.NewRationalTable(mechanism.Info{Name: name, Query: q, Claimed: claim}, rows, nil)
	}
	rows := make([][]interval.Interval, k.n)
	for x := range rows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rows[x] = slices.Repeat([]interval.Interval{interval.Int(0)}, size)
		for y, c := range t.constants {
			r := q.ValueIndex(y)
			rows[x][r] = rows[x][r].Add(k.value[k.class[x*k.n+y]].Mul(c))
		}
	}
	return mechanism.NewEnclosedTable(mechanism.Info{Name: name, Query: q, Claimed: claim}, rows, k.logs(q, t.constants, eps), nil)
}

// logs encloses the logarithms of probabilities that underflow an enclosure: Σ c_y e^{−ε d̄(x,y)} over the datasets
// with a value, in units of the nearest one's weight. The enclosures of all constants must be positive.
func (k *kernel) logs(q *query.Query, constants []interval.Interval, eps evidence.Epsilon) mechanism.LogProbs {
	unit := eps.Enclosure()
	return func(x, r int) interval.Interval {
		distance := q.Space().Distances(x)
		nearest := math.Inf(1)
		for y, d := range distance {
			if q.ValueIndex(y) == r {
				nearest = min(nearest, d)
			}
		}
		sum := interval.Int(0)
		for y, d := range distance {
			if q.ValueIndex(y) == r && !math.IsInf(d, 1) {
				apart := new(big.Rat).Sub(interval.Decimal(nearest), interval.Decimal(d))
				sum = sum.Add(unit.Mul(interval.Rat(apart)).Exp().Mul(constants[y]))
			}
		}
		return sum.Log().Sub(unit.Mul(interval.Rat(interval.Decimal(nearest))))
	}
}
