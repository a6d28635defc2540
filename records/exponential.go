package records

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"

	"dpworkbench/continuous"
	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/internal/sampling"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
)

// Exponential is the exponential mechanism at one dataset, with score −|r − f(x)|.
type Exponential struct {
	base
	eps  evidence.Epsilon
	rate *big.Rat // weight e^{−rate·ε·|r − f(x)|}
}

// NewExponential returns the exponential mechanism (McSherry and Talwar 2007) with score −|r − f(x)|: the weight is
// e^{−ε|r − f(x)|/(2Δ)}, where Δ is the global sensitivity. For a mode the score is the count. It claims ε. If Δ is 0,
// the mechanism returns f(x) without noise and claims 0. It returns an error wrapping evidence.ErrParameter if Δ is
// unknown.
func NewExponential(q *Query, eps evidence.Epsilon) (Law, error) {
	const source = "McSherry and Talwar 2007"
	if q.listed != nil && q.listed.counts != nil {
		return newExponentialMode(q, eps, "exponential", source)
	}
	delta, err := globalOf(q, eps, "exponential")
	if err != nil {
		return nil, err
	}
	if delta.Sign() == 0 {
		constant := evidence.Claimed{Provenance: evidence.From("a constant query")}
		return newAdded(q, "exponential(eps="+eps.String()+")", interval.Int(0), laplace{}, constant, func(q *Query) (Law, error) { return NewExponential(q, eps) }), nil
	}
	rate := new(big.Rat).Add(delta, delta)
	return &Exponential{base{q, "exponential(eps=" + eps.String() + ")", mechanism.Claim(eps, source), func(q *Query) (Law, error) { return NewExponential(q, eps) }}, eps, rate.Inv(rate)}, nil
}

// loss encloses ε·rate·d.
func (m *Exponential) loss(d *big.Rat) interval.Interval {
	return m.eps.Enclosure().Mul(interval.Rat(new(big.Rat).Mul(d, m.rate)))
}

// upTo encloses the weight and the first moment of one side of f(x) up to a distance, without f(x) itself. A nil
// distance is infinite. Weights are in units of the step on a lattice, and of the length 1/(ε·rate) otherwise.
func (m *Exponential) upTo(d *big.Rat) (mass, moment interval.Interval) {
	one := interval.Int(1)
	step := m.q.rng.Step
	if step == nil { // ∫₀^u e^{−s} ds and ∫₀^u s e^{−s} ds
		if d == nil {
			return one, one
		}
		u := m.loss(d)
		mass = u.Neg().Expm1().Neg()
		return mass, mass.Sub(u.Mul(u.Neg().Exp()))
	}
	s := m.loss(step)
	y, gap := s.Neg().Exp(), s.Neg().Expm1().Neg() // y and 1 − y
	if d == nil {
		return y.Quo(gap), y.Quo(gap).Quo(gap)
	}
	n := interval.Rat(new(big.Rat).SetInt(interval.RationalFloor(new(big.Rat).Quo(d, step))))
	last := s.Mul(n)
	power, missing := last.Neg().Exp(), last.Neg().Expm1().Neg() // yⁿ and 1 − yⁿ
	// The sums over k = 1…n are Σ yᵏ = y(1 − yⁿ)/(1 − y) and Σ k yᵏ = y((1 − yⁿ)/(1 − y) − n yⁿ)/(1 − y).
	mass = y.Mul(missing).Quo(gap)
	return mass, y.Mul(missing.Quo(gap).Sub(n.Mul(power))).Quo(gap)
}

func (m *Exponential) whole() (mass, moment interval.Interval) {
	mass, moment = interval.Int(0), interval.Int(0)
	if m.q.rng.Step != nil {
		mass = interval.Int(1)
	}
	for _, end := range m.q.rng.ends(m.q.value) {
		a, b := m.upTo(end)
		mass, moment = mass.Add(a), moment.Add(b)
	}
	return mass, moment
}

