package optimize

import (
	"cmp"
	"context"
	"math"
	"math/big"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/optimize/lp"
	"dpworkbench/query"
)

// program is the linear program of a query. Variable x·len(values) + k is p^x(values[k]), losses count steps of the
// value metric, and the objective is scale times the program's.
type program struct {
	lp.Program
	q         *query.Query
	eps       evidence.Epsilon
	delta     evidence.Delta
	objective Objective
	values    []int      // indices of values that are not dominated
	prior     []*big.Rat // Mean only
	factor    *big.Rat   // the program's weights are the prior times factor
	unit      *big.Rat   // unit of losses: the metric's, or a power of two times it
	scale     *big.Rat   // unit over factor
	ratio     *big.Rat   // e^ε if rational
}

// maxProgram bounds the number of variables: larger programs run out of memory.
const maxProgram = 1 << 23

// Range of ε in which float64 distinguishes p_a from e^ε p_b, and e^ε p_b from rounding.
const (
	leastEpsilon   = 1e-9
	largestEpsilon = 138.0
)

func newProgram(ctx context.Context, q *query.Query, eps evidence.Epsilon, o Options) (*program, error) {
	p := &program{q: q, eps: eps, delta: o.Delta, objective: o.Objective, factor: big.NewRat(1, 1)}
	if p.objective == "" {
		p.objective = Mean
	}
	switch {
	case p.objective != Mean && p.objective != Worst && p.objective != Pareto:
		return nil, parameter.Bad("objective", string(p.objective), `"mean", "worst" or "pareto"`)
	case p.objective != Mean && o.Prior != nil:
		return nil, parameter.Errorf(`prior is given with objective = %q, want objective = "mean"`, string(p.objective))
	case p.objective == Pareto && o.Than == nil:
		return nil, parameter.Errorf(`than is missing, want the mechanism that objective = "pareto" improves`)
	case p.objective != Pareto && o.Than != nil:
		return nil, parameter.Errorf(`than is given with objective = %q, want objective = "pareto"`, string(p.objective))
	}
	if !o.Delta.IsZero() {
		p.Delta = o.Delta.Rat()
	}
	if v := eps.Value(); !(v >= leastEpsilon && v <= largestEpsilon) {
		return nil, parameter.Errorf("eps = %s, want %g to %g for the linear program: %w", eps, leastEpsilon, largestEpsilon, ErrPrecision)
	}
	p.Ratio = interval.Int(1).Quo(eps.Decay())
	if w, ok := eps.Exp(); ok {
		p.ratio, p.Ratio = w, interval.Rat(w)
	}
	if err := p.weigh(o); err != nil {
		return nil, err
	}
	var err error
	if p.values, err = undominated(ctx, q); err != nil {
		return nil, p.stopped(err)
	}
	if cells := q.Space().Size() * len(p.values); cells > maxProgram {
		return nil, parameter.Errorf("%d datasets and %d values make a linear program of %d variables, want at most %d", q.Space().Size(), len(p.values), cells, maxProgram)
	}
	if err := p.list(ctx); err != nil {
		return nil, p.stopped(err)
	}
	p.measure()
	if p.objective == Pareto {
		return p, p.limit(ctx, o.Than)
	}
	return p, nil
}

// weigh sets the weights of the datasets.
func (p *program) weigh(o Options) error {
	n := p.q.Size()
	p.Rows, p.Weight = n, make([]float64, n)
	switch p.objective {
	case Worst:
		p.Level, p.Bound = true, slices.Repeat([]interval.Interval{interval.Int(0)}, n)
		return nil
	case Pareto:
		p.Weight = slices.Repeat([]float64{1}, n)
		return nil
	}
	prior, err := mechanism.PriorWeights(n, o.Prior)
	if err != nil {
		return err
	}
	// Scale the weights to integers if the common denominator allows it.
	common := big.NewInt(1)
	for _, w := range prior {
		if common = query.CommonDenominator(common, w); common.BitLen() > 52 {
			common, p.ExactWeight = big.NewInt(1), prior
			break
		}
	}
	p.prior, p.factor = prior, new(big.Rat).SetInt(common)
	for x, w := range prior {
		p.Weight[x], _ = new(big.Rat).Mul(w, p.factor).Float64()
	}
	return nil
}

