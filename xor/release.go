package xor

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/internal/sampling"
	"dpworkbench/interval"
)

// ReleaseOptions says how a release draws its noise. The zero value draws B by the method Auto.
type ReleaseOptions struct {
	Complement bool // the noise is 1 − B, which has the same privacy
	Method     Method
}

// Release returns query ⊕ B, the XOR mechanism (Definition 5). For a real release pass nil or NewCryptoSource(), the
// operating system's generator, which requires an exact method. Noise from a seed is not private: whoever finds the
// seed can reproduce it. It returns an error wrapping evidence.ErrParameter unless the query has the noise's shape, and
// the errors of Noise.
func Release(ctx context.Context, query *Bits, b *Bernoulli, opts ReleaseOptions, src rand.Source) (*Bits, Report, error) {
	if err := b.checkShape(query); err != nil {
		return nil, Report{}, err
	}
	if opts.Method == "" {
		opts.Method = Auto
	}
	noise, report, err := b.Noise(ctx, 1, opts.Method, sampling.Or(src))
	if err != nil {
		return nil, Report{}, err
	}
	return opts.apply(query, noise[0]), report, nil
}

// apply returns query ⊕ B, or query ⊕ (1 − B) = 1 − (query ⊕ B).
func (o ReleaseOptions) apply(query, noise *Bits) *Bits {
	out := query.xor(noise)
	if o.Complement {
		out = out.Complement()
	}
	return out
}

// FlipsOverHalf reports whether noise B, or 1 − B for the complement, certainly flips more than half of the bits on
// average. In terms of s = 2b − 1 a law is exp(h·s + sᵀJs) with fields h_k = Σ_j Π_kj/2. If all fields are equal, the
// mean of Σs has their sign. If no field and no association is negative, every mean is at least 0 (Griffiths 1967). For
// other laws of up to 2²⁰ states, FlipsOverHalf sums over the states of each part. It returns ctx's error.
func (b *Bernoulli) FlipsOverHalf(ctx context.Context, complement Variant) (bool, error) {
	if c := b.cols; c != nil {
		field := new(big.Rat).SetFloat64(c.lambda)
		field.Mul(field, big.NewRat(int64(c.n-1), 1)).Add(field, new(big.Rat).SetFloat64(c.theta))
		return field.Sign() != 0 && field.Sign() < 0 == complement, nil
	}
	states := 0.
	for _, bits := range b.Parts() {
		states += math.Exp2(float64(bits))
	}
	if states <= 1<<20 {
		rate, err := b.ErrorRate(ctx, 0, complement)
		return err == nil && rate.Lo > .5, ctx.Err()
	}
	return b.favors(complement), ctx.Err()
}

// favors reports whether one field has the sign of the variant, none has the other sign, and no association is
// negative.
func (b *Bernoulli) favors(complement Variant) bool {
	some, objects := false, b.coupled
	for object := range b.n { // one free object stands for all of them
		if _, found := slices.BinarySearch(b.coupled, object); !found {
			objects = append(slices.Clone(objects), object)
			break
		}
	}
	for _, object := range objects {
		for j := range b.p {
			field := new(big.Rat)
			add := func(v float64, own bool) bool {
				field.Add(field, new(big.Rat).SetFloat64(v))
				return own || v >= 0
			}
			for l, v := range b.theta[j*b.p : (j+1)*b.p] {
				if !add(v, l == j) {
					return false
				}
			}
			for _, link := range b.linksOf(object) {
				for _, v := range link.block[j*b.p : (j+1)*b.p] {
					if !add(v, false) {
						return false
					}
				}
			}
			if field.Sign() != 0 && field.Sign() < 0 != complement {
				return false
			}
			some = some || field.Sign() != 0
		}
	}
	return some
}

// Release returns query ⊕ B, the XOR mechanism with noise of this law. The state of B is drawn with exactly its
// probability. src is as in the function [Release]. It returns an error wrapping evidence.ErrParameter unless the query
// has the noise's shape and the probabilities are rational. It returns one wrapping sampling.ErrUndecided if a state
// would take more than sampling.MostBits digits.
func (l *NoiseLaw) Release(query *Bits, src rand.Source) (*Bits, error) {
	if n, p := query.Shape(); n != l.Rows || p != l.Columns {
		return nil, parameter.Errorf("the matrix is %d × %d, want %d × %d, the noise's shape", n, p, l.Rows, l.Columns)
	}
	if l.exact == nil {
		return nil, parameter.Errorf("a law of float64 weights has no exact sampler, want rational probabilities; an optimum has them if eps is the logarithm of a rational number and the program is solved exactly")
	}
	law, err := l.drawn()
	if err != nil {
		return nil, err
	}
	state, err := law.Draw(sampling.Or(src))
	if err != nil {
		return nil, err
	}
	noise := newBits(l.Rows, l.Columns)
	for k := range l.Rows * l.Columns {
		noise.Set(k/l.Columns, k%l.Columns, state>>k&1 == 1)
	}
	return query.xor(noise), nil
}

