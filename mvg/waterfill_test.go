package mvg_test

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/mvg"

	"gonum.org/v1/gonum/mat"
)

// Every accepted input has an enclosure. All other inputs are refused.
func TestWaterfillRange(t *testing.T) {
	ends := []float64{0, 1e-100, 1, 1e100}
	for _, a := range ends[1:] {
		for _, b := range ends {
			for _, w := range ends[1:] {
				for _, budget := range ends[1:] {
					weighted := must.Be(mvg.WaterfillWeighted([]float64{a, b, a}, []float64{1, w, w}, budget))
					squares := must.Be(mvg.Waterfill([]float64{a, b, a}, budget, mvg.L2))
					for _, f := range []*mvg.Waterfilling{weighted, squares} {
						if v := f.Value; !(v.Lo >= 0 && v.Lo <= v.Hi && v.Hi <= 3000) || !(v.Hi-v.Lo <= 1e-9*math.Max(1, v.Hi)) {
							t.Errorf("λ = (%g, %g, %g), weight %g, budget %g: in [%v, %v]", a, b, a, w, budget, v.Lo, v.Hi)
						}
					}
				}
			}
		}
	}
	for _, c := range []struct {
		eigenvalues, weights []float64
		budget               float64
		want                 string
	}{
		{[]float64{1e308, 1e308, 1e-308}, []float64{1, 1, 1}, 1, "eigenvalues[0] = 1e+308, want 0 or a number between 1e-100 and 1e100"},
		{[]float64{1}, []float64{1}, 1e308, "budget = 1e+308, want a number between 1e-100 and 1e100"},
		{[]float64{1}, []float64{math.NaN()}, 1, "weights[0] = NaN"},
		{[]float64{1}, nil, 1, "0 weights for 1 eigenvalues"},
		{nil, nil, 1, "eigenvalues is an empty list"},
	} {
		_, err := mvg.WaterfillWeighted(c.eigenvalues, c.weights, c.budget)
		if !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("λ = %v, weights %v, budget %g: %v, want %s", c.eigenvalues, c.weights, c.budget, err, c.want)
		}
	}
}

// Theorem 7 as printed gives negative precisions here. The (·)⁺ form spends the whole budget on direction 0.
func TestTheorem7Positive(t *testing.T) {
	w := must.Be(mvg.Waterfill([]float64{1, 1e-6}, 1, mvg.L1))
	if w.Precisions[0] != 1 || w.Precisions[1] != 0 || len(w.Active) != 1 || w.Level != 2 {
		t.Errorf("precisions %v, level %v", w.Precisions, w.Level)
	}
}

// With λ = (1, 1), h = (1, 10) and μ = 1, equal precisions give .0049 and weighted ones .2231.
func TestBoxWeights(t *testing.T) {
	w := must.Be(mvg.WaterfillWeighted([]float64{1, 1}, []float64{4, 400}, 1))
	if !near(w.Value.Hi, math.Log(1.25), 1e-12) {
		t.Errorf("ln PNR = %v, want ln 1.25", w.Value.Hi)
	}
	equal := 2 * math.Log1p(1.0/404)
	if math.Abs(equal-0.0049) > 1e-4 || math.Abs(w.Value.Hi-0.2231) > 1e-4 {
		t.Errorf("equal precisions give %v, weighted %v", equal, w.Value.Hi)
	}
}

// The 2 × 2 Kronecker problem is compared with a grid over the shares of p₁ and q₁.
func TestKroneckerAgainstGrid(t *testing.T) {
	for _, c := range []struct {
		rows, columns []float64
		budget        float64
		norm          mvg.Norm
	}{
		{[]float64{1, 3}, []float64{1, 2}, 2, mvg.L1},
		{[]float64{1, 3}, []float64{1, 2}, 2, mvg.L2},
		{[]float64{5, 0.1}, []float64{2, 0.05}, 1, mvg.L1},
		{[]float64{1, 1}, []float64{1, 0.9}, 0.5, mvg.L1},
		{[]float64{100, 1}, []float64{1, 30}, 4, mvg.L2},
	} {
		f := must.Be(mvg.FillKronecker(ctx, mvg.KroneckerProblem{c.rows, c.columns, c.budget, c.norm, 8}, rand.NewPCG(1, 1)))
		best := 0.0
		steps := cases.Of(400, 1000)
		for i := range steps + 1 {
			for j := range steps + 1 {
				p, q := float64(i)/float64(steps), float64(j)/float64(steps)
				p1, p2, q1, q2 := p, 1-p, q, 1-q
				if c.norm == mvg.L2 {
					p1, p2, q1, q2 = math.Sqrt(p1), math.Sqrt(p2), math.Sqrt(q1), math.Sqrt(q2)
				}
				v := math.Log1p(c.rows[0]*c.columns[0]*p1*q1*c.budget) + math.Log1p(c.rows[0]*c.columns[1]*p1*q2*c.budget) +
					math.Log1p(c.rows[1]*c.columns[0]*p2*q1*c.budget) + math.Log1p(c.rows[1]*c.columns[1]*p2*q2*c.budget)
				best = max(best, v)
			}
		}
		if best > f.LogPNR+1e-9 || best < f.LogPNR-1e-4 {
			t.Errorf("%v ⊗ %v, budget %v, norm %d: grid %v, alternation %v", c.columns, c.rows, c.budget, c.norm, best, f.LogPNR)
		}
		if f.Residual > 1e-5 || f.Value.Hi < f.Value.Lo || f.Local.Lo > f.LogPNR*(1+1e-14) || f.Local.Hi < f.LogPNR*(1-1e-14) {
			t.Errorf("%v ⊗ %v: residual %v, value in [%v, %v]", c.columns, c.rows, f.Residual, f.Value.Lo, f.Value.Hi)
		}
	}
}

