package mvg

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/internal/sampling"

	"gonum.org/v1/gonum/mat"
)

// splitmix64 and xoshiro256++ give the test vectors of their authors' programs.
func TestXoshiroTestVectors(t *testing.T) {
	if got, want := *newStream(1234567), (stream{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431}); got != want {
		t.Errorf("splitmix64 of 1234567: %v, want %v", got, want)
	}
	s := &stream{1, 2, 3, 4}
	for i, want := range []uint64{
		41943041, 58720359, 3588806011781223, 3591011842654386, 9228616714210784205,
		9973669472204895162, 14011001112246962877, 12406186145184390807, 15849039046786891736, 10450023813501588000,
	} {
		if got := s.uint64(); got != want {
			t.Errorf("xoshiro256++ number %d: %d, want %d", i, got, want)
		}
	}
}

// A seed gives the same numbers on every machine. Sums of 2²¹ numbers, their squares and their cubes detect a change at
// a layer's edge or in the tail.
func TestFillGoldenSums(t *testing.T) {
	x := make([]float64, 1<<21)
	newStream(42).fill(x, 1)
	var sums [4]float64
	tail := 0
	for i, v := range x {
		sums[0] += v
		sums[1] += v * v
		sums[2] += v * v * v
		sums[3] += v * float64(i%1024)
		if math.Abs(v) > zigguratTail {
			tail++
		}
	}
	half := make([]float64, 1<<21)
	newStream(42).fill(half, 0.5)
	for i, v := range half {
		if 2*v != x[i] {
			t.Fatalf("number %d at half the scale is %v, want half of %v", i, v, x[i])
		}
	}
	for i, want := range goldenSums {
		if !(math.Abs(sums[i]-want) <= 1e-9*math.Abs(want)) {
			t.Errorf("sum %d is %.17g, want %.17g", i, sums[i], want)
		}
	}
	// The expected number is 2Φ(−3.654…)·2²¹ = 541.3. The interval extends five standard deviations of 23 to each side.
	if tail < 425 || tail > 658 {
		t.Errorf("%d of two million numbers are in the tail", tail)
	}
}

var goldenSums = [4]float64{374.81609238076874, 2.0959542492404573e+06, -9.0279881188688531, 76762.73657959835} // from this program; other tests check the laws

// Noise is B_Σ N B_Ψᵀ, multiplied out in full. N comes from the seed's streams, one for each block of rows. B is the
// root of a covariance.
func TestNoiseIsTheTransformedStream(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	dense := func(n int) Covariance { return DrawCovariance(t, n, 0.5, rng) }
	diagonal := func(n int) Covariance {
		v := make([]float64, n)
		for i := range v {
			v[i] = math.Exp(rng.NormFloat64())
		}
		return must.Be(NewDirectional(v, nil))
	}
	isotropic := func(n int) Covariance { return must.Be(NewIsotropic(n, 2.5)) }
	for _, c := range []struct{ sigma, psi Covariance }{
		{diagonal(3), isotropic(4)}, {diagonal(3), diagonal(4)}, {isotropic(3), diagonal(2)},
		{dense(3), isotropic(4)}, {dense(3), diagonal(4)}, {diagonal(3), dense(4)}, {dense(3), dense(2)},
		{diagonal(40), isotropic(1000)}, {dense(300), isotropic(2)}, {diagonal(2), dense(300)}, {dense(290), dense(70)},
	} {
		m, n := c.sigma.Order(), c.psi.Order()
		name := fmt.Sprintf("%d×%d, Σ dense %v, Ψ dense %v", m, n, c.sigma.dense != nil, c.psi.dense != nil)
		d := &Design{sensitivity: must.Be(NewBall(m, n, BallOptions{S2: 1, Gamma: 1})), sigma: c.sigma, psi: c.psi}
		seed := rand.NewPCG(8, 2).Uint64()
		rows, width := m, n
		if c.psi.dense != nil { // Zᵀ is drawn
			rows, width = n, m
		}
		raw, per := make([]float64, rows*width), max(1, (1<<14)/width)
		for b := 0; b*per < rows; b++ {
			newStream(seed+uint64(b)*0xd1342543de82ef95).fill(raw[b*per*width:min(rows, (b+1)*per)*width], 1)
		}
		normal := mat.NewDense(rows, width, raw)
		if c.psi.dense != nil {
			normal = mat.DenseCopyOf(normal.T())
		}
		root := func(c Covariance) *mat.Dense {
			if c.dense != nil {
				return c.dense.root
			}
			out := mat.NewDense(c.Order(), c.Order(), nil)
			for i, v := range c.diagonal {
				out.Set(i, i, math.Sqrt(v))
			}
			return out
		}
		var want mat.Dense
		want.Product(root(c.sigma), normal, root(c.psi).T())
		whole := mat.NewDense(m+1, n+2, nil)
		for _, got := range []*mat.Dense{mat.NewDense(m, n, nil), whole.Slice(0, m, 1, n+1).(*mat.Dense)} {
			if err := d.Noise(got, rand.NewPCG(8, 2)); err != nil {
				t.Fatal(err)
			}
			if !mat.EqualApprox(got, &want, 1e-12*mat.Norm(&want, math.Inf(1))) {
				t.Errorf("%s: the noise differs from the transformed stream", name)
			}
		}
		for j := range n + 2 {
			if whole.At(m, j) != 0 || j < m && (whole.At(j, 0) != 0 || whole.At(j, n+1) != 0) {
				t.Errorf("%s: noise outside the requested part", name)
			}
		}
		fx := mat.NewDense(m, n, nil)
		fx.Apply(func(i, j int, _ float64) float64 { return float64(i - 2*j) }, fx)
		want.Add(&want, fx)
		if got := must.Be(d.Simulate(fx, rand.NewPCG(8, 2))); !mat.EqualApprox(got, &want, 1e-12*mat.Norm(&want, math.Inf(1))) {
			t.Errorf("%s: the simulation is not f(X) plus the noise", name)
		}
	}
}

