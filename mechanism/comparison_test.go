package mechanism_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// Compare stays accurate when a distortion underflows. NewRationalTable rejects a row that does not sum to 1. Noise
// rounds to the nearest value even if the range is unsorted.
func TestCompareAndRoundingCells(t *testing.T) {
	ctx := context.Background()
	space := must.For(query.NewPathSpace(2, [][2]int{{0, 1}}))(t)
	q := must.For(query.NewNumeric("f", space, []float64{0, 1}, nil))(t)
	for _, e := range []float64{712.3, 720, 740} {
		deep := mechanism.NewLayered("deep", must.For(mechanism.NewLayerTable(ctx, q, []int32{0, 1, 1, 0}))(t), eps(t, e), evidence.Claimed{})
		flat := mechanism.NewLayered("flat", must.For(mechanism.NewLayerTable(ctx, q, []int32{0, 1, 1, 0}))(t), eps(t, 50), evidence.Claimed{})
		c := must.For(mechanism.Compare(ctx, deep, flat))(t)
		want := math.Exp(50-e) * (1 + math.Exp(-50))
		if math.Abs(c.Mean/want-1) > 1e-12 || c.Better != 1 {
			t.Errorf("e^−%g against e^−50: %v, want %v", e, c.Mean, want)
		}
	}
	if _, err := mechanism.NewRationalTable(mechanism.Info{Query: q}, [][]*big.Rat{{big.NewRat(1, 2), big.NewRat(1, 2)}, {big.NewRat(1, 2), big.NewRat(1, 3)}}, nil); !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), "row 1 sums to 0.8333") {
		t.Errorf("a row of 5/6: %v", err)
	}
	sorted := must.For(query.NewNumeric("f", space, []float64{0, 2}, []float64{-1, 0, 2, 5}))(t)
	mixed, err := query.NewNumeric("f", space, []float64{0, 2}, []float64{2, -1, 5, 0})
	if err != nil {
		t.Skip(err)
	}
	for _, name := range []string{"laplace", "geometric"} {
		a, b := build(t, name, sorted, eps(t, 0.8)), build(t, name, mixed, eps(t, 0.8))
		for x := range 2 {
			for r, v := range sorted.Range() {
				for s, w := range mixed.Range() {
					if v.String() == w.String() && math.Abs(a.LogProb(x, r)-b.LogProb(x, s)) > 1e-12 {
						t.Errorf("%s: ln p^%d(%v) = %v in order, %v in another", name, x, v, a.LogProb(x, r), b.LogProb(x, s))
					}
				}
			}
		}
	}
	// The distances are below and above 1, and are not integer steps.
	for _, scale := range []float64{1, 7, 1e-5} {
		values := []float64{0, 0.1 * scale, math.Pi / 4 * scale}
		odd := must.For(query.NewNumeric("f", space, values[:2], append(values, math.Sqrt2*scale)))(t)
		m := build(t, "exponential", odd, eps(t, 1.5))
		for x := range 2 {
			for r := range odd.Range() {
				d := odd.Metric().Distance(odd.ValueIndex(x), r)
				if got, want := m.LogProb(x, r)-m.LogProb(x, odd.ValueIndex(x)), -1.5*d/(0.2*scale); math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
					t.Errorf("exponential at distance %v: ln p/p = %v, want %v", d, got, want)
				}
			}
		}
	}
}

