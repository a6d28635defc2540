package records_test

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/records"
)

func TestRefusedOwn(t *testing.T) {
	value := func(records.Dataset) (*big.Rat, error) { return rat(1, 1), nil }
	distance := func(records.Dataset, *big.Rat) (int, error) { return 0, nil }
	move := func(_ records.Dataset, t int) (*big.Rat, error) { return rat(int64(t), 1), nil }
	for _, c := range []struct {
		own  records.Own
		want string
	}{
		{records.Own{Distance: distance}, "value is missing, want a function of a dataset"},
		{records.Own{Value: value}, "distance, up and down are missing, want distance, or up and down"},
		{records.Own{Value: value, Distance: distance, Up: move}, "distance and up or down are given, want one of the two"},
		{records.Own{Value: value, Distance: distance, Down: move}, "distance and up or down are given, want one of the two"},
		{records.Own{Value: value, Up: move}, "up and down: one of them is missing"},
		{records.Own{Value: value, Down: move}, "up and down: one of them is missing"},
	} {
		refused(t, errorOf(records.NewOwn(c.own)), c.want)
	}
	r, g := small(records.Replace), triangle(records.Node)
	at := func(o records.Own, rng records.Range) error {
		own := must.For(records.NewOwn(o))(t)
		a, b := errorOf(own.OnRecords(r, rng)), errorOf(own.OnGraph(g, rng))
		if fmt.Sprint(a) != fmt.Sprint(b) {
			t.Errorf("of records: %v; of a graph: %v", a, b)
		}
		return a
	}
	unit := records.Range{Lo: rat(0, 1), Hi: rat(4, 1), Step: rat(1, 1)}
	moves, layers := records.Own{Value: value, Up: move, Down: move}, records.Own{Value: value, Distance: distance}
	refused(t, at(moves, records.Range{Lo: rat(5, 1), Hi: rat(4, 1)}), "range is [5, 4], want ends that ascend")
	refused(t, at(moves, records.Range{Lo: rat(0, 1), Step: rat(0, 1)}), "range is [0, inf) in steps of 0, want a positive step")
	refused(t, at(moves, records.Range{Hi: rat(3, 1), Step: rat(-1, 2)}), "range is (−inf, 3] in steps of -0.5, want a positive step")
	refused(t, at(moves, records.Range{Lo: rat(3, 2), Hi: rat(3, 1)}), "value = 1, want a value of [1.5, 3]")
	refused(t, at(moves, records.Range{Lo: rat(0, 1), Hi: rat(1, 2)}), "value = 1, want a value of [0, 0.5]")
	refused(t, at(moves, records.Range{Lo: rat(-1, 2), Hi: rat(5, 2), Step: rat(1, 1)}), "value = 1, want a value of [-0.5, 2.5] in steps of 1")
	if err := at(moves, records.Range{Lo: rat(1, 1), Hi: rat(1, 1)}); err != nil {
		t.Error(err)
	}
	if err := at(moves, records.Range{Step: rat(1, 3)}); err != nil { // around the value
		t.Error(err)
	}
	for _, rng := range []records.Range{{Hi: rat(4, 1), Step: rat(1, 1)}, {Lo: rat(0, 1), Step: rat(1, 1)}, {Lo: rat(0, 1), Hi: rat(4, 1)}} {
		refused(t, at(layers, rng), "range is "+rng.String()+", want two ends and a step, so that its values can be listed")
	}
	refused(t, at(layers, records.Range{Lo: rat(0, 1), Hi: rat(1<<20, 1), Step: rat(1, 1)}), "range is [0, 1.048576e+06] in steps of 1, want at most 2^20 whole steps")
	refused(t, at(layers, records.Range{Lo: rat(0, 1), Hi: rat(5, 2), Step: rat(1, 1)}), "range is [0, 2.5] in steps of 1, want ends that whole steps lead to")
	fails := errors.New("a function that fails")
	if err := at(records.Own{Value: func(records.Dataset) (*big.Rat, error) { return nil, fails }, Distance: distance}, unit); err != fails {
		t.Error(err)
	}
	if err := at(records.Own{Value: value, Distance: func(_ records.Dataset, r *big.Rat) (int, error) {
		if r.Cmp(rat(3, 1)) == 0 {
			return 0, fails
		}
		return 0, nil
	}}, unit); err != fails {
		t.Error(err)
	}
	for far, want := range map[int]string{-1: "", -2: "distance = -2, want 0…2^30, or -1 for a value that is never reached", 1 << 30: "", 1<<30 + 1: "distance = 1073741825, want 0…2^30, or -1 for a value that is never reached"} {
		err := at(records.Own{Value: value, Distance: func(records.Dataset, *big.Rat) (int, error) { return far, nil }}, unit)
		if want != "" {
			refused(t, err, want)
		} else if err != nil {
			t.Error(err)
		}
	}
	// A move that fails, or is negative, is told by whatever asks for it, and by the query.
	for _, c := range []struct {
		move func(_ records.Dataset, t int) (*big.Rat, error)
		want string
	}{
		{func(_ records.Dataset, t int) (*big.Rat, error) { return rat(int64(-t), 2), nil }, "a move by 1 changes is -0.5, want at least 0"},
		{func(records.Dataset, int) (*big.Rat, error) { return nil, fails }, "a function that fails"},
	} {
		for _, own := range []records.Own{{Value: value, Up: c.move, Down: move}, {Value: value, Up: move, Down: c.move}} {
			q := must.For(must.For(records.NewOwn(own))(t).OnRecords(r, unit))(t)
			if q.Failed() != nil {
				t.Error(q.Failed())
			}
			if _, err := must.For(purest(q))(t).Distortion(ctx); err == nil || err.Error() != c.want || fmt.Sprint(q.Failed()) != c.want {
				t.Errorf("%v and %v, want %s", err, q.Failed(), c.want)
			}
			bare := must.For(records.NewOwn(own))(t).Bare(records.Replace)
			_, err := records.Verify(ctx, bare, purest, records.VerifyOptions{Records: 2, Values: []float64{0, 1}})
			if own.Up != nil && err == nil {
				// One value is there alone: nobody moves.
				if q := must.For(must.For(records.NewOwn(own))(t).OnRecords(r, unit))(t); errorOf(q.Layer(rat(4, 1))) != nil || errorOf(q.Layer(rat(0, 1))) != nil || fmt.Sprint(q.Failed()) != c.want {
					t.Errorf("%v, want %s", q.Failed(), c.want)
				}
			}
		}
	}
	if small(records.Replace).Len() != 3 || must.For(r.Median())(t).Failed() != nil {
		t.Error("a query that is built in has failed")
	}
	failing := must.For(records.NewOwn(records.Own{Value: func(x records.Dataset) (*big.Rat, error) {
		if slices.Equal(x.Records, []float64{0, 1}) {
			return nil, fails
		}
		return rat(int64(len(x.Records)), 1), nil
	}, Distance: distance}))(t).Bare(records.Replace)
	if _, err := records.Verify(ctx, failing, purest, records.VerifyOptions{Records: 2, Values: []float64{0, 1}}); err != fails {
		t.Error(err)
	}
	far := must.For(records.NewOwn(records.Own{Value: func(x records.Dataset) (*big.Rat, error) { return new(big.Rat).SetFloat64(x.Records[0]), nil }, Distance: func(x records.Dataset, _ *big.Rat) (int, error) {
		return -2 * b2i(x.Records[0] == 1), nil
	}}))(t).Bare(records.Replace)
	refused(t, errorOf(records.Verify(ctx, far, purest, records.VerifyOptions{Records: 1, Values: []float64{0, 1}})), "at dataset [1]: distance = -2, want 0…2^30, or -1 for a value that is never reached")
	moved := must.For(records.NewOwn(records.Own{Value: func(x records.Dataset) (*big.Rat, error) { return new(big.Rat).SetFloat64(x.Records[0]), nil }, Up: func(records.Dataset, int) (*big.Rat, error) { return nil, fails }, Down: move}))(t).Bare(records.Replace)
	if _, err := records.Verify(ctx, moved, purest, records.VerifyOptions{Records: 1, Values: []float64{0, 1}}); !errors.Is(err, fails) {
		t.Error(err)
	}
}

