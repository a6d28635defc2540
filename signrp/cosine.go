package signrp

import (
	"cmp"
	"context"
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
)

// CosineMoments holds the moments of the normalised estimator of the cosine ρ of u and v, over W and the noise.
type CosineMoments struct {
	Mean, Variance evidence.Number
	Error          evidence.Number // the mean of (ρ̂ − ρ)²
}

// NormalizedMoments returns the moments of the normalised estimator
//
//	ρ̂ = Σ x̃_j ỹ_j/√(Σ x̃_j² Σ ỹ_j²)
//
// of two releases with Gaussian noise of standard deviation σ (0 for none), over a fresh W of the kind and shape of
// w; w = nil is raw data. The estimator is 0 if a noiseless image is 0. Appendix C names it without a formula.
// Numbers, σ included, are read as their shortest decimals. The results are exact if rational and certified
// otherwise:
//
//   - Raw data, and every enumerated W: with n the direction of x, x̃/‖x̃‖ has mean c n and mean outer product
//     a nnᵀ + (1 − a)/(k − 1)·(I − nnᵀ). With z = ‖x‖²/2σ² and N Poisson of mean z,
//     c = √z Γ((k+1)/2)/Γ(k/2+1)·E[((k+1)/2)_N/(k/2+1)_N] and a = E[(2N + 1)/(2N + k)].
//   - Gaussian W: the pairs (x̃_j, ỹ_j) are normal with one correlation r. So E ρ̂ = (2/k)(Γ((k+1)/2)/Γ(k/2))² r
//     ₂F₁(½, ½; k/2+1; r²) and E ρ̂² = 1 − (1 − 1/k)(1 − r²) ₂F₁(1, 1; k/2+1; r²) (the sample correlation about known
//     means; Muirhead 1982, Section 5.1).
//   - Rademacher and sparse W, and OPORP: every W is enumerated, by the law of (Σxy, Σxx, Σyy).
//
// It returns an error wrapping evidence.ErrParameter unless u and v have p entries in [−1, 1], not all zero, and σ
// is 0 or at least ‖x‖/256. Uniform W, and enumerations that would take more than a few seconds, are such errors as
// well. It returns ctx's error if it ends.
func NormalizedMoments(ctx context.Context, w *Projection, u, v []float64, sigma *big.Rat) (*CosineMoments, error) {
	if err := checkNoise(sigma); err != nil {
		return nil, err
	}
	d, err := newCosine(w, u, v, sigma)
	if err != nil {
		return nil, err
	}
	return d.law(ctx, w)
}

// law returns the moments over a fresh W of the kind and shape of w.
func (d *cosinePair) law(ctx context.Context, w *Projection) (*CosineMoments, error) {
	if w == nil {
		return d.over(ctx, []state{{weight: one(), xy: d.uv, xx: d.uu, yy: d.vv}}, one())
	}
	switch w.kind {
	case Gaussian:
		return d.normal()
	case Rademacher, Sparse:
		states, total, err := d.columns(ctx)
		if err != nil {
			return nil, err
		}
		return d.over(ctx, states, total)
	case OPORP:
		states, total, err := d.dealt(ctx)
		if err != nil {
			return nil, err
		}
		return d.over(ctx, states, total)
	}
	return nil, parameter.Bad("w", w.kind, "a Gaussian, Rademacher or sparse projection, OPORP or none: the law of other projections is not enumerated")
}

// NormalizedMoments returns the moments for this release's noise over a fresh W. Errors are those of the function
// NormalizedMoments; it also returns an error for a release of signs.
func (r *Release) NormalizedMoments(ctx context.Context, u, v []float64) (*CosineMoments, error) {
	if r.rule != numbers {
		return nil, parameter.Errorf("%s releases signs, want numbers", r.name)
	}
	if err := r.checkPair(u, v); err != nil {
		return nil, err
	}
	d, err := newCosine(r.w, u, v, new(big.Rat).SetFloat64(r.sigma.Hi)) // the σ with which noise is drawn
	if err != nil {
		return nil, err
	}
	return d.law(ctx, r.w)
}

