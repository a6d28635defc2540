package mvg

import (
	"context"
	"math"
	"math/big"
	"math/bits"

	"dpworkbench/internal/lists"
	"dpworkbench/internal/parallel"
)

// A triangle is a covariance's exact root in integers. With D = diag(2^exps) and L lower triangular with rows of
// norm at most √2, the covariance is DLLᵀD, and
//
//	‖2^−places·ℓ_i − L_i‖₂ ≤ √n·2^−places
//
// for the integer row ℓ_i.
type triangle struct {
	exps   []int
	places int
	rows   []span
}

// span is the nonzero part of a row.
type span struct {
	first int
	v     []*big.Int
}

// cut returns the triangle truncated to fewer places; a row's error is then at most 2√n·2^−places.
func (t *triangle) cut(places int) *triangle {
	if t.places == places {
		return t
	}
	out := &triangle{exps: t.exps, places: places}
	for _, row := range t.rows {
		s := span{row.first, make([]*big.Int, len(row.v))}
		for k, v := range row.v {
			s.v[k] = new(big.Int).Rsh(v, uint(t.places-places))
		}
		out.rows = append(out.rows, s)
	}
	return out
}

// exactRoot caches the most precise triangle computed so far.
type exactRoot struct {
	turn chan struct{} // a semaphore: holds a value while nobody computes
	best **triangle
}

func newExactRoot() exactRoot {
	r := exactRoot{turn: make(chan struct{}, 1), best: new(*triangle)}
	r.turn <- struct{}{}
	return r
}

// triangle returns a triangle with at least the given places.
func (c Covariance) triangle(ctx context.Context, places int) (*triangle, error) {
	if c.dense == nil {
		return c.diagonalTriangle(ctx, places)
	}
	r := c.dense.exact
	select {
	case <-r.turn:
		defer func() { r.turn <- struct{}{} }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if best := *r.best; best != nil && best.places >= places {
		return best, nil
	}
	l, err := c.dense.scaled.Cholesky(ctx, c.dense.factor, places)
	if err != nil {
		return nil, err
	}
	t := &triangle{exps: c.dense.factor.Exps(), places: places}
	t.rows = lists.Each(l, func(row []*big.Int) span { return span{0, row} })
	*r.best = t
	return t, nil
}

// diagonalTriangle truncates roots to integers; the roots of the scaled variances are in about [½, 2).
func (c Covariance) diagonalTriangle(ctx context.Context, places int) (*triangle, error) {
	n := len(c.diagonal)
	t := &triangle{exps: c.scale(), places: places, rows: make([]span, n)}
	err := parallel.Chunks(ctx, n, batch, func(first, last int) error {
		for i := first; i < last; i++ {
			m, e := integral(c.diagonal[i])
			root := big.NewInt(m)
			if e += 2*places - 2*t.exps[i]; e >= 0 {
				root.Lsh(root, uint(e))
			} else {
				root.Rsh(root, uint(-e))
			}
			t.rows[i] = span{i, []*big.Int{root.Sqrt(root)}}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return t, nil
}

// scale returns the exponents of a triangle: 4^exp is the variance up to a factor between ½ and 2.
func (c Covariance) scale() []int {
	if c.dense != nil {
		return c.dense.factor.Exps()
	}
	exps := make([]int, len(c.diagonal))
	for i, v := range c.diagonal {
		_, e := math.Frexp(v)
		exps[i] = e >> 1
	}
	return exps
}

// digits returns the number of bits of the normals with which a release starts. About one release in a thousand
// then has an entry that is undecided. Of n elements (i, j), the fraction 2·(4√n)·2^{e_i+f_j−bits}/step is
// undecided (joint.compute).
func digits(step *big.Rat, left, right []int) int {
	sum := func(exps []int) *big.Float {
		s := new(big.Float).SetPrec(64)
		for _, e := range exps {
			s.Add(s, new(big.Float).SetMantExp(big.NewFloat(1), e))
		}
		return s
	}
	few := new(big.Float).Mul(sum(left), sum(right))
	few.Quo(few, new(big.Float).SetRat(step))
	count := len(left) * len(right)
	return max(few.MantExp(nil)+bits.Len(uint(count))/2+1+3+10, 8)
}
