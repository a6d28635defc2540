package xor

import (
	"context"
	"math"
	"sync/atomic"

	"dpworkbench/evidence"
)

// Enumeration is what visiting all states of a law tells, each number with a
// relative error of at most 1e-12 and its bounds (LogNormalizer: an absolute
// error, plus that of its own rounding).
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
	ones []wide  // zero where no state has t ones, which never happens
	rel  float64 // relative error of each
}

// Enumerate visits all 2^{NP} states. It returns an error wrapping ErrParameter
// where NP exceeds MaxStates, and ctx's error, within milliseconds, where ctx
// is done before.
func (b *Bernoulli) Enumerate(ctx context.Context, opts Options) (*Enumeration, error) {
	s := b.cache.Load()
	if s == nil {
		diag, rows, err := b.dense(nil)
		if err != nil {
			return nil, err
		}
		if s, err = enumerate(ctx, diag, rows, opts); err != nil {
			return nil, err
		}
		b.cache.Store(s)
	}
	e := s.report()
	e.States = 1 << b.Dim()
	return e, nil
}

// dense returns the diagonal and the rows of the given bits, of all where nil.
// It refuses more than MaxStates bits.
func (b *Bernoulli) dense(keep []int) (diag []float64, rows [][]float64, err error) {
	d := b.Dim()
	if keep == nil {
		if d > MaxStates {
			_, err := newSplit(make([]float64, d), nil)
			return nil, nil, err
		}
		keep = make([]int, d)
		for k := range keep {
			keep[k] = k
		}
	}
	if len(keep) > MaxStates {
		_, err := newSplit(make([]float64, len(keep)), nil)
		return nil, nil, err
	}
	full := make([]float64, d)
	for _, k := range keep {
		clear(full)
		b.AddRow(k, 1, full)
		row := make([]float64, len(keep))
		for i, j := range keep {
			row[i] = full[j]
		}
		diag, rows = append(diag, b.Diagonal(k)), append(rows, row)
	}
	return diag, rows, nil
}

// enumerate sums the weights of all states by number of ones: with plain
// float64 where they fit, with separate exponents elsewhere.
func enumerate(ctx context.Context, diag []float64, rows [][]float64, opts Options) (*sum, error) {
	s, err := newSplit(diag, rows)
	if err != nil {
		return nil, err
	}
	lo, hi := exponentBounds(diag, rows)
	t := s.prefix()
	parts, size := 1<<t, uint64(1)<<(len(diag)-t)
	if f := newFast(s, lo, hi); f != nil {
		accs := make([][]pair, parts)
		ok, err := runParts(ctx, parts, size, opts, func(i int, stop *atomic.Bool) bool {
			w := newWalker(f, stop)
			accs[i] = w.acc
			return w.prefix(uint(i), t)
		})
		if err != nil {
			return nil, err
		}
		if ok {
			out := &sum{rel: s.relative()}
			for c := range len(diag) + 1 {
				var total pair
				for _, acc := range accs {
					total.addPair(acc[c])
				}
				out.ones = append(out.ones, newWide(total.value()))
			}
			return out, nil
		}
	}
	base, ratio := newVector(s.base), make([]vector, 0, s.high)
	for _, r := range s.ratio {
		ratio = append(ratio, newVector(r))
	}
	accs := make([][]scaled, parts)
	if _, err := runParts(ctx, parts, size, opts, func(i int, stop *atomic.Bool) bool {
		w := newWideWalker(s, base, ratio, stop)
		accs[i] = w.acc
		w.prefix(uint(i), t)
		return true
	}); err != nil {
		return nil, err
	}
	out := &sum{rel: s.relative()}
	for c := range len(diag) + 1 {
		total := scaled{e: none}
		for _, acc := range accs {
			total.addScaled(acc[c])
		}
		out.ones = append(out.ones, total.wide())
	}
	return out, nil
}

// scaledTo returns w·2⁻ᵉ, zero where that is below the normal numbers.
func (w wide) scaledTo(e int64) float64 {
	if w.m == 0 || w.e-e < -1000 {
		return 0
	}
	return math.Ldexp(w.m, int(w.e-e))
}

// report turns weights into evidence.
func (s *sum) report() *Enumeration {
	top := s.ones[0].e
	for _, w := range s.ones {
		top = max(top, w.e)
	}
	var z, m pair
	for t, w := range s.ones {
		v := w.scaledTo(top)
		z.add(v)
		m.add(float64(t) * v)
	}
	total := newWide(z.value())
	total.e += top
	// Weights that scaledTo drops are below 2⁻¹⁰⁰⁰ of the sum, beyond rel.
	rel := s.rel + 8*unit
	const method = "all states visited, roundings bounded"
	e := &Enumeration{}
	e.LogNormalizer = evidence.Certified{Method: method, Source: "equation (3)"}
	e.LogNormalizer.Lo, e.LogNormalizer.Hi = total.log(rel)
	e.MeanOnes = around(m.value()/z.value(), 2*rel, method, "Theorem 2")
	for _, w := range s.ones {
		p := around(w.scaledTo(top)/z.value(), 2*rel, method, "equation (2)")
		if p.Hi == 0 {
			p.Hi = 0x1p-990
		}
		e.Ones = append(e.Ones, p)
	}
	return e
}

// around encloses v·(1 ± rel) for v ≥ 0, with room for its own rounding.
func around(v, rel float64, method, source string) evidence.Certified {
	rel += 4 * unit
	return evidence.Certified{Lo: v * (1 - rel), Hi: v * (1 + rel), Method: method, Source: source}
}

// zeros encloses the mean number of zeros, without cancellation.
func (s *sum) zeros() evidence.Certified {
	top := s.ones[0].e
	for _, w := range s.ones {
		top = max(top, w.e)
	}
	var z, m pair
	for t, w := range s.ones {
		v := w.scaledTo(top)
		z.add(v)
		m.add(float64(len(s.ones)-1-t) * v)
	}
	return around(m.value()/z.value(), 2*(s.rel+8*unit), "all states visited, roundings bounded", "Theorem 2")
}

func down(v float64) float64 { return math.Nextafter(v, math.Inf(-1)) }
func up(v float64) float64   { return math.Nextafter(v, math.Inf(1)) }
