// Package signrp holds private random projections and private signs of random
// projections: DP-RP, DP-OPORP, DP-SignRP and iDP-SignRP (Sign projections,
// Appendices A to E), with the privacy that each of them really has.
//
// A data vector u lies in [−1, 1]^p. Its β-neighbors lie there too and differ
// from it in one coordinate by at most β. A [Projection] W takes u to the k
// numbers x = Wᵀu/√k; OPORP takes it to k sums of ±u_i over bins, unscaled. A
// [Release] makes x private.
//
// # Three readings of privacy
//
// The published statements mix three things, which this package keeps apart and
// labels:
//
//   - individual ([Release.PairEpsilon], [Release.NeighborEpsilon],
//     [Release.PairDelta]): W is public and fixed, and so is u; only u's own
//     neighbors count. The released bits are then independent Bernoulli
//     variables whose parameters depend on u.
//   - public W ([Release.PublicEpsilon], [Release.PublicDelta]): W is public and
//     fixed, and every pair of neighbors in [−1, 1]^p counts. This is
//     differential privacy.
//   - random W ([RandomWDelta]): probabilities are over W too, and W is part of
//     what the adversary sees. What a proof by counting sign changes establishes
//     here is stated there.
//
// The iDP releases have only the first reading, and carry [IndividualLabel].
//
// The algorithms that the appendix refers to but does not print are
// reconstructed; docs/signrp.md gives the lines each is inferred from.
package signrp

import (
	"math"

	"dpworkbench/internal/parameter"
)

// Paper names the source in evidence.
const Paper = "Sign projections"

// IndividualLabel is what every iDP release carries, in its evidence and in
// print.
const IndividualLabel = "individual, data-dependent: not differential privacy"

const (
	ulp  = 0x1p-53
	tiny = 0x1p-1000
)

func checkPositive(name string, v float64) error {
	if !(v > 0) || math.IsInf(v, 1) {
		return parameter.Errorf("%s = %g, want a positive finite number", name, v)
	}
	return nil
}

func checkDelta(delta float64) error {
	if err := parameter.OpenUnit("delta", delta); err != nil {
		return err
	}
	return nil
}

// CheckVector returns an error wrapping evidence.ErrParameter unless u has p
// entries, all in [−1, 1].
func CheckVector(name string, u []float64, p int) error {
	if len(u) != p {
		return parameter.Errorf("%s has %d entries, want p = %d", name, len(u), p)
	}
	if allWithin(u) {
		return nil
	}
	for i, v := range u {
		if !(math.Abs(v) <= 1) {
			return parameter.Errorf("%s[%d] = %g, want a number in [-1, 1]", name, i, v)
		}
	}
	return nil
}

// allWithinGo is allWithin in Go. As whole numbers, float64s without their sign
// order like their sizes, NaN above all: 1 − |v| has its top bit set where v is
// outside.
func allWithinGo(u []float64) bool {
	const one = 0x3FF0_0000_0000_0000
	outside := uint64(0)
	for _, v := range u {
		outside |= one - math.Float64bits(v)&^(1<<63)
	}
	return outside>>63 == 0
}

// Clip returns u with every entry moved to the nearest number of [−1, 1]. It
// returns an error wrapping evidence.ErrParameter where an entry is NaN.
func Clip(name string, u []float64) ([]float64, error) {
	out := make([]float64, len(u))
	for i, v := range u {
		if math.IsNaN(v) {
			return nil, parameter.Errorf("%s[%d] = NaN, want a number", name, i)
		}
		out[i] = math.Max(-1, math.Min(1, v))
	}
	return out, nil
}
