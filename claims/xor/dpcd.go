package xor

import (
	"fmt"
	"math/big"
	"math/rand/v2"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// memberCase is a node with d neighbors, all with affiliation 1 to the only community. In the neighboring graph the
// node has one more such neighbor. The node's own affiliation is in hundredths, and ε in tenths.
type memberCase struct{ d, affiliation, eps int }

// loss encloses the loss of the node's affiliation f between its lists of d and of d + 1 neighbors. With q = 1/(e^f −
// 1), f is optimal if the noise is 1 − dq or −(d+1)q, with slopes dq(1+q) and (d+1)q(1+q). The noise has density ∝
// e^{−ε|n|/2}. The loss is the larger one of the two directions.
func (c memberCase) loss() interval.Interval {
	one := interval.Int(1)
	q := one.Quo(interval.Rat(check.Ratio(c.affiliation, 100)).Expm1())
	n := one.Sub(interval.Int(int64(c.d)).Mul(q))
	other := interval.Int(int64(c.d + 1)).Mul(q)
	loss := c.budget().Quo(interval.Int(2)).Mul(other.Sub(interval.Max(n, n.Neg()))).Add(interval.Rat(check.Ratio(c.d, c.d+1)).Log())
	return interval.Max(loss, loss.Neg())
}

func (c memberCase) budget() interval.Interval { return interval.Rat(check.Ratio(c.eps, 10)) }

// kept returns ε.
func (c memberCase) kept() interval.Interval { return c.budget() }

// withSlope returns ε/(2(1 − e^{−f})) + ln((d+1)/d).
func (c memberCase) withSlope() interval.Interval {
	moved := interval.Int(1).Quo(interval.Rat(check.Ratio(-c.affiliation, 100)).Expm1().Neg())
	return c.budget().Quo(interval.Int(2)).Mul(moved).Add(interval.Rat(new(big.Rat).Add(check.One, check.Ratio(1, c.d))).Log())
}

// member states that the loss is at most a bound.
func member(bound func(c memberCase) interval.Interval) check.Statement[memberCase] {
	return check.Statement[memberCase]{
		Family: "1, 2 and 5 neighbors, affiliation in {.1, .5, 1, 2}, ε in {1, .1, 5}",
		Each: check.Grid(func(c *memberCase) []check.Axis {
			return []check.Axis{check.Over(&c.d, 1, 2, 5), check.Over(&c.affiliation, 10, 50, 100, 200), check.Over(&c.eps, 10, 1, 50)}
		}),
		Draw: func(rng *rand.Rand) memberCase {
			return memberCase{1 + rng.IntN(50), 1 + rng.IntN(500), 1 + rng.IntN(50)}
		},
		Holds: func(c memberCase) bool { return !bound(c).Less(c.loss()) },
		Witness: func(c memberCase) *check.Witness {
			f, eps := float64(c.affiliation)/100, float64(c.eps)/10
			return check.NewWitness(check.Named("neighbors", fmt.Sprintf("%d and %d", c.d, c.d+1), "affiliation", f, "eps", eps),
				check.Vars{"d": c.d, "f": f, "eps": eps},
				"q = 1/(math.exp({f}) - 1); loss = abs({eps}/2*(({d} + 1)*q - abs(1 - {d}*q)) + math.log({d}/({d} + 1))); print(loss, {eps}, loss <= {eps})")
		},
		Measure: func(c memberCase) []check.Item {
			return []check.Item{{Label: "loss at this affiliation", Number: evidence.EnclosedLoss(c.loss(), "256-bit intervals", "An XOR Mechanism, footnote 8")}}
		},
	}
}
