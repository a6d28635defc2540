package continuous_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"testing"

	"dpworkbench/continuous"
	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
)

// figure2 holds V1 … V4 of the paper's Figure 2.
var figure2 = [][]string{{"0", "1", "1000", "1001"}, {"0", "100", "1000", "1001"}, {"0", "500", "1000", "1001"}, {"0", "1001"}}

func figureSequence(t testing.TB, k int, radius int64) *continuous.Sequence {
	t.Helper()
	return must.For(continuous.NewSequence(context.Background(), queryOf(t, figure2[k]...), big.NewRat(radius, 1)))(t)
}

// The wanted ratios to the distortion of the optimal Staircase, Δ e^{ε/2}/(e^ε − 1), are from two independent
// computations: a grid of half units, and a list of intervals in floating point, both with long truncated tails.
func TestFigure2(t *testing.T) {
	for _, c := range []struct {
		eps    float64
		radius int64
		want   [4]float64
	}{
		{4, 10, [4]float64{0.314, 0.374, 1.157, 2.510}},
		{3, 20, [4]float64{0.474, 0.524, 1.020, 1.776}},
		{3, 0, [4]float64{2.513, 0.676, 1.394, 2.352}},
	} {
		for k, want := range c.want {
			l := figureSequence(t, k, c.radius)
			staircase := 1001 * math.Exp(c.eps/2) / (math.Exp(c.eps) - 1)
			if got := l.Distortion(evidencetest.Epsilon(c.eps)).Float() / staircase; math.Abs(got-want) > 5.1e-4 {
				t.Errorf("V%d, ε = %g, δ = %d: ratio %.4f, want %.3f", k+1, c.eps, c.radius, got, want)
			}
		}
	}
}

// For V = [0, Δ] and δ = γΔ the layers are Staircase's steps, so that
// P/Δ = (γ²/2 + (γ − 1/2) z/(1−z) + z/(1−z)²)/(γ + z/(1−z)), here in rationals:
// z = 1/3, γ = 1/4: (1/32 − 1/8 + 3/4)/(3/4) = 7/8.
func ExampleSequence_Distortion() {
	q, _ := continuous.NewLinear([][2]*big.Rat{{new(big.Rat), big.NewRat(8, 1)}})
	l, _ := continuous.NewSequence(context.Background(), q, big.NewRat(2, 1))
	eps, _ := evidence.LogEpsilon("decay", big.NewRat(3, 1))
	p := l.Distortion(eps)
	fmt.Println(p.Kind(), p.(evidence.Exact).Value.RatString())
	// Output: exact 7
}

// For V = {0, ±1, ±3} the layers never satisfy Definition 20, but they are periodic.
func ExampleSequence_Periodicity() {
	one, three := big.NewRat(1, 1), big.NewRat(3, 1)
	q, _ := continuous.NewLinear([][2]*big.Rat{{one, one}, {three, three}})
	l, _ := continuous.NewSequence(context.Background(), q, new(big.Rat))
	p, ok := l.Periodicity()
	fmt.Println(ok, p.Inherits, p.From, p.Shift.RatString(), p.Mass.RatString())
	for i := range 5 {
		set, _ := l.Set(i)
		fmt.Println(i, set)
	}
	_, converges := l.Converges()
	fmt.Println(converges)
	// Output:
	// true 1 2 3 6
	// 0 [0, 0]
	// 1 [-3, -3] ∪ [-1, -1] ∪ [1, 1] ∪ [3, 3]
	// 2 [-6, -6] ∪ [-4, -4] ∪ [-2, -2] ∪ [2, 2] ∪ [4, 4] ∪ [6, 6]
	// 3 [-9, -9] ∪ [-7, -7] ∪ [-5, -5] ∪ [5, 5] ∪ [7, 7] ∪ [9, 9]
	// 4 [-12, -12] ∪ [-10, -10] ∪ [-8, -8] ∪ [8, 8] ∪ [10, 10] ∪ [12, 12]
	// false
}

// Every [0, a] ∪ [b, c] satisfies Definition 20 (Proposition 8). [0, 1] ∪ {30} does not, since its outermost
// component is a point.
func TestConverges(t *testing.T) {
	for k := range figure2 {
		l := figureSequence(t, k, 0)
		n, ok := l.Converges()
		if !ok {
			t.Errorf("layers of V%d do not converge", k+1)
			continue
		}
		for i, set := range []continuous.Set{must.For(l.Set(n))(t), must.For(l.Set(n + 1))(t)} {
			if parts := set.Closure().Segments(); len(parts) != 2 || set.Length().Cmp(big.NewRat(2002, 1)) != 0 {
				t.Errorf("V%d: R_%d = %v", k+1, n+i, parts)
			}
		}
		if n > 0 {
			if parts := must.For(l.Set(n - 1))(t).Closure().Segments(); len(parts) == 2 && parts[1].Hi.Cmp(big.NewRat(int64(n-1)*1001, 1)) == 0 && parts[0].Lo.Sign() < 0 && must.For(l.Set(n-1))(t).Length().Cmp(big.NewRat(2002, 1)) == 0 {
				t.Errorf("V%d converges before %d", k+1, n)
			}
		}
	}
	l := must.For(continuous.NewSequence(t.Context(), queryOf(t, "0", "1", "30", "30"), new(big.Rat)))(t)
	if _, ok := l.Converges(); ok {
		t.Error("the layers of [0,1] ∪ {30} meet Definition 20")
	}
	if _, ok := l.Periodicity(); !ok {
		t.Error("the layers of [0,1] ∪ {30} are not periodic")
	}
}

var _ continuous.Mechanism = (*continuous.Layered)(nil)

// Grid evaluates every point. No point of a finer grid is better than the result of BestRadii by more than float64
// rounding.
func TestGridAndBestRadius(t *testing.T) {
	q := queryOf(t, "0", "1", "20", "21")
	radii, decays := []*big.Rat{new(big.Rat), big.NewRat(1, 2), big.NewRat(3, 1)}, []evidence.Epsilon{evidencetest.Epsilon(0.5), evidencetest.Epsilon(2), evidencetest.Epsilon(4)}
	grid := must.For(continuous.Grid(context.Background(), q, radii, decays))(t)
	for k, e := range decays {
		for i, r := range radii {
			l := must.For(continuous.NewSequence(context.Background(), q, r))(t)
			encloses(t, "grid", l.Distortion(e), grid[k][i])
		}
	}
	best := must.For(continuous.BestRadii(context.Background(), q, decays, big.NewRat(10, 1), 40))(t)
	var fine []*big.Rat
	for i := range int64(161) {
		fine = append(fine, big.NewRat(i, 16))
	}
	grid = must.For(continuous.Grid(context.Background(), q, fine, decays))(t)
	for k, b := range best {
		for i, p := range grid[k] {
			if p < b.Distortion*(1-1e-9) {
				t.Errorf("decay %v: δ = %v gives %v, better than %v at δ = %v", b.Decay, fine[i], p, b.Distortion, b.Radius)
			}
		}
	}
	for _, c := range []struct {
		largest *big.Rat
		steps   int
	}{{new(big.Rat), 10}, {big.NewRat(1, 1), 0}} {
		if _, err := continuous.BestRadii(context.Background(), q, decays, c.largest, c.steps); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("largest %v, %d steps: %v, want ErrParameter", c.largest, c.steps, err)
		}
	}
}