// ReleaseGraph is Algorithm 3: the XOR mechanism on an adjacency matrix A, then A ∧ Aᵀ without the diagonal, which is
// post-processing. It returns an error wrapping evidence.ErrParameter, naming the entry, unless the matrix is square,
// symmetric and zero on the diagonal, and the errors of Release.
func ReleaseGraph(ctx context.Context, adjacency *Bits, b *Bernoulli, opts ReleaseOptions, src rand.Source) (*Bits, Report, error) {
	if err := checkAdjacency(adjacency); err != nil {
		return nil, Report{}, err
	}
	noisy, report, err := Release(ctx, adjacency, b, opts, src)
	if err != nil {
		return nil, Report{}, err
	}
	return symmetrize(noisy), report, nil
}

func checkAdjacency(m *Bits) error {
	n, p := m.Shape()
	if n != p {
		return parameter.Errorf("the adjacency matrix is %d × %d, want a square matrix", n, p)
	}
	t := m.Transpose()
	for i := range n {
		for k, w := range m.Row(i) {
			if w != t.Row(i)[k] {
				for j := range n {
					if m.At(i, j) != m.At(j, i) {
						return parameter.Errorf("the adjacency matrix is not symmetric: entries (%d, %d) and (%d, %d) differ", i, j, j, i)
					}
				}
			}
		}
		if m.At(i, i) {
			return parameter.Errorf("the adjacency matrix has a loop at %d, want zeros on the diagonal", i)
		}
	}
	return nil
}

// Symmetrize returns A ∧ Aᵀ with a zero diagonal (line 3 of Algorithm 3). It
// returns an error wrapping evidence.ErrParameter unless m is square.
func Symmetrize(m *Bits) (*Bits, error) {
	if n, p := m.Shape(); n != p || n < 1 {
		return nil, parameter.Errorf("the matrix has %d × %d bits, want a square matrix", n, p)
	}
	return symmetrize(m), nil
}

// symmetrize is Symmetrize for a square matrix.
func symmetrize(m *Bits) *Bits {
	n, _ := m.Shape()
	out := m.Transpose()
	for k := range out.rows {
		out.rows[k] &= m.rows[k]
	}
	for i := range n {
		out.Set(i, i, false)
	}
	return out
}

// EdgeLeakage bounds what an observer who knows all other edges can believe about one edge: the largest posterior
// probability of either answer after an ε-edge-private release. priorOdds is Pr[a]/Pr[not a] for an answer a. The bound
// is ζe^ε/(ζe^ε + 1), where ζ is the larger of priorOdds and 1/priorOdds, and randomised response attains it. This is a
// correction of Theorem 4, which as printed takes the odds as given. The bound holds for the numbers given and for
// their shortest decimals. EdgeLeakage returns an error wrapping evidence.ErrParameter unless priorOdds is positive and
// finite.
func EdgeLeakage(eps evidence.Epsilon, priorOdds float64) (evidence.Certified, error) {
	if err := parameter.Positive("prior_ratio", priorOdds); err != nil {
		return evidence.Certified{}, err
	}
	return edgeLeakage(readingsOf(eps), priorOdds), nil
}

func edgeLeakage(eps interval.Interval, priorOdds float64) evidence.Certified {
	odds, one := interval.Readings(priorOdds), interval.Int(1)
	odds = interval.Max(odds, one.Quo(odds))
	least := interval.Float(1e6) // at 1e6 and above, the upper end rounds to 1
	if eps.Less(least) {
		least = eps
	}
	return evidence.WithSide(evidence.Enclosed(one.Quo(one.Add(least.Neg().Exp().Quo(odds))), "closed form", "Theorem 4, corrected"), evidence.Up)
}

// readingsOf encloses ε. If ε is a float64 or a float64's shortest decimal, it encloses both.
func readingsOf(eps evidence.Epsilon) interval.Interval {
	at := eps.Enclosure()
	if q, ok := eps.Rational(); ok {
		v, exact := q.Float64()
		if exact || !math.IsInf(v, 0) && interval.Decimal(v).Cmp(q) == 0 {
			return interval.Readings(v)
		}
	}
	return at
}
