package records_test

import (
	"fmt"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/records"
)

// truncatedLaplace has density rate/2·e^{−rate·|v − f|} on [lo, hi]. Mass outside is clamped to the ends if clamped is
// true, and dropped otherwise.
type truncatedLaplace struct {
	f, lo, hi *big.Rat // nil for an open end
	rate      *big.Float
	clamped   bool

	all *big.Float // total mass
}

// up returns e^{−rate·d}.
func (l *truncatedLaplace) up(d *big.Rat) *big.Float {
	return expOf(fresh().Neg(times(l.rate, realOf(d))))
}

// part returns the mass of the values v on one side of f whose distance is in [from, to], and the integral of |v − c|
// over them. All of them must lie on one side of c; a nil to is infinite.
func (l *truncatedLaplace) part(side int64, from, to, c *big.Rat) (mass, moment *big.Float) {
	half, e1, rest := fresh().SetFloat64(0.5), fresh(), fresh()
	if to != nil {
		e1 = l.up(to)
		rest = times(realOf(new(big.Rat).Sub(to, from)), e1)
	}
	drop := minus(l.up(from), e1)
	at := new(big.Rat).Add(l.f, new(big.Rat).Mul(rat(side, 1), from))
	away := new(big.Rat).Sub(at, c)         // v − c at the end nearer to f
	sign := rat(int64(away.Sign())*side, 1) // slope of |v − c| away from f
	if away.Sign() == 0 {
		sign = rat(1, 1)
	}
	grows := times(realOf(sign), minus(over(drop, l.rate), rest))
	return times(half, drop), times(half, plus(times(realOf(away.Abs(away)), drop), grows))
}

// sums returns the mass of [a, b] and the integral of |v − c| over it, including the mass at the ends.
func (l *truncatedLaplace) sums(a, b, c *big.Rat) (mass, moment *big.Float) {
	mass, moment = fresh(), fresh()
	for _, side := range []int64{1, -1} {
		toward := func(v *big.Rat) *big.Rat { // distance from f on this side
			if v == nil {
				return nil
			}
			return new(big.Rat).Mul(rat(side, 1), new(big.Rat).Sub(v, l.f))
		}
		near, far, end := toward(a), toward(b), toward(l.hi)
		if side < 0 {
			near, far, end = toward(b), toward(a), toward(l.lo)
		}
		if near == nil || near.Sign() < 0 {
			near = new(big.Rat)
		}
		if end != nil && l.clamped && (far == nil || far.Cmp(end) >= 0) && near.Cmp(end) <= 0 {
			// [a, b] contains the end of the range.
			w := times(fresh().SetFloat64(0.5), l.up(end))
			mass.Add(mass, w)
			at := new(big.Rat).Add(l.f, new(big.Rat).Mul(rat(side, 1), end))
			moment.Add(moment, times(w, realOf(new(big.Rat).Abs(at.Sub(at, c)))))
		}
		if end != nil && (far == nil || far.Cmp(end) > 0) {
			far = end
		}
		if far != nil && far.Cmp(near) <= 0 {
			continue
		}
		cuts := []*big.Rat{near}
		if k := toward(c); k.Cmp(near) > 0 && (far == nil || k.Cmp(far) < 0) {
			cuts = append(cuts, k)
		}
		for i, from := range cuts {
			to := far
			if i+1 < len(cuts) {
				to = cuts[i+1]
			}
			x, y := l.part(side, from, to, c)
			mass.Add(mass, x)
			moment.Add(moment, y)
		}
	}
	return mass, moment
}

func (l *truncatedLaplace) between(lo, hi *big.Rat) *big.Float {
	if l.all == nil {
		l.all, _ = l.sums(nil, nil, l.f)
	}
	mass, _ := l.sums(lo, hi, l.f)
	return over(mass, l.all)
}

func (l *truncatedLaplace) off(c *big.Rat) *big.Float {
	all, moment := l.sums(nil, nil, c)
	return over(moment, all)
}

// staircaseNoise returns Staircase noise, built from its density: 1 on [0, γ) and e^{−ε} on [γ, 1), times e^{−ε} for
// each further step.
func staircaseNoise(eps evidence.Epsilon, gamma, scale *big.Rat, steps int) *reference {
	power := powers(eps)
	out := new(reference)
	for k := range int64(steps) {
		corners := []*big.Rat{rat(k, 1), new(big.Rat).Add(rat(k, 1), gamma), rat(k+1, 1)}
		for i, side := range []*big.Rat{scale, new(big.Rat).Neg(scale)} {
			for j := range 2 {
				a, b := new(big.Rat).Mul(side, corners[j]), new(big.Rat).Mul(side, corners[j+1])
				if i == 1 {
					a, b = b, a
				}
				out.segments = append(out.segments, segment{a, b, times(power(int(k)+j), realOf(new(big.Rat).Sub(b, a)))})
			}
		}
	}
	return out
}

