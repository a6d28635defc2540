package signrp

import (
	"context"
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"dpworkbench/evidence"
)

// GaussianPPlus returns the true P₊ = Pr(β max|w_i| ≥ |wᵀu|) of (9) for Gaussian
// w: certified for one and two coordinates, where it is a length of arcs, and by
// quadrature over the joint law of the maximum and the projection elsewhere.
//
// Given that |w_i| = m is the largest, the other w_l are independent normals
// cut to [−m, m], so
//
//	P₊ = Σ_i ∫ 2φ(m) Pr(|u_i m + Σ_{l≠i} u_l w_l| ≤ βm, |w_l| ≤ m for l ≠ i) dm.
//
// The inner probability is that of a bounded variable, hence a Fourier series on
// a period that holds it (all but Hoeffding's tail of it), with the
// characteristic function of cut normals as coefficients; one or two other
// coordinates are integrated directly. The bounds cover the end of the series
// and the tail; the rule in m, 16 nodes a panel, is checked against panels of
// half the width. That check is no proof, so the quadrature is Estimated, with
// confidence 0 and no draws: its ends say how far the two rules agree.
//
// It returns an error wrapping evidence.ErrParameter where u is empty or zero or
// leaves [−1, 1], or β is not positive and finite. It polls ctx.
func GaussianPPlus(ctx context.Context, u []float64, beta float64) (evidence.Number, error) {
	if len(u) == 0 {
		return nil, fmt.Errorf("%w: u is empty, want at least one number", evidence.ErrParameter)
	}
	if err := CheckVector("u", u, len(u)); err != nil {
		return nil, err
	}
	if err := checkPositive("beta", beta); err != nil {
		return nil, err
	}
	if len(u) <= 2 {
		return arcPPlus(u, beta), nil
	}
	j := newJointLaw(u, beta)
	coarse, bound, err := j.integrate(ctx, 1)
	if err != nil {
		return nil, err
	}
	fine, _, err := j.integrate(ctx, 0.5)
	if err != nil {
		return nil, err
	}
	bound += math.Abs(fine-coarse) + 1e-11
	return evidence.Estimated{
		Value: fine, Lo: math.Max(0, fine-bound), Hi: math.Min(1, fine+bound),
		Source: pplusSource + "; quadrature over the joint law, panels halved once: no proof of its error",
	}, nil
}

// arcPPlus encloses P₊ in one or two dimensions. The direction of Gaussian w is
// uniform; where |w₁| ≥ |w₂| the event is |u₁ + u₂t| ≤ β for t = w₂/w₁ in [−1, 1],
// an interval of slopes and so an arc, and likewise with the roles exchanged.
func arcPPlus(u []float64, beta float64) evidence.Certified {
	const method = "length of arcs in float64, a few roundings each"
	a, b := u[0], 0.0
	if len(u) == 2 {
		b = u[1]
	} else if math.Abs(a) <= beta {
		return evidence.Certified{Lo: 1, Hi: 1, Method: method, Source: pplusSource}
	} else {
		return evidence.Certified{Lo: 0, Hi: 0, Method: method, Source: pplusSource}
	}
	arc := func(c, d float64) float64 { // angles of t with |c + dt| ≤ β, |t| ≤ 1
		if d == 0 {
			if math.Abs(c) <= beta {
				return math.Pi / 2
			}
			return 0
		}
		d = math.Abs(d) // t and −t are alike
		lo, hi := math.Max((-beta-c)/d, -1), math.Min((beta-c)/d, 1)
		return math.Max(0, math.Atan(hi)-math.Atan(lo))
	}
	p := (arc(a, b) + arc(b, a)) / math.Pi
	const slack = 1e-14 // some ten roundings of numbers of the size of π, with room
	return evidence.Certified{Lo: math.Max(0, p-slack), Hi: math.Min(1, p+slack), Method: method, Source: pplusSource}
}

