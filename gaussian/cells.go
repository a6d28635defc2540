package gaussian

import (
	"context"
	"math"
	"math/big"

	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
)

// mostCells bounds how many cells are asked for at once, mostFar how far out they lie.
const (
	mostCells = 1 << 20
	mostFar   = 1 << 10
)

// Cells encloses the chances of n cells of width d > 0 under the standard normal law, the first from z on, each to
// nearly all digits, which differences of its tails would lose.
//
// With φ the density and H_i Hermite's polynomials, φ(z + t) = φ(z) Σ H_i(z)(−t)^i/i!, which a cell integrates term by
// term. From cell to cell φ falls by e^{−zd − d²/2}, which falls by e^{−d²}. Wide cells are sums of narrower ones.
//
// It returns an error wrapping evidence.ErrParameter unless n is from 1 to 2²⁰, d > 0 and all cells lie within 1024 of 0, and the
// context's error where it ends first.
func Cells(ctx context.Context, z, d interval.Interval, n int) ([]interval.Interval, error) {
	if n < 1 || n > mostCells {
		return nil, parameter.Bad("n", n, "1 to %d cells", mostCells)
	}
	if lo, _ := d.Bounds(); !(lo > 0) {
		return nil, parameter.Bad("d", d, "a width above 0")
	}
	from, _ := z.Bounds()
	if !(from >= -mostFar) {
		return nil, parameter.Bad("z", z, "at least −%d", mostFar)
	}
	_, to := z.Add(d.Mul(interval.Int(int64(n)))).Bounds()
	if !(to <= mostFar) {
		return nil, parameter.Bad("d", d, "the last of %d cells from %v on within %d", n, z, mostFar)
	}
	far := math.Max(-from, to)
	_, wide := d.Bounds()
	parts := partsOf(far, wide)
	d = d.Quo(interval.Int(int64(parts)))
	c := newHermite(d, far)
	square := d.Mul(d)
	density := z.Mul(z).Mul(half).Neg().Exp().Quo(sqrtTwoPi).Mul(d)
	fall, falls := z.Mul(d).Add(square.Mul(half)).Neg().Exp(), square.Neg().Exp()
	out := make([]interval.Interval, n)
	for k := range out {
		for part := range parts {
			if (k*parts+part)%1024 == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			chance := density.Mul(c.share(z))
			if part == 0 {
				out[k] = chance
			} else {
				out[k] = out[k].Add(chance)
			}
			z, density, fall = z.Add(d), density.Mul(fall), fall.Mul(falls)
		}
	}
	return out, nil
}

// partsOf returns in how many parts cells of width d, for |z| ≤ far, are summed by hermite.
func partsOf(far, d float64) int { return int(math.Ceil((far + 1) * d * (1 + 1e-9))) }

// hermite sums the series of cells of one width d, for |z| ≤ far, in whole multiples of 2^−fixed. The terms are a_i = H_i(z)dⁱ/i!,
//
//	a_{i+1} = (zd·a_i − d²·a_{i−1})/(i + 1),	∫ = d φ(z) Σ (−1)ⁱ a_i/(i + 1).
//
// Where (|z| + 1)d ≤ 1, |a_i| ≤ ((|z| + √i)d)ⁱ/i! ≤ 4, as |H_i(x)| ≤ (|x| + √i)ⁱ by the recurrence. With zd and d² off by two units
// at most, an error e of two terms becomes at most (2e + 19)/(i + 1) units in the next, with the roundings, so that none exceeds 29, and
// the sum is off by less than 256 in at most 1000 terms. Where zd and d² are known to w units together, it becomes (2e + 4w)/(i + 1) beside,
// and the sum is off by less than 8w. What is left from i = m on is at most e^{|z|d} (|z| + d + √m)^m d^m/(m + 1)! of dφ(z).
type hermite struct {
	d      interval.Interval
	square *big.Int // d²
	known  *big.Int // to so many units
	terms  int
	slack  *big.Int // of the sum

	before, at, next, sum, part, divisor *big.Int // scratch
}

const fixed = 264

func newHermite(d interval.Interval, far float64) *hermite {
	square := d.Mul(d)
	c := &hermite{d: d, square: units(square), known: width(square), terms: 2}
	for _, n := range []**big.Int{&c.before, &c.at, &c.next, &c.sum, &c.part, &c.divisor} {
		*n = new(big.Int)
	}
	_, wide := d.Bounds()
	wide *= 1 + 1e-9
	rest := func(m int) float64 { // its logarithm to base 2
		x := float64(m)
		gamma, _ := math.Lgamma(x + 2)
		return (far*wide + x*math.Log((far+wide+math.Sqrt(x))*wide) - gamma) / math.Ln2
	}
	for c.terms < 1000 && rest(c.terms) > -fixed {
		c.terms++
	}
	left := math.Max(rest(c.terms), -fixed) + 1 // one more, to be cut to a whole number
	c.slack = new(big.Int).Lsh(big.NewInt(1), uint(left+fixed))
	c.slack.Add(c.slack, big.NewInt(256))
	return c
}

// units returns a in units of 2^−fixed, off by less than one and its width.
func units(a interval.Interval) *big.Int {
	v := a.MidFloat(interval.Prec)
	n, _ := v.SetMantExp(v, fixed).Int(nil)
	return n
}

// width bounds the width of a in units of 2^−fixed.
func width(a interval.Interval) *big.Int {
	n := units(a.Upper().Sub(a.Lower()).Upper())
	return n.Add(n, big.NewInt(1))
}

// share encloses the chance of the cell from z on over dφ(z).
func (c *hermite) share(z interval.Interval) interval.Interval {
	first := z.Mul(c.d)
	zd := units(first)
	c.before.SetInt64(0)
	c.at.Lsh(c.at.SetInt64(1), fixed)
	c.sum.Set(c.at)
	for i := 1; i < c.terms; i++ {
		c.next.Mul(zd, c.at)
		c.next.Sub(c.next, c.part.Mul(c.square, c.before))
		c.next.Rsh(c.next, fixed)
		c.next.Quo(c.next, c.divisor.SetInt64(int64(i)))
		c.part.Quo(c.next, c.divisor.SetInt64(int64(i+1)))
		if i%2 == 1 {
			c.sum.Sub(c.sum, c.part)
		} else {
			c.sum.Add(c.sum, c.part)
		}
		c.before, c.at, c.next = c.at, c.next, c.before
	}
	slack := width(first)
	slack.Add(slack, c.known).Lsh(slack, 3).Add(slack, c.slack)
	return interval.Hull(inUnits(c.part.Sub(c.sum, slack)), inUnits(c.part.Add(c.sum, slack)))
}

// inUnits encloses n·2^−fixed.
func inUnits(n *big.Int) interval.Interval {
	v := new(big.Float).SetPrec(fixed + 64).SetInt(n)
	return interval.Big(v.SetMantExp(v, -fixed))
}
