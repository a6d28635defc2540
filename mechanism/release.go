package mechanism

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/internal/draw"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
	"dpworkbench/internal/sampling"
	"dpworkbench/query"
)

// Release draws n outputs at dataset x, as indices in the range. Each value has exactly its probability: the
// sampler compares a uniform random number with the distribution function digit by digit, and refines both until
// they differ. A nil source is the operating system's generator, which a private release requires. A seeded source
// is for tests.
//
// It returns an error wrapping evidence.ErrParameter if x is no dataset, n is out of range, or m has no exact
// sampler: its probabilities must be rational, or sums of powers of e^{−ε}. It also returns the context's error.
func Release(ctx context.Context, m Mechanism, x, n int, src rand.Source) ([]int, error) {
	if err := checkDataset(m, x, n); err != nil {
		return nil, err
	}
	draw, err := sampler(ctx, m, x)
	if err != nil {
		return nil, err
	}
	src = sampling.Or(src)
	out := make([]int, n)
	for i := range out {
		if i%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if out[i], err = draw(src); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// sampler returns a function that draws from the law of x. It draws a group of values with equal probabilities,
// then one of its values.
func sampler(ctx context.Context, m Mechanism, x int) (func(rand.Source) (int, error), error) {
	weights, groups, err := weightsOf(ctx, m, x)
	if err != nil {
		return nil, err
	}
	law, err := sampling.NewLaw(weights...)
	if err != nil {
		return nil, err
	}
	return func(src rand.Source) (int, error) {
		k, err := law.Draw(src)
		if err != nil || groups == nil {
			return k, err
		}
		return groups[k][sampling.Uniform(src, uint64(len(groups[k])))], nil
	}, nil
}

// weightsOf returns the weights of the values at x, or of groups of values with equal weights.
func weightsOf(ctx context.Context, m Mechanism, x int) (weights []sampling.Number, groups [][]int, err error) {
	if l, ok := m.(layerWeigher); ok {
		weights, groups = l.layerWeights(x)
		return weights, groups, nil
	}
	weights = make([]sampling.Number, len(m.Query().Range()))
	known := make(map[string]sampling.Number)
	for r := range weights {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		if p, ok := m.Rational(x, r); ok {
			weights[r] = sampling.Rat(p)
			continue
		}
		law, ok := m.(exponentialLaw)
		if !ok {
			return nil, nil, errNoSampler(m)
		}
		weight, _, eps, ok := law.exponentials(x, r)
		if !ok {
			return nil, nil, errNoSampler(m)
		}
		weights[r] = weight.samplingNumber(eps, known)
	}
	return weights, nil, nil
}

func errNoSampler(m Mechanism) error {
	return parameter.Errorf("%s has no exact sampler: a release needs probabilities that are rational or sums of powers of e^{−ε}, and only bounds are known", m.Name())
}

// layerWeigher is a Layered, or a type of another package that embeds one.
type layerWeigher interface {
	layerWeights(x int) (weights []sampling.Number, values [][]int)
}

// layerWeights returns the weights of the nonempty layers of x, and their values.
func (m *Layered) layerWeights(x int) (weights []sampling.Number, values [][]int) {
	p := m.profileAt(m.profile[x])
	weights = make([]sampling.Number, len(p.layer))
	for k, layer := range p.layer {
		offset := big.NewRat(int64(layer)-int64(p.layer[0]), 1)
		weights[k] = sampling.Int(int64(p.count[k])).Mul(sampling.Decay(m.decay, offset))
	}
	values = make([][]int, len(p.layer))
	at := make(map[int32]int, len(p.layer))
	for k, layer := range p.layer {
		at[layer] = k
	}
	for r, layer := range m.row(x) {
		if layer != query.Unreached {
			values[at[layer]] = append(values[at[layer]], r)
		}
	}
	return weights, values
}

// samplingNumber returns the sum as a number of arbitrary precision. It caches the powers in known.
func (s ExpSum) samplingNumber(eps evidence.Epsilon, known map[string]sampling.Number) sampling.Number {
	terms := make([]sampling.Number, len(s.terms))
	for i, v := range s.terms {
		key := v.t.RatString()
		power, ok := known[key]
		if !ok {
			power = sampling.Decay(eps, v.t)
			known[key] = power
		}
		terms[i] = sampling.Rat(v.c).Mul(power)
	}
	return sampling.Sum(terms...)
}

// maxDraws bounds the draws of one call, to 2 GiB.
const maxDraws = 1 << 28

// CheckDraws returns an error wrapping evidence.ErrParameter unless n draws are allowed in one call.
func CheckDraws(n int) error {
	if n < 0 || n > maxDraws {
		return parameter.Bad("n", n, "0…%d", maxDraws)
	}
	return nil
}

// checkDataset returns an error wrapping evidence.ErrParameter unless x is a dataset of m's query and n draws are
// allowed.
func checkDataset(m Mechanism, x, n int) error {
	if x < 0 || x >= m.Query().Size() {
		return parameter.Bad("x", x, "a dataset, 0…%d", m.Query().Size()-1)
	}
	return CheckDraws(n)
}

// Sample simulates n outputs at dataset x, as indices in the range. It inverts the float64 distribution function,
// with the error of [draw.Law]. It is for research; [Release] draws values to publish.
//
// It returns an error wrapping evidence.ErrParameter if x is no dataset or n is out of range.
func Sample(m Mechanism, x, n int, src rand.Source) ([]int, error) {
	if err := checkDataset(m, x, n); err != nil {
		return nil, err
	}
	size := len(m.Query().Range())
	law := make(draw.Law, 0, size)
	for r := range size {
		law.Add(math.Exp(m.LogProb(x, r)))
	}
	rng := rand.New(src)
	out := lists.Of(n, func(int) int { return law.Draw(rng) })
	return out, nil
}
