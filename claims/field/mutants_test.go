package field

import (
	"context"
	"math/big"
	"slices"
	"testing"

	"dpworkbench/claims/check"
	"dpworkbench/claims/check/checktest"
	"dpworkbench/evidence"
	"dpworkbench/gaussian"
	"dpworkbench/interval"
)

// Each check with one deliberate error must refute its statement.
func TestMutants(t *testing.T) {
	half, eighth := rate(1, 2), rate(1, 8)
	lessNoise := classicalNoise("half the noise", slices.Values([]noiseCase{{1, 1e-5}}))
	lessNoise.quantity = computed("a mutant", func(_ context.Context, c noiseCase) evidence.Number {
		return gaussian.DeltaAt(check.BudgetOf(c.eps), whole(2).Quo(c.sigma()))
	})
	oneUse := func(c *useCase) []check.Axis { return []check.Axis{check.Over(c, useCase{.1, 100, 1e-6})} }
	quarterSpread := func(_ context.Context, c useCase) evidence.Number {
		return enclosed(c.spread(c.logarithm()).Quo(whole(2)), "a mutant")
	}
	private := func(a algorithm) check.Checker { return a.private(true) }
	leaky := func(a algorithm) check.Checker { return a.private(false) }
	rightSparse := sparse(3, half, &eighth, 2, false)
	concentrated := renyiOf("randomized response", response, nil, "")
	concentrated.quantity = computed("a mutant", func(ctx context.Context, c orderCase) evidence.Number {
		return check.Must(response(ctx, check.BudgetOf(c.eps)).ZCDP(ctx))
	})
	quarterSquare := closely("ε²/4", "a mutant", func(c orderCase) interval.Interval { return real(c.eps).Mul(real(c.eps)).Quo(whole(4)) })
	estimate := centralLimit("one training", slices.Values([]trainingCase{{.8, 1, 100, 1, 1e-5}}))
	sum := func(c groupCase) *big.Rat { return new(big.Rat).Mul(big.NewRat(int64(c.k), 1), c.delta) }
	own := func(c scoresCase) []*big.Rat { return c.law(c.a) }
	larger := func(eps float64) interval.Interval { return unrounded(eps + .1) }
	uncorrected := func(c rangeCase) float64 { return c.sensitivity / c.eps }
	twice := func(c testCase) interval.Interval { return real(2 * c.delta) }
	smaller := closely("1 − e^{−ε²}", "a mutant", func(c momentCase) interval.Interval { return real(c.eps).Mul(real(c.eps)).Neg().Expm1().Neg() })
	fourfold := closely("less", "a mutant", func(c pureCase) interval.Interval {
		return real(c.eps).Exp().Mul(whole(1).Sub(real(4 * c.delta))).Log()
	})
	squared := func(c sampleCase) *big.Rat { return check.Power(share(c), 2) }
	less := func(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(new(big.Rat).Add(a, b), largerOf(a, b)) }
	telling := func(thresholdCase) interval.Interval { return whole(1) }
	atFirst := passes("1 bin", []int{1}, telling, telling, "").Check
	halfOf := func(c boundsCase) int64 { return max(c.squares()) / 2 }
	halfWeight := func(c weightsCase) *big.Rat { return big.NewRat(c.least+c.more, 2*c.people*c.least) }
	divergenceAlone := func(d, _, _ interval.Interval) interval.Interval { return d }
	const tenth = .1
	checktest.Mutants(t, Claims(), map[checktest.Mutant]check.Checker{
		{"field.gaussian.classical", "half the noise"}:     lessNoise.Check,
		{"field.gaussian.any", "half the noise"}:           lessNoise.Check,
		{"field.dpsgd.clt", "the estimate as a bound"}:     estimate.Check,
		{"field.composition.advanced", "less spread"}:      composed("one", oneUse, quarterSpread).Check,
		{"field.composition.textbook", "less spread"}:      composed("one", oneUse, quarterSpread).Check,
		{"field.odometer", "δ alone"}:                      odometer("δ", spentCase.delta).Check,
		{"field.group", "k δ"}:                             grouped("k δ", sum).Check,
		{"field.puredp.renyi", "the formula for Laplace"}:  renyiOf("randomized response", response, laplaceRenyi, "").Check,
		{"field.laplace.renyi", "ε²/2 at every order"}:     renyiOf("Laplace noise", laplaceNoise, halfSquare, "").Check,
		{"field.puredp.zcdp", "ε²/4"}:                      concentrated.bounded(quarterSquare).Check,
		{"field.response.profile", "less"}:                 responseEpsilon().plus(-1e-3).Check,
		{"field.puredp.delta", "e^ε(1 − 4δ)"}:              pureAt().bounded(fourfold).Check,
		{"field.renyi.delta", "a tenth"}:                   converted().times(tenth).Check,
		{"field.permuteandflip.law", "exponential"}:        sameLaws(own).Check,
		{"field.exponential.zcdp", "ε²/16"}:                exponential(16).Check,
		{"field.noisymax.scale", "half of ε"}:              noisyMax("one score", 1).times(.5).Check,
		{"field.shuffle.closed", "a tenth"}:                shuffled().times(tenth).Check,
		{"field.rappor.filter", "one factor a bit"}:        filters(1).Check,
		{"field.rappor.rounded", "f of a larger ε"}:        promised("wrong", larger, 1e-12).Check,
		{"field.binomial", "a tenth"}:                      binomialNoise().times(tenth).Check,
		{"field.skellam", "half"}:                          skellam(publishedRemainder).times(.5).Check,
		{"field.laplace.bounded", "the uncorrected scale"}: within("Δ/ε", uncorrected).Check,
		{"field.laplace.relaxed", "less than half"}:        relaxed().times(.4).Check,
		{"field.uniform", "twice the width"}:               reverse(uniform(2)).Check,
		{"field.sum.float", "float64 numbers"}:             sums("float64", sumCase.added).Check,
		{"field.tree.depth", "one node less"}:              depth(1).Check,
		{"field.tree.root", "half"}:                        rootFactors().times(.5).Check,
		{"field.statdp.svt", "less noise"}:                 private(sparse(3, half, &half, 2, false)),
		{"field.statdp.noisymax1a", "the value"}:           private(highest(3, 1, false, true)),
		{"field.statdp.noisymax2a", "the value"}:           private(highest(2, 1, true, true)),
		{"field.statdp.isvt1", "right"}:                    leaky(rightSparse),
		{"field.statdp.isvt2", "right"}:                    leaky(rightSparse),
		{"field.statdp.isvt3", "right"}:                    leaky(rightSparse),
		{"field.statdp.isvt4", "right"}:                    leaky(rightSparse),
		{"field.statdp.noisymax1b", "the index"}:           leaky(highest(3, 1, false, false)),
		{"field.statdp.noisymax2b", "the index"}:           leaky(highest(2, 1, true, false)),
		{"field.release.test", "twice the chance"}:         released("2δ", twice).Check,
		{"field.discrete.sum", "half"}:                     shared("one", []int64{50}, []int{2}).times(.5).Check,
		{"field.blanket.hoeffding", "a thousandth"}:        blanket("less", blanketCase.hoeffding, "").times(1e-3).Check,
		{"field.blanket.bennett", "a thousandth"}:          blanket("less", blanketCase.bennett, "").times(1e-3).Check,
		{"field.shuffle.early", "a hundredth"}:             early().times(.01).Check,
		{"field.stability.threshold", "at 1"}:              atFirst,
		{"field.stability.doubled", "at 1"}:                atFirst,
		{"field.stability.range", "at 1"}:                  atFirst,
		{"field.mean.centered", "one record replaced"}:     centered("one record replaced", true).Check,
		{"field.median.exponential", "half of ε"}:          medians(1).Check,
		{"field.regression.bounds", "half"}:                squares("half", halfOf).Check,
		{"field.accountant.replace", "one norm"}:           replaced("one norm", 1).Check,
		{"field.mean.floor", "the record leaves"}:          averages("the record leaves", false).Check,
		{"field.mean.weights", "half"}:                     unfloored("half", halfWeight).Check,
		{"field.covariance.replace", "a tenth"}:            covariance().times(tenth).Check,
		{"field.tree.layers", "one less"}:                  layers(0).Check,
		{"field.svt.book", "less noise"}:                   private(restarted(3, 2, rate(1, 4), half)),
		{"field.renyi.simple", "the divergence"}:           toEpsilon(divergenceAlone, "").Check,
		{"field.renyi.better", "the divergence"}:           toEpsilon(divergenceAlone, "").Check,
		{"field.wishart", "a smaller δ"}:                   wishart().bounded(smaller).Check,
		{"field.smooth.laplace", "β with ln(1/δ)"}:         smooth(1).Check,
		{"field.laplace.truncated", "nine tenths"}:         truncated(big.NewRat(9, 10)).Check,
		{"field.shuffle.batches", "as Poisson"}:            batches().Check,
		{"field.subsample", "the square of the rate"}:      amplified(squared).Check,
		{"field.boundedrange", "chosen as fixed"}:          chosen().Check,
		{"field.boundedrange", "less for fixed ones"}:      sameUses().times(.9).Check,
		{"field.filter.renyi", "the smaller path"}:         filtered("smaller", less).Check,
		{"field.filter.curve", "as fixed"}:                 stopped().Check,
		{"field.krr.low", "the binary mechanism"}:          extremal("8", "binary", binary3, big.NewRat(8, 1)).Check,
		{"field.svt.exponential", "less noise"}:            private(oneSidedSparse(half, oneSidedScript)),
	})
}
