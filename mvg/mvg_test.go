package mvg_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/gaussian"
	"dpworkbench/internal/symmetric"
	"dpworkbench/mvg"

	"gonum.org/v1/gonum/mat"
)

func ExampleNewClaim() {
	ball, _ := mvg.NewBall(6, 248, 2*math.Sqrt(6), math.Sqrt(6*248), false)
	c, _ := mvg.NewClaim(ctx, ball, mvg.Theorem2, mvg.ZetaRoot, mvg.Recipe{Epsilon: one, Delta: 1.0 / 248})
	real, _ := c.Privacy().Epsilon(ctx, 1.0/248)
	fmt.Printf("claimed 1, real %.1g, element sd %.0f\n", real, c.ElementSD())
	// Output: claimed 1, real 0, element sd 18988
}

// The first MVG row of the findings: isotropic noise at the published budget
// against the analytic Gaussian mechanism at (1, 1/n).
func TestPublishedNoiseIsUseless(t *testing.T) {
	for _, c := range []struct {
		name           string
		m, n           int
		s2, gamma      float64
		records        int
		psd            bool
		theorem        mvg.Theorem
		mode           mvg.Mode
		want, analytic float64
		ratio          float64
	}{
		{"I", 6, 248, 2 * math.Sqrt(6), math.Sqrt(6 * 248), 248, false, mvg.Theorem2, mvg.Unimodal, 18988, 10.60, 1791},
		{"II, Theorem 2", 4, 4, 8e4 / 10176, 4e4, 10176, true, mvg.Theorem2, mvg.Equimodal, 125069, 25.08, 0},
		{"II, Theorem 3", 4, 4, 8e4 / 10176, 4e4, 10176, true, mvg.Theorem3, mvg.Equimodal, 2554, 25.08, 0},
		{"III", 21, 2126, math.Sqrt(21), math.Sqrt(21 * 2126), 2126, false, mvg.Theorem2, mvg.Unimodal, 755723, 12.75, 59252},
	} {
		delta := 1 / float64(c.records)
		ball := must[mvg.Ball](t)(mvg.NewBall(c.m, c.n, c.s2, c.gamma, c.psd))
		got := must[*mvg.Claim](t)(mvg.NewClaim(ctx, ball, c.theorem, mvg.ZetaRoot, mvg.Recipe{Epsilon: one, Delta: delta, Mode: c.mode}))
		if math.Abs(got.ElementSD()-c.want) > 0.6 {
			t.Errorf("Experiment %s: element sd %.2f, want %v", c.name, got.ElementSD(), c.want)
		}
		sigma := must[evidence.Certified](t)(gaussian.Sigma(one, delta, c.s2))
		if math.Abs(sigma.Hi-c.analytic) > 0.006 {
			t.Errorf("Experiment %s: analytic Gaussian %.4f, want %v", c.name, sigma.Hi, c.analytic)
		}
		if c.ratio != 0 && math.Abs(got.ElementSD()/sigma.Hi-c.ratio) > 0.6 {
			t.Errorf("Experiment %s: ratio %.1f, want %v", c.name, got.ElementSD()/sigma.Hi, c.ratio)
		}
		tight := must[*mvg.Design](t)(mvg.NewTight(ctx, ball, mvg.Recipe{Epsilon: one, Delta: delta}))
		if !near(tight.ElementSD(), sigma.Hi, 1e-13) {
			t.Errorf("Experiment %s: tight isotropic sd %v, want the analytic %v", c.name, tight.ElementSD(), sigma.Hi)
		}
	}
}

