package planes

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/looks"
	"dpworkbench/internal/symmetric"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

func randomSymmetric(n int, rng *rand.Rand) *mat.SymDense {
	out := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			out.SetSym(i, j, rng.NormFloat64())
		}
	}
	return out
}

func extremes(t *testing.T, a *mat.SymDense) (least, most float64) {
	t.Helper()
	var e mat.EigenSym
	if !e.Factorize(a, symmetric.WithVectors) {
		t.Fatal("no eigenvalues")
	}
	v := e.Values(nil)
	return v[0], v[len(v)-1]
}

func minus(a, b *mat.SymDense) *mat.SymDense {
	out := mat.NewSymDense(a.SymmetricDim(), nil)
	symmetric.Combine(out, 1, a, -1, b)
	return out
}

// Climbs leave planes that are saddles: of P = Q all that are spanned by two eigenvectors but the
// leading ones.
func TestClimbsLeaveSaddles(t *testing.T) {
	for d := 3; d < 6; d++ {
		v := make([]float64, d)
		for i := range v {
			v[i] = 1 / (1 - float64(i)/float64(d))
		}
		p := precision(v, symmetric.Eye(d))
		want := p.At(0, 0)*p.At(0, 0) + p.At(1, 1)*p.At(1, 1)
		for i := range d {
			for j := range i {
				at := newFrame(d)
				at[0][i], at[1][j] = 1, 1
				s := &ascent{forms: newForms(p, p)}
				if err := s.climbFrom(t.Context(), at); err != nil {
					t.Fatal(err)
				}
				if math.Abs(s.best-want) > 1e-9 || orthonormalityError(s.bestBasis) > 1e-12 {
					t.Errorf("order %d: from the plane of %d and %d a climb ends at %v, want %v", d, i, j, s.best, want)
				}
			}
		}
	}
}

// Newton's step has the slope and the curvature of the value along rotations, by differences; and
// the frame that maximises the linear form is the best of random ones.
func TestAscentByDifferences(t *testing.T) {
	rng := rand.New(rand.NewPCG(111, 1))
	for range 20 {
		d := 3 + rng.IntN(3)
		f := newForms(drawn(d, 1, rng), drawn(d, 1, rng))
		v := firstTwo(symmetric.RandomBasis(d, rng))
		dd := minus(outerOf(mat.NewVecDense(d, v[0])), outerOf(mat.NewVecDense(d, v[1])))
		g := f.gradient(dd)
		var direct mat.Dense
		direct.Product(f.p, dd, f.q)
		for i := range d {
			for j := range d {
				if want := direct.At(i, j) + direct.At(j, i); math.Abs(g.At(i, j)-want) > 1e-14 {
					t.Fatalf("PDQ + QDP has %v at (%d, %d), want %v", g.At(i, j), i, j, want)
				}
			}
		}
		value, next := f.extremeEigenvectors(v)
		if math.Abs(value-f.value(v)) > 1e-14 || math.Abs(innerOf(g, dd)/2-value) > 1e-13 {
			t.Errorf("tr(PDQD) = %v, %v, %v", value, f.value(v), innerOf(g, dd)/2)
		}
		linear := func(v frame) float64 {
			return innerOf(g, outerOf(mat.NewVecDense(d, v[0]))) - innerOf(g, outerOf(mat.NewVecDense(d, v[1])))
		}
		low, high := extremes(t, g)
		if got := linear(next); math.Abs(got-(high-low)) > 1e-12 {
			t.Errorf("the linear form reaches %v, want %v", got, high-low)
		}
		// From near a maximum a step squares the distance: three reach it.
		s := &ascent{forms: f}
		if err := s.climbFrom(t.Context(), v); err != nil {
			t.Fatal(err)
		}
		var moves [][2]int
		var step []float64
		for j := 1; j < d; j++ {
			moves, step = append(moves, [2]int{0, j}), append(step, 0.02*rng.NormFloat64())
		}
		w := rotatedBy(s.bestBasis, moves, mat.NewVecDense(len(step), step))
		before := s.best - f.value(firstTwo(w))
		for k := range 3 {
			s.newton(w)
			after := s.best - f.value(firstTwo(w))
			if k == 0 && after > 0.05*before+1e-13 || k == 2 && after > 1e-13*s.best {
				t.Errorf("order %d: %v below the maximum, %v after step %d", d, before, after, k)
			}
		}
	}
}

