package signrp

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/internal/must"
)

// simpson integrates f over [a, b] piecewise between the kinks.
func simpson(f func(float64) float64, a, b float64, n int, kinks ...float64) float64 {
	marks := []float64{a, b}
	for _, k := range kinks {
		if k > a && k < b {
			marks = append(marks, k)
		}
	}
	slices.Sort(marks)
	sum := 0.0
	for i := 1; i < len(marks); i++ {
		a, h := marks[i-1], (marks[i]-marks[i-1])/float64(2*n)
		part := f(a) + f(marks[i])
		for k := 1; k < 2*n; k++ {
			part += float64(2+2*(k%2)) * f(a+float64(k)*h)
		}
		sum += part * h / 3
	}
	return sum
}

func normal(w float64) float64 { return math.Exp(-w*w/2) / math.Sqrt(2*math.Pi) }

// densityOfTwo returns the density at y of a·w₁ + b·w₂ on the event |w₁|, |w₂| ≤ m. It is ∫ φ(v) φ((y − bv)/a)/a dv
// over the v in [−m, m] with |y − bv| ≤ am, which is a difference of Φ.
func densityOfTwo(a, b, y, m float64) float64 {
	lo, hi := max(-m, (y-a*m)/b), min(m, (y+a*m)/b)
	if lo >= hi {
		return 0
	}
	square := a*a + b*b
	r, at := math.Sqrt(square), y*b/square // complete the square: r²(v − at)²/a²
	phi := func(v float64) float64 { return math.Erfc(-(v-at)*r/a/math.Sqrt2) / 2 }
	if lo > at { // reflect the interval, which avoids cancellation
		return normal(y/r) / r * (math.Erfc((lo-at)*r/a/math.Sqrt2) - math.Erfc((hi-at)*r/a/math.Sqrt2)) / 2
	}
	return normal(y/r) / r * (phi(hi) - phi(lo))
}

// The density of the projection on the event that no |w| exceeds m agrees with integrals. For two coordinates the
// integral is over one of them. For three coordinates it is the density of two, integrated over the third. The Fourier
// series differs from both by at most its error bound, and the bound is narrow.
func TestDensityGivenTheLargest(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 4))
	for trial := range 90 {
		a := 0.5 + 0.49*rng.Float64()
		b := a * math.Pow(10, -2*rng.Float64()*float64(trial%3)/2)
		c := b * math.Pow(10, -rng.Float64()*float64(trial%2))
		m := []float64{0.05, 0.7, 2, 5, 10.4}[trial%5] * (1 - 0.1*rng.Float64())
		y := m * (a + b) * 1.1 * rng.Float64()
		scale := 1 / (math.Sqrt(a*a+b*b) * math.Sqrt(2*math.Pi))
		check := func(what string, got known, want, spare, width float64) {
			t.Helper()
			if !(math.Abs(got.v-want) <= got.err+spare*scale) || !(got.err <= width*scale) {
				t.Errorf("%s of %v, %v, %v at y = %v, m = %v: %v ± %.3g, want %v", what, a, b, c, y, m, got.v, got.err, want)
			}
		}
		two := newPair(a, b).density(y, m)
		check("pair", two, densityOfTwo(a, b, y, m), 1e-15, 2e-14)
		wide := newJointLaw([]float64{b, 0, -a, 0}, 0.5)
		got := must.Be(wide.density(context.Background(), y, m))
		zeros := math.Pow(math.Erf(m/math.Sqrt2), 2)
		check("pair with zeros", got, two.v*zeros, 1e-15, 3e-14)
		law := newJointLaw([]float64{c, -a, b}, 0.5)
		want := simpson(func(w float64) float64 { return normal(w) * densityOfTwo(a, b, y-c*w, m) }, -m, m, 1000,
			(y-m*(a+b))/c, (y-m*(a-b))/c, (y+m*(a-b))/c, (y+m*(a+b))/c)
		three := law.triple(y, m)
		check("triple", three, want, 3e-13, 1e-13)
		if trial%9 == 1 { // these u and m need few periods
			series := must.Be(law.series(context.Background(), y, m))
			check("series", series, three.v, three.err, 1e-9)
		}
	}
}

