package mechanism

import (
	"context"
	"math"
	"math/big"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/query"
)

// NewLadder returns the Ladder mechanism on the query's range (Zhang, Cormode, Procopiuc, Srivastava and Xiao,
// SIGMOD 2015, Algorithm 1): p^x(r) ∝ e^{−rung·ε/2}. Rung 0 is {f(x)}. The rung of any other r is 1 + the number
// of t ≥ 0 with I_0 + … + I_t < |r − f(x)|, where I_t is the local sensitivity at distance t: the largest local
// sensitivity within distance t of x. Its claimed guarantee is ε.
//
// It returns an error wrapping evidence.ErrParameter unless ε is positive, q has a value metric, and every rung is
// at most query.MaxLayer, and the context's error.
func NewLadder(ctx context.Context, q *query.Query, eps evidence.Epsilon) (*Layered, error) {
	if err := eps.Positive("eps"); err != nil {
		return nil, err
	}
	if err := q.CheckMetric("ladder"); err != nil {
		return nil, err
	}
	at, err := rungs(ctx, q)
	if err != nil {
		return nil, err
	}
	size := len(q.Range())
	table := make([]int32, q.Size()*size)
	for x := range q.Size() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for r := range size {
			if table[x*size+r] = at(x, r); table[x*size+r] > query.MaxLayer {
				return nil, parameter.Errorf("range[%d] is more than %d rungs from the value of dataset %v", r, query.MaxLayer, q.Space().Dataset(x))
			}
		}
	}
	layers, err := NewLayerTable(ctx, q, table)
	if err != nil {
		return nil, err
	}
	return NewLayered("ladder(eps="+eps.String()+")", layers, eps.Ratio(1, 2),
		Claim(eps, "Zhang et al. 2015, Algorithm 1")).withDefinition("ladder", eps), nil
}

// rungs returns a function that gives the rung of value r at dataset x. If distances are integer steps, float64
// sums of them are exact. Otherwise the local sensitivities are replaced by their ranks for the search, and rungs
// are computed in rational arithmetic.
func rungs(ctx context.Context, q *query.Query) (func(x, r int) int32, error) {
	metric, local := q.Metric(), make([]float64, q.Size())
	if metric.IsExact() {
		for x := range local {
			local[x] = q.LocalSteps(x)
		}
		growing, err := q.Space().SensitivityAtDistance(ctx, local)
		return func(x, r int) int32 { return rung(growing[x], metric.Steps(q.ValueIndex(x), r)) }, err
	}
	exact := make([]*big.Rat, q.Size())
	for x := range exact {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		exact[x] = q.LocalSensitivity(x).(evidence.Exact).Value
	}
	values := slices.Clone(exact)
	slices.SortFunc(values, (*big.Rat).Cmp)
	values = slices.CompactFunc(values, func(a, b *big.Rat) bool { return a.Cmp(b) == 0 })
	for x, v := range exact {
		rank, _ := slices.BinarySearchFunc(values, v, (*big.Rat).Cmp)
		local[x] = float64(rank)
	}
	growing, err := q.Space().SensitivityAtDistance(ctx, local)
	return func(x, r int) int32 { return rationalRung(growing[x], values, metric.Rational(q.ValueIndex(x), r)) }, err
}

// rationalRung is rung for local sensitivities that are given as ranks in values.
func rationalRung(growth []query.SensitivityStep, values []*big.Rat, d *big.Rat) int32 {
	if d.Sign() == 0 {
		return 0
	}
	left := new(big.Rat).Set(d)
	for k, rise := range growth {
		v := values[int(rise.Value)]
		last := k+1 == len(growth)
		if v.Sign() == 0 && last {
			return query.Unreached
		}
		if v.Sign() == 0 {
			continue
		}
		need := new(big.Rat).Quo(left, v) // rounded up, the number of further steps t
		steps := new(big.Int).Neg(new(big.Int).Div(new(big.Int).Neg(need.Num()), need.Denom()))
		if last || steps.Cmp(big.NewInt(int64(growth[k+1].From-rise.From))) <= 0 {
			if steps.Add(steps, big.NewInt(int64(rise.From))).Cmp(big.NewInt(query.MaxLayer)) > 0 {
				return query.MaxLayer + 1
			}
			return int32(steps.Int64())
		}
		times := new(big.Rat).SetInt64(int64(growth[k+1].From - rise.From))
		left.Sub(left, times.Mul(times, v))
	}
	return query.Unreached
}

// rung returns the rung of a value at distance d, given I_0, I_1, … by their steps. It returns query.Unreached if
// the sums never reach d. The arithmetic is exact: sums are integers below d, and a quotient of integers below 2⁵³
// rounds to an integer only if it is one.
func rung(growth []query.SensitivityStep, d float64) int32 {
	if d == 0 {
		return 0
	}
	sum := 0.0
	for k, rise := range growth {
		need := math.Inf(1) // the number of further steps t
		if rise.Value > 0 {
			need = math.Ceil((d - sum) / rise.Value)
		}
		if k+1 == len(growth) || need <= float64(growth[k+1].From-rise.From) {
			if math.IsInf(need, 1) {
				return query.Unreached
			}
			return int32(min(float64(rise.From)+need, query.MaxLayer+1))
		}
		sum += rise.Value * float64(growth[k+1].From-rise.From)
	}
	return query.Unreached
}
