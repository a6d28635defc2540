package signrp

import (
	"context"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/gaussian"
	"dpworkbench/signrp"
)

// signPair is a pair of β-neighbors, β = 1, under a small Rademacher projection.
type signPair struct {
	p, k       int
	seed       uint64
	u, v       []float64
	eps, delta float64
}

func (s signPair) projection() *signrp.Projection {
	return check.Must(signrp.NewProjection(signrp.Rademacher, s.p, s.k, signrp.ProjectionOptions{Seed: s.seed}))
}

// columns returns wⱼᵀu and wⱼᵀv for every column.
func (s signPair) columns() (x, y []float64) {
	rows := check.Must(s.projection().Matrix())
	x, y = make([]float64, s.k), make([]float64, s.k)
	for i, row := range rows {
		for j, w := range row {
			x[j] += w * s.u[i]
			y[j] += w * s.v[i]
		}
	}
	return x, y
}

func (s signPair) describe(script string) *check.Witness {
	rows := check.Must(s.projection().Matrix())
	return &check.Witness{
		Fields: check.Named("W", rows, "u", vector(s.u), "u'", vector(s.v), "beta", "1", "eps", s.eps, "delta", s.delta),
		Script: script,
	}
}

func (s signPair) script() check.Code {
	return check.Code(fmt.Sprintf("w = projection(%d, %d, seed=%d); u, v = %s, %s", s.p, s.k, s.seed, vector(s.u), vector(s.v)))
}

// neighborPairs yields neighbors on a grid of halves, for small W.
func neighborPairs(eps float64, deltas ...float64) iter.Seq[signPair] {
	return check.Grid(func(c *signPair) []check.Axis {
		var shape [2]int
		var first, second, step float64
		c.eps = eps
		return []check.Axis{
			check.Over(&shape, [2]int{1, 1}, [2]int{1, 2}, [2]int{2, 1}, [2]int{2, 2}),
			check.Span(&c.seed, 0, 3),
			check.Over(&second, 0, 0.5, -0.5, 1, -1),
			check.Over(&first, 0, 0.5, -0.5, 1, -1),
			check.Over(&step, 0.5, -0.5, 1, -1),
			check.Over(&c.delta, deltas...),
			check.Where(func() bool { return math.Abs(first+step) <= 1 && (shape[0] == 2 || second == 0) }),
			check.Let(func() {
				c.p, c.k = shape[0], shape[1]
				c.u, c.v = []float64{first, second}[:c.p], []float64{first + step, second}[:c.p]
			}),
		}
	})
}

func drawPair(rng *rand.Rand) signPair {
	s := signPair{p: 1 + rng.IntN(4), k: 1 + rng.IntN(4), seed: rng.Uint64N(1000), eps: 0.1 + 3*rng.Float64(), delta: []float64{1e-6, 1e-2, 0.1}[rng.IntN(3)]}
	s.u = make([]float64, s.p)
	for i := range s.u {
		s.u[i] = float64(rng.IntN(21)-10) / 10
	}
	s.v = slices.Clone(s.u)
	i := rng.IntN(s.p)
	s.v[i] = max(-1, min(1, float64(rng.IntN(21)-10)/10))
	s.v[i] = max(s.u[i]-1, min(s.u[i]+1, s.v[i]))
	return s
}

const pairFamily = "neighbors on a grid of halves, p, k ≤ 2, β = 1"

// individualChecks returns the checks of Theorems A.1 and A.2 and the claims about Algorithm 7.
func individualChecks() check.Checks {
	return check.Checks{
		"signrp.theoremA1":          check.WithCorrection(gaussianSigns().Check, fixedGaussianSigns(1).Check),
		"signrp.theoremA2":          check.WithCorrection(flippedSigns().Check, fixedFlips(0).Check),
		"signrp.algorithm7":         indicators(1).Check,
		"signrp.algorithm7.maximal": check.WithCorrection(mostChanges(func(marked, changed int) bool { return marked == changed }).Check, mostChanges(func(marked, changed int) bool { return marked >= changed }).Check),
	}
}

func (s signPair) release(noise signrp.Noise) *signrp.Release {
	return check.Must(signrp.NewIndividual(s.projection(), check.BudgetOf(s.eps), signrp.SignOptions{Noise: noise, Delta: check.DeltaOf(s.delta), Beta: 1}))
}

// gaussianSigns states Theorem A.1 under Definition A.1.
func gaussianSigns() check.Statement[signPair] {
	real := func(s signPair) evidence.Number {
		r := s.release(signrp.GaussianNoise)
		return check.Must(r.Pair(s.u, s.v).Delta(context.Background(), check.BudgetOf(s.eps)))
	}
	return check.Statement[signPair]{
		Family: pairFamily + ", ε = 1, δ = 1e-6", Each: neighborPairs(1, 1e-6), Draw: drawPair,
		Holds: func(s signPair) bool { return check.Least(real(s)) <= s.delta },
		Witness: func(s signPair) *check.Witness {
			return s.describe(check.Script(check.Vars{"law": s.script(), "eps": s.eps, "delta": s.delta},
				`{law}; d = idp_signrp(w, {eps}, noise="gaussian", delta={delta}).delta_at({eps}, u, v); print(d.lo, {delta}, d.lo <= {delta})`))
		},
		Measure: func(s signPair) []check.Item {
			return []check.Item{{Label: fmt.Sprintf("δ(ε), claimed %g", s.delta), Number: real(s)}}
		},
	}
}

