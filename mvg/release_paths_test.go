package mvg

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"runtime"
	"testing"

	"dpworkbench/internal/sampling"

	"gonum.org/v1/gonum/mat"
)

// rowStreams gives every row a stream of its own.
func rowStreams(seed uint64) func(row uint64) rand.Source {
	return func(row uint64) rand.Source { return rand.NewPCG(seed, row) }
}

// designOf is a design of the given covariances.
func designOf(sigma, psi Covariance) *Design {
	return &Design{sensitivity: ok(NewBall(sigma.Order(), psi.Order(), BallOptions{S2: 1, Gamma: 1})), sigma: sigma, psi: psi}
}

// variedOf returns n variances over the given number of powers of two.
func variedOf(n, powers int, rng *rand.Rand) Covariance {
	v := make([]float64, n)
	for i := range v {
		v[i] = math.Ldexp(1+rng.Float64(), rng.IntN(powers+1)-powers/2)
	}
	return ok(NewDirectional(v, nil))
}

// answers are of all sizes, and of both signs.
func answers(m, n int, rng *rand.Rand) *mat.Dense {
	fx := mat.NewDense(m, n, nil)
	fx.Apply(func(i, j int, _ float64) float64 {
		switch rng.IntN(4) {
		case 0:
			return 0
		case 1:
			return math.Ldexp(rng.NormFloat64(), rng.IntN(200)-150)
		}
		return rng.NormFloat64()
	}, fx)
	return fx
}

// The fast path and the one through Numbers, from one stream, release the same entries:
// in the standard basis with normal noise, and Laplace noise.
func TestBothPathsReleaseTheSame(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	const m, n = 6, 100
	for at, step := range []*big.Rat{nil, big.NewRat(1, 3), big.NewRat(1, 7_000_000_001), sampling.TwoTo(-20), sampling.TwoTo(3), big.NewRat(1000, 1)} {
		d := designOf(variedOf(m, 20, rng), variedOf(n, 6, rng))
		fx := answers(m, n, rng)
		scale := big.NewRat(1, 3)
		for name, e := range map[string]entrywise{
			"normal":  ok(d.entrywise(context.Background(), ok(newGrid(step, d.Grid())))),
			"Laplace": laplace(fx, scale, ok(newGrid(step, sampling.TwoTo(-34)))),
		} {
			fast := ok(e.release(context.Background(), fx, rowStreams(uint64(at))))
			e.careful = true
			slow := ok(e.release(context.Background(), fx, rowStreams(uint64(at))))
			if !mat.Equal(fast, slow) {
				t.Errorf("grid %v: the paths for %s noise disagree", step, name)
			}
		}
	}
}

// Whatever the fast path decides is what the Numbers of the same digits say, up to the
// ends of what its words hold; and it decides nearly all where it is meant for.
func TestDecidedIsWhatNumbersSay(t *testing.T) {
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
		d := designOf(ok(NewIsotropic(1, a)), ok(NewIsotropic(1, b)))
		e := ok(d.entrywise(context.Background(), ok(newGrid(step, nil))))
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
		t.Errorf("%d of %d tries are decided", fast, tries)
	}
}

// place is the floor that it says, in all its cases.
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
		p, ok := ok(newGrid(step, nil)).place(x)
		q := new(big.Rat).Quo(rational(x), step)
		q.Add(q, big.NewRat(1, 2)).Mul(q, sampling.TwoTo(64))
		want := new(big.Int).Div(q.Num(), q.Denom())
		if !ok {
			if want.BitLen() <= 120 {
				t.Fatalf("%v by %v is not placed", x, step)
			}
			continue
		}
		held++
		got := new(big.Int).Lsh(big.NewInt(p.Hi), 64)
		if got.Add(got, new(big.Int).SetUint64(p.Lo)); got.Cmp(want) != 0 {
			t.Fatalf("%v by %v is placed at %v, want %v", x, step, got, want)
		}
	}
	if held < 8000 {
		t.Errorf("%d are placed", held)
	}
}

