package lp

import (
	"math"

	"dpworkbench/interval"
)

// lowerEnd returns the lower end of floor, or −∞ if a price is NaN.
func (p *Program) lowerEnd(z, v []float64) float64 {
	for _, prices := range [][]float64{z, v} {
		for _, x := range prices {
			if !(x >= 0) || math.IsInf(x, 1) {
				return math.Inf(-1)
			}
		}
	}
	lo, _ := p.floor(z, v).Bounds()
	return lo
}

// floor encloses a lower bound of the program for any nonnegative prices. With r_j = (Weight_i + V_i) Loss_j −
// (AᵀZ)_j, where AᵀZ sums the prices of the pairs, weak duality gives
//
//	optimum ≥ Σ_i min_{j in row i} r_j − Σ_i V_i Bound_i − Delta Σ_g max_{k in budget g} Z_k
//
// because Σ_j r_j p_j ≤ objective + Σ V_i Bound_i at every feasible p, and each row of p averages its r_j. A free
// level requires Σ V_i = 1, to which the prices are scaled. Violating the constraints of a budget costs at most
// Delta times the largest of their prices; without Delta that term is 0.
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
	change, ratio := make([]interval.Ball, len(p.Row)), p.Ratio.Ball() // −AᵀZ, without prices whose products may underflow
	for k, e := range p.Pairs {
		for side := range 2 {
			to, from := e[side], e[1-side]
			switch z := z[2*k+side]; {
			case z > 0x1p-600 && z < 0x1p600:
				x := interval.BallAt(z)
				change[to] = change[to].Add(x)
				change[from] = change[from].Sub(x.Mul(ratio))
			case z != 0:
				x := price(z)
				reduced[to] = reduced[to].Add(x)
				reduced[from] = reduced[from].Sub(x.Mul(p.Ratio))
			}
		}
	}
	for j, c := range change {
		if c != (interval.Ball{}) {
			reduced[j] = reduced[j].Add(c.Interval().Mul(scale))
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