// The Kronecker sampler multiplies the source's normals by the Cholesky factor of Ψ⊗Σ. Laplace noise is the quantile
// function of the stream's uniforms. Rank-one noise is the normalised direction of its normals.
func TestOtherReleasesAreTransformedStreams(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 3))
	sigma, psi := DrawCovariance(t, 2, 0.5, rng), DrawCovariance(t, 3, 0.5, rng)
	d := &Design{sensitivity: must.Be(NewBall(2, 3, BallOptions{S2: 1, Gamma: 1})), sigma: sigma, psi: psi}
	src, z := rand.New(rand.NewPCG(8, 4)), mat.NewDense(2, 3, nil)
	for j := range 3 {
		for i := range 2 {
			z.Set(i, j, src.NormFloat64())
		}
	}
	var a, b mat.Cholesky // the factor of Ψ⊗Σ is the product of these
	var l, r mat.TriDense
	a.Factorize(sigma.Matrix())
	b.Factorize(psi.Matrix())
	a.LTo(&l)
	b.LTo(&r)
	var want mat.Dense
	want.Product(&l, z, r.T())
	if got := must.Be(d.NoiseKronecker(rand.NewPCG(8, 4))); !mat.EqualApprox(got, &want, 1e-12) {
		t.Errorf("Kronecker noise %v, want %v", mat.Formatted(got), mat.Formatted(&want))
	}

	fx := mat.NewDense(2, 3, []float64{1, -2, 3, -4, 5, -6})
	seed := rand.NewPCG(8, 5).Uint64()
	laplace := must.Be(SimulateLaplace(fx, 2.5, rand.NewPCG(8, 5)))
	s := newStream(seed)
	for i := range 2 {
		for j := range 3 {
			u := s.uniform()
			v := 2.5 * math.Log(2*u) // the quantile
			if u > 0.5 {
				v = -2.5 * math.Log(2*(1-u))
			}
			if got := laplace.At(i, j) - fx.At(i, j); math.Abs(got+v) > 1e-12 && math.Abs(got-v) > 1e-12 {
				t.Errorf("Laplace noise %v, want %v up to the sign", got, v)
			}
		}
	}
	x := make([]float64, 7)
	newStream(seed).fill(x, 1)
	norm := 0.0
	for _, v := range x[1:] {
		norm += v * v
	}
	one := must.Be(RankOne{Dimension: 6, Sensitivity: 1, Variance: 7}.Simulate(fx, rand.NewPCG(8, 5)))
	for k, v := range x[1:] {
		if got, want := one.At(k/3, k%3)-fx.At(k/3, k%3), math.Sqrt(7/norm)*x[0]*v; math.Abs(got-want) > 1e-12 {
			t.Errorf("rank-one noise %v, want %v", got, want)
		}
	}
}