// The constants against a second transcription of Table 1 and Theorems 2 and 3,
// solved as printed, with the cancellation.
func TestConstantsAsPrinted(t *testing.T) {
	const m, n, gamma, s2, eps, delta = 5, 9, 3.0, 0.7, 0.8, 1e-3
	h := 1 + 1.0/2 + 1.0/3 + 1.0/4 + 1.0/5
	half := 1 + 1/math.Sqrt2 + 1/math.Sqrt(3) + 0.5 + 1/math.Sqrt(5)
	c := must[mvg.Constants](t)(mvg.Published(mvg.Premises{Theorem: mvg.Theorem2, Zeta: mvg.ZetaPublished, Rows: m, Columns: n, Gamma: gamma, S2: s2, Epsilon: epsilon(eps), Delta: delta}))
	zeta := 2*math.Sqrt(-m*n*math.Log(delta)) - 2*math.Log(delta) + m*n
	alpha := (h+half)*gamma*gamma + 2*h*gamma*s2
	beta := 2 * math.Pow(m*n, 0.25) * zeta * h * s2
	bound := math.Pow(-beta+math.Sqrt(beta*beta+8*alpha*eps), 2) / (4 * alpha * alpha)
	for _, k := range []struct {
		name      string
		got, want float64
	}{
		{"zeta", c.Zeta.Value, zeta}, {"alpha", c.Alpha.Value, alpha}, {"beta", c.Beta.Value, beta}, {"omega", c.Omega.Value, 4 * h * gamma * s2},
		{"(1)", c.Norm, bound}, {"Theorem 5", c.UnimodalBudget(n), bound * bound / n}, {"Theorem 6", c.EquimodalBudget(), bound},
	} {
		if !near(k.got, k.want, 1e-8) {
			t.Errorf("%s = %v, want %v", k.name, k.got, k.want)
		}
	}
	root := must[mvg.Constants](t)(mvg.Published(mvg.Premises{Theorem: mvg.Theorem2, Zeta: mvg.ZetaRoot, Rows: m, Columns: n, Gamma: gamma, S2: s2, Epsilon: epsilon(eps), Delta: delta}))
	if !near(root.Zeta.Value*root.Zeta.Value, zeta, 1e-14) {
		t.Errorf("ζ² = %v, want %v", root.Zeta.Value*root.Zeta.Value, zeta)
	}
}

// Algorithm 1: p_i² = θ_i P on any orthonormal directions.
func TestAlgorithm1(t *testing.T) {
	ball := must[mvg.Ball](t)(mvg.NewBall(3, 7, 1, 2, false))
	w := rotation(3, 5)
	theta := []float64{0.5, 0.3, 0.2}
	c := must[*mvg.Claim](t)(mvg.NewClaim(ctx, ball, mvg.Theorem2, mvg.ZetaRoot, mvg.Recipe{Epsilon: one, Delta: 0.01, Theta: theta, Directions: w}))
	sum := 0.0
	var inverse, back mat.Dense
	if err := inverse.Inverse(c.Sigma().Matrix()); err != nil {
		t.Fatal(err)
	}
	back.Mul(w.T(), &inverse)
	back.Mul(&back, w)
	for i, th := range theta {
		p := back.At(i, i)
		sum += p * p
		if !near(p*p, th*c.PrecisionBudget.Value, 1e-10) {
			t.Errorf("p_%d² = %v, want θP = %v", i, p*p, th*c.PrecisionBudget.Value)
		}
	}
	if !near(sum, c.Constants.Norm*c.Constants.Norm/7, 1e-10) {
		t.Errorf("Σp² = %v, want d²/n = %v", sum, c.Constants.Norm*c.Constants.Norm/7)
	}
}

func TestTheorem4FirstOrder(t *testing.T) {
	for r := 1; r < 40; r++ {
		if got, want := mvg.Theorem3Helps(r, 1, math.Sqrt2), r >= 13; got != want {
			t.Errorf("Theorem 3 helps at r = %d, s2 = √2γ: %v, want %v", r, got, want)
		}
		if !mvg.Theorem3Helps(r, 1, 1) {
			t.Errorf("Theorem 3 does not help at r = %d, s2 = γ", r)
		}
	}
}

// rotation returns a fixed random orthonormal basis.
func rotation(n int, seed uint64) *mat.Dense {
	return symmetric.RandomBasis(n, rand.NewPCG(seed, 1))
}

// covariance returns a random positive definite matrix.
func covariance(n int, seed uint64) *mat.SymDense {
	src := rand.New(rand.NewPCG(seed, 2))
	a := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			a.Set(i, j, src.NormFloat64())
		}
	}
	s := mat.NewSymDense(n, nil)
	s.SymOuterK(1, a)
	for i := range n {
		s.SetSym(i, i, s.At(i, i)+0.3)
	}
	return s
}

// whitenedNorm computes ‖Σ^{−1/2} Δ Ψ^{−1/2}‖_F by inverses and traces.
func whitenedNorm(t *testing.T, sigma, psi, delta mat.Matrix) float64 {
	var p, q, left, right, all mat.Dense
	if p.Inverse(sigma) != nil || q.Inverse(psi) != nil {
		t.Fatal("singular")
	}
	left.Mul(&p, delta)
	right.Mul(&q, delta.T())
	all.Mul(&left, &right)
	return math.Sqrt(mat.Trace(&all))
}

