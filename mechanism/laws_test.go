package mechanism_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// Levels count from the first of each dataset: raising all of one changes nothing of its
// law, and so nothing of what is computed from it.
func TestRaisedLevels(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(21, 1))
	q := pathQuery(t, 3)
	for trial := range 40 {
		unit := []evidence.Epsilon{eps(t, 0.7), ln(t, 3, 1), eps(t, 40), eps(t, 1e-30)}[trial%4]
		table, raised := make([]int32, 9), make([]int32, 9)
		for x := range 3 {
			by := r.Int32N(5000)
			for v := range 3 {
				table[3*x+v] = r.Int32N(6)
			}
			least := min(table[3*x], table[3*x+1], table[3*x+2])
			for v := range 3 {
				table[3*x+v] -= least
				raised[3*x+v] = table[3*x+v] + by
			}
		}
		of := func(table []int32) *mechanism.Layered {
			return mechanism.NewLayered("levels", must.For(mechanism.NewLayerTable(ctx, q, table))(t), unit, mechanism.Claim(unit, ""))
		}
		a, b := of(table), of(raised)
		same := func(what string, v, w evidence.Number) {
			t.Helper()
			lo, hi := v.Bounds()
			if from, to := w.Bounds(); lo != from || hi != to {
				t.Errorf("levels %v: %s in [%v, %v], raised in [%v, %v]", table, what, lo, hi, from, to)
			}
		}
		same("smallest ε", must.For(mechanism.Privacy(a).Epsilon(ctx, 0))(t), must.For(mechanism.Privacy(b).Epsilon(ctx, 0))(t))
		same("δ", must.For(mechanism.Privacy(a).Delta(ctx, unit.Ratio(1, 2)))(t), must.For(mechanism.Privacy(b).Delta(ctx, unit.Ratio(1, 2)))(t))
		same("mean", must.For(mechanism.ExpectedDistortion(ctx, a, nil))(t), must.For(mechanism.ExpectedDistortion(ctx, b, nil))(t))
		same("worst", must.For(mechanism.WorstDistortion(ctx, a))(t), must.For(mechanism.WorstDistortion(ctx, b))(t))
		p, s := must.For(mechanism.Distortions(ctx, a))(t), must.For(mechanism.Distortions(ctx, b))(t)
		largest := 0.0
		for x := range 3 {
			same("distortion", mechanism.Distortion(a, x), mechanism.Distortion(b, x))
			if truth := mechanism.Distortion(a, x).Float(); math.Abs(p[x]-truth) > 1e-13*truth || p[x] != s[x] {
				t.Errorf("levels %v: distortion %v, raised %v, want %v", table, p[x], s[x], truth)
			}
			largest = max(largest, p[x])
			for v := range 3 {
				if a.LogProb(x, v) != b.LogProb(x, v) || a.LogLayerProb(x, int(table[3*x+v])) != b.LogLayerProb(x, int(raised[3*x+v])) || math.Abs(a.LogLayerProb(x, int(table[3*x+v]))-a.LogProb(x, v)) > a.LogError() {
					t.Errorf("levels %v: ln p^%d(%d) = %v, raised %v, by its layer %v", table, x, v, a.LogProb(x, v), b.LogProb(x, v), a.LogLayerProb(x, int(table[3*x+v])))
				}
			}
		}
		if worst := must.For(mechanism.WorstDistortion(ctx, a))(t).Float(); math.Abs(worst-largest) > 1e-13*largest {
			t.Errorf("levels %v: the worst distortion is %v, want %v", table, worst, largest)
		}
		c := must.For(mechanism.Compare(ctx, a, b))(t)
		if c.Min != 1 || c.Max != 1 || c.Mean != 1 || c.Better != 0 {
			t.Errorf("levels %v against themselves: %+v", table, c)
		}
	}
}

