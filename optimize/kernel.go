package optimize

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/optimize/lp"
	"dpworkbench/query"

	"gonum.org/v1/gonum/mat"
)

// kernel is the matrix e^{−ε d̄(x,y)}, kept as the class of each distance.
type kernel struct {
	n     int
	class []int32
	value []interval.Interval // by class
	exact []*big.Rat          // by class; nil if some value is not rational
	float []float64
}

// Limits of the systems that are solved.
const (
	rationalKernel = 64
	largestKernel  = 3000
	mostKernelBits = 1 << 16 // bits of a rational power; larger powers are enclosed
)

func newKernel(ctx context.Context, space *query.Space, eps evidence.Epsilon) (*kernel, error) {
	n := space.Size()
	if n > largestKernel {
		return nil, parameter.Errorf("%d datasets, want at most %d to solve a dense system", n, largestKernel)
	}
	k := &kernel{n: n, class: make([]int32, n*n)}
	index := make(map[float64]int32)
	rational := true
	for x := range n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for y, d := range space.Distances(x) {
			at, ok := index[d]
			if !ok {
				at = int32(len(k.value))
				index[d] = at
				power := evidence.ExactRat(new(big.Rat)) // e^{−∞}
				if !math.IsInf(d, 1) {
					power = eps.DecayAt(interval.Decimal(d), mostKernelBits)
				}
				k.value = append(k.value, power.Enclosure)
				k.exact = append(k.exact, power.Rational)
				rational = rational && power.Rational != nil
			}
			k.class[x*n+y] = at
		}
	}
	k.float = lists.Each(k.value, interval.Interval.Mid)
	if !rational {
		k.exact = nil
	}
	return k, nil
}

// rational returns the exact solution of the system.
func (k *kernel) rational(ctx context.Context) ([]*big.Rat, error) {
	m, right := make([][]*big.Rat, k.n), make([]*big.Rat, k.n)
	for x := range m {
		m[x] = make([]*big.Rat, k.n)
		right[x] = big.NewRat(1, 1)
		for y := range m[x] {
			m[x][y] = k.exact[k.class[x*k.n+y]]
		}
	}
	c := lp.SolveSquare(ctx, m, right)
	if c == nil {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("%w: the matrix of e^{−ε d̄} over %d datasets is singular", ErrSingular, k.n)
	}
	return c, nil
}

// enclose solves the system with certified errors. With an approximate inverse R and G = ‖I − RK‖∞ < 1, the matrix
// K is regular. Any c̃ differs from the solution by at most ‖R(1 − Kc̃)‖∞/(1 − G) in every entry (Rump 2010, Sec.
// 10). Refinement in 256 bits makes that radius arbitrarily small.
func (k *kernel) enclose(ctx context.Context) ([]interval.Interval, error) {
	n := k.n
	dense := mat.NewDense(n, n, nil)
	for x := range n {
		for y := range n {
			dense.Set(x, y, k.float[k.class[x*n+y]])
		}
	}
	inverse, err := invert(ctx, mat.DenseCopyOf(dense))
	if err != nil {
		return nil, err
	}
	if inverse == nil {
		return nil, fmt.Errorf("%w: the matrix of e^{−ε d̄} over %d datasets is singular to working precision", ErrSingular, n)
	}
	contraction, err := k.contraction(ctx, inverse, dense)
	if err != nil {
		return nil, err
	}
	if !(contraction < 0.5) {
		return nil, fmt.Errorf("%w: the matrix of e^{−ε d̄} over %d datasets is not certified to be invertible", ErrSingular, n)
	}
	norm := mat.Norm(inverse, math.Inf(1)) * (1 + float64(n)*0x1p-52)

	const prec = interval.Prec + 64
	middle := make([]*big.Float, len(k.value))
	for i, v := range k.value {
		// Summation in big.Float is slow if exponents are far apart. Such small entries are set to 0; the interval
		// residual accounts for them.
		if middle[i] = v.MidFloat(prec); middle[i].MantExp(nil) < -(1 << 12) {
			middle[i].SetInt64(0)
		}
	}
	c := lists.Of(n, func(int) *big.Float { return new(big.Float).SetPrec(prec) })
	miss := make([]float64, n)
	term := new(big.Float).SetPrec(prec)
	sum := new(big.Float).SetPrec(prec)
	previous := math.Inf(1)
	for {
		largest := 0.0
		for x := range n {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			sum.SetInt64(1)
			for y := range n {
				sum.Sub(sum, term.Mul(middle[k.class[x*n+y]], c[y]))
			}
			miss[x], _ = sum.Float64()
			largest = max(largest, math.Abs(miss[x]))
		}
		if !(largest < 0.25*previous) {
			break
		}
		previous = largest
		for y := range n {
			step := 0.0
			for x, m := range miss {
				step += inverse.At(y, x) * m
			}
			c[y].Add(c[y], term.SetFloat64(step))
		}
	}
	points := lists.Each(c, interval.Big)
	worst, err := k.missed(ctx, points)
	if err != nil {
		return nil, err
	}
	radius := radiusOf(worst, norm, contraction)
	for y := range points {
		points[y] = interval.Hull(points[y].Sub(radius), points[y].Add(radius))
	}
	return points, nil
}

// missed encloses the residual ‖1 − Kc‖∞.
func (k *kernel) missed(ctx context.Context, c []interval.Interval) (interval.Interval, error) {
	worst := interval.Int(0)
	for x := range k.n {
		if err := ctx.Err(); err != nil {
			return worst, err
		}
		rest := interval.Int(1)
		for y := range k.n {
			rest = rest.Sub(k.value[k.class[x*k.n+y]].Mul(c[y]))
		}
		worst = interval.Max(worst, interval.Max(rest, rest.Neg()))
	}
	return worst, nil
}

// radiusOf bounds the error of a solution with residual worst, ‖R‖∞ ≤ norm and ‖I − RK‖∞ ≤ contraction.
func radiusOf(worst interval.Interval, norm, contraction float64) interval.Interval {
	return worst.Mul(interval.Float(norm)).Quo(interval.Float(1 - contraction))
}

// contraction returns an upper bound of ‖I − RK‖∞ for any K that rounds to the dense one. The error of a sum of n
// products is at most n + 2 roundings of the sum of their absolute values.
func (k *kernel) contraction(ctx context.Context, inverse, dense *mat.Dense) (largest float64, err error) {
	n := k.n
	var product mat.Dense
	for x := range n {
		if x%step == 0 {
			if err := ctx.Err(); err != nil {
				return largest, err
			}
			product.Reset()
			product.Mul(inverse.Slice(x, min(x+step, n), 0, n), dense)
		}
		row, size := 0.0, 0.0
		for y := range n {
			v := product.At(x%step, y)
			if x == y {
				v--
			}
			row += math.Abs(v)
			size += math.Abs(inverse.At(x, y))
		}
		largest = max(largest, row+size*float64(n)*float64(n+4)*0x1p-52) // entries of K are at most 1
	}
	return largest * (1 + float64(n)*0x1p-50), nil
}
