package planes

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/symmetric"

	"gonum.org/v1/gonum/mat"
)

// What bounds a matrix on U is above it with the floor beside, and above the floor, for any
// split of any basis; and hardly more where U's complement is the floor.
func TestUpperBoundOn(t *testing.T) {
	rng := rand.New(rand.NewPCG(108, 1))
	for trial := range 200 {
		d := 4 + rng.IntN(4)
		k := 2 + rng.IntN(d-2)
		v, w := make([]float64, d), symmetric.RandomBasis(d, rng)
		for i := range v {
			if v[i] = 100; i < k {
				v[i] = math.Exp(3 * rng.NormFloat64())
			}
		}
		if trial%2 == 0 { // a floor that U's complement is
			for i := range k {
				v[i] = 1 + 50*rng.Float64()
			}
		}
		p := precision(v, w)
		basis := w
		if trial%4 > 1 {
			basis = symmetric.RandomBasis(d, rng)
		}
		at := upperBoundOn(p, basis, k)
		turned := symmetric.Turn(p, basis)
		rho := symmetric.EigenCeiling(turned.SliceSym(k, d).(*mat.SymDense))
		whole := mat.NewSymDense(d, nil)
		for i := range d {
			for j := i; j < d; j++ {
				x := -turned.At(i, j)
				if j < k {
					x += at.At(i, j)
				} else if i == j {
					x += rho
				}
				whole.SetSym(i, j, x)
			}
		}
		lift := at.At(0, 0) - turned.At(0, 0) // P̂ = A + lift·I, and ρ + lift below
		above := mat.NewSymDense(k, nil)
		above.CopySym(at)
		for i := range k {
			above.SetSym(i, i, above.At(i, i)-rho)
		}
		for i := k; i < d; i++ {
			whole.SetSym(i, i, whole.At(i, i)+lift)
		}
		least := func(a *mat.SymDense) float64 {
			var e mat.EigenSym
			if !e.Factorize(a, false) {
				t.Fatal("no eigenvalues")
			}
			return e.Values(nil)[0]
		}
		if a, b := least(whole), least(above); a < -1e-15 || b < -1e-15 {
			t.Errorf("order %d, U of %d: P̂ ⊕ ρI − P has the eigenvalue %v, P̂ − ρI %v", d, k, a, b)
		}
		if trial%4 == 0 && lift > 1e-13 {
			t.Errorf("order %d: raised by %v above a floor", d, lift)
		}
		if lift < 0 {
			t.Errorf("lowered by %v", -lift)
		}
		// What either bound lacks as it stands, and no more.
		rest, over := mat.NewSymDense(d, nil), mat.NewSymDense(k, nil)
		for i := range d {
			for j := max(i, k); j < d; j++ {
				rest.SetSym(i, j, turned.At(i, j))
			}
			if i >= k {
				rest.SetSym(i, i, turned.At(i, i)-rho)
			}
		}
		for i := range k {
			for j := i; j < k; j++ {
				over.SetSym(i, j, -turned.At(i, j))
			}
			over.SetSym(i, i, rho-turned.At(i, i))
		}
		_, most := extremes(t, rest)
		_, lacks := extremes(t, over)
		if want := math.Max(0, most) + math.Max(0, lacks); math.Abs(lift-want) > 1e-13 {
			t.Errorf("order %d, U of %d: raised by %v, want %v", d, k, lift, want)
		}
	}
}

// U is spanned by the directions in which P or Q is above its floor.
func TestDirectionsAboveFloor(t *testing.T) {
	rng := rand.New(rand.NewPCG(108, 2))
	for d := 5; d < 10; d++ {
		w := symmetric.RandomBasis(d, rng)
		v, u := make([]float64, d), make([]float64, d)
		for i := range v {
			v[i], u[i] = 10, 20
		}
		v[0], v[1], u[1], u[3] = 1, 2, 3, 1
		f := newForms(precision(v, w), precision(u, w))
		basis, k := f.directionsAboveFloor()
		if k != 3 {
			t.Fatalf("order %d: %d directions, want 3", d, k)
		}
		for _, i := range []int{0, 1, 3} {
			for j := k; j < d; j++ {
				if x := mat.Dot(w.ColView(i), basis.ColView(j)); math.Abs(x) > 1e-13 {
					t.Errorf("order %d: direction %d is not in U: %v", d, i, x)
				}
			}
		}
	}
}

// A diagonal cover of forms that share their axes is proven, and no more than a grid's least.
func TestDiagonalCover(t *testing.T) {
	rng := rand.New(rand.NewPCG(108, 3))
	for range 10 {
		d := 3 + rng.IntN(4)
		w := symmetric.RandomBasis(d, rng)
		f := newForms(precision(lognormal(d, 1, rng), w), precision(lognormal(d, 1, rng), w))
		s := newHalfPlanes(f, firstTwo(w))
		if s.axes == nil {
			t.Fatal("the axes are not found")
		}
		c := [4]float64{1 + rng.Float64(), 1 + rng.Float64(), rng.Float64(), rng.Float64()}
		at := s.diagonalCover(c)
		l := s.reflectionFormOf(c)
		level := l.certify(at)
		if got := at.level(); math.Abs(level-got) > 1e-11*level {
			t.Errorf("order %d: level %v, proven %v", d, got, level)
		}
		// The least over α and β of α + β and the two largest sums.
		grid := math.Inf(1)
		p, q := symmetric.Turn(f.p, w), symmetric.Turn(f.q, w)
		for i := range 201 {
			for j := range 201 {
				alpha, beta := c[2]*float64(i)/200, c[3]*float64(j)/200
				first, second := math.Inf(-1), math.Inf(-1)
				for r := range d {
					x := ((c[0]-c[2])*p.At(r, r)+(c[1]-c[3])*q.At(r, r))/2 + math.Max(0, c[2]*p.At(r, r)-alpha) + math.Max(0, c[3]*q.At(r, r)-beta)
					if x > first {
						first, second = x, first
					} else {
						second = math.Max(second, x)
					}
				}
				grid = math.Min(grid, alpha+beta+first+second)
			}
		}
		if level > grid*(1+1e-9) || level < grid*(1-0.02) {
			t.Errorf("order %d: level %v, a grid finds %v", d, level, grid)
		}
	}
}
