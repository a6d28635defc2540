package workload_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/workload"

	"gonum.org/v1/gonum/mat"
)

var ctx = context.Background()

func prefix(t *testing.T, n int) *workload.Toeplitz {
	t.Helper()
	w := must.For(workload.PrefixSums(n))(t)
	return w
}

func newStrategy(t *testing.T, w workload.Workload, name string, r workload.StrategyParams) *workload.Strategy {
	t.Helper()
	s, err := workload.NewStrategy(ctx, w, name, r)
	if err != nil {
		t.Fatalf("%s for %s: %v", name, w.Name(), err)
	}
	return s
}

// normalEquations returns the errors of C at unit sensitivity for one participation: w_i(CᵀC)⁻¹w_i, by Cholesky.
func normalEquations(t *testing.T, w, c *mat.Dense) (most, mean float64) {
	t.Helper()
	var g mat.SymDense
	g.SymOuterK(1, c.T())
	var root mat.Cholesky
	if !root.Factorize(&g) {
		t.Fatal("CᵀC is singular")
	}
	moved := 0.0
	for j := range g.SymmetricDim() {
		moved = max(moved, g.At(j, j))
	}
	n, _ := w.Dims()
	for i := range n {
		var x mat.VecDense
		if err := root.SolveVecTo(&x, w.RowView(i)); err != nil {
			t.Fatal(err)
		}
		v := mat.Dot(&x, w.RowView(i))
		most, mean = max(most, v), mean+v/float64(n)
	}
	return math.Sqrt(most * moved), math.Sqrt(mean * moved)
}

// near reports whether the enclosure is narrow and contains v, up to a relative error of 1e-10.
func near(c evidence.Certified, v float64) bool {
	return c.Lo <= v*(1+1e-10) && c.Hi >= v*(1-1e-10) && c.Hi-c.Lo <= 1e-9*v
}