// A design in the standard basis is released the same by the two engines; and whatever
// number of bits a joint release starts with, and however fine the grid, it is the same,
// entries being refined where they are few.
func TestJointReleases(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 5))
	for _, c := range []struct{ sigma, psi Covariance }{
		{variedOf(5, 8, rng), variedOf(7, 8, rng)},
		{drawCovariance(t, 5, 2, rng), variedOf(7, 8, rng)},
		{variedOf(5, 8, rng), drawCovariance(t, 7, 2, rng)},
		{drawCovariance(t, 5, 2, rng), drawCovariance(t, 7, 2, rng)},
	} {
		m, n := c.sigma.Order(), c.psi.Order()
		d := designOf(c.sigma, c.psi)
		for at, step := range []*big.Rat{nil, big.NewRat(3, 7), new(big.Rat).Mul(d.Grid(), big.NewRat(1, 10)), new(big.Rat).Mul(d.Grid(), sampling.TwoTo(-170))} {
			g := ok(newGrid(step, d.Grid()))
			fx := answers(m, n, rng)
			if at > 2 {
				fx = remainders(d, step, 9)
			}
			want := ok(d.Release(context.Background(), fx, step, rowStreams(9)))
			if at > 2 { // in the standard basis entries draw digits one after another
				want = ok(d.joint(g).release(context.Background(), fx, rowStreams(9)))
			}
			j := d.joint(g)
			rounds := 0
			j.refined = func(int) { rounds++ }
			usual := ok(j.release(context.Background(), fx, rowStreams(9)))
			if rounds != 1 {
				t.Errorf("grid %v: %d rounds, want one: about one release in a thousand is refined", step, rounds)
			}
			j.careful = true
			if got := ok(j.release(context.Background(), fx, rowStreams(9))); !mat.Equal(got, want) {
				t.Errorf("grid %v: in longer numbers the release is another", step)
			}
			j.careful = false
			first := 0
			j.refined = func(entries int) { first = max(first, entries) }
			j.bits = 8
			if got := ok(j.release(context.Background(), fx, rowStreams(9))); !mat.Equal(got, want) || !mat.Equal(usual, want) {
				t.Errorf("grid %v, Σ dense %v, Ψ dense %v: refined, the release is another", step, c.sigma.dense != nil, c.psi.dense != nil)
			}
			if first < m*n/2 && step == nil {
				t.Errorf("%d entries are refined from 8 bits on, want nearly all of %d", first, m*n)
			}
		}
	}
}

// Dense releases are those of Cholesky's algorithm in sampling.Numbers, which shares no
// code with whole numbers and their bounds; at a condition number of 10¹³ too.
func TestJointReleaseIsOfCholeskysRoot(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 6))
	for _, c := range []struct{ sigma, psi Covariance }{
		{drawCovariance(t, 3, 1, rng), drawCovariance(t, 2, 1, rng)},
		{ok(NewDense(illConditioned())), drawCovariance(t, 2, 3, rng)},
		{ok(NewDense(illConditioned())), ok(NewDense(illConditioned()))},
	} {
		d := designOf(c.sigma, c.psi)
		m, n := c.sigma.Order(), c.psi.Order()
		l, r := choleskyNumbers(c.sigma), choleskyNumbers(c.psi)
		for at, step := range []*big.Rat{d.Grid(), big.NewRat(1, 3), new(big.Rat).Mul(d.Grid(), sampling.TwoTo(-200)), new(big.Rat).Mul(d.Grid(), sampling.TwoTo(-20))} {
			fx := answers(m, n, rng)
			if at > 1 {
				fx = remainders(d, step, 4)
			}
			got := ok(d.Release(context.Background(), fx, step, rowStreams(4)))
			z := make([][]sampling.Real, m)
			for i := range z {
				z[i] = make([]sampling.Real, n)
				sampling.Normals(z[i], rowStreams(4)(uint64(i)))
				for words := 2; words < 8; words++ {
					for j := range z[i] {
						z[i][j].Draw(words)
					}
				}
			}
			for i := range m {
				for j := range n {
					sum := sampling.Rat(rational(fx.At(i, j)))
					for k := range i + 1 {
						for q := range j + 1 {
							sum = sampling.Sum(sum, l[i][k].Mul(r[j][q]).Mul(z[k][q].Number()))
						}
					}
					k := ok(sampling.Round(sum, step))
					want, _ := new(big.Rat).Mul(new(big.Rat).SetInt(k), step).Float64()
					if got.At(i, j) != want {
						t.Errorf("entry (%d, %d) is %v, want %v", i, j, got.At(i, j), want)
					}
				}
			}
		}
	}
}

// remainders is an answer that leaves, of the noise of a seed, what float64 rounds away: the
// digits behind the first 53 are then released.
func remainders(d *Design, step *big.Rat, seed uint64) *mat.Dense {
	m, n := d.sigma.Order(), d.psi.Order()
	fx := ok(d.Release(context.Background(), mat.NewDense(m, n, nil), step, rowStreams(seed)))
	fx.Scale(-1, fx)
	return fx
}

