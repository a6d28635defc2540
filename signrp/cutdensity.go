package signrp

import (
	"context"
	"math"
	"slices"

	"dpworkbench/internal/elementary"
)

// known is a number and a bound on its error.
type known struct{ v, err float64 }

// density returns the density at y ≥ 0 of Σ u_l w_l on the event that no |w_l| exceeds m, for independent normals
// w_l. For up to three nonzero coordinates it integrates directly, for more it uses a Fourier series.
func (j *jointLaw) density(ctx context.Context, y, m float64) (known, error) {
	var f known
	switch j.live() {
	case 1: // z and z² are known to 4u together, Exp to 2u
		z := y / j.sizes[0]
		f.v = phi0 * elementary.Exp(-z*z/2) / j.sizes[0]
		f.err = f.v * (2*z*z + 8) * ulp
	case 2:
		f = newPair(j.largest[0], j.largest[1]).density(y, m)
	case 3:
		f = j.triple(y, m)
	default:
		var err error
		if f, err = j.series(ctx, y, m); err != nil {
			return f, err
		}
	}
	if j.zeros > 0 {
		times := elementary.Exp(float64(j.zeros) * logErf(m))
		f.err = times * (f.err*1.001 + f.v*(16*float64(j.zeros)*(1-logErf(m))+8)*ulp)
		f.v *= times
	}
	return f, nil
}

// pair is a·w₁ + b·w₂ for two normals, a ≥ b > 0.
type pair struct{ a, b, r float64 } // r = √(a² + b²)

func newPair(a, b float64) pair { return pair{a, b, math.Sqrt(a*a + b*b)} } // r to 3u, as a is at least about ½

// ends returns the range of t on which |w₁| ≤ m and |w₂| ≤ m, where (w₁, w₂) = (a, b)·y/r² + (b, −a)·t/r is the
// line of sum y. It also returns a bound on the error of either end.
func (p pair) ends(y, m float64) (lo, hi, err float64) {
	first, second := p.r/p.b, p.r/p.a
	a, b := y*(p.a/p.r)/p.r, y*(p.b/p.r)/p.r
	e1, e2 := 12*ulp*(m+a)*first, 12*ulp*(m+b)*second
	lo, hi = math.Max((-m-a)*first, (b-m)*second), math.Min((m-a)*first, (b+m)*second)
	err = math.Max(math.Max((-m-a)*first+e1, (b-m)*second+e2)-lo, hi-math.Min((m-a)*first-e1, (b+m)*second-e2))
	return lo, hi, err * 1.001
}

// density returns the density of the sum at y ≥ 0 on |w₁|, |w₂| ≤ m.
func (p pair) density(y, m float64) known {
	lo, hi, moved := p.ends(y, m)
	z := y / p.r
	at := phi0 * elementary.Exp(-z*z/2) / p.r
	if !(lo < hi) {
		return known{0, at * phi0 * 2 * moved}
	}
	between := normalBetween(lo, hi)
	// An error of an end changes the result by at most φ(0) times that error, and by at most 1. z² is known to 9u.
	err := math.Min(1, 2*phi0*moved) + 12*ulp
	return known{at * between, at * (err + between*(5*z*z+12)*ulp)}
}

// normalBetween returns Φ(hi) − Φ(lo) to 12u of 1. Each Erf has an error of 10u, plus u from two roundings of its
// argument.
func normalBetween(lo, hi float64) float64 {
	return (elementary.Erf(hi/math.Sqrt2) - elementary.Erf(lo/math.Sqrt2)) / 2
}