// The error of Gauss–Legendre quadrature is below its bound for an exponential, whose maximum on an ellipse is known.
// The bound is that of Theorem 19.3.
func TestLegendreRemainder(t *testing.T) {
	for _, n := range []int{2, 4, 7, 16} {
		rule := newLegendre(n)
		for _, c := range []struct{ a, b, k float64 }{{-1, 1, 1}, {0, 1, 5}, {2, 5, -3}, {0, 0.1, 20}} {
			h, mid := (c.b-c.a)/2, (c.b+c.a)/2
			sum := 0.0
			for i, x := range rule.x {
				sum += h * rule.w[i] * math.Exp(c.k*(mid+h*x))
			}
			off := math.Abs(sum - math.Exp(c.k*mid)*2*math.Sinh(c.k*h)/c.k)
			least := math.Inf(1)
			for _, rho := range ellipses {
				most := math.Inf(-1) // of Re kz
				overEllipse(c.a, c.b, rho, func(x0, x1, y0, y1 float64) { most = max(most, c.k*x0, c.k*x1) })
				size := c.k*mid + math.Abs(c.k)*h*(rho+1/rho)/2
				if most < size || most > size+2e-8*math.Abs(size) {
					t.Errorf("e^{%vz} on the ellipse %v of [%v, %v] reaches e^%v, want e^%v", c.k, rho, c.a, c.b, most, size)
				}
				got := remainder(n, c.a, c.b, rho, most)
				want := math.Log(h*64/15) - 2*float64(n-1)*math.Log(rho) - math.Log1p(-math.Pow(rho, -2)) + most
				if got < want || got > want+2e-9 {
					t.Errorf("%d nodes, ellipse %v: the remainder is e^%v, want e^%v", n, rho, got, want)
				}
				least = min(least, got)
			}
			if slack := 1e-14 * math.Exp(math.Abs(c.k)*(math.Abs(mid)+h)); off > math.Exp(least)+slack || off > 10*slack && math.Exp(least) > 1e5*off {
				t.Errorf("%d nodes for e^{%vx} over [%v, %v]: off by %v, bound %v", n, c.k, c.a, c.b, off, math.Exp(least))
			}
		}
	}
}

// The overlap of other periods is at most its bound. Either the periods are beyond the range of the sum, or they are so
// far out that Hoeffding's inequality bounds the overlap.
func TestSeriesPeriod(t *testing.T) {
	for _, c := range []struct {
		u    []float64
		y, m float64
	}{{[]float64{1, 1, 1, 1}, 0.5, 1}, {[]float64{1, 0.1, 0.1, 0.01}, 0.1, 10}, {slices.Repeat([]float64{0.6}, 400), 3, 4}, {slices.Repeat([]float64{0.6}, 400), 3, 0.5}} {
		j := newJointLaw(c.u, 0.5)
		period, overlap := j.period(c.y, c.m)
		u, reach, square := j.sizes[0], 0.0, 0.0
		for _, v := range c.u {
			reach, square = reach+v, square+v*v
		}
		beyond := 0.0
		for k := 1.0; k < 4; k++ {
			for _, z := range []float64{k*period - c.y, k*period + c.y} {
				if x := z - u*c.m; z < reach*c.m {
					beyond += phi0 / u * 2 * math.Exp(-x*x/2/((square-u*u)*min(1, c.m*c.m)))
				}
			}
		}
		if beyond > overlap || overlap > 5.01e-18*phi0/u || period > c.y+1.002*reach*c.m {
			t.Errorf("%d numbers, y = %v, m = %v: period %v, other periods %v, bound %v", len(c.u), c.y, c.m, period, beyond, overlap)
		}
		if overlap == 0 && period < c.y+reach*c.m {
			t.Errorf("%d numbers, y = %v, m = %v: period %v within the range of the sum, but the overlap is 0", len(c.u), c.y, c.m, period)
		}
	}
}

