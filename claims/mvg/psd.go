package mvg

import (
	"context"
	"math"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/interval"
	"dpworkbench/mvg"
)

// psdChecks returns the checks of the comparison of the conditions of Theorems 2 and 3.
func psdChecks() check.Checks {
	return check.Checks{
		"mvg.theorem4": check.Loose(forEveryOrder(moreForPSD(1, 12)), func(context.Context) []check.Item {
			k := tableOne(mvgCase{12, 12, math.Sqrt2, 1, 0.5})
			return []check.Item{{Label: "α − ω at r = 12, s₂ = √2γ, γ = 1 (12 cannot be lowered)", Number: evidence.Enclosed(k.alpha.Sub(k.omega), "outward rounding", "Theorem 4")}}
		}),
		"mvg.theorem4.proof": check.WithCorrection(largestRoot(printedRoot).Check, largestRoot(positiveRoot).Check),
	}
}

// forEveryOrder reports Theorem 4 as proved if its check confirms it up to r = 100 and two comparisons extend it to
// every r. The margin at r = 13, s₂ = √2γ is positive, and √13 > 2√2 − 1, so the margin increases from there.
func forEveryOrder(s check.Statement[psdCase]) check.Checker {
	return func(ctx context.Context, run check.Run) (check.Outcome, error) {
		out := check.Must(s.Check(ctx, run))
		k := tableOne(mvgCase{13, 13, math.Sqrt2, 1, 0.5})
		two := interval.Int(2)
		margin := k.h.Add(k.half).Sub(two.Mul(k.h).Mul(two.Sqrt()))
		growth := interval.Int(13).Sqrt().Sub(two.Mul(two.Sqrt()).Sub(interval.Int(1)))
		if m, _ := margin.Sign(); m > 0 && out.Verdict == evidence.Confirmed {
			if g, _ := growth.Sign(); g > 0 {
				out.Scope = "proved"
			}
		}
		return out, nil
	}
}

// psdCase is an order r and s₂/γ in percent, where 0 stands for √2.
type psdCase struct{ r, percent int }

func (c psdCase) ratio() float64 {
	if c.percent == 0 {
		return math.Sqrt2
	}
	return float64(c.percent) / 100
}

// moreForPSD states that α ≥ ω if s₂ ≤ share·γ or r > order.
func moreForPSD(share float64, order int) check.Statement[psdCase] {
	const most = 100
	h, half := make([]interval.Interval, most+1), make([]interval.Interval, most+1)
	h[0], half[0] = interval.Int(0), interval.Int(0)
	for r := 1; r <= most; r++ {
		x := interval.Int(int64(r))
		h[r] = h[r-1].Add(interval.Int(1).Quo(x))
		half[r] = half[r-1].Add(interval.Int(1).Quo(x.Sqrt()))
	}
	return check.Statement[psdCase]{
		Family: "r in 1…100, s₂/γ in 0.01, 0.02, … 1.41 and √2",
		Each: check.Grid(func(c *psdCase) []check.Axis {
			return []check.Axis{
				check.Span(&c.r, 1, most),
				check.Span(&c.percent, 0, 141),
				check.Where(func() bool { return c.r > 1 || c.percent > 0 && c.percent <= 100 }),
			}
		}),
		Holds: func(c psdCase) bool {
			if c.ratio() > share && c.r <= order {
				return true
			}
			s2 := interval.Int(2).Sqrt()
			if c.percent > 0 {
				s2 = interval.Int(int64(c.percent)).Quo(interval.Int(100))
			}
			// (α − ω)/γ² = H_r + H_{r,1/2} − 2 H_r s₂/γ
			lo, hi := interval.Int(2).Mul(h[c.r]).Mul(s2).Sub(h[c.r].Add(half[c.r])).Bounds() // −(α − ω)/γ²
			return check.AtMost(lo, hi, 0) && mvg.Theorem3Helps(c.r, 1, c.ratio())
		},
	}
}

// rootCase is a quadratic αφ² + βφ = 2ε.
type rootCase struct{ alpha, beta, eps int64 }

// discriminant returns √(β² + 8αε).
func (c rootCase) discriminant() interval.Interval {
	return interval.Int(c.beta*c.beta + 8*c.alpha*c.eps).Sqrt()
}

// printedRoot returns (18), 4ε/(β − √(β² + 8αε)). positiveRoot has a plus sign in place of the minus.
func printedRoot(c rootCase) interval.Interval {
	return interval.Int(4 * c.eps).Quo(interval.Int(c.beta).Sub(c.discriminant()))
}

func positiveRoot(c rootCase) interval.Interval {
	return interval.Int(4 * c.eps).Quo(interval.Int(c.beta).Add(c.discriminant()))
}

// largestRoot states that φ is positive and solves αφ² + βφ = 2ε, to 1e-60.
func largestRoot(phi func(c rootCase) interval.Interval) check.Statement[rootCase] {
	return check.Statement[rootCase]{
		Family: "whole α, β, ε up to 6",
		Each: check.Grid(func(c *rootCase) []check.Axis {
			return []check.Axis{
				check.Span(&c.alpha, 1, 6),
				check.Span(&c.beta, 1, 6),
				check.Span(&c.eps, 1, 6),
			}
		}),
		Holds: func(c rootCase) bool {
			x := phi(c)
			sign, _ := x.Sign()
			lo, hi := interval.Int(c.alpha).Mul(x).Mul(x).Add(interval.Int(c.beta).Mul(x)).Sub(interval.Int(2 * c.eps)).Bounds()
			return sign > 0 && lo > -1e-60 && hi < 1e-60
		},
		Witness: func(c rootCase) *check.Witness {
			return check.NewWitness(check.Named("alpha", c.alpha, "beta", c.beta, "eps", c.eps),
				check.Vars{"alpha": c.alpha, "beta": c.beta, "eps": c.eps},
				"a, b, e = {alpha}, {beta}, {eps}; phi = 4 * e / (b - math.sqrt(b * b + 8 * a * e))",
				"print(phi, (-b + math.sqrt(b * b + 8 * a * e)) / (2 * a), phi > 0)")
		},
	}
}
