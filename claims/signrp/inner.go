package signrp

import (
	"math"
	"math/rand/v2"

	"dpworkbench/claims/check"
)

// innerChecks returns the checks of Theorems C.1 to C.3 on estimators of an inner product.
func innerChecks() check.Checks {
	return check.Checks{
		"signrp.theoremC1": innerVariance("raw", rawSpread, func(c innerPoint) float64 { return c.noise(len(c.u)) }).Check,
		"signrp.theoremC2": innerVariance("rademacher", rademacherSpread, func(c innerPoint) float64 { return c.noise(c.k) + c.spread(2)/float64(c.k) }).Check,
		"signrp.theoremC3": innerVariance("oporp", oporpSpread, func(c innerPoint) float64 { return c.noise(c.k) + c.spread(2)*oporpShare(c) }).Check,
	}
}

// oporpShare returns (p − k)/(k(p − 1)), with p padded to a multiple of k.
func oporpShare(c innerPoint) float64 {
	p := c.padded()
	if p == 1 {
		return 0 // with one coordinate only the sign is random
	}
	return float64(p-c.k) / float64(c.k*(p-1))
}

// innerPoint holds two vectors whose entries are multiples of 1/4, k and σ.
type innerPoint struct {
	u, v  []float64
	k     int
	sigma float64
}

func (c innerPoint) padded() int { return (len(c.u) + c.k - 1) / c.k * c.k }

// noise returns σ²(‖u‖² + ‖v‖²) + nσ⁴.
func (c innerPoint) noise(n int) float64 {
	s2, sum := c.sigma*c.sigma, 0.0
	for i := range c.u {
		sum += c.u[i]*c.u[i] + c.v[i]*c.v[i]
	}
	return s2*sum + float64(n)*s2*s2
}

// spread returns ‖u‖²‖v‖² + ⟨u,v⟩² − common·Σu_i²v_i².
func (c innerPoint) spread(common float64) float64 {
	uu, vv, uv, both := 0.0, 0.0, 0.0, 0.0
	for i := range c.u {
		uu += c.u[i] * c.u[i]
		vv += c.v[i] * c.v[i]
		uv += c.u[i] * c.v[i]
		both += c.u[i] * c.u[i] * c.v[i] * c.v[i]
	}
	return uu*vv + uv*uv - common*both
}

// tally accumulates the sums for the mean and variance of equally likely values.
type tally struct{ count, sum, square float64 }

func (t *tally) add(x float64) { t.count, t.sum, t.square = t.count+1, t.sum+x, t.square+x*x }

func (t tally) moments() (mean, variance float64) {
	mean = t.sum / t.count
	return mean, t.square/t.count - mean*mean
}

// noisy adds ⟨x + a, y + b⟩ to the tally for all noise vectors a and b with entries ±σ.
func (t *tally) noisy(x, y []float64, sigma float64) {
	n := len(x)
	if sigma == 0 {
		e := 0.0
		for j := range x {
			e += x[j] * y[j]
		}
		t.add(e)
		return
	}
	for noise := range 1 << (2 * n) {
		e := 0.0
		for j := range x {
			a := float64(2*(noise>>j&1)-1) * sigma
			b := float64(2*(noise>>(n+j)&1)-1) * sigma
			e += (x[j] + a) * (y[j] + b)
		}
		t.add(e)
	}
}

