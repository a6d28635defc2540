package lp

import (
	"cmp"
	"slices"
)

// The budget rows of a step. Constraint k of the core, p_a ≤ w p_b + o_k, has the slack s = A_k p + o, A_k p = w p_b −
// p_a, with price z; o ≥ 0 has price f. If n_k is the share of constraint k in a budget, the budget is Σ n o + h =
// delta with price c, so that n c = z + f. With D = z/s and E = f/o, eliminating do and dh gives
//
//	dz = push − D̃ A dp + ρ n dc,   D̃ = DE/(D + E),   ρ = D/(D + E),
//	B dp + k dc = target,   B_g = Σ ρ n A_k,   k_g = Σ n²/(D + E) + h/c.
//
// So D̃ replaces D, and each budget adds a sparse row B.

// budgetTerms holds intermediate numbers of a step, one per constraint or per budget.
type budgetTerms struct {
	through []float64 // ρ n
	soft    []float64 // 1/(D + E)
	push    []float64
	stiff   []float64 // k
	pull    []float64 // (D + E) times the step do, without its terms in dp, dc and r_s
}

// spread leaves half of each budget unused and divides the other half among its constraints, at prices that leave
// no dual residual.
func (s *solver) spread(mu float64) {
	n := len(s.s)
	s.budgetTerms = budgetTerms{make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, s.budgets), make([]float64, n)}
	total := make([]float64, s.budgets)
	for k, g := range s.budget {
		total[g] += s.share[k]
	}
	for k, g := range s.budget {
		s.o[k] = s.delta / (2 * total[g])
		s.s[k] += s.o[k]
		s.z[k] = mu / s.s[k]
		s.c[g] = max(s.c[g], 2*s.z[k]/s.share[k])
	}
	for g := range s.h {
		s.h[g] = s.delta / 2
		if total[g] == 0 { // no constraint remains
			s.h[g] = s.delta
		}
		s.c[g] = max(s.c[g], mu/s.h[g])
	}
	for k, g := range s.budget {
		s.f[k] = s.share[k]*s.c[g] - s.z[k]
	}
}

// overspent returns a fraction of the uniform point such that mixing in that much makes the point satisfy its budgets.
// It is the least such fraction if rows have one length and one constraint of the worst budget is violated.
func (s *solver) overspent(sum, length []float64) (rate float64) {
	total, largest, room := make([]float64, s.budgets), make([]float64, s.budgets), make([]float64, s.budgets)
	for k, g := range s.budget {
		a, b := s.ends(int32(k))
		over := s.p[a]/sum[s.row[a]] - s.w*s.p[b]/sum[s.row[b]]
		if over > 0 {
			total[g] += s.share[k] * over
			if over > largest[g] {
				largest[g], room[g] = over, (s.w-1)/length[s.row[a]]
			}
		}
	}
	for g, v := range total {
		if v > s.delta {
			r := (v - s.delta) / (v + room[g])
			if (1-r)*largest[g] < r*room[g] {
				r = (v - s.delta) / v
			}
			rate = max(rate, r)
		}
	}
	return rate
}

// charge returns the decrease of the bound due to budgets, for the prices of the constraints.
func (s *solver) charge(z []float64) float64 {
	top, total := make([]float64, s.budgets), 0.0
	for k, g := range s.budget {
		top[g] = max(top[g], z[k]/s.share[k])
	}
	for _, v := range top {
		total += v
	}
	return s.delta * total
}

// budgetResiduals computes the residuals of the equations of o and of the budgets.
func (s *solver) budgetResiduals() {
	r := &s.residual
	for g, h := range s.h {
		r.h[g] = s.delta - h
	}
	for k, g := range s.budget {
		r.s[k] += s.o[k]
		r.o[k] = s.share[k]*s.c[g] - s.z[k] - s.f[k]
		r.h[g] -= s.share[k] * s.o[k]
	}
}

// budgetSums does the same as sums with D̃ for D. As D̃ A p = z(1 − ρ) − fρ, the row sums have the size of the
// objective here too. It sets through, soft and stiff.
func (s *solver) budgetSums() {
	for g, h := range s.h {
		s.stiff[g] = h / s.c[g]
	}
	for k, g := range s.budget {
		d, e := s.z[k]/s.s[k], s.f[k]/s.o[k]
		n := s.share[k]
		s.soft[k] = 1 / (d + e)
		s.through[k] = n * d * s.soft[k]
		s.stiff[g] += n * n * s.soft[k]
	}
	copy(s.excess, s.q)
	for k, e := range s.pairs {
		var flow, bond [2]float64
		for side := range 2 {
			i := 2*k + side
			rho, rest := s.through[i]/s.share[i], s.f[i]/s.o[i]*s.soft[i]
			flow[side] = s.z[i]*rest - s.f[i]*rho
			bond[side] = s.z[i] / s.s[i] * rest
		}
		s.excess[e[0]] += s.w*flow[1] - flow[0]
		s.excess[e[1]] += s.w*flow[0] - flow[1]
		s.bonds[k] = s.w * s.p[e[0]] * s.p[e[1]] * (bond[0] + bond[1])
	}
	for j, p := range s.p {
		s.excess[j] *= p
	}
}

