package planes

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dpworkbench/internal/symmetric"

	"gonum.org/v1/gonum/mat"
)

// asVector returns the coordinates of a symmetric matrix, on helmert's for the
// traceless ones.
func (p *program) asVector(b int, a *mat.SymDense) *mat.VecDense {
	n, m := p.d*(p.d+1)/2, p.d*(p.d-1)/2
	out := mat.NewVecDense(n, nil)
	for i := range p.d {
		for j := i; j < p.d; j++ {
			out.SetVec(coordinate(p.d, i, j), coordinateScale(i, j)*a.At(i, j))
		}
	}
	if !p.blocks[b].traceless {
		return out
	}
	short := mat.NewVecDense(n-1, nil)
	short.SliceVec(0, m).(*mat.VecDense).CopyVec(out.SliceVec(0, m))
	short.SliceVec(m, n-1).(*mat.VecDense).MulVec(p.diagonal.T(), out.SliceVec(m, n))
	return short
}

// The moments of a plane satisfy a program's equations: whatever the unknowns are,
// tr(PDQD) is Σ cost y − Σ ⟨B_b, X_b⟩, and the X_b have the traces the program says. The starting
// moments satisfy the equations as well.
func TestPlanesSatisfyPrograms(t *testing.T) {
	rng := rand.New(rand.NewPCG(81, 82))
	for _, d := range []int{3, 4, 5, 6} {
		f := newForms(drawn(d, 1, rng), drawn(d, 1, rng))
		for name, p := range map[string]*program{
			"compound": newCompound(f.p, f.q, d), "part of the compound": newCompound(f.p, f.q, 3),
			"lift": newLift(f.p, f.q, leadingDirections{k: d}), "part of the lift": newLift(f.p, f.q, leadingDirections{k: 3}), "tangents": newLift(f.p, f.q, leadingDirections{3, 5}),
			"blocks": newLift(f.p, f.q, sharedBlocksOnly([]int{0, 0, 1, 1, 2, 2}[:d])),
		} {
			y := make([]float64, len(p.unknowns))
			for range 5 {
				for i := range y {
					y[i] = rng.NormFloat64()
				}
				forms := p.slack(y, false)
				v := firstTwo(symmetric.RandomBasis(d, rng))
				planes := []*mat.SymDense{mat.NewSymDense(d, nil), mat.NewSymDense(d, nil), mat.NewSymDense(d, nil)}
				for i := range d {
					for j := i; j < d; j++ {
						planes[0].SetSym(i, j, v[0][i]*v[0][j]-v[1][i]*v[1][j])
						planes[1].SetSym(i, j, v[0][i]*v[1][j]+v[1][i]*v[0][j])
						planes[2].SetSym(i, j, v[0][i]*v[0][j]+v[1][i]*v[1][j])
					}
				}
				omega := mat.NewVecDense(d*(d-1)/2, nil)
				for k, pair := range pairsOf(d) {
					omega.SetVec(k, v[0][pair[0]]*v[1][pair[1]]-v[0][pair[1]]*v[1][pair[0]])
				}
				sum := p.cost(y)
				for b, form := range forms {
					x := omega
					if b < len(forms)-1 {
						x = p.asVector(b, planes[b])
					}
					if got := mat.Dot(x, x); math.Abs(got-p.blocks[b].trace) > 1e-12 {
						t.Errorf("order %d, %s: moment %d has trace %v, want %v", d, name, b, got, p.blocks[b].trace)
					}
					sum -= mat.Inner(x, form, x)
				}
				if want := f.value(v); math.Abs(sum-want) > 1e-10 {
					t.Errorf("order %d, %s: Σ cost y − Σ ⟨B, X⟩ = %v, want %v", d, name, sum, want)
				}
			}
			moments := make([]*mat.Dense, len(p.blocks))
			for b := range moments {
				moments[b] = mat.DenseCopyOf(p.blocks[b].moment)
			}
			image := mat.NewVecDense(len(y), nil)
			p.adjoint(moments, image)
			for k := range y {
				if want := p.unknowns[k].cost; math.Abs(image.AtVec(k)-want) > 1e-13 {
					t.Errorf("order %d, %s: ⟨A, X⟩ = %v at the start for unknown %d, want %v", d, name, image.AtVec(k), k, want)
				}
			}
		}
	}
}