// innerVariance states that, over every W and all noise of ±σ, the estimator's mean is ⟨u,v⟩ and its variance is the
// formula.
func innerVariance(kind string, enumerate func(c innerPoint, t *tally), formula func(c innerPoint) float64) check.Statement[innerPoint] {
	exact := func(c innerPoint) (mean, variance, square, terms float64) {
		var t tally
		enumerate(c, &t)
		mean, variance = t.moments()
		return mean, variance, t.square / t.count, t.count
	}
	shapes := [][2]int{{1, 1}, {2, 1}, {2, 2}, {3, 2}, {4, 2}, {4, 1}, {3, 3}}
	switch kind {
	case "raw":
		shapes = [][2]int{{1, 1}, {2, 1}, {3, 1}, {4, 1}}
	case "oporp": // (p − k)/(p − 1) is 0, 1 or 2/3 for the shapes above, and 4/5, 3/5 and 6/7 for these
		shapes = append(shapes, [2]int{6, 2}, [2]int{6, 3}, [2]int{8, 2})
	}
	return check.Statement[innerPoint]{
		Family: "p ≤ 2, k ≤ 2, entries 0, ±1, σ in {0, 1}",
		Each: check.Grid(func(c *innerPoint) []check.Axis {
			var shape, u, v [2]int
			return []check.Axis{
				check.Over(&shape, shapes[:3]...),
				check.Span(&v[1], -1, 1),
				check.Span(&v[0], -1, 1),
				check.Span(&u[1], -1, 1),
				check.Span(&u[0], -1, 1),
				check.Over(&c.sigma, 0, 1),
				check.Where(func() bool { return shape[0] == 2 || shape[0] == 1 && u[1] == -1 && v[1] == -1 }), // with p = 1 the second entries stay fixed
				check.Let(func() {
					c.k = shape[1]
					c.u = []float64{float64(u[0]), float64(u[1])}[:shape[0]]
					c.v = []float64{float64(v[0]), float64(v[1])}[:shape[0]]
				}),
			}
		}),
		Draw: func(rng *rand.Rand) innerPoint {
			shape := shapes[rng.IntN(len(shapes))]
			c := innerPoint{u: make([]float64, shape[0]), v: make([]float64, shape[0]), k: shape[1], sigma: float64(rng.IntN(9)) / 4}
			for i := range c.u {
				c.u[i], c.v[i] = float64(rng.IntN(9)-4)/4, float64(rng.IntN(9)-4)/4
			}
			return c
		},
		Holds: func(c innerPoint) bool {
			mean, variance, square, terms := exact(c)
			inner := 0.0
			for i := range c.u {
				inner += c.u[i] * c.v[i]
			}
			// The tolerance is an ulp of the mean square for each term of the sums, plus the rounding of the terms.
			slack := (8 + terms) * check.Epsilon64 * (1 + square)
			return math.Abs(mean-inner) <= slack && math.Abs(variance-formula(c)) <= 4*slack
		},
	}
}

func rawSpread(c innerPoint, t *tally) { t.noisy(c.u, c.v, c.sigma) }

func rademacherSpread(c innerPoint, t *tally) {
	p, k := len(c.u), c.k
	root := math.Sqrt(float64(k))
	for signs := range 1 << (p * k) {
		x, y := make([]float64, k), make([]float64, k)
		for j := range k {
			for i := range p {
				s := float64(2*(signs>>(i*k+j)&1) - 1)
				x[j], y[j] = x[j]+s*c.u[i]/root, y[j]+s*c.v[i]/root
			}
		}
		t.noisy(x, y, c.sigma)
	}
}

// oporpSpread tallies every assignment of the padded coordinates to the bins, with every choice of signs.
func oporpSpread(c innerPoint, t *tally) {
	size := (len(c.u) + c.k - 1) / c.k
	bin, room := make([]int, c.padded()), make([]int, c.k)
	for j := range room {
		room[j] = size
	}
	var deal func(i int)
	deal = func(i int) {
		if i < c.padded() {
			for j := range room {
				if room[j] > 0 {
					room[j]--
					bin[i] = j
					deal(i + 1)
					room[j]++
				}
			}
			return
		}
		for signs := range 1 << len(c.u) {
			x, y := make([]float64, c.k), make([]float64, c.k)
			for i := range c.u {
				s := float64(2*(signs>>i&1) - 1)
				x[bin[i]] += s * c.u[i]
				y[bin[i]] += s * c.v[i]
			}
			t.noisy(x, y, c.sigma)
		}
	}
	deal(0)
}
