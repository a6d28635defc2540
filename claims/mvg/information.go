package mvg

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"

	"dpworkbench/claims/check"
	"dpworkbench/mvg"
)

// mvgInformationChecks returns the checks of the statements of Section 10.3 about mutual information.
func mvgInformationChecks() check.Checks {
	return check.Checks{
		"mvg.lemma10.gaussian": gaussianInformation(powerToNoise).Check,
		"mvg.lemma10":          bestDesign(normalSignals, twoSignals.largestRatio).Check,
		"mvg.lemma10.others": check.Loose(underRatio(halfLogRatio).Check, func(context.Context) []check.Item {
			c := twoSignals{[2]bool{true, false}, [2]int64{4, 1}, 1}
			return c.items("f₁ = ±2, f₂ normal of variance 1, d = 1: ")
		}),
		"mvg.theorem8": check.Loose(
			check.WithCorrection(decomposable(mostAdditive()).Check, decomposable(gaussianCapacity).Check),
			func(context.Context) []check.Item { return nearCapacity() },
		),
		"mvg.theorem9": check.Loose(check.WithCorrection(leastLeakage().Check, normalLeakage(mixtureVariance).Check), func(context.Context) []check.Item {
			return append(leakCase{2, 2, 2}.items("X = ±1, noise ±2 with probability 1/32 each, else 0, plus a number uniform on a width of 0.1: "), everySum()...)
		}),
	}
}

// gaussianCase holds factors of the covariances of a signal and of noise.
type gaussianCase struct{ signal, noise intMatrix }

// powerToNoise returns |K + S|/|S|.
func powerToNoise(k, s, sum intMatrix) *big.Rat { return new(big.Rat).Quo(sum.det(), s.det()) }

// gaussianInformation states that e^{2I} is the given ratio, where I is the mutual information of a normal signal and
// its sum with normal noise.
func gaussianInformation(ratio func(k, s, sum intMatrix) *big.Rat) check.Statement[gaussianCase] {
	return check.Statement[gaussianCase]{
		Family: "pairs of triangular factors of orders 1 and 2, 1 or 2 on the diagonal, −1 … 1 below",
		Each: check.Grid(func(c *gaussianCase) []check.Axis {
			return []check.Axis{
				check.From(&c.signal, smallFactors),
				check.From(&c.noise, smallFactors),
				check.Where(func() bool { return len(c.signal) == len(c.noise) }),
			}
		}),
		Draw: func(rng *rand.Rand) gaussianCase {
			n := 1 + rng.IntN(3)
			for {
				c := gaussianCase{drawInts(rng, n, n, 4), drawInts(rng, n, n, 4)}
				if c.signal.det().Sign() != 0 && c.noise.det().Sign() != 0 {
					return c
				}
			}
		},
		Holds: func(c gaussianCase) bool {
			k, s := outerProduct(c.signal), outerProduct(c.noise)
			n := len(k)
			sum, joint := zeroMatrix(n, n), zeroMatrix(2*n, 2*n)
			for i := range n {
				for j := range n {
					sum[i][j] = k[i][j] + s[i][j]
					joint[i][j], joint[i][n+j], joint[n+i][j], joint[n+i][n+j] = k[i][j], k[i][j], k[i][j], sum[i][j]
				}
			}
			got := new(big.Rat).Mul(k.det(), sum.det())
			return got.Quo(got, joint.det()).Cmp(ratio(k, s, sum)) == 0
		},
	}
}

// twoSignals is two independent coordinates of f(X) and the budget of precision. A coordinate is normal or two-valued:
// plus or minus the root of its variance.
type twoSignals struct {
	signs    [2]bool // whether a coordinate is two-valued
	variance [2]int64
	budget   int64
}

// information returns the information, in nats, of the release with precisions p.
func (c twoSignals) information(p [2]float64) float64 {
	sum := 0.0
	for i, v := range c.variance {
		snr := float64(v) * p[i]
		if c.signs[i] {
			sum += information([]float64{-1, 1}, nil, 1/snr)
		} else {
			sum += math.Log1p(snr) / 2
		}
	}
	return sum
}

