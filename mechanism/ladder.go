package mechanism

import (
	"context"
	"math"

	"dpworkbench/evidence"
	"dpworkbench/query"
)

// NewLadder returns the Ladder mechanism on the query's range (Zhang, Cormode,
// Procopiuc, Srivastava and Xiao, SIGMOD 2015, Algorithm 1): p^x(r) ∝
// e^{−rung·ε/2}. Rung 0 is {f(x)}; the rung of another r is 1 + the number of
// t ≥ 0 with I_0 + … + I_t < |r − f(x)|, I_t the largest local sensitivity
// within distance t of x. Its claimed guarantee is ε.
func NewLadder(ctx context.Context, q *query.Query, eps evidence.Epsilon) (*Leveled, error) {
	local := make([]float64, q.Size())
	for x := range local {
		local[x] = q.LocalSteps(x)
	}
	growing, err := q.Space().GrowingMax(ctx, local)
	if err != nil {
		return nil, err
	}
	size := len(q.Range())
	table := make([]int32, q.Size()*size)
	for x := range q.Size() {
		for r := range size {
			table[x*size+r] = rung(growing[x], q.Metric().Steps(q.ValueIndex(x), r))
		}
	}
	levels, err := NewLevels(q, table)
	if err != nil {
		return nil, err
	}
	return NewLeveled("ladder(eps="+eps.String()+")", levels, eps.Ratio(1, 2),
		claimed(eps, "Zhang et al. 2015, Algorithm 1")), nil
}

// rung returns the rung of a value at distance d, given I_0, I_1, … up to where
// they stay constant. A value that constant 0 never climbs to is unreached.
func rung(growth []float64, d float64) int32 {
	if d == 0 {
		return 0
	}
	sum := 0.0
	for t, step := range growth {
		sum += step
		if sum >= d {
			return int32(1 + t)
		}
	}
	last := growth[len(growth)-1]
	if last == 0 {
		return query.Unreached
	}
	return int32(len(growth)) + int32(math.Ceil((d-sum)/last))
}
