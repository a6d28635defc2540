package signrp

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// simpson integrates f over [a, b] in parts of which none holds one of the kinks.
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

// densityOfTwo is the density at y of a·w₁ + b·w₂, |w| ≤ m: ∫ φ(v) φ((y − bv)/a)/a dv over
// the v of [−m, m] for which |y − bv| ≤ am, as a difference of Φ.
func densityOfTwo(a, b, y, m float64) float64 {
	lo, hi := max(-m, (y-a*m)/b), min(m, (y+a*m)/b)
	if lo >= hi {
		return 0
	}
	square := a*a + b*b
	r, at := math.Sqrt(square), y*b/square // of the complete square: r²(v − at)²/a²
	phi := func(v float64) float64 { return math.Erfc(-(v-at)*r/a/math.Sqrt2) / 2 }
	if lo > at { // without cancellation
		return normal(y/r) / r * (math.Erfc((lo-at)*r/a/math.Sqrt2) - math.Erfc((hi-at)*r/a/math.Sqrt2)) / 2
	}
	return normal(y/r) / r * (phi(hi) - phi(lo))
}

// The density of the projection on the event that no |w| exceeds m: of two numbers as
// the integral over one of them, of three as the integral of that over the third; and the
// Fourier series of as many. It is within its bound of them, and the bound is narrow.
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
		got := must(wide.density(context.Background(), y, m))
		zeros := math.Pow(math.Erf(m/math.Sqrt2), 2)
		check("pair with zeros", got, two.v*zeros, 1e-15, 3e-14)
		law := newJointLaw([]float64{c, -a, b}, 0.5)
		want := simpson(func(w float64) float64 { return normal(w) * densityOfTwo(a, b, y-c*w, m) }, -m, m, 1000,
			(y-m*(a+b))/c, (y-m*(a-b))/c, (y+m*(a-b))/c, (y+m*(a+b))/c)
		three := law.triple(y, m)
		check("triple", three, want, 3e-13, 1e-13)
		if trial%9 == 1 { // where the periods are few
			series := must(law.series(context.Background(), y, m))
			check("series", series, three.v, three.err, 1e-9)
		}
	}
}

// The ends of the line on which two normals have a given sum are within their bound of
// those in 200 bits, and the bound is some roundings.
func TestEndsOfTwo(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 5))
	num := func(v float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(v) }
	for trial := range 400 {
		a := 0.5 + 0.49*rng.Float64()
		b := a * math.Pow(10, -3*rng.Float64())
		m := 10.4 * rng.Float64()
		y := m * a * 1.2 * rng.Float64()
		if trial%4 == 0 {
			y = m * (a - b) // where two ends are equal
		}
		lo, hi, bound := newPair(a, b).ends(y, m)
		square := new(big.Float).Add(num(0).Mul(num(a), num(a)), num(0).Mul(num(b), num(b)))
		r := num(0).Sqrt(square)
		// w₁ = ay/r² + bt/r, w₂ = by/r² − at/r: t from w.
		at := func(w, own, other float64) *big.Float {
			v := num(0).Mul(num(own), num(y))
			v.Sub(num(w), v.Quo(v, square))
			return v.Quo(v.Mul(v, r), num(other))
		}
		wantLo, wantHi := at(-m, a, b), at(m, a, b)
		if v := at(m, b, -a); v.Cmp(wantLo) > 0 {
			wantLo = v
		}
		if v := at(-m, b, -a); v.Cmp(wantHi) < 0 {
			wantHi = v
		}
		for _, c := range []struct {
			got  float64
			want *big.Float
		}{{lo, wantLo}, {hi, wantHi}} {
			off, _ := num(0).Sub(num(c.got), c.want).Float64()
			if !(math.Abs(off) <= bound) || !(bound <= 13*ulp*(m+y/a)*2/b) {
				t.Errorf("a = %v, b = %v, y = %v, m = %v: an end at %v ± %v is off by %v", a, b, y, m, c.got, bound, off)
			}
		}
	}
}