// A decision of the fast path agrees with Numbers that have the same digits, also at the limits of its words. The fast
// path decides at least half of the tries.
func TestDecidedAgreesWithNumbers(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 2))
	src := rand.NewPCG(31, 3)
	fast := 0
	const tries = 6000
	for range tries {
		exp := rng.IntN(150) - 70
		step := new(big.Rat).Mul(sampling.TwoTo(exp), big.NewRat(1+rng.Int64N(9), 1+rng.Int64N(9)))
		if rng.IntN(2) == 0 {
			step = sampling.TwoTo(exp)
		}
		a, b := math.Ldexp(1+rng.Float64(), rng.IntN(30)-15), math.Ldexp(1+rng.Float64(), rng.IntN(30)-15)
		d := DesignOf(must.Be(NewIsotropic(1, a)), must.Be(NewIsotropic(1, b)))
		e := must.Be(d.entrywise(context.Background(), must.Be(newGrid(step, nil))))
		x := rng.NormFloat64() * math.Ldexp(1, rng.IntN(140)-70)
		z := sampling.Normal(src)
		if rng.IntN(10) == 0 {
			z.Whole = rng.Uint64() >> rng.IntN(64)
		}
		p, ok := e.grid.place(x)
		if !ok {
			continue
		}
		k, ok := decided(p, e.rows[0], e.columns[0], z)
		if !ok {
			continue
		}
		fast++
		if want, err := e.ask(x, 0, 0, z); err != nil || want.Cmp(big.NewInt(k)) != 0 {
			t.Fatalf("x %v, variance %v, step %v: %d, want %v (%v)", x, a*b, step, k, want, err)
		}
	}
	if fast < tries/2 {
		t.Errorf("the fast path decides only %d of %d tries", fast, tries)
	}
}

// place returns ⌊2⁶⁴(x/step + ½)⌋ whenever the result fits.
func TestPlace(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 4))
	held := 0
	for range 20000 {
		step := sampling.TwoTo(rng.IntN(300) - 150)
		if rng.IntN(3) == 0 {
			step.Mul(step, big.NewRat(1+rng.Int64N(99), 1+rng.Int64N(99)))
		}
		x := rng.NormFloat64() * math.Ldexp(1, rng.IntN(300)-150)
		if rng.IntN(20) == 0 {
			x = 0
		}
		p, ok := must.Be(newGrid(step, nil)).place(x)
		q := new(big.Rat).Quo(rational(x), step)
		q.Add(q, big.NewRat(1, 2)).Mul(q, sampling.TwoTo(64))
		want := new(big.Int).Div(q.Num(), q.Denom())
		if !ok {
			if want.BitLen() <= 120 {
				t.Fatalf("place(%v) on the grid %v fails", x, step)
			}
			continue
		}
		held++
		got := new(big.Int).Lsh(big.NewInt(p.Hi), 64)
		if got.Add(got, new(big.Int).SetUint64(p.Lo)); got.Cmp(want) != 0 {
			t.Fatalf("place(%v) on the grid %v is %v, want %v", x, step, got, want)
		}
	}
	if held < 8000 {
		t.Errorf("only %d are placed", held)
	}
}

// Both engines release a design in the standard basis identically. A joint release is the same for every initial number
// of bits and every grid, because it refines entries that have too few bits.
func TestJointReleases(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 5))
	for _, c := range []struct{ sigma, psi Covariance }{
		{RandomVariances(5, 8, rng), RandomVariances(7, 8, rng)},
		{DrawCovariance(t, 5, 2, rng), RandomVariances(7, 8, rng)},
		{RandomVariances(5, 8, rng), DrawCovariance(t, 7, 2, rng)},
		{DrawCovariance(t, 5, 2, rng), DrawCovariance(t, 7, 2, rng)},
	} {
		m, n := c.sigma.Order(), c.psi.Order()
		d := DesignOf(c.sigma, c.psi)
		for at, step := range []*big.Rat{nil, big.NewRat(3, 7), new(big.Rat).Mul(d.Grid(), big.NewRat(1, 10)), new(big.Rat).Mul(d.Grid(), sampling.TwoTo(-170))} {
			g := must.Be(newGrid(step, d.Grid()))
			fx := RandomAnswers(m, n, rng)
			if at > 2 {
				fx = NoiseRemainder(d, step, 9)
			}
			want := must.Be(d.Release(context.Background(), fx, step, RowStreams(9)))
			if at > 2 { // in the standard basis entries draw digits in turn
				want = must.Be(d.joint(g).release(context.Background(), fx, RowStreams(9)))
			}
			j := d.joint(g)
			rounds := 0
			j.refined = func(int) { rounds++ }
			usual := must.Be(j.release(context.Background(), fx, RowStreams(9)))
			if rounds != 1 {
				t.Errorf("grid %v: %d rounds, want one (about one release in a thousand needs more)", step, rounds)
			}
			j.careful = true
			if got := must.Be(j.release(context.Background(), fx, RowStreams(9))); !mat.Equal(got, want) {
				t.Errorf("grid %v: the release changes with longer numbers", step)
			}
			j.careful = false
			first := 0
			j.refined = func(entries int) { first = max(first, entries) }
			j.bits = 8
			if got := must.Be(j.release(context.Background(), fx, RowStreams(9))); !mat.Equal(got, want) || !mat.Equal(usual, want) {
				t.Errorf("grid %v, Σ dense %v, Ψ dense %v: the refined release differs", step, c.sigma.dense != nil, c.psi.dense != nil)
			}
			if first < m*n/2 && step == nil {
				t.Errorf("%d entries are refined when started with 8 bits, want nearly all of %d", first, m*n)
			}
		}
	}
}
