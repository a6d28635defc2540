package gaussian

import (
	"math/big"
	"sync"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
)

// Discrete is the discrete Gaussian N_ℤ(0, σ²): the distribution of integers k with probability h(k)/Z, where h(x) =
// e^{−x²/2σ²} and Z is the sum of all h(k) (Canonne, Kamath and Steinke, "The discrete Gaussian for differential
// privacy", arXiv:2004.00010).
type Discrete struct {
	square *big.Rat          // σ²
	sigma  interval.Interval // σ
	total  interval.Interval // Z
}

// widest and narrowest bound σ², so that exponents are within the range of interval arithmetic.
var (
	widest    = new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 100))
	narrowest = new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 20))
)

// NewDiscrete returns the discrete Gaussian with parameter σ², which is approximately its variance. It returns an error
// wrapping evidence.ErrParameter unless 2⁻²⁰ ≤ σ² ≤ 2¹⁰⁰.
func NewDiscrete(square *big.Rat) (*Discrete, error) {
	if square.Cmp(narrowest) < 0 || square.Cmp(widest) > 0 {
		return nil, parameter.Bad("sigma²", square, "2^-20…2^100, in squared steps")
	}
	d := &Discrete{square: new(big.Rat).Set(square), sigma: interval.Rat(square).Sqrt()}
	if d.coarse() {
		d.total = interval.Int(1).Add(interval.Int(2).Mul(d.terms(0, big.NewInt(1))))
	} else { // Poisson summation
		d.total = d.sigma.Mul(sqrtTwoPi).Mul(interval.Hull(interval.Int(1), interval.Int(1).Add(d.ripple())))
	}
	return d, nil
}

// weight encloses h(k).
func (d *Discrete) weight(k *big.Int) interval.Interval {
	q := new(big.Rat).SetInt(k)
	q.Mul(q, q).Quo(q, d.square)
	return interval.Rat(q.Mul(q, big.NewRat(-1, 2))).Exp()
}

// Mass encloses the probability of k.
func (d *Discrete) Mass(k *big.Int) interval.Interval { return d.weight(k).Quo(d.total) }

// Masses encloses the probabilities of the n integers from … from + n − 1. It returns an error wrapping
// evidence.ErrParameter unless 0 ≤ n ≤ 2²⁰ and |from| ≤ 2⁶⁰.
func (d *Discrete) Masses(from int64, n int) ([]interval.Interval, error) {
	const stretch = 256 // 256 ratios and the 2¹⁵ steps between them, each known to 238 bits, leave 220 bits
	if n < 0 || n > 1<<20 {
		return nil, parameter.Bad("n", n, "0…2^20")
	}
	if from < -1<<60 || from > 1<<60 {
		return nil, parameter.Bad("from", from, "-2^60…2^60")
	}
	out := make([]interval.Interval, n)
	over := interval.Rat(d.square)
	step := interval.Int(-1).Quo(over).Exp()
	var w, ratio interval.Interval
	for i := range out {
		k := from + int64(i)
		if i%stretch == 0 {
			w = d.Mass(big.NewInt(k))
			ratio = interval.Rat(big.NewRat(-2*k-1, 2)).Quo(over).Exp()
		}
		out[i] = w
		w, ratio = w.Mul(ratio), ratio.Mul(step)
	}
	return out, nil
}

// Tail encloses the probability of the integers k ≥ t, with a small relative width if |t| < 20000σ.
func (d *Discrete) Tail(t *big.Int) interval.Interval {
	if t.Sign() <= 0 {
		rest := new(big.Int).Sub(big.NewInt(1), t) // of −k
		return interval.Int(1).Sub(d.Tail(rest))
	}
	switch {
	case d.isFar(t, 2*beyond): // Pr[k ≥ t] ≤ h(t), as h(t + j) ≤ h(t)h(j)
		return interval.Hull(interval.Int(0), d.weight(t).Upper())
	case d.coarse() || d.square.Cmp(finest) < 0 && d.isFar(t, 10), new(big.Rat).SetInt(t).Cmp(d.square) >= 0:
		return d.terms(0, t).Quo(d.total)
	}
	return d.corrected(0, t).Quo(d.total)
}

