package optimize_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/optimize"
	"dpworkbench/query"
)

// counts returns the query f(x) = x on the line 0 … n.
func counts(t testing.TB, n int) *query.Query {
	t.Helper()
	edges := make([][2]int, n)
	values := make([]float64, n+1)
	for i := range edges {
		edges[i] = [2]int{i, i + 1}
		values[i+1] = float64(i + 1)
	}
	return must.For(query.NewNumeric("count", must.For(query.NewPathSpace(n+1, edges))(t), values, nil))(t)
}

func graphs(t testing.TB, n int, pattern string) *query.Query {
	t.Helper()
	return must.For(must.For(query.NewGraphs(context.Background(), n))(t).Count(pattern))(t)
}

func bounds(n evidence.Number) (lo, hi float64) { return n.Bounds() }

func ExampleNewTight() {
	space, _ := query.NewPathSpace(3, [][2]int{{0, 1}, {1, 2}})
	q, _ := query.NewNumeric("count", space, []float64{0, 1, 2}, nil)
	eps, _ := evidence.LogEpsilon("eps", big.NewRat(3, 1))
	m, _ := optimize.NewTight(context.Background(), q, eps)
	loss, _ := mechanism.Privacy(m).Epsilon(context.Background(), evidence.Delta{})
	fmt.Println(m.RationalConstants(), loss.(evidence.ExactLog).Argument)
	// Output: [3/4 1/2 3/4] 3/1
}