// The terms after the n-th add at most the bound, and nearly the bound if the series decreases like a power.
func TestSeriesTailBound(t *testing.T) {
	for _, u := range [][]float64{{0.9, 0.8, 0.7, 0.6}, {0.9, 0.9, 0.3}, {0.99, 0.5, 0.5, 0.5, 0.5, 0.5}} {
		j := newJointLaw(u, 0.5)
		for _, m := range []float64{0.5, 1.5, 4} {
			c := newCutNormal(m)
			period, _ := j.period(m, m)
			step := 2 * math.Pi / period
			for _, n := range []int{20, 100, 400} {
				sum := 0.0
				for k := n + 1; k < 20*n; k++ {
					product := 1.0
					for _, v := range u {
						x, _ := c.at(float64(k) * step * v)
						product *= math.Abs(x)
					}
					sum += product
				}
				if rest := j.rest(c, float64(n)*step, n); sum > rest*(1+1e-9)+1e-12 {
					t.Errorf("%v, m = %v: after %d terms %v is left, bound %v", u, m, n, sum, rest)
				}
			}
		}
	}
}

// The period satisfies its condition despite rounding. The variance of all but the largest coordinate is computed in
// rational arithmetic, even if it is only a few roundings of the largest square.
func TestPeriodsAllowForRounding(t *testing.T) {
	for _, small := range []float64{0.5, 1e-3, 1.1e-6, 6.1e-8, 5.3e-8, 4.9e-8, 4.7e-8, 4.3e-8, 1.3e-9} {
		for _, n := range []int{900, 1000} {
			u := []float64{0.9}
			rest := new(big.Rat)
			for range n {
				u = append(u, small)
				v := new(big.Rat).SetFloat64(small)
				rest.Add(rest, v.Mul(v, v))
			}
			j := newJointLaw(u, 1)
			const y, m = 0.25, 0.8
			period, overlap := j.period(y, m)
			// The condition is x² ≥ 2V ln 10¹⁸. V is m² times the sum of the other squares, and 2·18·ln 10 = 82.8930…
			x := new(big.Rat).Sub(new(big.Rat).SetFloat64(period), new(big.Rat).SetFloat64(y))
			first := new(big.Rat).Mul(new(big.Rat).SetFloat64(0.9), new(big.Rat).SetFloat64(m))
			x.Sub(x, first)
			mm := new(big.Rat).SetFloat64(m)
			need := new(big.Rat).Mul(rest, mm.Mul(mm, mm))
			need.Mul(need, big.NewRat(8289306334778, 100000000000))
			reach := new(big.Rat).Mul(new(big.Rat).SetFloat64(m), new(big.Rat).Mul(new(big.Rat).SetFloat64(small), big.NewRat(int64(n), 1)))
			if all := x.Cmp(reach) >= 0; !all && (x.Mul(x, x).Cmp(need) < 0 || overlap <= 0) {
				t.Errorf("for %d coordinates of %g the period %g is too short for its overlap %g", n, small, period, overlap)
			}
		}
	}
}

// The comparison of Σ|u_i| with β is exact, although float64 cannot represent the sum.
func TestCertainIsExact(t *testing.T) {
	for _, tiny := range []float64{1e-17, 1e-100, 1e-200, 5e-324} {
		for at, certain := range map[float64]bool{1: false, math.Nextafter(1, 2): true} {
			if j := newJointLaw([]float64{1, tiny}, at); j.certain != certain {
				t.Errorf("|wᵀ(1, %g)| ≤ %v max |w_i| is certain: %t", tiny, at, j.certain)
			}
		}
	}
}
