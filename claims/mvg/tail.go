package mvg

import (
	"context"
	"math"
	"math/rand/v2"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// tailChecks returns the checks of Lemma 1, which defines ζ(δ) of Table 1.
func tailChecks() check.Checks {
	return check.Checks{
		"mvg.zeta": check.Loose(check.WithCorrection(tailBound(printedZeta), tailBound(laurentMassart)), tailEvidence),
	}
}

// chiCase is the number mn of normal entries and δ.
type chiCase struct {
	size  int // mn
	delta float64
}

// laurentMassart reads the expression of Table 1 as ζ²: mn + 2√(mn t) + 2t with t = −ln δ (Laurent and Massart, Ann.
// Statist. 28, 2000, Lemma 1).
func laurentMassart(c chiCase) interval.Interval {
	t, size := interval.Float(c.delta).Log().Neg(), interval.Int(int64(c.size))
	two := interval.Int(2)
	return size.Add(two.Mul(size.Mul(t).Sqrt())).Add(two.Mul(t))
}

// printedZeta reads the expression of Table 1 as ζ, as printed, and returns its square.
func printedZeta(c chiCase) interval.Interval { return laurentMassart(c).Pow(2) }

// tailBound checks that Pr[‖N‖² > square] ≤ δ. Its evidence is the ratio of the probability to δ.
func tailBound(square func(c chiCase) interval.Interval) check.Checker {
	return func(ctx context.Context, run check.Run) (check.Outcome, error) {
		var slack seenRange
		out, err := check.Statement[chiCase]{
			Family: "mn in 1…40, δ in ½ … 10⁻¹²",
			Each: check.Grid(func(c *chiCase) []check.Axis {
				return []check.Axis{
					check.Span(&c.size, 1, 40),
					check.Over(&c.delta, 0.5, 0.1, 1e-2, 1e-4, 1e-8, 1e-12),
				}
			}),
			Draw: func(rng *rand.Rand) chiCase {
				return chiCase{(1 + rng.IntN(20)) * (1 + rng.IntN(20)), math.Exp(-25 * rng.Float64())}
			},
			Holds: func(c chiCase) bool {
				tail := chiSquareTail(c.size, square(c))
				lo, hi := tail.Quo(interval.Float(c.delta)).Bounds()
				slack.see(lo, hi)
				return check.AtMost(lo, hi, 1)
			},
		}.Check(ctx, run)
		out.Evidence = append(out.Evidence, slack.most("probability beyond ζ over δ"))
		return out, err
	}
}

// tailEvidence compares both interpretations of ζ² with the quantile that they bound, at the size and δ of Experiment
// I.
func tailEvidence(context.Context) []check.Item {
	c := chiCase{6 * 248, 1.0 / 248}
	// A point is below the quantile if the tail there is certainly above δ, and above the quantile if it is certainly
	// not.
	bisect := func(above func(low, high float64) bool) (lo, hi float64) {
		lo, hi = float64(c.size), 2*float64(c.size)
		for range 40 {
			mid := (lo + hi) / 2
			if above(chiSquareTail(c.size, interval.Float(mid)).Bounds()) {
				lo = mid
			} else {
				hi = mid
			}
		}
		return lo, hi
	}
	least, _ := bisect(func(low, _ float64) bool { return low > c.delta })
	_, most := bisect(func(_, high float64) bool { return high > c.delta })
	quantile := interval.Between(least, most)
	const method, source = "tails with outward rounding, bisected", "chi-square law"
	return []check.Item{
		{Label: "mn = 1488, δ = 1/248: quantile of ‖N‖²", Number: evidence.Enclosed(quantile, method, source)},
		{Label: "mn = 1488, δ = 1/248: ζ² over it, ζ² as Laurent and Massart", Number: evidence.Enclosed(laurentMassart(c).Quo(quantile), method, source)},
		{Label: "mn = 1488, δ = 1/248: ζ² over it, ζ as printed", Number: evidence.Enclosed(printedZeta(c).Quo(quantile), method, source)},
	}
}

// chiSquareTail encloses Pr[χ² > x] for k degrees of freedom. With y = x/2 it is
// Σ_{j < k/2} e^{−y} y^j/j! where k is even, and erfc(√y) + Σ e^{−y} y^j/Γ(j + 1)
// over j = 1/2, 3/2, … < k/2 where it is odd.
func chiSquareTail(k int, x interval.Interval) interval.Interval {
	y := x.Quo(interval.Int(2))
	weight := y.Neg().Exp()
	if k%2 == 0 {
		sum := interval.Int(0)
		for j := range k / 2 {
			if j > 0 {
				weight = weight.Mul(y).Quo(interval.Int(int64(j)))
			}
			sum = sum.Add(weight)
		}
		return sum
	}
	sum := enclosedErfc(y)
	weight = weight.Mul(y.Quo(interval.Pi()).Sqrt()).Mul(interval.Int(2)) // j = 1/2
	for j := 1; j < k; j += 2 {
		sum = sum.Add(weight)
		weight = weight.Mul(y).Mul(interval.Int(2)).Quo(interval.Int(int64(j + 2)))
	}
	return sum
}

// enclosedErfc encloses erfc(√y). Up to y = 60 it uses erf(z) = (2/√π) e^{−z²} Σ 2^n z^{2n+1}/(2n+1)!!, where the
// subtraction leaves more than a hundred bits. Beyond, it uses 1/(z + √(z² + 2)) < e^{z²} ∫_z^∞ e^{−t²} dt ≤ 1/(z +
// √(z² + 4/π)) (Abramowitz and Stegun, 7.1.13).
func enclosedErfc(y interval.Interval) interval.Interval {
	z, two := y.Sqrt(), interval.Int(2)
	factor := two.Mul(y.Neg().Exp()).Quo(interval.Pi().Sqrt())
	if lo, hi := y.Bounds(); hi > 60 || lo <= 0 {
		low := factor.Quo(z.Add(y.Add(two).Sqrt()))
		high := factor.Quo(z.Add(y.Add(interval.Int(4).Quo(interval.Pi())).Sqrt()))
		return interval.Hull(low, high)
	}
	_, top := y.Bounds()
	term, sum := z, interval.Int(0)
	n := int64(0)
	for ; n < 400; n++ {
		sum = sum.Add(term)
		term = term.Mul(two).Mul(y).Quo(interval.Int(2*n + 3))
	}
	// The rest of the series is at most twice its first term, because each term is less than half the previous one from
	// n = 4y on.
	if float64(n) < 4*top {
		panic("claims: enclosedErfc: y is above 100, want y ≤ 100 for 400 terms of the series")
	}
	sum = interval.Hull(sum, sum.Add(two.Mul(term)))
	return interval.Int(1).Sub(factor.Mul(sum))
}
