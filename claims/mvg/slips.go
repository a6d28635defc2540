package mvg

import (
	"math/big"
	"math/rand/v2"

	"dpworkbench/claims/check"
)

// slipChecks returns the checks of steps of proofs in the full paper and in the appendix of the conference version.
func slipChecks() check.Checks {
	return check.Checks{
		"mvg.lemma10.proof": check.WithCorrection(radicand(func(r radicandCase) int64 { return 8 * r.eps }).Check,
			radicand(func(r radicandCase) int64 { return 8 * r.alpha * r.eps }).Check),
		"mvg.theorem2.proof.transpose": check.WithCorrection(noiseTerm(func(n intMatrix) intMatrix { return n }, "n").Check,
			noiseTerm(intMatrix.transpose, "[[x for x in r] for r in zip(*n)]").Check),
		"mvg.conference.exponent": exponentExpands(1).Check,
		"mvg.conference.split":    splitBound(1).Check,
	}
}

// radicandCase holds α, β and ε.
type radicandCase struct{ alpha, beta, eps int64 }

// radicand compares the constraint in the proof of Lemma 10 with that of Theorem 2. Both are (−β + √(β² + x))²/4α²,
// which increases in x, so they agree only if their x do.
func radicand(x func(radicandCase) int64) check.Statement[radicandCase] {
	return check.Statement[radicandCase]{
		Family: "α, β and ε in 1 … 4", Size: 4 * 4 * 4,
		Each: check.Grid(func(c *radicandCase) []check.Axis {
			return []check.Axis{check.Span(&c.alpha, 1, 4), check.Span(&c.beta, 1, 4), check.Span(&c.eps, 1, 4)}
		}),
		Holds: func(c radicandCase) bool { return x(c) == 8*c.alpha*c.eps },
		Witness: func(c radicandCase) *check.Witness {
			return check.NewWitness(check.Named("alpha", c.alpha, "beta", c.beta, "eps", c.eps),
				check.Vars{"a": c.alpha, "b": c.beta, "e": c.eps},
				"a, b, e = {a}, {b}, {e}",
				"of = lambda x: math.pow(math.sqrt(b * b + x) - b, 2) / (4 * a * a)",
				"p, t = of(8 * e), of(8 * a * e); print(p, t, abs(p - t) <= 1e-9 * t)")
		},
	}
}

// noiseCase holds 2×2 matrices N and Δ.
type noiseCase struct{ n, delta intMatrix }

// noiseTerm checks tr[Ψ⁻¹ZᵀΣ⁻¹Δ] = tr[Λ_Ψ^{−1/2} t(N) Λ_Σ^{−1/2} Δ] with W_Σ = W_Ψ = I and Λ_Σ^{1/2} = Λ_Ψ^{1/2} =
// diag(1, 2). Both sides are multiplied by 16, and written is t(N) in the script language.
func noiseTerm(t func(intMatrix) intMatrix, written string) check.Statement[noiseCase] {
	root, inverseRoot, inverse := intMatrix{{1, 0}, {0, 2}}, intMatrix{{2, 0}, {0, 1}}, intMatrix{{4, 0}, {0, 1}}
	return check.Statement[noiseCase]{
		Family: "2×2 matrices N and Δ with entries −1, 0, 1, Σ = Ψ = diag(1, 4)", Size: 81 * 81,
		Each: check.Grid(func(c *noiseCase) []check.Axis {
			return []check.Axis{check.From(&c.n, intMatrices(2, 2, -1, 1)), check.From(&c.delta, intMatrices(2, 2, -1, 1))}
		}),
		Holds: func(c noiseCase) bool {
			z := root.times(c.n).times(root)
			left := inverse.times(z.transpose()).times(inverse).times(c.delta).trace()
			return left == 4*inverseRoot.times(t(c.n)).times(inverseRoot).times(c.delta).trace()
		},
		Witness: func(c noiseCase) *check.Witness {
			return &check.Witness{
				Fields: check.Named("N", c.n, "Δ", c.delta, "Σ = Ψ", "diag(1, 4)"),
				Script: check.Script(check.Vars{"n": c.n, "d": c.delta, "t": check.Code(written)}, matrixScript+
					"n, d = {n}, {d}; g = lambda a, b: [[a, 0], [0, b]]; t = {t}; "+
					"z = mul(mul(g(1, 2), n), g(1, 2)); zt = [[x for x in r] for r in zip(*z)]; "+
					"a = tr(mul(mul(mul(g(1, 1/4), zt), g(1, 1/4)), d)); "+
					"b = tr(mul(mul(mul(g(1, 1/2), t), g(1, 1/2)), d)); print(a, b, a == b)"),
			}
		},
	}
}

// exponentCase holds Σ⁻¹ and Ψ⁻¹, the answers f₁ and f₂ on two neighbors, and an output.
type exponentCase struct{ sigma, psi, before, after, output intMatrix }

