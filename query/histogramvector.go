package query

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"dpworkbench/internal/parameter"
	"dpworkbench/matrix"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Examples 4 to 6 of Wu et al., Section 3.5, on histograms: values that are no numbers, with
// metrics of their own.

// Cumulative returns the query whose value is a function (Example 6): the empirical
// distribution function on the grid of types, i ↦ the share of records of type at most i, and 0
// everywhere for no records; a tuple. Functions are compared by a norm of their difference on
// the grid: MaxNorm is the sup distance.
func (h *Histograms) Cumulative(norm Norm) (*Query, error) {
	return h.vectorQuery("distribution function", norm, func(counts []int, total int) ([]*big.Rat, error) {
		out := make([]*big.Rat, len(counts))
		sum := 0
		for i, c := range counts {
			sum += c
			if out[i] = new(big.Rat); total > 0 {
				out[i].SetFrac64(int64(sum), int64(total))
			}
		}
		return out, nil
	})
}

// vectorQuery is the query of a vector of rational numbers that a dataset has.
func (h *Histograms) vectorQuery(name string, norm Norm, of func(counts []int, total int) ([]*big.Rat, error)) (*Query, error) {
	values := make([]Value, h.Size())
	var vectors [][]*big.Rat
	var rng []Value
	seen := make(map[string]bool)
	for x := range values {
		counts := h.Dataset(x)
		total := 0
		for _, c := range counts {
			total += c
		}
		v, err := of(counts, total)
		if err != nil {
			return nil, err
		}
		t := make(Tuple, len(v))
		for i, q := range v {
			t[i] = RationalValue(q)
		}
		values[x] = t
		if !seen[t.key()] {
			seen[t.key()] = true
			if rng, vectors = append(rng, t), append(vectors, v); len(rng) > maxEuclideanRange {
				return nil, parameter.Errorf("%s has more than %d different values", name, maxEuclideanRange)
			}
		}
	}
	metric, err := VectorMetric(vectors, norm)
	if err != nil {
		return nil, err
	}
	return New(name, h.space, values, rng, ValueMetric{Rational: metric, proven: true})
}

// Classifier returns the query whose value is a classifier (Example 5): a record's type says
// what it looks like and its label, labels[type]; classifiers[k][type] is what classifier k
// makes of it. The value is the classifier with the fewest errors on the records, the first
// among several, as the tuple of its answers. Two are as far apart as the share of types,
// weighted by weights (nil for 1/types each), on which they disagree.
//
// It returns an error wrapping evidence.ErrParameter where there is not one label per type or
// one answer per classifier and type, two classifiers are the same, or a weight is not
// positive.
func (h *Histograms) Classifier(labels []int, classifiers [][]int, weights []*big.Rat) (*Query, error) {
	if len(labels) != h.types {
		return nil, parameter.Errorf("labels has %d entries, want %d, one per type", len(labels), h.types)
	}
	if len(classifiers) == 0 || len(classifiers) > maxEuclideanRange {
		return nil, parameter.Errorf("classifiers has %d entries, want 1…%d", len(classifiers), maxEuclideanRange)
	}
	if weights == nil {
		weights = slices.Repeat([]*big.Rat{big.NewRat(1, int64(h.types))}, h.types)
	}
	if len(weights) != h.types {
		return nil, parameter.Errorf("weights has %d entries, want %d, one per type", len(weights), h.types)
	}
	for t, w := range weights {
		if w == nil || w.Sign() <= 0 {
			return nil, parameter.Errorf("weights[%d] is not positive, want a weight of errors on that type", t)
		}
	}
	rng := make([]Value, len(classifiers))
	metric := make([][]*big.Rat, len(classifiers))
	for k, c := range classifiers {
		if len(c) != h.types {
			return nil, parameter.Errorf("classifiers[%d] has %d answers, want %d, one per type", k, len(c), h.types)
		}
		rng[k] = Counts(slices.Clone(c))
		metric[k] = make([]*big.Rat, len(classifiers))
		for l := range classifiers {
			metric[k][l] = new(big.Rat)
		}
		for l, other := range classifiers[:k] {
			if slices.Equal(c, other) {
				return nil, parameter.Errorf("classifiers[%d] repeats classifiers[%d]", k, l)
			}
			d := new(big.Rat)
			for t := range c {
				if c[t] != other[t] {
					d.Add(d, weights[t])
				}
			}
			metric[k][l], metric[l][k] = d, d
		}
	}
	values := make([]Value, h.Size())
	for x := range values {
		best, least := 0, math.MaxInt
		for k, c := range classifiers {
			if e := countErrors(h.Dataset(x), labels, c); e < least {
				best, least = k, e
			}
		}
		values[x] = rng[best]
	}
	return New(fmt.Sprintf("best of %d classifiers", len(classifiers)), h.space, values, rng, ValueMetric{Rational: metric, proven: true})
}

