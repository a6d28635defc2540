package mvg

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// twoLevels draws a covariance of k variances 1 and the others r.
func twoLevels(t testing.TB, d, k int, r float64, rng *rand.Rand) Covariance {
	t.Helper()
	v := make([]float64, d)
	for i := range v {
		if v[i] = r; i < k {
			v[i] = 1
		}
	}
	c, err := Directional(v, randomBasis(d, rng))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// asVector returns the coordinates of a symmetric matrix, on helmert's for the
// traceless ones.
func (p *program) asVector(b int, a *mat.SymDense) *mat.VecDense {
	n, m := p.d*(p.d+1)/2, p.d*(p.d-1)/2
	out := mat.NewVecDense(n, nil)
	for i := range p.d {
		for j := i; j < p.d; j++ {
			out.SetVec(coordinate(p.d, i, j), width(i, j)*a.At(i, j))
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
		f := unitForms(drawCovariance(t, d, 1, rng), drawCovariance(t, d, 1, rng))
		for name, p := range map[string]*program{
			"compound": newCompound(f.p, f.q, d), "part of the compound": newCompound(f.p, f.q, 3),
			"lift": newLift(f.p, f.q, within{k: d}), "part of the lift": newLift(f.p, f.q, within{k: 3}), "tangents": newLift(f.p, f.q, within{3, 5}),
			"blocks": newLift(f.p, f.q, blockwise([]int{0, 0, 1, 1, 2, 2}[:d])),
		} {
			y := make([]float64, len(p.unknowns))
			for range 5 {
				for i := range y {
					y[i] = rng.NormFloat64()
				}
				forms := p.slack(y, false)
				v := leading(randomBasis(d, rng))
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

// Two levels of variance, where the compound leaves a gap and the lift none. The seeds
// are those of 600 pairs of orders 4 to 7 that the compound leaves 5e-6 to 4e-3 apart.
func TestReplacementOfTwoLevels(t *testing.T) {
	for _, seed := range []uint64{24, 60, 63, 93, 161, 366, 456, 471, 474, 502, 518, 584} {
		rng := rand.New(rand.NewPCG(seed, 5))
		d, k, l := 4+rng.IntN(4), 1+rng.IntN(3), 1+rng.IntN(3)
		r := []float64{2, 10, 1000}[rng.IntN(3)]
		sigma := twoLevels(t, d, k, r, rng)
		psi := twoLevels(t, d, l, r, rng)
		got, err := replaced(t.Context(), sigma, psi)
		if err != nil {
			t.Fatal(err)
		}
		if got.hi-got.lo > 3e-8*got.hi {
			t.Errorf("seed %d, order %d: enclosure [%v, %v]", seed, d, got.lo, got.hi)
		}
	}
}

// Two levels of which the large variances differ a little: the entries of a lift within
// four directions suffice, with the sums over those outside.
func TestReplacementOfNearlyTwoLevels(t *testing.T) {
	for _, c := range []struct {
		d int
		r float64
	}{{11, 10}} {
		rng := rand.New(rand.NewPCG(87, uint64(c.d)))
		var pair [2]Covariance
		for i := range pair {
			v := make([]float64, c.d)
			for j := range v {
				if v[j] = c.r * (1 + 1e-6*rng.Float64()); j < 2 {
					v[j] = 1
				}
			}
			var err error
			if pair[i], err = Directional(v, randomBasis(c.d, rng)); err != nil {
				t.Fatal(err)
			}
		}
		got, err := replaced(t.Context(), pair[0], pair[1])
		if err != nil {
			t.Fatal(err)
		}
		if got.hi-got.lo > 1e-7*got.hi {
			t.Errorf("order %d: enclosure [%v, %v]", c.d, got.lo, got.hi)
		}
	}
}

// Padding both covariances with a floor that many directions share leaves the maximum;
// so does turning both.
func TestReplacementAboveAFloor(t *testing.T) {
	rng := rand.New(rand.NewPCG(85, 86))
	for _, d := range []int{8, 30} {
		w := randomBasis(d, rng)
		small := [2]Covariance{drawCovariance(t, 4, 1, rng), drawCovariance(t, 4, 1, rng)}
		var large [2]Covariance
		for i, c := range small {
			v := c.Variances()
			u := mat.NewDense(d, d, nil)
			for j := range d {
				u.Set(j, j, 1)
			}
			u.Slice(0, 4, 0, 4).(*mat.Dense).Copy(c.directions)
			for j := 4; j < d; j++ {
				v = append(v, 1e6)
			}
			var turned mat.Dense
			turned.Mul(w, u)
			var err error
			if large[i], err = Directional(v, &turned); err != nil {
				t.Fatal(err)
			}
		}
		want, err := replaced(t.Context(), small[0], small[1])
		if err != nil {
			t.Fatal(err)
		}
		got, err := replaced(t.Context(), large[0], large[1])
		if err != nil {
			t.Fatal(err)
		}
		if got.lo > want.hi || got.hi < want.lo || got.hi-got.lo > 1e-8*got.hi {
			t.Errorf("order %d: [%v, %v], want [%v, %v]", d, got.lo, got.hi, want.lo, want.hi)
		}
	}
}