// isFar reports whether t is at least sigmas·σ.
func (d *Discrete) isFar(t *big.Int, sigmas int64) bool {
	square := new(big.Rat).SetInt(new(big.Int).Mul(t, t))
	return square.Quo(square, d.square).Cmp(big.NewRat(sigmas*sigmas, 1)) >= 0
}

// MeanSize encloses E|k|.
func (d *Discrete) MeanSize() interval.Interval {
	first := big.NewInt(1)
	if d.coarse() {
		return interval.Int(2).Mul(d.terms(1, first)).Quo(d.total)
	}
	return interval.Rat(d.square).Mul(interval.Int(-2)).Mul(d.corrected(1, first)).Quo(d.total) // kh = −σ²h'
}

// Variance encloses E k².
func (d *Discrete) Variance() interval.Interval {
	if d.coarse() {
		return interval.Int(2).Mul(d.terms(2, big.NewInt(1))).Quo(d.total)
	}
	// By Poisson summation 2σ⁴ d ln Z/dσ² = σ² − 8π²σ⁴ Σ_j j²e^{−2π²σ²j²}/(1 + 2Σ_j e^{−2π²σ²j²}), j ≥ 1.
	one := interval.Int(1)
	return interval.Rat(d.square).Mul(interval.Hull(one.Sub(d.ripple()), one))
}

// hermites returns the Hermite polynomials He_0(u) … He_n(u). They give the derivatives of h: h^(r)(x) = (−1/σ)^r
// He_r(x/σ) h(x).
func hermites(n int, u interval.Interval) []interval.Interval {
	out := []interval.Interval{interval.Int(1), u}
	for m := 1; m < n; m++ {
		out = append(out, u.Mul(out[m]).Sub(interval.Int(int64(m)).Mul(out[m-1])))
	}
	return out
}

// fine is the least σ² at which the Euler–Maclaurin formula computes sums.
var fine = big.NewRat(256, 1)

func (d *Discrete) coarse() bool { return d.square.Cmp(fine) < 0 }

// finest is the least σ² at which that formula computes sums from any t below σ². Sums from larger t have few terms.
var finest = big.NewRat(1<<16, 1)

// ripple encloses 3e^{−19σ²}. For σ² ≥ 1 this bounds 2Σ_j e^{−2π²σ²j²}, j ≥ 1. For σ² ≥ 16 it also bounds three times
// that sum, and 8π²σ² Σ_j j²e^{−2π²σ²j²}.
func (d *Discrete) ripple() interval.Interval {
	return interval.Rat(d.square).Mul(interval.Int(-19)).Exp().Mul(interval.Int(3))
}

// little bounds the relative size of the terms that a sum omits.
const little = 0x1p-240

// terms encloses Σ k^r h(k) over k ≥ t ≥ 1. The terms are log-concave, so their ratios decrease, and a geometric series
// bounds the remaining terms.
func (d *Discrete) terms(r int, t *big.Int) interval.Interval {
	at := whole(t)
	w, square := d.weight(t), interval.Rat(d.square)
	ratio := at.Add(half).Neg().Quo(square).Exp()
	step := interval.Int(-1).Quo(square).Exp()
	last := at.Pow(r).Mul(w)
	sum := last
	for {
		w, ratio, at = w.Mul(ratio), ratio.Mul(step), at.Add(interval.Int(1))
		next := at.Pow(r).Mul(w)
		if falls := next.Quo(last); falls.Less(interval.Int(1)) {
			rest := next.Quo(interval.Int(1).Sub(falls))
			if !sum.Mul(interval.Float(little)).Less(rest) {
				return interval.Hull(sum, sum.Add(rest))
			}
		}
		sum, last = sum.Add(next), next
	}
}

// whole returns the integer k as an interval.
func whole(k *big.Int) interval.Interval { return interval.Rat(new(big.Rat).SetInt(k)) }

// size encloses the absolute value of a nonzero number.
func size(a interval.Interval) interval.Interval { return interval.Max(a, a.Neg()) }

// corrections is the number of terms of the Euler–Maclaurin formula.
const corrections = 30

// bernoulli returns B_{2j}/(2j)! for j = 1 … corrections.
var bernoulli = sync.OnceValue(func() []interval.Interval {
	n := 2 * corrections
	b := interval.Bernoulli(n)
	var out []interval.Interval
	for j := 2; j <= n; j += 2 {
		factorial := new(big.Rat).SetInt(new(big.Int).MulRange(1, int64(j)))
		out = append(out, interval.Rat(new(big.Rat).Quo(b[j], factorial)))
	}
	return out
})