// Halves of a sector are sectors, split at the longest edge, and hold what it holds.
func TestHalvesOfSectors(t *testing.T) {
	rng := rand.New(rand.NewPCG(111, 2))
	inside := func(t sector, x [3]float64) bool {
		m := mat.NewDense(3, 3, nil)
		for j, v := range t.corners {
			m.SetCol(j, v[:])
		}
		var y mat.VecDense
		return y.SolveVec(m, mat.NewVecDense(3, x[:])) == nil && mat.Min(&y) > -1e-12
	}
	for range 200 {
		var s sector
		s.bound = rng.Float64()
		for i := range s.corners {
			s.corners[i] = unit3([3]float64{rng.Float64(), rng.Float64(), rng.Float64()})
		}
		a, b := s.halves()
		if a.bound != s.bound || b.bound != s.bound {
			t.Errorf("bounds %v and %v of %v", a.bound, b.bound, s.bound)
		}
		for range 10 {
			var x [3]float64
			for _, v := range s.corners {
				share := rng.Float64()
				for i := range x {
					x[i] += share * v[i]
				}
			}
			if inside(a, x) == inside(b, x) {
				t.Fatalf("a point of a sector is in both halves or in none: %v", inside(a, x))
			}
			if c := unit3(x); math.Abs(dot3(c, c)-1) > 1e-15 {
				t.Fatalf("norm² %v", dot3(c, c))
			}
		}
		longest := func(s sector) (d float64) {
			for i, u := range s.corners {
				v := s.corners[(i+1)%3]
				d = math.Max(d, math.Sqrt(math.Max(0, 2-2*dot3(u, v))))
			}
			return d
		}
		apart := 0
		for i, u := range s.corners {
			if a.corners[i] != u {
				apart++
				edge := math.Sqrt(math.Max(0, 2-2*dot3(u, s.corners[(i+2)%3])))
				if math.Abs(edge-longest(s)) > 1e-12 {
					t.Errorf("an edge of %v is split, the longest is %v", edge, longest(s))
				}
			}
		}
		if apart != 1 {
			t.Errorf("%d corners of a half are new", apart)
		}
		center := s.center()
		want := unit3([3]float64{s.corners[0][0] + s.corners[1][0] + s.corners[2][0], s.corners[0][1] + s.corners[1][1] + s.corners[2][1], s.corners[0][2] + s.corners[1][2] + s.corners[2][2]})
		if math.Abs(dot3(center, want)-1) > 1e-14 {
			t.Errorf("center %v, want %v", center, want)
		}
	}
	cut := frameCut{[3]float64{3, 4, 0}, 10}
	for _, c := range []struct {
		v    [3]float64
		want float64
	}{{[3]float64{1, 0, 0}, 10.0 / 3}, {[3]float64{0.6, 0.8, 0}, 2}, {[3]float64{0, 0, 1}, math.Inf(1)}, {[3]float64{-1, 0, 0}, math.Inf(1)}, {[3]float64{0.01, 0, 1}, math.Inf(1)}, {[3]float64{0.02, 0, 1}, 10 / 0.06}} {
		if got := cut.reach(c.v); got != c.want && (math.IsInf(c.want, 1) || math.Abs(got-c.want) > 1e-12*c.want) {
			t.Errorf("the cut lets %v go as far as %v, want %v", c.v, got, c.want)
		}
	}
}

