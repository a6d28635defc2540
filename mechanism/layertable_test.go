package mechanism_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/query"

	"github.com/cockroachdb/apd/v3"
)

// A value that neither neighbor outputs causes no loss, and a value that only one outputs causes an infinite loss,
// for every kind of law. The Ladder of a constant query never reaches other values.
func TestUnreachedValues(t *testing.T) {
	ctx := context.Background()
	values := []float64{1, 2, 5}
	space := must.For(query.NewPathSpace(2, [][2]int{{0, 1}}))(t)
	q := must.For(query.NewNumeric("f", space, []float64{1, 2}, values))(t)
	const u = query.Unreached
	third, less := big.NewRat(1, 3), big.NewRat(2, 3)
	table := must.For(mechanism.NewFinite(ctx, q, [][]*big.Rat{{less, third, new(big.Rat)}, {third, less, new(big.Rat)}}, nil))(t)
	levels := mechanism.NewLayered("layers", must.For(mechanism.NewLayerTable(ctx, q, []int32{0, 1, u, 1, 0, u}))(t), ln(t, 2, 1), evidence.Claimed{})
	for _, m := range []mechanism.Mechanism{table, levels, enclosed{table}, rough{table, 0.01, 5}, rough{enclosed{table}, 4, 9}} {
		for x := range 2 {
			if got := m.LogProb(x, 2); !math.IsInf(got, -1) {
				t.Errorf("ln of a probability of 0 is %v", got)
			}
		}
		if lo, hi := must.For(mechanism.Privacy(m).Epsilon(ctx, evidence.Delta{}))(t).Bounds(); math.Abs(lo-math.Ln2) > 1e-15 || math.Abs(hi-math.Ln2) > 1e-15 {
			t.Errorf("smallest ε in [%v, %v], want ln 2", lo, hi)
		}
		if lo, hi := must.For(mechanism.Privacy(m).Delta(ctx, evidence.Epsilon{}))(t).Bounds(); math.Abs(lo-1./3) > 1e-15 || math.Abs(hi-1./3) > 1e-15 {
			t.Errorf("δ(0) in [%v, %v], want 1/3", lo, hi)
		}
	}
	for _, far := range []float64{5, 5.1} { // integer and other distances
		flat := must.For(query.NewNumeric("flat", space, []float64{1, 1}, []float64{0.5, 1, far}))(t)
		for _, name := range []string{"ladder"} {
			m := build(t, name, flat, eps(t, 1))
			for x := range 2 {
				if m.LogProb(x, 1) != 0 || !math.IsInf(m.LogProb(x, 0), -1) || !math.IsInf(m.LogProb(x, 2), -1) {
					t.Errorf("%s of a constant: ln p = %v, %v, %v", m.Name(), m.LogProb(x, 0), m.LogProb(x, 1), m.LogProb(x, 2))
				}
			}
		}
	}
}

// Layers beyond the buckets and the cached powers have the right law, distortion and privacy. Results are exact if
// e^{−decay} is rational.
func TestLayersBeyondCachedPowers(t *testing.T) {
	ctx := context.Background()
	q := pathQuery(t, 3)
	table := [][]int32{{0, 4095, 4097}, {4096, 4095, 4096}, {9000, 9000, 5000}}
	levels := must.For(mechanism.NewLayerTable(ctx, q, slices.Concat(table...)))(t)
	m := mechanism.NewLayered("levels", levels, eps(t, 1e-3), evidence.Claimed{Value: 9})
	followsLaw(t, "deep levels", m, decimalLaw(t, table, 1e-3), []evidence.Epsilon{eps(t, 0.2)})
	for x, want := range [][]mechanism.Layer{
		{{Index: 0, Values: []int{0}}, {Index: 4095, Values: []int{1}}, {Index: 4097, Values: []int{2}}},
		{{Index: 4095, Values: []int{1}}, {Index: 4096, Values: []int{0, 2}}},
		{{Index: 5000, Values: []int{2}}, {Index: 9000, Values: []int{0, 1}}},
	} {
		got := m.NonemptyLayers(x)
		if !slices.EqualFunc(got, want, func(a, b mechanism.Layer) bool { return a.Index == b.Index && slices.Equal(a.Values, b.Values) }) {
			t.Errorf("dataset %d has layers %v, want %v", x, got, want)
		}
		if last := want[len(want)-1].Index; m.LastLayer(x) != last || len(m.Layers(x)) != last+1 {
			t.Errorf("dataset %d: last layer %d, %d layers, want %d", x, m.LastLayer(x), len(m.Layers(x)), last)
		}
		for level, values := range m.Layers(x) {
			var there []int
			for r, l := range table[x] {
				if int(l) == level {
					there = append(there, r)
				}
			}
			if !slices.Equal(values, there) {
				t.Errorf("dataset %d has the values %v in layer %d, want %v", x, values, level, there)
			}
		}
	}
}

