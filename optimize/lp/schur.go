package lp

import (
	"context"

	"dpworkbench/internal/parallel"
)

// assemble builds and factors the normal matrix of every block and the Schur complement H M⁻¹ Hᵀ + diag(0, u/v, k), H =
// [F; −L; B], of the rows, bounds and budgets.
//
// It returns an error wrapping ErrPrecision if rounding leaves no positive definite matrix.
func (s *solver) assemble(ctx context.Context) error {
	s.sums()
	partial := make([][]float64, shards)
	err := parallel.Each(ctx, min(shards, len(s.factors)), func(shard int) error {
		sum := make([]float64, s.order*s.order)
		partial[shard] = sum
		var z []float64
		for k := shard; k < len(s.factors); k += shards {
			if err := ctx.Err(); err != nil {
				return err
			}
			f := s.factors[k]
			s.normal(f)
			f.eliminate()
			if len(z) < f.n*f.n {
				z = make([]float64, f.n*f.n)
			}
			f.inverse(z)
			s.scatter(f, z, sum)
			s.scatterBudgets(f, z, sum)
		}
		return nil
	})
	if err != nil {
		return err
	}
	clear(s.coupling)
	for _, part := range partial {
		for i, v := range part {
			s.coupling[i] += v
		}
	}
	for i := range s.order { // scatter fills either triangle
		for j := range i {
			s.coupling[j*s.order+i] += s.coupling[i*s.order+j]
		}
	}
	for i, u := range s.u {
		s.coupling[(s.rows+i)*(s.order+1)] += u / s.v[i]
	}
	for g, v := range s.stiff {
		s.coupling[(s.unbudgeted()+g)*(s.order+1)] += v
	}
	if !cholesky(ctx, s.order, s.coupling) {
		if err := ctx.Err(); err != nil {
			return err
		}
		return ErrPrecision
	}
	if s.core.level {
		clear(s.level)
		for i := range s.u {
			s.level[s.rows+i] = 1
		}
		s.coupled(s.level)
	}
	return nil
}

// sums computes the row sums e = p∘(Aᵀz + q) of the scaled normal matrix, and in bonds[k] the negative of its entry
// for pair k.
func (s *solver) sums() {
	if s.budgets > 0 {
		s.budgetSums()
		return
	}
	copy(s.excess, s.q)
	for k, e := range s.pairs {
		first, second := s.z[2*k], s.z[2*k+1]
		s.excess[e[0]] += s.w*second - first
		s.excess[e[1]] += s.w*first - second
		s.bonds[k] = s.w * s.p[e[0]] * s.p[e[1]] * (first/s.s[2*k] + second/s.s[2*k+1])
	}
	for j, p := range s.p {
		s.excess[j] *= p
	}
}

// normal fills the scaled normal matrix of a block.
func (s *solver) normal(f *factor) {
	clear(f.a)
	f.excess = append(f.excess[:0], s.excess[f.start:f.start+f.n]...)
	for i, k := range f.pairs {
		f.a[f.slot[i]] -= s.bonds[k] // pairs with different budgets may share an entry
	}
}

// scatter adds a block's contribution H M⁻¹ Hᵀ, M⁻¹ = diag(p) Z diag(p), to the Schur complement. An off-diagonal
// entry of Z goes to one triangle only.
func (s *solver) scatter(f *factor, z, out []float64) {
	n, bounded := f.n, s.bound != nil
	p, of := s.p[f.start:f.start+n], s.row[f.start:f.start+n]
	counts, losses := make([]float64, n), make([]float64, n)
	for j := range n {
		counts[j] = s.count[f.start+j] * p[j]
		losses[j] = s.loss[f.start+j] * p[j]
	}
	for i, row := range of {
		count, loss := counts[i], losses[i]
		sums := out[int(row)*s.order : (int(row)+1)*s.order]
		zi := z[i*n+i : (i+1)*n]
		if !bounded {
			others := counts[i:][:len(zi)]
			for k, col := range of[i:][:len(zi)] {
				v := zi[k]
				if col == row && k > 0 {
					v *= 2
				}
				sums[col] += v * count * others[k]
			}
			continue
		}
		bounds := out[(s.rows+int(row))*s.order : (s.rows+int(row)+1)*s.order]
		for k, v := range zi {
			j := i + k
			col, other := int(of[j]), counts[j]
			// An entry (i, j) of Z also represents (j, i). If both contribute to one diagonal entry, it counts
			// twice.
			twice := 1.0
			if k > 0 && col == int(row) {
				twice = 2
			}
			sums[col] += twice * v * count * other
			l := losses[j]
			bounds[s.rows+col] += twice * v * loss * l
			bounds[col] -= v * loss * other
			if k > 0 {
				out[(s.rows+col)*s.order+int(row)] -= v * l * count
			}
		}
	}
}

// coupled replaces x by the Schur complement's inverse times x.
func (s *solver) coupled(x []float64) { lapackSolve(s.order, s.coupling, x) }
