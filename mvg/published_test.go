package mvg_test

import (
	"math"
	"testing"

	"dpworkbench/evidence/evidencetest"
	"dpworkbench/gaussian"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/mvg"

	"gonum.org/v1/gonum/mat"
)

// Example 2: one record's row and column of a kernel matrix, with the diagonal, change from c to −c.
func TestKernelSensitivity(t *testing.T) {
	const n, c = 6, 0.7
	gamma, s2 := mvg.KernelSensitivity(n, c)
	a, b := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			a.Set(i, j, c)
			b.Set(i, j, c)
			if i == 2 || j == 2 {
				b.Set(i, j, -c)
			}
		}
	}
	if !near(mat.Norm(a, 2), gamma, 1e-12) {
		t.Errorf("γ = %v, want %v", gamma, mat.Norm(a, 2))
	}
	a.Sub(a, b)
	if !near(mat.Norm(a, 2), s2, 1e-12) {
		t.Errorf("s₂ = %v, want %v", s2, mat.Norm(a, 2))
	}
}

func TestHarmonic(t *testing.T) {
	if h := mvg.Harmonic(10, 1); !near(h, 7381.0/2520, 1e-14) { // OEIS A001008/A002805
		t.Errorf("H_10 = %v", h)
	}
	if h := mvg.Harmonic(4, 0.5); !near(h, 1+1/math.Sqrt2+1/math.Sqrt(3)+0.5, 1e-14) {
		t.Errorf("H_{4,1/2} = %v", h)
	}
}

func TestBinaryTheta(t *testing.T) {
	theta := must.Be(mvg.BinaryTheta(6, []int{2, 5}, 0.9))
	for i, want := range []float64{0.025, 0.025, 0.45, 0.025, 0.025, 0.45} {
		if !near(theta[i], want, 1e-14) {
			t.Errorf("θ_%d = %v, want %v", i, theta[i], want)
		}
	}
	for _, bad := range [][]int{nil, {0, 1}, {0, 0}, {9}} {
		if _, err := mvg.BinaryTheta(2, bad, 0.9); err == nil {
			t.Errorf("important = %v of 2 gives no error", bad)
		}
	}
}

// The first MVG row of the findings compares isotropic noise at the published budget with the analytic Gaussian
// mechanism at (1, 1/n).
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
		ball := must.Be(mvg.NewBall(c.m, c.n, mvg.BallOptions{S2: c.s2, Gamma: c.gamma, PSD: c.psd}))
		got := must.Be(mvg.NewClaim(ctx, ball, c.theorem, mvg.ZetaRoot, mvg.Params{Epsilon: one, Delta: evidencetest.Delta(delta), Mode: c.mode}))
		if math.Abs(got.ElementSD()-c.want) > 0.6 {
			t.Errorf("Experiment %s: element sd %.2f, want %v", c.name, got.ElementSD(), c.want)
		}
		sigma := must.Be(gaussian.Sigma(one, evidencetest.Delta(delta), c.s2))
		if math.Abs(sigma.Hi-c.analytic) > 0.006 {
			t.Errorf("Experiment %s: analytic Gaussian %.4f, want %v", c.name, sigma.Hi, c.analytic)
		}
		if c.ratio != 0 && math.Abs(got.ElementSD()/sigma.Hi-c.ratio) > 0.6 {
			t.Errorf("Experiment %s: ratio %.1f, want %v", c.name, got.ElementSD()/sigma.Hi, c.ratio)
		}
		tight := must.Be(mvg.NewTight(ctx, ball, mvg.Params{Epsilon: one, Delta: evidencetest.Delta(delta)}))
		if !near(tight.ElementSD(), sigma.Hi, 1e-13) {
			t.Errorf("Experiment %s: tight isotropic sd %v, want the analytic %v", c.name, tight.ElementSD(), sigma.Hi)
		}
	}
}

// The constants agree with a second transcription of Table 1 and Theorems 2 and 3, which solves the equations as
// printed, cancellation included.
func TestConstantsAsPublished(t *testing.T) {
	const m, n, gamma, s2, eps, delta = 5, 9, 3.0, 0.7, 0.8, 1e-3
	h := 1 + 1.0/2 + 1.0/3 + 1.0/4 + 1.0/5
	half := 1 + 1/math.Sqrt2 + 1/math.Sqrt(3) + 0.5 + 1/math.Sqrt(5)
	c := must.Be(mvg.Published(mvg.Premises{Theorem: mvg.Theorem2, Zeta: mvg.ZetaPublished, Rows: m, Columns: n, Gamma: gamma, S2: s2, Epsilon: evidencetest.Epsilon(eps), Delta: evidencetest.Delta(delta)}))
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
	root := must.Be(mvg.Published(mvg.Premises{Theorem: mvg.Theorem2, Zeta: mvg.ZetaRoot, Rows: m, Columns: n, Gamma: gamma, S2: s2, Epsilon: evidencetest.Epsilon(eps), Delta: evidencetest.Delta(delta)}))
	if !near(root.Zeta.Value*root.Zeta.Value, zeta, 1e-14) {
		t.Errorf("ζ² = %v, want %v", root.Zeta.Value*root.Zeta.Value, zeta)
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
		for _, scale := range []float64{1e-3, 1e3} { // only the quotient s2/γ matters
			for _, s2 := range []float64{0.5, 1, 1.2, 1.5, 3} {
				if mvg.Theorem3Helps(r, scale, s2*scale) != mvg.Theorem3Helps(r, 1, s2) {
					t.Errorf("r = %d, s2 = %vγ: whether Theorem 3 helps depends on the unit", r, s2)
				}
			}
		}
	}
}

// Long sums agree with a direct sum of all terms that uses square roots and quotients.
func TestHarmonicOfManyTerms(t *testing.T) {
	for s, term := range map[float64]func(i float64) float64{
		0:   func(float64) float64 { return 1 },
		0.5: func(i float64) float64 { return 1 / math.Sqrt(i) },
		1:   func(i float64) float64 { return 1 / i },
		1.5: func(i float64) float64 { return 1 / (i * math.Sqrt(i)) },
		2:   func(i float64) float64 { return 1 / (i * i) },
	} {
		for _, r := range []int{1<<20 + 1, cases.Of(1<<22+7, 1<<24+7)} {
			want := 0.0
			for i := r; i >= 1; i-- {
				want += term(float64(i))
			}
			if got := mvg.Harmonic(r, s); math.Abs(got/want-1) > 1e-13 {
				t.Errorf("H(%d, %g) = %.17g, want %.17g", r, s, got, want)
			}
		}
	}
	if got, want := mvg.Harmonic(math.MaxInt, 1), math.Log(math.MaxInt)+0.57721566490153286; math.Abs(got/want-1) > 1e-13 {
		t.Errorf("H(2^63 - 1, 1) = %.17g, want %.17g", got, want)
	}
}
