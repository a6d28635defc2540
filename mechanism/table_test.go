package mechanism_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// Constructors reject tables, layers, classes and parameters of wrong shape or value.
func TestConstructorsRejectBadInput(t *testing.T) {
	ctx := context.Background()
	q, one := randomQuery(t, rand.New(rand.NewPCG(15, 16)), 1), eps(t, 1)
	n, size := q.Size(), len(q.Range())
	half := big.NewRat(1, 2)
	levels := make([]int32, n*size)
	rationals := make([][]*big.Rat, n)
	for x := range rationals {
		rationals[x] = make([]*big.Rat, size)
	}
	heading := mechanism.Info{Name: "table", Query: q}
	for name, f := range map[string]func() error{
		"finite":   func() error { _, err := mechanism.NewFinite(ctx, q, rationals, nil); return err },
		"no rows":  func() error { _, err := mechanism.NewFinite(ctx, q, nil, nil); return err },
		"rational": func() error { _, err := mechanism.NewRationalTable(heading, rationals, nil); return err },
		"enclosed": func() error { _, err := mechanism.NewEnclosedTable(heading, nil, nil, nil); return err },
		"maybe 0": func() error {
			rows := slices.Repeat([][]interval.Interval{slices.Repeat([]interval.Interval{interval.Between(0, 1)}, size)}, n)
			_, err := mechanism.NewEnclosedTable(heading, rows, nil, nil)
			return err
		},
		"class":                func() error { _, err := mechanism.NewEnclosedTable(heading, nil, nil, make([]int32, n)); return err },
		"too few layers":       func() error { _, err := mechanism.NewLayerTable(ctx, q, levels[1:]); return err },
		"layer too large":      func() error { levels[0] = math.MaxInt32; _, err := mechanism.NewLayerTable(ctx, q, levels); return err },
		"layer too small":      func() error { levels[0] = -2; _, err := mechanism.NewLayerTable(ctx, q, levels); return err },
		"rho":                  func() error { _, err := mechanism.NewInverseSensitivity(ctx, q, one, big.NewRat(-1, 1)); return err },
		"no eps":               func() error { _, err := mechanism.NewLadder(ctx, q, evidence.Epsilon{}); return err },
		"prior of no datasets": func() error { _, err := mechanism.PriorWeights(0, nil); return err },
		"prior":                func() error { _, err := mechanism.PriorWeights(2, []*big.Rat{half, nil}); return err },
	} {
		if err := f(); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %v, want ErrParameter", name, err)
		}
	}
}

// enclosed hides all rational probabilities.
type enclosed struct{ mechanism.Mechanism }

func (enclosed) Rational(x, r int) (*big.Rat, bool) { return nil, false }

// Results from enclosures contain the results from rational numbers.
func TestEnclosedTableContainsRationalTable(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(21, 3))
	for range 40 {
		q := pathQuery(t, 3)
		rows := make([][]*big.Rat, 3)
		for x := range rows {
			w, sum := make([]int64, 3), int64(0)
			for v := range w {
				w[v] = 1 + r.Int64N(40)
				sum += w[v]
			}
			for _, v := range w {
				rows[x] = append(rows[x], big.NewRat(v, sum))
			}
		}
		m := must.For(mechanism.NewFinite(ctx, q, rows, evidence.Claimed{}))(t)
		hidden := enclosed{m}
		holds := func(what string, exact, got evidence.Number) {
			t.Helper()
			lo, hi := got.Bounds()
			from, to := exact.Bounds()
			if lo > from || hi < to || hi-lo > 1e-14*(1+hi) {
				t.Errorf("rows %v: %s in [%v, %v], want [%v, %v]", rows, what, lo, hi, from, to)
			}
			if _, ok := got.(evidence.Certified); !ok {
				t.Errorf("rows %v: %s is %v", rows, what, got)
			}
		}
		holds("smallest ε", must.For(mechanism.Privacy(m).Epsilon(ctx, evidence.Delta{}))(t), must.For(mechanism.Privacy(hidden).Epsilon(ctx, evidence.Delta{}))(t))
		for _, at := range []evidence.Epsilon{ln(t, 5, 4), ln(t, 2, 1), eps(t, 0.1)} {
			holds("δ", must.For(mechanism.Privacy(m).Delta(ctx, at))(t), must.For(mechanism.Privacy(hidden).Delta(ctx, at))(t))
		}
		prior := []*big.Rat{big.NewRat(1, 2), big.NewRat(1, 3), big.NewRat(1, 6)}
		holds("mean", must.For(mechanism.ExpectedDistortion(ctx, m, prior))(t), must.For(mechanism.ExpectedDistortion(ctx, hidden, prior))(t))
		holds("worst", must.For(mechanism.WorstDistortion(ctx, m))(t), must.For(mechanism.WorstDistortion(ctx, hidden))(t))
		for x := range 3 {
			if got := mechanism.LogRatio(m, hidden, x); math.Abs(got.Mid()) > 1e-60 {
				t.Errorf("rows %v: ln of a ratio of 1 is %v", rows, got)
			}
		}
	}
}

