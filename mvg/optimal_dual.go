package mvg

import (
	"math"
	"slices"

	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
)

// errScale is returned if an optimum overflows or underflows float64.
var errScale = parameter.Errorf("the differences, weights or eps are too large or too small: their products are outside the range of float64")

// dual returns the Lagrange dual at multipliers y ≥ 0 of the constraints aᵀp ≤ 1: a bound for all p. With prices
// c_i = Σ_k y_k a_ki, the least error satisfies
//
//	Σ w_i/p_i ≥ min_p Σ (w_i/p_i + c_i p_i) − Σy = 2 Σ √(w_i c_i) − Σy.
//
// The best multiple of y gives (Σ √(w_i c_i))²/Σy. For information, Σ ln(1 + w_i p_i) ≤ Σ max_p (ln(1 + w_i p) −
// c_i p) + Σy.
func (o *optimizer) dual(rows [][]interval.Interval, y []float64) (interval.Interval, error) {
	paid := interval.Int(0)
	for _, v := range y {
		if v > 0 && !math.IsInf(v, 1) {
			paid = paid.Add(interval.Float(v))
		}
	}
	prices := pricesOf(rows, y)
	if sign, _ := paid.Sign(); sign <= 0 {
		return paid, errScale
	}
	if o.goal.Objective == LeastError {
		sum := interval.Int(0)
		for i, c := range prices {
			sum = sum.Add(o.basis.charges[i].Mul(c).Sqrt())
		}
		return o.error(square(sum).Quo(paid)), nil
	}
	gain, err := surplus(o.basis.weights, prices)
	return interval.Float(o.columns).Mul(gain.Add(paid)), err
}

// pricesOf returns the sum of the rows a ≥ 0 weighted by the multipliers y. Multipliers that are not positive and
// finite count as 0.
func pricesOf(rows [][]interval.Interval, y []float64) []interval.Interval {
	prices := slices.Repeat([]interval.Interval{interval.Int(0)}, len(rows[0]))
	for k, v := range y {
		if !(v > 0) || math.IsInf(v, 1) {
			continue
		}
		share := interval.Float(v)
		for i, a := range rows[k] {
			prices[i] = prices[i].Add(share.Mul(interval.Max(a, interval.Int(0))))
		}
	}
	return prices
}

// price returns the price of the budget, rounded up for errors in eigenvalues, weights and budget. A price slightly too
// high costs little. A price too low leaves a surplus that can exceed the information itself.
func (w *Waterfilling) price() interval.Interval {
	return interval.Int(1).Quo(interval.Float(w.KnownLevel.Lo * (1 - 8*unit)))
}

// surplus bounds Σ max_{p ≥ 0} (ln(1 + w_i p) − c_i p) by its upper end. A term is ln κ − 1 + 1/κ for κ = w_i/c_i >
// 1, which increases with κ, and 0 otherwise.
func surplus(weights, prices []interval.Interval) (interval.Interval, error) {
	one := interval.Int(1)
	rest := interval.Int(0)
	log := newLogTotal()
	for i, w := range weights {
		if sign, _ := w.Sign(); sign == 0 {
			continue
		}
		if sign, _ := prices[i].Sign(); sign <= 0 {
			return rest, errScale
		}
		if k := w.Quo(prices[i]).Upper(); one.Less(k) {
			log.add(k.Sub(one))
			rest = rest.Add(one.Quo(k)).Sub(one)
		}
	}
	return rest.Add(log.sum()), nil
}
