package smooth

import (
	"math/big"

	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
)

type family int

const (
	laplace family = iota
	cauchy
	student
)

// Noise is a standard law on the line, symmetric about 0, whose density decreases on both sides. The zero value is
// Laplace.
type Noise struct {
	family family
	shape  *big.Rat          // γ or d
	whole  interval.Interval // the total mass before normalisation: moment(0), or B(1/2, d/2)
}

// The largest γ and d. Larger powers lose all digits.
var mostShape = big.NewRat(1000, 1)

// Laplace returns the law of density e^{−|z|}/2.
func Laplace() Noise { return Noise{} }

// Cauchy returns the law of density ∝ 1/(1 + |z|^γ) (Nissim, Raskhodnikova and Smith 2007).
// It returns an error wrapping evidence.ErrParameter unless 1 < γ ≤ 1000.
func Cauchy(gamma *big.Rat) (Noise, error) {
	if gamma == nil || gamma.Cmp(big.NewRat(1, 1)) <= 0 || gamma.Cmp(mostShape) > 0 {
		return Noise{}, parameter.Errorf("gamma = %s, want 1 < gamma <= 1000: at γ ≤ 1 the density does not integrate to a finite number", written(gamma))
	}
	n := Noise{family: cauchy, shape: new(big.Rat).Set(gamma)}
	n.whole = n.moment(0)
	return n, nil
}

// Student returns Student's t of d degrees of freedom, density ∝ (1 + z²/d)^{−(d+1)/2}.
// It returns an error wrapping evidence.ErrParameter unless 1/1000 ≤ d ≤ 1000.
func Student(d *big.Rat) (Noise, error) {
	if d == nil || d.Cmp(new(big.Rat).Inv(mostShape)) < 0 || d.Cmp(mostShape) > 0 {
		return Noise{}, parameter.Errorf("d = %s, want a number of degrees of freedom from 0.001 to 1000", written(d))
	}
	n := Noise{family: student, shape: new(big.Rat).Set(d)}
	n.whole = n.beta()
	return n, nil
}

func written(q *big.Rat) string {
	if q == nil {
		return "nothing"
	}
	return short(q)
}

// short formats a rational in full if it is short, and to six digits otherwise.
func short(q *big.Rat) string {
	if text := q.RatString(); len(text) <= 24 {
		return text
	}
	v, _ := q.Float64()
	return new(big.Float).SetFloat64(v).Text('g', 6)
}

// Name returns the name of the law.
func (n Noise) Name() string {
	switch n.family {
	case cauchy:
		return "cauchy(gamma=" + short(n.shape) + ")"
	case student:
		return "student(d=" + short(n.shape) + ")"
	}
	return "laplace"
}

func (n Noise) s() interval.Interval { return interval.Rat(n.shape) }

func one() interval.Interval { return interval.Int(1) }

// power returns z^a of z ≥ 0, a > 0.
func power(z, a interval.Interval, whole *big.Rat) interval.Interval {
	if whole != nil && whole.IsInt() && whole.Num().IsInt64() {
		return z.Pow(int(whole.Num().Int64()))
	}
	if sign, exact := z.Sign(); sign == 0 && exact {
		return z
	}
	return z.Log().Mul(a).Exp()
}

// Density returns the density at z ≥ 0.
func (n Noise) Density(z interval.Interval) interval.Interval {
	half := interval.Rat(big.NewRat(1, 2))
	switch n.family {
	case cauchy:
		return half.Quo(one().Add(power(z, n.s(), n.shape))).Quo(n.mass())
	case student:
		exponent := n.s().Add(one()).Mul(half).Neg()
		return one().Add(z.Mul(z).Quo(n.s())).Log().Mul(exponent).Exp().Mul(half).Quo(n.mass())
	}
	return z.Neg().Exp().Mul(half)
}

// mass returns the integral over z ≥ 0 of the density, scaled to be 1 at 0.
func (n Noise) mass() interval.Interval {
	switch n.family {
	case cauchy:
		return n.whole
	case student: // √d·B(1/2, d/2)/2
		return n.s().Sqrt().Mul(n.whole).Mul(interval.Rat(big.NewRat(1, 2)))
	}
	return one()
}

// narrow is the largest relative change of the tail over an interval for which one evaluation suffices.
var narrow = interval.Float(0x1p-150)

// Tail returns Pr[Z > z] for z ≥ 0.
func (n Noise) Tail(z interval.Interval) interval.Interval {
	half := interval.Rat(big.NewRat(1, 2))
	lower := interval.Max(z.Lower(), interval.Int(0))
	hi := n.tailAt(lower)
	if n.family != laplace { // no density exceeds that at 0
		if off := z.Upper().Sub(lower).Quo(n.mass()); off.Less(hi.Mul(narrow)) {
			return interval.Hull(hi.Sub(off), hi).Mul(half)
		}
	}
	return interval.Hull(n.tailAt(z.Upper()), hi).Mul(half)
}

// tailAt returns 2·Pr[Z > z] at a point z.
func (n Noise) tailAt(z interval.Interval) interval.Interval {
	if sign, exact := z.Sign(); sign == 0 && exact {
		return one()
	}
	switch n.family {
	case cauchy:
		return n.upper(z, 0).Quo(n.whole)
	case student:
		return n.studentTail(z)
	}
	return z.Neg().Exp()
}

