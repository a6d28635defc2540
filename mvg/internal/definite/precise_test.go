package definite

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func (a Exact) times(b Exact) Exact {
	return matrix(len(a), len(b[0]), func(i, j int) *big.Rat {
		sum := new(big.Rat)
		for k := range b {
			sum.Add(sum, new(big.Rat).Mul(a[i][k], b[k][j]))
		}
		return sum
	})
}

func (a Exact) transposed() Exact {
	return matrix(len(a[0]), len(a), func(i, j int) *big.Rat { return a[j][i] })
}

// square returns the squared Frobenius norm.
func (a Exact) square() *big.Rat {
	sum := new(big.Rat)
	for i := range a {
		for _, v := range a[i] {
			sum.Add(sum, new(big.Rat).Mul(v, v))
		}
	}
	return sum
}

func rationals(n int, v []float64) Exact {
	return matrix(len(v)/n, n, func(i, j int) *big.Rat { return Rat(v[i*n+j]) })
}

// lowerTriangle returns a random lower triangular matrix with a positive diagonal. Its entries differ by several powers
// of two.
func lowerTriangle(n int, rng *rand.Rand) []float64 {
	x := make([]float64, n*n)
	for i := range n {
		for j := range i + 1 {
			x[i*n+j] = math.Ldexp(rng.NormFloat64(), rng.IntN(8))
		}
		x[i*n+i] = math.Abs(x[i*n+i])
	}
	return x
}

// The computed XHXᵀ is within its error bound of the exact product for every X, with sums in float64 and in
// double-double. The spread bounds ‖XHXᵀ − I‖ tightly.
func TestResidualsAgainstRationals(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 1))
	for trial := range 600 {
		n, count := 1+trial%4, 1+rng.IntN(3)
		x := lowerTriangle(n, rng)
		terms, h := make([][]float64, count), make([]float64, n*n)
		sum := matrix(n, n, func(int, int) *big.Rat { return new(big.Rat) })
		for k := range terms {
			terms[k] = make([]float64, n*n)
			for i := range n {
				for j := range i + 1 {
					v := math.Ldexp(rng.NormFloat64(), -50*k)
					terms[k][i*n+j], terms[k][j*n+i] = v, v
				}
			}
			sum = sum.Plus(big.NewRat(1, 1), rationals(n, terms[k]))
			for i, v := range terms[k] {
				h[i] += v
			}
		}
		want := rationals(n, x).times(sum).times(rationals(n, x).transposed())
		gap := want.Plus(big.NewRat(-1, 1), Ident(n)).square()
		distance, _ := gap.Float64()
		for _, careful := range []bool{true, false} {
			r := residual(n, terms, h, x, careful)
			off, _ := rationals(n, r.g).Plus(big.NewRat(-1, 1), want).square().Float64()
			if off > r.off*r.off {
				t.Fatalf("careful %v: XHXᵀ is off by %.3g, said to be at most %.3g", careful, math.Sqrt(off), r.off)
			}
			if d := math.Sqrt(distance); r.spread < d*(1-1e-12) || r.spread > d*(1+1e-5)+2*r.off+1e-200 {
				t.Fatalf("careful %v: spread %v for a distance of %v, with %v for rounding", careful, r.spread, d, r.off)
			}
			nx, nh := norm(x), 0.0
			for _, v := range terms {
				nh += norm(v)
			}
			if limit := 12 * float64(n+count) * unit * nx * nx * nh; r.off > limit {
				t.Fatalf("careful %v: the rounding allowance is %.3g, want at most %.3g", careful, r.off, limit)
			}
			product := sum.times(rationals(n, x).transposed())
			if miss, _ := rationals(n, r.t).Plus(big.NewRat(-1, 1), product).square().Float64(); math.Sqrt(miss) > 1e-14*float64(n)*nx*nh {
				t.Fatalf("careful %v: HXᵀ is off by %.3g", careful, math.Sqrt(miss))
			}
		}
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		if r := residual(1, [][]float64{{bad}}, []float64{bad}, []float64{1}, true); !math.IsInf(r.spread, 1) {
			t.Errorf("spread %v of %v", r.spread, bad)
		}
	}
}

