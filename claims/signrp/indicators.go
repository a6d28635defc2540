package signrp

import (
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"dpworkbench/claims/check"
)

// reachCase is a vector on a grid of quarters under a small Rademacher W.
type reachCase struct {
	p, k int
	seed uint64
	u    []int // in quarters
}

func (c reachCase) rows() [][]float64 {
	return check.Must(signPair{p: c.p, k: c.k, seed: c.seed}.projection().Matrix())
}

// products returns 4·wᵀu for every column.
func (c reachCase) products(u []int) []int {
	out := make([]int, c.k)
	for i, row := range c.rows() {
		for j, w := range row {
			out[j] += int(w) * u[i]
		}
	}
	return out
}

// neighbors yields the vectors of quarters in the cube that differ from u in one entry by at most 1, including u
// itself.
func (c reachCase) neighbors() iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		for i := range c.u {
			for step := -4; step <= 4; step++ {
				v := slices.Clone(c.u)
				if v[i] += step; v[i] < -4 || v[i] > 4 {
					continue
				}
				if !yield(v) {
					return
				}
			}
		}
	}
}

func (c reachCase) fields(more ...any) []check.Field {
	return append(check.Named("W", c.rows(), "4u", c.u, "beta", "1"), check.Named(more...)...)
}

// reaches quantifies s over every u of quarters for p ≤ 2, k ≤ 2 and four W, and every u of ±½ for p = k = 3 and 16 W.
// The draws are larger.
func reaches(s check.Statement[reachCase]) check.Statement[reachCase] {
	s.Family = "u on a grid of quarters, p, k ≤ 2, and u of ±½, p = k = 3; β = 1"
	s.Each = check.Chain(check.Grid(func(c *reachCase) []check.Axis {
		var shape [2]int
		var first, second int
		return []check.Axis{
			check.Over(&shape, [2]int{1, 1}, [2]int{1, 2}, [2]int{2, 1}, [2]int{2, 2}),
			check.Span(&c.seed, 0, 3),
			check.Span(&second, -4, 4),
			check.Span(&first, -4, 4),
			check.Where(func() bool { return shape[0] == 2 || second == -4 }),
			check.Let(func() { c.p, c.k, c.u = shape[0], shape[1], []int{first, second}[:shape[0]] }),
		}
	}), check.Grid(func(c *reachCase) []check.Axis {
		var v []int
		c.p, c.k = 3, 3
		return []check.Axis{
			check.Span(&c.seed, 0, 15),
			check.From(&v, check.Words(2, 3)),
			check.Let(func() { c.u = []int{4*v[0] - 2, 4*v[1] - 2, 4*v[2] - 2} }),
		}
	}))
	s.Draw = func(rng *rand.Rand) reachCase {
		c := reachCase{p: 1 + rng.IntN(5), k: 1 + rng.IntN(6), seed: rng.Uint64N(1000)}
		for range c.p {
			c.u = append(c.u, rng.IntN(9)-4)
		}
		return c
	}
	return s
}

// indicators states that no neighbor changes a sign that Algorithm 7, with share·β in place of β, leaves unmarked.
func indicators(share float64) check.Statement[reachCase] {
	broken := func(c reachCase) (v []int, column int) {
		x := c.products(c.u)
		for v := range c.neighbors() {
			for j, y := range c.products(v) {
				if math.Abs(float64(x[j])) > 4*share && (x[j] >= 0) != (y >= 0) {
					return v, j
				}
			}
		}
		return nil, -1
	}
	return reaches(check.Statement[reachCase]{
		Holds: func(c reachCase) bool { _, j := broken(c); return j < 0 },
	})
}

// mostChanges states that agree holds for the number of marked signs and the largest number of signs that one neighbor
// changes.
func mostChanges(agree func(marked, changed int) bool) check.Statement[reachCase] {
	counts := func(c reachCase) (marks, changed int) {
		x := c.products(c.u)
		for _, z := range x {
			if z >= -4 && z <= 4 {
				marks++
			}
		}
		for v := range c.neighbors() {
			n := 0
			for j, y := range c.products(v) {
				if (x[j] >= 0) != (y >= 0) {
					n++
				}
			}
			changed = max(changed, n)
		}
		return marks, changed
	}
	untied := func(c reachCase) bool { // at 0 the sign, and at ±β the mark, is a convention
		return !slices.ContainsFunc(c.products(c.u), func(z int) bool { return z == 0 || check.Abs(z) == 4 })
	}
	return reaches(check.Statement[reachCase]{
		Applies: untied,
		Holds:   func(c reachCase) bool { return !untied(c) || agree(counts(c)) },
		Witness: func(c reachCase) *check.Witness {
			marks, changed := counts(c)
			u := make([]float64, c.p)
			for i, q := range c.u {
				u[i] = float64(q) / 4
			}
			return check.NewWitness(c.fields("marked", marks, "most signs changed", changed),
				check.Vars{"p": c.p, "k": c.k, "seed": c.seed, "u": u},
				"rows = projection({p}, {k}, seed={seed}).matrix; u = {u}",
				"dot = lambda v: [sum([rows[i][j] * v[i] for i in range({p})]) for j in range({k})]; x = dot(u)",
				"near = [u[:i] + [t / 4] + u[i + 1:] for i in range({p}) for t in range(-4, 5) if abs(t / 4 - u[i]) <= 1]",
				"marked = len([z for z in x if abs(z) <= 1])",
				"most = max([len([1 for a, b in zip(x, dot(v)) if (a >= 0) != (b >= 0)]) for v in near]); print(marked, most, marked == most)")
		},
	})
}