func outer(x, y []float64) *mat.Dense {
	d := mat.NewDense(len(x), len(y), nil)
	d.Outer(1, mat.NewVecDense(len(x), x), mat.NewVecDense(len(y), y))
	return d
}

// Random members of each sensitivity set never exceed the enclosure's upper
// end, and the best of many, polished by random ascent, comes near its lower.
func TestWhitenedSensitivityAgainstSearch(t *testing.T) {
	src := rand.New(rand.NewPCG(7, 7))
	sphere := func(n int, r float64) []float64 {
		x := make([]float64, n)
		s := 0.0
		for i := range x {
			x[i] = src.NormFloat64()
			s += x[i] * x[i]
		}
		for i := range x {
			x[i] *= r / math.Sqrt(s)
		}
		return x
	}
	h := []float64{0.5, 2, 1}
	box := must[mvg.Box](t)(mvg.NewBox(4, h))
	ball := must[mvg.Ball](t)(mvg.NewBall(3, 4, 1.5, 3, false))
	add := must[mvg.Gram](t)(mvg.NewGram(3, 1.3, false, 0.5))
	replace := must[mvg.Gram](t)(mvg.NewGram(3, 1.3, true, 0.5))
	list := must[mvg.Differences](t)(mvg.NewDifferences([]*mat.Dense{outer(sphere(3, 1), sphere(4, 1)), outer(sphere(3, 2), sphere(4, 1))}))
	gram := func(x, y []float64) *mat.Dense {
		d := outer(x, x)
		d.Sub(d, outer(y, y))
		d.Scale(0.5, d)
		return d
	}
	for _, c := range []struct {
		name       string
		s          mvg.Sensitivity
		psi        int // 0: identity, 1: equal to Σ, 2: another
		directions bool
		draw       func() *mat.Dense
		exact      bool
	}{
		{"ball", ball, 2, true, func() *mat.Dense { return outer(sphere(3, 1.5), sphere(4, 1)) }, true},
		{"box in its axes", box, 0, false, func() *mat.Dense { return outer(vertex(src, h), unitVector(4, src.IntN(4))) }, true},
		{"box, any directions", box, 2, true, func() *mat.Dense { return outer(vertex(src, h), unitVector(4, src.IntN(4))) }, true},
		{"list", list, 2, true, nil, true},
		{"gram, equal", add, 1, true, func() *mat.Dense { return gram(sphere(3, 1.3), make([]float64, 3)) }, true},
		{"gram, crossed", add, 2, true, func() *mat.Dense { return gram(sphere(3, 1.3), make([]float64, 3)) }, true},
		{"replacement, equal", replace, 1, true, func() *mat.Dense { return gram(sphere(3, 1.3), sphere(3, 1.3)) }, true},
		{"replacement, one mode", replace, 0, true, func() *mat.Dense { return gram(sphere(3, 1.3), sphere(3, 1.3)) }, true},
		{"replacement, crossed", replace, 2, true, func() *mat.Dense { return gram(sphere(3, 1.3), sphere(3, 1.3)) }, false},
	} {
		m, n := c.s.Shape()
		sigma := must[mvg.Covariance](t)(mvg.NewDense(covariance(m, 3)))
		if !c.directions {
			sigma = must[mvg.Covariance](t)(mvg.NewDirectional([]float64{0.3, 2, 5}, nil))
		}
		psi := sigma
		switch c.psi {
		case 0:
			psi = must[mvg.Covariance](t)(mvg.NewIsotropic(n, 1))
		case 2:
			psi = must[mvg.Covariance](t)(mvg.NewDense(covariance(n, 4)))
		}
		d := must[*mvg.Design](t)(mvg.NewDesign(ctx, c.s, sigma, psi))
		k := d.WhitenedSensitivity()
		if c.exact && !(k.Hi-k.Lo <= 1e-9*k.Hi) {
			t.Errorf("%s: [%v, %v] is not exact", c.name, k.Lo, k.Hi)
		}
		if c.draw == nil {
			continue
		}
		best := 0.0
		for range 20000 {
			best = max(best, whitenedFast(sigma, psi, c.draw()))
		}
		if best > k.Hi || best < 0.96*k.Lo {
			t.Errorf("%s: search finds %v, enclosure [%v, %v]", c.name, best, k.Lo, k.Hi)
		}
		if s := c.s.Frobenius().Lo; s <= 0 {
			t.Errorf("%s: Frobenius %v", c.name, s)
		}
	}
}