// triple integrates the density of two coordinates over the third and smallest one, with 24 nodes on each piece
// between the kinks of the inner density. With z = y − u₃w, on a Bernstein ellipse the integrand is at most
//
//	|φ(w)| · |φ(z/r)|/r · (1 + 2dφ(0)e^{d²/2}),
//
// where d is the largest |Im| of lo and hi: |Φ(x + id)| ≤ 1 + ∫_0^d |φ(x + it)| dt.
func (j *jointLaw) triple(y, m float64) known {
	const most = 300 // panels; 10 to 50 are typical
	p, c := newPair(j.largest[0], j.largest[1]), j.largest[2]
	rule := legendre24()
	marks := []float64{-m, m}
	for _, corner := range []float64{p.a - p.b, p.b - p.a, p.a + p.b, -p.a - p.b} {
		if v := (y - m*corner) / c; v > -m && v < m {
			marks = append(marks, v)
		}
	}
	slices.Sort(marks)
	steep := p.a / p.b / p.r // bound on |d lo/dz| and |d hi/dz|
	scale := phi0 / p.r
	// A kink's position has the rounding error of y − m·corner. Next to it the integrand may be the smooth
	// continuation of the neighboring piece. The error is φ(0) times the difference of the ends, which are equal at
	// the kink.
	slip := 8 * ulp * (y + m*(p.a+p.b))
	sum := known{err: float64(len(marks)) * math.Min(slip/c, 2*m) * phi0 * scale * math.Min(1, phi0*2*steep*slip)}
	panels := 0
	var panel func(a, b float64)
	panel = func(a, b float64) {
		left := math.Inf(1)
		for _, rho := range ellipses {
			size := math.Inf(-1)
			overEllipse(a, b, rho, func(x0, x1, y0, y1 float64) {
				im := c * y1
				d := im * steep
				between := d*d/2 + elementary.Log(elementary.Exp(-d*d/2)+2*d*phi0)
				size = math.Max(size, (y1*y1-leastSquare(x0, x1))/2+(im/p.r*im/p.r-leastSquare((y-c*x1)/p.r, (y-c*x0)/p.r))/2+between)
			})
			left = math.Min(left, remainder(len(rule.x), a, b, rho, size+elementary.Log(phi0)+elementary.Log(scale)))
		}
		if left > elementary.Log(1e-16*scale*(b-a)) && panels < most && b-a > 1e-9*m {
			panel(a, (a+b)/2)
			panel((a+b)/2, b)
			return
		}
		panels++
		h := (b - a) / 2
		for k, x := range rule.x {
			w := (a+b)/2 + h*x
			f := p.density(math.Abs(y-c*w), m)
			g := h * rule.w[k] * phi0 * elementary.Exp(-w*w/2)
			sum.v += g * f.v
			// Nodes have an error of 3 ulp of m. |d ln φ(w)/dw| ≤ m, and the density of two changes by its ends and
			// by e^{−z²/2r²}.
			sum.err += g * (f.err + f.v*(4*m*m+16)*ulp + scale*math.Min(1, 4*ulp*(m*c+y)*(2*phi0*steep+1/p.r)))
		}
		// The integrand is at most φ(0)·scale.
		sum.err += math.Min(elementary.Exp(left), 2*(b-a)*phi0*scale)
	}
	for n := 1; n < len(marks); n++ {
		if marks[n] > marks[n-1] {
			panel(marks[n-1], marks[n])
		}
	}
	sum.err += sum.v * float64(len(rule.x)*panels+8) * ulp
	return sum
}

// leastSquare returns the smallest x² over x in [a, b].
func leastSquare(a, b float64) float64 {
	if a <= 0 && b >= 0 {
		return 0
	}
	v := math.Min(math.Abs(a), math.Abs(b))
	return v * v
}

