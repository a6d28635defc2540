package audit

import (
	"context"
	"math/big"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/interval"
	"dpworkbench/privacy"
)

// delta returns the smallest δ at ε over the pairs, in both directions: Σ max(0, p − e^ε q). It is exact if e^ε is
// rational and u = 0.
func (t *Table) delta(ctx context.Context, pairs [][2]int, epsilon evidence.Epsilon, u *big.Rat) (evidence.Number, error) {
	const source = "largest Σ max(0, p − e^ε q) over neighbors"
	near, err := t.largestDelta(ctx, pairs, epsilon, u)
	if err != nil {
		return nil, err
	}
	w := growth(epsilon)
	best := evidence.ExactRat(new(big.Rat))
	var cells []cell
	for i, pair := range near {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		cells = t.join(pair[0], pair[1], cells[:0])
		d := deltaOf(cells, w, expFloat(epsilon), u)
		if i == 0 {
			best = d
		} else {
			best = privacy.Max(best, d)
		}
	}
	if best.Rational != nil {
		return evidence.Exact{Value: best.Rational, Side: evidence.Up, Cases: t.cases(pairs), Provenance: evidence.From(source)}, nil
	}
	lo, hi := best.Enclosure.Bounds()
	return evidence.Certified{Lo: min(max(lo, 0), 1), Hi: min(hi, 1), Side: evidence.Up, Provenance: evidence.From(source).By("256-bit intervals")}, nil
}

// growth returns e^ε, or e^(2²⁰) if that is less. Ratios of probabilities that can be read are far smaller than
// e^(2²⁰).
func growth(epsilon evidence.Epsilon) evidence.RatOrInterval {
	if w, ok := epsilon.Exp(); ok {
		return evidence.ExactRat(w)
	}
	e := epsilon.Enclosure()
	if epsilon.Value() > 1<<20 {
		e = interval.Int(1 << 20)
	}
	return evidence.RatOrInterval{Enclosure: e.Exp()}
}

// largestDelta returns the directed pairs that may have the largest δ at ε. It returns none if δ is certainly 0 for all
// pairs.
func (t *Table) largestDelta(ctx context.Context, pairs [][2]int, epsilon evidence.Epsilon, u *big.Rat) ([][2]int, error) {
	type candidate struct {
		pair   [2]int
		excess float64
	}
	factor := expFloat(epsilon)
	filter := epsilon.Value() < 400 // for smaller ε, e^ε q is accurate in float64
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
			// The float64 errors are those in mayExceed, and at most 2⁻⁵³ p from e^ε. The rounded probabilities add 4u.
			gap := float64(len(cells)+16)*0x1p-50 + 4*relative
			if open && (!filter || sum > most-spread-gap) {
				near = append(near, candidate{pair, sum})
				spread, most = max(spread, gap), max(most, sum)
			}
			pair[0], pair[1] = pair[1], pair[0]
		}
	}
	near = slices.DeleteFunc(near, func(c candidate) bool { return filter && c.excess < most-2*spread })
	out := lists.Of(len(near), func(i int) [2]int { return near[i].pair })
	return out, nil
}

// expFloat returns the float64 nearest to e^ε, or to e⁶⁰⁰ if ε is larger.
func expFloat(epsilon evidence.Epsilon) float64 {
	if epsilon.Value() > 600 {
		return interval.Int(600).Exp().Mid()
	}
	return epsilon.Enclosure().Exp().Mid()
}

// mayContribute reports whether p > e^ε q for some law within u. It is false if p/q < e^ε (1 − u)/(1 + u), which is at
// least e^ε (1 − 2u). The float64 ratio p/q has a relative error of at most 2⁻⁵¹, and factor, the float64 e^ε, an error
// of at most 2⁻⁵².
func mayContribute(c cell, factor float64, u *big.Rat) bool {
	v, _ := u.Float64()
	r := c.ratio()
	return !(r < factor*(1-1e-12)*(1-3*v))
}

// deltaOf returns Σ max(0, p − wq) for all laws within a relative error u. It is exact if u = 0 and w is rational.
func deltaOf(cells []cell, w evidence.RatOrInterval, factor float64, u *big.Rat) evidence.RatOrInterval {
	total := evidence.ExactRat(new(big.Rat))
	for _, c := range cells {
		if !mayContribute(c, factor, u) {
			continue
		}
		p, q := within(c.p, u), within(new(big.Rat), u)
		if c.q != nil {
			q = within(c.q, u)
		}
		total = total.Add(privacy.HockeyStickTerm(p, q, w))
	}
	return total
}

// within returns an enclosure of all numbers within a relative error u of p.
func within(p, u *big.Rat) evidence.RatOrInterval {
	if u.Sign() == 0 {
		return evidence.ExactRat(p)
	}
	one := interval.Int(1)
	v := interval.Rat(p)
	return evidence.RatOrInterval{Enclosure: interval.Hull(v.Mul(one.Sub(interval.Rat(u))), v.Mul(one.Add(interval.Rat(u))))}
}
