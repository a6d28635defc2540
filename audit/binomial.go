package audit

import (
	"math"

	"dpworkbench/interval"
)

// logSqrtTwoPi encloses ln √(2π).
var logSqrtTwoPi = interval.Pi().Mul(interval.Int(2)).Sqrt().Log()

// logFactorial encloses ln n!: as a sum of logarithms up to 20, and above by Stirling's series, whose remainder lies
// between zero and the first omitted term (DLMF 5.11(ii)).
func logFactorial(n int64) interval.Interval {
	if n <= 20 {
		f := int64(1)
		for k := int64(2); k <= n; k++ {
			f *= k
		}
		return interval.Int(f).Log()
	}
	k := interval.Int(n)
	log := k.Log()
	v := k.Mul(log).Sub(k).Add(logSqrtTwoPi).Add(log.Quo(interval.Int(2)))
	v = v.Add(interval.Int(1).Quo(interval.Int(12).Mul(k)))
	v = v.Sub(interval.Int(1).Quo(interval.Int(360).Mul(k.Pow(3))))
	return v.Add(interval.Hull(interval.Int(0), interval.Int(1).Quo(interval.Int(1260).Mul(k.Pow(5)))))
}

// logChoose encloses ln C(n, c).
func logChoose(n, c int64) interval.Interval {
	return logFactorial(n).Sub(logFactorial(c)).Sub(logFactorial(n - c))
}

// logMass encloses ln Pr[Bin(n, p) = c] for 0 < p < 1. The argument choose is ln C(n, c).
func logMass(choose interval.Interval, n, c int64, p float64) interval.Interval {
	v := choose
	if c > 0 {
		v = v.Add(interval.Int(c).Mul(interval.Float(p).Log()))
	}
	if c < n {
		v = v.Add(interval.Int(n - c).Mul(interval.Int(1).Sub(interval.Float(p)).Log()))
	}
	return v
}

// tailAbove returns an upper bound on Pr[Bin(n, p) ≥ c]/Pr[Bin(n, p) = c], tight up to rounding, for c ≥ 1 and 0 <
// p ≤ c/n.
func tailAbove(n, c int64, p float64) float64 { return tailFrom(n, c, p/(1-p)) }

// tailBelow returns an upper bound on Pr[Bin(n, p) ≤ c]/Pr[Bin(n, p) = c], as tailAbove does, by counting failures.
func tailBelow(n, c int64, p float64) float64 { return tailFrom(n, n-c, (1-p)/p) }

// tailFrom returns tailAbove for p = odds/(1 + odds): it sums products of ratios of adjacent probabilities.
//
// Each step makes at most 5 rounding errors of relative size 2⁻⁵³ (the odds have two). The omitted terms decrease at
// least as fast as a geometric series.
func tailFrom(n, c int64, odds float64) float64 {
	sum, term := 1.0, 1.0
	steps := 0.0
	for k := c; k < n; k++ {
		ratio := float64(n-k) / float64(k+1) * odds
		term *= ratio
		sum += term
		steps++
		if term < sum*1e-17 && ratio < 1 {
			sum += term * ratio / (1 - ratio)
			break
		}
	}
	return sum * (1 + (6*steps+16)*0x1p-52)
}

// logMassFloat is logMass in float64, with an error of about 1e-9.
func logMassFloat(choose float64, n, c int64, p float64) float64 {
	return choose + float64(c)*math.Log(p) + float64(n-c)*math.Log1p(-p)
}

// binomialLower returns a lower confidence bound at level 1 − beta on the success probability, after c successes in n
// trials, 0 ≤ c ≤ n (Clopper and Pearson 1934). At the returned p, Pr[Bin(n, p) ≥ c] ≤ beta, which is checked with
// outward rounding. The bound is within about 1e-9 of the largest such p.
func binomialLower(c, n int64, beta float64) float64 {
	if c == 0 {
		return 0
	}
	return binomialBound(c, n, beta, tailAbove, 0, float64(c)/float64(n))
}

// binomialUpper returns an upper confidence bound in the same way, from Pr[Bin(n, p) ≤ c] ≤ beta.
func binomialUpper(c, n int64, beta float64) float64 {
	if c == n {
		return 1
	}
	return binomialBound(c, n, beta, tailBelow, 1, float64(c)/float64(n))
}

// binomialBound returns a p between near and far, at which the tail probability is at most beta. It bisects in float64,
// then moves p towards far until outward rounding confirms the bound. The tail is small at far.
func binomialBound(c, n int64, beta float64, tail func(n, c int64, p float64) float64, far, near float64) float64 {
	choose := logChoose(n, c)
	approximate := choose.Mid()
	target := math.Log(beta)
	above := func(p float64) bool { // the tail probability exceeds beta, up to rounding
		return logMassFloat(approximate, n, c, p)+math.Log(tail(n, c, p)) > target
	}
	bad, good := near, far
	for {
		p := good + (bad-good)/2
		if p == good || p == bad || math.Abs(bad-good) < 1e-11*math.Min(p, 1-p) {
			break
		}
		if above(p) {
			bad = p
		} else {
			good = p
		}
	}
	for step := 1e-11; step < 1; step *= 4 {
		p := good
		if p == far {
			return far
		}
		_, mass := logMass(choose, n, c, p).Exp().Bounds()
		if math.Nextafter(mass*tail(n, c, p), math.Inf(1)) <= beta {
			return p
		}
		move := step * math.Min(p, 1-p)
		if far == 0 {
			good = math.Nextafter(p-move, 0)
		} else {
			good = math.Nextafter(p+move, 1)
		}
	}
	return far
}
