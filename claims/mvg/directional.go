package mvg

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/interval"
	"dpworkbench/mvg"
	"dpworkbench/query"
)

// directionalChecks returns the checks of the statements about directional noise under exact privacy.
func directionalChecks() check.Checks {
	return check.Checks{
		"mvg.directional": func(ctx context.Context, run check.Run) (check.Outcome, error) {
			return check.WithException(lessNoise(ctx, tightVariances, boxSet).Check, lessNoise(ctx, tightVariances, ballSet, gramSet).Check)(ctx, run)
		},
		"mvg.directional.box": check.Loose(boxFilling(ownWeights).Check, func(context.Context) []check.Item {
			return boxCase{[]int64{1, 1}, []int64{1, 10}}.items("λ = (1, 1), h = (1, 10), μ = 1")
		}),
	}
}

// sensitivitySet names the set that contains all differences of neighboring answers.
type sensitivitySet string

const (
	boxSet  sensitivitySet = "box"
	ballSet sensitivitySet = "L2 ball"
	gramSet sensitivitySet = "Gram matrix, one record added"
)

// directionCase holds the shares of an allocation in percent, the largest first, a sensitivity set and (ε, δ).
type directionCase struct {
	set        sensitivitySet
	percent    []int
	widths     []float64 // half-widths of a box
	eps, delta float64
}

func (c directionCase) theta() []float64 {
	return lists.Of(len(c.percent), func(i int) float64 { return float64(c.percent[i]) / 100 })
}

func (c directionCase) sensitivity() mvg.Sensitivity {
	m := len(c.percent)
	switch c.set {
	case boxSet:
		return check.Must(mvg.NewBox(1, c.widths))
	case gramSet:
		return check.Must(mvg.NewGram(m, 1, query.AddRemove, 1))
	}
	return check.Must(mvg.NewBall(m, 1, mvg.BallOptions{S2: 1, Gamma: 1}))
}

// script returns the sensitivity set in the script language.
func (c directionCase) script() check.Code {
	m := len(c.percent)
	switch c.set {
	case boxSet:
		return check.Code(fmt.Sprintf("box_sensitivity(%d, 1, %s)", m, check.List(c.widths)))
	case gramSet:
		return check.Code(fmt.Sprintf("gram_sensitivity(%d, 1)", m))
	}
	return check.Code(fmt.Sprintf("l2_sensitivity(%d, 1, 1, 1)", m))
}

// tightVariances returns the variances of the directions under exact (ε, δ) accounting.
func tightVariances(ctx context.Context, c directionCase, theta []float64) []float64 {
	s := c.sensitivity()
	eps := check.Must(evidence.NewEpsilon("eps", c.eps))
	d := check.Must(mvg.NewTight(ctx, s, mvg.Params{Epsilon: eps, Delta: check.DeltaOf(c.delta), Theta: theta}))
	return d.Sigma().Variances()
}

// lessNoise states that the direction with the largest share has less variance than under uniform shares. For a ball or
// a Gram matrix the two variances are equal, because only 1/p_max counts. For a box the precisions are
// √θ_i·μ²/Σ(2h_j)²√θ_j. Uniform shares then give 1 + w₂(√θ₁ − √θ₂)/(w₁√θ₁ + w₂√θ₂) times the variance, with w_i =
// (2h_i)². This factor is at least 1 + 2e-6 for θ₁ ≥ .51 and widths within a factor e⁴. The tolerance of 1e-9 separates
// it from equal variances, which differ by rounding in float64.
func lessNoise(ctx context.Context, variances func(context.Context, directionCase, []float64) []float64, sets ...sensitivitySet) check.Statement[directionCase] {
	widths := func(m int) []float64 { return slices.Repeat([]float64{1}, m) }
	return check.Statement[directionCase]{
		Family: fmt.Sprintf("two and three directions, the first with 55 … 95 %% and the others equal, at (1, 1e-5) and (0.1, 0.01), for %v", sets),
		Each: check.Grid(func(c *directionCase) []check.Axis {
			var at [2]float64
			return []check.Axis{
				check.Over(&c.set, sets...),
				check.Over(&c.percent, []int{75, 25}, []int{55, 45}, []int{65, 35}, []int{85, 15}, []int{95, 5}, []int{60, 20, 20}, []int{80, 10, 10}),
				check.Over(&at, [2]float64{1, 1e-5}, [2]float64{0.1, 0.01}),
				check.Let(func() { c.widths, c.eps, c.delta = widths(len(c.percent)), at[0], at[1] }),
			}
		}),
		Draw: func(rng *rand.Rand) directionCase {
			c := directionCase{set: sets[rng.IntN(len(sets))], eps: math.Exp(rng.NormFloat64()), delta: math.Pow(10, -1-8*rng.Float64())}
			first := 51 + rng.IntN(48)
			c.percent, c.widths = []int{first, 100 - first}, []float64{math.Exp(4*rng.Float64() - 2), math.Exp(4*rng.Float64() - 2)}
			return c
		},
		Holds: func(c directionCase) bool {
			return variances(ctx, c, c.theta())[0] < variances(ctx, c, nil)[0]*(1-1e-9)
		},
		Witness: func(c directionCase) *check.Witness {
			theta := check.List(c.theta())
			return check.NewWitness(check.Named("sensitivity", c.set, "theta", theta, "eps", c.eps, "delta", c.delta),
				check.Vars{"set": c.script(), "eps": c.eps, "delta": c.delta, "theta": check.Code(theta)},
				`s = {set}; a = mvg(s, {eps}, {delta}, theta={theta}, condition="tight").row_variances[0]`,
				`b = mvg(s, {eps}, {delta}, condition="tight").row_variances[0]; print(a, b, a < b * (1 - 1e-9))`)
		},
	}
}

