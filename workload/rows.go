package workload

import (
	"context"
	"fmt"
	"math"
	"slices"

	"dpworkbench/internal/parallel"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// manyRows is the dual for Max of a W with many more rows than columns, which has too many weights for Newton steps. A
// step p_i ← p_i·(∂f/∂p_i), q_j ← q_j·(∂f/∂q_j), normalised, never lowers f.
//
// It needs only A = WᵀD_pW and the quadratic forms w_iYw_iᵀ. So W is stored as the nonzero entries of its rows, or as
// the nonzero differences of adjacent entries if these are fewer, as for ranges.
type manyRows struct {
	rows    [][]entry
	columns int
	summed  bool
}

type entry struct {
	at int
	v  float64
}

func newManyRows(w *mat.Dense) *manyRows {
	m, n := w.Dims()
	of := func(summed bool) (t *manyRows, count int) {
		t = &manyRows{rows: make([][]entry, m), columns: n, summed: summed}
		for i := range m {
			last := 0.0
			for j, v := range w.RawRowView(i) {
				if v != last {
					t.rows[i] = append(t.rows[i], entry{j, v - last})
					count++
				}
				if summed {
					last = v
				}
			}
		}
		return t, count
	}
	plain, entries := of(false)
	if sums, count := of(true); count < entries {
		return sums
	}
	return plain
}

// gram returns WᵀD_pW, the Gram matrix of W with weights p.
func (t *manyRows) gram(p []float64) *mat.SymDense {
	a := mat.NewSymDense(t.columns, nil)
	raw := a.RawSymmetric()
	for i, row := range t.rows {
		for k, x := range row {
			for _, y := range row[k:] {
				raw.Data[x.at*raw.Stride+y.at] += p[i] * x.v * y.v
			}
		}
	}
	if !t.summed {
		return a
	}
	full := mat.DenseCopyOf(a)
	for i := range t.columns {
		row := full.RawRowView(i)
		floats.CumSum(row, row)
		if i > 0 {
			floats.Add(row, full.RawRowView(i-1))
		}
		copy(raw.Data[i*raw.Stride+i:(i+1)*raw.Stride], row[i:])
	}
	return a
}

// forms returns w_iYw_iᵀ for every row. It overwrites Y.
func (t *manyRows) forms(y *mat.Dense) []float64 {
	for i := t.columns - 1; t.summed && i >= 0; i-- {
		row := y.RawRowView(i)
		for j := t.columns - 2; j >= 0; j-- {
			row[j] += row[j+1]
		}
		if i+1 < t.columns {
			floats.Add(row, y.RawRowView(i+1))
		}
	}
	out := make([]float64, len(t.rows))
	for i, row := range t.rows {
		for _, a := range row {
			of := y.RawRowView(a.at)
			for _, b := range row {
				out[i] += a.v * b.v * of[b.at]
			}
		}
	}
	return out
}

// point is x = (p, q), each normalised, with f and the slopes 2∂f/∂x.
type point struct {
	x, slope []float64
	f        float64
}

func (t *manyRows) at(x []float64) (point, error) {
	m, n := len(t.rows), t.columns
	p, q := x[:m], x[m:]
	scale(p, 1/sum(p))
	scale(q, 1/sum(q))
	a, root := t.gram(p), make([]float64, n)
	for j, v := range q {
		root[j] = math.Sqrt(v)
	}
	for i := range n {
		for j := i; j < n; j++ {
			a.SetSym(i, j, a.At(i, j)*root[i]*root[j])
		}
	}
	var e mat.EigenSym
	var v mat.Dense
	if !e.Factorize(a, true) { // D_q^½AD_q^½ = VS²Vᵀ
		return point{}, errSingular
	}
	e.VectorsTo(&v)
	values := e.Values(nil)
	inverse := make([]float64, n)
	for i, s := range values {
		values[i] = math.Sqrt(max(0, s))
		if s > 1e-14*values[n-1] {
			inverse[i] = 1 / values[i]
		}
	}
	y := times(&v, inverse, mat.DenseCopyOf(v.T()))
	for i := range n {
		row := y.RawRowView(i)
		for j := range row {
			row[j] *= root[i] * root[j]
		}
	}
	l := point{x: x, f: sum(values), slope: append(t.forms(y), halfDiagonal(&v, values)...)}
	for j := range n {
		l.slope[m+j] *= 2 / q[j]
	}
	return l, nil
}

// logs returns ln x, and the change of ln x by one step from l.
func (l point) logs() (x, change []float64) {
	x, change = make([]float64, len(l.x)), make([]float64, len(l.x))
	for i, v := range l.x {
		x[i], change[i] = math.Log(v), math.Log(max(l.slope[i]/l.f, leastWeight))
	}
	return x, change
}

const (
	leastWeight      = 1e-30
	mostExtrapolated = 3000
	// The search ends if this many steps have not reduced the gap by a tenth.
	mostUnmoved = 1000
)

// maximise returns the point with the least gap. It extrapolates pairs of steps in ln x, as far as that does not lower f
// (SQUAREM, Varadhan and Roland, Scandinavian Journal of Statistics 35(2), 2008).
func (t *manyRows) maximise(ctx context.Context, gap float64) (best point, bestGap float64, err error) {
	m := len(t.rows)
	moved := func(x, by []float64) (point, error) {
		to := make([]float64, len(x))
		for i, v := range x {
			to[i] = max(math.Exp(v+min(20, max(-20, by[i]))), leastWeight)
		}
		return t.at(to)
	}
	l, err := t.at(append(uniform(m), uniform(t.columns)...))
	bestGap = math.Inf(1)
	longest, moves := 1.0, 0
	for step := int64(0); err == nil && step < mostExtrapolated; step++ {
		lo, hi := l.f, math.Sqrt(slices.Max(l.slope[:m])*slices.Max(l.slope[m:]))
		parallel.Report(ctx, step, 0, fmt.Sprintf("least error between %.9g and %.9g", lo, hi))
		moves++
		if g := hi/lo - 1; g < bestGap {
			if g < .9*bestGap {
				moves = 0
			}
			best, bestGap = l, g
		}
		if err = ctx.Err(); err != nil || bestGap <= gap || moves > mostUnmoved {
			break
		}
		x, r := l.logs()
		var one, two, far point
		if one, err = moved(x, r); err != nil {
			break
		}
		_, v := one.logs()
		both := make([]float64, len(r))
		var rr, vv float64
		for i := range r {
			both[i] = r[i] + v[i]
			v[i] -= r[i]
			rr += l.x[i] * r[i] * r[i]
			vv += l.x[i] * v[i] * v[i]
		}
		length := min(longest, max(1, math.Sqrt(rr/vv)))
		for i := range r {
			r[i] = 2*length*r[i] + length*length*v[i]
		}
		if far, err = moved(x, r); err == nil && far.f >= l.f {
			if l = far; length == longest {
				longest *= 4
			}
			continue
		}
		longest = max(1, longest/4)
		if two, err = moved(x, both); err == nil {
			l = two
		}
	}
	return best, bestGap, err
}

// runRows finds the least error of a workload with many rows by manyRows. It also returns the relative gap.
func (s *search) runRows(ctx context.Context) (o Optimum, gap float64, err error) {
	if s.gap == 0 {
		s.gap = defaultGap
	}
	l, gap, err := newManyRows(s.kept).maximise(ctx, s.gap)
	if err != nil {
		return o, 0, err
	}
	p, q := l.x[:len(s.rows)], l.x[len(s.rows):]
	f, err := factorDense(s.kept, p, q, nil)
	if err != nil {
		return o, 0, err
	}
	r, reach := diagonal(q)
	o, err = s.certify(ctx, f, p, r, reach)
	return o, gap, err
}