// jointLaw is u by distinct sizes.
type jointLaw struct {
	p     int
	zeros int       // coordinates with u_i = 0
	sizes []float64 // distinct |u_i| > 0, descending
	count []int
	beta  float64
}

func newJointLaw(u []float64, beta float64) *jointLaw {
	j := &jointLaw{p: len(u), beta: beta}
	abs := make([]float64, 0, len(u))
	for _, v := range u {
		if v == 0 {
			j.zeros++
			continue
		}
		abs = append(abs, math.Abs(v))
	}
	slices.Sort(abs)
	slices.Reverse(abs)
	for _, v := range abs {
		if n := len(j.sizes); n > 0 && j.sizes[n-1] == v {
			j.count[n-1]++
			continue
		}
		j.sizes, j.count = append(j.sizes, v), append(j.count, 1)
	}
	return j
}

// integrate returns P₊ and a bound on what the inner sums leave out, by panels
// of the given fraction of their usual width.
func (j *jointLaw) integrate(ctx context.Context, fraction float64) (p, bound float64, err error) {
	h := panelWidth(j.p) * fraction
	type node struct{ m, weight float64 }
	var nodes []node
	for a := 0.0; a < 8; a += h { // p·Pr(|w| > 8) is counted in full
		if j.p > 1 && float64(j.p-1)*logErf(a+h) < -60 {
			continue
		}
		for n, x := range legendreNodes {
			nodes = append(nodes, node{a + h/2 + x*h/2, legendreWeights[n] * h / 2})
		}
	}
	values, bounds := make([]float64, len(nodes)), make([]float64, len(nodes))
	err = forChunks(ctx, len(nodes), 1, func(first, last int) {
		for i := first; i < last; i++ {
			values[i], bounds[i] = j.inner(nodes[i].m)
		}
	})
	for i, n := range nodes {
		density := n.weight * 2 * math.Exp(-n.m*n.m/2) / math.Sqrt(2*math.Pi)
		p, bound = p+density*values[i], bound+density*bounds[i]
	}
	return p, bound + float64(j.p)*math.Erfc(8/math.Sqrt2), err
}

// inner returns Σ_i Pr(|u_i m + Σ_{l≠i} u_l w_l| ≤ βm, |w_l| ≤ m for l ≠ i), in
// units of m: v_l = w_l/m in [−1, 1].
func (j *jointLaw) inner(m float64) (sum, bound float64) {
	cut := math.Exp(logErf(m)) // Pr(|w| ≤ m)
	add := func(others []float64, counts []int, skip int, centre float64, times, zeros int) {
		v, b := j.window(m, others, counts, skip, centre, cut)
		scale := float64(times) * math.Pow(cut, float64(zeros))
		sum, bound = sum+scale*v, bound+scale*b
	}
	if j.live() > 3 {
		return j.series(m, cut)
	}
	for i, size := range j.sizes {
		add(j.sizes, j.count, i, size, j.count[i], j.zeros)
	}
	if j.zeros > 0 {
		add(j.sizes, j.count, -1, 0, j.zeros, j.zeros-1)
	}
	return sum, bound
}

// live returns the number of coordinates that are not zero.
func (j *jointLaw) live() int { return j.p - j.zeros }

// window returns Pr(|centre + Σ u_l v_l| ≤ β, all |w_l| ≤ m) for at most three
// coordinates, those of sizes less one of sizes[skip], by direct integration.
func (j *jointLaw) window(m float64, sizes []float64, counts []int, skip int, centre, cut float64) (v, bound float64) {
	var u []float64
	for i, size := range sizes {
		n := counts[i]
		if i == skip {
			n--
		}
		for range n {
			u = append(u, size)
		}
	}
	return j.direct(m, u, -j.beta-centre, j.beta-centre, cut), 1e-13
}