// Distortion implements Law.
func (m *Exponential) Distortion(context.Context) (evidence.Number, error) {
	mass, moment := m.whole()
	v := moment.Quo(mass)
	if step := m.q.rng.Step; step != nil {
		v = v.Mul(interval.Rat(step))
	} else {
		v = v.Quo(m.loss(big.NewRat(1, 1)))
	}
	return evidence.Enclosed(v, method, "McSherry and Talwar 2007, at this dataset"), nil
}

// off implements errorShifter. With d = |c − f(x)|, the result is d minus twice the integral of Pr[r is beyond v] over
// v from f(x) to c.
func (m *Exponential) off(_ context.Context, c *big.Rat) (interval.Interval, error) {
	d, beyond, i := m.q.rng.toward(m.q.value, c)
	all, _ := m.whole()
	side, _ := m.upTo(m.q.rng.ends(m.q.value)[i])
	var inner interval.Interval // integral over v of the weight up to v
	if step := m.q.rng.Step; step == nil {
		rate := m.loss(big.NewRat(1, 1))
		inner = interval.Rat(d).Sub(m.loss(d).Neg().Expm1().Neg().Quo(rate))
	} else {
		k := new(big.Rat).Quo(d, step)
		n := new(big.Rat).SetInt(interval.RationalFloor(k))
		y, gap := m.loss(step).Neg().Exp(), m.loss(step).Neg().Expm1().Neg()
		missing := m.loss(new(big.Rat).Mul(n, step)).Neg().Expm1().Neg() // 1 − yⁿ
		inner = y.Quo(gap).Mul(interval.Rat(n).Sub(missing.Quo(gap))).Add(interval.Rat(new(big.Rat).Sub(k, n)).Mul(y.Mul(missing).Quo(gap)))
		inner = inner.Mul(interval.Rat(step))
	}
	above := side.Mul(interval.Rat(d)).Sub(inner).Quo(all)
	return interval.Rat(beyond.Add(beyond, d)).Sub(above.Mul(interval.Int(2))), nil
}

// side encloses the weight of side i of f(x) up to a distance, within the range.
func (m *Exponential) side(i int, d *big.Rat) interval.Interval {
	if end := m.q.rng.ends(m.q.value)[i]; end != nil && d.Cmp(end) > 0 {
		d = end
	}
	if d.Sign() <= 0 {
		return interval.Int(0)
	}
	mass, _ := m.upTo(d)
	return mass
}

// Within implements Law.
func (m *Exponential) Within(_ context.Context, e *big.Rat) (interval.Interval, error) {
	if e.Sign() < 0 {
		return interval.Int(0), nil
	}
	total, _ := m.whole()
	at := interval.Int(0)
	if m.q.rng.Step != nil {
		at = interval.Int(1)
	}
	return inUnit(at.Add(m.side(0, e)).Add(m.side(1, e)).Quo(total)), nil
}

// Between implements Law.
func (m *Exponential) Between(_ context.Context, lo, hi *big.Rat) (interval.Interval, error) {
	total, _ := m.whole()
	a, b := new(big.Rat).Sub(lo, m.q.value), new(big.Rat).Sub(hi, m.q.value)
	step := m.q.rng.Step
	sum := interval.Int(0)
	if step != nil {
		a = ceilTo(a, step)
		b = floorTo(b, step)
		if a.Cmp(b) > 0 {
			return sum, nil
		}
		if a.Sign() <= 0 && b.Sign() >= 0 {
			sum = interval.Int(1)
		}
	}
	// Each side contributes its weight up to the far end minus its weight up to the near end.
	part := func(i int, near, far *big.Rat) interval.Interval {
		if step != nil {
			near = new(big.Rat).Sub(near, step)
		}
		return m.side(i, far).Sub(m.side(i, near))
	}
	sum = sum.Add(part(0, a, b)).Add(part(1, new(big.Rat).Neg(b), new(big.Rat).Neg(a)))
	return inUnit(sum.Quo(total)), nil
}

