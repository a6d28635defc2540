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

// This file has Examples 4 to 6 of Wu et al., Section 3.5: queries on histograms with vectors as values.

// Cumulative returns the query whose value is the empirical distribution function (Example 6): a tuple with the
// share of records of type at most i, for each type i; 0 everywhere if there are no records. The value metric is
// the norm of the difference. MaxNorm is the Kolmogorov distance.
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

// vectorQuery returns the query whose value is the vector of rational numbers that the function of returns for a
// histogram.
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
				return nil, parameter.Errorf("%s has more than %d different values, want fewer", name, maxEuclideanRange)
			}
		}
	}
	metric, err := VectorMetric(vectors, norm)
	if err != nil {
		return nil, err
	}
	return New(name, h.space, values, rng, ValueMetric{Rational: metric, proven: true})
}

// Classifier returns the query whose value is the best of the given classifiers (Example 5). A record's type stands for
// its features and its label, labels[type]. Classifier k predicts classifiers[k][type]. The value is the classifier
// with the fewest errors on the records, as the tuple of its predictions. Among several such classifiers it is the
// first. The distance of two classifiers is the share of types on which they differ, weighted by weights; nil weights
// are 1/types each.
//
// It returns an error wrapping evidence.ErrParameter unless there is one label per type and one prediction per
// classifier and type, the classifiers are distinct, and the weights are positive.
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
		if err := checkWeight(t, w); err != nil {
			return nil, err
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

// countErrors returns the number of records that a classifier predicts wrongly.
func countErrors(counts, labels, answers []int) (wrong int) {
	for t, c := range counts {
		if labels[t] != answers[t] {
			wrong += c
		}
	}
	return wrong
}

// pcaBits is the number of fractional bits of the entries of a component.
const pcaBits = 20

// Principal returns the query whose value is the first k principal components of the records (Example 4). A record
// of type i is vectors[i]. The components are the orthonormal eigenvectors of Σ counts[i] v vᵀ with the largest
// eigenvalues, without centering, row after row in one tuple. To make them unique, the coordinate axes are
// projected onto each eigenspace in order and orthonormalized. Entries are rounded to multiples of 2⁻²⁰, so that
// values are rational; the rounding is part of the query. The metric is the Frobenius norm of the difference,
// rounded up as in VectorMetric. For k = 1 it is also the spectral norm.
//
// It returns an error wrapping evidence.ErrParameter unless there is one vector per type, all of the same length
// from 1 to 16, with entries from −1000 to 1000, and k is between 1 and that length.
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
		gram := make([]float64, m*m) // integers
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

// components returns the orthonormal eigenvectors of a symmetric integer matrix by descending eigenvalue, made
// unique as Principal says.
func components(a []float64, m int) ([][]float64, error) {
	values, v, err := matrix.Decompose(mat.NewDense(m, m, a))
	if err != nil {
		return nil, err
	}
	scale := max(1, slices.Max(a), -slices.Min(a))
	var out [][]float64
	for from := 0; from < m; {
		to := from + 1 // eigenvalues of an integer matrix are equal or well separated
		for to < m && values[from]-values[to] < 1e-9*scale {
			to++
		}
		for axis := 0; axis < m && len(out) < to; axis++ {
			u := make([]float64, m)
			for k := from; k < to; k++ { // project the axis
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
