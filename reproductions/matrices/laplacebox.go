package matrices

import (
	"context"
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// laplaceRows are the losses of independent Laplace noise on the elements of a record, at the largest move of each.
// With e = move/scale, the distance Y = e − loss of an element is 0 with probability 1/2, has the density e^{−y/2}/4 on
// (0, 2e), and is 2e with probability e^{−e}/2. That is A + e^{−e}·B shifted by 2e, where A and B are 1/2 at 0 and
// ±e^{−y/2}/4 beyond. For k elements this is
//
//	2^−k Σ_b C(k, b) e^{−be} (1 + t)^{k−b} (1 − t)^b shifted by 2be, where t^m is the Gamma law of shape m and rate 1/2,
//
// and the product of these over the different e. δ(ε) = E(1 − e^{ε−loss})⁺ is then a finite sum.
type laplaceRows struct {
	e     []interval.Interval // one e for each group of equal elements
	times []int
	total interval.Interval // the largest loss
	size  int               // the number of elements
}

// Limits beyond which independent pairs are composed numerically.
const (
	mostElements = 48
	mostSums     = 1 << 8
	mostLoss     = 1 << 20
)

// rows returns the elements. ok is false if the sum has too many terms.
func (l laplaceBox) rows() (r laplaceRows, ok bool) {
	at := map[float64]int{}
	for _, h := range l.box.HalfWidths() {
		if i, known := at[h]; known {
			r.times[i]++
			continue
		}
		at[h] = len(r.e)
		r.e, r.times = append(r.e, interval.Int(2).Mul(interval.Float(h)).Quo(interval.Float(l.Scale))), append(r.times, 1)
	}
	r.total = interval.Int(0)
	terms := 1
	for i, n := range r.times {
		r.size += n
		r.total = r.total.Add(r.e[i].Mul(interval.Int(int64(n))))
		if terms *= n + 1; r.size > mostElements || terms > mostSums {
			return r, false
		}
	}
	return r, r.total.Mid() < mostLoss
}

// delta encloses δ(ε).
func (r laplaceRows) delta(eps interval.Interval) interval.Interval {
	sum := interval.Int(0)
	var visit func(i, moved int, weight, gap interval.Interval)
	visit = func(i, moved int, weight, gap interval.Interval) {
		if zero := interval.Int(0); gap.CmpHi(zero) <= 0 { // no distance gives a loss above ε
			return
		}
		if i == len(r.e) {
			sum = sum.Add(weight.Mul(r.within(moved, positivePart(gap))))
			return
		}
		n, choose := int64(r.times[i]), new(big.Int)
		for b := int64(0); b <= n; b++ {
			times := interval.Int(b)
			w := weight.Mul(r.e[i].Mul(times).Neg().Exp()).Mul(interval.Rat(new(big.Rat).SetInt(choose.Binomial(n, b))))
			visit(i+1, moved+int(b), w, gap.Sub(r.e[i].Mul(times).Mul(interval.Int(2))))
		}
	}
	visit(0, 0, interval.TwoTo(-r.size), r.total.Sub(eps))
	return clamp(sum)
}

// within encloses Σ_m c_m E[(1 − e^{Y−g})⁺], where Y has the Gamma law of shape m, and c_m are the coefficients of (1 +
// t)^{k−b}(1 − t)^b. With x = g/2 the terms are 1 − e^{−x} Σ_{i<m} x^i/i! − (−1)^m e^{−x} (e^{−x} − Σ_{i<m} (−x)^i/i!).
func (r laplaceRows) within(b int, g interval.Interval) interval.Interval {
	c := []*big.Int{big.NewInt(1)}
	for k := range r.size {
		next := append(c, new(big.Int))
		for m := len(c); m > 0; m-- {
			v := new(big.Int).Set(c[m-1])
			if k < b {
				v.Neg(v)
			}
			next[m] = v.Add(v, next[m])
		}
		c = next
	}
	one, x := interval.Int(1), g.Quo(interval.Int(2))
	fall, term := x.Neg().Exp(), interval.Int(1)
	sum, up, alternating := interval.Int(0), interval.Int(0), interval.Int(0) // the sums over i < m
	for m, weight := range c {
		signed := fall.Mul(fall.Sub(alternating))
		if m%2 != 0 {
			signed = signed.Neg()
		}
		sum = sum.Add(one.Sub(fall.Mul(up)).Sub(signed).Mul(interval.Rat(new(big.Rat).SetInt(weight))))
		up = up.Add(term)
		if m%2 == 0 {
			alternating = alternating.Add(term)
		} else {
			alternating = alternating.Sub(term)
		}
		term = term.Mul(x).Quo(interval.Int(int64(m + 1)))
	}
	return sum
}

// epsilon encloses the least ε at a positive δ. δ(ε) is decreasing.
func (r laplaceRows) epsilon(ctx context.Context, delta interval.Interval) (lo, hi float64, err error) {
	exceeds := func(eps float64) bool { return delta.Less(r.delta(interval.Float(eps))) }
	reached := func(eps float64) bool { return r.delta(interval.Float(eps)).CmpHi(delta.Lower()) <= 0 }
	if reached(0) {
		return 0, 0, nil
	}
	_, most := r.total.Bounds()
	search := func(low bool) float64 {
		a, b := 0.0, most
		for {
			mid := a + (b-a)/2
			if err == nil {
				err = ctx.Err()
			}
			if err != nil || !(mid > a && mid < b) {
				break
			}
			if low && exceeds(mid) || !low && !reached(mid) {
				a = mid
			} else {
				b = mid
			}
		}
		if low {
			return a
		}
		return b
	}
	lo, hi = search(true), search(false)
	return min(lo, hi), math.Max(lo, hi), err
}

// enclosed returns v as certified evidence from a closed form.
func enclosed(v interval.Interval) evidence.Number {
	return evidence.EnclosedLoss(v, "a finite sum of Gamma laws", laplaceSource)
}