// exponentExpands checks the algebra before the characteristic equation: the logarithm of the quotient of the densities
// at Y is ½tr[Ψ⁻¹YᵀΣ⁻¹Δ + Ψ⁻¹ΔᵀΣ⁻¹Y + Ψ⁻¹f₂ᵀΣ⁻¹f₂ − Ψ⁻¹f₁ᵀΣ⁻¹f₁]. sign multiplies the third term.
func exponentExpands(sign int64) check.Statement[exponentCase] {
	minus := func(a, b intMatrix) intMatrix {
		out := zeroMatrix(len(a), len(a[0]))
		for i := range a {
			for j := range a[i] {
				out[i][j] = a[i][j] - b[i][j]
			}
		}
		return out
	}
	return check.Statement[exponentCase]{
		Family: "1×1 answers and outputs −2 … 2, Σ⁻¹ and Ψ⁻¹ 1 or 2", Size: 5 * 5 * 5 * 4,
		Each: check.Grid(func(c *exponentCase) []check.Axis {
			axes := []check.Axis{check.From(&c.sigma, intMatrices(1, 1, 1, 2)), check.From(&c.psi, intMatrices(1, 1, 1, 2))}
			for _, at := range []*intMatrix{&c.before, &c.after, &c.output} {
				axes = append(axes, check.From(at, intMatrices(1, 1, -2, 2)))
			}
			return axes
		}),
		Draw: func(rng *rand.Rand) exponentCase {
			m, n := 1+rng.IntN(3), 1+rng.IntN(3)
			return exponentCase{outerProduct(drawInts(rng, m, m, 3)), outerProduct(drawInts(rng, n, n, 3)),
				drawInts(rng, m, n, 3), drawInts(rng, m, n, 3), drawInts(rng, m, n, 3)}
		},
		Holds: func(c exponentCase) bool {
			form := func(a, b intMatrix) int64 { return c.psi.times(a.transpose()).times(c.sigma).times(b).trace() }
			first, second, delta := minus(c.output, c.before), minus(c.output, c.after), minus(c.before, c.after)
			return form(second, second)-form(first, first) ==
				form(c.output, delta)+form(delta, c.output)+sign*form(c.after, c.after)-form(c.before, c.before)
		},
	}
}

// splitCase holds weights of two outputs under two neighboring laws, with e^ε and δ. The first law has separate weights
// within R₁ and beyond it.
type splitCase struct {
	within, beyond, other [2]int
	ratio, delta          *big.Rat
}

// splitBound checks how the proof splits an event: if p₁(y, R₁) ≤ e^ε p₂(y) for every output y and p₁(R₂) ≤ δ, then
// p₁(S) ≤ e^ε p₂(S) + δ for every S. share scales δ.
func splitBound(share int64) check.Statement[splitCase] {
	return check.Statement[splitCase]{
		Family: "two outputs, weights 0 … 2 of the first law within and beyond R₁ and of the second law, " +
			"e^ε in {1, 3/2, 3}, δ in {0, 1/4, 1/2}",
		Size: (81 - 1) * (9 - 1) * 3 * 3,
		Each: check.Grid(func(c *splitCase) []check.Axis {
			var axes []check.Axis
			for _, at := range []*[2]int{&c.within, &c.beyond, &c.other} {
				axes = append(axes, check.Span(&at[0], 0, 2), check.Span(&at[1], 0, 2))
			}
			return append(axes,
				check.Where(func() bool { return c.within[0]+c.within[1]+c.beyond[0]+c.beyond[1] > 0 && c.other[0]+c.other[1] > 0 }),
				check.Over(&c.ratio, check.One, big.NewRat(3, 2), big.NewRat(3, 1)),
				check.Over(&c.delta, new(big.Rat), big.NewRat(1, 4), big.NewRat(1, 2)))
		}),
		Decide: func(c splitCase) (holds, counts bool) {
			total, other := c.within[0]+c.within[1]+c.beyond[0]+c.beyond[1], c.other[0]+c.other[1]
			allowed := func(weight int, delta *big.Rat) *big.Rat {
				v := new(big.Rat).Mul(c.ratio, check.Ratio(weight, other))
				return v.Add(v, delta)
			}
			if check.Ratio(c.beyond[0]+c.beyond[1], total).Cmp(c.delta) > 0 {
				return true, false
			}
			for y := range 2 {
				if check.Ratio(c.within[y], total).Cmp(allowed(c.other[y], new(big.Rat))) > 0 {
					return true, false
				}
			}
			delta := new(big.Rat).Mul(c.delta, big.NewRat(share, 1))
			for s := range 4 {
				own, theirs := 0, 0
				for y := range 2 {
					own, theirs = own+(s>>y&1)*(c.within[y]+c.beyond[y]), theirs+(s>>y&1)*c.other[y]
				}
				if check.Ratio(own, total).Cmp(allowed(theirs, delta)) > 0 {
					return false, true
				}
			}
			return true, true
		},
	}
}
