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
		return out, s.sensitivityInMatrix(ctx, f, out)
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

// sensitivityInMatrix visits the datasets by distance.
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