// Any unknowns bound; the best meet the ascent. Had a matrix of a program a wrong
// coefficient, some would fall below.
func TestProgramsBoundWithAnyUnknowns(t *testing.T) {
	rng := rand.New(rand.NewPCG(37, 38))
	try := func(name string, f forms, p *program, gap float64) {
		t.Helper()
		y, _, err := p.solve(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		climb := &ascent{forms: f}
		for range 10 {
			if err := climb.climbFrom(t.Context(), firstTwo(symmetric.RandomBasis(p.d, rng))); err != nil {
				t.Fatal(err)
			}
		}
		if least := p.bound(y); least < climb.best || least > climb.best*(1+gap) {
			t.Errorf("order %d, %s: bound %v, ascent %v", p.d, name, least, climb.best)
		}
		for _, off := range []float64{1e-6, 1e-3, 1} {
			for range 20 {
				other := append([]float64(nil), y...)
				for i := range other {
					other[i] += off * rng.NormFloat64()
				}
				if b := p.bound(other); b < climb.best {
					t.Errorf("order %d, %s: unknowns off by %g bound by %v, ascent reaches %v", p.d, name, off, b, climb.best)
				}
			}
		}
	}
	for _, d := range []int{3, 4, 6} {
		f := newForms(drawn(d, 1, rng), drawn(d, 1, rng))
		try("compound", f, newCompound(f.p, f.q, d), 1e-9)
	}
	for _, d := range []int{3, 4, 5} {
		f := newForms(twoLevels(d, 2, 10, rng), twoLevels(d, 2, 10, rng))
		try("lift", f, newLift(f.p, f.q, leadingDirections{k: d}), 1e-8)
	}
}

// Entries that are free beside those of leading directions: for every two directions inside, the sum over those
// outside of the entries that join one to itself, and in N the sum of all between two of those outside.
func TestSumsOverTheOutside(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 8))
	for _, c := range []struct{ d, k int }{{4, 2}, {5, 2}, {5, 3}, {6, 4}, {5, 4}, {5, 5}} {
		p := newLift(drawn(c.d, 1, rng), drawn(c.d, 1, rng), leadingDirections{k: c.k})
		key := func(cells []cell) string {
			texts := make([]string, len(cells))
			for i, e := range cells {
				texts[i] = fmt.Sprint(e)
			}
			slices.Sort(texts)
			return strings.Join(texts, " ")
		}
		has := make(map[string]int) // in N
		for _, u := range p.unknowns {
			if len(u.cells[ofW]) > 0 {
				has[key(u.cells[ofW])]++
			}
		}
		expect := func(entries [][2][2]int) {
			var cells []cell
			for _, e := range entries {
				cells = append(cells, symmetricCells(coordinate(c.d, e[0][0], e[0][1]), coordinate(c.d, e[1][0], e[1][1]), 1)...)
			}
			if n := has[key(cells)]; len(cells) > 0 && n != 1 {
				t.Errorf("order %d, %d inside: %d unknowns of N for %v", c.d, c.k, n, entries)
			}
		}
		var trace [][2][2]int
		for i := c.k; i < c.d; i++ {
			for j := i + 1; j < c.d; j++ {
				trace = append(trace, [2][2]int{{i, i}, {j, j}})
			}
		}
		expect(trace)
		for i := range c.k {
			for j := i; j < c.k; j++ {
				var own, joined [][2][2]int
				for l := c.k; l < c.d; l++ {
					own = append(own, [2][2]int{{i, j}, {l, l}})
					joined = append(joined, [2][2]int{{i, l}, {j, l}})
				}
				if expect(own); i < j {
					expect(joined)
				}
			}
		}
	}
}