// clampedTo returns the law of f plus noise, clamped to the nearest value of the range.
func clampedTo(noise truth, f, lo, hi, step *big.Rat) *reference {
	out := new(reference)
	far := rat(1<<40, 1)
	if step != nil {
		half := new(big.Rat).Mul(step, rat(1, 2))
		return listed(lo, hi, step, func(v *big.Rat) *big.Float {
			d := new(big.Rat).Sub(v, f)
			a, b := new(big.Rat).Sub(d, half), new(big.Rat).Add(d, half)
			if v.Cmp(lo) == 0 {
				a = new(big.Rat).Neg(far)
			}
			if v.Cmp(hi) == 0 {
				b = far
			}
			return noise.between(a, b)
		})
	}
	from, to := new(big.Rat).Sub(lo, f), new(big.Rat).Sub(hi, f)
	all := noise.(*reference).total()
	out.atoms = []atom{{lo, times(all, noise.between(new(big.Rat).Neg(far), from))}, {hi, times(all, noise.between(to, far))}}
	for _, p := range noise.(*reference).segments {
		a, b := largest(p.lo, from), smallest(p.hi, to)
		if a.Cmp(b) < 0 {
			share := new(big.Rat).Quo(new(big.Rat).Sub(b, a), new(big.Rat).Sub(p.hi, p.lo))
			out.segments = append(out.segments, segment{new(big.Rat).Add(a, f), new(big.Rat).Add(b, f), times(p.weight, realOf(share))})
		}
	}
	return out
}

// The laws of additive noise and of the exponential mechanism agree with their densities to 200 bits: on a lattice,
// between its points, and on the line.
func TestLawsOfNoise(t *testing.T) {
	zero, four, global := rat(0, 1), rat(4, 1), rat(4, 1)
	for n, x := range quarters {
		for k, grid := range []*big.Rat{rat(1, 4), nil} {
			for j, eps := range []evidence.Epsilon{must.Be(evidence.LogEpsilon("eps", rat(3, 1))), must.Be(evidence.NewEpsilon("eps", 40)), must.Be(evidence.NewEpsilon("eps", 0.3))} {
				if (n+j+k)%cases.Of(6, 2) > 0 {
					continue
				}
				_, r := quarterRecords(t, x, grid, records.Replace)
				q := must.For(r.Median())(t)
				f := q.Value()
				what := fmt.Sprintf("dataset %d, grid %v, ε = %v", n, grid, eps)
				rate := over(value(eps), realOf(global))
				line := &truncatedLaplace{f: f, rate: rate}
				var law truth = &truncatedLaplace{f: f, lo: zero, hi: four, rate: rate, clamped: true}
				var weighed truth = &truncatedLaplace{f: f, lo: zero, hi: four, rate: over(rate, fresh().SetInt64(2))}
				if grid != nil {
					law = clampedTo(&truncatedLaplace{f: rat(0, 1), rate: rate}, f, zero, four, grid)
					weighed = listed(zero, four, grid, func(v *big.Rat) *big.Float {
						d := new(big.Rat).Sub(v, f)
						return expOf(fresh().Neg(times(rate, realOf(d.Abs(d).Mul(d, rat(1, 2))))))
					})
				}
				laplace := must.For(records.NewLaplace(q, eps))(t)
				compareLaw(t, "laplace, "+what, laplace, law, testPoints, 200)
				compareLaw(t, "laplace on the line, "+what, laplace.(*records.Added).OnLine(), line, testPoints, 200)
				compareLaw(t, "exponential, "+what, must.For(records.NewExponential(q, eps))(t), weighed, testPoints, 200)
				steps := int(200/eps.Value()) + 3
				if steps > 300 {
					continue
				}
				for _, gamma := range []*big.Rat{rat(1, 3), rat(7, 8)} {
					noise := staircaseNoise(eps, gamma, global, steps)
					stair := must.For(records.NewStaircase(q, eps, gamma))(t)
					compareLaw(t, fmt.Sprintf("staircase %v, %s", gamma, what), stair, clampedTo(noise, f, zero, four, grid), testPoints, 200)
					around := new(reference)
					for _, p := range noise.segments {
						around.segments = append(around.segments, segment{new(big.Rat).Add(p.lo, f), new(big.Rat).Add(p.hi, f), p.weight})
					}
					compareLaw(t, fmt.Sprintf("staircase %v on the line, %s", gamma, what), stair.(*records.Added).OnLine(), around, testPoints, 200)
				}
			}
		}
	}
}
