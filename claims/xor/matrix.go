package xor

import (
	"iter"
	"math/big"
	"math/rand/v2"
	"slices"

	"dpworkbench/claims/check"
)

// xorMatrixChecks returns the checks of Lemma 2 and Remark 1.
func xorMatrixChecks() check.Checks {
	return check.Checks{
		"xor.lemma2":  traceBounds(opposite, alike).Check,
		"xor.remark1": parametersBounded(spectralSquare, 1).Check,
	}
}

// traceCase is A = diag(a) and B = Q diag(b) Q* for a product Q of reflections I − 2vv*/‖v‖² with v in ℤ[i]^N. a and
// b are nonincreasing.
type traceCase struct {
	a, b []int64
	v    [][][2]int64 // one reflection each, with entries (real, imaginary)
}

// complexRat is a Gaussian rational.
type complexRat struct{ re, im *big.Rat }

// squares returns |Q_ij|², so that Tr[AB] = Σ_ij a_i b_j |Q_ij|².
func (c traceCase) squares() [][]*big.Rat {
	n := len(c.a)
	q := make([][]complexRat, n)
	for i := range q {
		for j := range n {
			e := complexRat{new(big.Rat), new(big.Rat)}
			if i == j {
				e.re.SetInt64(1)
			}
			q[i] = append(q[i], e)
		}
	}
	for _, v := range c.v {
		var norm int64
		for _, x := range v {
			norm += x[0]*x[0] + x[1]*x[1]
		}
		for i := range q { // row i of Q(I − 2vv*/‖v‖²): subtract 2(Σ_k q_ik v_k) v*_j/‖v‖²
			re, im := new(big.Rat), new(big.Rat)
			for k, x := range v {
				xr, xi := big.NewRat(2*x[0], norm), big.NewRat(2*x[1], norm)
				re.Add(re, new(big.Rat).Mul(q[i][k].re, xr)).Sub(re, new(big.Rat).Mul(q[i][k].im, xi))
				im.Add(im, new(big.Rat).Mul(q[i][k].re, xi)).Add(im, new(big.Rat).Mul(q[i][k].im, xr))
			}
			for j, x := range v {
				xr, xi := big.NewRat(x[0], 1), big.NewRat(-x[1], 1)
				q[i][j].re.Sub(q[i][j].re, new(big.Rat).Mul(re, xr)).Add(q[i][j].re, new(big.Rat).Mul(im, xi))
				q[i][j].im.Sub(q[i][j].im, new(big.Rat).Mul(re, xi)).Sub(q[i][j].im, new(big.Rat).Mul(im, xr))
			}
		}
	}
	out := make([][]*big.Rat, n)
	for i := range out {
		for j := range n {
			e := q[i][j]
			s := new(big.Rat).Mul(e.re, e.re)
			out[i] = append(out[i], s.Add(s, new(big.Rat).Mul(e.im, e.im)))
		}
	}
	return out
}

func (c traceCase) trace() *big.Rat {
	sum := new(big.Rat)
	for i, row := range c.squares() {
		for j, s := range row {
			sum.Add(sum, new(big.Rat).Mul(s, big.NewRat(c.a[i]*c.b[j], 1)))
		}
	}
	return sum
}

// pairing is a bound on Tr[AB] in terms of the eigenvalues.
type pairing func(a, b []int64) int64

