package xor

import (
	"fmt"
	"math/big"
	"math/rand/v2"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
)

// xorLeakageChecks returns the checks of Theorem 4 and its interpretation in Section 8.3.
func xorLeakageChecks() check.Checks {
	return check.Checks{
		"xor.theorem4": check.WithCorrection(check.Surveyed(printedLeakage),
			check.InTurn(leakageBound(attainingOdds).Check, leakageBound(largerOdds).Check)),
		"xor.theorem4.same": check.WithCorrection(check.Surveyed(sameLeakage(everyPrior)), sameLeakage(evenPrior).Check),
	}
}

// edgeCase is a release with finitely many outputs: Pr[o | no edge] ∝ weight[0][o],
// Pr[o | edge] ∝ weight[1][o], and Pr[edge] = prior/100.
type edgeCase struct {
	weight [2][]int64
	prior  int64
}

func (c edgeCase) prob(a, o int) *big.Rat {
	sum := int64(0)
	for _, w := range c.weight[a] {
		sum += w
	}
	return big.NewRat(c.weight[a][o], sum)
}

// base returns e^ε of the smallest ε.
func (c edgeCase) base() *big.Rat {
	most := check.One
	for o := range c.weight[0] {
		q := new(big.Rat).Quo(c.prob(0, o), c.prob(1, o))
		most = larger(most, larger(q, new(big.Rat).Inv(q)))
	}
	return most
}

// odds returns the prior odds of an edge.
func (c edgeCase) odds() *big.Rat { return big.NewRat(c.prior, 100-c.prior) }

// leaks returns the largest posterior of edge or no edge after any output.
func (c edgeCase) leaks() *big.Rat {
	most := new(big.Rat)
	for o := range c.weight[0] {
		v := new(big.Rat).Mul(c.odds(), new(big.Rat).Quo(c.prob(1, o), c.prob(0, o)))
		most = larger(most, larger(belief(v), belief(new(big.Rat).Inv(v))))
	}
	return most
}

// belief returns the probability with the given odds.
func belief(odds *big.Rat) *big.Rat { return new(big.Rat).Quo(odds, new(big.Rat).Add(odds, check.One)) }

func larger(a, b *big.Rat) *big.Rat {
	if a.Cmp(b) < 0 {
		return b
	}
	return a
}

// leakageFormula returns the stated leakage of a release with e^ε = base.
type leakageFormula func(c edgeCase, base *big.Rat) *big.Rat

// printedFormula returns the printed leakage at ζ.
func printedFormula(zeta, base *big.Rat) *big.Rat {
	v := new(big.Rat).Mul(zeta, base)
	return larger(belief(v), belief(new(big.Rat).Inv(v)))
}

// ofAnEdge returns the printed leakage with ζ the odds of an edge.
func ofAnEdge(c edgeCase, base *big.Rat) *big.Rat { return printedFormula(c.odds(), base) }

// ofNoEdge returns the printed leakage with ζ the odds of no edge.
func ofNoEdge(c edgeCase, base *big.Rat) *big.Rat {
	return printedFormula(new(big.Rat).Inv(c.odds()), base)
}

// attainingOdds returns the printed leakage with ζ the odds of the answer (edge or no edge) whose posterior is the true
// leakage. If both answers attain it, the larger value is returned, which favours the formula as a bound.
func attainingOdds(c edgeCase, base *big.Rat) *big.Rat {
	most := new(big.Rat)
	for o := range c.weight[0] {
		v := new(big.Rat).Mul(c.odds(), new(big.Rat).Quo(c.prob(1, o), c.prob(0, o)))
		for edge, odds := range map[bool]*big.Rat{true: v, false: new(big.Rat).Inv(v)} {
			if belief(odds).Cmp(c.leaks()) == 0 {
				if edge {
					most = larger(most, ofAnEdge(c, base))
				} else {
					most = larger(most, ofNoEdge(c, base))
				}
			}
		}
	}
	return most
}

func largerOdds(c edgeCase, base *big.Rat) *big.Rat {
	return belief(new(big.Rat).Mul(larger(c.odds(), new(big.Rat).Inv(c.odds())), base))
}

// response returns randomised response with e^ε = base: two outputs of weights base and 1.
func (c edgeCase) response() edgeCase {
	b := c.base()
	n, d := b.Num().Int64(), b.Denom().Int64()
	return edgeCase{[2][]int64{{n, d}, {d, n}}, c.prior}
}

// releases yields randomised response and small releases with two outputs.
var releases = check.Chain(check.Grid(func(c *edgeCase) []check.Axis {
	var base int64
	return []check.Axis{
		check.Span(&base, 2, 4),
		check.Over(&c.prior, 50, 1, 99, 10, 90, 25, 75),
		check.Let(func() { c.weight = [2][]int64{{base, 1}, {1, base}} }),
	}
}), check.Grid(func(e *edgeCase) []check.Axis {
	var sum, a, b, c int64
	return []check.Axis{
		check.Span(&sum, 4, 12),
		check.Span(&a, 1, 4),
		check.Span(&b, 1, 4),
		check.Span(&c, 1, 4),
		check.Over(&e.prior, 50, 25, 75, 10, 90, 1, 99),
		check.Where(func() bool { d := sum - a - b - c; return d >= 1 && d <= 4 }),
		check.Let(func() { e.weight = [2][]int64{{a, b}, {c, sum - a - b - c}} }),
	}
}))

