package audit

import (
	"context"
	"math/big"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// delta returns the smallest δ at ε over the pairs, in both directions:
// Σ max(0, p − e^ε q), exact where e^ε is rational and u = 0.
func (t *Table) delta(ctx context.Context, pairs [][2]int, epsilon evidence.Epsilon, u *big.Rat) (evidence.Number, error) {
	const source = "largest Σ max(0, p − e^ε q) over neighbors"
	near, err := t.largestDelta(ctx, pairs, epsilon, u)
	if err != nil {
		return nil, err
	}
	factor, rational := epsilon.Exp()
	if rational && u.Sign() == 0 || len(near) == 0 {
		best := new(big.Rat)
		var cells []cell
		for _, pair := range near {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			cells = t.join(pair[0], pair[1], cells[:0])
			if total := rationalDelta(cells, factor); total.Cmp(best) > 0 {
				best = total
			}
		}
		return evidence.Exact{Value: best, Cases: t.cases(pairs), Source: source}, nil
	}

	e := epsilon.Enclosure()
	if epsilon.Value() > 1<<20 { // no ratio of two numbers that were read comes near e^(2²⁰)
		e = interval.Int(1 << 20)
	}
	e = e.Exp()
	best := interval.Int(0)
	var cells []cell
	for _, pair := range near {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		cells = t.join(pair[0], pair[1], cells[:0])
		best = interval.Max(best, enclosedDelta(cells, e, expFloat(epsilon), u))
	}
	lo, hi := best.Bounds()
	return evidence.Certified{Lo: min(max(lo, 0), 1), Hi: min(hi, 1), Loss: true, Source: source, Method: "256-bit intervals"}, nil
}

// largestDelta returns the directed pairs that may have the largest δ at ε; none
// where it is certain that all have 0.
func (t *Table) largestDelta(ctx context.Context, pairs [][2]int, epsilon evidence.Epsilon, u *big.Rat) ([][2]int, error) {
	type candidate struct {
		pair   [2]int
		excess float64
	}
	factor := expFloat(epsilon)
	filter := epsilon.Value() < 400 // below, float64s hold e^ε q to their precision
	relative, _ := u.Float64()
	var near []candidate
	var cells []cell
	most, spread := 0.0, 0.0
	for _, pair := range pairs {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for range 2 {
			cells = t.join(pair[0], pair[1], cells[:0])
			sum, open := 0.0, false
			for _, c := range cells {
				sum += max(0, c.f-float64(factor*c.g))
				open = open || mayContribute(c, factor, u)
			}
			// As in mayExceed; e^ε itself adds at most 2⁻⁵³ p, rounding 4u p.
			gap := float64(len(cells)+16)*0x1p-50 + 4*relative
			if open && (!filter || sum > most-spread-gap) {
				near = append(near, candidate{pair, sum})
				spread, most = max(spread, gap), max(most, sum)
			}
			pair[0], pair[1] = pair[1], pair[0]
		}
	}
	near = slices.DeleteFunc(near, func(c candidate) bool { return filter && c.excess < most-2*spread })
	out := make([][2]int, len(near))
	for i, c := range near {
		out[i] = c.pair
	}
	return out, nil
}

// expFloat returns the float64 nearest to e^ε, read off an enclosure of 250 bits,
// and that to e⁶⁰⁰ where ε is larger.
func expFloat(epsilon evidence.Epsilon) float64 {
	if epsilon.Value() > 600 {
		return interval.Int(600).Exp().Mid()
	}
	return epsilon.Enclosure().Exp().Mid()
}

// mayContribute reports whether p > e^ε q may hold for some law within u: for
// none where p/q < e^ε (1 − u)/(1 + u), which is at least e^ε (1 − 2u). The ratio
// of two float64s is within 2⁻⁵¹ of it, factor within 2⁻⁵².
func mayContribute(c cell, factor float64, u *big.Rat) bool {
	v, _ := u.Float64()
	r := c.ratio()
	return !(r < factor*(1-1e-12)*(1-3*v))
}

// rationalDelta returns Σ max(0, p − factor·q).
func rationalDelta(cells []cell, factor *big.Rat) *big.Rat {
	total := new(big.Rat)
	for _, c := range cells {
		if c.q == nil {
			total.Add(total, c.p)
			continue
		}
		v := new(big.Rat).Mul(factor, c.q)
		if v.Sub(c.p, v).Sign() > 0 {
			total.Add(total, v)
		}
	}
	return total
}

// enclosedDelta encloses Σ max(0, p − e q) over all laws within a relative u.
func enclosedDelta(cells []cell, e interval.Interval, factor float64, u *big.Rat) interval.Interval {
	grow, shrink := interval.Int(1).Add(interval.Rat(u)), interval.Int(1).Sub(interval.Rat(u))
	total := interval.Int(0)
	for _, c := range cells {
		if !mayContribute(c, factor, u) {
			continue
		}
		p, q := interval.Rat(c.p), interval.Int(0)
		if c.q != nil {
			q = interval.Rat(c.q)
		}
		least, most := p.Mul(shrink).Sub(e.Mul(q).Mul(grow)), p.Mul(grow).Sub(e.Mul(q).Mul(shrink))
		total = total.Add(interval.Max(interval.Hull(least, most), interval.Int(0)))
	}
	return total
}
