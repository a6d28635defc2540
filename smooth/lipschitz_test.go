package smooth_test

import (
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/query"
	"dpworkbench/smooth"
)

// The extension agrees with the query on the set and changes by at most bound between neighbors. The upper one is the
// largest such function: at every dataset, some dataset of the set forces its value.
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
		least, _, _, err := smooth.LipschitzConstant(ctx, q, on)
		if err != nil {
			t.Fatal(err)
		}
		bound := new(big.Rat).Add(least.Value, big.NewRat(int64(r.IntN(2)), 3))
		up, down := must.For(smooth.McShane(ctx, q, bound, on, smooth.Upper))(t), must.For(smooth.McShane(ctx, q, bound, on, smooth.Lower))(t)
		mid := must.For(smooth.McShane(ctx, q, bound, on, smooth.Middle))(t)
		for _, g := range []*query.Query{up, down, mid} {
			if g.RationalSensitivity().Cmp(bound) > 0 {
				t.Fatalf("the extension has sensitivity %v, want at most %v", g.RationalSensitivity(), bound)
			}
			for _, x := range on {
				if g.Value(x).String() != q.Value(x).String() {
					t.Fatalf("at dataset %d of the set it is %v, want %v", x, g.Value(x), q.Value(x))
				}
			}
			if g.Original() != q {
				t.Fatal("Original is not the query")
			}
		}
		for x := range q.Size() { // every Lipschitz extension lies between the lower and the upper extension
			a, b, c := number(up, x), number(down, x), number(mid, x)
			if b.Cmp(a) > 0 || new(big.Rat).Add(a, b).Cmp(c.Add(c, c)) != 0 {
				t.Fatalf("dataset %d: lower %v, upper %v, middle %v", x, b, a, mid.Value(x))
			}
			tight := false
			for _, y := range on {
				reach := new(big.Rat).Mul(bound, big.NewRat(int64(q.Space().CeilDistances(y)[x]), 1))
				tight = tight || new(big.Rat).Add(number(q, y), reach).Cmp(a) == 0
			}
			if !tight {
				t.Fatalf("dataset %d: %v could be larger", x, a)
			}
		}
		if least.Value.Sign() > 0 {
			short := new(big.Rat).Mul(least.Value, big.NewRat(99, 100))
			if _, err := smooth.McShane(ctx, q, short, on, smooth.Upper); err == nil || !strings.Contains(err.Error(), "at distance") {
				t.Fatalf("a bound below the Lipschitz constant: %v", err)
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
	for _, on := range [][]int{nil, {0, 0}, {3}, {-1}, {0, 1}} { // the last set misses a component
		if _, err := smooth.McShane(ctx, q, big.NewRat(1, 1), on, smooth.Upper); err == nil {
			t.Errorf("on = %v is accepted", on)
		}
	}
	if _, err := smooth.McShane(ctx, q, big.NewRat(-1, 1), []int{0, 2}, smooth.Upper); err == nil {
		t.Error("a negative bound is accepted")
	}
}
