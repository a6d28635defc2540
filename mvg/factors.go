package mvg

import (
	"context"
	"math/big"
	"math/bits"

	"dpworkbench/internal/parallel"
	"dpworkbench/internal/sampling"
	"dpworkbench/internal/wideint"
)

// factors are the integer factors of ℓνμᵀ (see joint.compute): m×m, m×n and n×n.
type factors struct {
	m, n, b, size int // |ν| ≤ 2^{b+size}
	left, right   *triangle
}

// A column returns, for j, the function that computes the entries of column j of ℓνμᵀ, in units of the 2^exp that longs
// or shorts returned. A column is used by one goroutine. An entry is valid until the next call.
type column func(j int) func(ctx context.Context, i int) (*big.Int, error)

// longs computes ℓνμᵀ with integers of any size. Entries are exact, in units of 2^exp.
func (f factors) longs(ctx context.Context, z []sampling.Real) (start func() column, exp int, err error) {
	v, err := converted(ctx, z, func(r *sampling.Real) *big.Int {
		lo, _ := r.Number()(f.b)
		return lo
	})
	dot := func(s span, x []*big.Int, sum, product *big.Int) *big.Int {
		sum.SetInt64(0)
		for k, v := range s.v {
			sum.Add(sum, product.Mul(v, x[s.first+k]))
		}
		return sum
	}
	return func() column {
		w, sum, product := make([]*big.Int, f.m), new(big.Int), new(big.Int)
		for k := range w {
			w[k] = new(big.Int)
		}
		return func(j int) func(ctx context.Context, i int) (*big.Int, error) {
			reach := reaching(f.left.rows, f.m, func(k int) { dot(f.right.rows[j], v[k*f.n:(k+1)*f.n], w[k], product) })
			return func(ctx context.Context, i int) (*big.Int, error) {
				err := reach(ctx, i)
				return dot(f.left.rows[i], w, sum, product), err
			}
		}
	}, -2*f.left.places - f.b, err
}

// reaching returns a function that calls row(k) for each row k that row i of the left factor multiplies, unless an
// earlier call did.
func reaching(left []span, m int, row func(k int)) func(ctx context.Context, i int) error {
	known := make([]bool, m)
	return func(ctx context.Context, i int) error {
		s := left[i]
		for k := s.first; k < s.first+len(s.v); k++ {
			if known[k] {
				continue
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			row(k)
			known[k] = true
		}
		return nil
	}
}

// converted returns the values of each at all normal numbers.
func converted[T any](ctx context.Context, z []sampling.Real, each func(r *sampling.Real) T) ([]T, error) {
	out := make([]T, len(z))
	return out, parallel.Chunks(ctx, len(z), batch, func(first, last int) error {
		for at := first; at < last; at++ {
			out[at] = each(&z[at])
		}
		return nil
	})
}

// fraction returns the number of fractional bits that shorts keeps of νμᵀ. The entries of νμᵀ are below √n·2^size·1.54,
// so they fit in 126 bits with their fractions.
func (f factors) fraction() int { return min(124-f.size-bits.Len(uint(f.n)), f.b+f.left.places) }

// short reports whether 128-bit integers suffice: entries of ν, μ and ℓ must be below 2^126, and the sums of products
// below 2^255. These sums are below 2^{b+size}·√n·1.54·2^places and 2^126·√m·1.54·2^places.
func (f factors) short() bool {
	size := f.left.places + 1 + bits.Len(uint(max(f.m, f.n)))
	return f.fraction() >= f.b+3 && f.b+f.size <= 126 && size <= 126
}

// shorts computes ℓνμᵀ with 128-bit integers. It truncates νμᵀ to the number of fractional bits that fraction returns.
// The error is below 2^−fraction and changes an entry by less than 1.54·√m·2^{−b−3}.
func (f factors) shorts(ctx context.Context, z []sampling.Real) (start func() column, exp int, err error) {
	v, err := converted(ctx, z, func(r *sampling.Real) wideint.Int128 {
		lo, _ := r.Number()(f.b)
		return wideint.Of(lo)
	})
	left, right := widened(f.left.rows), widened(f.right.rows)
	cut := f.b + f.left.places - f.fraction()
	return func() column {
		w, sum := make([]wideint.Int128, f.m), new(big.Int)
		return func(j int) func(ctx context.Context, i int) (*big.Int, error) {
			first := f.right.rows[j].first
			reach := reaching(f.left.rows, f.m, func(k int) { w[k] = wideint.Dot(right[j], v[k*f.n+first:]).Shift(cut) })
			return func(ctx context.Context, i int) (*big.Int, error) {
				err := reach(ctx, i)
				return wideint.Dot(left[i], w[f.left.rows[i].first:]).Big(sum), err
			}
		}
	}, -f.left.places - f.fraction(), err
}

func widened(rows []span) [][]wideint.Int128 {
	out := make([][]wideint.Int128, len(rows))
	for i, s := range rows {
		out[i] = make([]wideint.Int128, len(s.v))
		for k, v := range s.v {
			out[i][k] = wideint.Of(v)
		}
	}
	return out
}