// AbsMoment returns E|Z|, and false if it is infinite: γ ≤ 2, d ≤ 1.
func (n Noise) AbsMoment() (interval.Interval, bool) {
	switch n.family {
	case cauchy:
		if n.shape.Cmp(big.NewRat(2, 1)) <= 0 {
			return interval.Interval{}, false
		}
		return n.moment(1).Quo(n.whole), true
	case student: // 2√d/((d − 1) B(1/2, d/2))
		if n.shape.Cmp(big.NewRat(1, 1)) <= 0 {
			return interval.Interval{}, false
		}
		return interval.Int(2).Mul(n.s().Sqrt()).Quo(n.s().Sub(one())).Quo(n.whole), true
	}
	return one(), true
}

// SquareMoment returns E Z², and false if it is infinite: γ ≤ 3, d ≤ 2.
func (n Noise) SquareMoment() (interval.Interval, bool) {
	switch n.family {
	case cauchy:
		if n.shape.Cmp(big.NewRat(3, 1)) <= 0 {
			return interval.Interval{}, false
		}
		return n.moment(2).Quo(n.whole), true
	case student:
		if n.shape.Cmp(big.NewRat(2, 1)) <= 0 {
			return interval.Interval{}, false
		}
		return n.s().Quo(n.s().Sub(interval.Int(2))), true
	}
	return interval.Int(2), true
}

// UpperMoment returns E[Z; Z > z] for a point z ≥ 0. E|Z| must be finite.
func (n Noise) UpperMoment(z interval.Interval) interval.Interval {
	half := interval.Rat(big.NewRat(1, 2))
	switch n.family {
	case cauchy:
		return n.upper(z, 1).Quo(n.whole).Mul(half)
	case student: // ∫ t(1 + t²/d)^{−(d+1)/2} dt = d/(d − 1)·(1 + z²/d)^{−(d−1)/2}
		d := n.s()
		less := d.Sub(one())
		return one().Add(z.Mul(z).Quo(d)).Log().Mul(less).Mul(half).Neg().Exp().Mul(d).Quo(less).Mul(half).Quo(n.mass())
	}
	return z.Add(one()).Mul(z.Neg().Exp()).Mul(half)
}

// AbsAround returns E|Z − b| = b(1 − 2 Pr[Z > b]) + 2 E[Z; Z > b] for b ≥ 0. E|Z| must be finite.
func (n Noise) AbsAround(b interval.Interval) interval.Interval {
	at := func(b interval.Interval) interval.Interval { // it grows with b
		two := interval.Int(2)
		return b.Mul(one().Sub(two.Mul(n.Tail(b)))).Add(two.Mul(n.UpperMoment(b)))
	}
	return interval.Hull(at(b.Lower()), at(b.Upper()))
}

// Above returns ∫_z^∞ Pr[Z > t] dt = E[Z − z; Z > z] for z ≥ 0, and the whole line if E|Z| is infinite.
func (n Noise) Above(z interval.Interval) interval.Interval {
	if _, ok := n.AbsMoment(); !ok {
		return interval.Whole()
	}
	at := func(z interval.Interval) interval.Interval { // it falls
		return n.UpperMoment(z).Sub(z.Mul(n.Tail(z)))
	}
	return interval.Max(interval.Hull(at(interval.Max(z.Lower(), interval.Int(0))), at(z.Upper())), interval.Int(0))
}

// Area returns ∫₀^z Pr[Z > t] dt for z ≥ 0. It is finite even if E|Z| is infinite.
func (n Noise) Area(z interval.Interval) interval.Interval {
	at := func(z interval.Interval) interval.Interval { // it grows
		if sign, exact := z.Sign(); sign == 0 && exact {
			return z
		}
		return n.lowerMoment(z).Add(z.Mul(n.Tail(z)))
	}
	return interval.Hull(at(interval.Max(z.Lower(), interval.Int(0))), at(z.Upper()))
}

// Half returns ∫₀^∞ Pr[Z > t] dt = E|Z|/2, and the whole line if that is infinite.
func (n Noise) Half() interval.Interval { return n.Above(interval.Int(0)) }

// lowerMoment returns E[Z; 0 < Z < z] at a point z > 0.
func (n Noise) lowerMoment(z interval.Interval) interval.Interval {
	half := interval.Rat(big.NewRat(1, 2))
	switch n.family {
	case cauchy:
		return n.lower(z).Quo(n.whole).Mul(half)
	case student: // ∫₀^z t(1 + t²/d)^{−(d+1)/2} dt = d(1 − (1 + z²/d)^{−(d−1)/2})/(d − 1), (d/2)·ln(1 + z²/d) for d = 1
		d := n.s()
		log := z.Mul(z).Quo(d).Log1p()
		if n.shape.Cmp(big.NewRat(1, 1)) == 0 {
			return log.Mul(half).Mul(half).Quo(n.mass())
		}
		less := d.Sub(one())
		return log.Mul(less).Mul(half).Neg().Expm1().Neg().Mul(d).Quo(less).Mul(half).Quo(n.mass())
	}
	return one().Sub(z.Add(one()).Mul(z.Neg().Exp())).Mul(half)
}
