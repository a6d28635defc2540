package lp

import (
	"context"
	"math"
	"slices"
	"time"

	"dpworkbench/internal/lists"
	"dpworkbench/internal/yield"
	"dpworkbench/interval"
)

// margin is the relative distance that certified points keep below the ratio w. So ln(p_a/p_b), computed later and
// rounded up, is still at most ε.
const margin = 0x1p-49

// certify mixes the weights x.P with as little of the uniform point as interval arithmetic requires to be feasible.
// It sets x.Hi to the value of that point and x.Lo to the bound from the prices x.Z, x.V (see floor). If the
// program has bounds and no level, it mixes in interior, if given, until the bounds hold as well. If ctx ends
// first, it returns ctx's error, and x is not certified.
func (p *Program) certify(ctx context.Context, x *Solution, interior []float64) error {
	x.P = p.feasible(ctx, x.P)
	x.Lo = p.lowerEnd(x.Z, x.V)
	x.Hi = math.Inf(1)
	if p.Bound == nil || p.Level || p.obeys(x.P) {
		_, x.Hi = p.value(x.P).Bounds()
		return ctx.Err()
	}
	if interior == nil {
		return ctx.Err()
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
		if p.obeys(mixed) && p.satisfies(ctx, mixed) {
			x.P = mixed
			_, x.Hi = p.value(x.P).Bounds()
			return ctx.Err()
		}
		if rate == 1 || ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// windingUp is the time allowed for certifying the result of an interrupted solve.
const windingUp = 300 * time.Millisecond

// afterwards returns a context that ends windingUp after another.
func afterwards(ctx context.Context) (context.Context, context.CancelFunc) {
	late, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(windingUp, cancel) })
	return yield.Context(late), func() { stop(); cancel() }
}

// obeys reports whether P_i ≤ Bound_i certainly holds in every row.
func (p *Program) obeys(weights []float64) bool {
	for i, loss := range p.losses(weights) {
		if !loss.Less(p.Bound[i]) {
			return false
		}
	}
	return true
}

// feasible returns weights that satisfy every pair strictly after division by their row sums: p mixed with the
// uniform point at the smallest rate tried that suffices, or the last one if ctx ends.
func (p *Program) feasible(ctx context.Context, weights []float64) []float64 {
	sum, length := make([]float64, p.Rows), make([]float64, p.Rows)
	for j, i := range p.Row {
		sum[i] += weights[j]
		length[i]++
	}
	mixed := make([]float64, len(weights))
	first := 0x1p-54 // about the smallest rate that changes the least probability in float64
	for j, i := range p.Row {
		first = min(first, 0x1p-54*weights[j]/sum[i])
	}
	if p.Delta != nil { // with budgets a sum must decrease, not every term
		first, _ = p.Delta.Float64()
		first *= 0x1p-54
	}
	mix := func(rate float64) bool {
		for j, i := range p.Row {
			mixed[j] = weights[j]/sum[i]*(1-rate) + rate/length[i]
		}
		return p.satisfies(ctx, mixed)
	}
	for rate := 0.0; ; rate = max(first, 1e-290, 8*rate) {
		rate = min(rate, 1)
		if kept := mix(rate); rate == 1 || kept || ctx.Err() != nil {
			if p.Delta != nil && rate > 0 && kept {
				p.sharpen(ctx, rate, mix)
			}
			return mixed
		}
	}
}

// sharpen tries lower rates than a sufficient one, eight times. With large budgets optima are small, and the rate
// matters.
func (p *Program) sharpen(ctx context.Context, enough float64, mix func(rate float64) bool) {
	less := enough / 8
	for less < 0.99*enough && ctx.Err() == nil {
		if middle := math.Sqrt(less * enough); mix(middle) {
			enough = middle
		} else {
			less = middle
		}
	}
	mix(enough)
}

// satisfies reports whether the weights, divided by their row sums, certainly satisfy every pair with the margin.
// It returns false if ctx ends.
func (p *Program) satisfies(ctx context.Context, weights []float64) bool {
	for _, v := range weights {
		if !(v > 0) || math.IsInf(v, 1) {
			return false
		}
	}
	sum := p.rowSums(weights)
	if p.Delta != nil {
		return p.affords(ctx, weights, sum)
	}
	limit := p.Ratio.Mul(interval.Float(1 - margin))
	w, _ := limit.Bounds()
	near, total := limit.Ball(), lists.Each(sum, interval.Interval.Ball)
	// A float64 filter. A product of three numbers, each rounded once, has at most five roundings, far less than a
	// relative 1e-12. If the left one does not underflow, neither do the right one and its factors, because w is
	// above 1.
	rough := lists.Each(sum, interval.Interval.Mid)
	holds := func(a, b int32) bool {
		i, k := p.Row[a], p.Row[b]
		left, right := weights[a]*rough[k], w*weights[b]*rough[i]
		if left < right*(1-1e-12) && right < math.MaxFloat64 && left > 1e-290 {
			return true
		}
		if left > 0x1p-900 && right < 0x1p1000 { // the errors of products do not underflow
			over := interval.BallAt(weights[a]).Mul(total[k])
			if sign, known := over.Sub(interval.BallAt(weights[b]).Mul(total[i]).Mul(near)).Sign(); known {
				return sign < 0
			}
		}
		over := interval.Float(weights[a]).Mul(sum[k])
		under := interval.Float(weights[b]).Mul(sum[i]).Mul(limit)
		return over.Less(under)
	}
	for k, e := range p.Pairs {
		if k%(1<<12) == 0 && ctx.Err() != nil {
			return false
		}
		if !holds(e[0], e[1]) || !holds(e[1], e[0]) {
			return false
		}
	}
	return true
}

func (p *Program) rowSums(weights []float64) []interval.Interval {
	sum := slices.Repeat([]interval.Interval{interval.Int(0)}, p.Rows)
	for j, i := range p.Row {
		sum[i] = sum[i].Add(interval.Float(weights[j]))
	}
	return sum
}

// losses returns enclosures of P_i at the weights divided by their row sums.
func (p *Program) losses(weights []float64) []interval.Interval {
	sum, loss := p.rowSums(weights), slices.Repeat([]interval.Interval{interval.Int(0)}, p.Rows)
	for j, i := range p.Row {
		if p.Loss[j] != 0 {
			loss[i] = loss[i].Add(interval.Float(weights[j]).Mul(p.loss(j)))
		}
	}
	for i := range loss {
		loss[i] = loss[i].Quo(sum[i])
	}
	return loss
}

// value returns an enclosure of the objective at the weights divided by their row sums. If the level is free, it takes
// the least level that these weights allow.
func (p *Program) value(weights []float64) interval.Interval {
	value, top := interval.Int(0), interval.Interval{}
	for i, loss := range p.losses(weights) {
		if p.Weight[i] != 0 {
			value = value.Add(loss.Mul(p.weight(i)))
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