// series returns the density by a Fourier series. With period τ,
//
//	f(y) = (ψ(0)ᴸ + 2 Σ_{n≥1} cos(2πny/τ) Π_l ψ(2πn u_l/τ))/τ − Σ_{j≠0} f(y + jτ),
//
// where L is the number of nonzero coordinates. The truncation of the series and the other periods are bounded: see
// cutNormal.bounds and period.
func (j *jointLaw) series(ctx context.Context, y, m float64) (known, error) {
	const most = 1 << 17
	c := newCutNormal(m)
	period, overlap := j.period(y, m)
	whole, wholeErr := c.at(0)
	f := known{1, 0}
	f.multiply(known{whole, wholeErr}, j.live())
	enough := 2e-12 / j.norm * period / 2
	step := 2 * math.Pi / period
	check := 4
	for n := 1; ; n++ {
		s := float64(n) * step
		product := known{1, 0}
		for i, size := range j.sizes {
			v, err := c.at(s * size)
			product.multiply(known{v, err}, j.count[i])
		}
		_, cos := elementary.Sincos(s * y) // below 2πn ≤ 2²⁰
		f.v += 2 * cos * product.v
		f.err += 2*product.err + math.Abs(product.v)*(8*s*y+8)*ulp + 2*ulp*math.Abs(f.v)
		if n < check {
			continue
		}
		if err := ctx.Err(); err != nil {
			return known{}, err
		}
		check = n + max(4, n/8)
		rest := j.rest(c, s, n)
		if rest > enough && n < most {
			continue
		}
		f.err += 2 * rest
		break
	}
	f.v /= period
	f.err = f.err/period*(1+16*ulp) + overlap + math.Abs(f.v)*8*ulp
	return f, nil
}

// multiply replaces k by k·xⁿ.
func (k *known) multiply(x known, n int) {
	for n > 4 { // by squares
		if n%2 == 1 {
			k.multiply(x, 1)
		}
		square := x
		square.multiply(x, 1)
		x, n = square, n/2
	}
	for range n {
		k.err = (k.err*(math.Abs(x.v)+x.err) + math.Abs(k.v)*x.err + math.Abs(k.v*x.v)*ulp) * (1 + 4*ulp)
		k.v *= x.v
	}
	k.err += tiny
}

// period returns a period for the density at y and a bound on the contribution of the other periods. With w₁ for
// the largest coordinate, f(z) ≤ φ(0)/u₁ · Pr(|Σ_{l>1} u_l w_l| ≥ |z| − u₁m). The truncated w_l have variance
// proxies min(1, m²), by Hoeffding's lemma, and because tilting a truncated normal never makes its variance exceed
// 1. So the probability is at most 2 exp(−x²/2V) at x = |z| − u₁m, and 0 beyond their reach.
func (j *jointLaw) period(y, m float64) (period, overlap float64) {
	const eta = 1e-18
	u := j.sizes[0]
	const above, below = 1 + 1e-12, 1 - 1e-12
	variance := (j.square*above - u*u*below) * math.Min(1, m*m)
	reach := (j.reach*above - u*below) * m
	x := math.Min(reach*1.001, math.Sqrt(2*variance*elementary.Log(1/eta)))
	if x < reach*1.0005 {
		overlap = phi0 / u * 5 * eta * 1.001
	}
	return (y + u*m + x) * (1 + 1e-12), overlap
}

// rest bounds Σ_{ν>n} Π_l |ψ(sν/n·u_l)|. Up to κn it uses the constant bound at n. Beyond κn it uses the bound that
// decreases as ν^{−q}, whose sum is κn/(q − 1) times its value there.
func (j *jointLaw) rest(c *cutNormal, s float64, n int) float64 {
	least := math.Inf(1)
	before := 0.0
	for i, size := range j.sizes {
		flat, _, _ := c.bounds(s * size)
		before += float64(j.count[i]) * elementary.Log(flat)
	}
	for _, times := range []float64{1, 2, 4, 8, 32} {
		beyond, power := 0.0, 0.0
		for i, size := range j.sizes {
			_, falling, q := c.bounds(times * s * size)
			beyond += float64(j.count[i]) * elementary.Log(falling)
			power += float64(j.count[i]) * q
		}
		if power > 1.01 {
			sum := (times-1)*elementary.Exp(before) + times/(power-1)*elementary.Exp(beyond)
			least = math.Min(least, sum*float64(n)*(1+1e-9))
		}
	}
	return least
}