// A weight is KᵀK, whichever of its functions says so; a positive part is the least matrix above
// X and 0 that is orthogonal to what it lacks; and what dominates does so at the least cost.
func TestWeights(t *testing.T) {
	rng := rand.New(rand.NewPCG(111, 3))
	for range 40 {
		d := 2 + rng.IntN(4)
		x, y := randomSymmetric(d, rng), randomSymmetric(d, rng)
		part := positivePart(x)
		rest := minus(part, x)
		if a, _ := extremes(t, part); a < -1e-13 {
			t.Errorf("the positive part has the eigenvalue %v", a)
		}
		if a, _ := extremes(t, rest); a < -1e-13 || math.Abs(innerOf(part, rest)) > 1e-12 {
			t.Errorf("what the positive part adds has the eigenvalue %v and the product %v", a, innerOf(part, rest))
		}
		square := mat.NewSymDense(d, nil)
		symmetric.Combine(square, 1, outerOf(mat.NewVecDense(d, mat.Col(nil, 0, y))), 0.5, symmetric.Multiple(d, 1))
		k := weightOf(square)
		whole := k.spread(symmetric.Eye(d))
		if off := mat.Norm(minus(whole, square), 2); off > 1e-12 {
			t.Errorf("a weight is off by %v", off)
		}
		// K itself is diag(roots)Vᵀ.
		root := mat.DenseCopyOf(k.vectors.T())
		for i, u := range k.roots {
			floats.Scale(u, root.RawRowView(i))
		}
		if off := mat.Norm(minus(k.congruent(x), symmetric.Turn(x, mat.DenseCopyOf(root.T()))), 2); off > 1e-12 {
			t.Errorf("KXKᵀ is off by %v", off)
		}
		got := k.positive(x)
		if off := mat.Norm(minus(k.congruent(got), positivePart(k.congruent(x))), 2); off > 1e-11 {
			t.Errorf("K(·)Kᵀ of what dominates is off by %v", off)
		}
		alpha, m := k.leastDominating(t.Context(), x)
		shifted := mat.NewSymDense(d, nil)
		symmetric.Combine(shifted, 1, x, -alpha, symmetric.Multiple(d, 1))
		if a, _ := extremes(t, m); a < -1e-12 {
			t.Errorf("M has the eigenvalue %v", a)
		}
		if a, _ := extremes(t, minus(m, shifted)); a < -1e-12 {
			t.Errorf("M − A + α has the eigenvalue %v", a)
		}
		cost := alpha + innerOf(whole, m)
		for at := -4.0; at < 4; at += 0.05 {
			symmetric.Combine(shifted, 1, x, -at, symmetric.Multiple(d, 1))
			if other := at + innerOf(whole, k.positive(shifted)); other < cost-2e-2 && math.Abs(at) < mat.Norm(x, 2) {
				t.Errorf("cost %v at %v, %v at %v", cost, alpha, other, at)
			}
		}
		var e mat.EigenSym
		if !e.Factorize(x, true) {
			t.Fatal("no eigenvalues")
		}
		// (level − X)⁻¹·margin, the level being the margin above the top.
		low, high := extremes(t, x)
		const margin = 0.1
		level := high + margin*(high-low)
		barrier := barrierWeight(&e, margin).spread(symmetric.Eye(d))
		var product mat.Dense
		product.Mul(barrier, minus(symmetric.Multiple(d, level), x))
		if off := product.At(0, 0) - margin*(high-low); math.Abs(off) > 1e-12 || math.Abs(product.At(0, 1)) > 1e-12 {
			t.Errorf("a barrier's weight is off by %v", off)
		}
		tau := 0.01 + rng.Float64()
		values := e.Values(nil)
		if d > 2 {
			gamma, sum := chemicalPotential(values, tau), 0.0
			for _, v := range values {
				sum += 1 / (1 + math.Exp((gamma-v)/tau))
			}
			if math.Abs(sum-2) > 1e-12 {
				t.Errorf("occupations sum to %v", sum)
			}
		}
	}
	var none *weight
	if none.spread(symmetric.Eye(2)) != nil {
		t.Error("no weight spreads")
	}
	x := mat.NewSymDense(2, []float64{-2, 0, 0, 3})
	if got := none.positive(x); got.At(0, 0) != 0 || math.Abs(got.At(1, 1)-3) > 1e-15 {
		t.Errorf("X₊ = %v", mat.Formatted(got))
	}
	var e mat.EigenSym
	if !e.Factorize(symmetric.Multiple(2, 1), true) || barrierWeight(&e, 0.1) != nil {
		t.Error("a multiple of I has a barrier's weight")
	}
	flat := weightOf(mat.NewSymDense(2, []float64{1, 0, 0, 1e-9})) // no eigenvalue below a thousandth
	if r := flat.roots; math.Abs(r[0]-math.Sqrt(1e-3)) > 1e-15 || math.Abs(r[1]-1) > 1e-15 {
		t.Errorf("roots %v", r)
	}
}