// Priors and rows are normalized if they sum to 1 within 1e-9, and rejected otherwise.
func TestShapesAndSumsAreChecked(t *testing.T) {
	ctx := context.Background()
	q := pathQuery(t, 2)
	half := big.NewRat(1, 2)
	for off, ok := range map[string]bool{"1/1000000000": true, "-1/1000000000": true, "1/3000000000": true, "1000001/1000000000000000": false, "-1000001/1000000000000000": false, "0": true} {
		more, _ := new(big.Rat).SetString(off)
		more.Add(more, half)
		weights, err := mechanism.PriorWeights(2, []*big.Rat{half, more})
		table, bad := mechanism.NewFinite(ctx, q, [][]*big.Rat{{half, more}, {more, half}}, nil)
		if (err == nil) != ok || (bad == nil) != ok {
			t.Fatalf("off by %s: %v and %v", off, err, bad)
		}
		if !ok {
			continue
		}
		p, _ := table.Rational(0, 0)
		s, _ := table.Rational(0, 1)
		for _, pair := range [][2]*big.Rat{{weights[0], weights[1]}, {p, s}} {
			if new(big.Rat).Add(pair[0], pair[1]).Cmp(big.NewRat(1, 1)) != 0 || new(big.Rat).Quo(pair[1], pair[0]).Cmp(new(big.Rat).Quo(more, half)) != 0 {
				t.Errorf("off by %s: %v", off, pair)
			}
		}
	}
	one := interval.Int(1)
	for want, err := range map[string]error{
		"dataset 1 reaches no value": func() error {
			_, err := mechanism.NewLayerTable(ctx, q, []int32{0, 1, query.Unreached, query.Unreached})
			return err
		}(),
		"row 1 has 1 probabilities, want 2": func() error {
			_, err := mechanism.NewEnclosedTable(mechanism.Info{Query: q}, [][]interval.Interval{{one, one}, {one}}, nil, nil)
			return err
		}(),
		"the mechanisms have 2 and 3 datasets": func() error {
			_, err := mechanism.Compare(ctx, build(t, "ladder", q, eps(t, 1)), build(t, "ladder", pathQuery(t, 3), eps(t, 1)))
			return err
		}(),
	} {
		if !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	// A logarithm below the range of float64 is −MaxFloat64 with an infinite error.
	huge := interval.Int(-1).Mul(interval.Float(math.MaxFloat64)).Mul(interval.Int(4))
	m := must.For(mechanism.NewEnclosedTable(mechanism.Info{Query: q}, [][]interval.Interval{{one, interval.Between(0, 1e-320)}, {one, interval.Between(0, 1e-320)}},
		func(row, r int) interval.Interval { return huge }, nil))(t)
	if m.LogProb(0, 1) != -math.MaxFloat64 || !math.IsInf(m.LogError(), 1) {
		t.Errorf("ln p = %v ± %v", m.LogProb(0, 1), m.LogError())
	}
}

func TestTableRejectsBadLaws(t *testing.T) {
	q := randomQuery(t, rand.New(rand.NewPCG(11, 12)), 1)
	rows := make([][]float64, q.Size())
	for x := range rows {
		rows[x] = make([]float64, len(q.Range()))
		rows[x][0] = 1
	}
	claim := evidence.Claimed{Value: 1}
	must.For(mechanism.NewTable(mechanism.Info{Name: "table", Query: q, Claimed: claim}, rows, nil))(t)
	for _, bad := range []float64{-1, math.NaN(), math.Inf(1)} {
		rows[0][0] = bad
		if _, err := mechanism.NewTable(mechanism.Info{Name: "table", Query: q, Claimed: claim}, rows, nil); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("weight %v gives %v, want ErrParameter", bad, err)
		}
	}
	rows[0][0] = 0
	if _, err := mechanism.NewTable(mechanism.Info{Name: "table", Query: q, Claimed: claim}, rows, nil); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("a row without weight gives %v, want ErrParameter", err)
	}
	if _, err := mechanism.NewTable(mechanism.Info{Name: "table", Query: q, Claimed: claim}, rows[1:], nil); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("a missing row gives %v, want ErrParameter", err)
	}
}