// signalLaws names the laws that a coordinate can have.
type signalLaws string

const (
	normalSignals signalLaws = "normal"
	bothSignals   signalLaws = "normal and ±"
)

// onArc yields 31 pairs of precisions that use the whole budget.
func (c twoSignals) onArc(yield func([2]float64) bool) {
	for i := 1; i < 32; i++ {
		a := math.Pi / 64 * float64(i)
		if !yield([2]float64{float64(c.budget) * math.Cos(a), float64(c.budget) * math.Sin(a)}) {
			return
		}
	}
}

// largestRatio solves Problem 1 for two directions. The Lagrange dual shows that ½ ln PNR is within informationError
// of the maximum.
func (c twoSignals) largestRatio() [2]float64 {
	w := check.Must(mvg.Waterfill([]float64{float64(c.variance[0]), float64(c.variance[1])}, float64(c.budget*c.budget), mvg.L2))
	return vouchedFor(w)
}

// vouchedFor returns the precisions of a solution. It ends the check with an error if the enclosure of the
// optimum is wider than informationError.
func vouchedFor(w *mvg.Waterfilling) [2]float64 {
	if !(w.Value.Hi-w.Value.Lo <= informationError) {
		check.Refuse("claims: the enclosure of ln PNR is %g wide, want at most %g", w.Value.Hi-w.Value.Lo, informationError)
	}
	return [2]float64(w.Precisions)
}

// bestDesign states that the design's precisions give the most information on the arc, up to the errors of the compared
// numbers and of the design.
func bestDesign(laws signalLaws, design func(twoSignals) [2]float64) check.Statement[twoSignals] {
	codes := 1
	if laws == bothSignals {
		codes = 4
	}
	signs := func(code int) [2]bool { return [2]bool{code&1 > 0, code&2 > 0} }
	return check.Statement[twoSignals]{
		Family: string(laws) + " coordinates of variances 1, 4, 16, d in 1, 2, 4",
		Each: check.Grid(func(c *twoSignals) []check.Axis {
			var code int
			var a, b int64
			return []check.Axis{
				check.Span(&code, 0, codes-1),
				check.Over(&a, 1, 4, 16),
				check.Over(&b, 1, 4, 16),
				check.Over(&c.budget, 1, 2, 4),
				check.Let(func() { c.signs, c.variance = signs(code), [2]int64{a, b} }),
			}
		}),
		Draw: func(rng *rand.Rand) twoSignals {
			return twoSignals{signs(rng.IntN(codes)), [2]int64{1 + rng.Int64N(50), 1 + rng.Int64N(50)}, 1 + rng.Int64N(9)}
		},
		Holds: func(c twoSignals) bool {
			p := design(c)
			best := c.information(p) + 5*informationError // errors of two coordinates on either side, and of the design
			for q := range c.onArc {
				if c.information(q) > best {
					return false
				}
			}
			return true
		},
	}
}

// halfLogRatio returns ½ ln PNR at precisions p.
func halfLogRatio(c twoSignals, p [2]float64) float64 {
	return (math.Log1p(float64(c.variance[0])*p[0]) + math.Log1p(float64(c.variance[1])*p[1])) / 2
}

// underRatio states that the information is at most a bound at all precisions on the arc.
func underRatio(bound func(twoSignals, [2]float64) float64) check.Statement[twoSignals] {
	s := bestDesign(bothSignals, twoSignals.largestRatio)
	s.Holds = func(c twoSignals) bool {
		for p := range c.onArc {
			if c.information(p) > bound(c, p)+2*informationError {
				return false
			}
		}
		return true
	}
	return s
}

// items returns the information at the largest power-to-noise ratio, and the most information on the arc.
func (c twoSignals) items(name string) []check.Item {
	p := c.largestRatio()
	best := 0.0
	for q := range c.onArc {
		best = math.Max(best, c.information(q))
	}
	return []check.Item{
		numberWithin(name+"information at the largest power-to-noise ratio, nats", c.information(p), 2*informationError, trapezoid, "Section 10.3.2"),
		numberWithin(name+"most information at 31 directions of p, nats", best, 2*informationError, trapezoid, "Section 10.3.2"),
	}
}