// boxCase is a spectrum 1/k_i and half-widths h_i of a box, with μ² = 1.
type boxCase struct{ inverses, widths []int64 }

// equalWeights treats all directions alike in the water-filling. ownWeights divides the level by (2h_i)².
func equalWeights(int64) int64 { return 1 }
func ownWeights(h int64) int64 { return 4 * h * h }

// fill returns the precisions (c/weight(h_i) − 1/λ_i)⁺ that use μ² = 1. The budget used, Σ (2h_i)²(c/weight(h_i) −
// k_i)⁺, is the maximum over sets of directions of the same sum without (·)⁺. So c is the smallest level at which the
// sum over some set is 1. Only the sets of directions with the smallest weight(h_i)k_i matter.
func (c boxCase) fill(weight func(h int64) int64) []*big.Rat {
	order := check.Counting(len(c.widths))
	floor := func(i int) int64 { return weight(c.widths[i]) * c.inverses[i] }
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(floor(i), floor(j)) })
	var level *big.Rat
	spent, slope := big.NewRat(1, 1), new(big.Rat)
	for _, i := range order {
		own := ownWeights(c.widths[i])
		spent.Add(spent, big.NewRat(own*c.inverses[i], 1))
		slope.Add(slope, big.NewRat(own, weight(c.widths[i])))
		if l := new(big.Rat).Quo(spent, slope); level == nil || l.Cmp(level) < 0 {
			level = l
		}
	}
	out := make([]*big.Rat, len(c.widths))
	for i, h := range c.widths {
		out[i] = new(big.Rat).Quo(level, big.NewRat(weight(h), 1))
		if out[i].Sub(out[i], big.NewRat(c.inverses[i], 1)); out[i].Sign() < 0 {
			out[i].SetInt64(0)
		}
	}
	return out
}

// items returns ln PNR, the logarithm of the power-to-noise ratio, of the allocations with equalWeights and ownWeights.
func (c boxCase) items(name string) []check.Item {
	ratio := func(weight func(h int64) int64) interval.Interval {
		sum := interval.Int(1)
		for i, p := range c.fill(weight) {
			gain := new(big.Rat).Quo(p, big.NewRat(c.inverses[i], 1))
			sum = sum.Mul(interval.Rat(gain.Add(gain, big.NewRat(1, 1))))
		}
		return sum.Log()
	}
	item := func(label string, weight func(h int64) int64) check.Item {
		lo, hi := ratio(weight).Bounds()
		return check.Item{Label: label, Number: evidence.Certified{Lo: lo, Hi: hi, Provenance: evidence.From("Section 5.3").By("water-filling in rationals")}}
	}
	return []check.Item{
		item(name+": ln PNR of (c − 1/λ)⁺", equalWeights),
		item(name+": ln PNR with λ/(2h)² water-filled", ownWeights),
	}
}

// boxFilling checks in rationals that precisions (c/weight(h_i) − 1/λ_i)⁺ that use the exact budget satisfy the
// conditions for a maximum.
func boxFilling(weight func(h int64) int64) check.Statement[boxCase] {
	return check.Statement[boxCase]{
		Family: "two and three eigenvalues 1/k, k ≤ 3, half-widths 1…3, μ = 1",
		Each: check.Grid(func(c *boxCase) []check.Axis {
			return []check.Axis{
				check.From(&c.inverses, check.Keep(intVectors(2, 3, 1, 3), slices.IsSorted)),
				check.From(&c.widths, intVectors(2, 3, 1, 3)),
				check.Where(func() bool { return len(c.inverses) == len(c.widths) }),
			}
		}),
		Draw: func(rng *rand.Rand) boxCase {
			var c boxCase
			for range 2 + rng.IntN(4) {
				c.inverses, c.widths = append(c.inverses, 1+rng.Int64N(20)), append(c.widths, 1+rng.Int64N(9))
			}
			return c
		},
		Holds: func(c boxCase) bool {
			p, spent := c.fill(weight), new(big.Rat)
			// The gradient per unit of budget, λ/((1 + λp)(2h)²) = 1/((k + p)(2h)²), must have its largest value
			// wherever p > 0.
			inverse := make([]*big.Rat, len(p))
			for i, h := range c.widths {
				own := big.NewRat(ownWeights(h), 1)
				spent.Add(spent, new(big.Rat).Mul(own, p[i]))
				inverse[i] = new(big.Rat).Add(p[i], big.NewRat(c.inverses[i], 1))
				inverse[i].Mul(inverse[i], own)
			}
			least := slices.MinFunc(inverse, (*big.Rat).Cmp)
			for i := range p {
				if p[i].Sign() > 0 && inverse[i].Cmp(least) > 0 {
					return false
				}
			}
			return spent.Cmp(big.NewRat(1, 1)) == 0
		},
	}
}