func TestErrorsOfNamedStrategies(t *testing.T) {
	ranges, err := workload.Ranges(9)
	if err != nil {
		t.Fatal(err)
	}
	decaying, err := workload.NewToeplitz("decaying", []float64{2, 1, .5, .25, .125, .0625, .03125})
	if err != nil {
		t.Fatal(err)
	}
	table, err := workload.Marginals([]int{2, 3, 2}, 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []workload.Workload{prefix(t, 1), prefix(t, 2), prefix(t, 40), decaying, ranges, table} {
		dense := must.For(w.Dense())(t)
		for _, name := range workload.Names {
			if _, toeplitz := w.(*workload.Toeplitz); !toeplitz && name != "tree" && name != "identity" && name != "optimal" {
				if _, err := workload.NewStrategy(ctx, w, name, workload.StrategyParams{}); !errors.Is(err, evidence.ErrParameter) {
					t.Errorf("%s for %s: %v, want an error", name, w.Name(), err)
				}
				continue
			}
			for _, o := range []workload.Objective{workload.Max, workload.Mean} {
				s := newStrategy(t, w, name, workload.StrategyParams{Objective: o})
				c, err := s.Encoder()
				if err != nil {
					t.Fatal(err)
				}
				if w == workload.Workload(table) && name == "optimal" {
					// C is singular for marginals, so the error is checked from B only.
				} else if most, mean := normalEquations(t, dense, c); !near(s.MaxError, most) || !near(s.RMSError, mean) {
					t.Errorf("%s %v for %s: errors %v, %v, want %v, %v", name, o, w.Name(), s.MaxError, s.RMSError, most, mean)
				}
				b, err := s.Decoder()
				if err != nil {
					t.Fatal(err)
				}
				var left mat.Dense
				left.Mul(b, c)
				left.Sub(dense, &left)
				if off := mat.Max(&left) - mat.Min(&left); off > 1e-10 {
					t.Errorf("%s for %s: W − BC reaches %g", name, w.Name(), off)
				}
			}
		}
	}
}

func TestErrorsOfRandomEncoders(t *testing.T) {
	src := rand.New(rand.NewPCG(58, 1))
	for k := range 60 {
		n := 1 + k%12
		rows := n + src.IntN(5)
		c := mat.NewDense(rows, n, nil)
		for i := range rows {
			for j := range n {
				c.Set(i, j, src.NormFloat64())
			}
		}
		w := prefix(t, n)
		dense, _ := w.Dense()
		s := must.For(workload.FromEncoder(ctx, w, c, workload.StrategyParams{}))(t)
		most, mean := normalEquations(t, dense, c)
		if loose := 1e-7; math.Abs(s.MaxError.Float()-most) > loose*most || math.Abs(s.RMSError.Float()-mean) > loose*mean {
			t.Errorf("%d × %d: errors %v, %v, want %v, %v", rows, n, s.MaxError, s.RMSError, most, mean)
		}
	}
}

// The error of the square root is Σ_{k<n} (binom(2k, k)/4^k)².
func TestPublishedErrors(t *testing.T) {
	for n, want := range map[int]float64{1: 1, 2: 1.25, 4: 1.48828125, 64: 2.388848108295422, 1024: 3.2725542} {
		s := newStrategy(t, prefix(t, n), "square_root", workload.StrategyParams{})
		if tol := 1e-7; math.Abs(s.MaxError.Float()-want) > tol {
			t.Errorf("square root at n = %d: %v, want %v", n, s.MaxError, want)
		}
		best := newStrategy(t, prefix(t, min(n, 128)), "toeplitz", workload.StrategyParams{}) // the root is best (Landau)
		root := newStrategy(t, prefix(t, min(n, 128)), "square_root", workload.StrategyParams{})
		if math.Abs(best.MaxError.Float()/root.MaxError.Float()-1) > 1e-9 {
			t.Errorf("the best Toeplitz matrix at n = %d has error %v, the square root %v", n, best.MaxError, root.MaxError)
		}
	}
	// The tree of two leaves has (CᵀC)⁻¹ = [2 −1; −1 2]/3. So both answers have variance 2/3, and each column has
	// squared norm 2.
	s := newStrategy(t, prefix(t, 2), "tree", workload.StrategyParams{})
	if want := math.Sqrt(4. / 3); !near(s.MaxError, want) {
		t.Errorf("tree of two leaves: %v, want %v", s.MaxError, want)
	}
}

func TestKroneckerStrategy(t *testing.T) {
	w := must.For(workload.NewKronecker(prefix(t, 3), prefix(t, 5)))(t)
	for _, name := range workload.Names {
		s := newStrategy(t, w, name, workload.StrategyParams{})
		c := must.For(s.Encoder())(t)
		dense, _ := w.Dense()
		if most, mean := normalEquations(t, dense, c); !near(s.MaxError, most) || !near(s.RMSError, mean) {
			t.Errorf("%s: errors %v, %v, want %v, %v", name, s.MaxError, s.RMSError, most, mean)
		}
	}
}

func TestOverOptimum(t *testing.T) {
	w := prefix(t, 64)
	best, err := workload.LeastError(ctx, w, workload.Max, workload.Participation{}, workload.Options{})
	if err != nil {
		t.Fatal(err)
	}
	// The ratio is 2.3888481083/2.11136665. The optimum is the result of a power iteration with a bound on its gap.
	over := newStrategy(t, w, "square_root", workload.StrategyParams{}).OverOptimum(best)
	if want := 13.1423; math.Abs(over.Lo-want) > 1e-3 || math.Abs(over.Hi-want) > 1e-3 {
		t.Errorf("the square root is %v %% over the optimum, want %v", over, want)
	}
	// The strategy of an optimum exceeds it by at most the optimum's relative width, also if that is large.
	rough, err := workload.LeastError(ctx, w, workload.Max, workload.Participation{}, workload.Options{Gap: .01})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []workload.Optimum{best, rough} {
		s := must.For(workload.FromOptimum(ctx, w, o, workload.StrategyParams{}))(t)
		c, _ := s.Encoder()
		over := s.OverOptimum(o)
		if gap := 100 * (o.Error.Hi/o.Error.Lo - 1); !mat.Equal(c, o.C) || over.Lo != 0 || over.Hi > gap+1e-9 {
			t.Errorf("the strategy of the optimum is %v %% over the optimum, want at most %v", over, gap)
		}
	}
}

func TestStrategiesUnderParticipation(t *testing.T) {
	w := prefix(t, 16)
	for _, p := range []workload.Participation{
		fixed(2, 8), fixed(4, 4), apart(3, 4),
	} {
		root := newStrategy(t, w, "square_root", workload.StrategyParams{Participation: p})
		best := newStrategy(t, w, "toeplitz", workload.StrategyParams{Participation: p})
		if best.MaxError.Hi > root.MaxError.Hi {
			t.Errorf("%v: the best Toeplitz matrix has error %v, the square root %v", p, best.MaxError, root.MaxError)
		}
		b := newStrategy(t, w, "banded", workload.StrategyParams{Participation: p, Bands: 4})
		c, _ := b.Encoder()
		// The columns of one person are orthogonal, and the first column is one of the longest.
		want := math.Sqrt(float64(p.Epochs)) * mat.Norm(c.ColView(0), 2)
		if p.Kind == workload.MinSeparation && math.Abs(b.Sensitivity.Float()-want) > 1e-9 {
			t.Errorf("%v: sensitivity %v, want %v", p, b.Sensitivity, want)
		}
	}
}

func TestRefusals(t *testing.T) {
	w := prefix(t, 4)
	given := func(rows, cols int, v ...float64) error {
		_, err := workload.FromEncoder(ctx, w, mat.NewDense(rows, cols, v), workload.StrategyParams{})
		return err
	}
	named := func(name string, r workload.StrategyParams) error {
		_, err := workload.NewStrategy(ctx, w, name, r)
		return err
	}
	pair := must.For(workload.NewKronecker(w, w))(t)
	_, nothing := workload.NewStrategy(ctx, nil, "optimal", workload.StrategyParams{})
	_, unfit := workload.FromOptimum(ctx, pair, workload.Optimum{}, workload.StrategyParams{})
	pattern := func(epochs int) workload.StrategyParams {
		p := workload.Participation{Kind: workload.Fixed, Epochs: epochs, Separation: 2}
		return workload.StrategyParams{Participation: p}
	}
	for what, err := range map[string]error{
		"a row outside C's row space": given(3, 4, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0),
		"an optimum without factors":  unfit,
		"no workload":                 nothing,
		"dependent columns":           given(4, 4, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1),
		"NaN":                         given(1, 4, 1, 0, math.NaN(), 0),
		"too few columns":             given(1, 3, 1, 0, 0),
		"an unknown name":             named("fft", workload.StrategyParams{}),
		"bands of a tree":             named("tree", workload.StrategyParams{Bands: 2}),
		"more bands than steps":       named("banded", workload.StrategyParams{Bands: 5}),
		"an impossible pattern":       named("identity", pattern(3)),
		"a negative number of steps":  named("identity", pattern(-3)),
	} {
		if !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %v, want an error", what, err)
		}
	}
}