// A star with many leaves has no tight mechanism at small ε. With z = e^{−ε}, the center's constant is the leaf's times
// a factor c₀ with c₀(1 + z) = 1 − (n − 2)z.
func TestTightNamesNegativeConstants(t *testing.T) {
	const leaves = 5
	var edges [][2]int
	values := []float64{0}
	for i := range leaves {
		edges = append(edges, [2]int{0, i + 1})
		values = append(values, float64(i+1))
	}
	space, err := query.NewPathSpace(leaves+1, edges)
	if err != nil {
		t.Fatal(err)
	}
	q, err := query.NewNumeric("star", space, values, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, eps := range []evidence.Epsilon{evidencetest.LogEpsilon(2, 1), evidencetest.Epsilon(math.Ln2)} {
		_, err = optimize.NewTight(context.Background(), q, eps)
		var negative *optimize.NegativeError
		if !errors.As(err, &negative) || !errors.Is(err, optimize.ErrInfeasible) {
			t.Fatalf("ε = %s: %v, want a NegativeError", eps, err)
		}
		// The equations are c₁ (1 + 4z²) + c₀ z = 1 for a leaf and c₀ + 5z c₁ = 1 for the center.
		z := 0.5
		leaf := (1 - z) / (1 + 4*z*z - 5*z*z)
		center := 1 - 5*z*leaf
		if len(negative.Datasets) != 1 || negative.Datasets[0] != 0 || math.Abs(negative.Values[0]-center) > 1e-9 {
			t.Errorf("ε = %s: negative at %v with %v, want dataset 0 with %v", eps, negative.Datasets, negative.Values, center)
		}
	}
	if _, err := optimize.NewTight(context.Background(), q, evidencetest.Epsilon(2)); err != nil {
		t.Errorf("ε = 2: %v, want a mechanism: the center's constant is positive from e^ε = 4 on", err)
	}
}

// For the complete bipartite graph K_{2,3}, z = e^{−ε} with (1 + z²)(1 + 2z²) = 6z² is singular. Its only root in (0,
// 1) is z² = 1/2.
func TestTightSingular(t *testing.T) {
	var edges [][2]int
	for a := range 2 {
		for b := range 3 {
			edges = append(edges, [2]int{a, 2 + b})
		}
	}
	space, err := query.NewPathSpace(5, edges)
	if err != nil {
		t.Fatal(err)
	}
	q, err := query.NewNumeric("bipartite", space, []float64{0, 1, 2, 3, 4}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := optimize.NewTight(context.Background(), q, evidencetest.LogEpsilon(2, 1).Ratio(1, 2)); !errors.Is(err, optimize.ErrSingular) {
		t.Errorf("z² = 1/2: %v, want ErrSingular", err)
	}
	if _, err := optimize.NewTight(context.Background(), q, evidencetest.Epsilon(3)); err != nil {
		t.Errorf("ε = 3: %v", err)
	}
	// K_{m,n} is singular at z² = 1/(m − 1)(n − 1), which for K_{3,3} is the rational z = 1/2. For two datasets and
	// ε = 1e-20, z rounds to 1, where the kernel is singular.
	edges = nil
	for a := range 3 {
		for b := range 3 {
			edges = append(edges, [2]int{a, 3 + b})
		}
	}
	for name, c := range map[string]struct {
		q   *query.Query
		eps evidence.Epsilon
	}{"z = 1/2": {radiiQuery(t, edges, []float64{0, 1, 2, 3, 4, 5}), evidencetest.LogEpsilon(2, 1)}, "z = 1": {counts(t, 1), evidencetest.Epsilon(1e-20)}} {
		if m, err := optimize.NewTight(context.Background(), c.q, c.eps); m != nil || !errors.Is(err, optimize.ErrSingular) {
			t.Errorf("%s: %v, %v, want ErrSingular", name, m, err)
		}
		if v, err := optimize.TightConstants(context.Background(), c.q.Space(), c.eps); v != nil || !errors.Is(err, optimize.ErrSingular) {
			t.Errorf("%s: %v, %v, want ErrSingular", name, v, err)
		}
	}
}

// The constants of a tight mechanism have closed forms: 1/(1 + z) at the ends of a path and (1 − z)/(1 + z) between,
// 1/Σ z^d on a cycle, 1 without neighbors. They are rational for few datasets, and intervals for many or for a decimal
// ε.
func TestTightConstantsInClosedForm(t *testing.T) {
	ctx := context.Background()
	for _, n := range []int{2, 5, 64, 65} {
		var path, cycle [][2]int
		for x := range n {
			if x > 0 {
				path = append(path, [2]int{x - 1, x})
			}
			cycle = append(cycle, [2]int{x, (x + 1) % n})
		}
		if n == 2 {
			cycle = path
		}
		for _, eps := range []evidence.Epsilon{evidencetest.LogEpsilon(3, 1), evidencetest.Epsilon(0.7), evidencetest.Epsilon(700)} {
			z := eps.Decay()
			one := interval.Int(1)
			for name, edges := range map[string][][2]int{"path": path, "cycle": cycle, "nothing": nil} {
				space, err := query.NewPathSpace(n, edges)
				if err != nil {
					t.Fatal(err)
				}
				got, err := optimize.TightConstants(ctx, space, eps)
				if err != nil {
					t.Fatal(err)
				}
				for y, c := range got {
					want := one
					switch {
					case name == "path" && (y == 0 || y == n-1):
						want = one.Quo(one.Add(z))
					case name == "path":
						want = one.Sub(z).Quo(one.Add(z))
					case name == "cycle":
						sum := interval.Int(0)
						for x := range n {
							sum = sum.Add(z.Pow(min(x, n-x)))
						}
						want = one.Quo(sum)
					}
					off := c.Sub(want)
					if lo, hi := off.Bounds(); lo > 0 || hi < 0 || hi-lo > 1e-60 {
						t.Errorf("%s of %d at ε = %v: c_%d is off by [%g, %g]", name, n, eps, y, lo, hi)
					}
				}
			}
		}
	}
}

// The log-probabilities of a tight mechanism on paths have a closed form. The paths have datasets with equal values,
// one with constant 0 and unreachable ones. At one ε the probabilities underflow.
func TestTightLogarithms(t *testing.T) {
	ctx := context.Background()
	const long = 24
	var edges [][2]int
	values := make([]float64, long+2) // two paths, of 24 and of two
	for x := range values {
		if values[x] = float64(x % 7); x%long > 0 {
			edges = append(edges, [2]int{x - 1, x})
		}
	}
	q := must.Be(query.NewNumeric("f", must.Be(query.NewPathSpace(long+2, edges)), values, nil))
	for _, e := range []float64{0.7, 31, 700} {
		eps := evidencetest.Epsilon(e)
		m := must.Be(optimize.NewTight(ctx, q, eps))
		z, one := eps.Decay(), interval.Int(1)
		for x := 0; x < len(values); x += 5 {
			for r := range q.Range() {
				var logs, ones []interval.Interval
				for y, f := range values {
					if f != float64(r) || (x < long) != (y < long) {
						continue
					}
					c := one.Sub(z).Quo(one.Add(z)).Log()
					if y == 0 || y >= long-1 {
						c = one.Quo(one.Add(z)).Log()
					}
					logs = append(logs, c.Sub(eps.Enclosure().Mul(interval.Int(int64(max(x-y, y-x))))))
					ones = append(ones, one)
				}
				if got := m.LogProb(x, r); math.IsInf(got, -1) != (len(logs) == 0) {
					t.Errorf("ε = %g: ln p^%d(%d) = %v", e, x, r, got)
				}
				if len(logs) == 0 {
					continue
				}
				off := m.EncloseLog(x, r).Sub(interval.LogSum(logs, ones))
				if lo, hi := off.Bounds(); lo > 0 || hi < 0 || hi-lo > 1e-60*e {
					t.Errorf("ε = %g: ln p^%d(%d) is off by [%g, %g]", e, x, r, lo, hi)
				}
			}
		}
	}
	// For a star of four leaves at ε = ln 3 the leaves' constants are 3/4 and the center's is 0.
	star := radiiQuery(t, [][2]int{{0, 1}, {0, 2}, {0, 3}, {0, 4}}, []float64{0, 1, 1, 2, 2})
	m := must.Be(optimize.NewTight(ctx, star, evidencetest.LogEpsilon(3, 1)))
	if c := m.RationalConstants(); c[0].Sign() != 0 || c[1].Cmp(big.NewRat(3, 4)) != 0 {
		t.Errorf("constants of a star: %v", c)
	}
}