// The covers of a face, whatever its logits, dominate A and B and attain the plane's share: Mv = 0
// and Mu = (A − α)u.
func TestFacesAttain(t *testing.T) {
	rng := rand.New(rand.NewPCG(111, 4))
	for range 40 {
		d := 3 + rng.IntN(4)
		s := newHalfPlanes(newForms(drawn(d, 1, rng), drawn(d, 1, rng)), firstTwo(symmetric.RandomBasis(d, rng)))
		l := s.reflectionFormOf([4]float64{1, 0.8, 0.6, 0.7})
		v := firstTwo(symmetric.RandomBasis(d, rng))
		f := newFace(l, v)
		if rng.IntN(2) == 0 {
			f.weight = weightOf(func() *mat.SymDense { x := symmetric.Multiple(d-2, 1); x.SetSym(0, 0, 3); return x }())
		}
		x := [2]float64{2 * rng.NormFloat64(), 2 * rng.NormFloat64()}
		at, ok := f.cover(x)
		if !ok {
			t.Fatal("no cover")
		}
		rest, a, b := l.parts()
		sum := mat.NewSymDense(d, nil)
		symmetric.Combine(sum, 1, rest, 1, at.m)
		symmetric.Combine(sum, 1, sum, 1, at.n)
		if off := mat.Norm(minus(sum, at.sum), 2); off > 1e-12 {
			t.Errorf("the sum is off by %v", off)
		}
		for _, side := range []struct {
			h     *faceSide
			a, m  *mat.SymDense
			alpha float64
			logit float64
		}{{f.left, a, at.m, at.alpha, x[0]}, {f.right, b, at.n, at.beta, x[1]}} {
			u, w := mat.NewVecDense(d, nil), mat.NewVecDense(d, nil)
			basis := f.basis
			for i := range d {
				u.SetVec(i, side.h.u[0]*basis.At(i, 0)+side.h.u[1]*basis.At(i, 1))
				w.SetVec(i, side.h.u[0]*basis.At(i, 1)-side.h.u[1]*basis.At(i, 0))
			}
			var mu, mw, au mat.VecDense
			mu.MulVec(side.m, u)
			mw.MulVec(side.m, w)
			au.MulVec(side.a, u)
			au.AddScaledVec(&au, -side.alpha, u)
			mu.SubVec(&mu, &au)
			if mat.Norm(&mu, 2) > 1e-12 || mat.Norm(&mw, 2) > 1e-12 {
				t.Errorf("Mu − (A − α)u = %v, Mv = %v", mat.Norm(&mu, 2), mat.Norm(&mw, 2))
			}
			if math.Abs(mat.Inner(u, side.a, u)-side.h.a) > 1e-13 || math.Abs(mat.Inner(w, side.a, w)-side.h.b) > 1e-13 || math.Abs(mat.Inner(u, side.a, w)) > 1e-13 {
				t.Errorf("Ritz values %v and %v", side.h.a, side.h.b)
			}
			if low, _ := extremes(t, side.m); low < -1e-11 {
				t.Errorf("M has the eigenvalue %v", low)
			}
			shifted := mat.NewSymDense(d, nil)
			symmetric.Combine(shifted, 1, side.a, -side.alpha, symmetric.Multiple(d, 1))
			if low, _ := extremes(t, minus(side.m, shifted)); low < -1e-11 {
				t.Errorf("M − A + α has the eigenvalue %v", low)
			}
			if got := side.h.logitOf(side.alpha); math.Abs(got-side.logit) > 1e-10 || !(side.alpha > side.h.b && side.alpha < side.h.a) {
				t.Errorf("logit %v of a level of %v", got, side.logit)
			}
			if side.h.logitOf(side.h.a) != 0 || side.h.logitOf(side.h.b) != 0 || side.h.logitOf(math.Nextafter(side.h.a, 0)) != mostLogit-1 || side.h.logitOf(math.Nextafter(side.h.b, 9)) != 1-mostLogit {
				t.Error("logits at the ends")
			}
		}
		plane := s.values(v).dot([4]float64{1, 0.8, 0.6, 0.7})
		onPlane := at.alpha + at.beta
		for _, x := range v {
			onPlane += mat.Inner(mat.NewVecDense(d, x), at.sum, mat.NewVecDense(d, x))
		}
		if math.Abs(onPlane-plane) > 1e-12 {
			t.Errorf("the cover is %v on the plane, which has %v", onPlane, plane)
		}
		inner := symmetric.Turn(at.sum, columns(f.basis, 0, 2))
		low, _ := extremes(t, inner)
		_, high := extremes(t, symmetric.Turn(at.sum, columns(f.basis, 2, d)))
		if got := f.excess(x[:]); math.Abs(got-(high-low)) > 1e-12 {
			t.Errorf("excess %v, want %v", got, high-low)
		}
		for _, x := range [][]float64{{mostLogit, 0}, {0, -mostLogit}, {math.NaN(), 0}} {
			if !math.IsInf(f.excess(x), 1) {
				t.Errorf("excess %v of logits %v", f.excess(x), x)
			}
		}
		f.left.a = f.left.b // no level is between
		if v := f.excess(x[:]); !math.IsInf(v, 1) {
			t.Errorf("excess %v without levels", v)
		}
		if _, ok := f.cover(x); ok {
			t.Error("a cover without levels")
		}
	}
}

