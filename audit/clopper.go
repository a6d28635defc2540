package audit

import (
	"math"
)

// binomialLower returns a lower confidence bound at level 1 − beta on the
// success probability, after c successes in n trials: a p with
// Pr[Bin(n, p) ≥ c] ≤ beta, which is checked with outward rounding, and within
// about 1e-9 of the largest such p (Clopper and Pearson 1934). 0 ≤ c ≤ n.
func binomialLower(c, n int64, beta float64) float64 {
	if c == 0 {
		return 0
	}
	return binomialBound(c, n, beta, tailAbove, 0, float64(c)/float64(n))
}

// binomialUpper returns an upper confidence bound likewise: Pr[Bin(n, p) ≤ c] ≤ beta.
func binomialUpper(c, n int64, beta float64) float64 {
	if c == n {
		return 1
	}
	return binomialBound(c, n, beta, tailBelow, 1, float64(c)/float64(n))
}

// binomialBound finds the p between far and near, where tail is small at far,
// and moves it towards far until the bound is certain.
func binomialBound(c, n int64, beta float64, tail func(n, c int64, p float64) float64, far, near float64) float64 {
	choose := logChoose(n, c)
	approximate := choose.Mid()
	target := math.Log(beta)
	above := func(p float64) bool { // beta is exceeded, up to rounding
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
