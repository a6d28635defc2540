package repl

import (
	"dpworkbench/gaussian"
	"dpworkbench/interval"
	"dpworkbench/script"
)

// gaussianBuiltins returns the analytic Gaussian mechanism.
func gaussianBuiltins() []script.Builtin {
	const analytic = " Source: Balle and Wang, arXiv:1805.06530v2, Theorem 8. Certified, an enclosure at most three units in the last place wide (wider only for delta above 1 − 1e-10); its value is the end on the safe side."
	return []script.Builtin{
		script.Func("gaussian_sigma(eps: epsilon, delta: delta, s2: deviation=1) -> evidence",
			"The least standard deviation of the noise on each coordinate, in the unit of s2, that makes a query of L2 sensitivity s2 (eps, delta)-differentially private: the analytic Gaussian mechanism. eps in nats, from 1e-300 to 1e20; delta from 1e-307 to below 1."+analytic,
			"print(gaussian_sigma(1, 1e-5))", func(c *script.Call) (any, error) {
				if s2, exact := c.Rational("s2").Float64(); exact {
					return gaussian.Sigma(c.Epsilon("eps"), c.Delta("delta"), s2)
				}
				return gaussian.SigmaAt(c.Epsilon("eps"), c.Delta("delta"), interval.Rat(c.Rational("s2")))
			}),
		script.Func("gaussian_delta(eps: epsilon0, sigma: deviation, s2: deviation=1) -> evidence",
			"The least delta at which Gaussian noise of standard deviation sigma on each coordinate makes a query of L2 sensitivity s2 (eps, delta)-differentially private: at eps 0 the total variation distance. eps in nats, at least 0."+analytic,
			"print(gaussian_delta(1, 3.73))", func(c *script.Call) (any, error) {
				if sigma, s2, exact := plainSizes(c); exact {
					return gaussian.Delta(c.Epsilon("eps"), sigma, s2)
				}
				return gaussian.DeltaAt(c.Epsilon("eps"), ratioOf(c)), nil
			}),
		script.Func("gaussian_epsilon(delta: delta0, sigma: deviation, s2: deviation=1) -> evidence",
			"The least eps ≥ 0, in nats, at which Gaussian noise of standard deviation sigma on each coordinate makes a query of L2 sensitivity s2 (eps, delta)-differentially private. delta is 0, for which no eps is enough, or from 1e-307 to below 1; sigma at least s2/1e153."+analytic,
			"print(gaussian_epsilon(1e-5, 3.73))", func(c *script.Call) (any, error) {
				if sigma, s2, exact := plainSizes(c); exact {
					return gaussian.Epsilon(c.Delta("delta"), sigma, s2)
				}
				return gaussian.EpsilonAt(c.Delta("delta"), ratioOf(c))
			}),
	}
}

// plainSizes returns sigma and s2 as floats. exact reports whether no rounding was needed.
func plainSizes(c *script.Call) (sigma, s2 float64, exact bool) {
	sigma, one := c.Rational("sigma").Float64()
	s2, other := c.Rational("s2").Float64()
	return sigma, s2, one && other
}

// ratioOf encloses s2 over sigma.
func ratioOf(c *script.Call) interval.Interval {
	return interval.Rat(c.Rational("s2")).Quo(interval.Rat(c.Rational("sigma")))
}