func TestKroneckerRange(t *testing.T) {
	for _, c := range []struct {
		rows, columns []float64
		budget        float64
		want          string
	}{
		{[]float64{1e200}, []float64{1e200}, 1, "rows[0] = 1e+200, want 0 or a number between 1e-40 and 1e40"},
		{[]float64{1}, nil, 1, "columns is an empty list"},
		{[]float64{0, 0}, []float64{1}, 1, "every number of rows is 0"},
		{[]float64{1}, []float64{1}, math.Inf(1), "budget = +Inf, want a number between 1e-40 and 1e40"},
	} {
		_, err := mvg.FillKronecker(ctx, mvg.KroneckerProblem{c.rows, c.columns, c.budget, mvg.L2, 1}, rand.NewPCG(1, 1))
		if !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("rows %v, columns %v, budget %g: %v, want %s", c.rows, c.columns, c.budget, err, c.want)
		}
	}
	for _, norm := range []mvg.Norm{mvg.L1, mvg.L2} {
		for _, budget := range []float64{1e-40, 1e40} {
			f := must.Be(mvg.FillKronecker(ctx, mvg.KroneckerProblem{[]float64{1e40, 1e-40, 0}, []float64{1e40, 1}, budget, norm, 2}, rand.NewPCG(1, 1)))
			if !(f.Value.Lo <= f.Value.Hi && f.Value.Hi < 3000) {
				t.Errorf("budget %g, norm %d: in [%v, %v]", budget, norm, f.Value.Lo, f.Value.Hi)
			}
		}
	}
}

func TestNearestKronecker(t *testing.T) {
	a, b := covariance(2, 41), covariance(3, 42)
	var k mat.Dense
	k.Kronecker(b, a)
	psi, sigma, residual, err := mvg.NearestKronecker(&k, 2, 3)
	if err != nil || residual > 1e-6 {
		t.Fatalf("residual %v of a Kronecker product, error %v", residual, err)
	}
	var back mat.Dense
	back.Kronecker(psi, sigma)
	if !mat.EqualApprox(&back, &k, 1e-8) || !near(mat.Trace(sigma), 2, 1e-12) {
		t.Error("the product of the factors is not the input")
	}
	// For a covariance that is not a product, every other pair of factors is farther away.
	c := covariance(6, 43)
	psi, sigma, residual, err = mvg.NearestKronecker(c, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	distance := func(psi, sigma mat.Matrix) float64 {
		var d mat.Dense
		d.Kronecker(psi, sigma)
		d.Sub(&d, c)
		return mat.Norm(&d, 2)
	}
	if got := distance(psi, sigma); !near(got, residual, 1e-9) {
		t.Errorf("distance %v, residual %v", got, residual)
	}
	for seed := range uint64(200) {
		var p, s mat.Dense
		p.Scale(0.05, covariance(3, 100+seed))
		p.Add(&p, psi)
		s.Scale(0.05, covariance(2, 300+seed))
		s.Add(&s, sigma)
		if distance(&p, &s) < residual {
			t.Errorf("the pair of seed %d is nearer", seed)
		}
	}
}

// levelOf solves Σ (c − w_i/λ_i)⁺ = budget in rational arithmetic. It looks for an active set that is consistent with
// its level.
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

// The level and the optimum of the l1 budget agree with rational arithmetic, for budgets from far below a float64's
// resolution of the floors to far above them.
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
		got := must.Be(mvg.WaterfillWeighted(l, w, budget))
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
	tiny := must.Be(mvg.Waterfill([]float64{1e-18}, 1, mvg.L1))
	if tiny.Value.Lo < 9.99e-19 || tiny.Value.Hi > 1.01e-18 {
		t.Errorf("ln(1 + 1e-18) in [%v, %v]", tiny.Value.Lo, tiny.Value.Hi)
	}
}

// The lower bound of the certified level spends at least the l2 budget, and the upper bound at most the budget. The
// sums have 400 bits.
func TestSquareBudgetLevels(t *testing.T) {
	rng := rand.New(rand.NewPCG(82, 1))
	for range 200 {
		l := make([]float64, 1+rng.IntN(5))
		for i := range l {
			l[i] = math.Pow(10, 60*rng.Float64()-30)
		}
		budget := math.Pow(10, 80*rng.Float64()-40)
		got := must.Be(mvg.Waterfill(l, budget, mvg.L2))
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
			t.Errorf("λ = %v, budget %g: level in [%v, %v] does not contain the multiplier", l, budget, k.Lo, k.Hi)
		}
		if k.Hi-k.Lo > 4*0x1p-52*k.Hi || got.Value.Hi-got.Value.Lo > 4*0x1p-52*got.Value.Hi {
			t.Errorf("λ = %v, budget %g: level in [%v, %v], optimum in [%v, %v]", l, budget, k.Lo, k.Hi, got.Value.Lo, got.Value.Hi)
		}
	}
}