// NormalizedFormula returns the variance of the normalised estimator without noise, up to terms of order 1/k². Let û
// and v̂ have length 1 and A = Σ(û_i v̂_i − ρ(û_i² + v̂_i²)/2)². Then the variance is ((1 − ρ²)² + (E w⁴ − 3)A)/k. For
// OPORP it is (p' − k)/(p' − 1) times this with E w⁴ = 1. The formula is from P. Li and X. Li, OPORP, 2023, to which
// the appendix refers; the delta method gives the same. The result is claimed. Errors are those of NormalizedMoments;
// raw data is an error as well.
func NormalizedFormula(w *Projection, u, v []float64) (evidence.Claimed, error) {
	if w == nil {
		return evidence.Claimed{}, parameter.Errorf("w = none, want a projection: raw data have no variance without noise")
	}
	d, err := newCosine(w, u, v, new(big.Rat))
	if err != nil {
		return evidence.Claimed{}, err
	}
	lengthU, lengthV := norm(u), norm(v)
	rho, spread := math.Cos(d.angle), 0.0
	for i := range u {
		a, b := u[i]/lengthU, v[i]/lengthV
		e := a*b - rho*(a*a+b*b)/2
		spread += e * e
	}
	// 1 − ρ² is computed as the square of the sine, which keeps full precision for small angles.
	sine := math.Sin(d.angle)
	value := sine * sine * sine * sine
	fourth := map[Kind]float64{Rademacher: 1, OPORP: 1, Gaussian: 3, Uniform: 1.8, Sparse: w.s}[w.kind]
	value = math.Max(0, value+(fourth-3)*spread) / float64(w.k)
	if w.kind == OPORP {
		if p := float64(w.Padded()); p > 1 {
			value *= (p - float64(w.k)) / (p - 1)
		} else {
			value = 0
		}
	}
	return evidence.Claimed{Value: value, Provenance: evidence.From(Paper + ", Appendix C, and its reference on OPORP; up to 1/k²")}, nil
}

// cosinePair holds a pair of rational vectors, the noise, and W's shape.
type cosinePair struct {
	w          *Projection
	k          int
	u, v       []*big.Rat
	uu, vv, uv *big.Rat
	square     *big.Rat // σ²
	angle      float64
	left       int // remaining steps of mostCosineWork
}

func newCosine(w *Projection, u, v []float64, sigma *big.Rat) (*cosinePair, error) {
	p, k := len(u), len(u)
	if w != nil {
		p, k = w.p, w.k
	}
	if err := cmp.Or(checkVector("u", u, p), checkVector("v", v, p)); err != nil {
		return nil, err
	}
	angle, err := Angle(u, v)
	if err != nil {
		return nil, err
	}
	d := &cosinePair{w: w, k: k, u: lists.Each(u, exactDecimal), v: lists.Each(v, exactDecimal), square: new(big.Rat).Mul(sigma, sigma), angle: angle, left: mostCosineWork}
	d.uu, d.vv, d.uv = ratDot(d.u, d.u), ratDot(d.v, d.v), ratDot(d.u, d.v)
	return d, nil
}

func one() *big.Rat { return big.NewRat(1, 1) }

func ratDot(a, b []*big.Rat) *big.Rat {
	sum := new(big.Rat)
	for i := range a {
		if a[i].Sign() != 0 && b[i].Sign() != 0 {
			sum.Add(sum, new(big.Rat).Mul(a[i], b[i]))
		}
	}
	return sum
}

// signedRoot encloses xy/√(xx·yy).
func signedRoot(xy, xx, yy *big.Rat) interval.Interval {
	q := new(big.Rat).Mul(xy, xy)
	root := interval.Rat(q.Quo(q, new(big.Rat).Mul(xx, yy))).Sqrt()
	if xy.Sign() < 0 {
		root = root.Neg()
	}
	return root
}

const cosineSource = Paper + ", Appendix C, normalised"

// moments returns the moments as evidence, given enclosures of E ρ̂ and E ρ̂².
func (d *cosinePair) moments(mean, square interval.Interval, method string) *CosineMoments {
	limit := interval.Between(-1, 1)
	rho := signedRoot(d.uv, d.uu, d.vv)
	variance := interval.Max(square.Sub(mean.Mul(mean)), interval.Int(0))
	away := square.Sub(rho.Mul(mean).Mul(interval.Int(2))).Add(rho.Mul(rho))
	return &CosineMoments{
		Mean:     evidence.Enclosed(cutTo(mean, limit), method, cosineSource),
		Variance: evidence.Enclosed(variance, method, cosineSource),
		Error:    evidence.Enclosed(interval.Max(away, interval.Int(0)), method, cosineSource),
	}
}

// cutTo intersects an enclosure of a number with another interval that contains the number.
func cutTo(a, limit interval.Interval) interval.Interval {
	return interval.Min(interval.Max(a, limit.Lower()), limit.Upper())
}

// known returns the moments of an estimator that always has this value.
func (d *cosinePair) known(value int64) *CosineMoments {
	exact := func(v *big.Rat) evidence.Number {
		return evidence.Exact{Value: v, Provenance: evidence.From(cosineSource)}
	}
	out := &CosineMoments{Mean: exact(big.NewRat(value, 1)), Variance: exact(new(big.Rat))}
	rho := signedRoot(d.uv, d.uu, d.vv)
	gap := interval.Int(value).Sub(rho)
	out.Error = evidence.Enclosed(gap.Mul(gap), "256-bit outward rounding", cosineSource)
	if q := new(big.Rat).Mul(d.uv, d.uv); q.Cmp(new(big.Rat).Mul(d.uu, d.vv)) == 0 && d.uv.Sign() == int(value) {
		out.Error = exact(new(big.Rat))
	}
	return out
}