// The parts of an interior point step against dense matrices: Schur's complement, its right side,
// the gap, and how far a step may go.
func TestInteriorPointParts(t *testing.T) {
	rng := rand.New(rand.NewPCG(111, 5))
	f := newForms(drawn(4, 1, rng), drawn(4, 1, rng))
	p := newLift(f.p, f.q, leadingDirections{3, 0})
	n := len(p.unknowns)
	var x, s []*mat.Dense
	for _, b := range p.blocks {
		m := b.moment.SymmetricDim()
		draw := func() *mat.Dense {
			a := randomSymmetric(m, rng)
			var out mat.Dense
			out.Mul(a, a)
			return &out
		}
		x, s = append(x, draw()), append(s, draw())
	}
	dense := func(k int) []*mat.SymDense { // A_kb
		y := make([]float64, n)
		y[k] = 1
		return p.slack(y, true)
	}
	all := make([][]*mat.SymDense, n)
	for k := range all {
		all[k] = dense(k)
	}
	schur := p.schur(t.Context(), x, s)
	for _, after := range []int{0, 1, n - 1} {
		if c := looks.After(t.Context(), after); p.schur(c, x, s) != nil || c.Looks() != after+1 {
			t.Errorf("ended after %d looks of %d: %d looks, or a matrix", after, n, c.Looks())
		}
	}
	right := mat.NewVecDense(n, nil)
	p.adjoint(x, right)
	for i := range n {
		want := 0.0
		for b := range x {
			var t mat.Dense
			t.Mul(all[i][b], x[b])
			want += mat.Trace(&t)
		}
		if math.Abs(right.AtVec(i)-want) > 1e-11*(1+math.Abs(want)) {
			t.Errorf("⟨A, X⟩ = %v for unknown %d, want %v", right.AtVec(i), i, want)
		}
		for j := i; j < n; j += 7 {
			want := 0.0
			for b := range x {
				var t mat.Dense
				t.Product(all[i][b], x[b], all[j][b], s[b])
				want += mat.Trace(&t)
			}
			if math.Abs(schur.At(i, j)-want) > 1e-10*(1+math.Abs(want)) {
				t.Errorf("Schur's complement has %v at (%d, %d), want %v", schur.At(i, j), i, j, want)
			}
		}
	}
	at := &point{moment: x}
	want := 0.0
	for b := range s {
		at.slack = append(at.slack, symmetric.Symmetrized(s[b]))
		var t mat.Dense
		t.Mul(x[b], s[b])
		want += mat.Trace(&t)
	}
	if got := at.gap(); math.Abs(got-want) > 1e-12*want {
		t.Errorf("gap %v, want %v", got, want)
	}
	for range 40 {
		a, da := symmetric.Multiple(3, 1), randomSymmetric(3, rng)
		low, _ := extremes(t, da)
		most := 1.0
		if low < -1 {
			most = -1 / low
		}
		if got := stepLength(t.Context(), a, da); got > 1 || got > most || got < 0.88*most {
			t.Errorf("step %v, want at most %v", got, most)
		}
	}
	if got := stepLength(t.Context(), symmetric.Multiple(2, 1), symmetric.Multiple(2, -1e12)); got != 0 {
		t.Errorf("step %v", got)
	}
	// What a moment points at.
	v := firstTwo(symmetric.RandomBasis(4, rng))
	d := minus(outerOf(mat.NewVecDense(4, v[0])), outerOf(mat.NewVecDense(4, v[1])))
	at.moment[0] = mat.DenseCopyOf(outerOf(p.asVector(0, d)))
	top := p.topMoment(at)
	if off := math.Abs(math.Abs(innerOf(top, d))/math.Sqrt(innerOf(d, d)) - 1); off > 1e-12 || math.Abs(mat.Trace(top)) > 1e-12 {
		t.Errorf("the top moment is off by %v", off)
	}
}