// The ratio of the errors is infinite at a dataset where only the second mechanism is always correct, and 1 where both
// mechanisms are always correct.
func TestRatiosOfComparison(t *testing.T) {
	q := pathQuery(t, 3)
	rat := func(num, den int64) *big.Rat { return big.NewRat(num, den) }
	none, half, all := rat(0, 1), rat(1, 2), rat(1, 1)
	of := func(rows ...[]*big.Rat) mechanism.Mechanism {
		return must.For(mechanism.NewFinite(t.Context(), q, rows, nil))(t)
	}
	a := of([]*big.Rat{all, none, none}, []*big.Rat{half, half, none}, []*big.Rat{none, rat(1, 4), rat(3, 4)})
	for _, c := range []struct {
		b    mechanism.Mechanism
		want []float64
	}{
		{of([]*big.Rat{all, none, none}, []*big.Rat{none, rat(3, 4), rat(1, 4)}, []*big.Rat{none, half, half}), []float64{1, 2, 0.5}},
		{of([]*big.Rat{half, half, none}, []*big.Rat{none, all, none}, []*big.Rat{none, rat(1, 4), rat(3, 4)}), []float64{0, math.Inf(1), 1}},
	} {
		got := must.For(mechanism.Compare(t.Context(), a, c.b))(t)
		if !slices.Equal(got.Ratios, c.want) || got.Min != slices.Min(c.want) || got.Max != slices.Max(c.want) || got.Mean != (c.want[0]+c.want[1]+c.want[2])/3 || got.Better != 1./3 {
			t.Errorf("%+v, want the ratios %v", got, c.want)
		}
		for x, want := range c.want {
			if lo, hi := got.Ratio(x).Bounds(); lo != want || hi != want {
				t.Errorf("ratio at %d in [%v, %v], want %v", x, lo, hi, want)
			}
		}
	}
}

// Signs compares rational errors exactly, enclosures by their bounds, and equal laws as equal.
func TestSigns(t *testing.T) {
	ctx, q := context.Background(), pathQuery(t, 3)
	row := func(n ...int64) (out []*big.Rat) {
		total := int64(0)
		for _, v := range n {
			total += v
		}
		for _, v := range n {
			out = append(out, big.NewRat(v, total))
		}
		return out
	}
	table := func(rows ...[]*big.Rat) mechanism.Mechanism {
		m := must.For(mechanism.NewFinite(ctx, q, rows, nil))(t)
		return m
	}
	layered := func(e evidence.Epsilon, table ...int32) mechanism.Mechanism {
		levels := must.For(mechanism.NewLayerTable(ctx, q, table))(t)
		return mechanism.NewLayered("levels", levels, e, evidence.Claimed{Value: 9})
	}
	near := []int32{0, 1, 2, 1, 0, 1, 2, 1, 0}
	far := []int32{0, 1, 1, 1, 0, 1, 1, 1, 0} // larger distances, the same layer counts
	wide := must.For(query.NewNumeric("wide", q.Space(), []float64{0, 2, 4}, nil))(t)
	about := func(least bool) mechanism.Mechanism { // the error probability at each dataset is ½, or about 10⁻⁹ less
		var rows [][]*big.Rat
		for x := range 3 {
			p := big.NewRat(1, 2)
			if least {
				p = big.NewRat(5e17-5e8+int64(x)-1, 1e18)
			}
			rows = append(rows, []*big.Rat{p, p, p})
			rows[x][x] = new(big.Rat).Sub(big.NewRat(1, 1), p)
			rows[x][(x+2)%3] = new(big.Rat)
		}
		return table(rows...)
	}
	for _, c := range []struct {
		name   string
		a, b   mechanism.Mechanism
		signs  []int
		better int
	}{
		{"rationals", table(row(2, 1, 1), row(1, 1, 1), row(0, 0, 1)), table(row(1, 1, 1), row(1, 1, 1), row(0, 1, 0)), []int{-1, 0, -1}, 2},
		{"rationals very close", table(row(1, 1<<40, 0), row(0, 1, 0), row(0, 0, 1)), table(row(1, 1<<40+1, 0), row(0, 1, 0), row(0, 0, 1)), []int{-1, 0, 0}, 0},
		{"the same law", layered(eps(t, .7), near...), layered(eps(t, .7), near...), []int{0, 0, 0}, 0},
		{"one law, two decays", layered(eps(t, .7), near...), layered(eps(t, .6), near...), []int{-1, -1, -1}, 3},
		{"two laws", layered(eps(t, .7), near...), layered(eps(t, .7), far...), []int{-1, 0, -1}, 2},
		{"two laws, swapped", layered(eps(t, .7), far...), layered(eps(t, .7), near...), []int{1, 0, 1}, 0},
		{"no errors against errors", table(row(1, 0, 0), row(0, 1, 0), row(0, 0, 1)), layered(eps(t, .7), near...), []int{-1, -1, -1}, 3},
		{"errors against no errors", layered(eps(t, .7), near...), table(row(1, 0, 0), row(0, 1, 0), row(0, 0, 1)), []int{1, 1, 1}, 0},
		{"no errors in both", enclosed{table(row(1, 0, 0), row(0, 1, 0), row(0, 0, 1))}, enclosed{table(row(1, 0, 0), row(0, 1, 0), row(0, 0, 1))}, []int{0, 0, 0}, 0},
		{"rationals at the smallest gap", about(true), about(false), []int{-1, -1, -1}, 1},
		{"two decays very close", layered(eps(t, .7), near...), layered(eps(t, .7-1e-11), near...), []int{-1, -1, -1}, 0},
		{"two decays farther apart", layered(eps(t, .7), near...), layered(eps(t, .7-1e-8), near...), []int{-1, -1, -1}, 3},
		{"the same definition", build(t, "laplace", q, eps(t, .7)), build(t, "laplace", q, eps(t, .7)), []int{0, 0, 0}, 0},
		{"one definition, two ε", build(t, "laplace", q, eps(t, .7)), build(t, "laplace", q, eps(t, .6)), []int{-1, -1, -1}, 3},
		{"one definition, two queries", build(t, "laplace", q, eps(t, .7)), build(t, "laplace", wide, eps(t, .7)), []int{-1, -1, -1}, 3},
	} {
		comparison := must.For(mechanism.Compare(ctx, c.a, c.b))(t)
		signs, better, err := comparison.Signs(ctx)
		if err != nil || !slices.Equal(signs, c.signs) || better != c.better {
			t.Errorf("%s: %v and %d better, %v, want %v and %d", c.name, signs, better, err, c.signs, c.better)
		}
		for n := range 3 {
			if signs, better, err := comparison.Signs(ctxtest.CancelOnce(ctx, n)); signs != nil || better != 0 || !errors.Is(err, context.Canceled) {
				t.Errorf("%s, cancelled at poll %d: %v, %d, %v", c.name, n, signs, better, err)
			}
		}
	}
	if signs, better, err := (mechanism.Comparison{}).Signs(ctx); signs != nil || better != 0 || !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("zero Comparison: %v, %d, %v", signs, better, err)
	}
}