// list fills in variables and pairs.
func (p *program) list(ctx context.Context) error {
	q, n := p.q, len(p.values)
	for x := range q.Size() {
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, r := range p.values {
			p.Row = append(p.Row, int32(x))
			p.Loss = append(p.Loss, q.Metric().Steps(q.ValueIndex(x), r))
		}
		for _, y := range q.Space().Neighbors(x) {
			if int(y) < x {
				continue
			}
			for k := range n {
				p.Pairs = append(p.Pairs, [2]int32{int32(x*n + k), y*int32(n) + int32(k)})
				if p.Delta != nil { // one budget for (x, y), one for (y, x)
					p.Budget = append(p.Budget, int32(p.Budgets), int32(p.Budgets+1))
				}
			}
			if p.Delta != nil {
				p.Budgets += 2
			}
		}
	}
	return nil
}

// measure chooses the unit of losses. If distances are integer multiples of the value metric's unit, it is that unit.
// Otherwise it is a power of two times that unit, such that the largest loss is between 1 and 2. The range may have
// values that are far away and never used.
func (p *program) measure() {
	metric, n := p.q.Metric(), len(p.values)
	p.unit = metric.Unit()
	if top := slices.Max(p.Loss); top > 0 && !metric.IsExact() {
		_, exponent := math.Frexp(top)
		p.unit = new(big.Rat).Mul(p.unit, new(big.Rat).SetFloat64(math.Ldexp(1, exponent-1)))
		for j := range p.Loss {
			p.Loss[j] = math.Ldexp(p.Loss[j], 1-exponent)
		}
		p.ExactLoss = func(j int) *big.Rat {
			d := metric.Rational(p.q.ValueIndex(j/n), p.values[j%n])
			return d.Quo(d, p.unit)
		}
	}
	p.scale = new(big.Rat).Quo(p.unit, p.factor)
}

// domination bounds the number of comparisons in undominated.
const domination = 1 << 28

// undominated returns the indices of values that an optimal mechanism needs. Value r is dropped if another is at most
// as far from every attained value; if both are equally far from all, the first is kept. Moving the probability of r to
// the other value is post-processing, and increases no distortion.
func undominated(ctx context.Context, q *query.Query) ([]int, error) {
	size := len(q.Range())
	attained := make([]bool, size)
	count := 0
	for x := range q.Size() {
		if v := q.ValueIndex(x); !attained[v] {
			attained[v] = true
			count++
		}
	}
	var out []int
	for r := range size {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if attained[r] || size*size*count > domination {
			out = append(out, r) // attained values are needed: d(r, r) = 0, and d > 0 elsewhere
			continue
		}
		if !dominated(q, r, attained) {
			out = append(out, r)
		}
	}
	return out, nil
}

// dominated reports whether some other value is nowhere farther than r, and somewhere nearer or before it in order.
func dominated(q *query.Query, r int, attained []bool) bool {
	for other := range q.Range() {
		never, sometimes := true, false
		for v, on := range attained {
			if !on {
				continue
			}
			sign := farther(q.Metric(), v, other, r)
			if never = sign <= 0; !never {
				break
			}
			sometimes = sometimes || sign < 0
		}
		if never && (sometimes || other < r) {
			return true
		}
	}
	return false
}

// farther compares d(v, a) with d(v, b), exactly if rounding could hide a difference.
func farther(m *query.Metric, v, a, b int) int {
	const apart = 0x1p-50 // distances have a relative rounding error of at most 2⁻⁵²
	da, db := m.Steps(v, a), m.Steps(v, b)
	if m.IsExact() || math.Abs(da-db) > apart*da {
		return cmp.Compare(da, db)
	}
	return m.Rational(v, a).Cmp(m.Rational(v, b))
}

// certificate returns the prices by dataset and value, in the original units of the prior and the metric.
func (p *program) certificate(z, v func(k int) *big.Rat) Certificate {
	c := Certificate{Up: make(map[[3]int]*big.Rat), Weight: make([]*big.Rat, p.Rows), Unit: p.unit, Delta: new(big.Rat), Values: p.values}
	if p.Delta != nil {
		c.Delta.Set(p.Delta)
	}
	n := len(p.values)
	scale := new(big.Rat).Inv(p.factor)
	if p.Level {
		total := new(big.Rat)
		for x := range p.Bound {
			total.Add(total, v(x))
		}
		scale.Inv(total)
	}
	for k, e := range p.Pairs {
		for side := range 2 {
			if price := z(2*k + side); price.Sign() != 0 {
				from, to := int(e[side]), int(e[1-side])
				c.Up[[3]int{from / n, to / n, p.values[from%n]}] = price.Mul(price, scale)
			}
		}
	}
	for x := range c.Weight {
		if c.Weight[x] = finite(p.Weight[x]); p.prior != nil {
			c.Weight[x] = p.prior[x]
		}
	}
	if p.Bound != nil {
		c.Bound = make([]*big.Rat, p.Rows)
		for x := range c.Bound {
			c.Bound[x] = new(big.Rat).Mul(v(x), scale)
		}
	}
	return c
}