// Simulate implements Law. It draws the side by its weight, then the distance by inversion.
func (m *Exponential) Simulate(ctx context.Context, n int, src rand.Source) ([]float64, error) {
	f, ends := float(m.q.value), m.q.rng.ends(m.q.value)
	total, _ := m.whole()
	var share [2]float64
	var far [2]float64
	step := 0.0
	rate := m.loss(big.NewRat(1, 1)).Mid()
	if m.q.rng.Step != nil {
		step, _ = m.q.rng.Step.Float64()
	}
	for i, end := range ends {
		far[i] = math.Inf(1)
		mass, _ := m.upTo(nil)
		if end != nil {
			far[i], _ = end.Float64()
			mass = m.side(i, end)
		}
		share[i] = mass.Quo(total).Mid()
	}
	r := rand.New(src)
	return drawing(ctx, n, 4096, func() (float64, error) {
		u, v := r.Float64(), r.Float64()
		side, sign := 0, 1.0
		switch {
		case u < share[0]:
		case u < share[0]+share[1] || step == 0:
			side, sign = 1, -1
		default:
			return f, nil
		}
		d := -math.Log1p(v*math.Expm1(-rate*far[side])) / rate
		if step > 0 {
			d = step * math.Ceil(d/step)
		}
		return m.q.rng.nearest(f+sign*d, m.q.value), nil
	})
}

// Release draws n outputs with exactly their law: it adds two-sided noise of the same rate to f(x), and repeats until
// the sum lies in the range. On a continuous range it rounds outputs to the nearest multiple of a public grid, and
// returns this grid. A nil source stands for the operating system's generator. It returns an error wrapping
// evidence.ErrParameter if n is negative or the rate is a fraction with too many digits.
func (m *Exponential) Release(ctx context.Context, n int, src Source) (out []float64, grid *big.Rat, err error) {
	if err := mechanism.CheckDraws(n); err != nil {
		return nil, nil, err
	}
	unit, step := new(big.Rat).Inv(m.rate), m.q.rng.Step
	if step != nil {
		unit = step
	} else {
		grid = sampling.GridFor(m.q.global)
	}
	share := new(big.Rat).Mul(m.rate, unit) // exponent per unit of distance, as a fraction of ε
	if !share.Num().IsInt64() || !share.Denom().IsInt64() {
		return nil, nil, parameter.Errorf("%s has no exact sampler at a step of %s: it multiplies eps by %s, want a fraction of 64-bit integers", m.title, text(unit), share.RatString())
	}
	eps := m.eps.Ratio(share.Num().Int64(), share.Denom().Int64())
	draw, err := sampler(unit, func(line *continuous.Linear) (continuous.ExactlySampled, error) {
		if step != nil {
			return continuous.NewGeometric(line, eps)
		}
		return continuous.NewLaplace(line, eps)
	})
	if err != nil {
		return nil, nil, err
	}
	src = sampling.Or(src)
	out = make([]float64, n)
	for i, tries := 0, 0; i < n; tries++ {
		if tries%256 == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		z, err := draw(src)
		if err != nil {
			return nil, nil, err
		}
		point := new(big.Rat).Add(m.q.value, z.Point)
		sum := sampling.Rat(point)
		if z.Rest != nil {
			sum = sampling.Sum(sum, z.Rest)
		} else if m.q.inRange("r", point) == nil {
			out[i] = sampling.Float(point)
			i++
			continue
		} else {
			continue
		}
		outside := false
		for k, end := range []*big.Rat{m.q.rng.Lo, m.q.rng.Hi} {
			if end == nil || outside {
				continue
			}
			a, b := sum, sampling.Rat(end)
			if k == 1 {
				a, b = b, a
			}
			if outside, err = sampling.Less(a, b); err != nil {
				return nil, nil, err
			}
		}
		if outside {
			continue
		}
		k, err := sampling.Round(sum, grid)
		if err != nil {
			return nil, nil, err
		}
		out[i] = sampling.Multiple(k, grid)
		i++
	}
	return out, grid, nil
}