// choleskyNumbers is the algorithm, in real numbers.
func choleskyNumbers(c Covariance) [][]sampling.Number {
	a := c.Matrix()
	l := make([][]sampling.Number, c.Order())
	for i := range l {
		for j := range i + 1 {
			s := sampling.Rat(rational(a.At(i, j)))
			for k := range j {
				s = sampling.Sum(s, l[i][k].Mul(l[j][k]).Neg())
			}
			if i == j {
				s = s.Root(2)
			} else {
				s = s.Mul(l[j][j].Inverse())
			}
			l[i] = append(l[i], s.Known())
		}
	}
	return l
}

// illRoot has a product with its transposed that is a matrix of float64, of condition
// number above 10¹³.
func illRoot() *mat.TriDense {
	return mat.NewTriDense(3, mat.Lower, []float64{1, 0, 0, 3, 0x1p-20, 0, -5, 7 * 0x1p-20, 0x1p-18})
}

func illConditioned() *mat.SymDense {
	s := mat.NewSymDense(3, nil)
	for i := range 3 {
		for j := range i + 1 {
			v := 0.0
			for k := range j + 1 {
				v += illRoot().At(i, k) * illRoot().At(j, k)
			}
			s.SetSym(i, j, v)
		}
	}
	return s
}

// A seed replays on any number of processors.
func TestReleaseReplays(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 7))
	for _, d := range []*Design{
		designOf(variedOf(40, 4, rng), variedOf(50, 4, rng)),
		designOf(drawCovariance(t, 40, 1, rng), drawCovariance(t, 50, 1, rng)),
	} {
		fx := answers(40, 50, rng)
		var want []*mat.Dense
		for _, processors := range []int{1, 2, 5} {
			func() {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
				got := []*mat.Dense{ok(d.Release(context.Background(), fx, nil, rowStreams(1))), ok(ReleaseLaplace(context.Background(), fx, big.NewRat(2, 1), nil, rowStreams(1)))}
				if want == nil {
					want = got
				}
				for k := range got {
					if !mat.Equal(got[k], want[k]) {
						t.Errorf("on %d processors release %d is another", processors, k)
					}
				}
			}()
		}
		if mat.Equal(ok(d.Release(context.Background(), fx, nil, nil)), ok(d.Release(context.Background(), fx, nil, nil))) {
			t.Error("the operating system's generator gives the same twice")
		}
	}
	r := RankOne{Dimension: 6, Sensitivity: 1, Variance: 7}
	if mat.Equal(ok(r.Release(context.Background(), mat.NewDense(2, 3, nil), nil, nil)), ok(r.Release(context.Background(), mat.NewDense(2, 3, nil), nil, nil))) {
		t.Error("the operating system's generator gives the same twice")
	}
}

// Rank-one noise of a stream is what float64 makes of its normals, to float64's precision.
func TestRankOneReleaseIsOfItsNormals(t *testing.T) {
	z := make([]sampling.Real, 7)
	sampling.Normals(z, rand.NewPCG(31, 8))
	x := make([]float64, 7)
	norm := 0.0
	for k := range z {
		x[k] = float64(z[k].Whole) + float64(z[k].First())*0x1p-64
		if z[k].Negative {
			x[k] = -x[k]
		}
		if k > 0 {
			norm += x[k] * x[k]
		}
	}
	fx := mat.NewDense(2, 3, []float64{1, -2, 3, -4, 5, -6})
	r := RankOne{Dimension: 6, Sensitivity: 1, Variance: 7}
	for _, step := range []*big.Rat{nil, sampling.TwoTo(-200), big.NewRat(1, 3)} {
		got := ok(r.Release(context.Background(), fx, step, rand.NewPCG(31, 8)))
		off, _ := ok(newGrid(step, r.Grid())).step.Float64()
		for k, v := range x[1:] {
			want := fx.At(k/3, k%3) + math.Sqrt(7/norm)*x[0]*v
			if math.Abs(got.At(k/3, k%3)-want) > off/2+1e-14 {
				t.Errorf("grid %v: entry %d is %v, want %v", step, k, got.At(k/3, k%3), want)
			}
		}
	}
	if got := fmt.Sprint(r.Grid()); got != fmt.Sprint(sampling.TwoTo(-32)) {
		t.Errorf("grid %v, want 2^-32 at a standard deviation of 1.08", got)
	}
}
