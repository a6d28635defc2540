package xor

import (
	"fmt"
	"math/big"
	"math/rand/v2"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// recordCase is n records of one feature x and a label y. positive counts the records (1, 1), negative the records (1,
// 0), and all others have x = 0. One record of kind from is replaced by one of kind to, where 0 is (1, 1), 1 is (1, 0)
// and 2 is x = 0. The ridge is in thousandths, ε and η are in tenths.
type recordCase struct {
	n, positive, negative int
	from, to              int
	ridge, eps, eta       int
}

// valid reports whether a record of kind from exists and differs from its replacement.
func (c recordCase) valid() bool {
	counts := []int{c.positive, c.negative, c.n - c.positive - c.negative}
	return c.from != c.to && counts[2] >= 0 && counts[c.from] > 0
}

// replaced returns the neighboring dataset.
func (c recordCase) replaced() recordCase {
	out := c
	for kind, step := range map[int]int{c.from: -1, c.to: 1} {
		switch kind {
		case 0:
			out.positive += step
		case 1:
			out.negative += step
		}
	}
	return out
}

func (c recordCase) ratio(tenths int) interval.Interval { return interval.Rat(check.Ratio(tenths, 10)) }

// noise encloses the noise n for which η minimises the perturbed objective, from Nλη − aσ(−η) + bσ(η) + n = 0, and
// |dn/dη|.
func (c recordCase) noise() (n, slope interval.Interval) {
	one := interval.Int(1)
	up := one.Quo(one.Add(c.ratio(-c.eta).Exp()))
	down := one.Quo(one.Add(c.ratio(c.eta).Exp()))
	ridge := interval.Rat(check.Ratio(c.n*c.ridge, 1000))
	n = interval.Int(int64(c.positive)).Mul(down).Sub(interval.Int(int64(c.negative)).Mul(up)).Sub(ridge.Mul(c.ratio(c.eta)))
	return n, ridge.Add(interval.Int(int64(c.positive + c.negative)).Mul(up).Mul(down))
}

// loss encloses the privacy loss at η. The noise has the density ε/4·e^{−ε|n|/2}.
func (c recordCase) loss() interval.Interval {
	abs := func(x interval.Interval) interval.Interval { return interval.Max(x, x.Neg()) }
	n, slope := c.noise()
	other, steep := c.replaced().noise()
	return c.ratio(c.eps).Quo(interval.Int(2)).Mul(abs(other).Sub(abs(n))).Add(slope.Quo(steep).Log())
}

// atZero returns ε, the claimed bound.
func atZero(c recordCase) interval.Interval { return c.ratio(c.eps) }

// withRidge returns ε/2 + ln(1 + 1/(4Nλ)).
func withRidge(c recordCase) interval.Interval {
	return c.ratio(c.eps).Quo(interval.Int(2)).Add(interval.Rat(new(big.Rat).Add(check.One, check.Ratio(1000, 4*c.n*c.ridge))).Log())
}

// perturbed states that the loss is at most a bound.
func perturbed(bound func(c recordCase) interval.Interval) check.Statement[recordCase] {
	return check.Statement[recordCase]{
		Family: "N in {1, 2, 10}, ε in {.1, 1, 5}, λ in {.001, .1, 1}, η in {0, −1, 1, 4}, each record replaced",
		Each: check.Grid(func(c *recordCase) []check.Axis {
			return []check.Axis{
				check.Over(&c.n, 1, 2, 10), check.Over(&c.eps, 1, 10, 50), check.Over(&c.ridge, 1, 100, 1000), check.Over(&c.eta, 0, -10, 10, 40),
				check.Span(&c.positive, 0, 2), check.Span(&c.negative, 0, 2), check.Span(&c.from, 0, 2), check.Span(&c.to, 0, 2), check.Where(func() bool { return c.valid() }),
			}
		}),
		Draw: func(rng *rand.Rand) recordCase {
			for {
				n := 1 + rng.IntN(500)
				if c := (recordCase{n, rng.IntN(n + 1), rng.IntN(n + 1), rng.IntN(3), rng.IntN(3), 1 + rng.IntN(1000), 1 + rng.IntN(50), rng.IntN(101) - 50}); c.valid() {
					return c
				}
			}
		},
		Holds: func(c recordCase) bool { return !bound(c).Less(c.loss()) },
		Witness: func(c recordCase) *check.Witness {
			vars := check.Vars{"n": c.n, "a": c.positive, "b": c.negative, "a2": c.replaced().positive, "b2": c.replaced().negative,
				"ridge": float64(c.ridge) / 1000, "eps": float64(c.eps) / 10, "eta": float64(c.eta) / 10}
			return check.NewWitness(check.Named("records", c.n, "of (1, 1) and (1, 0)", fmt.Sprintf("%d and %d", c.positive, c.negative), "in the neighbor", fmt.Sprintf("%d and %d", c.replaced().positive, c.replaced().negative),
				"ridge", float64(c.ridge)/1000, "eps", float64(c.eps)/10, "eta", float64(c.eta)/10),
				vars, "up = 1/(1 + math.exp(-{eta})); n = lambda a, b: a*(1 - up) - b*up - {n}*{ridge}*{eta}; s = lambda a, b: {n}*{ridge} + (a + b)*up*(1 - up)",
				"loss = {eps}/2*(abs(n({a2}, {b2})) - abs(n({a}, {b}))) + math.log(s({a}, {b})/s({a2}, {b2})); print(loss, {eps}, loss <= {eps})")
		},
		Measure: func(c recordCase) []check.Item {
			return []check.Item{{Label: "loss at η", Number: evidence.EnclosedLoss(c.loss(), "256-bit intervals", "Footnote 7")}}
		},
	}
}