// direct returns Pr(lo ≤ Σ u_l v_l ≤ hi, all |v_l| ≤ 1), v_l = w_l/m, one
// coordinate after the other; the integrand over v is smooth between the points
// where an end of the window enters or leaves the range of the rest.
func (j *jointLaw) direct(m float64, u []float64, lo, hi, cut float64) float64 {
	reach := 0.0
	for _, c := range u {
		reach += c
	}
	switch {
	case lo > reach || hi < -reach:
		return 0
	case lo <= -reach && hi >= reach:
		return math.Pow(cut, float64(len(u)))
	case len(u) == 1:
		a, b := math.Max(lo/u[0], -1)*m, math.Min(hi/u[0], 1)*m
		return (math.Erf(b/math.Sqrt2) - math.Erf(a/math.Sqrt2)) / 2
	}
	c, rest := u[0], u[1:]
	marks := []float64{-1, 1}
	sums := []float64{0}
	for _, r := range rest { // every corner of the rest, where its law is not smooth
		for _, s := range sums[:len(sums):len(sums)] {
			sums = append(sums, s+2*r)
		}
	}
	for _, s := range sums {
		corner := s - (reach - c)
		marks = append(marks, (lo-corner)/c, (hi-corner)/c)
	}
	slices.Sort(marks)
	total := 0.0
	for n := 1; n < len(marks); n++ {
		a, b := math.Max(marks[n-1], -1), math.Min(marks[n], 1)
		if !(b > a) {
			continue
		}
		pieces := int(math.Ceil((b - a) * m / 2)) // φ(mv) bends over 1/m
		h := (b - a) / float64(max(pieces, 1))
		for i := range max(pieces, 1) {
			mid := a + (float64(i)+0.5)*h
			for k, x := range legendreNodes {
				v := mid + x*h/2
				w := legendreWeights[k] * h / 2 * m * math.Exp(-m*m*v*v/2) / math.Sqrt(2*math.Pi)
				total += w * j.direct(m, rest, lo-c*v, hi-c*v, cut)
			}
		}
	}
	return total
}

// series is inner by Fourier series: on a period T that holds the sum,
//
//	Pr(|c + Z| ≤ β) = 2β/T + Σ_{n≥1} 2/(πn) · sin(2πnβ/T) cos(2πnc/T) ψ(2πn/T),
//
// with the real characteristic function ψ of Z, symmetric, all of it times the
// probability of the cut.
func (j *jointLaw) series(m, cut float64) (sum, bound float64) {
	const eta, enough, most = 1e-12, 1e-9, 1 << 16
	reach, squares := 0.0, 0.0
	for i, size := range j.sizes {
		reach += size * float64(j.count[i])
		squares += size * size * float64(j.count[i])
	}
	// Z must not reach β + |c| from the next period: T ≥ β + |c| + reach of Z.
	spread := math.Min(reach, math.Sqrt(2*squares*math.Log(2/eta)))
	period := math.Max(j.beta+j.sizes[0]+spread, 2*j.beta) * 1.0001
	whole := math.Pow(cut, float64(j.p-1))
	if whole < 1e-40 {
		return 0, float64(j.p) * whole
	}
	sum = float64(j.p) * 2 * j.beta / period
	coefs := make([]float64, len(j.sizes))
	before := make([]float64, len(j.sizes)+1) // products of the coefficients before i
	before[0] = 1
	quiet := 0
	for n := 1; n <= most; n++ {
		s := 2 * math.Pi * float64(n) / period
		for i, size := range j.sizes {
			coefs[i] = cutNormal(m, s*size/m) / cut
			before[i+1] = before[i] * intPow(coefs[i], j.count[i])
		}
		term, after, largest := float64(j.zeros)*before[len(coefs)], 1.0, 0.0
		for i := len(coefs) - 1; i >= 0; i-- {
			one := intPow(coefs[i], j.count[i]-1)
			other := before[i] * one * after // without one coordinate of this size
			term += float64(j.count[i]) * math.Cos(s*j.sizes[i]) * other
			largest += float64(j.count[i]) * math.Abs(other)
			after *= one * coefs[i]
		}
		sum += 2 / (math.Pi * float64(n)) * math.Sin(s*j.beta) * term
		// The series ends where its rest is bounded, or where the products have
		// been far below it for a whole stretch of n.
		if quiet++; largest > 1e-22 {
			quiet = 0
		}
		bound = whole * (j.tail(m, s, cut) + float64(j.p)*eta)
		if quiet > 4+n/4 {
			bound = whole * float64(j.p) * eta
			break
		}
		if bound < enough {
			break
		}
	}
	return whole * sum, bound
}