// whitenedFast is tr(Σ⁻¹ΔΨ⁻¹Δᵀ)^½ with the precisions the package reports.
func whitenedFast(sigma, psi mvg.Covariance, delta *mat.Dense) float64 {
	p, q := sigma.Precision(), psi.Precision()
	var a mat.Dense
	a.Mul(p, delta)
	a.Mul(&a, q)
	m, n := delta.Dims()
	s := 0.0
	for i := range m {
		for j := range n {
			s += a.At(i, j) * delta.At(i, j)
		}
	}
	return math.Sqrt(s)
}

func vertex(src *rand.Rand, h []float64) []float64 {
	v := make([]float64, len(h))
	for i, w := range h {
		v[i] = 2 * w
		if src.IntN(2) == 0 {
			v[i] = -v[i]
		}
	}
	return v
}

func unitVector(n, j int) []float64 {
	e := make([]float64, n)
	e[j] = 1
	return e
}

// The list's norm by inverses and traces, which share nothing with whitening.
func TestDifferencesByTraces(t *testing.T) {
	list := []*mat.Dense{outer([]float64{1, 2, -1}, []float64{0, 1}), outer([]float64{3, 0, 0.5}, []float64{1, -0.2})}
	s := must[mvg.Differences](t)(mvg.NewDifferences(list))
	a, b := covariance(3, 8), covariance(2, 9)
	d := must[*mvg.Design](t)(mvg.NewDesign(ctx, s, must[mvg.Covariance](t)(mvg.NewDense(a)), must[mvg.Covariance](t)(mvg.NewDense(b))))
	want := max(whitenedNorm(t, a, b, list[0]), whitenedNorm(t, a, b, list[1]))
	if k := d.WhitenedSensitivity(); !near(k.Hi, want, 1e-11) || !near(k.Lo, want, 1e-11) {
		t.Errorf("whitened sensitivity in [%v, %v], want %v", k.Lo, k.Hi, want)
	}
}

// A box of 24 dimensions is beyond enumeration: the bounds must hold the value
// that an enumeration of a 20-dimensional relative finds, and be honest.
func TestBoxBeyondEnumeration(t *testing.T) {
	const m = 24
	h := make([]float64, m)
	for i := range h {
		h[i] = 1 + float64(i)/10
	}
	box := must[mvg.Box](t)(mvg.NewBox(2, h))
	sigma := must[mvg.Covariance](t)(mvg.NewDense(covariance(m, 11)))
	psi := must[mvg.Covariance](t)(mvg.NewIsotropic(2, 1))
	d := must[*mvg.Design](t)(mvg.NewDesign(ctx, box, sigma, psi))
	k := d.WhitenedSensitivity()
	src := rand.New(rand.NewPCG(3, 3))
	p := sigma.Precision()
	for range 20000 {
		v := mat.NewVecDense(m, vertex(src, h))
		if x := math.Sqrt(mat.Inner(v, p, v)); x > k.Hi {
			t.Fatalf("a vertex gives %v, above the bound %v", x, k.Hi)
		}
	}
	if !(k.Lo <= k.Hi) || k.Hi > 2*k.Lo {
		t.Errorf("bounds [%v, %v]", k.Lo, k.Hi)
	}
	t.Logf("bounds [%v, %v]", k.Lo, k.Hi)
}

