package records

import (
	"context"
	"math"
	"math/big"
	"slices"

	"dpworkbench/internal/parallel"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/query"
)

// side is the part of the range above or below f(x). It is described by the distances from f(x) at which its layers
// end. Weights are in units of the weight of a value in the first nonempty layer.
type side struct {
	ends []*big.Rat // end of layer first + k; nil if far computes it
	far  func(k int) *big.Rat
	sum  []interval.Interval // sum[k] is the weight up to the end of layer first + k
	own  []float64           // own[k] is the weight of layer first + k; set if far is
	full *big.Rat            // distance to the end of the range, nil if it is infinite
}

// end returns the end of layer first + k.
func (s *side) end(k int) *big.Rat {
	if s.far != nil {
		return s.far(k)
	}
	return s.ends[k]
}

// layerLaw lists the layers of a law, up to where the remaining weight is negligible.
type layerLaw struct {
	first        int
	weight       []interval.Interval // weight of one value of layer first + k: z^k
	sides        [2]side             // above, below
	step         *big.Rat            // 0 if the range is not a lattice
	rest         interval.Interval   // weight beyond the last listed layer
	mass, moment interval.Interval   // total weight and first moment of the distance
	exact        *big.Rat            // the distortion, nil unless computed as a rational
}

// bitsKept bounds the unlisted weight: it is below 2^−bitsKept of the total.
const bitsKept = 80

// exactLayers bounds the number of layers that are summed in rational arithmetic.
const exactLayers = 1 << 12

// listedLaw computes the law at the first call and returns it.
func (m *Layered) listedLaw(ctx context.Context) (*layerLaw, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.law == nil {
		law, err := m.compute(ctx)
		if err != nil {
			return nil, err
		}
		m.law = law
	}
	return m.law, nil
}

// measure returns the length from distance a to distance b, or the number of lattice points in (a, b].
func (l *layerLaw) measure(a, b *big.Rat) *big.Rat {
	d := new(big.Rat).Sub(b, a)
	if l.step.Sign() > 0 {
		d.Quo(d, l.step)
	}
	return d
}

// mean returns the mean distance of the points in (a, b], or of its lattice points.
func (l *layerLaw) mean(a, b *big.Rat) *big.Rat {
	s := new(big.Rat).Add(a, b)
	s.Add(s, l.step)
	return s.Mul(s, big.NewRat(1, 2))
}

func (m *Layered) compute(ctx context.Context) (*layerLaw, error) {
	q := m.q
	if m.plain && q.orderLayers != nil && q.orderLayers.ready(m.decay) {
		return m.orderLaw(ctx, q.orderLayers)
	}
	l := &layerLaw{step: new(big.Rat), mass: interval.Int(0), moment: interval.Int(0), rest: interval.Int(0)}
	before := [2]*big.Rat{new(big.Rat), new(big.Rat)}
	if q.rng.Step != nil {
		l.step = q.rng.Step
		before[1] = new(big.Rat).Neg(l.step) // f(x) itself belongs to the lower side
	}
	for i, end := range q.rng.ends(q.value) {
		l.sides[i].full = end
	}
	if q.growth == nil && !q.isConstant && (l.sides[0].full == nil || l.sides[1].full == nil) {
		return nil, parameter.Errorf("the range of %s is unbounded and the growth of its layers is not known, want a bounded range", q.name)
	}
	z, power := m.decay.Decay(), interval.Int(1)
	running := [2]interval.Interval{interval.Int(0), interval.Int(0)}
	_, rational := m.decay.RationalDecay()
	full := false
	for t := 0; ; t++ {
		if t%256 == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if t%4096 == 0 {
				parallel.Report(ctx, int64(t), 0, "layers")
			}
		}
		up, down := q.within(m.moves, t, m.radius)
		if err := q.Failed(); err != nil {
			return nil, err
		}
		if up == nil || down == nil {
			return nil, parameter.Errorf("the range of %s does not bound layer %d, so the sum of the weights is infinite", q.name, t)
		}
		ends := [2]*big.Rat{up, down}
		empty := true
		for i := range ends {
			empty = empty && ends[i].Cmp(before[i]) <= 0
		}
		full = reaches(l.sides[0].full, up) && reaches(l.sides[1].full, down) || q.isConstant
		if len(l.weight) == 0 && empty && !full {
			continue // all layers so far are empty
		}
		if len(l.weight) == 0 {
			l.first = t
		} else {
			power = power.Mul(z)
		}
		l.weight = append(l.weight, power)
		for i := range ends {
			s := &l.sides[i]
			if ends[i].Cmp(before[i]) > 0 {
				n := l.measure(before[i], ends[i])
				w := power.Mul(interval.Rat(n))
				running[i] = running[i].Add(w)
				l.moment = l.moment.Add(w.Mul(interval.Rat(l.mean(before[i], ends[i]))))
				before[i] = ends[i]
			}
			s.ends, s.sum = append(s.ends, ends[i]), append(s.sum, running[i])
		}
		l.mass = running[0].Add(running[1])
		if full {
			break
		}
		if rational && len(l.weight) < exactLayers && q.growth == nil {
			continue
		}
		if rest, far, ok := m.tailBounds(l, power.Mul(z), [2]float64{float(up), float(down)}); ok {
			l.rest = rest
			l.mass = l.mass.Add(rest)
			l.moment = l.moment.Add(far)
			break
		}
		if len(l.weight) > mostLayers {
			return nil, parameter.Errorf("more than %d layers have weights that matter at decay %s, want a larger decay", mostLayers, m.decay)
		}
	}
	if !interval.Int(0).Less(l.mass) {
		return nil, parameter.Errorf("the range of %s has one value, so its length is 0", q.name)
	}
	if full && rational && len(l.weight) <= exactLayers {
		l.exact = m.rationalDistortion(l)
	}
	return l, nil
}