// At a tiny unit a loss is its gap and the difference of the mean levels, in units.
func TestLossesOfTinyUnits(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(21, 2))
	q := must.For(query.NewNumeric("f", must.For(query.NewPathSpace(2, [][2]int{{0, 1}}))(t), []float64{0, 1}, []float64{0, 1, 2, 3}))(t)
	for range 60 {
		for _, unit := range []float64{1e-300, 1e-30, 1e-21, 1e-12} {
			table, mean := make([]int32, 8), [2]*big.Rat{new(big.Rat), new(big.Rat)}
			for i := range table {
				table[i] = r.Int32N(5)
				mean[i/4].Add(mean[i/4], big.NewRat(int64(table[i]), 4))
			}
			m := mechanism.NewLayered("levels", must.For(mechanism.NewLayerTable(ctx, q, table))(t), eps(t, unit), evidence.Claimed{})
			want := new(big.Rat)
			for v := range 4 {
				loss := new(big.Rat).Sub(big.NewRat(int64(table[4+v]-table[v]), 1), new(big.Rat).Sub(mean[1], mean[0]))
				if loss.Abs(loss).Cmp(want) > 0 {
					want = loss
				}
			}
			at, _ := want.Float64()
			lo, hi := must.For(mechanism.Privacy(m).Epsilon(ctx, 0))(t).Bounds()
			if math.Abs(lo/unit-at) > 20*unit+1e-14*at || math.Abs(hi/unit-at) > 20*unit+1e-14*at {
				t.Errorf("levels %v of %g lose [%v, %v] units, want %v", table, unit, lo/unit, hi/unit, at)
			}
		}
	}
}

// Probabilities that stand in powers of a rational e^ε are ordered exactly, and so are
// those a little beside them.
func TestOrderOfPowers(t *testing.T) {
	q := pathQuery(t, 2)
	small := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 400))
	for _, c := range []struct{ base, num, den int64 }{{2, 1, 1}, {3, 1, 1}, {9, 1, 2}, {27, 2, 3}, {10, 3, 2}, {5, 1, 4}} {
		at := ln(t, c.base, 1).Ratio(c.num, c.den)
		for i := range 7 {
			for power := range int64(8) {
				for side := range 3 {
					ratio := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(c.base), big.NewInt(power), nil))
					ratio.Mul(ratio, new(big.Rat).Add(big.NewRat(1, 1), new(big.Rat).Mul(small, big.NewRat(int64(side-1), 1))))
					if ratio.Cmp(big.NewRat(1, 1)) > 0 {
						continue
					}
					p, whole := big.NewRat(1, 3), big.NewRat(1, 1) // of the first value, times the ratio at the second dataset
					less := new(big.Rat).Mul(p, ratio)
					m := must.For(mechanism.NewFinite(context.Background(), q, [][]*big.Rat{{p, new(big.Rat).Sub(whole, p)}, {less, new(big.Rat).Sub(whole, less)}}, evidence.Claimed{}))(t)
					// less/p = base^−power (1 ± …) against base^(−i num/den)
					want := big.NewRat(int64(i)*c.num, c.den).Cmp(big.NewRat(power, 1))
					if want == 0 {
						want = side - 1
					}
					got, err := mechanism.CompareProbabilities(m, mechanism.Outcome{X: 1, R: 0}, mechanism.Outcome{X: 0, R: 0}, i, at)
					if err != nil || got != want {
						t.Fatalf("%d^−%d, side %d, against e^(−%d·%v): %d, %v, want %d", c.base, power, side-1, i, at, got, err, want)
					}
				}
			}
		}
	}
	// Probabilities known by enclosures alone may be undecided, whatever they are divided by.
	third := interval.Int(1).Quo(interval.Int(3))
	rest := interval.Int(1).Sub(third)
	m := must.For(mechanism.NewEnclosedTable(mechanism.Info{Name: "table", Query: q}, [][]interval.Interval{{third, rest}, {third, rest}}, nil, nil))(t)
	if _, err := mechanism.CompareProbabilities(m, mechanism.Outcome{X: 0}, mechanism.Outcome{X: 1}, 0, ln(t, 2, 1)); !errors.Is(err, mechanism.ErrUndecided) {
		t.Errorf("a third by enclosure against a third: %v", err)
	}
}

// enclosed hides what is known in rational numbers.
type enclosed struct{ mechanism.Mechanism }

func (enclosed) Rational(x, r int) (*big.Rat, bool) { return nil, false }

