package lp

import (
	"math"
	"slices"

	"dpworkbench/interval"
)

// manyConstraints is the number from which lowerEnd works in float64.
const manyConstraints = 50000

// lowerEnd returns a number that Floor does not fall below: its own lower end,
// or for a large program one that float64 finds, a running error analysis
// included, in a small part of the time.
func (p *Program) lowerEnd(z, v []float64) float64 {
	price := func(x float64) bool { return x >= 0 && !math.IsInf(x, 1) }
	for _, prices := range [][]float64{z, v} {
		for _, x := range prices {
			if !price(x) {
				return math.Inf(-1)
			}
		}
	}
	if p.constraints() < manyConstraints || p.underflows() {
		lo, _ := p.floor(z, v).Bounds()
		return lo
	}
	return p.roughFloor(z, v)
}

// underflows reports whether some weight or loss is too small to be rounded like
// others.
func (p *Program) underflows() bool {
	tiny := func(v float64) bool { return v != 0 && math.Abs(v) < 1e-290 }
	return p.ExactWeight != nil && slices.ContainsFunc(p.Weight, tiny) || p.ExactLoss != nil && slices.ContainsFunc(p.Loss, tiny)
}

// roughFloor is Floor in float64. A reduced cost of k terms, each with at most
// eight roundings of its own (weight, scale, price, their product and sum, the loss,
// which may be rounded twice, and the product with it; scale, price, w and two
// products elsewhere), is off by less than (k + 9) 2⁻⁵³, times the sum of the absolute
// terms, up to second order; (k + 8) 2⁻⁵² covers that for any k below 2⁴⁰, and the
// width of the ratio is added to it. The terms of the bounds are summed in intervals.
func (p *Program) roughFloor(z, v []float64) float64 {
	scale, rest := interval.Int(1), interval.Int(0)
	if p.Level {
		total := interval.Int(0)
		for _, x := range v {
			total = total.Add(interval.Float(x))
		}
		scale = interval.Int(1).Quo(total)
	}
	by, w := scale.Mid(), p.Ratio.Mid()
	from, to := p.Ratio.Bounds()
	unsure := (to - from) / from
	n := len(p.Row)
	sum, size, terms := make([]float64, n), make([]float64, n), make([]float64, n)
	for j, i := range p.Row {
		rate := p.Weight[i]
		if v != nil {
			rate += by * v[i]
		}
		sum[j] = rate * p.Loss[j]
		size[j] = math.Abs(sum[j])
	}
	for i, x := range v {
		rest = rest.Sub(interval.Float(x).Mul(scale).Mul(p.Bound[i]))
	}
	rest = rest.Sub(p.charge(z).Mul(scale))
	for k, e := range p.Pairs {
		for side := range 2 {
			large, small, price := e[side], e[1-side], by*z[2*k+side]
			sum[large] += price
			sum[small] -= w * price
			size[large] += price
			size[small] += w * price
			terms[large]++
			terms[small]++
		}
	}
	least := make([]float64, p.Rows)
	for i := range least {
		least[i] = math.Inf(1)
	}
	for j, i := range p.Row {
		least[i] = min(least[i], sum[j]-((terms[j]+8)*0x1p-52+unsure)*size[j]-(terms[j]+8)*math.SmallestNonzeroFloat64)
	}
	for _, l := range least {
		if math.IsNaN(l) { // beyond float64
			return math.Inf(-1)
		}
		rest = rest.Add(interval.Float(l))
	}
	lo, _ := rest.Bounds()
	return lo
}

// floor returns an enclosure of a lower bound of the program for any prices,
// none negative. With r_j = (Weight_i + V_i) Loss_j − (AᵀZ)_j, where AᵀZ sums
// the prices of the pairs, weak duality gives
//
//	optimum ≥ Σ_i min_{j in row i} r_j − Σ_i V_i Bound_i − Delta Σ_g max_{k in budget g} Z_k
//
// (Σ_j r_j p_j ≤ objective + Σ V_i Bound_i at every feasible p, and a row of
// numbers that sum to 1 averages its r_j). A free level asks for Σ V_i = 1, to
// which the prices are scaled. What the constraints of a budget are exceeded by costs
// the largest of their prices at most, Delta times; without Delta that term is 0.
func (p *Program) floor(z, v []float64) interval.Interval {
	scale := interval.Int(1)
	if p.Level {
		total := interval.Int(0)
		for _, x := range v {
			total = total.Add(interval.Float(x))
		}
		scale = interval.Int(1).Quo(total)
	}
	price := func(x float64) interval.Interval {
		if p.Level {
			return interval.Float(x).Mul(scale)
		}
		return interval.Float(x)
	}
	reduced := make([]interval.Interval, len(p.Row))
	rates := make([]interval.Interval, p.Rows)
	floor := interval.Int(0)
	for i := range p.Weight {
		rates[i] = p.weight(i)
		if v != nil {
			rates[i] = rates[i].Add(price(v[i]))
			floor = floor.Sub(price(v[i]).Mul(p.Bound[i]))
		}
	}
	floor = floor.Sub(p.charge(z).Mul(scale))
	for j, i := range p.Row {
		reduced[j] = rates[i].Mul(p.loss(j))
	}
	for k, e := range p.Pairs {
		if z[2*k] != 0 {
			x := price(z[2*k])
			reduced[e[0]] = reduced[e[0]].Add(x)
			reduced[e[1]] = reduced[e[1]].Sub(x.Mul(p.Ratio))
		}
		if z[2*k+1] != 0 {
			x := price(z[2*k+1])
			reduced[e[1]] = reduced[e[1]].Add(x)
			reduced[e[0]] = reduced[e[0]].Sub(x.Mul(p.Ratio))
		}
	}
	least := make([]interval.Interval, p.Rows)
	set := make([]bool, p.Rows)
	for j, i := range p.Row {
		if !set[i] || reduced[j].CmpLo(least[i]) < 0 {
			least[i], set[i] = reduced[j], true
		}
	}
	for _, l := range least {
		floor = floor.Add(l)
	}
	return floor
}