// Signs returns an error that names the dataset if enclosures overlap.
func TestSignsOfWideEnclosures(t *testing.T) {
	q := pathQuery(t, 2)
	of := func(name string, lo, hi float64) mechanism.Mechanism {
		row := []interval.Interval{interval.Between(lo, hi), interval.Between(1-hi, 1-lo)}
		return must.For(mechanism.NewEnclosedTable(mechanism.Info{Name: name, Query: q}, [][]interval.Interval{row, row}, nil, nil))(t)
	}
	for _, c := range []struct {
		a, b  mechanism.Mechanism
		wants string
	}{
		{of("a", .25, .5), of("b", .375, .625), "the distortions of a and b at dataset 0 are too close to compare"},
		{of("a", .25, .25+1e-12), of("b", .25, .25+1e-12), "the distortions of a and b at dataset 0 are too close to compare"},   // neither is clearly smaller
		{of("a", .25-7.5e-10, .25-1e-10), of("b", .25, .25), "the distortions of a and b at dataset 1 are too close to compare"}, // the gap may be below 10⁻⁹
		{of("a", .25, .375), of("b", .5, .625), ""},
	} {
		signs, better, err := must.For(mechanism.Compare(t.Context(), c.a, c.b))(t).Signs(t.Context())
		if c.wants == "" && (err != nil || !slices.Equal(signs, []int{1, -1}) || better != 1) || c.wants != "" && (signs != nil || !errors.Is(err, evidence.ErrParameter) || err.Error() != c.wants) {
			t.Errorf("%v and %d better, %v, want %q", signs, better, err, c.wants)
		}
	}
}
