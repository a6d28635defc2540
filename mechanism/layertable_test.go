package mechanism_test

import (
	"context"
	"errors"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// Levels far beyond those that are counted in buckets or whose powers are kept have
// the law, the distortion and the privacy that they say, exact where e^{−unit} is.
func TestDeepLevels(t *testing.T) {
	ctx := context.Background()
	q := pathQuery(t, 3)
	table := [][]int32{{0, 4095, 4097}, {4096, 4095, 4096}, {9000, 9000, 5000}}
	levels, err := mechanism.NewLayerTable(ctx, q, slices.Concat(table...))
	if err != nil {
		t.Fatal(err)
	}
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
			t.Errorf("dataset %d ends at layer %d, lists %d, want %d", x, m.LastLayer(x), len(m.Layers(x)), last)
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

// Levels at a rational e^{−unit} have rational laws: distortion, smallest ε and
// profile are those of the definitions, with what all of them count.
func TestRationalLevels(t *testing.T) {
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
		levels, err := mechanism.NewLayerTable(ctx, q, table)
		if err != nil {
			t.Fatal(err)
		}
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
		loss, err := mechanism.Privacy(m).Epsilon(ctx, 0)
		if got, ok := loss.(evidence.ExactLog); err != nil || !ok || got.Argument.Cmp(largestRatio(q, rows)) != 0 || got.Cases != cases {
			t.Errorf("levels %v: smallest ε %v, %v, want ln(%v) of %d cases", table, loss, err, largestRatio(q, rows), cases)
		}
		for _, w := range []*big.Rat{big.NewRat(1, 1), big.NewRat(4, 3), big.NewRat(7, 1)} {
			at := evidence.Epsilon{}
			if !w.IsInt() || w.Num().Int64() > 1 {
				if at, err = evidence.LogEpsilon("eps", w); err != nil {
					t.Fatal(err)
				}
			}
			d, err := mechanism.Privacy(m).Delta(ctx, at)
			if got, ok := d.(evidence.Exact); err != nil || !ok || got.Value.Cmp(hockeyStick(q, rows, w)) != 0 || got.Cases != cases {
				t.Errorf("levels %v: δ(ln %v) = %v, %v, want %v", table, w, d, err, hockeyStick(q, rows, w))
			}
		}
	}
}

// Levels are none or 0 to the last layer that there may be, and nothing else.
func TestLevelsUpToTheLast(t *testing.T) {
	q := pathQuery(t, 2)
	for _, c := range []struct {
		level int32
		fits  bool
	}{{query.Unreached - 1, false}, {query.Unreached, true}, {0, true}, {query.MaxLayer, true}, {query.MaxLayer + 1, false}} {
		levels, err := mechanism.NewLayerTable(t.Context(), q, []int32{0, c.level, 0, 1})
		if c.fits != (err == nil) || !c.fits && !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("level %d: %v", c.level, err)
			continue
		}
		if c.fits && (levels.Layer(0, 1) != int(c.level) || levels.LastLayer(0) != max(0, int(c.level))) {
			t.Errorf("level %d is %d, and the deepest %d", c.level, levels.Layer(0, 1), levels.LastLayer(0))
		}
	}
}

// Distances that float64 does not tell apart count as what they are, in one row of levels and another: distortions are
// those of the definition, exact or enclosed, and datasets with one profile have one law and one distortion.
func TestLevelsOfNearDistances(t *testing.T) {
	ctx, rng := t.Context(), rand.New(rand.NewPCG(19, 2))
	tiny := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(3), 90))
	point := func(whole, hairs int64) *big.Rat {
		p := big.NewRat(hairs, 1)
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
					t.Errorf("levels %v: %d and %d have one profile, and distortions %v and %v", table, x, y, sum, distortions[y])
				}
			}
		}
		if worst := must.For(mechanism.WorstDistortion(ctx, m))(t); evidence.Rational(worst) != slices.MaxFunc(distortions, (*big.Rat).Cmp).RatString() {
			t.Errorf("levels %v: worst distortion %v of %v", table, worst, distortions)
		}
		if trial < 2 {
			followsLaw(t, "near distances", mechanism.NewLayered("levels", levels, eps(t, 0.4), evidence.Claimed{Value: 9}), decimalLaw(t, table, 0.4), nil)
		}
	}
}