// At a rational e^{−decay}, distortion, smallest ε, profile and case counts match their definitions.
func TestLayeredAtRationalDecay(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(31, 7))
	z := big.NewRat(2, 5)
	for range 40 {
		n := 2 + rng.IntN(3)
		q := pathQuery(t, n)
		table := make([]int32, n*n)
		for i := range table {
			table[i] = int32(rng.IntN(5))
		}
		levels := must.For(mechanism.NewLayerTable(ctx, q, table))(t)
		m := mechanism.NewLayered("levels", levels, ln(t, 5, 2), evidence.Claimed{Value: 9})
		rows := make([][]*big.Rat, n)
		worst, mean := new(big.Rat), new(big.Rat)
		for x := range rows {
			sum, distortion := new(big.Rat), new(big.Rat)
			for r := range n {
				w := interval.RationalPower(z, big.NewInt(int64(table[x*n+r])))
				rows[x] = append(rows[x], w)
				sum.Add(sum, w)
			}
			for r, w := range rows[x] {
				w.Quo(w, sum)
				if p, ok := m.Rational(x, r); !ok || p.Cmp(w) != 0 {
					t.Fatalf("levels %v: p^%d(%d) = %v, want %v", table, x, r, p, w)
				}
				distortion.Add(distortion, new(big.Rat).Mul(w, big.NewRat(int64(max(r-x, x-r)), 1)))
			}
			if got, ok := mechanism.Distortion(m, x).(evidence.Exact); !ok || got.Value.Cmp(distortion) != 0 || got.Cases != uint64(n) {
				t.Errorf("levels %v: distortion at %d is %v, want %v", table, x, got, distortion)
			}
			if distortion.Cmp(worst) > 0 {
				worst = distortion
			}
			mean.Add(mean, new(big.Rat).Quo(distortion, big.NewRat(int64(n), 1)))
		}
		if got, err := mechanism.WorstDistortion(ctx, m); err != nil || got.(evidence.Exact).Value.Cmp(worst) != 0 || got.(evidence.Exact).Cases != uint64(n) {
			t.Errorf("levels %v: worst distortion %v, %v, want %v", table, got, err, worst)
		}
		if got, err := mechanism.ExpectedDistortion(ctx, m, nil); err != nil || got.(evidence.Exact).Value.Cmp(mean) != 0 || got.(evidence.Exact).Cases != uint64(n) {
			t.Errorf("levels %v: mean distortion %v, %v, want %v", table, got, err, mean)
		}
		cases := uint64(2 * (n - 1) * n)
		loss, err := mechanism.Privacy(m).Epsilon(ctx, evidence.Delta{})
		if got, ok := loss.(evidence.ExactLog); err != nil || !ok || got.Argument.Cmp(largestRatio(q, rows)) != 0 || got.Cases != cases {
			t.Errorf("levels %v: smallest ε %v, %v, want ln(%v) of %d cases", table, loss, err, largestRatio(q, rows), cases)
		}
		for _, w := range []*big.Rat{big.NewRat(1, 1), big.NewRat(4, 3), big.NewRat(7, 1)} {
			at := evidence.Epsilon{}
			if !w.IsInt() || w.Num().Int64() > 1 {
				at = must.For(evidence.LogEpsilon("eps", w))(t)
			}
			d, err := mechanism.Privacy(m).Delta(ctx, at)
			if got, ok := d.(evidence.Exact); err != nil || !ok || got.Value.Cmp(hockeyStick(q, rows, w)) != 0 || got.Cases != cases {
				t.Errorf("levels %v: δ(ln %v) = %v, %v, want %v", table, w, d, err, hockeyStick(q, rows, w))
			}
		}
	}
}