// budgetRates sets push and pull.
func (s *solver) budgetRates() {
	r := &s.residual
	for k := range s.o {
		d := s.z[k] / s.s[k]
		up, back := s.term.z[k]/s.s[k], s.term.f[k]/s.o[k]-r.o[k]
		rho, rest := d*s.soft[k], s.f[k]/s.o[k]*s.soft[k]
		s.pull[k] = up + back
		s.push[k] = rest*(up-d*r.s[k]) - rho*back
	}
}

// budgetTarget writes the right-hand sides of the budgets' equations.
func (s *solver) budgetTarget(target []float64) {
	for g := range target {
		target[g] = s.term.c[g]/s.c[g] - s.residual.h[g]
	}
	for k, g := range s.budget {
		d := s.z[k] / s.s[k]
		target[g] += s.share[k] * (s.pull[k] - d*s.residual.s[k]) * s.soft[k]
	}
}

// budgetRows calls f with every entry b of B: that of variable j in the row of budget g.
func (s *solver) budgetRows(f func(g, j int32, b float64)) {
	for k, g := range s.budget {
		large, small := s.ends(int32(k))
		f(g, large, -s.through[k])
		f(g, small, s.w*s.through[k])
	}
}

// budgetStep completes the step from its p and c. The smaller of s and o is computed by a formula that does not
// subtract the larger.
func (s *solver) budgetStep() {
	d, r := s.step, &s.residual
	for k, g := range s.budget {
		large, small := s.ends(int32(k))
		move := s.w*d.p[small] - d.p[large] + r.s[k]
		pull := s.pull[k] - s.share[k]*d.c[g]
		stiff, back := s.z[k]/s.s[k], s.f[k]/s.o[k]
		d.o[k] = (pull - stiff*move) * s.soft[k]
		d.s[k] = (pull + back*move) * s.soft[k]
		d.f[k] = (s.term.f[k] - s.f[k]*d.o[k]) / s.o[k]
	}
	for g, h := range s.h {
		d.h[g] = (s.term.c[g] - h*d.c[g]) / s.c[g]
	}
}

// budgetRow holds the constraints of one budget in a block.
type budgetRow struct {
	budget int32
	links  []int32
}

// budgetRowsOf sorts the constraints of a block by budget, in ascending order.
func (c *core) budgetRowsOf(b *block) []budgetRow {
	var out []budgetRow
	at := make(map[int32]int)
	for _, k := range b.pairs {
		for side := range int32(2) {
			link := 2*k + side
			g := c.budget[link]
			i, ok := at[g]
			if !ok {
				i = len(out)
				at[g] = i
				out = append(out, budgetRow{budget: g})
			}
			out[i].links = append(out[i].links, link)
		}
	}
	slices.SortFunc(out, func(a, b budgetRow) int { return cmp.Compare(a.budget, b.budget) })
	return out
}

// scatterBudgets adds a block's share of the rows of the budgets to the Schur complement, each
// entry off its diagonal to the lower triangle; z holds the upper triangle of Z.
func (s *solver) scatterBudgets(f *factor, z, out []float64) {
	if s.budgets == 0 {
		return
	}
	n, base := f.n, s.unbudgeted()
	for i := range n {
		for j := range i {
			z[i*n+j] = z[j*n+i]
		}
	}
	// entries holds a constraint's two entries of B diag(p).
	type entries struct {
		large, small int32
		a, b         float64
	}
	spent := f.spent
	offset, all := make([]int, len(spent)+1), make([]entries, 0, 2*len(f.pairs))
	for i, p := range spent {
		for _, k := range p.links {
			large, small := s.ends(k)
			all = append(all, entries{large - int32(f.start), small - int32(f.start), -s.through[k] * s.p[large], s.w * s.through[k] * s.p[small]})
		}
		offset[i+1] = len(all)
	}
	single := len(all) == len(spent) // as happens if no two columns are merged
	t := make([]float64, n)
	for i, p := range spent {
		clear(t)
		for _, e := range all[offset[i]:offset[i+1]] {
			large, small := z[int(e.large)*n:(int(e.large)+1)*n], z[int(e.small)*n:(int(e.small)+1)*n]
			for j, v := range large {
				t[j] += e.a*v + e.b*small[j]
			}
		}
		own := base + int(p.budget)
		line := out[own*s.order : (own+1)*s.order]
		for j, v := range t {
			v *= s.p[f.start+j]
			row := s.row[f.start+j]
			line[row] += v * s.count[f.start+j]
			if s.bound != nil {
				line[s.rows+int(row)] -= v * s.loss[f.start+j]
			}
		}
		if single {
			for k, e := range all[:i+1] {
				line[base+int(spent[k].budget)] += e.a*t[e.large] + e.b*t[e.small]
			}
			continue
		}
		for k := range i + 1 {
			v := 0.0
			for _, e := range all[offset[k]:offset[k+1]] {
				v += e.a*t[e.large] + e.b*t[e.small]
			}
			line[base+int(spent[k].budget)] += v
		}
	}
}