const releaseFamily = "randomised response at e^ε in {2, 3, 4} and two outputs, weights 1 to 4 of sum at most 12, priors 1, 10, 25, 50, 75, 90 and 99 %"

func drawRelease(rng *rand.Rand) edgeCase {
	c := edgeCase{prior: 1 + rng.Int64N(99)}
	for range 2 + rng.IntN(3) {
		c.weight[0] = append(c.weight[0], 1+rng.Int64N(50))
		c.weight[1] = append(c.weight[1], 1+rng.Int64N(50))
	}
	return c
}

// rates returns script code for the two laws, the prior odds, e^ε and the leakage.
func (c edgeCase) rates() string {
	return check.Script(check.Vars{"weights": c.weight[:], "prior": c.prior, "rest": 100 - c.prior},
		"w = {weights}; z = {prior}/{rest}; p = [[x/sum(r) for x in r] for r in w]; o = range(len(p[0]))",
		"e = max([max(p[0][k]/p[1][k], p[1][k]/p[0][k]) for k in o])",
		"v = [z*p[1][k]/p[0][k] for k in o]; m = max([max(x, 1/x)/(1 + max(x, 1/x)) for x in v])")
}

func (c edgeCase) fields(stated ...any) []check.Field {
	return append(check.Named("law without the edge", "proportional to "+check.List(c.weight[0]), "law with the edge", "proportional to "+check.List(c.weight[1]), "prior of an edge", fmt.Sprintf("%d/100", c.prior), "e^eps", c.base(), "leakage", c.leaks().FloatString(4)), check.Named(stated...)...)
}

// printedLeakage states that the leakage is the printed formula. ζ has the most favourable interpretation: the odds of
// the answer whose posterior is the leakage.
var printedLeakage = check.Statement[edgeCase]{
	Family: releaseFamily, Each: releases, Draw: drawRelease,
	Holds: func(c edgeCase) bool { return c.leaks().Cmp(attainingOdds(c, c.base())) == 0 },
	Witness: func(c edgeCase) *check.Witness {
		return &check.Witness{
			Fields: c.fields("stated, zeta the odds of the answer that attains it", attainingOdds(c, c.base()).FloatString(4)),
			Script: c.rates() + "; y = z if max(v) >= max([1/x for x in v]) else 1/z; t = max(1/(y*e + 1), y*e/(y*e + 1)); print(m, t, abs(m - t) < 1e-9)",
		}
	},
	Measure: func(edgeCase) []check.Item {
		c := edgeCase{[2][]int64{{2, 1}, {1, 2}}, 1}
		of := func(label string, v *big.Rat) check.Item {
			label = "e^ε = 2, prior of an edge .01: " + label
			return check.Item{Label: label, Number: evidence.Exact{Value: v, Provenance: evidence.From("Theorem 4")}}
		}
		return []check.Item{
			of("leakage", c.leaks()), of("stated, ζ the odds of an edge", ofAnEdge(c, c.base())),
			of("stated, ζ the odds of no edge", ofNoEdge(c, c.base())),
		}
	},
}

// leakageBound states that a formula bounds the leakage, and that randomised response attains it.
func leakageBound(formula leakageFormula) check.Statement[edgeCase] {
	return check.Statement[edgeCase]{
		Family: releaseFamily, Each: releases, Draw: drawRelease,
		Holds: func(c edgeCase) bool {
			response := c.response()
			return c.leaks().Cmp(formula(c, c.base())) <= 0 && response.leaks().Cmp(formula(response, c.base())) == 0
		},
	}
}

func everyPrior(int64) bool        { return true }
func evenPrior(percent int64) bool { return percent == 50 }

// sameLeakage states that a release leaks at most as much as randomised response at the same ε and prior, and exactly
// as much at the priors that equal accepts.
func sameLeakage(equal func(percent int64) bool) check.Statement[edgeCase] {
	return check.Statement[edgeCase]{
		Family: releaseFamily, Each: releases, Draw: drawRelease,
		Holds: func(c edgeCase) bool {
			order := c.leaks().Cmp(c.response().leaks())
			return order == 0 || order < 0 && !equal(c.prior)
		},
		Witness: func(c edgeCase) *check.Witness {
			return &check.Witness{
				Fields: c.fields("leakage of randomised response", c.response().leaks().FloatString(4)),
				Script: c.rates() + "; y = max(z, 1/z)*e; t = y/(1 + y); print(m, t, abs(m - t) < 1e-9)",
			}
		},
	}
}
