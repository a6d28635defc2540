package mechanism_test

import (
	"math/big"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// sameValue returns a query of n datasets, each next to the one after it, whose value is 0 of 0 and 1.
func sameValue(t *testing.T, n int) *query.Query {
	t.Helper()
	edges := make([][2]int, n-1)
	for x := range edges {
		edges[x] = [2]int{x, x + 1}
	}
	return must.For(query.NewNumeric("0", must.For(query.NewPathSpace(n, edges))(t), make([]float64, n), []float64{0, 1}))(t)
}

// Of many datasets with few laws the mean distortion is exact, and of as many laws as sum to a
// denominator of four million bits; beyond it is enclosed.
func TestMeansOfManyDatasets(t *testing.T) {
	ctx := t.Context()
	const n = 6000
	q := sameValue(t, n)
	laws, class, levels := [][]*big.Rat{{big.NewRat(1, 2), big.NewRat(1, 2)}, {big.NewRat(3, 4), big.NewRat(1, 4)}}, make([]int32, n), make([]int32, 2*n)
	for x := range class {
		class[x] = int32(x % 3 / 2) // a half twice, then a quarter
		levels[2*x], levels[2*x+1] = 7, 7+int32(x%3/2)
	}
	table := must.For(mechanism.NewRationalTable(mechanism.Info{Query: q}, laws, class))(t)
	leveled := mechanism.NewLayered("levels", must.For(mechanism.NewLayerTable(ctx, q, levels))(t), ln(t, 3, 1), evidence.Claimed{})
	for _, m := range []mechanism.Mechanism{table, leveled} { // levels 0 and 1 of a third: 1/2 and 1/4 as well
		for what, ask := range map[string]func() (evidence.Number, error){
			"5/12": func() (evidence.Number, error) { return mechanism.ExpectedDistortion(ctx, m, nil) },
			"1/2":  func() (evidence.Number, error) { return mechanism.WorstDistortion(ctx, m) },
		} {
			if e, ok := must.For(ask())(t).(evidence.Exact); !ok || e.Value.RatString() != what || e.Cases != n {
				t.Errorf("%s: %+v, want %s of %d cases", m.Name(), e, what, n)
			}
		}
	}
	for _, more := range []int{0, 1} {
		rows, sum := make([][]*big.Rat, 1<<12+more), new(big.Rat)
		for x := range rows { // of 1024 bits each
			p := new(big.Rat).SetFrac(big.NewInt(int64(2*x+1)), new(big.Int).Lsh(big.NewInt(1), 1023))
			rows[x] = []*big.Rat{new(big.Rat).Sub(big.NewRat(1, 1), p), p}
			sum.Add(sum, p)
		}
		m := must.For(mechanism.NewRationalTable(mechanism.Info{Query: sameValue(t, len(rows))}, rows, nil))(t)
		got := must.For(mechanism.ExpectedDistortion(ctx, m, nil))(t)
		want := sum.Quo(sum, big.NewRat(int64(len(rows)), 1))
		at, _ := want.Float64()
		if lo, hi := got.Bounds(); lo > at || hi < at || hi-lo > 1e-15*hi {
			t.Errorf("%d laws: mean in [%v, %v], want %v", len(rows), lo, hi, at)
		}
		if e, ok := got.(evidence.Exact); ok != (more == 0) || ok && e.Value.Cmp(want) != 0 {
			t.Errorf("%d laws of 1024 bits: exact %t", len(rows), ok)
		}
	}
}

// One dataset has all of the prior.
func TestPriorOfOneDataset(t *testing.T) {
	for _, prior := range [][]*big.Rat{nil, {big.NewRat(1, 1)}} {
		if w, err := mechanism.PriorWeights(1, prior); err != nil || len(w) != 1 || w[0].Cmp(big.NewRat(1, 1)) != 0 {
			t.Errorf("%v, %v", w, err)
		}
	}
	m := build(t, "ladder", pathQuery(t, 1), eps(t, 1))
	if d := must.For(mechanism.ExpectedDistortion(t.Context(), m, nil))(t); d.Float() != 0 {
		t.Errorf("the mean of no distortion is %v", d)
	}
}

// Losses of nothing are 1 as a ratio, and of next to nothing known to all digits; the cases
// are both directions of every two neighbors, with every value.
func TestLossesNearNothing(t *testing.T) {
	ctx, q := t.Context(), pathQuery(t, 2)
	half := big.NewRat(1, 2)
	for bits := uint(10); bits < 200; bits += 7 {
		tiny := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), bits))
		rows := [][]*big.Rat{{new(big.Rat).Add(half, tiny), new(big.Rat).Sub(half, tiny)}, {half, half}}
		m := enclosed{must.For(mechanism.NewFinite(ctx, q, rows, evidence.Claimed{}))(t)}
		want := interval.Rat(new(big.Rat).Mul(big.NewRat(-2, 1), tiny)).Log1p().Neg() // ln ½/(½ − 2^−bits)
		lo, hi := must.For(mechanism.Privacy(m).Epsilon(ctx, 0))(t).Bounds()
		if from, to := want.Bounds(); lo > to || hi < from || hi-lo > 1e-60+1e-15*hi {
			t.Errorf("2^−%d: smallest ε in [%v, %v], want %v", bits, lo, hi, want)
		}
	}
	for n := 2; n < 6; n++ {
		q := pathQuery(t, n)
		pairs := 0
		for x := range n {
			pairs += len(q.Space().Neighbors(x))
		}
		rows := make([][]*big.Rat, n)
		for x := range rows {
			rows[x] = slices.Repeat([]*big.Rat{big.NewRat(1, int64(n))}, n)
		}
		class := make([]int32, n)
		for _, m := range []mechanism.Mechanism{
			must.For(mechanism.NewRationalTable(mechanism.Info{Query: q}, rows, nil))(t),
			must.For(mechanism.NewRationalTable(mechanism.Info{Query: q}, rows[:1], class))(t), // no two neighbors differ
			mechanism.NewLayered("flat", must.For(mechanism.NewLayerTable(ctx, q, make([]int32, n*n)))(t), ln(t, 2, 1), evidence.Claimed{}),
		} {
			loss := must.For(mechanism.Privacy(m).Epsilon(ctx, 0))(t)
			if e, ok := loss.(evidence.ExactLog); !ok || e.Argument == nil || e.Argument.Cmp(big.NewRat(1, 1)) != 0 || e.Cases != uint64(pairs*n) {
				t.Errorf("%d datasets of one law: smallest ε %v of %d cases, want 0 of %d", n, loss, e.Cases, pairs*n)
			}
			for _, at := range []evidence.Epsilon{{}, ln(t, 2, 1)} {
				if e, ok := must.For(mechanism.Privacy(m).Delta(ctx, at))(t).(evidence.Exact); !ok || e.Value.Sign() != 0 || e.Cases != uint64(pairs*n) {
					t.Errorf("%d datasets of one law: δ(%v) = %v of %d cases, want 0 of %d", n, at, e, e.Cases, pairs*n)
				}
			}
		}
	}
}