// corrected encloses the sum of f(k) over k ≥ t ≥ 1, r ≤ 1, by the Euler–Maclaurin formula. With f = h^(r) it is
//
//	∫_t^∞ f + f(t)/2 − Σ_{j ≤ J} B_2j/(2j)! f^(2j−1)(t), within |B_2J|/(2J)! · ∫_t^∞ |f^(2J)|.
//
// Let p = r + 2J and u = t/σ. If He_p has no zero beyond u, which holds for u ≥ √(4p + 2), the last integral is
// |h^(p−1)(t)|. Otherwise it is at most σ^{1−p} √(2π p! (1 − Φ(u))), by the Cauchy–Schwarz inequality and E He_p² = p!
// for a standard normal variable.
func (d *Discrete) corrected(r int, t *big.Int) interval.Interval {
	const p2 = 2 * corrections
	u := whole(t).Quo(d.sigma)
	he, w := hermites(r+p2-1, u), d.weight(t)
	over := interval.Int(-1).Quo(d.sigma)
	scales := []interval.Interval{interval.Int(1)} // (−1/σ)^m
	for range r + p2 - 1 {
		scales = append(scales, scales[len(scales)-1].Mul(over))
	}
	derivative := func(m int) interval.Interval { return scales[m].Mul(he[m]).Mul(w) }
	var sum interval.Interval
	above := sharpTail(u)
	if r == 0 {
		sum = d.sigma.Mul(sqrtTwoPi).Mul(above)
	} else {
		sum = derivative(r - 1).Neg()
	}
	sum = sum.Add(derivative(r).Mul(half))
	for j, b := range bernoulli() {
		sum = sum.Sub(b.Mul(derivative(r + 2*j + 1)))
	}
	p := r + p2
	var rest interval.Interval
	if interval.Int(int64(4*p + 2)).Less(u.Mul(u)) {
		rest = size(derivative(p - 1))
	} else {
		factorial := whole(new(big.Int).MulRange(1, int64(p)))
		rest = size(scales[p-1]).Mul(sqrtTwoPi).Mul(factorial.Mul(above).Sqrt())
	}
	rest = rest.Mul(size(bernoulli()[corrections-1]))
	return sum.Add(interval.Hull(rest.Neg(), rest))
}

// sharpTail returns what Tail does, accurate to at least 190 bits, for narrow u ≥ 0. For u below 8 it subtracts the
// integral from 0 to u, φ(u)Σ u^{2j+1}/(2j+1)!!, from ½. From 8 on it uses Laplace's continued fraction, and encloses
// the value between two consecutive convergents.
func sharpTail(u interval.Interval) interval.Interval {
	density := u.Mul(u).Mul(half).Neg().Exp().Quo(sqrtTwoPi)
	if !u.Less(interval.Int(8)) {
		const last = 240
		mills := func(n int) interval.Interval { // 1/(u + 1/(u + … n/u))
			v := u
			for k := n; k > 0; k-- {
				v = u.Add(interval.Int(int64(k)).Quo(v))
			}
			return interval.Int(1).Quo(v)
		}
		return density.Mul(interval.Hull(mills(last), mills(last+1)))
	}
	sum, term := interval.Int(0), u
	for k := int64(3); ; k += 2 {
		sum = sum.Add(term)
		term = term.Mul(u).Mul(u).Quo(interval.Int(k))
		if k > 256 && term.Less(interval.Float(0x1p-280)) { // from here on terms at least halve
			sum = interval.Hull(sum, sum.Add(interval.Float(0x1p-279)))
			return half.Sub(density.Mul(sum))
		}
	}
}

