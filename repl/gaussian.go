package repl

import (
	"math"

	"dpworkbench/gaussian"
	"dpworkbench/interval"
	"dpworkbench/script"
)

// gaussianBuiltins are the analytic Gaussian mechanism.
func gaussianBuiltins() []script.Builtin {
	const analytic = " Source: Balle and Wang, arXiv:1805.06530v2, Theorem 8. Certified, an enclosure at most three units in the last place wide (more only where delta is above 1 − 1e-10); its value is the end on the private side."
	return []script.Builtin{
		script.Func("gaussian_sigma(eps: epsilon, delta: delta, s2: number=1) -> evidence",
			"The least standard deviation a coordinate, in the unit of s2, that makes a query of L2 sensitivity s2 (eps, delta)-differentially private: the analytic Gaussian mechanism. eps in nats, from 1e-300 to 1e20; delta from 1e-307 to below 1."+analytic,
			"print(gaussian_sigma(1, 1e-5))", func(c *script.Call) (any, error) {
				return gaussian.Sigma(c.Epsilon("eps"), c.Delta("delta"), c.Float("s2"))
			}),
		script.Func("gaussian_delta(eps: epsilon0, sigma: deviation, s2: number=1) -> evidence",
			"The least delta at which Gaussian noise of standard deviation sigma a coordinate makes a query of L2 sensitivity s2 (eps, delta)-differentially private: at eps 0 the total variation distance. eps in nats, at least 0."+analytic,
			"print(gaussian_delta(1, 3.73))", func(c *script.Call) (any, error) {
				if sigma, exact := c.Rational("sigma").Float64(); exact {
					return gaussian.Delta(c.Epsilon("eps"), sigma, c.Float("s2"))
				}
				return gaussian.DeltaAt(c.Epsilon("eps"), ratioOf(c)), nil
			}),
		script.Func("gaussian_epsilon(delta: delta0, sigma: deviation, s2: number=1) -> evidence",
			"The least eps ≥ 0, in nats, at which Gaussian noise of standard deviation sigma a coordinate makes a query of L2 sensitivity s2 (eps, delta)-differentially private. delta 0, for which no eps will do, or from 1e-307 to below 1; sigma at least s2/1e153."+analytic,
			"print(gaussian_epsilon(1e-5, 3.73))", func(c *script.Call) (any, error) {
				if sigma, exact := c.Rational("sigma").Float64(); exact {
					return gaussian.Epsilon(c.Delta("delta"), sigma, c.Float("s2"))
				}
				return gaussian.EpsilonAt(c.Delta("delta"), ratioOf(c))
			}),
	}
}

// ratioOf encloses s2 over a sigma that is no float64.
func ratioOf(c *script.Call) interval.Interval {
	s2 := c.Float("s2")
	if !(s2 > 0) || math.IsInf(s2, 1) {
		c.Fail("s2", c.Value("s2"), "a positive finite number")
	}
	return interval.Float(s2).Quo(interval.Rat(c.Rational("sigma")))
}
