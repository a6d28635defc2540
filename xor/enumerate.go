package xor

import (
	"context"
	"math"
	"slices"
	"sync/atomic"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// Enumeration is the result of visiting all states of a law. The bounds of each number are within a relative 1e-12 of
// it. For LogNormalizer the error is absolute, plus the rounding of the logarithm if the sum is above 2. The reading of
// the parameters widens the bounds further: see [Bernoulli.ForDecimals].
type Enumeration struct {
	States uint64
	// LogNormalizer is ln Σ exp(bᵀΠb), which is −ln C(Π) of equation (3).
	LogNormalizer evidence.Certified
	// MeanOnes is E‖B‖², Theorem 2's error rate times ‖f(D)‖².
	MeanOnes evidence.Certified
	// Ones[t] is Pr[‖B‖² = t].
	Ones []evidence.Certified
}

// sum is the raw result: the weight of all states with t ones.
type sum struct {
	ones []scaledFloat // zero if no state has t ones, which does not occur
	rel  float64       // relative error of each
	off  float64       // largest effect of the parameters' reading on an exponent, in nats
}

// Enumerate visits all 2^{NP} states. It returns an error wrapping evidence.ErrParameter if NP exceeds MaxStates.
// It returns ctx's error within milliseconds.
func (b *Bernoulli) Enumerate(ctx context.Context) (*Enumeration, error) {
	s := b.cache.Load()
	if s == nil {
		if err := checkStates(b.Dim()); err != nil {
			return nil, err
		}
		var err error
		diag, rows := b.dense(nil)
		if s, err = enumerate(ctx, diag, rows); err != nil {
			return nil, err
		}
		s.off = b.reading.exponents(diag, rows)
		b.cache.Store(s)
	}
	e := s.report()
	e.States = 1 << b.Dim()
	return e, nil
}

// dense returns the diagonal and the rows of Π on the bits keep, or on all bits if keep is nil. checkStates must accept
// their number.
func (b *Bernoulli) dense(keep []int) (diag []float64, rows [][]float64) {
	if keep == nil {
		keep = make([]int, b.Dim())
		for k := range keep {
			keep[k] = k
		}
	}
	for _, k := range keep {
		row := make([]float64, len(keep))
		b.couplings(k, func(j int, v float64) {
			if i := slices.Index(keep, j); i >= 0 {
				row[i] = v
			}
		})
		diag, rows = append(diag, b.Diagonal(k)), append(rows, row)
	}
	return diag, rows
}

// enumerate sums the weights of all states by number of ones.
func enumerate(ctx context.Context, diag []float64, rows [][]float64) (*sum, error) {
	s, err := newSplit(diag, rows, lowBits)
	if err != nil {
		return nil, err
	}
	return s.enumerate(ctx)
}

// enumerate uses plain float64 if the weights fit, and separate exponents otherwise.
func (s *split) enumerate(ctx context.Context) (*sum, error) {
	d, t := s.low+s.high, s.first
	parts, size := 1<<t, uint64(1)<<(d-t)
	if f := newFast(s); f != nil {
		accs := make([][]interval.DoubleDouble, parts)
		ok, err := runParts(ctx, parts, size, func(i int, stop *atomic.Bool) bool {
			w := newWalker(f, stop)
			accs[i] = w.acc
			return w.prefix(uint(i), t)
		})
		if err != nil {
			return nil, err
		}
		if ok {
			out := &sum{rel: s.relative()}
			for c := range d + 1 {
				var total interval.DoubleDouble
				for _, acc := range accs {
					total.AccumulateSum(acc[c])
				}
				out.ones = append(out.ones, newScaledFloat(total.Float()))
			}
			return out, nil
		}
	}
	base, ratio := newVector(s.base), []vector(nil)
	for _, r := range s.ratio {
		ratio = append(ratio, newVector(r))
	}
	accs := make([][]scaledSum, parts)
	if _, err := runParts(ctx, parts, size, func(i int, stop *atomic.Bool) bool {
		w := newScaledWalker(s, base, ratio, stop)
		accs[i] = w.acc
		w.prefix(uint(i), t)
		return true
	}); err != nil {
		return nil, err
	}
	out := &sum{rel: s.relative()}
	for c := range d + 1 {
		total := scaledSum{e: none}
		for _, acc := range accs {
			total.addSum(acc[c])
		}
		out.ones = append(out.ones, total.rounded())
	}
	return out, nil
}

const allStates = "all states visited, roundings bounded"

// report turns weights into evidence.
func (s *sum) report() *Enumeration {
	rel, total := s.rel+8*unit, s.total()
	e := &Enumeration{LogNormalizer: evidence.Certified{Provenance: evidence.From("equation (3)").By(allStates)}}
	rest := weigh(s.ones, func(t int) float64 { return float64(min(t, 1)) })
	e.LogNormalizer.Lo, e.LogNormalizer.Hi = logOnePlus(rest, rel, s.off, s.off)
	e.MeanOnes = s.mean(func(t int) float64 { return float64(t) })
	for _, w := range s.ones {
		e.Ones = append(e.Ones, ratio(w, total, 1, rel, s.off, math.Inf(1), allStates, "equation (2)"))
	}
	return e
}

func (s *sum) total() scaledFloat { return weigh(s.ones, func(int) float64 { return 1 }) }

// mean encloses the mean of f(number of ones). The values of f are integers from 0 to the number of bits.
func (s *sum) mean(f func(t int) float64) evidence.Certified {
	return ratio(weigh(s.ones, f), s.total(), float64(len(s.ones)-1), s.rel+8*unit, s.off, math.Inf(1), allStates, "Theorem 2")
}

// zeros encloses the mean number of zeros, without cancellation.
func (s *sum) zeros() evidence.Certified {
	return s.mean(func(t int) float64 { return float64(len(s.ones) - 1 - t) })
}

// atMost intersects an enclosure with an upper bound of the number.
func atMost(most float64, c evidence.Certified) evidence.Certified {
	c.Lo, c.Hi = math.Min(c.Lo, most), math.Min(c.Hi, most)
	return c
}
