package records_test

import (
	"context"
	"math/big"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/records"
)

// ownMedian is the median by functions, of numbers from 0 to 3, with its layers off by what a mutant says.
func ownMedian(off func(x []float64, r, layer int) int) *records.Own {
	layer := func(x []float64, r int) int {
		m := (len(x) + 1) / 2
		f := int(x[m-1])
		t := 0
		for ; ; t++ {
			lo, hi := 0, 3
			if m-t >= 1 {
				lo = int(x[m-t-1])
			}
			if m+t <= len(x) {
				hi = int(x[m+t-1])
			}
			if t == 0 && r == f || t > 0 && lo <= r && r <= hi {
				return t
			}
		}
	}
	return must.Be(records.NewOwn(records.Own{
		Value: func(x records.Dataset) (*big.Rat, error) {
			return rat(int64(x.Records[(len(x.Records)+1)/2-1]), 1), nil
		},
		Distance: func(x records.Dataset, r *big.Rat) (int, error) {
			v := int(r.Num().Int64())
			return off(x.Records, v, layer(x.Records, v)), nil
		},
	}))
}

func TestOwnMedianAndItsMutants(t *testing.T) {
	here := []float64{1, 1, 2, 3}
	mutants := map[string]struct {
		off  func(x []float64, r, layer int) int
		want string
	}{
		"right":                {func(_ []float64, _, layer int) int { return layer }, "exact"},
		"one layer up":         {func(x []float64, r, layer int) int { return layer + b2i(slices.Equal(x, here) && r == 3) }, "wrong"},
		"one layer down":       {func(x []float64, r, layer int) int { return layer - b2i(slices.Equal(x, here) && r == 3) }, "wrong"},
		"all but f(x) down":    {func(_ []float64, _, layer int) int { return max(layer-1, 0) }, "valid bound"},
		"all down by two":      {func(x []float64, _, layer int) int { return max(layer-2*b2i(slices.Equal(x, here)), 0) }, "wrong"},
		"never":                {func(x []float64, r, layer int) int { return layer - (layer+1)*b2i(slices.Equal(x, here) && r == 0) }, "wrong"},
		"half of the distance": {func(_ []float64, _, layer int) int { return layer / 2 }, "valid bound"},
	}
	for name, m := range mutants {
		v := must.For(records.Verify(context.Background(), ownMedian(m.off).Bare(records.Replace), purest, records.VerifyOptions{Records: 4, Values: []float64{0, 1, 2, 3}}))(t)
		if v.Verdict != m.want {
			t.Errorf("%s: %s, want %s (%+v, %+v)", name, v.Verdict, m.want, v.Distance, v.Lipschitz)
		}
		if m.want != "exact" && v.Distance == nil && v.Lipschitz == nil {
			t.Errorf("%s: no witness", name)
		}
		if name == "one layer up" && (!slices.Equal(v.Distance.Dataset.Records, here) || v.Distance.Value.Cmp(rat(3, 1)) != 0 || v.Distance.Layer != v.Distance.Other+1) {
			t.Errorf("%s: witness %+v", name, v.Distance)
		}
		if v.Verdict != "wrong" && v.Keeps != evidence.Confirmed {
			t.Errorf("%s: ε %v", name, v.Smallest)
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Bounds are no larger than summed local sensitivity, and smaller somewhere.
func TestBoundsBeatSummedLocalSensitivity(t *testing.T) {
	x := make([]float64, 40)
	for i := range x {
		x[i] = float64(i % 7)
	}
	of := func(neighbors records.Neighbors) *records.Records {
		return must.For(records.New(x, records.Options{Lo: rat(0, 1), Hi: rat(10, 1), Grid: rat(1, 1), Neighbors: neighbors}))(t)
	}
	all := map[string]*records.Query{"variance": must.For(of(records.Replace).Variance())(t), "total": must.For(of(records.AddRemove).Total())(t)}
	var edges [][2]int // a clique of 6, a circle of 10, joined by nothing, and hubs of 5
	for u := range 6 {
		for v := range u {
			edges = append(edges, [2]int{v, u})
		}
	}
	for u := range 10 {
		edges = append(edges, [2]int{6 + u, 6 + (u+1)%10})
	}
	for u := range 4 {
		for v := range 5 {
			edges = append(edges, [2]int{16 + u, 20 + 5*u + v})
		}
	}
	g := must.For(records.NewGraph(41, edges, records.Edge))(t)
	all["triangles"], all["2-star"], all["3-star"] = must.For(g.Triangles(context.Background()))(t), must.For(g.KStar(2))(t), must.For(g.KStar(3))(t)
	all["maximum_degree"] = must.For(g.MaximumDegree())(t)
	all["components"] = must.For(must.For(records.NewGraph(16, edges[:25], records.Edge))(t).Components())(t)
	all["edges of nodes"] = must.For(must.For(records.NewGraph(8, edges[:15], records.Node))(t).Edges())(t)
	for name, q := range all {
		sum, better := new(big.Rat), false
		for k := 1; k < 12; k++ {
			sum.Add(sum, must.For(q.Local(k-1))(t))
			up, down, err := q.Moves(k)
			if err != nil {
				t.Fatal(err)
			}
			if up.Cmp(sum) > 0 || down.Cmp(sum) > 0 {
				t.Errorf("%s: %d changes move it by %v and %v, more than %v", name, k, up, down, sum)
			}
			f := q.Value()
			inside := func(v *big.Rat) bool { // the sum is not cut by the end of the range
				return (q.Range().Lo == nil || v.Cmp(q.Range().Lo) > 0) && (q.Range().Hi == nil || v.Cmp(q.Range().Hi) < 0)
			}
			better = better || up.Cmp(sum) < 0 && inside(new(big.Rat).Add(f, sum)) || down.Cmp(sum) < 0 && inside(new(big.Rat).Sub(f, sum))
		}
		if !better {
			t.Errorf("%s: bounds are nowhere better than summed local sensitivity", name)
		}
	}
}

// Triangles' closed form for many changes agrees with adding up change by change.
func TestManyChanges(t *testing.T) {
	g := triangle(records.Edge)
	q := must.For(g.Triangles(context.Background()))(t)
	full := false
	for k := 1; k < 40; k++ {
		up, down, err := q.Moves(k)
		if err != nil || up.Cmp(rat(3, 1)) > 0 || down.Cmp(rat(1, 1)) > 0 {
			t.Fatalf("%d changes move one triangle of four nodes by %v and %v, %v", k, up, down, err)
		}
		full = up.Cmp(rat(3, 1)) == 0 && down.Cmp(rat(1, 1)) == 0
	}
	if !full {
		t.Error("40 changes do not reach all graphs of four nodes")
	}
}

// Without a grid records lie in the same layers as on one.
func TestSingleRecordsKeepTheirLayers(t *testing.T) {
	x := []float64{1, 1, 3, 4, 6, 7, 7, 9}
	for _, p := range []*big.Rat{rat(0, 1), rat(1, 5), rat(1, 2), rat(4, 5), rat(1, 1)} {
		o := records.Options{Lo: rat(0, 1), Hi: rat(10, 1), Neighbors: records.AddRemove}
		open := must.For(must.For(records.New(x, o))(t).Quantile(p))(t)
		o.Grid = rat(1, 1)
		grid := must.For(must.For(records.New(x, o))(t).Quantile(p))(t)
		for v := int64(0); v <= 10; v++ {
			if a, b := must.For(open.Layer(rat(v, 1)))(t), must.For(grid.Layer(rat(v, 1)))(t); a != b {
				t.Errorf("quantile %v: %d lies in layer %d without a grid, %d on one", p, v, a, b)
			}
		}
	}
}
