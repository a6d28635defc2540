package signrp

import (
	"context"
	"math"
	"math/rand/v2"

	"dpworkbench/internal/lists"
	"dpworkbench/internal/parallel"
)

// Output is the released answer for one vector: numbers, or signs ±1.
type Output struct {
	Numbers []float64
	Signs   []int8
}

// Sample simulates the answer for u in float64: its projection with noise, or its signs, some of them flipped. It
// is for research; [Release.Draw] draws what is published. It returns an error wrapping evidence.ErrParameter
// unless u has p entries in [−1, 1], or ctx's error if it ends.
func (r *Release) Sample(ctx context.Context, u []float64, src rand.Source) (Output, error) {
	if err := checkVector("u", u, r.p); err != nil {
		return Output{}, err
	}
	if r.w == nil {
		return Output{Numbers: r.addNoise(append([]float64(nil), u...), rand.New(src))}, nil
	}
	at, err := r.w.at(ctx, u, r.beta)
	if err != nil {
		return Output{}, err
	}
	if r.rule == numbers {
		x := append([]float64(nil), at.d...)
		r.w.scaleByRootK(x)
		return Output{Numbers: r.addNoise(x, rand.New(src))}, nil
	}
	l, err := r.law(ctx, at, norm(u))
	if err != nil {
		return Output{}, err
	}
	return Output{Signs: l.draw(rand.New(src))}, nil
}

func (r *Release) addNoise(x []float64, rng *rand.Rand) []float64 {
	for j := range x {
		x[j] += float64(r.sigma.Hi * rng.NormFloat64())
	}
	return x
}

// draw returns one sign per bit.
func (l *law) draw(rng *rand.Rand) []int8 {
	out := make([]int8, len(l.level))
	for j, level := range l.level {
		s := int8(1)
		switch {
		case l.fixed != nil && l.fixed[j]:
			if level < 0 {
				s = -1
			}
		case l.normal:
			if l.z[j]+rng.NormFloat64() < 0 {
				s = -1
			}
		default:
			if rng.Float64() >= 1/(1+math.Exp(-float64(level)*l.eps.Value())) {
				s = -1
			}
		}
		out[j] = s
	}
	return out
}

// Streams returns sources of randomness by number, for vectors released in parallel. Stream n, such as
// draw.Source(seed, n), is the same at every call and independent of the others. It must be safe for concurrent
// use.
type Streams func(n uint64) rand.Source

// SampleAll simulates the answer for every vector of data, vector v from stream v, on all
// processors. Errors as Sample.
func (r *Release) SampleAll(ctx context.Context, data [][]float64, streams Streams) ([]Output, error) {
	out := make([]Output, len(data))
	done := parallel.Count(ctx, int64(len(data)), "vectors released")
	err := parallel.Chunks(ctx, len(data), 32, func(first, last int) (err error) {
		for v := first; v < last; v++ {
			if out[v], err = r.Sample(ctx, data[v], streams(uint64(v))); err != nil {
				return err
			}
		}
		done(int64(last - first))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// SampleRows is SampleAll in numbers: signs are 1 and −1.
func (r *Release) SampleRows(ctx context.Context, data [][]float64, streams Streams) ([][]float64, error) {
	out, err := r.SampleAll(ctx, data, streams)
	if err != nil {
		return nil, err
	}
	return lists.Each(out, func(o Output) []float64 {
		if !r.Signs() {
			return o.Numbers
		}
		return lists.Each(o.Signs, func(s int8) float64 { return float64(s) })
	}), nil
}