// Functions of one's own are given the records in order, as they lie in their range, or all edges once.
func TestOwnDatasets(t *testing.T) {
	var seen records.Dataset
	own := must.For(records.NewOwn(records.Own{Value: func(x records.Dataset) (*big.Rat, error) { seen = x; return rat(1, 1), nil },
		Up: func(_ records.Dataset, t int) (*big.Rat, error) { return rat(int64(t), 1), nil }, Down: func(records.Dataset, int) (*big.Rat, error) { return nil, nil }}))(t)
	r := must.For(records.New([]float64{3.5, -7, 0.1, 99}, records.Options{Lo: rat(-1, 1), Hi: rat(9, 1), Neighbors: records.AddRemove, Clip: true}))(t)
	q := must.For(own.OnRecords(r, records.Range{Lo: rat(-2, 1), Hi: rat(5, 1)}))(t)
	if !slices.Equal(seen.Records, []float64{-1, 0.1, 3.5, 9}) || seen.Nodes != 0 || seen.Edges != nil || seen.String() != "[-1 0.1 3.5 9]" {
		t.Errorf("%+v", seen)
	}
	if q.Name() != "own query of 4 records in [-1, 9]" || q.Neighbors() != records.AddRemove || q.Exact() || q.Ground() != "functions of one's own, which verify tests" || q.IsBare() {
		t.Errorf("%s, %s, %t, %s", q.Name(), q.Neighbors(), q.Exact(), q.Ground())
	}
	for d, want := range map[int][2]string{0: {"0", "0"}, 1: {"1", "3"}, 3: {"3", "3"}, 9: {"4", "3"}} { // down at once to the end
		if up, down, err := q.Moves(d); err != nil || up.RatString() != want[0] || down.RatString() != want[1] {
			t.Errorf("%d changes move it by %v and %v, %v", d, up, down, err)
		}
	}
	for v, want := range map[*big.Rat]int{rat(1, 1): 0, rat(-2, 1): 1, rat(5, 2): 2, rat(5, 1): 4} {
		if have := must.For(q.Layer(v))(t); have != want {
			t.Errorf("%v is in layer %d, want %d", v, have, want)
		}
	}
	open := must.For(own.OnRecords(r, records.Range{}))(t)
	if _, err := must.For(purest(open))(t).Distortion(ctx); err == nil {
		t.Error("weights without a finite sum")
	} else {
		refused(t, err, "the range of own query of 4 records in [-1, 9] has no end that layer 1 stops at: the weights have no finite sum")
	}
	if l := must.For(open.Layer(rat(-1000, 1)))(t); l != 1 || open.Range().String() != "(−inf, inf)" {
		t.Errorf("layer %d of %v", l, open.Range())
	}
	g := must.For(records.NewGraph(5, [][2]int{{3, 1}, {0, 4}, {2, 0}}, records.Node))(t)
	q = must.For(own.OnGraph(g, records.Range{Lo: rat(0, 1)}))(t)
	if seen.Records != nil || seen.Nodes != 5 || !slices.Equal(seen.Edges, [][2]int{{0, 2}, {0, 4}, {1, 3}}) || q.Name() != "own query of a graph of 5 nodes and 3 edges" || q.Neighbors() != records.Node || seen.String() != "5 nodes with edges [[0 2] [0 4] [1 3]]" {
		t.Errorf("%+v of %s", seen, q.Name())
	}
	exact := must.For(records.NewOwn(records.Own{Value: func(records.Dataset) (*big.Rat, error) { return rat(1, 1), nil }, Distance: func(_ records.Dataset, r *big.Rat) (int, error) { return int(r.Num().Int64()), nil }}))(t)
	q = must.For(exact.OnGraph(g, records.Range{Lo: rat(0, 1), Hi: rat(3, 1), Step: rat(1, 2)}))(t)
	if !q.Exact() || !exact.Bare(records.Node).Exact() || exact.Bare(records.Node).Neighbors() != records.Node || exact.Bare(records.Edge).Name() != "own query" || must.For(q.Layer(rat(3, 1)))(t) != 3 || must.For(q.Layer(rat(5, 2)))(t) != 5 {
		t.Errorf("%s: %v", q.Name(), q.Exact())
	}
	// A point has no length.
	point := must.For(own.OnRecords(r, records.Range{Lo: rat(1, 1), Hi: rat(1, 1)}))(t)
	_, err := must.For(purest(point))(t).Distortion(ctx)
	refused(t, err, "the range of own query of 4 records in [-1, 9] has one value, and no length")
}