// A singular C can answer W. Here both need only the sum of the entries of x.
func TestSingularEncoder(t *testing.T) {
	w, err := workload.NewMatrix("totals", mat.NewDense(2, 3, []float64{1, 1, 1, 2, 2, 2}))
	if err != nil {
		t.Fatal(err)
	}
	s, err := workload.FromEncoder(ctx, w, mat.NewDense(1, 3, []float64{1, 1, 1}), workload.StrategyParams{})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(s.MaxError.Float()-2) > 1e-12 || math.Abs(s.RMSError.Float()-math.Sqrt(2.5)) > 1e-12 {
		t.Errorf("errors %v, %v, want 2 and √2.5", s.MaxError, s.RMSError)
	}
}

func TestFamilies(t *testing.T) {
	r, _ := workload.Ranges(3)
	m, _ := workload.Marginals([]int{2, 3}, 1)
	for _, c := range []struct {
		w    workload.Workload
		want string
	}{
		{r, "[1 0 0 1 1 0 1 1 1 0 1 0 0 1 1 0 0 1]"},
		{m, "[1 1 1 0 0 0 0 0 0 1 1 1 1 0 0 1 0 0 0 1 0 0 1 0 0 0 1 0 0 1]"},
	} {
		d := must.For(c.w.Dense())(t)
		if got := fmt.Sprint(d.RawMatrix().Data); got != c.want {
			t.Errorf("%s is %s, want %s", c.w.Name(), got, c.want)
		}
	}
	if _, err := workload.Ranges(400); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("ranges(400): %v", err)
	}
	if _, err := workload.Marginals([]int{2, 3}, 3); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("marginals with an order above the number of axes: %v", err)
	}
}

// With all bands, a banded fit is close to the least mean error of any strategy.
func TestBandFitNearOptimum(t *testing.T) {
	p := must.Be(workload.PrefixSums(16))
	s := newStrategy(t, p, "banded", workload.StrategyParams{Objective: workload.Mean, Bands: 16})
	best := must.Be(workload.LeastError(t.Context(), p, workload.Mean, workload.Participation{}, workload.Options{}))
	if over := s.OverOptimum(best); over.Hi > 1e-3 || s.Memory != 15 {
		t.Errorf("with all bands: %v %% over the optimum, memory of %d numbers", over, s.Memory)
	}
}
