package mvg_test

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/mvg"

	"gonum.org/v1/gonum/mat"
)

// levelOf solves Σ (c − w_i/λ_i)⁺ = budget in rationals: the active set is the one that its
// own level leaves as it is.
func levelOf(l, w []float64, budget float64) (level *big.Rat, floors []*big.Rat) {
	for i := range l {
		floors = append(floors, new(big.Rat).Quo(rat(w[i]), rat(l[i])))
	}
	for mask := 1; mask < 1<<len(l); mask++ {
		c, count := rat(budget), int64(0)
		for i, f := range floors {
			if mask>>i&1 == 1 {
				c.Add(c, f)
				count++
			}
		}
		c.Quo(c, big.NewRat(count, 1))
		fits := true
		for i, f := range floors {
			fits = fits && (mask>>i&1 == 1) == (f.Cmp(c) < 0)
		}
		if fits {
			return c, floors
		}
	}
	return nil, floors
}

// The level and the optimum of the l1 budget against rationals, from budgets that change
// nothing that a float64 could see to those that dwarf the floors.
func TestWaterfillAgainstRationals(t *testing.T) {
	rng := rand.New(rand.NewPCG(81, 1))
	for range 300 {
		n := 1 + rng.IntN(5)
		l, w := make([]float64, n), make([]float64, n)
		spread := 80 * rng.Float64() * float64(rng.IntN(2))
		for i := range l {
			l[i], w[i] = math.Pow(10, spread*(rng.Float64()-.5)), math.Pow(10, 2*rng.Float64())
			if i > 0 && rng.IntN(4) == 0 {
				l[i], w[i] = l[0], w[0]
			}
		}
		budget := math.Pow(10, 160*rng.Float64()-80)
		level, floors := levelOf(l, w, budget)
		if level == nil {
			t.Fatalf("λ = %v, w = %v, budget %g: no level", l, w, budget)
		}
		got := must[*mvg.Waterfilling](t)(mvg.WaterfillWeighted(l, w, budget))
		if k := got.KnownLevel; rat(k.Lo).Cmp(level) > 0 || rat(k.Hi).Cmp(level) < 0 {
			t.Errorf("λ = %v, w = %v, budget %g: level in [%v, %v], want %s", l, w, budget, k.Lo, k.Hi, level.FloatString(20))
		}
		want := 0.0 // Σ ln(1 + (c − f)/f)
		for i, f := range floors {
			above := new(big.Rat).Sub(level, f)
			if (above.Sign() > 0) != (got.Precisions[i] > 0) {
				t.Errorf("λ = %v, w = %v, budget %g: direction %d has precision %g", l, w, budget, i, got.Precisions[i])
			}
			if above.Sign() > 0 {
				x, _ := above.Quo(above, f).Float64()
				want += math.Log1p(x)
			}
		}
		if v := got.Value; v.Lo > want*(1+1e-14) || v.Hi < want*(1-1e-14) || v.Hi-v.Lo > 1e-15*v.Hi {
			t.Errorf("λ = %v, w = %v, budget %g: optimum in [%v, %v], want %v", l, w, budget, v.Lo, v.Hi, want)
		}
		if got.Residual.Hi > 1e-14 {
			t.Errorf("λ = %v, w = %v, budget %g: residual %g", l, w, budget, got.Residual.Hi)
		}
	}
	tiny := must[*mvg.Waterfilling](t)(mvg.Waterfill([]float64{1e-18}, 1, mvg.L1))
	if tiny.Value.Lo < 9.99e-19 || tiny.Value.Hi > 1.01e-18 {
		t.Errorf("ln(1 + 1e-18) in [%v, %v]", tiny.Value.Lo, tiny.Value.Hi)
	}
}

// At the ends of the certified multiplier the l2 budget is over- and underspent, in
// numbers of 400 bits.
func TestSquareBudgetLevels(t *testing.T) {
	rng := rand.New(rand.NewPCG(82, 1))
	for range 200 {
		l := make([]float64, 1+rng.IntN(5))
		for i := range l {
			l[i] = math.Pow(10, 60*rng.Float64()-30)
		}
		budget := math.Pow(10, 80*rng.Float64()-40)
		got := must[*mvg.Waterfilling](t)(mvg.Waterfill(l, budget, mvg.L2))
		spent := func(nu float64) *big.Float {
			f := func(v float64) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(v) }
			sum := f(0)
			for _, v := range l {
				under := f(nu)
				under.Mul(under, f(nu)).Add(under, new(big.Float).Mul(f(2*nu), new(big.Float).Mul(f(v), f(v))))
				p := new(big.Float).Quo(f(v), new(big.Float).Add(f(nu), under.Sqrt(under)))
				sum.Add(sum, p.Mul(p, p))
			}
			return sum
		}
		k := got.KnownLevel
		if spent(k.Lo).Cmp(big.NewFloat(budget)) < 0 || spent(k.Hi).Cmp(big.NewFloat(budget)) > 0 {
			t.Errorf("λ = %v, budget %g: level in [%v, %v] does not hold the multiplier", l, budget, k.Lo, k.Hi)
		}
		if k.Hi-k.Lo > 4*0x1p-52*k.Hi || got.Value.Hi-got.Value.Lo > 4*0x1p-52*got.Value.Hi {
			t.Errorf("λ = %v, budget %g: level in [%v, %v], optimum in [%v, %v]", l, budget, k.Lo, k.Hi, got.Value.Lo, got.Value.Hi)
		}
	}
}