// LogShift encloses ln Z(c)/Z(0), where Z(c) is the sum of h(k − c) over all integers k. It is 0 at integers c. By
// Jacobi's triple product, it is least halfway between integers.
func (d *Discrete) LogShift(c interval.Interval) interval.Interval {
	none := interval.Int(0)
	if interval.Float(0x1p-200).Less(c.Upper().Sub(c.Lower())) {
		return interval.Hull(d.LogShift(half), none)
	}
	k, _ := c.Add(half).Floor()
	if k == nil {
		return interval.Hull(d.LogShift(half), none)
	}
	off := c.Sub(whole(k))
	if sign, exact := off.Sign(); sign == 0 && exact {
		return none
	}
	if d.square.Cmp(big.NewRat(16, 1)) >= 0 {
		// Poisson summation: Z(c) = σ√(2π)(1 + 2Σ_j e^{−2π²σ²j²} cos 2πjc).
		return interval.Hull(d.ripple().Neg(), none)
	}
	over := interval.Int(-2).Mul(interval.Rat(d.square))
	sum := func(off interval.Interval) interval.Interval { // relative to the largest term
		total := interval.Int(1)
		for j := int64(1); ; j++ {
			for _, m := range [2]int64{j, -j} { // (m − off)² − off² = m² − 2m·off
				at := interval.Int(m)
				total = total.Add(at.Mul(at).Sub(interval.Int(2).Mul(at).Mul(off)).Quo(over).Exp())
			}
			// For |off| ≤ 1/2 the terms ±(j + i) are at most e^{−(j+i)(j+i−1)/2σ²}. Their ratios are at most e^{−j/σ²},
			// which is below e^{−4} if the first term is below little and σ² < 16. So rest covers all terms of either
			// sign twice, and the error of off.
			rest := interval.Int(j * (j + 1)).Quo(over).Exp().Mul(interval.Int(3))
			if rest.Less(interval.Float(little)) {
				return interval.Hull(total, total.Add(rest))
			}
		}
	}
	shift := off.Mul(off).Quo(over).Add(sum(off).Log()).Sub(sum(none).Log())
	return interval.Max(shift.Neg(), none).Neg()
}

// beyond is a number of standard deviations. Probabilities beyond it are below e^{−10⁷} and are enclosed as nearly 0.
const beyond = 10_000

// Delta encloses δ(ε) of two discrete Gaussians shifted by an integer n > 0, n ≤ 1000σ (Canonne, Kamath and Steinke,
// Theorem 7). The loss at k is n(2k − n)/2σ². So the worst event consists of all k ≥ t, for the least t at which the
// loss exceeds ε, and
//
//	δ = Pr[k ≥ t − n] − e^ε Pr[k ≥ t].
//
// Every event gives a lower bound. So if enclosures leave several t, δ is the largest of their results. δ increases
// with n, since the difference increases for every t. It returns an error wrapping evidence.ErrParameter unless 0 < n ≤
// 1000σ.
func (d *Discrete) Delta(eps evidence.Epsilon, n int64) (interval.Interval, error) {
	if n <= 0 || !d.reaches(n) {
		return interval.Interval{}, parameter.Bad("shift", n, "1…1000·sigma")
	}
	by := interval.Int(n)
	var at interval.Interval // where the loss is ε
	if q, ok := eps.Rational(); ok {
		exact := new(big.Rat).Mul(q, d.square)
		exact.Quo(exact, big.NewRat(n, 1))
		at = interval.Rat(exact.Add(exact, big.NewRat(n, 2)))
	} else {
		at = eps.Enclosure().Mul(interval.Rat(d.square)).Quo(by).Add(by.Mul(half))
	}
	if far := at.Sub(by).Quo(d.sigma); interval.Int(beyond).Less(far) { // Pr[k ≥ t − n] is below h there
		return interval.Hull(interval.Int(0), interval.Int(-beyond*beyond/10).Exp()), nil
	}
	k, _ := at.Floor()
	growth := eps.Enclosure().Exp()
	best := interval.Int(0)
	for ; !at.Less(whole(k)); k.Add(k, big.NewInt(1)) {
		t := new(big.Int).Add(k, big.NewInt(1))
		near := d.Tail(new(big.Int).Sub(t, big.NewInt(n)))
		best = interval.Max(best, near.Sub(growth.Mul(d.Tail(t))))
	}
	return best, nil
}

// reaches reports whether the shift n is at most 1000σ.
func (d *Discrete) reaches(n int64) bool {
	most := new(big.Rat).Mul(d.square, big.NewRat(1_000_000, 1))
	square := new(big.Rat).SetInt(new(big.Int).Mul(big.NewInt(n), big.NewInt(n)))
	return square.Cmp(most) <= 0
}
