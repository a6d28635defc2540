package lp

import (
	"math"

	"dpworkbench/internal/interval"
)

// margin is what certified points leave below the ratio w, so that a later
// computation of ln(p_a/p_b) rounded up still ends at ε or below.
const margin = 0x1p-49

// Certify turns the weights x.P into a feasible point by mixing in as little of
// the uniform point as outward-rounded arithmetic asks for, and sets x.Hi to
// its value and x.Lo to the bound that the prices x.Z, x.V give (see Floor).
// Where the program has bounds and no level, it mixes in interior, if there is
// one, until the bounds hold too.
func (p *Program) Certify(x *Solution, interior []float64) {
	x.P = p.feasible(x.P)
	x.Lo = p.lowerEnd(x.Z, x.V)
	x.Hi = math.Inf(1)
	if p.Bound == nil || p.Level || p.obeys(x.P) {
		_, x.Hi = p.Value(x.P).Bounds()
		return
	}
	if interior == nil {
		return
	}
	sum, inner := make([]float64, p.Rows), make([]float64, p.Rows)
	for j, i := range p.Row {
		sum[i] += x.P[j]
		inner[i] += interior[j]
	}
	mixed := make([]float64, len(x.P))
	for rate := 1e-14; ; rate *= 4 {
		rate = min(rate, 1)
		for j, i := range p.Row {
			mixed[j] = x.P[j]/sum[i]*(1-rate) + interior[j]/inner[i]*rate
		}
		if p.obeys(mixed) && p.satisfies(mixed) {
			x.P = mixed
			_, x.Hi = p.Value(x.P).Bounds()
			return
		}
		if rate == 1 {
			return
		}
	}
}

// obeys reports whether P_i ≤ Bound_i certainly holds in every row.
func (p *Program) obeys(weights []float64) bool {
	for i, loss := range p.Losses(weights) {
		if !loss.Less(p.Bound[i]) {
			return false
		}
	}
	return true
}

// feasible returns weights that satisfy every pair strictly once divided by
// their row sums: p mixed with the uniform point at the least rate tried.
func (p *Program) feasible(weights []float64) []float64 {
	sum, length := make([]float64, p.Rows), make([]float64, p.Rows)
	for j, i := range p.Row {
		sum[i] += weights[j]
		length[i]++
	}
	mixed := make([]float64, len(weights))
	first := 1.0 // well below the least probability
	for j, i := range p.Row {
		first = min(first, 1e-6*weights[j]/sum[i])
	}
	for rate := 0.0; ; rate = max(first, 1e-290, 8*rate) {
		rate = min(rate, 1)
		for j, i := range p.Row {
			mixed[j] = weights[j]/sum[i]*(1-rate) + rate/length[i]
		}
		if rate == 1 || p.satisfies(mixed) {
			return mixed
		}
	}
}

// satisfies reports whether the weights, divided by their row sums, certainly
// satisfy every pair with the margin.
func (p *Program) satisfies(weights []float64) bool {
	sum := p.rowSums(weights)
	limit := p.Ratio.Mul(interval.Float(1 - margin))
	w, _ := limit.Bounds()
	// A float64 filter: products and sums err by less than 1e-12 relative.
	rough := make([]float64, p.Rows)
	for i, s := range sum {
		rough[i] = s.Mid()
	}
	holds := func(a, b int32) bool {
		i, k := p.Row[a], p.Row[b]
		left, right := weights[a]*rough[k], w*weights[b]*rough[i]
		if left < right*(1-1e-12) && right < math.MaxFloat64 && left > 1e-290 {
			return true
		}
		over := interval.Float(weights[a]).Mul(sum[k])
		under := interval.Float(weights[b]).Mul(sum[i]).Mul(limit)
		return over.Less(under)
	}
	for _, v := range weights {
		if !(v > 0) || math.IsInf(v, 1) {
			return false
		}
	}
	for _, e := range p.Pairs {
		if !holds(e[0], e[1]) || !holds(e[1], e[0]) {
			return false
		}
	}
	return true
}

func (p *Program) rowSums(weights []float64) []interval.Interval {
	sum := make([]interval.Interval, p.Rows)
	for i := range sum {
		sum[i] = interval.Int(0)
	}
	for j, i := range p.Row {
		sum[i] = sum[i].Add(interval.Float(weights[j]))
	}
	return sum
}

// Losses returns enclosures of P_i at the weights divided by their row sums.
func (p *Program) Losses(weights []float64) []interval.Interval {
	sum, loss := p.rowSums(weights), make([]interval.Interval, p.Rows)
	for i := range loss {
		loss[i] = interval.Int(0)
	}
	for j, i := range p.Row {
		if p.Loss[j] != 0 {
			loss[i] = loss[i].Add(interval.Float(weights[j]).Mul(interval.Float(p.Loss[j])))
		}
	}
	for i := range loss {
		loss[i] = loss[i].Quo(sum[i])
	}
	return loss
}

// Value returns an enclosure of the objective at the weights divided by their
// row sums; a free level takes its least value there.
func (p *Program) Value(weights []float64) interval.Interval {
	value, top := interval.Int(0), interval.Interval{}
	for i, loss := range p.Losses(weights) {
		if p.Weight[i] != 0 {
			value = value.Add(loss.Mul(interval.Float(p.Weight[i])))
		}
		if p.Level {
			if excess := loss.Sub(p.Bound[i]); i == 0 || top.CmpHi(excess) < 0 {
				top = excess
			}
		}
	}
	if p.Level {
		value = value.Add(top)
	}
	return value
}

// manyConstraints is the number from which lowerEnd works in float64.
const manyConstraints = 50000

// lowerEnd returns a number that Floor does not fall below: its own lower end,
// or for a large program one that float64 finds, a running error analysis
// included, in a small part of the time.
func (p *Program) lowerEnd(z, v []float64) float64 {
	if p.Constraints() < manyConstraints {
		lo, _ := p.Floor(z, v).Bounds()
		return lo
	}
	return p.roughFloor(z, v)
}

// roughFloor is Floor in float64. A reduced cost of k terms, each with at most
// five roundings of its own (scale, price, w), is off by less than (k + 6) 2⁻⁵³,
// times the sum of the absolute terms, up to second order; (k + 8) 2⁻⁵² covers
// that for any k below 2⁴⁰, and the width of the ratio is added to it. The terms
// of the bounds are summed in intervals.
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
		if math.IsNaN(l) || math.IsInf(l, 0) {
			return math.Inf(-1)
		}
		rest = rest.Add(interval.Float(l))
	}
	lo, _ := rest.Bounds()
	return lo
}

// Floor returns an enclosure of a lower bound of the program for any prices,
// none negative. With r_j = (Weight_i + V_i) Loss_j − (AᵀZ)_j, where AᵀZ sums
// the prices of the pairs, weak duality gives
//
//	optimum ≥ Σ_i min_{j in row i} r_j − Σ_i V_i Bound_i
//
// (Σ_j r_j p_j ≤ objective + Σ V_i Bound_i at every feasible p, and a row of
// numbers that sum to 1 averages its r_j). A free level asks for Σ V_i = 1, to
// which the prices are scaled.
func (p *Program) Floor(z, v []float64) interval.Interval {
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
	for i, w := range p.Weight {
		rates[i] = interval.Float(w)
		if v != nil {
			rates[i] = rates[i].Add(price(v[i]))
			floor = floor.Sub(price(v[i]).Mul(p.Bound[i]))
		}
	}
	for j, i := range p.Row {
		reduced[j] = rates[i].Mul(interval.Float(p.Loss[j]))
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