// A power of a known number is known to what its ends and its roundings allow, and no more
// than twice that.
func TestPowersOfKnown(t *testing.T) {
	for _, x := range []known{{0.75, 1e-12}, {-0.99, 3e-14}, {1.25, 0}, {0, 1e-9}} {
		for n := range 40 {
			got := known{1, 0}
			got.multiply(x, n)
			exact := func(v float64) float64 {
				p := big.NewFloat(1).SetPrec(300)
				for range n {
					p.Mul(p, big.NewFloat(v).SetPrec(300))
				}
				out, _ := p.Sub(p, big.NewFloat(got.v)).Float64()
				return math.Abs(out)
			}
			reach := max(exact(x.v), exact(x.v-x.err), exact(x.v+x.err))
			roundings := 2 * float64(n) * (math.Pow(math.Abs(x.v)+x.err, float64(n))*ulp + tiny)
			if !(reach <= got.err) || !(got.err <= 1.01*reach+roundings+tiny) {
				t.Errorf("(%v ± %v)^%d = %v ± %v, which is off by %v", x.v, x.err, n, got.v, got.err, reach)
			}
		}
	}
}

// The rule of a few nodes is off by less than its bound for an exponential, whose size on
// an ellipse is known, and the bound is the one of Theorem 19.3.
func TestRemainderOfLegendre(t *testing.T) {
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

// The boxes over an ellipse hold the upper half of its boundary, and are as small as its
// 48 arcs allow.
func TestBoxesOverEllipse(t *testing.T) {
	for _, c := range []struct{ a, b, rho float64 }{{-1, 1, 2}, {3, 3.5, 1.2}, {0, 10, 40}} {
		type box struct{ x0, x1, y0, y1 float64 }
		var boxes []box
		overEllipse(c.a, c.b, c.rho, func(x0, x1, y0, y1 float64) { boxes = append(boxes, box{x0, x1, y0, y1}) })
		mid, wide, high := (c.a+c.b)/2, (c.b-c.a)/4*(c.rho+1/c.rho), (c.b-c.a)/4*(c.rho-1/c.rho)
		width, height := 0.0, 0.0
		for _, b := range boxes {
			width, height = width+b.x1-b.x0, height+b.y1-b.y0
		}
		if len(boxes) != 48 || math.Abs(width-2*wide) > 1e-6*wide || math.Abs(height-2*high) > 1e-6*high {
			t.Errorf("%v: %d boxes, %v wide and %v high in all", c, len(boxes), width, height)
		}
		for n := range 1000 {
			sin, cos := math.Sincos(math.Pi * float64(n) / 999)
			x, y := mid+wide*cos, high*sin
			if !slices.ContainsFunc(boxes, func(b box) bool { return b.x0 <= x && x <= b.x1 && b.y0 <= y && y <= b.y1 }) {
				t.Errorf("%v: %v + %vi is in no box", c, x, y)
			}
		}
	}
}

// The bound on a slice is above the integral, and next to it for s ≥ 0.
func TestSlice(t *testing.T) {
	for _, s := range []float64{-30, -2, -1e-3, 0, 1e-7, 1e-6, 1e-5, 0.3, 1, 7, 60, 400} {
		want := math.Log(simpson(func(v float64) float64 { return math.Exp(-s*v*v/2) / math.Sqrt(2*math.Pi) }, -1, 1, 1000))
		if got := logSlice(s); got < want-1e-11 || got > want+max(0, -s)/2+2e-7 {
			t.Errorf("ln ξ(%v) = %v, want %v", s, got, want)
		}
	}
	for _, c := range [][3]float64{{-1, 2, 0}, {0, 3, 0}, {-3, 0, 0}, {2, 3, 4}, {-3, -2, 4}, {2, 2, 4}} {
		if got := leastSquare(c[0], c[1]); got != c[2] {
			t.Errorf("the least square of [%v, %v] is %v", c[0], c[1], got)
		}
	}
}

// No other period is nearer than what the bound on overlap allows: beyond the reach of the
// sum, or so far out that Hoeffding's inequality leaves that little.
func TestPeriodOfTheSeries(t *testing.T) {
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
			t.Errorf("%d numbers, y = %v, m = %v: period %v and no overlap", len(c.u), c.y, c.m, period)
		}
	}
}

// What follows the n-th term is at most its bound, and not far below it where the series
// falls as a power.
func TestRestOfTheSeries(t *testing.T) {
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
