package signrp

import (
	"cmp"
	"context"
	"math"
	"math/big"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/internal/parallel"
	"dpworkbench/internal/parameter"
)

// Column describes what [EstimatePPlus] estimates: the law of a column w of W, the data u and β.
type Column struct {
	Kind Kind    // law of W's entries, not OPORP
	S    float64 // sparsity of Sparse, ignored elsewhere
	U    []float64
	Beta float64 // the largest change of a coordinate between neighbors
}

// EstimatePPlus estimates P₊ of (9), Pr(β max|w_i| ≥ |wᵀu|), from the given number of draws of the column w, with a
// Hoeffding interval of confidence 1 − 1e-6. For every multiple n of 4096, stream n serves the draws from n to n +
// 4095. It returns an error wrapping evidence.ErrParameter if u is empty or leaves [−1, 1], the kind or s is invalid, β
// is not positive and finite, or draws is not in 1…2³⁶. It polls ctx.
func EstimatePPlus(ctx context.Context, c Column, draws int, streams Streams) (evidence.Estimated, error) {
	const most = 1 << 36
	if draws < 1 || draws > most {
		return evidence.Estimated{}, parameter.Bad("draws", draws, "1…%d", most)
	}
	w, err := NewProjection(c.Kind, max(len(c.U), 1), 1, ProjectionOptions{Sparsity: c.S, Seed: 0}) // only its law is used
	if err != nil {
		return evidence.Estimated{}, err
	}
	if err := cmp.Or(checkVector("u", c.U, w.p), parameter.Positive("beta", c.Beta)); err != nil {
		return evidence.Estimated{}, err
	}
	inside := make([]int, (draws+chunkDraws-1)/chunkDraws)
	done := parallel.Count(ctx, int64(draws), "draws")
	err = parallel.Chunks(ctx, draws, chunkDraws, func(first, last int) error {
		rng := rand.New(streams(uint64(first)))
		for range last - first {
			if w.within(rng, c.U, c.Beta) {
				inside[first/chunkDraws]++
			}
		}
		done(int64(last - first))
		return nil
	})
	if err != nil {
		return evidence.Estimated{}, err
	}
	total := 0
	for _, n := range inside {
		total += n
	}
	const alpha = 1e-6
	p := float64(total) / float64(draws)
	radius := math.Sqrt(math.Log(2/alpha) / 2 / float64(draws)) // Hoeffding 1963, Theorem 1
	return evidence.Estimated{
		Value: p, Lo: math.Max(0, p-radius), Hi: math.Min(1, p+radius), Confidence: 1 - alpha,
		Draws: draws, Provenance: evidence.From(pplusSource),
	}, nil
}

const chunkDraws = 1 << 12

// within draws one column w and reports whether β max|w_i| ≥ |wᵀu|. Entries of a sparse or Rademacher w are 0 or have
// one size, so equality is common. If rounding does not decide, the decimals do.
func (w *Projection) within(rng *rand.Rand, u []float64, beta float64) bool {
	if w.kind == Gaussian || w.kind == Uniform {
		sum, largest := 0.0, 0.0
		for _, c := range u {
			v := w.entry(rng)
			sum, largest = sum+float64(c*v), math.Max(largest, math.Abs(v))
		}
		return beta*largest >= math.Abs(sum)
	}
	signs := make([]int8, len(u))
	sum, size := 0.0, 0.0
	for i, c := range u {
		switch v := w.entry(rng); {
		case v > 0:
			sum, size, signs[i] = sum+c, size+math.Abs(c), 1
		case v < 0:
			sum, size, signs[i] = sum-c, size+math.Abs(c), -1
		}
	}
	if slack := float64(len(u)+4) * ulp * (size + beta); math.Abs(math.Abs(sum)-beta) > slack {
		return math.Abs(sum) < beta || size == 0
	}
	exact := new(big.Rat)
	for i, s := range signs {
		if s != 0 {
			exact.Add(exact, new(big.Rat).Mul(big.NewRat(int64(s), 1), exactDecimal(u[i])))
		}
	}
	return exact.Abs(exact).Cmp(exactDecimal(beta)) <= 0
}

// entry draws one entry of W.
func (w *Projection) entry(rng *rand.Rand) float64 {
	switch w.kind {
	case Gaussian:
		return rng.NormFloat64()
	case Uniform:
		return math.Sqrt(3) * (2*rng.Float64() - 1)
	case Sparse:
		switch v := rng.Float64() * w.s; {
		case v < 0.5:
			return math.Sqrt(w.s)
		case v < 1:
			return -math.Sqrt(w.s)
		}
		return 0
	}
	return float64(int(rng.Uint32()&1)*2 - 1)
}