// What enclosures say holds what rational numbers do: the smallest ε, the profile, the
// distortions, for a law of which nothing else is known.
func TestEnclosedLawsHoldRationalOnes(t *testing.T) {
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
		holds("smallest ε", must.For(mechanism.Privacy(m).Epsilon(ctx, 0))(t), must.For(mechanism.Privacy(hidden).Epsilon(ctx, 0))(t))
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

// A sum of positive terms at exponents that come in clusters, near, very near and far
// apart, is the sum of its terms one by one.
func TestExpSumsOfClusters(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 4))
	for _, e := range []float64{1e-40, 1e-13, 0.01, 1, 30} {
		for range 30 {
			var sum mechanism.ExpSum
			want := interval.Int(0)
			at := eps(t, e)
			for range 1 + r.IntN(7) {
				exponent := big.NewRat(r.Int64N(4), 3)
				if r.IntN(2) == 0 {
					exponent.Add(exponent, new(big.Rat).SetFrac(big.NewInt(r.Int64N(9)), new(big.Int).Lsh(big.NewInt(1), 44)))
				}
				c := big.NewRat(1+r.Int64N(50), 7)
				sum = sum.Add(mechanism.ExpTerm(c, exponent))
				want = want.Add(at.Enclosure().Mul(interval.Rat(exponent)).Neg().Exp().Mul(interval.Rat(c)))
			}
			if lo, hi := sum.Enclose(at).Quo(want).Sub(interval.Int(1)).Bounds(); lo > 0 || hi < 0 || hi-lo > 1e-60 {
				t.Errorf("ε = %g: %v is off by [%g, %g]", e, sum, lo, hi)
			}
			if lo, hi := sum.EncloseLog(at).Sub(want.Log()).Bounds(); lo > 0 || hi < 0 || hi-lo > 1e-60*(1+60*e) {
				t.Errorf("ε = %g: the logarithm of %v is off by [%g, %g]", e, sum, lo, hi)
			}
		}
	}
}

// A prior or a row whose sum is 1 within 1e-9 is divided by it, and beyond is none; what is
// no table of laws is said to be.
func TestSumsAndShapes(t *testing.T) {
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
	// A logarithm beyond float64 is known to be one, and nothing more.
	huge := interval.Int(-1).Mul(interval.Float(math.MaxFloat64)).Mul(interval.Int(4))
	m := must.For(mechanism.NewEnclosedTable(mechanism.Info{Query: q}, [][]interval.Interval{{one, interval.Between(0, 1e-320)}, {one, interval.Between(0, 1e-320)}},
		func(row, r int) interval.Interval { return huge }, nil))(t)
	if m.LogProb(0, 1) != -math.MaxFloat64 || !math.IsInf(m.LogError(), 1) {
		t.Errorf("ln p = %v ± %v", m.LogProb(0, 1), m.LogError())
	}
}

