package xor

import (
	"fmt"
	"math"
	"math/bits"

	"dpworkbench/internal/parameter"
)

// MaxStates is the largest number of bits whose states are enumerated.
const MaxStates = 36

// lowBits is the largest number of bits whose weights are one vector. A vector of 2¹⁰ weights, its ratios and the
// child's vector fit the first-level cache.
const lowBits = 10

// split is the law of d bits, divided into low and high bits. The 2^L weights of the L low bits are one vector. The
// patterns of the high bits are visited one after the other. Setting high bit k multiplies the vector by c_k·ratio_k,
// where c_k depends on the other high bits alone and ratio_k[l] = ∏_{j∈l} e^{2Π_jk}. No exponential is computed on the
// way. Every number is the weight of some state, so nothing overflows unless a weight does.
//
// The vector is sorted by the number of ones, so the sums of its classes are the law of the number of ones.
type split struct {
	low, high int
	order     []uint32        // order[i]: the low pattern in place i; sorted by number of ones
	ends      []int           // patterns with c ones are order[ends[c-1]:ends[c]]
	base      []scaledFloat   // weights of the low patterns with no high bit set
	ratio     [][]scaledFloat // ratio[k][i]: one vector for each high bit k
	diag      []scaledFloat   // e^{Π_kk} of the high bits
	cross     [][]scaledFloat // cross[j][k] = e^{2Π_jk} among the high bits
	factors   int             // factors in the longest product

	first       int     // number of high bits whose patterns divide the work into tasks
	least, most float64 // bounds of all states' exponents, in nats
}

// checkStates returns an error above MaxStates bits, which states the number of states and the time that they would
// take.
func checkStates(bits int) error {
	if bits <= MaxStates {
		return nil
	}
	states := math.Ldexp(1, bits)
	return parameter.Errorf("%d bits have 2^%d = %.3g states, about %s at a nanosecond each, want at most %d bits", bits, bits, states, span(states*1e-9), MaxStates)
}

// newSplit prepares the law with the given diagonal and full rows, whose diagonal is ignored. At most low of its bits
// are in the vector. It returns the error of checkStates, and one wrapping evidence.ErrParameter if the entries sum to
// more than 2⁶⁰.
func newSplit(diag []float64, rows [][]float64, low int) (*split, error) {
	d := len(diag)
	if err := checkExponents(diag, rows); err != nil {
		return nil, err
	}
	exp := expCache{}
	s := &split{low: min(d, low), factors: d * (d + 1) / 2}
	s.high = d - s.low
	s.first = min(s.high, 7)
	s.least, s.most = exponentBounds(diag, rows)
	s.sort()

	size := 1 << s.low
	plain := make([]scaledFloat, size)
	pull := make([]scaledFloat, size)
	plain[0] = scaledOne
	for k := range s.low {
		s.products(pull, rows[k], k, exp)
		own := exp.of(diag[k])
		for l := range 1 << k {
			plain[l|1<<k] = plain[l].mul(own).mul(pull[l])
		}
	}
	s.base = s.sorted(plain)
	for k := s.low; k < d; k++ {
		s.products(pull, rows[k], s.low, exp)
		s.ratio = append(s.ratio, s.sorted(pull))
		s.diag = append(s.diag, exp.of(diag[k]))
		row := make([]scaledFloat, s.high)
		for j := s.low; j < d; j++ {
			if j != k {
				row[j-s.low] = exp.of(2 * rows[k][j])
			}
		}
		s.cross = append(s.cross, row)
	}
	return s, nil
}

// checkExponents returns an error wrapping evidence.ErrParameter if an exponent bᵀΠb may be outside ±2⁶⁰ nats.
func checkExponents(diag []float64, rows [][]float64) error {
	var total float64
	for k, v := range diag {
		total += math.Abs(v)
		for j, v := range rows[k] {
			if j != k {
				total += math.Abs(v)
			}
		}
	}
	if !(total <= maxExponent) {
		return parameter.Errorf("exponents bᵀΠb may reach %.3g nats, want at most %.3g to compute weights of states", total, float64(maxExponent))
	}
	return nil
}

// products sets dst[l] = ∏_{j∈l} e^{2 row[j]} for the patterns of the first n bits.
func (s *split) products(dst []scaledFloat, row []float64, n int, exp expCache) {
	dst[0] = scaledOne
	for j := range n {
		f := exp.of(2 * row[j])
		for l := range 1 << j {
			dst[l|1<<j] = dst[l].mul(f)
		}
	}
}

// sort lists the low patterns by number of ones.
func (s *split) sort() {
	size := 1 << s.low
	s.ends = make([]int, s.low+1)
	for l := range size {
		s.ends[bits.OnesCount(uint(l))]++
	}
	next := make([]int, s.low+1)
	for c := range s.low {
		next[c+1] = s.ends[c]
		s.ends[c+1] += s.ends[c]
	}
	s.order = make([]uint32, size)
	for l := range size {
		c := bits.OnesCount(uint(l))
		s.order[next[c]] = uint32(l)
		next[c]++
	}
}

func (s *split) sorted(v []scaledFloat) []scaledFloat {
	out := make([]scaledFloat, len(v))
	for i, l := range s.order {
		out[i] = v[l]
	}
	return out
}

// relative bounds the relative error of every class sum computed from the vectors. A weight has at most 2·factors +
// 2·high roundings. The sum of a class has one rounding less than the largest class has terms. Each rounding is a
// factor 1 ± unit.
func (s *split) relative() float64 {
	largest := 0
	for c, end := range s.ends {
		if c > 0 {
			end -= s.ends[c-1]
		}
		largest = max(largest, end)
	}
	return gamma(2*s.factors + 3*s.high + largest + 16)
}

// gamma bounds |∏(1 + δ_i) − 1| for n roundings (Higham, Accuracy and Stability
// of Numerical Algorithms, 2nd ed., Lemma 3.1).
func gamma(n int) float64 {
	v := float64(n) * unit
	return v / (1 - v)
}

// span formats a duration in seconds that may exceed the largest time.Duration.
func span(seconds float64) string {
	switch {
	case seconds < 120:
		return fmt.Sprintf("%.3g s", seconds)
	case seconds < 2*86400:
		return fmt.Sprintf("%.3g hours", seconds/3600)
	case seconds < 2*365.25*86400:
		return fmt.Sprintf("%.3g days", seconds/86400)
	}
	return fmt.Sprintf("%.3g years", seconds/(365.25*86400))
}
