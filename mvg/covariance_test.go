package mvg_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/mvg"
	"dpworkbench/mvg/internal/symmetric"
	"dpworkbench/query"

	"gonum.org/v1/gonum/mat"
)

// Every printed number of a design is compared with rational arithmetic on the displayed covariance matrices, at all
// condition numbers. The rational arithmetic shares no code with the package.

type rational [][]*big.Rat

func rat(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

func rationals(a mat.Matrix) rational {
	m, n := a.Dims()
	out := make(rational, m)
	for i := range out {
		for j := range n {
			out[i] = append(out[i], rat(a.At(i, j)))
		}
	}
	return out
}

func (a rational) times(b rational) rational {
	out := make(rational, len(a))
	for i := range a {
		for j := range b[0] {
			v := new(big.Rat)
			for k := range b {
				v.Add(v, new(big.Rat).Mul(a[i][k], b[k][j]))
			}
			out[i] = append(out[i], v)
		}
	}
	return out
}

func (a rational) transposed() rational {
	out := make(rational, len(a[0]))
	for j := range out {
		for i := range a {
			out[j] = append(out[j], a[i][j])
		}
	}
	return out
}

func (a rational) trace() *big.Rat {
	sum := new(big.Rat)
	for i := range a {
		sum.Add(sum, a[i][i])
	}
	return sum
}

// eliminated returns the inverse, the determinant, and whether all pivots are positive.
func (a rational) eliminated() (inverse rational, det *big.Rat, positive bool) {
	n := len(a)
	wide := make(rational, n)
	for i := range a {
		for j := range 2 * n {
			v := new(big.Rat)
			if j < n {
				v.Set(a[i][j])
			} else if j == n+i {
				v.SetInt64(1)
			}
			wide[i] = append(wide[i], v)
		}
	}
	det, positive = big.NewRat(1, 1), true
	for k := range n {
		pivot := new(big.Rat).Set(wide[k][k])
		if pivot.Sign() == 0 {
			return nil, new(big.Rat), false
		}
		positive = positive && pivot.Sign() > 0
		det.Mul(det, pivot)
		for j := range 2 * n {
			wide[k][j].Quo(wide[k][j], pivot)
		}
		for i := range n {
			if f := new(big.Rat).Set(wide[i][k]); i != k && f.Sign() != 0 {
				for j := range 2 * n {
					wide[i][j].Sub(wide[i][j], new(big.Rat).Mul(f, wide[k][j]))
				}
			}
		}
	}
	for i := range n {
		inverse = append(inverse, wide[i][n:])
	}
	return inverse, det, positive
}

// below reports whether the largest eigenvalue is below x.
func (a rational) below(x *big.Rat) bool {
	shifted := make(rational, len(a))
	for i := range a {
		for j := range a {
			v := new(big.Rat).Neg(a[i][j])
			if i == j {
				v.Add(v, x)
			}
			shifted[i] = append(shifted[i], v)
		}
	}
	_, _, positive := shifted.eliminated()
	return positive
}

// squareWithin fails unless the bounds of k are close to each other and square lies between their squares.
func squareWithin(t *testing.T, name string, k evidence.Certified, square *big.Rat) {
	t.Helper()
	lo, hi := rat(k.Lo), rat(k.Hi)
	if lo.Mul(lo, lo).Cmp(square) > 0 || hi.Mul(hi, hi).Cmp(square) < 0 {
		v, _ := new(big.Float).SetPrec(200).SetRat(square).Float64()
		t.Errorf("%s: [%.17g, %.17g] does not contain √%.17g", name, k.Lo, k.Hi, v)
	}
	if !(k.Hi <= k.Lo*(1+1e-11)) {
		t.Errorf("%s: [%.17g, %.17g] is wide", name, k.Lo, k.Hi)
	}
}

// checkGiven checks designs with the given covariances, for each sensitivity set whose norm has a closed form in
// rationals.
func checkGiven(t *testing.T, name string, rng *rand.Rand, sigma, psi mvg.Covariance) {
	t.Helper()
	m, n := sigma.Order(), psi.Order()
	p, _, _ := rationals(sigma.Matrix()).eliminated()
	q, _, _ := rationals(psi.Matrix()).eliminated()
	judge := func(s mvg.Sensitivity) evidence.Certified {
		t.Helper()
		return must.Be(mvg.NewDesign(ctx, s, sigma, psi)).WhitenedSensitivity()
	}
	scale := math.Pow(10, 6*rng.Float64()-3)

	var list []*mat.Dense
	largest := new(big.Rat)
	for range 2 {
		d := mat.NewDense(m, n, nil)
		for i := range m {
			for j := range n {
				d.Set(i, j, scale*rng.NormFloat64())
			}
		}
		list = append(list, d)
		x := rationals(d)
		if v := p.times(x).times(q).times(x.transposed()).trace(); v.Cmp(largest) > 0 {
			largest = v
		}
	}
	squareWithin(t, name+", list", judge(must.Be(mvg.NewDifferences(list))), largest)

	h := make([]float64, m)
	for i := range h {
		h[i] = scale * math.Exp(3*rng.NormFloat64())
	}
	largest = new(big.Rat)
	for mask := range 1 << m {
		v := make(rational, m)
		for i := range v {
			v[i] = []*big.Rat{rat(h[i])}
			v[i][0].Add(v[i][0], v[i][0])
			if mask>>i&1 == 1 {
				v[i][0].Neg(v[i][0])
			}
		}
		if x := v.transposed().times(p).times(v).trace(); x.Cmp(largest) > 0 {
			largest = x
		}
	}
	column := new(big.Rat)
	for j := range n {
		if q[j][j].Cmp(column) > 0 {
			column = q[j][j]
		}
	}
	squareWithin(t, name+", box", judge(must.Be(mvg.NewBox(n, h))), largest.Mul(largest, column))

	// For a ball of radius s the squared norm is s²p₁q₁, with q₁ = 1 for Ψ = I and q₁ = p₁ for Ψ = Σ.
	ball := func(what string, psi mvg.Covariance, root func(x *big.Rat) *big.Rat) {
		t.Helper()
		s := must.Be(mvg.NewBall(m, psi.Order(), mvg.BallOptions{S2: scale, Gamma: scale}))
		k := must.Be(mvg.NewDesign(ctx, s, sigma, psi)).WhitenedSensitivity()
		lo, hi := root(new(big.Rat).Quo(rat(k.Lo), rat(scale))), root(new(big.Rat).Quo(rat(k.Hi), rat(scale)))
		up := big.NewRat(1<<62+1, 1<<62) // allows for a bound that is itself an eigenvalue
		if p.below(lo.Quo(lo, up)) || !p.below(hi.Mul(hi, up)) {
			t.Errorf("%s, %s: [%.17g, %.17g] misses the largest precision", name, what, k.Lo, k.Hi)
		}
		if !(k.Hi <= k.Lo*(1+1e-11)) {
			t.Errorf("%s, %s: [%.17g, %.17g] is wide", name, what, k.Lo, k.Hi)
		}
	}
	ball("ball, Ψ = I", must.Be(mvg.NewIsotropic(3, 1)), func(x *big.Rat) *big.Rat { return x.Mul(x, x) })
	ball("ball, Ψ = Σ", sigma, func(x *big.Rat) *big.Rat { return x })

	if m == 2 { // the squared norm is p₁² + p₂² = tr P²
		g := must.Be(mvg.NewGram(2, 1, query.Replace, scale))
		k := must.Be(mvg.NewDesign(ctx, g, sigma, sigma)).WhitenedSensitivity()
		square := p.times(p).trace()
		squareWithin(t, name+", gram", k, square.Mul(square, rat(scale)).Mul(square, rat(scale)))
	}
}

// IllConditioned returns a random covariance with a condition number up to 10^decades.
func IllConditioned(t *testing.T, n int, decades float64, rng *rand.Rand) mvg.Covariance {
	t.Helper()
	for {
		w, v := rotation(n, rng.Uint64()), make([]float64, n)
		for i := range v {
			v[i] = math.Pow(10, -decades*rng.Float64())
		}
		v[0] = 1
		a, s := mat.NewDense(n, n, nil), mat.NewSymDense(n, nil)
		for j, x := range v {
			for i := range n {
				a.Set(i, j, math.Sqrt(x)*w.At(i, j))
			}
		}
		s.SymOuterK(math.Pow(10, 20*rng.Float64()-10), a)
		if c, err := mvg.NewDense(s); err == nil { // rounding may have made it indefinite
			return c
		}
	}
}

// A design made from θ and directions uses the matrix that Sigma shows: W diag(v) Wᵀ with entries rounded to float64,
// even if W is orthonormal only to 1e-9.
func TestSigmaMatrixIsTheOneUsed(t *testing.T) {
	rng := rand.New(rand.NewPCG(72, 1))
	w := mat.NewDense(2, 2, []float64{1, 9e-10, 0, 1})
	box := must.Be(mvg.NewBox(1, []float64{1e-8, 1}))
	for k := range 30 {
		tiny := math.Pow(10, -32*rng.Float64())
		d := must.Be(mvg.NewTight(ctx, box, mvg.Params{Epsilon: one, Delta: evidencetest.Delta(1e-5), Theta: []float64{1 - tiny, tiny}, Directions: w}))
		checkGiven(t, fmt.Sprintf("skew directions %d", k), rng, d.Sigma(), d.Psi())
		v := d.Sigma().Variances()
		product := rationals(w).times(rational{{rat(v[0]), rat(0)}, {rat(0), rat(v[1])}}).times(rationals(w).transposed())
		shown := d.Sigma().Matrix()
		for i := range 2 {
			for j := range 2 {
				if x, _ := product[i][j].Float64(); math.Abs(x-shown.At(i, j)) > 1e-15*math.Abs(x) {
					t.Errorf("Σ[%d][%d] = %v, W diag(v) Wᵀ has %v", i, j, shown.At(i, j), x)
				}
			}
		}
		e, err := d.Privacy().Epsilon(ctx, evidencetest.Delta(1e-5))
		if err != nil || e.Float() > 1 || e.Float() < 1-1e-14-4e-16/math.Sqrt(tiny) {
			t.Errorf("θ = %g: ε = %v, %v, want just below 1", tiny, e, err)
		}
	}
}

// The sensitivity is enclosed at scales whose squares or inverses exceed the range of float64.
func TestNormsAtExtremeScales(t *testing.T) {
	for _, c := range []struct{ h, variance, want float64 }{
		{1e-160, 1e-320, 2e-160 / math.Sqrt(1e-320)},
		{1e160, 1e305, 2e160 / math.Sqrt(1e305)},
		{1e-300, 1, 2e-300},
		{5e-324, 4e-308, 1e-323 / math.Sqrt(4e-308)},
	} {
		sigma := must.Be(mvg.NewIsotropic(1, c.variance))
		one := must.Be(mvg.NewIsotropic(1, 1))
		d := must.Be(mvg.NewDesign(ctx, must.Be(mvg.NewBox(1, []float64{c.h})), sigma, one))
		if k := d.WhitenedSensitivity(); !(k.Lo > 0) || !near(k.Lo, c.want, 1e-12) || !near(k.Hi, c.want, 1e-12) {
			t.Errorf("h = %g, variance %g: [%v, %v], want %v", c.h, c.variance, k.Lo, k.Hi, c.want)
		}
	}
}

// det(K + Σ)/det Σ and its Kronecker form are compared with rational arithmetic, for ill-conditioned signals and noise
// of all sizes.
func TestPNRAgainstRationals(t *testing.T) {
	rng := rand.New(rand.NewPCG(73, 1))
	for range 100 {
		m, n := 1+rng.IntN(3), 1+rng.IntN(3)
		sigma, psi := IllConditioned(t, m, 13*rng.Float64(), rng), IllConditioned(t, n, 13*rng.Float64(), rng)
		flat := rng.IntN(3) == 0
		if flat {
			sigma = must.Be(mvg.NewDirectional(sigma.Variances(), nil))
			psi = must.Be(mvg.NewDirectional(psi.Variances(), nil))
		}
		d := must.Be(mvg.NewDesign(ctx, must.Be(mvg.NewBall(m, n, mvg.BallOptions{S2: 1, Gamma: 1})), sigma, psi))
		noise := rationals(sigma.Matrix())
		order := m
		if rng.IntN(2) == 0 {
			order = m * n
		}
		if order != m {
			both := make(rational, order)
			for i := range order {
				for j := range order {
					both[i] = append(both[i], new(big.Rat).Mul(rat(psi.Matrix().At(i/m, j/m)), rat(sigma.Matrix().At(i%m, j%m))))
				}
			}
			noise = both
		}
		k := mat.NewSymDense(order, nil)
		root := mat.NewDense(order, 1+rng.IntN(order), nil)
		for i := range order {
			root.Set(i, rng.IntN(root.RawMatrix().Cols), 1+float64(rng.IntN(9))) // small integers: exactly semi-definite
		}
		k.SymOuterK(math.Ldexp(1, rng.IntN(160)-80), root)
		if flat {
			for i := range order {
				for j := range i {
					k.SetSym(i, j, 0)
				}
			}
		}
		sum := make(rational, order)
		for i := range order {
			for j := range order {
				sum[i] = append(sum[i], new(big.Rat).Add(noise[i][j], rat(k.At(i, j))))
			}
		}
		_, over, _ := sum.eliminated()
		_, under, _ := noise.eliminated()
		want := over.Quo(over, under)
		got := must.Be(d.PNR(k))
		if !math.IsInf(got.Hi, 1) && (rat(got.Lo).Cmp(want) > 0 || rat(got.Hi).Cmp(want) < 0) {
			t.Errorf("order %d of %d×%d: PNR in [%.17g, %.17g], want %s", order, m, n, got.Lo, got.Hi, want.FloatString(30))
		}
		log := must.Be(d.LogPNR(k))
		if !(log.Hi-log.Lo <= 4e-16*log.Hi) {
			t.Errorf("order %d of %d×%d: ln PNR in [%.17g, %.17g] is wide", order, m, n, log.Lo, log.Hi)
		}
		// The expected ln(1 + x) uses Log1p if x is small, otherwise the logarithm of the ratio.
		above, _ := new(big.Float).SetRat(new(big.Rat).Sub(want, big.NewRat(1, 1))).Float64()
		if above < 1e300 && !near(log.Float(), math.Log1p(above), 1e-14) {
			t.Errorf("order %d of %d×%d: ln PNR = %.17g, want %.17g", order, m, n, log.Float(), math.Log1p(above))
		}
	}
}

// A computation with float64 eigenvalues was wrong in these cases. The expected values come from another program, which
// computed 80 digits.
func TestLogPNROfIllConditionedSignals(t *testing.T) {
	one := must.Be(mvg.NewIsotropic(2, 1))
	d := must.Be(mvg.NewDesign(ctx, must.Be(mvg.NewBall(2, 2, mvg.BallOptions{S2: 1, Gamma: 1})), one, one))
	for _, c := range []struct {
		k    []float64
		want float64
	}{
		{[]float64{1e12, 1e12, 1e12, 1e12 + 1}, 28.729633404597325}, // ln(3e12 + 2)
		{[]float64{1e-300, 0, 0, 0}, 1e-300},
		{[]float64{1e-20, 0, 0, 3e-20}, 4e-20},
	} {
		got := must.Be(d.LogPNR(mat.NewSymDense(2, c.k)))
		if !near(got.Lo, c.want, 1e-15) || !near(got.Hi, c.want, 1e-15) {
			t.Errorf("K = %v: ln PNR in [%.17g, %.17g], want %.17g", c.k, got.Lo, got.Hi, c.want)
		}
		half := must.Be(d.MutualInformation(mat.NewSymDense(2, c.k)))
		if !near(half.Float(), c.want/2, 1e-15) {
			t.Errorf("K = %v: mutual information %v, want %v", c.k, half.Float(), c.want/2)
		}
	}
}

// A positive definite covariance is refused if its float64 roots are too inaccurate. L has ones on the diagonal and −1
// below, so its inverse has entries near 2ⁿ. LDLᵀ is exact because its entries are small integers.
func TestInaccurateRootsAreRefused(t *testing.T) {
	for _, c := range []struct {
		order   int
		refused bool
	}{{8, false}, {40, true}} {
		l, d := symmetric.Eye(c.order), make([]float64, c.order)
		for i := range d {
			d[i] = float64(2 + i%2)
			for j := range i {
				l.Set(i, j, -1)
			}
		}
		var a mat.Dense
		a.Product(l, mat.NewDiagDense(c.order, d), l.T())
		v, err := mvg.NewDense(&a)
		if c.refused != mvg.ErrorContains(err, "it is so ill-conditioned that draws in float64 could have a covariance") || c.refused != (v.Order() == 0) {
			t.Errorf("order %d: %v, error %v", c.order, v.Order(), err)
		}
	}
}