// Bases begin as they are asked to, and pairs are counted as they are.
func TestBases(t *testing.T) {
	rng := rand.New(rand.NewPCG(111, 6))
	w := symmetric.RandomBasis(5, rng)
	mixed := mat.NewDense(5, 2, nil)
	mixed.Mul(columns(w, 1, 3), mat.NewDense(2, 2, []float64{1, 2, 0, 1}))
	basis := completedBasis(columns(w, 0, 1), columns(w, 0, 0), mixed)
	if orthonormalityError(basis) > 1e-13 {
		t.Error("a basis is not orthonormal")
	}
	for j, from := range []int{3, 3, 3} { // the first, and the next two, are orthogonal to the rest
		for k := from; k < 5; k++ {
			if v := mat.Dot(basis.ColView(k), w.ColView(j)); math.Abs(v) > 1e-13 {
				t.Errorf("direction %d is not among the first %d: %v", j, from, v)
			}
		}
	}
	if v := math.Abs(mat.Dot(basis.ColView(0), w.ColView(0))); math.Abs(v-1) > 1e-13 {
		t.Errorf("the basis begins elsewhere: %v", v)
	}
	if c := columns(w, 2, 2); !c.IsEmpty() {
		t.Error("no columns are some")
	}
	a := drawn(5, 1, rng)
	turned := symmetric.Turn(a, rotatedToEigenvectors(w, symmetric.Turn(a, w)))
	for i := range 5 {
		for j := range i {
			if math.Abs(turned.At(i, j)) > 1e-13 || turned.At(j, j) > turned.At(i, i) {
				t.Errorf("eigenvectors leave %v", mat.Formatted(turned))
			}
		}
	}
	for d := 3; d < 40; d++ {
		count := func(k int) (n int) {
			for _, p := range pairsOf(d) {
				if p[0] < 2 || p[1] < k {
					n++
				}
			}
			return n
		}
		k := mostFreeDirections(d)
		if k < 2 || k > d || k > 2 && count(k) > mostFreePairs || k < d && count(k+1) <= mostFreePairs {
			t.Errorf("order %d: %d directions, %d pairs", d, k, count(k))
		}
	}
	if sharedAxes(drawn(4, 1, rng), drawn(4, 1, rng)) != nil {
		t.Error("axes are shared at random")
	}
	axes := symmetric.RandomBasis(4, rng)
	if sharedAxes(precision([]float64{1, 2, 3, 3}, axes), precision([]float64{5, 1, 2, 2}, axes)) == nil {
		t.Error("axes are not found")
	}
	lead := leadingEigenvectors(precision([]float64{4, 1, 3, 2}, axes))
	for i, j := range []int{1, 3} {
		if v := math.Abs(floats.Dot(lead[i], mat.Col(nil, j, axes))); math.Abs(v-1) > 1e-13 {
			t.Errorf("leading direction %d is off: %v", i, v)
		}
	}
}

