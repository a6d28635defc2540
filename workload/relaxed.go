package workload

import (
	"math"
	"math/rand/v2"

	"dpworkbench/interval"
)

// relaxed returns bounds of the squared distance that one pattern moves Cx, the most of Σ X_ij⟨v_i, v_j⟩ over vectors of
// norm at most 1. known is a distance of another pattern: the search ends if this one is below it.
//
// Vectors of √(2k) coordinates suffice for k steps. Each v_i in turn becomes the unit vector along Σ_{j≠i} X_ij v_j, until
// nothing changes (Wang, Chang and Kolter, arXiv:1706.00476). With D = diag(Σ_j X_ij⟨v_i, v_j⟩), the distance of V is
// Σ d_i, and if D − X ⪰ −sI, no other is above Σ(d_i + s).
func (g *gram) relaxed(steps []int, known float64) (lo, hi float64) {
	k := len(steps)
	width := min(k, int(math.Sqrt(2*float64(k)))+2)
	rng := rand.New(rand.NewPCG(uint64(k), 58))
	v := make([]float64, k*width)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	row := func(i int) []float64 { return v[i*width : (i+1)*width] }
	normalise := func(i int, x []float64) (norm float64) {
		for _, t := range x {
			norm += t * t
		}
		norm = math.Sqrt(norm)
		if norm > 0 {
			for j, t := range x {
				row(i)[j] = t / norm
			}
		}
		return norm
	}
	for i := range k {
		normalise(i, row(i))
	}
	sums, d := make([]float64, width), make([]float64, k)
	hi = math.Inf(1)
	last := 0.0
	for sweep := 1; sweep <= 1<<14/k+100; sweep++ {
		total := 0.0
		for i, s := range steps {
			clear(sums)
			x := g.x.RawRowView(s)
			for j, r := range steps {
				if j != i {
					for l, t := range row(j) {
						sums[l] += x[r] * t
					}
				}
			}
			d[i] = x[s] + normalise(i, sums)
			total += d[i]
		}
		settled := math.Abs(total-last) <= 1e-14*total
		last = total
		if !settled && sweep%16 != 0 {
			continue
		}
		lo = max(lo, g.attained(steps, v, width))
		hi = min(hi, g.dominated(steps, d))
		if settled || hi <= lo*(1+SharpWidth/2) || hi <= known {
			break
		}
	}
	return lo, hi
}

// dominated returns an upper bound of Σ X_ij G_ij over positive semidefinite G with G_ii ≤ 1, of Σ(d_i + s)⁺ for the
// least s tried with D + sI − X ⪰ 0.
func (g *gram) dominated(steps []int, d []float64) float64 {
	k := len(steps)
	var total, scale float64
	for _, v := range d {
		total += math.Abs(v)
	}
	if scale = total / float64(k); !(scale > tiny) {
		return math.Inf(1)
	}
	for s := 1e-15 * scale; s <= scale; s *= 4 {
		a := make([][]float64, k)
		var off, trace float64
		for i, r := range steps {
			a[i] = make([]float64, k)
			x := g.x.RawRowView(r)
			for j := range i {
				a[i][j] = -x[steps[j]]
			}
			a[i][i] = d[i] + s - x[r]
			trace += math.Abs(a[i][i])
			// X is within error·norms·normsᵀ of x, whose norm is error·Σ norms².
			off += g.error * g.norms[r] * g.norms[r]
			off += 4 * interval.Unit * (math.Abs(d[i]) + s + math.Abs(x[r]))
		}
		if !factors(a) {
			continue
		}
		// The factor is that of a matrix within γ_{k+1}/(1 − γ_{k+1}) times the trace (Higham, 2nd edition, Theorem 10.3, and
		// Rump, BIT 46, 2006).
		off = above(off+2*gamma(k+2)*trace, gamma(2*k+16))
		var sum float64
		for _, v := range d {
			sum += above(max(0, interval.Up(v+s)+off), 4*interval.Unit)
		}
		return above(sum, gamma(k))
	}
	return math.Inf(1)
}

// factors reports whether a Cholesky factorisation of the lower triangle of a, in place, has positive pivots.
func factors(a [][]float64) bool {
	for i := range a {
		for j := range i + 1 {
			s := a[i][j]
			for l := range j {
				s -= float64(a[i][l] * a[j][l])
			}
			if i > j {
				a[i][j] = s / a[j][j]
				continue
			}
			if !(s > 0) {
				return false
			}
			a[i][i] = math.Sqrt(s)
		}
	}
	return true
}