// flippedSigns states Theorem A.2 under Definition A.1.
func flippedSigns() check.Statement[signPair] {
	real := func(s signPair) evidence.Number {
		r := s.release(signrp.RandomizedResponse)
		return check.Must(r.Pair(s.u, s.v).Epsilon(context.Background(), evidence.Delta{}))
	}
	return check.Statement[signPair]{
		Family: pairFamily + ", ε = 1", Each: neighborPairs(1, 1e-6), Draw: drawPair,
		Holds: func(s signPair) bool { return check.Least(real(s)) <= s.eps },
		Witness: func(s signPair) *check.Witness {
			return s.describe(check.Script(check.Vars{"law": s.script(), "eps": s.eps}, "{law}; e = idp_signrp(w, {eps}).smallest_epsilon(u, v); print(e.lo, {eps}, e.lo <= {eps})"))
		},
		Measure: func(s signPair) []check.Item {
			return []check.Item{{Label: fmt.Sprintf("smallest ε, claimed %g", s.eps), Number: real(s)}}
		},
	}
}

// marked returns the columns that Algorithm 7 marks at share·β for β = 1. x holds wᵀu, without the factor 1/√k.
func marked(x []float64, share float64) []int {
	var a []int
	for j, z := range x {
		if math.Abs(z) <= share {
			a = append(a, j)
		}
	}
	return a
}

func sameSign(a, b float64) bool { return (a >= 0) == (b >= 0) }

// fixedFlips states what the proof of Theorem A.2 proves: the set A of u is used for both neighbors, and each of its
// signs flips at ε/(|A| − less). The loss is ε times the number of signs that differ, divided by |A| − less.
func fixedFlips(less int) check.Statement[signPair] {
	counts := func(s signPair) (differ, among int, inside bool) {
		x, y := s.columns()
		a := marked(x, 1)
		inside = true
		for j := range x {
			if !sameSign(x[j], y[j]) {
				differ++
				inside = inside && slices.Contains(a, j)
			}
		}
		return differ, len(a) - less, inside
	}
	return check.Statement[signPair]{
		Family: pairFamily, Each: neighborPairs(1, 1e-6), Draw: drawPair,
		Applies: func(s signPair) bool { differ, _, _ := counts(s); return differ > 0 },
		Holds: func(s signPair) bool {
			differ, among, inside := counts(s)
			return differ == 0 || inside && differ <= among
		},
	}
}

// fixedGaussianSigns states what the proof of Theorem A.1 proves: the set A of u and its noise are used for both
// neighbors. The noise is divided by shrink.
func fixedGaussianSigns(shrink float64) check.Statement[signPair] {
	// delta returns δ and a bound on its error. Each of |A| factors has an error of at most eight ulps of 1. An erfc
	// has two ulps, and its argument four, which change the factor by a quarter as much.
	delta := func(s signPair) (d, slack float64) {
		x, y := s.columns()
		a := marked(x, 1)
		for j := range x {
			if !sameSign(x[j], y[j]) && !slices.Contains(a, j) {
				return 1, 0
			}
		}
		if len(a) == 0 {
			return 0, 0
		}
		root := math.Sqrt(float64(s.k))
		sigma := check.Must(gaussian.Sigma(check.BudgetOf(s.eps), check.DeltaOf(s.delta), math.Sqrt(float64(len(a)))/root))
		plus := func(z float64) float64 { return math.Erfc(-z/root/(sigma.Hi/shrink)/math.Sqrt2) / 2 }
		worst := [2]float64{}
		for outcome := range 1 << len(a) {
			p, q := 1.0, 1.0
			for i, j := range a {
				if outcome>>i&1 == 1 {
					p, q = p*plus(x[j]), q*plus(y[j])
				} else {
					p, q = p*plus(-x[j]), q*plus(-y[j])
				}
			}
			worst[0] += max(0, p-math.Exp(s.eps)*q)
			worst[1] += max(0, q-math.Exp(s.eps)*p)
		}
		outcomes := float64(uint(1) << len(a))
		return max(worst[0], worst[1]), 8 * float64(len(a)) * outcomes * (1 + math.Exp(s.eps)) * check.Epsilon64
	}
	return check.Statement[signPair]{
		Family: pairFamily + ", ε = 1, δ in {1e-6, .01, .1}", Each: neighborPairs(1, 1e-6, 0.01, 0.1), Draw: drawPair,
		Holds: func(s signPair) bool {
			d, slack := delta(s)
			return d <= s.delta+slack
		},
	}
}
