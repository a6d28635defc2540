package records_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/records"
)

func TestBadRecords(t *testing.T) {
	of := func(x []float64, lo, hi, grid *big.Rat, neighbors records.Neighbors) error {
		_, err := records.New(x, records.Options{Lo: lo, Hi: hi, Grid: grid, Neighbors: neighbors})
		return err
	}
	zero, ten, one := rat(0, 1), rat(10, 1), rat(1, 1)
	for want, err := range map[string]error{
		"x is empty":            of(nil, zero, ten, nil, records.Replace),
		"x[1] = NaN":            of([]float64{1, math.NaN()}, zero, ten, nil, records.Replace),
		"x[0] = +Inf":           of([]float64{math.Inf(1)}, zero, ten, nil, records.Replace),
		"x[2] = 11, want":       of([]float64{1, 2, 11}, zero, ten, nil, records.Replace),
		"x[0] = -0.5, want":     of([]float64{-0.5}, zero, ten, nil, records.Replace),
		"x[1] = 1.5, want":      of([]float64{1, 1.5}, zero, ten, one, records.Replace),
		"lo = 10, want at most": of([]float64{1}, ten, one, nil, records.Replace),
		"lo and hi are missing": of([]float64{1}, nil, ten, nil, records.Replace),
		"grid = 0, want":        of([]float64{1}, zero, ten, zero, records.Replace),
		"grid = 3, want":        of([]float64{1}, zero, ten, rat(3, 1), records.Replace),
		"neighbors":             of([]float64{1}, zero, ten, nil, "add"),
	} {
		if err == nil || !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	r := must.For(records.New([]float64{-3, 4.6, 12}, records.Options{Lo: zero, Hi: ten, Grid: one, Neighbors: records.Replace, Clip: true}))(t)
	if q := must.For(r.Total())(t); q.Value().Cmp(rat(15, 1)) != 0 {
		t.Errorf("clipped records sum to %v, want 0 + 5 + 10", q.Value())
	}
	alone := must.For(records.New([]float64{4}, records.Options{Lo: zero, Hi: ten, Neighbors: records.Replace}))(t)
	if _, err := alone.Variance(); err == nil {
		t.Error("one record has a variance")
	}
	for _, q := range []*records.Query{must.For(alone.Median())(t), must.For(alone.Mean())(t), must.For(alone.TrimmedMean(0))(t)} {
		if up, down, err := q.Moves(1); err != nil || up.Cmp(rat(6, 1)) != 0 || down.Cmp(rat(4, 1)) != 0 {
			t.Errorf("%s: one change moves it by %v and %v, %v", q.Name(), up, down, err)
		}
	}
	if _, err := alone.TrimmedMean(1); err == nil {
		t.Error("nothing is left of one record without two")
	}
	if _, err := alone.Quantile(rat(3, 2)); err == nil {
		t.Error("a quantile of 3/2")
	}
	moving := must.For(records.New([]float64{4}, records.Options{Lo: zero, Hi: ten, Neighbors: records.AddRemove}))(t)
	for _, f := range []func() (*records.Query, error){moving.Mean, moving.Variance} {
		if _, err := f(); err == nil || !strings.Contains(err.Error(), `want "replace"`) {
			t.Errorf("%v under addition and removal", err)
		}
	}
}

func TestBadCategoriesAndGraphs(t *testing.T) {
	category := func(x, names []string) error {
		_, err := records.NewCategories(x, names, records.Replace)
		return err
	}
	graph := func(nodes int, edges ...[2]int) error {
		_, err := records.NewGraph(nodes, edges, records.Edge)
		return err
	}
	node := must.For(records.NewGraph(3, [][2]int{{0, 1}}, records.Node))(t)
	_, components := node.Components()
	_, star := triangle(records.Edge).KStar(4)
	for want, err := range map[string]error{
		"x is empty":             category(nil, []string{"a", "b"}),
		`x[0] = "c"`:             category([]string{"c"}, []string{"a", "b"}),
		"twice":                  category([]string{"a"}, []string{"a", "a"}),
		"at least two":           category([]string{"a"}, []string{"a"}),
		"nodes = 1":              graph(1),
		"joins a node to itself": graph(3, [2]int{1, 1}),
		"(0, 2) twice":           graph(3, [2]int{0, 2}, [2]int{2, 0}),
		"want nodes from 0 to 2": graph(3, [2]int{0, 3}),
		`"edge" for components`:  components,
		"k = 4, want 2…3":        star,
	} {
		if err == nil || !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestBadMechanisms(t *testing.T) {
	r := small(records.Replace)
	q := must.For(r.Median())(t)
	mode := must.For(must.For(records.NewCategories([]string{"a"}, []string{"a", "b"}, records.Replace))(t).Mode())(t)
	eps := must.For(evidence.NewEpsilon("eps", 1))(t)
	refused := func(_ any, err error) error { return err }
	m := must.For(records.NewPurest(q, eps))(t)
	for want, err := range map[string]error{
		"radius = -1":          refused(records.NewDeltaNeighborhood(q, eps, rat(-1, 1))),
		"decay":                refused(records.NewPurest(q, evidence.Epsilon{})),
		"gamma = 1":            refused(records.NewStaircase(q, eps, rat(1, 1))),
		"is no mode":           refused(records.NewPermuteAndFlip(q, eps)),
		"categories as values": refused(records.NewLaplace(mode, eps)),
		"no local sensitivity": refused(records.NewLadder(mode, eps)),
		`noise = "t"`:          refused(records.NewNoisyMax(mode, eps, "t")),
		"r = 5, want a value":  refused(q.Layer(rat(5, 1))),
		"p = 1, want":          refused(records.ErrorQuantile(context.Background(), m, rat(1, 1))),
		"lo = 3, want at most": refused(records.Probability(context.Background(), m, rat(3, 1), rat(2, 1))),
		"values = [0 1 3]":     refused(records.Verify(context.Background(), q, purest, records.VerifyOptions{Records: 2, Values: []float64{0, 1, 3}})),
		"records = 0":          refused(records.Verify(context.Background(), q, purest, records.VerifyOptions{Values: []float64{0, 1}})),
	} {
		if err == nil || !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := records.Verify(ctx, q, purest, records.VerifyOptions{Records: 3, Values: []float64{0, 1, 2}}); !errors.Is(err, context.Canceled) {
		t.Errorf("a verification that is stopped returns %v", err)
	}
}

// isParameter reports whether an error is a parameter's, and says so.
func isParameter(err error, want string) bool {
	return err != nil && errors.Is(err, evidence.ErrParameter) && strings.Contains(err.Error(), want)
}