// A value that nobody reaches is told from one that one of two neighbors reaches, in every
// form of a law; rungs that a constant query never climbs to are of that kind.
func TestValuesThatNobodyReaches(t *testing.T) {
	ctx := context.Background()
	values := []float64{1, 2, 5}
	space := must.For(query.NewPathSpace(2, [][2]int{{0, 1}}))(t)
	q := must.For(query.NewNumeric("f", space, []float64{1, 2}, values))(t)
	const u = query.Unreached
	third, less := big.NewRat(1, 3), big.NewRat(2, 3)
	table := must.For(mechanism.NewFinite(ctx, q, [][]*big.Rat{{less, third, new(big.Rat)}, {third, less, new(big.Rat)}}, nil))(t)
	levels := mechanism.NewLayered("levels", must.For(mechanism.NewLayerTable(ctx, q, []int32{0, 1, u, 1, 0, u}))(t), ln(t, 2, 1), evidence.Claimed{})
	for _, m := range []mechanism.Mechanism{table, levels, enclosed{table}, rough{table, 0.01, 5}, rough{enclosed{table}, 4, 9}} {
		for x := range 2 {
			if got := m.LogProb(x, 2); !math.IsInf(got, -1) {
				t.Errorf("ln of a probability of 0 is %v", got)
			}
		}
		if lo, hi := must.For(mechanism.Privacy(m).Epsilon(ctx, 0))(t).Bounds(); math.Abs(lo-math.Ln2) > 1e-15 || math.Abs(hi-math.Ln2) > 1e-15 {
			t.Errorf("smallest ε in [%v, %v], want ln 2", lo, hi)
		}
		if lo, hi := must.For(mechanism.Privacy(m).Delta(ctx, evidence.Epsilon{}))(t).Bounds(); math.Abs(lo-1./3) > 1e-15 || math.Abs(hi-1./3) > 1e-15 {
			t.Errorf("δ(0) in [%v, %v], want 1/3", lo, hi)
		}
	}
	for _, far := range []float64{5, 5.1} { // whole steps, and others
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

// The profile of laws known to a digit holds those of all laws that they may be.
func TestProfilesOfWideLaws(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(21, 5))
	q := pathQuery(t, 2)
	for range 40 {
		var rows [][]interval.Interval
		var ends [2][2]float64
		for x := range ends {
			lo := 0.1 + 0.5*r.Float64()
			ends[x] = [2]float64{lo, lo + 0.3*r.Float64()}
			p := interval.Between(ends[x][0], ends[x][1])
			rows = append(rows, []interval.Interval{p, interval.Int(1).Sub(p)})
		}
		m := must.For(mechanism.NewEnclosedTable(mechanism.Info{Name: "wide", Query: q}, rows, nil, nil))(t)
		for _, e := range []float64{0.01, 0.3, 1} {
			lo, hi := must.For(mechanism.Privacy(m).Delta(ctx, eps(t, e)))(t).Bounds()
			for k := range 4 {
				a, b := ends[0][k&1], ends[1][k>>1]
				w := math.Exp(e)
				delta := max(0, a-w*b, b-w*a, (1-a)-w*(1-b), (1-b)-w*(1-a))
				if lo > delta+1e-12 || hi < delta-1e-12 {
					t.Errorf("p in %v, q in %v: δ(%g) in [%v, %v], may be %v", ends[0], ends[1], e, lo, hi, delta)
				}
			}
		}
	}
}

// A sum whose terms cancel to 2^−400 has no sign that 256 bits tell, and is not 0.
func TestSignsThatAreUndecided(t *testing.T) {
	near, term := big.NewRat(1, 1), big.NewRat(1, 1) // e^{−1}
	for k := int64(1); k < 90; k++ {
		near.Add(near, term.Mul(term, big.NewRat(-1, k)))
	}
	s := mechanism.ExpTerm(big.NewRat(1, 1), big.NewRat(1, 1)).Sub(mechanism.ExpTerm(near, new(big.Rat)))
	sign, err := s.Sign(eps(t, 1))
	if !errors.Is(err, mechanism.ErrUndecided) || sign != 0 {
		t.Fatalf("e^−1 less what it is to 450 bits: %d, %v", sign, err)
	}
	var terms int
	var lo, hi float64
	if _, failed := fmt.Sscanf(err.Error(), "undecided: a sum of %d exponentials divided by its largest power lies in [%g, %g]", &terms, &lo, &hi); failed != nil || terms != 2 || !(lo < 0 && hi > 0 && hi-lo < 1e-70) {
		t.Errorf("e^−1 less what it is to 450 bits: %v", err)
	}
	if lo, hi := s.EncloseLog(eps(t, 1)).Bounds(); !math.IsInf(lo, -1) || !(hi > -318.2 && hi < -160) { // it is 1/90! to two digits
		t.Errorf("the logarithm of e^−1 less what it is to 450 bits lies in [%v, %v]", lo, hi)
	}
	if sign, err := s.Sign(eps(t, 1.0000001)); err != nil || sign != -1 {
		t.Errorf("at a larger ε: %d, %v", sign, err)
	}
}

// Distortions of which one underflows are compared with all digits, and rows that are none
// refused; noise moves to the nearest value in whatever order the values come.
func TestComparisonsAndCells(t *testing.T) {
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
	// Distances that are no whole steps, below 1 and above.
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