// float returns the float64 nearest to q.
func float(q *big.Rat) float64 {
	v, _ := q.Float64()
	return v
}

// mostLayers bounds the number of layers of a law; tests lower it.
var mostLayers = 1 << 24

func reaches(end, move *big.Rat) bool { return end != nil && move.Cmp(end) >= 0 }

// tailBounds bounds the weight and the first moment of the layers that are not listed. power is the weight of a value
// in the first unlisted layer. ok reports whether both are negligible.
func (m *Layered) tailBounds(l *layerLaw, power interval.Interval, ends [2]float64) (rest, moment interval.Interval, ok bool) {
	size, far, open := 0.0, 0.0, 0.0
	for i := range ends {
		at := ends[i]
		if end := l.sides[i].full; end != nil {
			e, _ := end.Float64()
			size += max(e-at, 0)
			far = max(far, e)
		} else {
			open++
			far = max(far, at)
		}
	}
	if l.step.Sign() > 0 {
		s, _ := l.step.Float64()
		size = size/s + 1
	}
	size, far = size*(1+1e-9), far*(1+1e-9)
	var per interval.Interval // the largest weight that one layer adds if the range is infinite
	grown := interval.Int(0)
	if open > 0 {
		g := m.q.growth
		n := l.measure(new(big.Rat), g)
		n.Add(n, big.NewRat(1, 1))
		n.Mul(n, new(big.Rat).SetFloat64(open))
		per, grown = interval.Rat(n), interval.Rat(g)
	}
	one := interval.Int(1)
	rest = power.Mul(interval.Float(size))
	moment = rest.Mul(interval.Float(far))
	if open > 0 {
		left := one.Sub(m.decay.Decay())
		tail := power.Mul(per).Quo(left)
		rest = rest.Add(tail)
		moment = moment.Add(tail.Mul(interval.Float(far).Add(grown.Quo(left))))
	}
	small := interval.Float(math.Ldexp(1, -bitsKept))
	ok = rest.Less(l.mass.Mul(small)) && !l.moment.Mul(small).Less(moment) // both moments may be 0
	return interval.Hull(interval.Int(0), rest), interval.Hull(interval.Int(0), moment), ok
}

// rationalDistortion computes the distortion in rational arithmetic. It returns nil if that takes too many digits.
func (m *Layered) rationalDistortion(l *layerLaw) *big.Rat {
	z, _ := m.decay.RationalDecay()
	if len(l.weight)*z.Denom().BitLen() > 1<<17 {
		return nil
	}
	common := commonDenominator(slices.Concat([]*big.Rat{l.step}, l.sides[0].ends, l.sides[1].ends))
	if common.BitLen() > 1<<12 {
		return nil
	}
	whole := func(q *big.Rat) *big.Int { return query.Scaled(q, common) }
	step := whole(l.step)
	mass, moment, scale := new(big.Int), new(big.Int), big.NewInt(1)
	for k := len(l.weight) - 1; k >= 0; k-- {
		n, d := new(big.Int), new(big.Int)
		for i, s := range l.sides {
			a, b := new(big.Int), whole(s.end(k))
			switch {
			case k > 0:
				a = whole(s.end(k - 1))
			case i == 1:
				a = new(big.Int).Neg(step)
			}
			size := new(big.Int).Sub(b, a)
			n.Add(n, size)
			d.Add(d, size.Mul(size, a.Add(a, b).Add(a, step)))
		}
		// This is Horner's scheme S = n + z·S. The numerators are over the denominator scale, a power of z's
		// denominator.
		mass.Mul(mass, z.Num()).Add(mass, n.Mul(n, scale))
		moment.Mul(moment, z.Num()).Add(moment, d.Mul(d, scale))
		if k > 0 {
			scale.Mul(scale, z.Denom())
		}
	}
	if mass.Sign() == 0 {
		return nil
	}
	out := new(big.Rat).SetFrac(moment, mass)
	return out.Quo(out, new(big.Rat).SetInt(common.Mul(common, big.NewInt(2))))
}
