package smooth

import (
	"math/big"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/query"
)

// The extension agrees on the set, moves by at most bound between neighbors, and is the largest
// that does: raising it at one dataset breaks that, where others are extended from it.
func TestMcShane(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	for range 60 {
		q := randomQuery(t, r)
		var on []int
		for x := range q.Size() {
			if r.IntN(2) == 0 {
				on = append(on, x)
			}
		}
		if len(on) == 0 {
			on = []int{0}
		}
		least, _, _, err := LipschitzConstant(ctx, q, on)
		if err != nil {
			t.Fatal(err)
		}
		bound := new(big.Rat).Add(least.Value, big.NewRat(int64(r.IntN(2)), 3))
		up, down := must.For(McShane(ctx, q, bound, on, Upper))(t), must.For(McShane(ctx, q, bound, on, Lower))(t)
		mid := must.For(McShane(ctx, q, bound, on, Middle))(t)
		for _, g := range []*query.Query{up, down, mid} {
			if g.RationalSensitivity().Cmp(bound) > 0 {
				t.Fatalf("the extension moves by %v, want at most %v", g.RationalSensitivity(), bound)
			}
			for _, x := range on {
				if g.Value(x).String() != q.Value(x).String() {
					t.Fatalf("at dataset %d of the set it is %v, want %v", x, g.Value(x), q.Value(x))
				}
			}
			if g.StandsFor() != q {
				t.Fatal("it does not say for which query it stands")
			}
		}
		for x := range q.Size() { // no Lipschitz extension is outside of these two
			a, b, c := number(up, x), number(down, x), number(mid, x)
			if b.Cmp(a) > 0 || new(big.Rat).Add(a, b).Cmp(c.Add(c, c)) != 0 {
				t.Fatalf("dataset %d: from %v to %v, their mean is %v", x, b, a, mid.Value(x))
			}
			tight := false
			for _, y := range on {
				reach := new(big.Rat).Mul(bound, big.NewRat(int64(q.Space().Ceiling(y)[x]), 1))
				tight = tight || new(big.Rat).Add(number(q, y), reach).Cmp(a) == 0
			}
			if !tight {
				t.Fatalf("dataset %d: %v could be larger", x, a)
			}
		}
		if least.Value.Sign() > 0 {
			short := new(big.Rat).Mul(least.Value, big.NewRat(99, 100))
			if _, err := McShane(ctx, q, short, on, Upper); err == nil || !strings.Contains(err.Error(), "at distance") {
				t.Fatalf("a bound below the least: %v", err)
			}
		}
	}
}

func number(q *query.Query, x int) *big.Rat {
	v, _ := query.RationalOf(q.Value(x))
	return v
}

func TestMcShaneRefusals(t *testing.T) {
	space := must.For(query.NewPathSpace(3, [][2]int{{0, 1}}))(t)
	q := must.For(query.NewNumeric("apart", space, []float64{0, 1, 2}, nil))(t)
	for _, on := range [][]int{nil, {0, 0}, {3}, {-1}, {0, 1}} { // the last leaves a component out
		if _, err := McShane(ctx, q, big.NewRat(1, 1), on, Upper); err == nil {
			t.Errorf("on = %v was taken", on)
		}
	}
	if _, err := McShane(ctx, q, big.NewRat(-1, 1), []int{0, 2}, Upper); err == nil {
		t.Error("a negative bound was taken")
	}
	if _, err := DegreeBounded(ctx, q, big.NewRat(1, 1)); err == nil {
		t.Error("a degree extension of no graphs was taken")
	}
}

// The degree-bounded extensions keep their bound under node neighbors and agree on graphs of
// bounded degree: on all graphs of at most six nodes.
func TestDegreeBounded(t *testing.T) {
	u := must.For(query.NewNodeGraphs(ctx, 6))(t)
	for _, pattern := range []string{"edge", "triangle", "2-star", "3-star", "4-cycle", "4-clique"} {
		q := must.For(u.Count(pattern))(t)
		for d := 1; d <= 3; d++ {
			bound := must.For(DegreeSensitivity(pattern, d))(t)
			g := must.For(DegreeBounded(ctx, q, bound))(t)
			if g.RationalSensitivity().Cmp(bound) > 0 {
				t.Errorf("%s, degree %d: moves by %v, want at most %v", pattern, d, g.RationalSensitivity(), bound)
			}
			for _, x := range must.For(UpToDegree(q, d))(t) {
				if g.Value(x).String() != q.Value(x).String() {
					t.Fatalf("%s, degree %d: %s has %v, want %v", pattern, d, u.Graph6(x), g.Value(x), q.Value(x))
				}
			}
			least, _, _, err := LipschitzConstant(ctx, q, must.For(UpToDegree(q, d))(t))
			if err != nil || least.Value.Cmp(bound) > 0 {
				t.Errorf("%s, degree %d: on bounded degrees the constant is %v, %v; a node is in at most %v", pattern, d, least.Value, err, bound)
			}
		}
	}
}

// Fractional matchings are half-integral: brute force over 0, ½, 1 gives the edges' optimum.
func TestPackingAgainstBruteForce(t *testing.T) {
	u := must.For(query.NewNodeGraphs(ctx, 5))(t)
	for x := range u.Size() {
		sets, _ := u.Copies(x, "edge")
		if len(sets) > 8 {
			continue
		}
		for _, bound := range []int64{1, 2} {
			best := 0
			total := 1
			for range sets {
				total *= 3
			}
			for code := range total {
				load, sum := [16]int{}, 0
				ok := true
				for c, s := range sets {
					h := code % 3
					code /= 3
					sum += h
					for r := s; r != 0; r &= r - 1 {
						v := bits.TrailingZeros16(r)
						load[v] += h
						ok = ok && load[v] <= 2*int(bound)
					}
					_ = c
				}
				if ok {
					best = max(best, sum)
				}
			}
			got := must.For(packed(ctx, u, x, "edge", big.NewRat(bound, 1)))(t)
			if got.Cmp(big.NewRat(int64(best), 2)) != 0 {
				t.Fatalf("%s, at most %d at a node: %v, brute force %d/2", u.Graph6(x), bound, got, best)
			}
		}
	}
}