// normal returns the moments for Gaussian W.
func (d *cosinePair) normal() (*CosineMoments, error) {
	noise := new(big.Rat).Mul(d.square, big.NewRat(int64(d.k), 1))
	xx, yy := new(big.Rat).Add(d.uu, noise), new(big.Rat).Add(d.vv, noise)
	square := new(big.Rat).Mul(d.uv, d.uv)
	square.Quo(square, xx).Quo(square, yy)
	if square.Cmp(one()) == 0 {
		return d.known(int64(d.uv.Sign())), nil
	}
	r, z, k := signedRoot(d.uv, xx, yy), interval.Rat(square), interval.Int(int64(d.k))
	first := hypergeometric(z, func(n int64) (num, den int64) { return (2*n + 1) * (2*n + 1), (2*n + 2) * (2*n + 2 + int64(d.k)) })
	second := hypergeometric(z, func(n int64) (num, den int64) { return 2*n + 2, 2*n + 2 + int64(d.k) })
	g := gammaRatio(d.k)
	mean := g.Mul(g).Mul(interval.Int(2)).Quo(k).Mul(r).Mul(first)
	away := interval.Int(1).Sub(z).Mul(second).Mul(interval.Rat(big.NewRat(int64(d.k-1), int64(d.k))))
	return d.moments(mean, interval.Int(1).Sub(away), "hypergeometric series, 256-bit outward rounding"), nil
}

// hypergeometric encloses Σ t_n zⁿ with t_0 = 1 and t_{n+1}/t_n = num/den ≤ 1, for 0 ≤ z < 1. The terms from t_n zⁿ on
// sum to at most t_n zⁿ/(1 − z).
func hypergeometric(z interval.Interval, ratio func(n int64) (num, den int64)) interval.Interval {
	sum, term := interval.Int(0), interval.Int(1)
	left := interval.Int(1).Sub(z)
	for n := range int64(1 << 15) {
		sum = sum.Add(term)
		num, den := ratio(n)
		term = term.Mul(z).Mul(interval.Int(num)).Quo(interval.Int(den))
		if term.Quo(left).Less(interval.Float(0x1p-200)) {
			break
		}
	}
	return interval.Hull(sum, sum.Add(term.Quo(left)))
}

// gammaRatio encloses g_k = Γ((k+1)/2)/Γ(k/2), by the recurrence g_{k+1} g_k = k/2 from g_1 = 1/√π.
func gammaRatio(k int) interval.Interval {
	g := interval.Int(1).Quo(pi.Sqrt())
	for j := 1; j < k; j++ {
		g = interval.Int(int64(j)).Quo(g.Mul(interval.Int(2)))
	}
	return g
}

// direction holds the constants c and a of NormalizedMoments for a noisy vector.
type direction struct{ c, a interval.Interval }

// mostTerms is the largest z for which the series is summed.
const mostTerms = 1 << 15

// directionOf encloses c and a at z, in k coordinates.
func directionOf(k int, z *big.Rat, g interval.Interval) (direction, error) {
	if z.Sign() == 0 {
		return direction{interval.Int(0), interval.Rat(big.NewRat(1, int64(k)))}, nil
	}
	if z.Cmp(big.NewRat(mostTerms, 1)) > 0 {
		return direction{}, parameter.Errorf("sigma is too small, want at least 1/256 of the norm of the projected vector, or 0")
	}
	at := interval.Rat(z)
	poisson, share := at.Neg().Exp(), interval.Int(1)
	c, a := interval.Int(0), interval.Int(0)
	enough := interval.Float(0x1p-200)
	for n := int64(0); ; n++ {
		c = c.Add(poisson.Mul(share))
		a = a.Add(poisson.Mul(interval.Rat(big.NewRat(2*n+1, 2*n+int64(k)))))
		poisson = poisson.Mul(at).Quo(interval.Int(n + 1))
		share = share.Mul(interval.Int(int64(k) + 1 + 2*n)).Quo(interval.Int(int64(k) + 2 + 2*n))
		// From n + 1 > 2z on, the remaining terms sum to at most twice the first of them.
		if z.Cmp(big.NewRat(n+1, 2)) < 0 && poisson.Less(enough) {
			rest := interval.Hull(interval.Int(0), poisson.Mul(interval.Int(2)))
			c, a = c.Add(rest), a.Add(rest)
			break
		}
	}
	return direction{at.Sqrt().Mul(g).Mul(interval.Rat(big.NewRat(2, int64(k)))).Mul(c), a}, nil
}