// randomFactor returns a factor with a random X, in float64 or in multiple precision, and its X in rationals.
func randomFactor(n int, precise bool, rng *rand.Rand) (*Factor, Exact) {
	x := lowerTriangle(n, rng)
	f := &Factor{n: n, exps: make([]int, n), spread: new(big.Float), x: x}
	e := rationals(n, x)
	if precise {
		f.x, f.long = nil, newLong(n, n, 90)
		for i := range n {
			for j := range i + 1 {
				v := new(big.Float).SetPrec(90).SetRat(e[i][j].Quo(e[i][j], big.NewRat(3, 1)))
				f.long.set(i, j, v)
				v.Rat(e[i][j])
			}
		}
	}
	return f, e
}

// The error of a factor on either side, or on both, widens the enclosure of a squared norm.
func TestSquaredNormOfCoarseFactors(t *testing.T) {
	coarse := func(e float64) Side {
		return Side{Factor: &Factor{n: 1, exps: []int{1}, spread: big.NewFloat(e), x: []float64{1}}}
	}
	one := Side{Variances: []float64{1}}
	for _, c := range []struct {
		left, right Side
		lo, hi      float64
	}{
		{coarse(0.25), one, 9 / 1.25, 9 / 0.75}, {one, coarse(0.25), 9 / 1.25, 9 / 0.75}, {coarse(0.25), coarse(0.125), 9 / 1.25 / 1.125, 9 / 0.75 / 0.875}, {one, one, 9, 9},
	} {
		lo, hi, exp := SquaredNorm(c.left, c.right, mat.NewDense(1, 1, []float64{3}))
		scale := math.Ldexp(1, 2*exp)
		if c.left.Factor != nil {
			scale *= 4 // Δ is scaled by 2^exps
		}
		if c.right.Factor != nil {
			scale *= 4
		}
		lo, hi = lo*scale, hi*scale
		if !(lo <= c.lo && hi >= c.hi && lo > c.lo*(1-1e-14) && hi < c.hi*(1+1e-14)) {
			t.Errorf("[%v, %v], want [%v, %v]", lo, hi, c.lo, c.hi)
		}
	}
	if lo, hi, exp := SquaredNorm(one, one, mat.NewDense(1, 1, nil)); lo != 0 || hi != 0 || exp != 0 {
		t.Errorf("squared norm of 0: [%v, %v]·4^%d", lo, hi, exp)
	}
}

// The bounds on determinants and products round outward at every step, at any precision. They are no wider than the
// steps and the spread require.
func TestDeterminantsOfShortNumbers(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 4))
	between := func(what string, lo, hi *big.Float, least, most *big.Rat, slack float64) {
		l, _ := lo.Rat(nil)
		h, _ := hi.Rat(nil)
		if l.Cmp(least) > 0 || h.Cmp(most) < 0 {
			t.Fatalf("%s in [%v, %v] misses some of %v to %v", what, lo, hi, least.FloatString(20), most.FloatString(20))
		}
		under, _ := new(big.Rat).Quo(l, least).Float64()
		over, _ := new(big.Rat).Quo(h, most).Float64()
		if under < 1-slack || over > 1+slack {
			t.Fatalf("%s in [%v, %v] is wide", what, lo, hi)
		}
	}
	for trial := range 300 {
		n := 1 + rng.IntN(4)
		f, x := randomFactor(n, trial%2 == 0, rng)
		spread := []float64{0, 0.25}[rng.IntN(2)]
		f.spread = big.NewFloat(spread)
		least, most := big.NewRat(1, 1), big.NewRat(1, 1)
		for i := range n {
			f.exps[i] = rng.IntN(200) - 100
			square := new(big.Rat).Mul(x[i][i], x[i][i])
			power := new(big.Rat).SetFrac(new(big.Int).Lsh(big.NewInt(1), 400), new(big.Int).Lsh(big.NewInt(1), uint(400-2*f.exps[i])))
			least.Mul(least, power).Mul(least, Rat(1-spread)).Quo(least, square)
			most.Mul(most, power).Mul(most, Rat(1+spread)).Quo(most, square)
		}
		lo, hi := f.Det(60)
		between("det", lo, hi, least, most, float64(n)*0x1p-55)
		v := make([]float64, 1+rng.IntN(5))
		want := big.NewRat(1, 1)
		for i := range v {
			v[i] = rng.ExpFloat64() + 0.01
			want.Mul(want, Rat(v[i]))
		}
		lo, hi = Product(v, 20)
		between("product", lo, hi, want, want, float64(len(v))*0x1p-18)
	}
}

