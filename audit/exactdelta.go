package audit

import (
	"context"
	"math"
	"math/big"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/internal/interval"
)

// delta returns the smallest δ at ε over the pairs, in both directions:
// Σ max(0, p − e^ε q), exact where e^ε is rational and u = 0.
func (t *Table) delta(ctx context.Context, pairs [][2]int, epsilon evidence.Epsilon, u *big.Rat) (evidence.Number, error) {
	const source = "largest Σ max(0, p − e^ε q) over neighbors"
	factor := math.Exp(min(epsilon.Value(), 600))
	filter := epsilon.Value() < 400
	type candidate struct {
		pair   [2]int
		excess float64
	}
	var near []candidate
	var cells []cell
	most, spread := 0.0, 0.0
	for i, pair := range pairs {
		if i%64 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for range 2 {
			cells = t.join(pair[0], pair[1], cells[:0])
			sum, open := 0.0, false
			for _, c := range cells {
				sum += max(0, c.f-float64(factor*c.g))
				open = open || mayContribute(c, factor, u)
			}
			// As in mayExceed; e^ε itself adds at most 2⁻⁵¹ p, rounding 4u p.
			v, _ := u.Float64()
			gap := float64(len(cells)+16)*0x1p-50 + 4*v
			if open && (!filter || sum > most-spread-gap) {
				near = append(near, candidate{pair, sum})
				spread = max(spread, gap)
				if sum > most {
					most = sum
				}
			}
			pair[0], pair[1] = pair[1], pair[0]
		}
	}
	near = slices.DeleteFunc(near, func(c candidate) bool { return filter && c.excess < most-2*spread })

	rational, isRational := epsilon.Exp()
	best := new(big.Rat)
	enclosed := interval.Int(0)
	exact := u.Sign() == 0 && isRational
	e := interval.Int(1)
	if !exact && len(near) > 0 {
		// No ratio of two numbers that were read comes near e^(2²⁰).
		if e = epsilon.Enclosure(); epsilon.Value() > 1<<20 {
			e = interval.Int(1 << 20)
		}
		e = e.Exp()
	}
	grow, shrink := interval.Int(1).Add(interval.Rat(u)), interval.Int(1).Sub(interval.Rat(u))
	for i, c := range near {
		if i%16 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		cells = t.join(c.pair[0], c.pair[1], cells[:0])
		if exact {
			total := new(big.Rat)
			for _, c := range cells {
				if term := excess(c, rational); term.Sign() > 0 {
					total.Add(total, term)
				}
			}
			if total.Cmp(best) > 0 {
				best = total
			}
			continue
		}
		total := interval.Int(0)
		for _, c := range cells {
			if !mayContribute(c, factor, u) {
				continue
			}
			p, q := interval.Rat(c.p), interval.Int(0)
			if c.q != nil {
				q = interval.Rat(c.q)
			}
			term := interval.Hull(p.Mul(shrink).Sub(e.Mul(q).Mul(grow)), p.Mul(grow).Sub(e.Mul(q).Mul(shrink)))
			total = total.Add(interval.Max(term, interval.Int(0)))
		}
		enclosed = interval.Max(enclosed, total)
	}
	if exact || len(near) == 0 {
		return evidence.Exact{Value: best, Cases: 2 * uint64(len(pairs)) * uint64(len(t.outputs.labels)), Source: source}, nil
	}
	lo, hi := enclosed.Bounds()
	return evidence.Certified{Lo: min(max(lo, 0), 1), Hi: min(hi, 1), Loss: true, Source: source, Method: "256-bit intervals"}, nil
}

// mayContribute reports whether p > e^ε q may hold for some law within u.
func mayContribute(c cell, factor float64, u *big.Rat) bool {
	v, _ := u.Float64()
	r := c.ratio()
	return !(r < factor*(1-1e-12)*(1-3*v))
}

func excess(c cell, factor *big.Rat) *big.Rat {
	if c.q == nil {
		return c.p
	}
	v := new(big.Rat).Mul(factor, c.q)
	return v.Sub(c.p, v)
}
