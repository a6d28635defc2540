package query

import (
	"cmp"
	"context"
	"math"
	"slices"

	"dpworkbench/internal/parameter"
)

// SensitivityStep is a step of the local sensitivity at distance t: it has this value from t = From up to the next
// step.
type SensitivityStep struct {
	From  int
	Value float64
}

// SensitivityAtDistance returns the local sensitivity at distance t of each dataset x: the largest f(y) with
// d̄(x, y) ≤ t, where f is the local sensitivity or any other function (Nissim, Raskhodnikova and Smith 2007). For each
// dataset it lists the distances t at which this maximum increases. The first is 0.
//
// It returns the context's error, and an error wrapping evidence.ErrParameter unless f has one number per dataset and
// none is NaN.
func (s *Space) SensitivityAtDistance(ctx context.Context, f []float64) ([][]SensitivityStep, error) {
	n := s.Size()
	if len(f) != n {
		return nil, parameter.Errorf("f has %d entries, want %d, one per dataset", len(f), n)
	}
	out := make([][]SensitivityStep, n)
	for x, v := range f {
		if math.IsNaN(v) {
			return nil, parameter.Errorf("f[%d] = NaN, want a number", x)
		}
		out[x] = []SensitivityStep{{0, v}}
	}
	if !s.IsPath() {
		if err := s.sensitivityInMatrix(ctx, f, out); err != nil {
			return nil, err
		}
		return out, nil
	}
	last, next := slices.Clone(f), make([]float64, n)
	for t := 1; ; t++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		changed := false
		for x := range n {
			m := last[x]
			for _, y := range s.Neighbors(x) {
				m = max(m, last[y])
			}
			if next[x] = m; m != last[x] {
				changed = true
				out[x] = append(out[x], SensitivityStep{t, m})
			}
		}
		if !changed {
			return out, nil
		}
		last, next = next, last
	}
}

// sensitivityInMatrix is SensitivityAtDistance for a space with a distance matrix. For each x it visits the datasets by
// ascending distance.
func (s *Space) sensitivityInMatrix(ctx context.Context, f []float64, out [][]SensitivityStep) error {
	n := s.Size()
	order := make([]int, n)
	for x := range out {
		if err := ctx.Err(); err != nil {
			return err
		}
		row := s.matrix[x*n : (x+1)*n]
		for y := range order {
			order[y] = y
		}
		slices.SortFunc(order, func(a, b int) int { return cmp.Compare(row[a], row[b]) })
		for _, y := range order {
			last := &out[x][len(out[x])-1]
			t := math.Ceil(row[y])
			switch {
			case math.IsInf(t, 1) || f[y] <= last.Value:
			case t > MaxLayer:
				return errTooFar(t)
			case int(t) == last.From:
				last.Value = f[y]
			default:
				out[x] = append(out[x], SensitivityStep{int(t), f[y]})
			}
		}
	}
	return nil
}

// Monotonicity is the monotonicity of a query (Wu et al., Definition 10). Weak means that a dataset farther from x
// never has a value nearer to f(x); Strict means that it always has a value farther from f(x).
type Monotonicity struct {
	Weak, Strict bool
	// X, Y and Z are a counterexample: d̄(X, Y) > d̄(X, Z), and f(Y) is nearer to f(X) than f(Z) (not Weak) or equally
	// near (not Strict). They are 0 if there is none.
	X, Y, Z int
}

// Monotonic decides Definition 10 by visiting all pairs of datasets. It returns the context's error.
func (q *Query) Monotonic(ctx context.Context) (Monotonicity, error) {
	out := Monotonicity{Weak: true, Strict: true}
	order := make([]int, q.Size())
	for x := range order {
		if err := ctx.Err(); err != nil {
			return Monotonicity{}, err
		}
		far := q.space.Distances(x)
		for y := range order {
			order[y] = y
		}
		slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(far[a], far[b]), a-b) })
		top := -1 // among the datasets nearer to x, the one whose value is farthest
		for from := 0; from < len(order); {
			to := from
			for to < len(order) && far[order[to]] == far[order[from]] {
				to++
			}
			for _, y := range order[from:to] {
				if top < 0 {
					break
				}
				switch sign := q.compareFrom(x, y, top); {
				case sign < 0:
					return Monotonicity{X: x, Y: y, Z: top}, nil
				case sign == 0 && out.Strict:
					out = Monotonicity{Weak: true, X: x, Y: y, Z: top}
				}
			}
			for _, y := range order[from:to] {
				if top < 0 || q.compareFrom(x, y, top) > 0 {
					top = y
				}
			}
			from = to
		}
	}
	return out, nil
}

// compareFrom compares d(f(x), f(y)) with d(f(x), f(z)).
func (q *Query) compareFrom(x, y, z int) int {
	v, a, b := q.ValueIndex(x), q.ValueIndex(y), q.ValueIndex(z)
	da, db := q.metric.Steps(v, a), q.metric.Steps(v, b)
	if q.metric.exact || math.Abs(da-db) > 0x1p-50*da {
		return cmp.Compare(da, db)
	}
	return q.metric.Rational(v, a).Cmp(q.metric.Rational(v, b))
}