// decay bounds |∫_{-1}^{1} mφ(mv) cos(av) dv|/cut: integrating by parts once, it
// is at most 2mφ(0)/(a·cut).
func decay(m, a, cut float64) float64 {
	return math.Min(1, 2*m/(math.Sqrt(2*math.Pi)*a*cut))
}

// tail bounds Σ_{ν>n} 2/(πν) Σ_i Π_{l≠i} |coef_l(ν)|: every coefficient that has
// begun to fall brings a factor n/ν.
func (j *jointLaw) tail(m, s, cut float64) float64 {
	product, falling, least := 1.0, -1, 1.0 // one of them is left out
	for i, size := range j.sizes {
		if d := decay(m, s*size, cut); d < 1 {
			product *= intPow(d, j.count[i])
			falling += j.count[i]
			least = math.Min(least, d)
		}
	}
	if falling < 1 {
		return math.Inf(1)
	}
	// Σ_{ν>n} (1/ν)(n/ν)^falling ≤ 1/falling.
	return 2 / math.Pi * float64(j.p) * product / least / float64(falling)
}

func intPow(x float64, n int) float64 {
	switch n {
	case 0:
		return 1
	case 1:
		return x
	}
	return math.Pow(x, float64(n))
}

// cutNormal returns ∫_{-m}^{m} φ(w) cos(aw) dw = e^{−a²/2} Re erf((m + ia)/√2)
// = e^{−a²/2} − e^{−m²/2} Re(e^{−iam} w((−a + im)/√2)), w the Faddeeva function.
func cutNormal(m, a float64) float64 {
	z := complex(-a/math.Sqrt2, m/math.Sqrt2)
	sin, cos := math.Sincos(a * m)
	return math.Exp(-a*a/2) - math.Exp(-m*m/2)*real(complex(cos, -sin)*faddeeva(z))
}

// faddeeva returns w(z) = e^{−z²} erfc(−iz) for Im z ≥ 0, by Weideman's rational
// expansion (SIAM J. Numer. Anal. 31, 1994, p. 1497) with 44 terms.
func faddeeva(z complex128) complex128 {
	iz := complex(-imag(z), real(z))
	down := complex(weidemanL, 0) - iz
	ratio := (complex(weidemanL, 0) + iz) / down
	sum := complex(0, 0)
	for _, c := range weideman {
		sum = sum*ratio + complex(c, 0)
	}
	return 2*sum/(down*down) + complex(1/math.Sqrt(math.Pi), 0)/down
}

const weidemanTerms = 44

var (
	weidemanL = math.Sqrt(weidemanTerms / math.Sqrt2)
	weideman  = weidemanCoefficients()
)

// weidemanCoefficients returns the expansion's coefficients, the highest power
// first: Fourier coefficients of e^{−t²}(L² + t²), t = L tan(θ/2).
func weidemanCoefficients() [weidemanTerms]float64 {
	const points = 4 * weidemanTerms
	var out [weidemanTerms]float64
	for n := range out {
		sum := complex(0, 0)
		for k := -points/2 + 1; k < points/2; k++ {
			theta := 2 * math.Pi * float64(k) / points
			t := weidemanL * math.Tan(theta/2)
			f := math.Exp(-t*t) * (weidemanL*weidemanL + t*t)
			sum += complex(f, 0) * cmplx.Exp(complex(0, -float64(n+1)*theta))
		}
		out[weidemanTerms-1-n] = real(sum) / points
	}
	return out
}