// Monte Carlo of the privacy loss at the worst pair: the loss of a Gaussian
// mechanism at whitened distance k is N(k²/2, k²), but here it is computed from
// two densities of the matrix-variate law. Never more than δ, more than .95 δ at
// the worst pair. False-positive rate below 1e-6 (six standard errors).
func TestTightDesignByMonteCarlo(t *testing.T) {
	const delta = 0.05
	h := []float64{0.5, 2, 1}
	box := must[mvg.Box](t)(mvg.NewBox(2, h))
	w := rotation(3, 9)
	d := must[*mvg.Design](t)(mvg.NewTight(ctx, box, mvg.Recipe{Epsilon: one, Delta: delta, Theta: []float64{0.7, 0.2, 0.1}, Directions: w}))
	p := d.Sigma().Precision()
	worst, square := []float64(nil), 0.0
	for mask := range 8 { // the box's vertices
		v := []float64{2 * h[0], 2 * h[1], 2 * h[2]}
		for i := range v {
			if mask>>i&1 == 1 {
				v[i] = -v[i]
			}
		}
		x := mat.NewVecDense(3, v)
		if s := mat.Inner(x, p, x); s > square {
			square, worst = s, v
		}
	}
	for _, shift := range [][]float64{worst, {1, 4, 2}, {1, 0, 0}} {
		const draws = 400000
		z, total, squares := mat.NewDense(3, 2, nil), 0.0, 0.0
		src := rand.NewPCG(11, 12)
		v := mat.NewVecDense(3, shift)
		for range draws {
			d.Noise(z, src)
			x := mat.NewVecDense(3, mat.Col(nil, 0, z)) // record 0 differs by v
			y := mat.NewVecDense(3, nil)
			y.AddVec(x, v)
			loss := (mat.Inner(y, p, y) - mat.Inner(x, p, x)) / 2
			if g := 1 - math.Exp(1-loss); g > 0 {
				total += g
				squares += g * g
			}
		}
		mean := total / draws
		se := math.Sqrt((squares/draws - mean*mean) / draws)
		if mean > delta+6*se {
			t.Errorf("δ at %v is %v ± %v, above %v", shift, mean, se, delta)
		}
		if &shift[0] == &worst[0] && mean < 0.95*delta {
			t.Errorf("δ at the worst pair %v is %v ± %v, below .95 of %v", shift, mean, se, delta)
		}
	}
}

// The affine transformation and the Kronecker covariance give the same law: both
// have covariance Ψ⊗Σ, entry by entry, to six standard errors.
func TestSamplersAgree(t *testing.T) {
	s := must[mvg.Ball](t)(mvg.NewBall(2, 3, 1, 2, false))
	a, b := covariance(2, 21), covariance(3, 22)
	d := must[*mvg.Design](t)(mvg.NewDesign(ctx, s, must[mvg.Covariance](t)(mvg.NewDense(a)), must[mvg.Covariance](t)(mvg.NewDense(b))))
	var want mat.Dense
	want.Kronecker(b, a)
	const draws = 200000
	for name, draw := range map[string]func(src rand.Source) *mat.Dense{
		"affine": func(src rand.Source) *mat.Dense {
			z := mat.NewDense(2, 3, nil)
			d.Noise(z, src)
			return z
		},
		"kronecker": func(src rand.Source) *mat.Dense { return must[*mat.Dense](t)(d.NoiseKronecker(src)) },
	} {
		n := draws
		if name == "kronecker" {
			n = draws / 10
		}
		src := rand.NewPCG(5, 6)
		got := mat.NewSymDense(6, nil)
		for range n {
			z := draw(src)
			v := mat.NewVecDense(6, nil)
			for j := range 3 {
				for i := range 2 {
					v.SetVec(2*j+i, z.At(i, j))
				}
			}
			got.SymRankOne(got, 1/float64(n), v)
		}
		for i := range 6 {
			for j := range 6 {
				se := math.Sqrt((want.At(i, i)*want.At(j, j) + want.At(i, j)*want.At(i, j)) / float64(n))
				if math.Abs(got.At(i, j)-want.At(i, j)) > 6*se {
					t.Errorf("%s: cov[%d][%d] = %v, want %v ± %v", name, i, j, got.At(i, j), want.At(i, j), se)
				}
			}
		}
	}
}

// The ziggurat against the normal distribution function: Kolmogorov's distance
// of 2^20 draws stays below the DKW radius at level 1e-9, tails included.
func TestNoiseIsNormal(t *testing.T) {
	s := must[mvg.Ball](t)(mvg.NewBall(1<<10, 1<<10, 1, 1, false))
	one := must[mvg.Covariance](t)(mvg.NewIsotropic(1<<10, 1))
	d := must[*mvg.Design](t)(mvg.NewDesign(ctx, s, one, one))
	z := mat.NewDense(1<<10, 1<<10, nil)
	d.Noise(z, rand.NewPCG(1, 2))
	x := append([]float64(nil), z.RawMatrix().Data...)
	sortFloats(x)
	gap := 0.0
	for i, v := range x {
		f := math.Erfc(-v/math.Sqrt2) / 2
		gap = max(gap, math.Abs(f-float64(i)/float64(len(x))), math.Abs(f-float64(i+1)/float64(len(x))))
	}
	if r := math.Sqrt(math.Log(2/1e-9) / (2 * float64(len(x)))); gap > r { // Massart 1990
		t.Errorf("Kolmogorov distance %v, want at most %v", gap, r)
	}
	if x[0] > -4.3 || x[len(x)-1] < 4.3 {
		t.Errorf("extremes %v, %v of a million draws", x[0], x[len(x)-1])
	}
	again := mat.NewDense(1<<10, 1<<10, nil)
	d.Noise(again, rand.NewPCG(1, 2))
	if !mat.Equal(z, again) {
		t.Error("the same seed gives another draw")
	}
}