func alike(a, b []int64) int64 {
	var sum int64
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

func opposite(a, b []int64) int64 {
	var sum int64
	for i := range a {
		sum += a[i] * b[len(b)-1-i]
	}
	return sum
}

// nonIncreasing yields the nonincreasing sequences of length n from values.
func nonIncreasing(n int, values ...int64) iter.Seq[[]int64] {
	return func(yield func([]int64) bool) {
		var extend func(seq []int64, from int) bool
		extend = func(seq []int64, from int) bool {
			if len(seq) == n {
				return yield(slices.Clone(seq))
			}
			for k := from; k < len(values); k++ {
				if !extend(append(seq, values[k]), k) {
					return false
				}
			}
			return true
		}
		extend(nil, 0)
	}
}

func traceBounds(least, most pairing) check.Statement[traceCase] {
	return check.Statement[traceCase]{
		Family: "N ≤ 3, eigenvalues in {−1, 0, 1}, one reflection along v in {0, 1}^N",
		Each: check.Grid(func(c *traceCase) []check.Axis {
			var n int
			var v []int
			spectra := check.Each(slices.Values([]int{1, 2, 3}), func(n int) iter.Seq[[]int64] { return nonIncreasing(n, 1, 0, -1) })
			return []check.Axis{
				check.Span(&n, 1, 3),
				check.From(&v, check.Words(2, 3)),
				check.From(&c.a, spectra),
				check.From(&c.b, spectra),
				check.Where(func() bool {
					return len(c.a) == n && len(c.b) == n && slices.Max(v[:n]) == 1 && slices.Max(append(v[n:], 0)) == 0
				}),
				check.Let(func() {
					one := make([][2]int64, n)
					for k := range one {
						one[k][0] = int64(v[k])
					}
					c.v = [][][2]int64{one}
				}),
			}
		}),
		Draw: func(rng *rand.Rand) traceCase {
			n := 2 + rng.IntN(3)
			var c traceCase
			for range n {
				c.a = append(c.a, rng.Int64N(21)-10)
				c.b = append(c.b, rng.Int64N(21)-10)
			}
			for _, x := range [][]int64{c.a, c.b} {
				slices.SortFunc(x, func(p, q int64) int { return int(q - p) })
			}
			for range 2 {
				v := [][2]int64{{1 + rng.Int64N(3), rng.Int64N(5) - 2}} // not zero
				for range n - 1 {
					v = append(v, [2]int64{rng.Int64N(5) - 2, rng.Int64N(5) - 2})
				}
				c.v = append(c.v, v)
			}
			return c
		},
		Holds: func(c traceCase) bool {
			t := c.trace()
			return t.Cmp(big.NewRat(least(c.a, c.b), 1)) >= 0 && t.Cmp(big.NewRat(most(c.a, c.b), 1)) <= 0
		},
	}
}

// spectralSquare returns ‖λ(M)‖₂² = (Σλ)² − 2 Σ_{i<j} λ_iλ_j from coefficients of the characteristic polynomial: the
// trace and the principal 2 × 2 minors.
func spectralSquare(m [][]int) int {
	trace, minors := 0, 0
	for i := range m {
		trace += m[i][i]
		for j := range i {
			minors += m[i][i]*m[j][j] - m[i][j]*m[j][i]
		}
	}
	return trace*trace - 2*minors
}

// uniform reports whether all states have the same exponent.
func uniform(exponents []int) bool { return slices.Max(exponents) == slices.Min(exponents) }

// parametersBounded states Remark 1: parameters are at most ε/(share·s_f), and normSquare returns the square of the
// norm in (4).
func parametersBounded(normSquare func([][]int) int, share int) check.Statement[noiseCase] {
	return check.Statement[noiseCase]{
		Family: unitFamily, Each: noiseGrid(noiseShapes, 0, 10, -10),
		Draw: func(rng *rand.Rand) noiseCase { return drawNoise(rng, -20) },
		Holds: func(c noiseCase) bool {
			for _, m := range c.blocks() {
				sum, square := 0, normSquare(*m)
				for _, row := range *m {
					for _, v := range row {
						sum += v * v
						if share*share*v*v > square { // (4) at ε = s_f‖λ‖₂ for this block alone
							return false
						}
					}
				}
				if sum != square {
					return false
				}
			}
			e := c.exponents()
			for k := range c.n * c.p {
				if odds := e[1<<k] - e[0]; share*share*odds*odds > normSquare(c.theta) {
					return false
				}
			}
			return !c.zero() || uniform(e)
		},
	}
}