// Arithmetic on bounds rounds up in every operation.
func TestBoundsRoundUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 5))
	for range 500 {
		v := new(big.Rat).SetFrac64(rng.Int64()-1<<62, rng.Int64()+1)
		x := new(big.Float).SetPrec(100).SetRat(v)
		got := above(x)
		if big.NewFloat(got).Cmp(x) < 0 || big.NewFloat(math.Nextafter(got, math.Inf(-1))).Cmp(x) >= 0 {
			t.Fatalf("upper bound of %v is %v", x, got)
		}
		if r, _ := up().SetRat(v).Rat(nil); r.Cmp(v) < 0 {
			t.Fatalf("%v rounds to %v", v, r)
		}
		a := newLong(2, 2, 200)
		square := new(big.Rat)
		for i := range 3 {
			a.v[i] = new(big.Float).SetPrec(200).SetRat(new(big.Rat).SetFrac64(rng.Int64()-1<<62, rng.Int64()+1))
			q, _ := a.v[i].Rat(nil)
			square.Add(square, q.Mul(q, q))
		}
		r, _ := a.norm().Rat(nil)
		r.Mul(r, r)
		if q, _ := new(big.Rat).Quo(r, square).Float64(); r.Cmp(square) < 0 || q > 1+1e-11 {
			t.Fatalf("norm² %v of %v", r, square)
		}
	}
	if above(big.NewFloat(1.5)) != 1.5 {
		t.Error("the upper bound of a float64 is not the number itself")
	}
}

// The bounds on ‖XHXᵀ − I‖ and ‖XB − I‖ hold in rational arithmetic for factors of low multiple precision.
func TestLongFactorsAgainstRationals(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 6))
	found := 0
	for range 150 {
		n := 1 + rng.IntN(5)
		s := RandomConditioned(n, 16*rng.Float64(), 0, rng)
		m, err := New(n, Entries(s))
		if err != nil {
			continue
		}
		h := matrix(n, n, func(i, j int) *big.Rat {
			return new(big.Rat).Mul(Rat(s.At(i, j)), Rat(math.Ldexp(1, -m.exps[i]-m.exps[j])))
		})
		factors := []*Factor{m.floatFactor()}
		for _, prec := range []uint{64, 80, 120} {
			f, _ := m.longFactor(prec)
			factors = append(factors, f)
		}
		for _, f := range factors {
			if f == nil {
				continue
			}
			found++
			x := matrix(n, n, func(i, j int) *big.Rat {
				if f.long == nil {
					return Rat(f.x[i*n+j])
				}
				v := new(big.Rat)
				if e := f.long.at(i, j); e != nil {
					e.Rat(v)
				}
				return v
			})
			gap, _ := x.times(h).times(x.transposed()).Plus(big.NewRat(-1, 1), Ident(n)).square().Float64()
			if !(math.Sqrt(gap) <= f.Spread()*slack) || f.Spread() >= 0.5 { // Spread also bounds the Frobenius norm
				t.Fatalf("spread %v, ‖XHXᵀ − I‖ = %v", f.Spread(), math.Sqrt(gap))
			}
			miss, _ := x.times(rationals(n, f.root)).Plus(big.NewRat(-1, 1), Ident(n)).square().Float64()
			if math.Sqrt(miss) > f.rootError*slack {
				t.Fatalf("‖XB − I‖ = %v, said to be at most %v", math.Sqrt(miss), f.rootError)
			}
		}
	}
	if found < 300 {
		t.Errorf("only %d matrices have a factor", found)
	}
}
