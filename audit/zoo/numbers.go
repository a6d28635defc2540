package zoo

import (
	"math"
	"math/big"
	"math/rand/v2"

	"dpworkbench/audit"
	"dpworkbench/internal/sampling"
)

// The numbers of draws of each input. The smaller the excess of the loss over the claim, the more draws are needed.
const few, some, many = 10_000, 30_000, 50_000

// unit is the number of steps of the grid from 0 to 1.
const unit = 1 << 10

// onGrid draws noise on the multiples of 1/unit with probabilities proportional to e^{−|x|/scale}. The scale must be a
// multiple of 1/unit.
func onGrid(scale float64, src rand.Source) float64 {
	return float64(sampling.DiscreteLaplace(uint64(scale*unit), src)) / unit
}

// whole draws an integer of probability proportional to e^{−|k|/scale}.
func whole(scale uint64, src rand.Source) float64 {
	return float64(sampling.DiscreteLaplace(scale, src))
}

// boundedScale is the least scale, in steps of the grid, for which noise redrawn until the sum is in [0, 1] is
// 3/2-private at sensitivity 1/4. TestBoundedScale checks it.
const boundedScale = 252

// bounded returns a function that adds noise to 0 or 1/4 and redraws the noise until the sum is in [0, 1]. The scale is
// in steps of the grid.
func bounded(scale uint64) func(bool, rand.Source) string {
	return func(second bool, src rand.Source) string {
		for {
			if y := choose[int64](second, 0, unit/4) + sampling.DiscreteLaplace(scale, src); 0 <= y && y <= unit {
				return number(float64(y) / unit)
			}
		}
	}
}

// clippedVector adds noise to a vector of four numbers, clipped to norm 1.
func clippedVector(scale float64) func(bool, rand.Source) string {
	return func(second bool, src rand.Source) string {
		var items [4]string
		for i := range items {
			items[i] = number(choose(second, -.5, .5) + onGrid(scale, src))
		}
		return audit.Tuple(items[:])
	}
}

// gradientSteps is the number of grid steps from 0 to 1 for gradients. gradientSigma is the standard deviation of the
// noise in steps. Gaussian noise with it is (1, 1/1000)-private at sensitivity 1; TestGradientSigma checks it.
const gradientSteps, gradientSigma = 64, 168

// gradient adds Gaussian noise to the sum of a batch of eight clipped gradients, one of which is 1 or missing.
func gradient(sigma int64) func(bool, rand.Source) string {
	law, err := sampling.NewDiscreteGaussian(big.NewRat(sigma*sigma, 1))
	if err != nil {
		panic(err) // the constants above are in its range
	}
	return func(second bool, src rand.Source) string {
		sum := choose(second, 0, 1.)
		return number(sum + float64(law.Draw(src).Int64())/gradientSteps)
	}
}

// numbers returns the mechanisms whose noise has the wrong scale or bits, and the right mechanisms of these tasks.
func numbers() []*Mechanism {
	return []*Mechanism{
		{
			Name: "laplace_doubles", Draws: few, Claim: claim("1", "0"), Pair: audit.Pair{"0", "1"},
			What:   "Laplace noise -log(u) in float64: the sum with 1 rounds, and the bits show it",
			Source: "Mironov, CCS 2012; diffprivlib issue 19, opendp issue 414",
			sample: func(second bool, src rand.Source) string {
				r := rand.New(src)
				return number(choose(second, 0, 1.) + choose(r.IntN(2) == 0, -1, 1.)*math.Log(1-r.Float64()))
			},
		},
		{
			Name: "laplace_grid", Right: true, Draws: few, Claim: claim("1", "0"), Pair: audit.Pair{"0", "1"},
			What:   "two-sided geometric noise on a grid that the inputs are on",
			Source: "Ghosh, Roughgarden and Sundararajan, STOC 2009; Google, Secure Noise Generation, 2020",
			sample: func(second bool, src rand.Source) string { return number(choose(second, 0, 1.) + onGrid(1, src)) },
		},
		{
			Name: "bounded_naive", Draws: many, Claim: claim("3/2", "0"), Pair: audit.Pair{"0", "1/4"},
			What:   "noise drawn again until the sum is in [0, 1], at the scale Δ/ε of unbounded noise",
			Source: "Holohan and others, J. Privacy and Confidentiality 2020",
			sample: bounded(unit/6 + 1),
		},
		{
			Name: "bounded", Right: true, Draws: many, Claim: claim("3/2", "0"), Pair: audit.Pair{"0", "1/4"},
			What:   "the same, at the scale that pays for both normalisations",
			Source: "Holohan and others, J. Privacy and Confidentiality 2020; diffprivlib LaplaceBoundedDomain",
			sample: bounded(boundedScale),
		},
		{
			Name: "vector_euclidean", Draws: many, Claim: claim("2", "0"), Pair: audit.Pair{"(1/2, 1/2, 1/2, 1/2)", "(-1/2, -1/2, -1/2, -1/2)"},
			What:   "Laplace noise on each number of a vector, for its sensitivity 2 in the Euclidean norm",
			Source: "Krishna and others (ADePT) 2021, by Habernal, EMNLP 2021",
			sample: clippedVector(1),
		},
		{
			Name: "vector", Right: true, Draws: many, Claim: claim("2", "0"), Pair: audit.Pair{"(1/2, 1/2, 1/2, 1/2)", "(-1/2, -1/2, -1/2, -1/2)"},
			What:   "the same, for its sensitivity 4 in the sum of absolute values",
			Source: "Habernal, EMNLP 2021",
			sample: clippedVector(2),
		},
		{
			Name: "gradient_batch", Draws: few, Claim: claim("1", "1/1000"), Pair: audit.Pair{"seven gradients", "eight gradients"},
			What:   "the noise of a clipped sum is divided by the batch size 8, as if its sensitivity were",
			Source: "Stevens and others 2022, by Tramèr and others, arXiv:2202.12219",
			sample: gradient(gradientSigma / 8),
		},
		{
			Name: "gradient", Right: true, Draws: few, Claim: claim("1", "1/1000"), Pair: audit.Pair{"seven gradients", "eight gradients"},
			What:   "Gaussian noise for the clipping norm",
			Source: "Abadi and others, CCS 2016; Balle and Wang, ICML 2018",
			sample: gradient(gradientSigma),
		},
	}
}