func TestPNR(t *testing.T) {
	s := must[mvg.Ball](t)(mvg.NewBall(2, 3, 1, 2, false))
	a, b := covariance(2, 31), covariance(3, 32)
	d := must[*mvg.Design](t)(mvg.NewDesign(ctx, s, must[mvg.Covariance](t)(mvg.NewDense(a)), must[mvg.Covariance](t)(mvg.NewDense(b))))
	var noise, sum mat.Dense
	noise.Kronecker(b, a)
	k := covariance(6, 33)
	sum.Add(&noise, k)
	want := math.Log(mat.Det(&sum) / mat.Det(&noise))
	if got := must[evidence.Certified](t)(d.LogPNR(k)).Float(); !near(got, want, 1e-10) {
		t.Errorf("ln PNR = %v, want %v", got, want)
	}
	small := covariance(2, 34)
	var s2 mat.Dense
	s2.Add(a, small)
	want = math.Log(mat.Det(&s2) / mat.Det(a))
	if got := must[evidence.Certified](t)(d.LogPNR(small)).Float(); !near(got, want, 1e-10) {
		t.Errorf("ln PNR of order m = %v, want %v", got, want)
	}
}

func TestBadInput(t *testing.T) {
	ball := must[mvg.Ball](t)(mvg.NewBall(2, 3, 1, 2, false))
	check := func(what string, err error, words ...string) {
		t.Helper()
		if !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s gives %v, want ErrParameter", what, err)
			return
		}
		for _, w := range words {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s gives %q, want it to say %q", what, err, w)
			}
		}
	}
	_, err := mvg.NewDense(mat.NewDense(2, 2, []float64{1, 2, 2, 1}))
	check("an indefinite covariance", err, "eigenvalue is -1")
	_, err = mvg.NewDense(mat.NewDense(2, 2, []float64{1, 2, 0, 1}))
	check("an asymmetric covariance", err, "not symmetric")
	_, err = mvg.NewDense(mat.NewDense(2, 2, []float64{1, 0, 0, -1}))
	check("a negative variance", err, "the smallest eigenvalue is -1")
	_, err = mvg.NewClaim(ctx, ball, mvg.Theorem2, mvg.ZetaRoot, mvg.Recipe{Epsilon: one, Delta: 0.1, Theta: []float64{0.5, 0.6}})
	check("θ", err, "sums to 1.1")
	_, err = mvg.NewClaim(ctx, ball, mvg.Theorem2, mvg.ZetaRoot, mvg.Recipe{Epsilon: one, Delta: 0.1, Directions: mat.NewDense(2, 2, []float64{1, 1, 0, 1})})
	check("skew directions", err, "orthonormal", "1.73")
	for _, delta := range []float64{0, 1, -1, math.NaN()} {
		_, err = mvg.NewClaim(ctx, ball, mvg.Theorem2, mvg.ZetaRoot, mvg.Recipe{Epsilon: one, Delta: delta})
		check("δ", err, "delta")
	}
	_, err = mvg.NewBall(2, 3, 1, 0.4, false)
	check("γ < s2/2", err, "gamma = 0.4")
	_, err = mvg.NewBall(2, 3, 1, 2, true)
	check("a 2×3 positive semi-definite query", err, "square")
	two := must[mvg.Covariance](t)(mvg.NewIsotropic(2, 1))
	_, err = mvg.NewDesign(ctx, ball, two, two)
	check("Ψ of order 2", err, "order 2")
	_, err = mvg.NewClaim(ctx, ball, mvg.Theorem3, mvg.ZetaRoot, mvg.Recipe{Epsilon: one, Delta: 0.1})
	check("Theorem 3", err, "equi-modal")
	_, err = mvg.NewClaim(ctx, ball, mvg.Theorem2, mvg.ZetaRoot, mvg.Recipe{Epsilon: one, Delta: 0.1, Mode: mvg.Equimodal})
	check("equi-modal 2×3", err, "square")
	_, err = mvg.NewDifferences(nil)
	check("no differences", err)
	_, err = mvg.Waterfill([]float64{1, -1}, 1, mvg.L1)
	check("a negative eigenvalue", err)
}