// One row and one column leave nothing to choose, ln(1 + λκ·budget); more rows and columns
// have a positive value below the bound, at every scale that is taken.
func TestKroneckerAtEveryScale(t *testing.T) {
	rng := rand.New(rand.NewPCG(83, 1))
	draw := func() float64 { return math.Pow(10, 80*rng.Float64()-40) }
	for range 60 {
		norm := mvg.Norm(rng.IntN(2))
		a, b, budget := draw(), draw(), draw()
		one := must[*mvg.KroneckerFilling](t)(mvg.FillKronecker(ctx, mvg.KroneckerProblem{[]float64{a}, []float64{b}, budget, norm, 1}, rand.NewPCG(1, 1)))
		want := math.Log1p(a * b * budget)
		if v := one.Value; v.Lo > want*(1+1e-14) || v.Hi < want*(1-1e-14) || v.Hi-v.Lo > 1e-14*v.Hi {
			t.Errorf("λ = %g, κ = %g, budget %g: in [%v, %v], want %v", a, b, budget, v.Lo, v.Hi, want)
		}
		rows, columns := []float64{a, draw(), draw()}, []float64{b, draw()}
		f := must[*mvg.KroneckerFilling](t)(mvg.FillKronecker(ctx, mvg.KroneckerProblem{rows, columns, budget, norm, 2}, rand.NewPCG(1, 1)))
		if v := f.Value; !(v.Lo > 0 && v.Lo <= v.Hi) || !(f.Local.Lo > 0) || !(f.Residual < 1e-4) {
			t.Errorf("λ = %v, κ = %v, budget %g, norm %d: in [%v, %v], here %v, residual %g", rows, columns, budget, norm, v.Lo, v.Hi, f.Local, f.Residual)
		}
		// The printed allocation keeps the budget to rounding.
		var p, q float64
		for _, v := range f.Rows {
			p += math.Pow(v, float64(norm+1))
		}
		for _, v := range f.Columns {
			q += math.Pow(v/budget, float64(norm+1))
		}
		if !near(p*q, 1, 1e-12) {
			t.Errorf("λ = %v, κ = %v, budget %g, norm %d: spends %v of it", rows, columns, budget, norm, p*q)
		}
	}
}

// Beyond 256 rows draws come block by block of a triangular root: what is drawn in two
// dimensions more is what a full product gives, and its covariance is Σ.
func TestDrawsOfManyRows(t *testing.T) {
	const m = 300
	sigma := must[mvg.Covariance](t)(mvg.NewDense(covariance(m, 91)))
	one := must[mvg.Covariance](t)(mvg.NewIsotropic(2, 1))
	ball := must[mvg.Ball](t)(mvg.NewBall(m, 2, mvg.BallOptions{S2: 1, Gamma: 1}))
	noisy := must[*mvg.Design](t)(mvg.NewDesign(ctx, ball, sigma, one))
	// Σ⁻¹ whitens: zᵀΣ⁻¹z of m coordinates has mean m and variance 2m. 400 draws of 2.
	p, z, total := sigma.Precision(), mat.NewDense(m, 2, nil), 0.0
	const draws = 400
	src := rand.NewPCG(9, 9)
	for range draws {
		noisy.Noise(z, src)
		for j := range 2 {
			total += mat.Inner(z.ColView(j), p, z.ColView(j)) / (2 * draws)
		}
	}
	if se := math.Sqrt(2 * m / (2.0 * draws)); math.Abs(total-m) > 6*se { // false-positive rate below 1e-8
		t.Errorf("zᵀΣ⁻¹z has mean %v, want %v ± %v", total, m, se)
	}
	if e := noisy.DrawError(); !(e.Hi < 1e-7) || e.Kind() != evidence.KindCertified {
		t.Errorf("draws are off by up to %v", e.Hi)
	}
}

// What a Go program may get wrong is an error, never a panic or a NaN.
func TestBadNumbersFromGo(t *testing.T) {
	check := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s gives %v, want ErrParameter", what, err)
		}
	}
	for _, n := range []int{-1, 0, 1<<20 + 1} {
		_, err := mvg.NewIsotropic(n, 1)
		check("a covariance of that order", err)
		_, err = mvg.BinaryTheta(n, []int{0}, 0.5)
		check("an allocation of that many directions", err)
		_, _, _, err = mvg.NearestKronecker(mat.NewDense(2, 2, []float64{1, 0, 0, 1}), n, 2)
		check("that many rows", err)
	}
	for _, v := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		_, err := mvg.NewIsotropic(2, v)
		check("that variance", err)
		_, err = mvg.NewDense(mat.NewDense(2, 2, []float64{1, 0, 0, v}))
		check("that variance", err)
	}
	_, err := mvg.Waterfill([]float64{1}, 1, mvg.Norm(7))
	check("a third norm", err)
	_, err = mvg.FillKronecker(ctx, mvg.KroneckerProblem{[]float64{1}, []float64{1}, 1, mvg.Norm(7), 0}, rand.NewPCG(1, 1))
	check("a third norm", err)
	_, err = mvg.Published(mvg.Premises{Theorem: 1, Rows: 2, Columns: 2, Gamma: 1, S2: 1, Epsilon: one, Delta: evidencetest.Delta(0.1)})
	check("Theorem 1", err)
	_, _, _, err = mvg.NearestKronecker(mat.NewDense(2, 2, []float64{0, 1, 1, 0}), 2, 1)
	check("an indefinite K of trace 0", err)
	_, err = mvg.NewDense(mat.NewDense(2, 2, []float64{1, 1, 1, 1}))
	check("a singular covariance", err)
	_, err = mvg.NewTight(ctx, must[mvg.Ball](t)(mvg.NewBall(1, 1, mvg.BallOptions{S2: 1e-200, Gamma: 1})), mvg.Recipe{Epsilon: one, Delta: evidencetest.Delta(1e-5)})
	check("noise below float64", err)
}