// expect fails unless the bounds are lo and hi within the tolerance.
func expect(t *testing.T, what string, n evidence.Number, err error, lo, hi, within float64) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if a, b := n.Bounds(); !(a == lo || math.Abs(a-lo) <= within) || !(b == hi || math.Abs(b-hi) <= within) {
		t.Errorf("%s in [%v, %v], want [%v, %v]", what, a, b, lo, hi)
	}
}

// With wide enclosures, logarithms and the smallest ε stay within their stated errors.
func TestWideEnclosures(t *testing.T) {
	ctx := context.Background()
	q := pathQuery(t, 2)
	of := func(lo, hi float64) interval.Interval { return interval.Between(lo, hi) }
	zero := interval.Int(0)
	deep := interval.Between(-1000, -900)
	logs := func(row, r int) interval.Interval { return deep }
	for _, c := range []struct {
		rows [][]interval.Interval
		logs mechanism.LogProbs
		log  [2]float64 // bounds of the first log-probability
		most float64    // largest LogError allowed
	}{
		{[][]interval.Interval{{of(0.2, 0.6), of(0.4, 0.8)}, {of(0.3, 0.3), of(0.7, 0.7)}}, nil, [2]float64{math.Log(0.2), math.Log(0.6)}, 4.01},
		{[][]interval.Interval{{of(1e-9, 1), of(0.5, 1)}, {of(0.3, 0.3), of(0.7, 0.7)}}, nil, [2]float64{math.Log(1e-9), 0}, 2.01e9},
		{[][]interval.Interval{{of(0, 1e-300), of(0.5, 1)}, {of(0.3, 0.3), of(0.7, 0.7)}}, logs, [2]float64{-1000, -900}, 100.01},
		{[][]interval.Interval{{of(0, 0.5), of(0.5, 1)}, {of(0.3, 0.3), of(0.7, 0.7)}}, logs, [2]float64{-1000, -900}, 100.01},
		{[][]interval.Interval{{of(1e-300, 1e-299), of(0.5, 1)}, {of(0.3, 0.3), of(0.7, 0.7)}}, nil, [2]float64{math.Log(1e-300), math.Log(1e-299)}, 3},
	} {
		m := must.For(mechanism.NewEnclosedTable(mechanism.Info{Name: "wide", Query: q, Claimed: evidence.Claimed{Value: 1}}, c.rows, c.logs, nil))(t)
		miss := 0.0
		for _, end := range c.log {
			miss = max(miss, math.Abs(m.LogProb(0, 0)-end))
		}
		if !(miss <= m.LogError()*(1+1e-12)) || !(m.LogError() <= c.most) {
			t.Errorf("ln p = %v ± %v, want it to hold %v within %v", m.LogProb(0, 0), m.LogError(), c.log, c.most)
		}
		if got, middle := m.LogProb(0, 0), (c.log[0]+c.log[1])/2; c.most > 100 && c.logs != nil && got != middle {
			t.Errorf("ln p = %v of %v, want their midpoint", got, c.log)
		}
		loss := must.For(mechanism.Privacy(m).Epsilon(ctx, evidence.Delta{}))(t)
		lo, hi := loss.Bounds()
		if least, most := math.Log(0.3)-c.log[1], math.Log(0.3)-c.log[0]; lo > max(least, 0)+1e-12 || hi < most-1e-12 || loss.Float() != hi {
			t.Errorf("smallest ε in [%v, %v], want it to hold [%v, %v]", lo, hi, least, most)
		}
	}
	// One probability is 0, and the other is known only by its bounds.
	m := must.For(mechanism.NewEnclosedTable(mechanism.Info{Name: "wide", Query: q}, [][]interval.Interval{{of(0.2, 0.6), of(0.4, 0.8)}, {zero, of(1, 1)}}, nil, nil))(t)
	d, err := mechanism.Privacy(m).Delta(ctx, eps(t, 3))
	expect(t, "δ(3)", d, err, 0.2, 0.6, 1e-12)
	loss, err := mechanism.Privacy(m).Epsilon(ctx, evidence.Delta{})
	expect(t, "smallest ε", loss, err, math.Inf(1), math.Inf(1), 0)
}
