package signrp

import (
	"cmp"
	"math"
	"math/big"
	"sort"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
)

// ChernoffCount returns N₊ of Proposition 4.4 from the probability P that one sign is within reach of a neighbor:
// the minimum of k and ⌊Pk + ½(ln(1/δ) + √(ln²(1/δ) + 8Pk ln(1/δ)))⌋. The probability that more than N₊ of k
// independent events happen is at most δ. A count is an integer, so the bound is rounded down. P depends on the
// private ‖u‖. P is read as its shortest decimal.
//
// It returns an error wrapping evidence.ErrParameter unless 0 ≤ P ≤ 1, k ≥ 1 and 0 < δ < 1.
func ChernoffCount(probability float64, k int, delta evidence.Delta) (int, error) {
	if err := cmp.Or(checkTrials(probability, k), delta.Positive("delta")); err != nil {
		return 0, err
	}
	return chernoffCount(probability, k, delta), nil
}

// chernoffCount is ChernoffCount without checks.
func chernoffCount(probability float64, k int, delta evidence.Delta) int {
	mean := interval.Rat(exactDecimal(probability)).Mul(interval.Int(int64(k)))
	l := delta.Enclosure().Log().Neg()
	root := l.Mul(l).Add(mean.Mul(l).Mul(interval.Int(8))).Sqrt()
	_, bound := mean.Add(l.Add(root).Quo(interval.Int(2))).Bounds()
	return max(1, int(math.Min(float64(k), math.Floor(bound))))
}

// BinomialCount returns the least n ≥ 1 with Pr(Bin(k, P) > n) ≤ δ, which ChernoffCount bounds. Errors are those of
// ChernoffCount.
func BinomialCount(probability float64, k int, delta evidence.Delta) (int, error) {
	if err := cmp.Or(checkTrials(probability, k), delta.Positive("delta")); err != nil {
		return 0, err
	}
	if probability == 0 {
		return 1, nil
	}
	if probability == 1 {
		return k, nil
	}
	b := newBinomial(exactDecimal(probability), k)
	q, most := delta.Rat(), delta.Enclosure()
	n := 1 + sort.Search(k-1, func(n int) bool { // n = k always satisfies it
		tail := b.above(n + 1)
		return tail.Less(most) || !most.Less(tail) && b.atMost(n+1, q)
	})
	return n, nil
}

// RandomWDelta encloses Pr(Bin(k, P) > n), for privacy with random W. W is random and visible to the adversary. Suppose
// that P ≥ P₊ bounds the probability for one sign. Then with at most this probability a vector u and its neighbors have
// more than n signs in reach of each other. So randomised response with a public ε' = ε/n, chosen without looking at u,
// is (ε, δ)-private over W and flips together, at that u.
//
// The published choice n = N₊(‖u‖) depends on u. A neighbor with another norm has another ε', on all k signs, which the
// proof of Proposition 4.4 does not count.
//
// It returns an error wrapping evidence.ErrParameter unless 0 ≤ P ≤ 1, k ≥ 1 and 0 ≤ n ≤ k.
func RandomWDelta(probability *big.Rat, k, n int) (evidence.Certified, error) {
	one := big.NewRat(1, 1)
	if probability.Sign() < 0 || probability.Cmp(one) > 0 {
		return evidence.Certified{}, parameter.Bad("probability", probability, "0 <= probability <= 1")
	}
	if err := checkShape(1, k); err != nil {
		return evidence.Certified{}, err
	}
	if n < 0 || n > k {
		return evidence.Certified{}, parameter.Bad("n", n, "0 <= n <= k = %d", k)
	}
	const method, source = "binomial tail, 256-bit outward rounding", Paper + ", Proposition 4.4, reading (iii): random W"
	tail := interval.Int(0)
	switch {
	case probability.Sign() == 0 || n == k:
	case probability.Cmp(one) == 0:
		tail = interval.Int(1)
	default:
		tail = newBinomial(probability, k).above(n)
	}
	out := evidence.EnclosedLoss(tail, method, source)
	out.Hi = min(out.Hi, 1)
	return out, nil
}

// binomial is Bin(k, P), 0 < P < 1.
type binomial struct {
	k     int
	exact *big.Rat          // P
	p, q  interval.Interval // P and 1 − P
	odds  interval.Interval
}

func newBinomial(p *big.Rat, k int) binomial {
	q := new(big.Rat).Sub(big.NewRat(1, 1), p)
	b := binomial{k: k, exact: p, p: interval.Rat(p), q: interval.Rat(q)}
	b.odds = b.p.Quo(b.q)
	return b
}

// chance encloses Pr(m) = C(k, m) Pᵐ (1 − P)ᵏ⁻ᵐ.
func (b binomial) chance(m int) interval.Interval {
	choose := logFactorial(b.k).Sub(logFactorial(m)).Sub(logFactorial(b.k - m))
	powers := b.p.Log().Mul(interval.Int(int64(m))).Add(b.q.Log().Mul(interval.Int(int64(b.k - m))))
	return choose.Add(powers).Exp()
}

// atMost decides Pr(Bin > n) ≤ δ, in rationals if the enclosure does not decide. A sum that equals δ has a denominator
// that divides δ's, so k is small.
func (b binomial) atMost(n int, delta *big.Rat) bool {
	const most = 1 << 11
	if b.k > most {
		return false
	}
	sum := new(big.Rat)
	ratio := new(big.Rat).Sub(big.NewRat(1, 1), b.exact)
	for m := n + 1; m <= b.k; m++ {
		term := new(big.Rat).SetInt(new(big.Int).Binomial(int64(b.k), int64(m)))
		sum.Add(sum, term.Mul(term, new(big.Rat).Mul(interval.RationalPower(b.exact, big.NewInt(int64(m))), interval.RationalPower(ratio, big.NewInt(int64(b.k-m))))))
	}
	return sum.Cmp(delta) <= 0
}

// above encloses Pr(Bin > n), 0 ≤ n < k. It sums the terms beyond n if they decrease; otherwise it subtracts the
// other terms from 1.
func (b binomial) above(n int) interval.Interval {
	mean, _ := b.p.Mul(interval.Int(int64(b.k))).Bounds()
	if float64(n)+1 >= mean {
		return b.sum(n+1, 1)
	}
	return interval.Max(interval.Int(0), interval.Int(1).Sub(b.sum(n, -1)))
}

// sum encloses Pr(m) + Pr(m + step) + … to the last term, where the terms from m on must decrease. The omitted terms
// add less than the last summed term times r/(1 − r), where r is the next ratio of two terms, because the ratios
// decrease.
func (b binomial) sum(m, step int) interval.Interval {
	term := b.chance(m)
	total := term
	for {
		ratio := interval.Int(int64(b.k - m)).Quo(interval.Int(int64(m + 1))).Mul(b.odds)
		if step < 0 {
			ratio = interval.Int(int64(m)).Quo(interval.Int(int64(b.k - m + 1))).Quo(b.odds)
		}
		if m += step; m < 0 || m > b.k {
			return total
		}
		term = term.Mul(ratio)
		total = total.Add(term)
		if term.Mul(interval.Float(0x1p200)).Less(total) && ratio.Less(interval.Float(0.999999)) {
			rest := term.Mul(ratio).Quo(interval.Int(1).Sub(ratio))
			return interval.Hull(total, total.Add(rest))
		}
	}
}

func checkTrials(probability float64, k int) error {
	if err := parameter.Unit("probability", probability); err != nil {
		return err
	}
	return checkShape(1, k)
}
