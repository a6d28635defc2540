package gaussian

import "math"

// The Mills ratio R(x) = (1 − Φ(x))/φ(x) = ∫₀^∞ exp(−xs − s²/2) ds and its
// derivatives v_n = (−1)ⁿR⁽ⁿ⁾(x) = ∫₀^∞ sⁿ exp(−xs − s²/2) ds > 0. Integrating
// by parts, v_{n+1} = n v_{n−1} − x v_n, so the ratios q_n = v_n/v_{n−1} obey
//
//	q_n = n/(x + q_{n+1}),   R = 1/(x + q_1):
//
// Laplace's continued fraction yields R and every derivative without a subtraction. By Cauchy–Schwarz q_n ≤ q_{n+1}, so
// q_n(x + q_n) ≤ n and q_n ≤ U_n = 2n/(x + √(x² + 4n)).

const fractionFrom = 2.0 // the least x for which the continued fraction is used, in float64

// fractionTerms returns the number of terms that give full float64 precision at x ≥ fractionFrom, if the tail starts
// from its upper bound. Each step reduces the error of the tail by a factor of about exp(−x/√n), all steps together by
// exp(−2x√n).
func fractionTerms(x float64) int {
	r := 18 / x
	return int(r*r) + 9
}

// tail returns an approximation of q_n at x > 0 between n/(x + U_{n+1}) and U_n.
func tail(x float64, n int) float64 {
	k := float64(n)
	return k / (x + 2*(k+1)/(x+math.Sqrt(x*x+4*(k+1))))
}

// mills returns R(x) to a few units in the last place, for x ≥ −38.
func mills(x float64) float64 {
	if x >= 5 {
		n := fractionTerms(x)
		q := tail(x, n+1)
		for k := n; k >= 1; k-- {
			q = float64(k) / (x + q)
		}
		return 1 / (x + q)
	}
	// erfc and exp magnify the rounding errors of their arguments by about x². So both arguments have twice the precision:
	// x = √2(t + r).
	const sqrtHalf, sqrtHalfLow = 0.70710678118654757, -4.8336466567264567e-17
	t := x * sqrtHalf
	r := math.FMA(x, sqrtHalf, -t) + x*sqrtHalfLow
	square := t * t
	squareLow := math.FMA(t, t, -square) + 2*t*r
	erfc := math.Erfc(t) - 2/math.SqrtPi*math.Exp(-square)*r
	const sqrtHalfPi = 1.2533141373155003
	return sqrtHalfPi * (math.Exp(square) * (1 + squareLow)) * erfc
}

// millsDrop returns R(c−h) − R(c+h) for c = ε/μ ≥ 0, h > 0, to about ten units in the last place, and R(c+h).
//
// If the two ratios are close it sums 2 Σ v_k h^k/k! over odd k, whose terms are positive. Otherwise the subtraction
// loses less than a factor of six.
func millsDrop(c, h float64) (drop, high float64) {
	switch {
	case c >= fractionFrom && h <= c/4:
		return dropByFraction(c, h)
	case c < fractionFrom && h < 0.25:
		return dropByRecurrence(c, h)
	}
	high = mills(c + h)
	return mills(c-h) - high, high
}

// dropByFraction sums the series of millsDrop with the ratios of the continued fraction. The ratio of consecutive odd
// terms is at most (h/c)² ≤ 1/16.
func dropByFraction(c, h float64) (drop, high float64) {
	const kept = 32
	var q [kept]float64
	n := max(fractionTerms(c), kept)
	x := tail(c, n+1)
	for k := n; k >= kept; k-- {
		x = float64(k) / (c + x)
	}
	for k := kept - 1; k >= 1; k-- {
		x = float64(k) / (c + x)
		q[k] = x
	}
	value := 1 / (c + x)
	term, even := value*q[1]*h, value
	odd := term
	for k := 2; k+1 < kept; k += 2 {
		term *= q[k] * h / float64(k)
		even += term
		term *= q[k+1] * h / float64(k+1)
		odd += term
	}
	return 2 * odd, even - odd
}

// dropByRecurrence sums the series of millsDrop with v_{n+1} = n v_{n−1} − c v_n for c < 2, h < 1/4. The recurrence
// subtracts, but the factor h^k/k! reduces the errors of higher derivatives.
func dropByRecurrence(c, h float64) (drop, high float64) {
	prev := mills(c)
	cur := 1 - c*prev // cancels by less than a factor of six below c = 2
	even, odd := prev, 0.0
	power := h
	for k := 1; k <= 13; k++ {
		if k%2 == 1 {
			odd += cur * power
		} else {
			even += cur * power
		}
		prev, cur = cur, float64(k)*prev-c*cur
		power *= h / float64(k+1)
	}
	return 2 * odd, even - odd
}