// errorsOf counts the records that a classifier gets wrong.
func countErrors(counts, labels, answers []int) (wrong int) {
	for t, c := range counts {
		if labels[t] != answers[t] {
			wrong += c
		}
	}
	return wrong
}

// pcaDigits is how many binary digits of the entries of a component are kept.
const pcaBits = 20

// Principal returns the query whose value is the first k principal components of the records
// (Example 4), a record of type i being vectors[i]: the orthonormal eigenvectors of
// Σ counts[i] v vᵀ with the largest eigenvalues, without centering, row after row in one tuple. Each
// is made unique: within an eigenspace the coordinate axes, the first first, are projected and
// orthonormalised. Entries are rounded to multiples of 2⁻²⁰, which is part of the query, so
// that values are rational; two are as far apart as the Frobenius norm of their difference,
// rounded up as in VectorMetric (with k = 1 that is the spectral norm, too).
//
// It returns an error wrapping evidence.ErrParameter where there is not one vector per type, all
// of one length from 1 to 16, with entries of −1000 to 1000, or k is not 1 to that length.
func (h *Histograms) Principal(vectors [][]int, k int) (*Query, error) {
	if len(vectors) != h.types {
		return nil, parameter.Errorf("vectors has %d rows, want %d, one per type", len(vectors), h.types)
	}
	m := len(vectors[0])
	if m < 1 || m > 16 {
		return nil, parameter.Errorf("vectors[0] has %d entries, want 1 to 16", m)
	}
	for i, v := range vectors {
		if len(v) != m {
			return nil, parameter.Errorf("vectors[%d] has %d entries, want %d", i, len(v), m)
		}
		for j, e := range v {
			if e < -1000 || e > 1000 {
				return nil, parameter.Errorf("vectors[%d][%d] = %d, want -1000…1000", i, j, e)
			}
		}
	}
	if k < 1 || k > m {
		return nil, parameter.Bad("k", k, "1…%d, the length of the vectors", m)
	}
	known := make(map[string][]*big.Rat)
	return h.vectorQuery(fmt.Sprintf("%d principal components", k), EuclideanNorm, func(counts []int, _ int) ([]*big.Rat, error) {
		gram := make([]float64, m*m) // whole numbers
		for t, c := range counts {
			for i := range m {
				for j := range m {
					gram[i*m+j] += float64(c * vectors[t][i] * vectors[t][j])
				}
			}
		}
		key := fmt.Sprint(gram)
		if v, ok := known[key]; ok {
			return v, nil
		}
		rows, err := components(gram, m)
		if err != nil {
			return nil, err
		}
		out := make([]*big.Rat, 0, k*m)
		for _, row := range rows[:k] {
			for _, e := range row {
				out = append(out, new(big.Rat).SetFrac(big.NewInt(int64(math.Round(math.Ldexp(e, pcaBits)))), big.NewInt(1<<pcaBits)))
			}
		}
		known[key] = out
		return out, nil
	})
}

// components returns the orthonormal eigenvectors of a symmetric matrix of whole numbers, by
// falling eigenvalue, made unique as Principal says.
func components(a []float64, m int) ([][]float64, error) {
	values, v, err := matrix.Decompose(mat.NewDense(m, m, a))
	if err != nil {
		return nil, err
	}
	scale := max(1, slices.Max(a), -slices.Min(a))
	var out [][]float64
	for from := 0; from < m; {
		to := from + 1 // eigenvalues of one space: whole matrices' are equal, or far apart
		for to < m && values[from]-values[to] < 1e-9*scale {
			to++
		}
		for axis := 0; axis < m && len(out) < to; axis++ {
			u := make([]float64, m)
			for k := from; k < to; k++ { // the projection of the axis
				floats.AddScaled(u, v.At(axis, k), mat.Col(nil, k, v))
			}
			for _, w := range out[from:] {
				floats.AddScaled(u, -floats.Dot(u, w), w)
			}
			if norm := floats.Norm(u, 2); norm >= 1e-6 {
				floats.Scale(1/norm, u)
				out = append(out, u)
			}
		}
		from = to
	}
	return out, nil
}