// The half-plane of angle 0 is the least that traces allow, and the weights of another angle are
// the best for it.
func TestHalfPlanesAreTheLeast(t *testing.T) {
	rng := rand.New(rand.NewPCG(111, 7))
	for range 10 {
		d := 3 + rng.IntN(3)
		s := newHalfPlanes(newForms(drawn(d, 1, rng), drawn(d, 1, rng)), firstTwo(symmetric.RandomBasis(d, rng)))
		if err := s.cutByTraces(t.Context()); err != nil {
			t.Fatal(err)
		}
		if c := looks.After(t.Context(), 0); s.cutByTraces(c) == nil || c.Looks() < 30 || len(s.cuts) != 1 {
			t.Errorf("a cut that is over: %d looks, %d cuts", c.Looks(), len(s.cuts))
		}
		least, sum := math.Inf(1), mat.NewSymDense(d, nil)
		for x := -3.0; x < 3; x += 0.01 {
			symmetric.Combine(sum, math.Exp(x), s.p, math.Exp(-x), s.q)
			least = math.Min(least, symmetric.PairCeiling(sum)/4)
		}
		if c := s.cuts[0]; c.angle != 0 || c.radius > least*(1+1e-12) || c.radius < least*(1-1e-4) {
			t.Errorf("traces allow %v, a grid finds %v", c, least)
		}
		phi := 0.1 + 0.5*rng.Float64()
		starts := []frame{s.bestPlane, firstTwo(symmetric.RandomBasis(d, rng)), firstTwo(symmetric.RandomBasis(d, rng))}
		c, v, err := s.bestWeights(t.Context(), phi, starts)
		if err != nil {
			t.Fatal(err)
		}
		if cos, sin := 2*math.Sqrt(c[0]*c[1]), 2*math.Sqrt(c[2]*c[3]); math.Abs(cos-math.Cos(phi)) > 1e-13 || math.Abs(sin-math.Sin(phi)) > 1e-13 {
			t.Errorf("weights of (%v, %v) for the angle %v", cos, sin, phi)
		}
		level := s.values(v).dot(c)
		for range 60 {
			x, y := math.Exp(0.3*rng.NormFloat64()), math.Exp(0.3*rng.NormFloat64())
			other, top := [4]float64{c[0] * x, c[1] / x, c[2] * y, c[3] / y}, 0.0
			for range 6 {
				top = math.Max(top, s.values(s.climb(other, firstTwo(symmetric.RandomBasis(d, rng)))).dot(other))
			}
			if top = math.Max(top, s.values(s.climb(other, v)).dot(other)); top < level*(1-1e-6) {
				t.Errorf("order %d: weights of %v, others have %v", d, level, top)
			}
		}
	}
	if cos, sin := cosineAndSine(3, 4); cos != 0.6 || sin != 0.8 {
		t.Errorf("cosine %v, sine %v", cos, sin)
	}
	if cos, sin := cosineAndSine(0, 0); cos != 1 || sin != 0 {
		t.Errorf("cosine %v, sine %v of 0", cos, sin)
	}
}

// Where Z is a part of space, it is refined by the mixture's leading directions, first, and by both
// halves of what a certificate lacks; N grows where W has an eigenvalue above 1.
func TestRefinedSubspaces(t *testing.T) {
	rng := rand.New(rand.NewPCG(111, 8))
	n := wholeFrames + 2
	f := newForms(symmetric.Multiple(n, 1), symmetric.Multiple(n, 1))
	w := symmetric.RandomBasis(n, rng)
	s := newFrameCuts(f, 1, w, nil)
	_, m := s.basis.Dims()
	if m != firstFrames || s.orderOfN != firstInner {
		t.Fatalf("Z is of order %d and N of %d", m, s.orderOfN)
	}
	lead, rest := mat.NewVecDense(m, nil), mat.NewSymDense(m, nil)
	for i := range m {
		lead.SetVec(i, rng.NormFloat64())
	}
	lead.ScaleVec(1/mat.Norm(lead, 2), lead)
	mixture := mat.NewSymDense(m, nil)
	mixture.SymRankOne(rest, -0.9, lead)
	over := mat.NewSymDense(2*n, nil)
	for j, size := range []float64{3, 2, 1} { // (x, y) of directions outside of Z, the third not counted
		x, y := mat.Col(nil, m+2*j, w), mat.Col(nil, m+2*j+1, w)
		over.SymRankOne(over, size, mat.NewVecDense(2*n, append(x, y...)))
	}
	changed, pure := s.refine(mixture, over, 1)
	if _, now := s.basis.Dims(); !changed || !pure || now != m+4 || orthonormalityError(s.basis) > 1e-12 {
		t.Fatalf("changed %v, pure %v, order %d", changed, pure, now)
	}
	var first, outside mat.Dense
	first.Mul(columns(w, 0, m), lead)
	if v := math.Abs(mat.Dot(first.ColView(0), s.basis.ColView(0))); math.Abs(v-1) > 1e-12 || math.Abs(floats.Dot(s.lastMixture[0], mat.Col(nil, 0, s.basis))) < 1-1e-12 {
		t.Errorf("the leading direction is not the first: %v", v)
	}
	for j := range n {
		outside.Mul(s.basis.T(), w.ColView(j))
		want := 0.0
		if j < m+4 {
			want = 1
		}
		if v := mat.Norm(&outside, 2); math.Abs(v-want) > 1e-12 {
			t.Errorf("direction %d has %v in Z, want %v", j, v, want)
		}
	}
	// Nothing lacks: Z stays as large, and N grows where W has more than 1.
	for _, size := range []float64{0.9, 1.1} {
		mixture.SymRankOne(rest, -size, lead)
		before := s.orderOfN
		_, m := s.basis.Dims()
		padded := mat.NewSymDense(m, nil)
		for i := range mixture.SymmetricDim() {
			for j := i; j < mixture.SymmetricDim(); j++ {
				padded.SetSym(i, j, mixture.At(i, j))
			}
		}
		first.Reset()
		first.Mul(columns(s.basis, 0, lead.Len()), lead)
		changed, _ := s.refine(padded, mat.NewSymDense(2*n, nil), 1)
		if v := math.Abs(mat.Dot(first.ColView(0), s.basis.ColView(0))); math.Abs(v-1) > 1e-12 || orthonormalityError(s.basis) > 1e-12 {
			t.Errorf("W of norm %v: the leading direction is not the first: %v", size, v)
		}
		if _, now := s.basis.Dims(); now != m || changed != (size > 1) || (s.orderOfN == before+2) != changed {
			t.Errorf("W of norm %v: changed %v, N of order %d after %d", size, changed, s.orderOfN, before)
		}
	}
}

