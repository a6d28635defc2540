package signrp

import (
	"math"
	"math/big"
	"sync"

	"dpworkbench/internal/elementary"
)

// legendre is a Gauss–Legendre rule on [−1, 1]. Each node and weight is a float64 next to the true number, from
// Newton's method on P_n in 128 bits.
type legendre struct{ x, w []float64 }

var (
	legendre16 = sync.OnceValue(func() legendre { return newLegendre(16) })
	legendre24 = sync.OnceValue(func() legendre { return newLegendre(24) })
	legendre96 = sync.OnceValue(func() legendre { return newLegendre(96) })
)

func newLegendre(n int) legendre {
	const prec = 128
	number := func(v float64) *big.Float { return new(big.Float).SetPrec(prec).SetFloat64(v) }
	out := legendre{make([]float64, n), make([]float64, n)}
	for i := range (n + 1) / 2 {
		x := number(math.Cos(math.Pi * (float64(i) + 0.75) / (float64(n) + 0.5)))
		rest, slope := number(0), number(0) // 1 − x² and P_n'(x)
		for range 7 {
			before, p := number(1), number(0).Set(x)
			for k := 2; k <= n; k++ {
				next := number(0).Mul(x, p)
				next.Mul(next, number(float64(2*k-1)))
				next.Sub(next, before.Mul(before, number(float64(k-1))))
				before, p = p, next.Quo(next, number(float64(k)))
			}
			rest.Sub(number(1), slope.Mul(x, x))
			slope.Sub(before, slope.Mul(x, p)) // (1 − x²) P_n' = n (P_{n−1} − x P_n)
			slope.Mul(slope, number(float64(n)))
			slope.Quo(slope, rest)
			x.Sub(x, p.Quo(p, slope))
		}
		rest.Sub(number(1), number(0).Mul(x, x))
		weight := number(2)
		weight.Quo(weight, rest.Mul(rest, slope.Mul(slope, slope)))
		node, _ := x.Float64()
		w, _ := weight.Float64()
		out.x[i], out.w[i], out.x[n-1-i], out.w[n-1-i] = node, w, -node, w
	}
	if n%2 == 1 {
		out.x[n/2] = 0
	}
	return out
}

// ellipses lists sums of half axes of the Bernstein ellipses on which integrands are bounded, in half widths of a
// panel.
var ellipses = []float64{1.2, 1.4, 1.7, 2, 2.5, 3, 4, 5, 7, 10, 15, 25, 40}

// remainder returns the logarithm of a bound on the error of the n-point rule for an integral over [a, b]. rho is the
// sum of the half axes of an ellipse, and logSize the logarithm of a bound M on the function's modulus on it. With h =
// b − a, the bound is h/2·(64/15)·M ρ^{−2(n−1)}/(1−ρ⁻²) (Trefethen, Approximation Theory and Approximation Practice,
// Theorem 19.3). The added 1e-9 exceeds the roundings of logarithms of size below 10⁶.
func remainder(n int, a, b, rho, logSize float64) float64 {
	return 1e-9 + elementary.Log((b-a)/2*64/15/(1-1/(rho*rho))) + logSize - 2*float64(n-1)*elementary.Log(rho)
}

// overEllipse calls visit for boxes [x0, x1] + i[y0, y1], y0 ≥ 0, that cover the upper half of the boundary of an
// ellipse. It has foci a and b and the sum of half axes rho.
func overEllipse(a, b, rho float64, visit func(x0, x1, y0, y1 float64)) {
	const arcs = 48
	mid, wide, high := (a+b)/2, (b-a)/4*(rho+1/rho), (b-a)/4*(rho-1/rho)
	for n := range arcs {
		from, to := math.Pi*float64(n)/arcs, math.Pi*float64(n+1)/arcs
		sin0, cos0 := elementary.Sincos(from)
		sin1, cos1 := elementary.Sincos(to)
		x0, x1, y0, y1 := mid+wide*cos1, mid+wide*cos0, high*sin0, high*sin1
		if n >= arcs/2 {
			y0, y1 = y1, y0
		}
		const wider = 1e-9
		visit(x0-wider*wide, x1+wider*wide, math.Max(0, y0-wider*high), y1+wider*high)
	}
}
