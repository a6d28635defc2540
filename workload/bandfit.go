package workload

import (
	"context"
	"math"

	"dpworkbench/internal/parallel"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// mostBandWork bounds n²·bands, to which the cost of a step of fitBanded is proportional.
const mostBandWork = 1 << 28

// A bandMatrix is a lower triangular matrix with entries within bands of the diagonal: entry (i, i−d) is at d·n + i−d.
// So each diagonal is contiguous, in the order of its columns.
type bandMatrix struct {
	n, bands int
	data     []float64
}

func (m bandMatrix) diagonal(d int) []float64 { return m.data[d*m.n : d*m.n+m.n-d] }

// normalised returns the matrix with columns scaled to norm 1, and their former norms.
func (m bandMatrix) normalised() (out bandMatrix, norms []float64) {
	out = bandMatrix{m.n, m.bands, append([]float64(nil), m.data...)}
	norms = make([]float64, m.n)
	for d := range m.bands {
		for j, v := range m.diagonal(d) {
			norms[j] += float64(v * v)
		}
	}
	for j, v := range norms {
		norms[j] = math.Sqrt(v)
	}
	for d := range m.bands {
		floats.Div(out.diagonal(d), norms[:m.n-d])
	}
	return out, norms
}

// dense returns the matrix with all its entries.
func (m bandMatrix) dense() *mat.Dense {
	out := mat.NewDense(m.n, m.n, nil)
	for d := range m.bands {
		for j, v := range m.diagonal(d) {
			out.Set(j+d, j, v)
		}
	}
	return out
}

// fitBanded returns a local minimum of the error over banded encoders with columns of norm 1 (Choquette-Choo and
// others, arXiv:2306.08153). The descent starts at the Toeplitz encoder with first column c. It assumes one
// participation, or bands that do not exceed the separation. Then all columns of a person are orthogonal and equally
// long. Power means approximate the largest variance.
func fitBanded(ctx context.Context, w, c series, bands int, o Objective) (*mat.Dense, error) {
	m := bandMatrix{len(c), bands, make([]float64, bands*len(c))}
	for d := range bands {
		for j := range m.diagonal(d) {
			m.data[d*m.n+j] = c[d]
		}
	}
	powers := []float64{1}
	if o == Max {
		powers = []float64{16, 256}
	}
	for _, power := range powers {
		x, err := descend(ctx, m.data, 60, 1e-5, func(x []float64) (float64, []float64) {
			return bandLoss(ctx, w, bandMatrix{m.n, bands, x}, power)
		})
		if err != nil {
			return nil, err
		}
		m.data = x
	}
	out, _ := m.normalised()
	return out.dense(), nil
}

// bandLoss returns the logarithm of the power mean of the answers' variances, and its gradient. C is raw with columns
// scaled to norm 1. Answer i has the variance v_i = ‖b_i‖² with b_iC = w_i. With Cλ_i = b_iᵀ, dv_i/dC = −2b_iᵀλ_iᵀ, of
// which only the entries within the bands count. The total work is 3n²·bands/2 operations.
func bandLoss(ctx context.Context, w series, raw bandMatrix, power float64) (float64, []float64) {
	c, norms := raw.normalised()
	n := c.n
	bad := func() (float64, []float64) { return math.Inf(1), make([]float64, len(raw.data)) }
	first := c.diagonal(0)
	for _, v := range first {
		if !(v > 0) {
			return bad()
		}
	}
	b, v := mat.NewDense(n, n, nil), make([]float64, n)
	if parallel.Chunks(ctx, n, 16, func(from, to int) error {
		for i := from; i < to; i++ {
			row := b.RawRowView(i)
			for j := i; j >= 0; j-- {
				s := w[i-j]
				for d := 1; d < c.bands && j+d <= i; d++ {
					s -= row[j+d] * c.data[d*n+j]
				}
				row[j] = s / first[j]
				v[i] += row[j] * row[j]
			}
		}
		return nil
	}) != nil {
		return bad()
	}
	most := floats.Max(v)
	weights, total := make([]float64, n), 0.0
	for i := range v {
		weights[i] = math.Pow(v[i]/most, power-1)
		total += weights[i] * v[i] / most
	}
	const piece = 64 // rows per partial sum; constant, so that rounding does not depend on the processors
	parts := make([][]float64, (n+piece-1)/piece)
	if parallel.Chunks(ctx, n, piece, func(from, to int) error {
		g, turned := make([]float64, len(raw.data)), make([]float64, n)
		for i := from; i < to; i++ {
			row := b.RawRowView(i)
			for j := range i + 1 { // forward substitution
				s := row[j]
				for d := 1; d < c.bands && d <= j; d++ {
					s -= c.data[d*n+j-d] * turned[j-d]
				}
				turned[j] = s / first[j]
			}
			scale := -2 * weights[i] / (total * most)
			for d := 0; d < c.bands && d <= i; d++ {
				to := g[d*n : d*n+i+1-d]
				for k := range to {
					to[k] += scale * row[k+d] * turned[k]
				}
			}
		}
		parts[from/piece] = g
		return nil
	}) != nil {
		return bad()
	}
	gradient := bandMatrix{n, c.bands, parts[0]}
	for _, g := range parts[1:] {
		floats.Add(gradient.data, g)
	}
	along := make([]float64, n) // each column's ⟨gradient, c⟩; normalisation removes it
	for d := range c.bands {
		for j, x := range gradient.diagonal(d) {
			along[j] += x * c.data[d*n+j]
		}
	}
	for d := range c.bands {
		for j, x := range gradient.diagonal(d) {
			gradient.data[d*n+j] = (x - along[j]*c.data[d*n+j]) / norms[j]
		}
	}
	value := math.Log(most) + math.Log(total/float64(n))/power
	if math.IsNaN(value) || floats.HasNaN(gradient.data) {
		return bad()
	}
	return value, gradient.data
}
