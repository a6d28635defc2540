package field

import (
	"context"
	"fmt"
	"iter"
	"math/big"
	"slices"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// rangeUses is k uses of mechanisms with bounded range ε. Each mechanism has the losses ln y and ln(y/r) with r = e^ε,
// the ends of a range of length ε.
type rangeUses struct {
	k     int
	ratio *big.Rat
}

// at returns e^ε′ for the ε′ at which δ is compared: 0 for two uses, and ε for three.
func (c rangeUses) at() *big.Rat { return check.Power(c.ratio, c.k-2) }

// chances returns the probabilities of the larger loss at the two datasets, (r − y)/(r − 1) and (r − y)/((r − 1)y).
func (c rangeUses) chances(y *big.Rat) (p, q *big.Rat) {
	p = new(big.Rat).Sub(c.ratio, y)
	p.Quo(p, new(big.Rat).Sub(c.ratio, check.One))
	return p, new(big.Rat).Quo(p, y)
}

// losses returns the values of y on a grid, 1 + j(r − 1)/8.
func (c rangeUses) losses() (out []*big.Rat) {
	step := new(big.Rat).Quo(new(big.Rat).Sub(c.ratio, check.One), big.NewRat(8, 1))
	for j := range int64(9) {
		out = append(out, new(big.Rat).Add(check.One, new(big.Rat).Mul(step, big.NewRat(j, 1))))
	}
	return out
}

// last returns the y at which the last use has the largest δ, √(e^ε′·br/a), rounded down to 64ths and kept in 1 … r.
// The earlier outputs have the probabilities a and b at the two datasets.
func (c rangeUses) last(a, b *big.Rat) *big.Rat {
	if a.Sign() == 0 {
		return check.One
	}
	square := new(big.Rat).Quo(new(big.Rat).Mul(new(big.Rat).Mul(b, c.at()), c.ratio), a)
	square.Mul(square, big.NewRat(64*64, 1))
	root := new(big.Int).Sqrt(new(big.Int).Quo(square.Num(), square.Denom()))
	y := largerOf(check.One, new(big.Rat).SetFrac(root, big.NewInt(64)))
	if y.Cmp(c.ratio) > 0 {
		return c.ratio
	}
	return y
}

// after returns the largest δ at ε′ that a search finds for k more uses, and the y of the first of them. The earlier
// outputs have the probabilities a and b at the two datasets. Each use is chosen adaptively, given the earlier outputs.
func (c rangeUses) after(k int, a, b *big.Rat) (most, first *big.Rat) {
	if most = new(big.Rat).Mul(b, c.at()); k == 0 {
		most.Sub(a, most)
		return largerOf(most, new(big.Rat)), check.One
	}
	most, first = new(big.Rat), check.One
	choices := c.losses()
	if k == 1 {
		choices = []*big.Rat{check.One, c.last(a, b)}
	}
	for _, y := range choices {
		p, q := c.chances(y)
		up, upOther := new(big.Rat).Mul(a, p), new(big.Rat).Mul(b, q)
		sum, _ := c.after(k-1, up, upOther)
		rest, _ := c.after(k-1, new(big.Rat).Sub(a, up), new(big.Rat).Sub(b, upOther))
		if sum = new(big.Rat).Add(sum, rest); sum.Cmp(most) > 0 {
			most, first = sum, y
		}
	}
	return most, first
}

// fixed encloses the largest δ at ε′ of k nonadaptive uses. All uses then have the same y = (e^ε′ r^{l+1})^{1/(k+1)}
// with l = 0 or 1. At this y the derivative of δ, summed over the outputs with at most l smaller losses, is 0.
func (c rangeUses) fixed() interval.Interval {
	most, r := whole(0), interval.Rat(c.ratio)
	for l := range min(c.k, 2) { // for l = 2, y is r and δ is 0
		y := interval.RationalLog(c.ratio).Mul(whole(c.k - 1 + l)).Quo(whole(c.k + 1)).Exp()
		p := r.Sub(y).Quo(r.Sub(whole(1)))
		law, sum := binomial(c.k, whole(1).Sub(p)), whole(0)
		for i, chance := range law {
			sum = sum.Add(interval.Max(whole(0), chance.Mul(whole(1).Sub(r.Pow(c.k-2+i).Quo(y.Pow(c.k))))))
		}
		most = interval.Max(most, sum)
	}
	return most
}

// rangeGrid returns the axes of the family: the number of uses, and e^ε.
func rangeGrid(c *rangeUses) []check.Axis {
	return []check.Axis{check.Over(&c.k, 2, 3), check.Over(&c.ratio, big.NewRat(2, 1), big.NewRat(4, 1), big.NewRat(8, 1))}
}

// chosen states that the δ of adaptive uses is at most the largest δ of nonadaptive ones.
func chosen() inequality {
	return inequality{
		family: "2 and 3 uses, e^ε in {2, 4, 8}, δ at 0 and at ε", each: check.Untyped(check.Grid(rangeGrid)),
		quantity: computed("δ of chosen mechanisms, at least", func(_ context.Context, c rangeUses) evidence.Number {
			most, _ := c.after(c.k, check.One, check.One)
			return exact(most, "choices of a search")
		}),
		bound: computed("δ of fixed mechanisms", func(_ context.Context, c rangeUses) evidence.Number {
			return enclosed(c.fixed(), "the largest of k sums over the outputs")
		}),
		witness: describing(func(c rangeUses) *check.Witness {
			_, y := c.after(c.k, check.One, check.One)
			p, q := c.chances(y)
			_, high := c.after(c.k-1, p, q)
			_, low := c.after(c.k-1, new(big.Rat).Sub(check.One, p), new(big.Rat).Sub(check.One, q))
			then := fmt.Sprintf("%s after the larger, %s after the smaller", high.RatString(), low.RatString())
			return check.NewWitness(
				check.Named("uses", c.k, "e^eps", c.ratio, "larger e^loss of the first", y, "of the second", then),
				check.Vars{"r": c.ratio, "y": y, "u": high, "v": low},
				"p = lambda y: ({r} - y) / ({r} - 1)", "q = lambda y: p(y) / y",
				"both = lambda a, b, y: max(0, a * p(y) - b * q(y)) + max(0, a * (1 - p(y)) - b * (1 - q(y)))",
				"d = both(p({y}), q({y}), {u}) + both(1 - p({y}), 1 - q({y}), {v})", "y = math.pow({r}, 1 / 3)",
				"f = p(y) * p(y) * (1 - 1 / (y * y))", "print(d, f, d <= f)")
		}),
	}
}

// sameUses states that two or three mechanisms, each with a y of the grid that does not depend on earlier outputs, have
// at most the δ that fixed returns.
func sameUses() inequality {
	cases := check.Each(check.Grid(rangeGrid), func(c rangeUses) iter.Seq[[]int] {
		return check.Map(check.Words(9, c.k), func(word []int) []int {
			return append([]int{int(c.ratio.Num().Int64())}, word...)
		})
	})
	of := func(i []int) rangeUses { return rangeUses{len(i) - 1, big.NewRat(int64(i[0]), 1)} }
	return inequality{
		family: "2 and 3 uses, e^ε in {2, 4, 8}, each of nine mechanisms, in order",
		each:   check.Untyped(check.Keep(cases, func(i []int) bool { return slices.IsSorted(i[1:]) })),
		quantity: computed("δ of these mechanisms", func(_ context.Context, i []int) evidence.Number {
			c, p, q := of(i), []*big.Rat{check.One}, []*big.Rat{check.One}
			for _, j := range i[1:] {
				up, upOther := c.chances(c.losses()[j])
				var nextP, nextQ []*big.Rat
				for n := range p {
					high, highOther := new(big.Rat).Mul(p[n], up), new(big.Rat).Mul(q[n], upOther)
					nextP = append(nextP, high, new(big.Rat).Sub(p[n], high))
					nextQ = append(nextQ, highOther, new(big.Rat).Sub(q[n], highOther))
				}
				p, q = nextP, nextQ
			}
			return exact(excess(p, q, c.at()), "every output")
		}),
		bound: computed("δ of fixed mechanisms", func(_ context.Context, i []int) evidence.Number {
			return enclosed(of(i).fixed(), "the largest of k sums over the outputs")
		}),
	}
}

// excess returns Σ (p_i − e^ε q_i)⁺, where ratio is e^ε.
func excess(p, q []*big.Rat, ratio *big.Rat) *big.Rat {
	sum := new(big.Rat)
	for i := range p {
		if d := new(big.Rat).Mul(ratio, q[i]); d.Cmp(p[i]) < 0 {
			sum.Add(sum, d.Sub(p[i], d))
		}
	}
	return sum
}

// pathCase is two uses of randomized response. The first has e^ε = first. The second has e^ε = bad after the answer
// with the larger loss, and e^ε = good after the other answer.
type pathCase struct {
	first, good, bad *big.Rat
	order            int
}

// moment returns e^{(α−1)D} of randomized response with e^ε = r followed by a second use: (r^α·up + r^{1−α}·down)/(1 +
// r). up and down are e^{(α−1)D} of the second use after the answer with the larger and with the smaller loss.
func moment(r, up, down *big.Rat, order int) *big.Rat {
	sum := new(big.Rat).Mul(check.Power(r, order), up)
	sum.Add(sum, new(big.Rat).Mul(check.Power(r, 1-order), down))
	return sum.Quo(sum, new(big.Rat).Add(check.One, r))
}

// filtered states that e^{(α−1)D} of both uses together is at most e^{(α−1)D} of the first use times choose(a, b),
// where a and b are e^{(α−1)D} of the two possible second uses.
func filtered(name string, choose func(a, b *big.Rat) *big.Rat) inequality {
	ratios := []*big.Rat{check.One, big.NewRat(3, 2), big.NewRat(2, 1), big.NewRat(5, 1)}
	second := func(c pathCase, r *big.Rat) *big.Rat { return moment(r, check.One, check.One, c.order) }
	return inequality{
		family: "randomized response, e^ε in {3/2, 2, 5}, twice, then in {1, 3/2, 2, 5} by the first answer, α = 2, 3, 4",
		each: check.Untyped(check.Grid(func(c *pathCase) []check.Axis {
			return []check.Axis{
				check.Over(&c.first, ratios[1:]...), check.Over(&c.good, ratios...), check.Over(&c.bad, ratios...),
				check.Span(&c.order, 2, 4),
			}
		})),
		quantity: computed("e^{(α−1)D} of both", func(_ context.Context, c pathCase) evidence.Number {
			return exact(moment(c.first, second(c, c.bad), second(c, c.good), c.order), "every output")
		}),
		bound: computed(name, func(_ context.Context, c pathCase) evidence.Number {
			chosen := choose(second(c, c.bad), second(c, c.good))
			return exact(chosen.Mul(chosen, second(c, c.first)), "the sums of the divergences")
		}),
	}
}

// largerOf returns the larger of two numbers.
func largerOf(a, b *big.Rat) *big.Rat {
	if a.Cmp(b) < 0 {
		return b
	}
	return a
}

// curveCase is randomized response with e^ε = first, and a second use that depends on its answer. After the likelier
// answer the second use is randomized response with e^ε = second. After the other answer it reveals everything with
// probability δ. The budget's ε is that of the first use, and its δ is that of either pair of mechanisms at this ε.
type curveCase struct{ first, second *big.Rat }

// answers returns the probabilities of the two answers of randomized response with e^ε = r, the likelier one first.
func answers(r *big.Rat) (truth, lie *big.Rat) {
	lie = new(big.Rat).Inv(new(big.Rat).Add(check.One, r))
	return new(big.Rat).Sub(check.One, lie), lie
}

// product returns the probabilities of an answer of probability a followed by each of the answers with the
// probabilities b.
func product(a *big.Rat, b ...*big.Rat) (out []*big.Rat) {
	for _, v := range b {
		out = append(out, new(big.Rat).Mul(a, v))
	}
	return out
}

// budget returns the δ at ε of two uses of randomized response, with e^ε = first and e^ε = second. The first use
// followed by the mechanism that reveals everything with this probability has the same δ.
func (c curveCase) budget() *big.Rat {
	truth, lie := answers(c.first)
	again, not := answers(c.second)
	p := slices.Concat(product(truth, again, not), product(lie, again, not))
	q := slices.Concat(product(lie, not, again), product(truth, not, again))
	return excess(p, q, c.first)
}

// laws returns the laws of the outputs of both uses at the two datasets. The second use depends on the answer of the
// first.
func (c curveCase) laws() (p, q []*big.Rat) {
	truth, lie := answers(c.first)
	again, not := answers(c.second)
	reveal := c.budget()
	hide, none := new(big.Rat).Sub(check.One, reveal), new(big.Rat)
	p = slices.Concat(product(truth, again, not), product(lie, hide, reveal, none))
	q = slices.Concat(product(lie, not, again), product(truth, hide, none, reveal))
	return p, q
}

// stopped states that both uses together have at most the δ of the budget.
func stopped() inequality {
	return inequality{
		family: "a first use with e^ε in {2, 3, 5}, a second one with e^ε in {3/2, 2}",
		each: check.Untyped(check.Grid(func(c *curveCase) []check.Axis {
			return []check.Axis{
				check.Over(&c.first, big.NewRat(2, 1), big.NewRat(3, 1), big.NewRat(5, 1)),
				check.Over(&c.second, big.NewRat(3, 2), big.NewRat(2, 1)),
			}
		})),
		quantity: computed("δ at ε of both uses", func(_ context.Context, c curveCase) evidence.Number {
			p, q := c.laws()
			return exact(excess(p, q, c.first), "every output")
		}),
		bound: computed("δ of the budget", func(_ context.Context, c curveCase) evidence.Number {
			return exact(c.budget(), "the composition of each path")
		}),
		witness: describing(func(c curveCase) *check.Witness {
			p, q := c.laws()
			texts := func(law []*big.Rat) (out []string) {
				for _, v := range law {
					out = append(out, v.RatString())
				}
				return out
			}
			fields := check.Named("e^eps of the first", c.first, "e^eps after its likelier answer", c.second,
				"chance to reveal after the other", c.budget())
			return check.NewWitness(fields,
				check.Vars{"r": c.first, "s": c.second, "p": texts(p), "q": texts(q), "d": c.budget().RatString()},
				"e = ln({r})", "a = compose([krr(2, e), krr(2, ln({s}))]).delta_at(e)",
				"b = compose([krr(2, e), known(0.0001, {d})]).delta_at(e)", "t = two_laws({p}, {q}).delta_at(e)",
				"print(t, a, t <= a)")
		}),
	}
}

// adaptiveChecks returns the checks of the statements about adaptively chosen mechanisms.
func adaptiveChecks() check.Checks {
	return check.Checks{
		"field.boundedrange": check.TakenFor(check.InTurn(sameUses().Check, swapped(chosen()).Check), chosen().Check),
		"field.filter.renyi": filtered("e^{(α−1)(D + D′)}, D′ the larger", largerOf).Check,
		"field.filter.curve": check.TakenFor(nil, stopped().Check),
	}
}
