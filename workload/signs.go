package workload

import (
	"math"

	"dpworkbench/interval"

	"gonum.org/v1/gonum/stat/combin"
)

// mostSigned bounds the partial choices of signs that signed visits.
const mostSigned = 1 << 22

// signed returns bounds of the squared distance by which numbers of size at most 1 in the steps of one pattern move
// Cx: the maximum of Σ X_ij u_i u_j. The sum is convex in each number, so signs attain the maximum. known is the
// squared distance of another pattern.
//
// The search fixes one sign after the other. It excludes choices whose sum does not exceed the best one found, even if
// every term with an open sign has its best sign. Beyond mostSigned choices the upper end is that of vectors.
func (g *gram) signed(steps []int, known float64) (lo, hi float64) {
	k := len(steps)
	x := make([][]float64, k)
	for i, s := range steps {
		x[i] = make([]float64, k)
		for j, t := range steps {
			x[i][j] = g.x.At(s, t)
		}
	}
	u, most, left := bestSigns(x, known, mostSigned)
	if u != nil {
		lo = g.attained(steps, u, 1)
	}
	if left < 0 {
		_, hi = g.relaxed(steps, known)
		return lo, hi
	}
	var norms float64
	for _, s := range steps {
		norms += g.norms[s]
	}
	off := above(g.error*norms*norms, gamma(2*k+4)) + above(gamma(2*k*k+8)*g.absolute(steps), 4*interval.Unit)
	return lo, above(most, 4*interval.Unit) + above(off, 4*interval.Unit)
}

// bestSigns returns the signs u with the largest Σ X_ij u_i u_j, and that sum. If no sum exceeds known, it returns nil
// and known. left is what remains of choices, the number of partial choices of signs that it may visit. It is negative
// if they did not suffice.
func bestSigns(x [][]float64, known float64, choices int) (best []float64, most float64, left int) {
	k := len(x)
	rest := make([]float64, k+1) // rest[d] is Σ|X_ij| over i, j ≥ d
	for i := k - 1; i >= 0; i-- {
		rest[i] = rest[i+1] + x[i][i]
		for _, v := range x[i][i+1:] {
			rest[i] += 2 * math.Abs(v)
		}
	}
	most, left = known, choices
	u, fields := make([]float64, k), make([][]float64, k+1) // fields[d][i] is Σ_{j<d} X_ij u_j
	for d := range fields {
		fields[d] = make([]float64, k)
	}
	var choose func(d int, sum float64)
	choose = func(d int, sum float64) {
		if d == k {
			if sum > most {
				best, most = append(best[:0], u...), sum
			}
			return
		}
		first := math.Copysign(1, fields[d][d])
		for _, sign := range []float64{first, -first} {
			if left--; left < 0 {
				return
			}
			next := sum + x[d][d] + 2*sign*fields[d][d]
			bound := next + rest[d+1]
			for i := d + 1; i < k; i++ {
				fields[d+1][i] = fields[d][i] + sign*x[d][i]
				bound += 2 * math.Abs(fields[d+1][i])
			}
			if u[d] = sign; bound > most {
				choose(d+1, next)
			}
			if d == 0 {
				return // −u is as good as u
			}
		}
	}
	choose(0, 0)
	return best, most, left
}

// addSigns replaces each pattern by copies with signs u: if contributions are numbers, H is a sum of λ_u·uuᵀ. If there
// are more than mostOwn copies in all, it omits the sign vectors that are farthest from constant, which can widen the
// gap.
func (e *epochs) addSigns() {
	patterns := e.patterns
	e.patterns = nil
	for minority := 0; ; minority++ {
		count := 0
		for _, steps := range patterns {
			if 2*minority <= len(steps) {
				count += combin.Binomial(len(steps), minority)
			}
		}
		if count == 0 || minority > 1 && len(e.patterns)+count > mostOwn {
			return
		}
		for _, steps := range patterns {
			if 2*minority > len(steps) {
				continue
			}
			for _, flipped := range combin.Combinations(len(steps), minority) {
				if 2*minority == len(steps) && flipped[0] == 0 {
					continue // −u is as good as u
				}
				u := make([]float64, len(steps))
				for i := range u {
					u[i] = 1
				}
				for _, i := range flipped {
					u[i] = -1
				}
				e.patterns, e.signs = append(e.patterns, steps), append(e.signs, u)
			}
		}
	}
}

// sign returns the sign of step i of pattern k.
func (e *epochs) sign(k, i int) float64 {
	if e.signs == nil {
		return 1
	}
	return e.signs[k][i]
}

// mostOwn bounds the number of copies of patterns with signs.
const mostOwn = 1 << 25