// Distances that round to the same float64 are still distinguished as rational numbers. Distortions match their
// definition, and datasets with the same profile have the same law and distortion.
func TestLayersOfCloseDistances(t *testing.T) {
	ctx, rng := t.Context(), rand.New(rand.NewPCG(19, 2))
	tiny := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(3), 90))
	point := func(whole, steps int64) *big.Rat {
		p := big.NewRat(steps, 1)
		return p.Mul(p, tiny).Add(p, big.NewRat(whole, 1))
	}
	for trial := range 12 {
		points := []*big.Rat{point(0, 0), point(1, 0), point(1, 1), point(1, 2+rng.Int64N(3)), point(3, rng.Int64N(2))}
		n := len(points)
		values := make([]query.Value, n)
		for x, p := range points {
			values[x] = query.RationalValue(p)
		}
		q := must.For(query.New("near", pathQuery(t, n).Space(), values, nil, query.ValueMetric{}))(t)
		table := make([][]int32, n)
		for x := range table {
			table[x] = make([]int32, n)
			for r := range table[x] {
				table[x][r] = rng.Int32N(3)
			}
			if x > 0 && x < 4 && trial%2 == 0 {
				table[x] = []int32{0, 1, 1, 1, 1}
			}
		}
		levels := must.For(mechanism.NewLayerTable(ctx, q, slices.Concat(table...)))(t)
		m := mechanism.NewLayered("levels", levels, ln(t, 5, 2), evidence.Claimed{Value: 9})
		distortions := make([]*big.Rat, n)
		for x := range table {
			weight, sum := new(big.Rat), new(big.Rat)
			for r, level := range table[x] {
				w := interval.RationalPower(big.NewRat(2, 5), big.NewInt(int64(level)))
				d := new(big.Rat).Sub(points[r], points[x])
				weight.Add(weight, w)
				sum.Add(sum, d.Abs(d).Mul(d, w))
			}
			distortions[x] = sum.Quo(sum, weight)
			if got, ok := mechanism.Distortion(m, x).(evidence.Exact); !ok || got.Value.Cmp(sum) != 0 {
				t.Errorf("levels %v: distortion at %d is %v, want %v", table, x, got, sum)
			}
			for y := range x {
				if m.ProfileKey(x) == m.ProfileKey(y) && distortions[y].Cmp(sum) != 0 {
					t.Errorf("levels %v: %d and %d have the same profile, but distortions %v and %v", table, x, y, sum, distortions[y])
				}
			}
		}
		if worst := must.For(mechanism.WorstDistortion(ctx, m))(t); evidence.Rational(worst) != slices.MaxFunc(distortions, (*big.Rat).Cmp).RatString() {
			t.Errorf("levels %v: worst distortion %v of %v", table, worst, distortions)
		}
		if trial < 2 {
			followsLaw(t, "close distances", mechanism.NewLayered("levels", levels, eps(t, 0.4), evidence.Claimed{Value: 9}), decimalLaw(t, table, 0.4), nil)
		}
	}
}

// At decays from 1e-60 to 100, smallest ε, profile and distortion are narrow enclosures of the value in decimal
// arithmetic.
func TestLayeredMatchesDecimals(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(61, 3))
	for trial := range cases.Of(12, 30) {
		n, size := 2+rng.IntN(3), 2+rng.IntN(3)
		var values []float64
		for v := range size {
			values = append(values, float64(v))
		}
		f := make([]float64, n)
		for x := range f {
			f[x] = values[rng.IntN(size)]
		}
		q := must.For(query.NewNumeric("f", pathQuery(t, n).Space(), f, values))(t)
		table, flat := make([][]int32, n), []int32(nil)
		for x := range table {
			for range values {
				table[x] = append(table[x], int32(rng.IntN(6)))
			}
			flat = append(flat, table[x]...)
		}
		u := math.Pow(10, -60+62*rng.Float64())
		levels := must.For(mechanism.NewLayerTable(ctx, q, flat))(t)
		m := mechanism.NewLayered("levels", levels, eps(t, u), evidence.Claimed{Value: 1})
		truth := decimalLaw(t, table, u)
		label := fmt.Sprintf("trial %d, unit %g, levels %v", trial, u, table)
		loss := apd.New(0, 0)
		at := eps(t, u*math.Pow(10, 2*rng.Float64()-1))
		w := dec(t, func(z *apd.Decimal) (apd.Condition, error) { return decimals.Exp(z, decOf(t, at.Value())) })
		profile, variation := apd.New(0, 0), apd.New(0, 0)
		for x := range n {
			holds(t, label+": distortion", mechanism.Distortion(m, x), truth.distortion(t, x, func(r int) float64 {
				return math.Abs(values[r] - float64(q.Value(x).(query.Number)))
			}))
			for _, y := range q.Space().Neighbors(x) {
				for to, v := range map[**apd.Decimal]*apd.Decimal{
					&loss: truth.loss(t, x, int(y)), &profile: truth.delta(t, x, int(y), w), &variation: truth.delta(t, x, int(y), apd.New(1, 0)),
				} {
					if v.Cmp(*to) > 0 {
						*to = v
					}
				}
			}
		}
		got := must.For(mechanism.Privacy(m).Epsilon(ctx, evidence.Delta{}))(t)
		holds(t, label+": smallest ε", got, loss)
		got = must.For(mechanism.Privacy(m).Delta(ctx, evidence.Epsilon{}))(t)
		holds(t, label+": δ(0)", got, variation)
		got = must.For(mechanism.Privacy(m).Delta(ctx, at))(t)
		holds(t, fmt.Sprintf("%s: δ(%g)", label, at.Value()), got, profile)
	}
}