// Z grows no further than it may, and directions above a floor are those that are above it: of P and Q of
// the same axes and different values, all but the last.
func TestLimitsOfSubspaces(t *testing.T) {
	rng := rand.New(rand.NewPCG(111, 9))
	n := wholeFrames + 2
	w := symmetric.RandomBasis(n, rng)
	s := newFrameCuts(newForms(symmetric.Multiple(n, 1), symmetric.Multiple(n, 1)), 1, w, nil)
	s.basis = columns(w, 0, wholeFrames)
	mixture := mat.NewSymDense(wholeFrames, nil)
	mixture.SetSym(0, 0, -0.9)
	over := mat.NewSymDense(2*n, nil)
	over.SymRankOne(over, 3, mat.NewVecDense(2*n, append(mat.Col(nil, n-1, w), mat.Col(nil, n-2, w)...)))
	changed, _ := s.refine(mixture, over, 1)
	if _, now := s.basis.Dims(); changed || now != wholeFrames {
		t.Errorf("Z of order %d is of order %d, changed %v", wholeFrames, now, changed)
	}
	// N grows no further than it may.
	s.basis, s.orderOfN = columns(w, 0, wholeFrames), largestInner
	mixture.SetSym(0, 0, -1.1)
	if changed, _ := s.refine(mixture, mat.NewSymDense(2*n, nil), 1); changed || s.orderOfN != largestInner {
		t.Errorf("changed %v, N of order %d", changed, s.orderOfN)
	}
	for d := 4; d < 8; d++ {
		axes := symmetric.RandomBasis(d, rng)
		v := make([]float64, d)
		for i := range v {
			v[i] = float64(i + 1)
		}
		if _, k := newForms(precision(v, axes), precision(v, axes)).directionsAboveFloor(); k != d-1 {
			t.Errorf("order %d: %d directions above the floor", d, k)
		}
	}
	// An upper end that is known stays, above a floor too.
	floor := precision([]float64{1, 2, 3, 100, 100, 100}, symmetric.Eye(6))
	other := precision([]float64{3, 1, 2, 100, 100, 100}, turnedPairs(6, [][2]int{{0, 1}, {1, 2}}, []float64{20, 40}))
	if got, err := Enclose(t.Context(), floor, other, 1e-9); err != nil || got.Hi != 1e-9 {
		t.Errorf("up to %v, error %v", got.Hi, err)
	}
	// A program lowers the upper end by its bound, and what the basis is off by.
	for _, d := range []int{3, 4} {
		f := newForms(drawn(d, 1, rng), drawn(d, 1, rng))
		s := &search{ascent: ascent{forms: f}, hi: math.Inf(1)}
		basis := symmetric.RandomBasis(d, rng)
		basis.Set(0, 0, basis.At(0, 0)+1e-6)
		c := newCompound(symmetric.Turn(f.p, basis), symmetric.Turn(f.q, basis), d)
		y, _, err := c.solve(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := s.lowerByProgram(t.Context(), basis, c); err != nil {
			t.Fatal(err)
		}
		if want := c.bound(y) + 8*(orthonormalityError(basis)+4*float64(d*d)*unit); math.Abs(s.hi-want) > 1e-14 {
			t.Errorf("order %d: lowered to %v, want %v", d, s.hi, want)
		}
	}
}
