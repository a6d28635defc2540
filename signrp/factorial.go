package signrp

import (
	"math/big"
	"sync"

	"dpworkbench/interval"
)

var pi = interval.Pi()

// stirlingTerms is the number of terms of Stirling's series, and stirlingFrom the n from which the next term is
// below 2⁻²⁵⁶.
const (
	stirlingTerms = 22
	stirlingFrom  = 256
)

// stirling returns B_2j/(2j(2j − 1)) for j = 1, …, stirlingTerms + 1.
var stirling = sync.OnceValue(func() []interval.Interval {
	const n = 2 * (stirlingTerms + 1)
	bernoulli := interval.Bernoulli(n)
	var out []interval.Interval
	for j := 1; 2*j <= n; j++ {
		out = append(out, interval.Rat(new(big.Rat).Quo(bernoulli[2*j], big.NewRat(int64(2*j*(2*j-1)), 1))))
	}
	return out
})

// logFactorial encloses ln n!, n ≥ 0. For small n it takes the logarithm of the product. For larger n it uses
// Stirling's series (n + ½) ln n − n + ½ ln 2π + Σ_j B_2j/(2j(2j − 1)n^{2j−1}). Its remainder has the sign of the first
// omitted term and is smaller in size.
func logFactorial(n int) interval.Interval {
	if n < stirlingFrom {
		return interval.Rat(new(big.Rat).SetInt(new(big.Int).MulRange(1, int64(n)))).Log()
	}
	x, half := interval.Int(int64(n)), interval.Rat(big.NewRat(1, 2))
	sum := x.Add(half).Mul(x.Log()).Sub(x).Add(half.Mul(pi.Mul(interval.Int(2)).Log()))
	power, square := interval.Int(1).Quo(x), interval.Int(1).Quo(x.Mul(x))
	terms := stirling()
	for _, b := range terms[:stirlingTerms] {
		sum = sum.Add(b.Mul(power))
		power = power.Mul(square)
	}
	return interval.Hull(sum, sum.Add(terms[stirlingTerms].Mul(power)))
}
