package verify

import (
	"context"
	"math"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/workload"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// maxSteps bounds the number of steps, because all subsets of the steps are visited.
const maxSteps = 10

// Strategy recomputes a strategy for a workload of at most 10 columns: every entry of BC, the sensitivity, and the
// errors from the rows of B. It maximises the sensitivity over every set of steps in which one person may participate:
// over all signs for scalar contributions, and by coordinate ascent for vectors. It returns an error wrapping
// evidence.ErrParameter for more columns, and the context's error.
func Strategy(ctx context.Context, s *workload.Strategy) (*Report, error) {
	if _, n := s.Workload.Dims(); n > maxSteps {
		return nil, parameter.Errorf(
			"the strategy is for %d columns, want at most %d: all sets of steps are visited", n, maxSteps)
	}
	w, err := s.Workload.Dense()
	if err != nil {
		return nil, err
	}
	c, err := s.Encoder()
	if err != nil {
		return nil, err
	}
	b, err := s.Decoder()
	if err != nil {
		return nil, err
	}
	r := &Report{}
	rows, n := w.Dims()
	inner, _ := c.Dims()
	product := r.part("W = BC")
	var most, squares float64
	for i := range rows {
		size, norm := 0.0, 0.0
		for k := range inner {
			norm += b.At(i, k) * b.At(i, k)
		}
		for j := range n {
			size = max(size, math.Abs(w.At(i, j)))
		}
		for j := range n {
			var sum float64
			for k := range inner {
				sum += b.At(i, k) * c.At(k, j)
			}
			product.is(math.Abs(sum-w.At(i, j)) <= 1e-6*size,
				".decoder  # row %d gives %.12g in column %d of BC, W has %.12g", i, sum, j, w.At(i, j))
		}
		most, squares = max(most, norm), squares+norm
	}
	worst := 0.0
	steps := make([]int, 0, n)
	for set := 1; set < 1<<n; set++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		steps = steps[:0]
		for i := range n {
			if set>>i&1 == 1 {
				steps = append(steps, i)
			}
		}
		if together(s.Params.Participation, steps) {
			worst = max(worst, distance(c, steps, s.Params.Participation.Scalar))
		}
	}
	// Ascent may end below the maximum, if only by rounding. So a printed sensitivity is confirmed as a bound if no set
	// exceeds it.
	lo, hi := s.Sensitivity.Bounds()
	sensitivity := r.part("sensitivity")
	sensitivity.is(worst <= hi*(1+tolerance),
		".sensitivity  # prints %s, a set of steps moves Cx by %.12g", evidence.Brief(s.Sensitivity), worst)
	sensitivity.is(!s.Sharp || worst >= lo*(1-1e-6),
		".sensitivity  # prints %s, every set of steps moves Cx by at most %.12g", evidence.Brief(s.Sensitivity), worst)
	moved := s.Sensitivity.Float()
	if !s.Sharp {
		return r, nil
	}
	r.part("largest error").number(s.MaxError, moved*math.Sqrt(most), ".max_error")
	r.part("root mean square error").number(s.RMSError, moved*math.Sqrt(squares/float64(rows)), ".rms_error")
	return r, nil
}

// together reports whether one person may participate in all these steps, which are in ascending order.
func together(p workload.Participation, steps []int) bool {
	if p.Kind == workload.Once {
		return len(steps) == 1
	}
	for i, s := range steps[1:] {
		if d := s - steps[i]; d < p.Separation || p.Kind == workload.Fixed && d > p.Separation {
			return false
		}
	}
	return len(steps) <= p.Epochs
}

// distance returns the largest norm by which contributions in the given steps move Cx. For scalar contributions it
// visits all signs. For vectors it uses coordinate ascent from one random start.
func distance(c *mat.Dense, steps []int, scalar bool) (most float64) {
	k := len(steps)
	inner, _ := c.Dims()
	if scalar {
		for signs := range 1 << (k - 1) {
			var sum float64
			for i := range inner {
				var v float64
				for j, s := range steps {
					v += float64(1-2*(signs>>j&1)) * c.At(i, s)
				}
				sum += v * v
			}
			most = max(most, math.Sqrt(sum))
		}
		return most
	}
	src := rand.New(rand.NewPCG(1, uint64(k)))
	v := make([][]float64, k)
	for i := range v {
		v[i] = make([]float64, k)
		for l := range v[i] {
			v[i][l] = src.NormFloat64()
		}
		floats.Scale(1/floats.Norm(v[i], 2), v[i])
	}
	for range 500 {
		for i, s := range steps {
			sum := make([]float64, k)
			for j, t := range steps {
				if x := mat.Dot(c.ColView(s), c.ColView(t)); i != j {
					for l := range sum {
						sum[l] += x * v[j][l]
					}
				}
			}
			if norm := mat.Norm(mat.NewVecDense(k, sum), 2); norm > 0 {
				for l, x := range sum {
					v[i][l] = x / norm
				}
			}
		}
		moved := mat.NewDense(inner, k, nil)
		for i, s := range steps {
			moved.RankOne(moved, 1, c.ColView(s), mat.NewVecDense(k, v[i]))
		}
		before := most
		if most = max(most, mat.Norm(moved, 2)); most <= before*(1+1e-13) {
			break
		}
	}
	return most
}
