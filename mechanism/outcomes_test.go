package mechanism_test

import (
	"cmp"
	"errors"
	"fmt"
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

	"github.com/cockroachdb/apd/v3"
)

// A pair of laws has the divergences that the rationals have, in both directions, and as
// sure what the other law never gives, also where some values are out of reach.
func TestPairsWithUnreachedValues(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 7))
	for range 2 {
		const n = 3
		q := pathQuery(t, n)
		rows, table := make([][]*big.Rat, n), make([]int32, 0, n*n)
		for x := range rows {
			weights, sum := make([]*big.Rat, n), new(big.Rat)
			for r := range weights {
				level := int32(rng.IntN(4))
				weights[r] = big.NewRat(1, 1<<level)
				if r == x { // so that a value is reached, at level 0
					level, weights[r] = 0, big.NewRat(1, 1)
				} else if level == 3 {
					level, weights[r] = query.Unreached, new(big.Rat)
				}
				table = append(table, level)
				sum.Add(sum, weights[r])
			}
			for _, w := range weights {
				w.Quo(w, sum)
			}
			rows[x] = weights
		}
		levels, err := mechanism.NewLayerTable(t.Context(), q, table)
		if err != nil {
			t.Fatal(err)
		}
		finite := must.For(mechanism.NewFinite(t.Context(), q, rows, nil))(t)
		leveled := mechanism.NewLayered("levels", levels, ln(t, 2, 1), evidence.Claimed{Value: 1})
		for _, m := range []mechanism.Mechanism{finite, leveled} {
			f := mechanism.Pairs(m)
			for i := range f.Size {
				x, y := q.Space().Pair(int64(i))
				pair := must.For(f.Pair(t.Context(), i))(t)
				reverse := pair.Reverse()
				sure, never := new(big.Rat), new(big.Rat)
				for r := range n {
					if rows[y][r].Sign() == 0 {
						sure.Add(sure, rows[x][r])
					}
					if rows[x][r].Sign() == 0 {
						never.Add(never, rows[y][r])
					}
				}
				same := func(what string, got evidence.Amount, want *big.Rat) {
					t.Helper()
					if got.Rational != nil && got.Rational.Cmp(want) != 0 || got.Rational == nil && !isAround(got.Enclosure, want) {
						t.Errorf("%s %v: %s of pair %d is %v, want %v", m.Name(), rows, what, i, got, want)
					}
				}
				same("what is sure", pair.Sure(), sure)
				same("what is sure the other way round", reverse.Sure(), never)
				for _, ratio := range []int64{1, 2, 3, 50} {
					var e evidence.Epsilon
					if ratio > 1 {
						e = ln(t, ratio, 1)
					}
					for _, way := range []struct {
						delta func() (evidence.Amount, error)
						p, q  []*big.Rat
					}{
						{func() (evidence.Amount, error) { return pair.Delta(t.Context(), e) }, rows[x], rows[y]},
						{func() (evidence.Amount, error) { return reverse.Delta(t.Context(), e) }, rows[y], rows[x]},
					} {
						want := new(big.Rat)
						for r := range n {
							if gap := new(big.Rat).Sub(way.p[r], new(big.Rat).Mul(big.NewRat(ratio, 1), way.q[r])); gap.Sign() > 0 {
								want.Add(want, gap)
							}
						}
						same("δ", must.For(way.delta())(t), want)
					}
				}
			}
		}
	}
}

// Pairs have one key where as many values lie as far from both datasets, in the same levels, whichever these are, and another where their
// laws differ.
func TestKeysTellLevels(t *testing.T) {
	rng := rand.New(rand.NewPCG(513, 7))
	alike, apart := 0, 0
	for range 300 {
		const n = 6
		q := pathQuery(t, n)
		table := make([]int32, 0, n*n)
		for x := range n {
			for r := range n {
				level := int32(rng.IntN(3))
				if r == x {
					level = 0
				} else if level == 2 {
					level = query.Unreached
				}
				table = append(table, level)
			}
		}
		m := mechanism.NewLayered("levels", must.For(mechanism.NewLayerTable(t.Context(), q, table))(t), ln(t, 3, 1), evidence.Claimed{Value: 1})
		f := mechanism.Pairs(m)
		levels, laws := make([]string, f.Size), make([]string, f.Size)
		for i := range f.Size {
			x, y := q.Space().Pair(int64(i))
			var a, b []string
			for r := range n {
				p, _ := m.Rational(x, r)
				o, _ := m.Rational(y, r)
				a = append(a, fmt.Sprint(table[x*n+r], " ", table[y*n+r], " ", max(r-x, x-r), " ", max(r-y, y-r), ";"))
				b = append(b, fmt.Sprint(p, " ", o))
			}
			slices.Sort(a)
			slices.Sort(b)
			levels[i], laws[i] = fmt.Sprint(a), fmt.Sprint(b)
			for j := range i {
				same := f.Key(i) == f.Key(j)
				switch {
				case same && laws[i] != laws[j]:
					t.Errorf("one key for the laws %s and %s", laws[i], laws[j])
				case !same && levels[i] == levels[j]:
					t.Errorf("two keys for the levels and distances %s", levels[i])
				case same:
					alike++
				default:
					apart++
				}
			}
		}
	}
	if alike < 10 || apart < 1000 {
		t.Errorf("%d pairs of one key, %d of two", alike, apart)
	}
}

func isAround(a interval.Interval, v *big.Rat) bool {
	lo, hi := a.Sub(interval.Rat(v)).Bounds()
	return lo <= 0 && hi >= 0
}

// Distortions are compared between levels and tables too, whichever comes first.
func TestLogRatioOfLevelsAndTables(t *testing.T) {
	q := pathQuery(t, 3)
	levels := must.For(mechanism.NewLayerTable(t.Context(), q, []int32{0, 1, 2, 1, 0, 1, 2, 1, 0}))(t)
	leveled := mechanism.NewLayered("levels", levels, ln(t, 2, 1), evidence.Claimed{Value: 1})
	third := big.NewRat(1, 3)
	even := must.For(mechanism.NewFinite(t.Context(), q, [][]*big.Rat{{third, third, third}, {third, third, third}, {third, third, third}}, nil))(t)
	for x, want := range []*big.Rat{big.NewRat(4, 7), big.NewRat(1, 2), big.NewRat(4, 7)} { // the means of levels: (½ + 2/4)/(7/4), (½ + ½)/2
		want = new(big.Rat).Quo(want, big.NewRat([]int64{3, 2, 3}[x], 3)) // of the table: (1 + 2)/3, (1 + 1)/3
		for _, ratio := range []interval.Interval{mechanism.LogRatio(leveled, even, x), mechanism.LogRatio(even, leveled, x).Neg()} {
			if gap := ratio.Sub(interval.Rat(want).Log()); !isAround(gap, new(big.Rat)) || gap.Mid() > 1e-60 || gap.Mid() < -1e-60 {
				t.Errorf("dataset %d: ln of the ratio is %v, want ln %v", x, ratio, want)
			}
		}
	}
}

// One power of e^{−ε} is never 0, no power is, and two are where they cancel.
func TestSignsOfFewExponentials(t *testing.T) {
	rat := func(a, b int64) *big.Rat { return big.NewRat(a, b) }
	for _, e := range []evidence.Epsilon{eps(t, 1), ln(t, 4, 1), ln(t, 3, 2).Ratio(1, 3)} {
		for _, power := range []*big.Rat{rat(0, 1), rat(1, 2), rat(3, 1), rat(100, 7)} {
			one := mechanism.ExpTerm(rat(2, 3), power)
			for sign, s := range map[int]mechanism.ExpSum{1: one, -1: one.Neg(), 0: one.Sub(one)} {
				if got, err := s.Sign(e); err != nil || got != sign {
					t.Errorf("a term of e^(−%v·%v): sign %d, %v, want %d", power, e, got, err, sign)
				}
			}
		}
	}
	half := ln(t, 4, 1) // e^{−ε/2} = ½ = 2e^{−ε}
	for c, sign := range map[int64]int{1: -1, 2: 0, 3: 1} {
		s := mechanism.ExpTerm(rat(c, 1), rat(1, 1)).Sub(mechanism.ExpTerm(rat(1, 1), rat(1, 2)))
		if got, err := s.Sign(half); err != nil || got != sign {
			t.Errorf("%d/4 − ½: sign %d, %v, want %d", c, got, err, sign)
		}
	}
}

// What is undecided has no sign.
func TestUndecidedHasNoSign(t *testing.T) {
	third := interval.Int(1).Quo(interval.Int(3))
	rest := interval.Int(1).Sub(third)
	m := must.For(mechanism.NewEnclosedTable(mechanism.Info{Name: "table", Query: pathQuery(t, 2)}, [][]interval.Interval{{third, rest}, {third, rest}}, nil, nil))(t)
	if sign, err := mechanism.CompareProbabilities(m, mechanism.Outcome{X: 0}, mechanism.Outcome{X: 1}, 0, ln(t, 2, 1)); sign != 0 || !errors.Is(err, mechanism.ErrUndecided) {
		t.Errorf("a third by enclosure against a third: %d, %v", sign, err)
	}
	// ½ against e^{−ε}/(1 + e^{−1}) at the ε where they meet, to 120 digits.
	c, z := apd.BaseContext.WithPrecision(130), new(apd.Decimal)
	for _, step := range []func() (apd.Condition, error){
		func() (apd.Condition, error) { return c.Exp(z, apd.New(-1, 0)) },
		func() (apd.Condition, error) { return c.Add(z, z, apd.New(1, 0)) },
		func() (apd.Condition, error) { return c.Quo(z, apd.New(2, 0), z) },
		func() (apd.Condition, error) { return c.Ln(z, z) },
	} {
		must.For(step())(t)
	}
	meet, _ := new(big.Rat).SetString(z.Text('f'))
	levels := mechanism.NewLayered("levels", must.For(mechanism.NewLayerTable(t.Context(), pathQuery(t, 2), []int32{0, 0, 0, 1}))(t), eps(t, 1), evidence.Claimed{})
	for k, want := range []int{1, 0, -1} {
		at := must.For(evidence.RationalEpsilon("eps", new(big.Rat).Mul(meet, big.NewRat(1e9+1-int64(k), 1e9))))(t)
		sign, err := mechanism.CompareProbabilities(levels, mechanism.Outcome{X: 0}, mechanism.Outcome{X: 1}, 1, at)
		if sign != want || (err == nil) != (want != 0) || want == 0 && !errors.Is(err, mechanism.ErrUndecided) {
			t.Errorf("a half against a step down, side %d: %d, %v", want, sign, err)
		}
	}
}

// Probabilities of levels that a tiny unit has hardly moved are ordered by their first derivatives: where all weigh 1 − kε, p is
// 1 + ε(the mean of k − k) over their number.
func TestOrderOfTinyUnits(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 2))
	told := map[int]int{}
	for range 2 {
		const n = 3
		table := make([]int32, n*n)
		for i := range table {
			table[i] = int32(rng.IntN(6))
		}
		m := mechanism.NewLayered("levels", must.For(mechanism.NewLayerTable(t.Context(), pathQuery(t, n), table))(t), eps(t, 1e-300), evidence.Claimed{})
		slope := func(o mechanism.Outcome) (s int32) { // n times
			for _, level := range table[o.X*n : o.X*n+n] {
				s += level
			}
			return s - n*table[o.X*n+o.R]
		}
		for i := range n * n {
			for j := range n * n {
				p, c := mechanism.Outcome{X: i / n, R: i % n}, mechanism.Outcome{X: j / n, R: j % n}
				want := cmp.Compare(slope(p), slope(c))
				if want == 0 && i != j {
					continue // the second derivatives tell, or none does
				}
				if sign, err := mechanism.CompareProbabilities(m, p, c, 0, eps(t, 1)); sign != want || err != nil {
					t.Errorf("levels %v: %v against %v: %d, %v, want %d", table, p, c, sign, err, want)
				}
				told[want]++
			}
		}
	}
	if told[-1] < 30 || told[1] < 30 {
		t.Errorf("told apart %v", told)
	}
}

// A pair in float64 allows for the errors of both logarithms and for the rounding of each loss.
func TestRoughPairsAllowForRounding(t *testing.T) {
	for _, u := range []float64{.1, 30, 600} {
		levels := must.For(mechanism.NewLayerTable(t.Context(), pathQuery(t, 3), []int32{0, 1, 90, 1, 0, 60, 90, 1, 0}))(t)
		m := mechanism.NewLayered("levels", levels, eps(t, u), evidence.Claimed{Value: 1})
		f := mechanism.Pairs(m)
		if f.Rough == nil {
			t.Fatalf("unit %v: no pair in float64", u)
		}
		for i := range f.Size {
			r := f.Rough(i)
			for _, loss := range r.Loss {
				if !(r.Error >= 2*m.LogError() && r.Error >= math.Abs(loss)*0x1p-50) {
					t.Errorf("unit %v: a loss of %v is off by %v at most, two logarithms by %v", u, loss, r.Error, 2*m.LogError())
				}
			}
		}
	}
}

// A smooth mechanism goes by its radius as it was written: a decimal, or else a fraction.
func TestNamesOfRadii(t *testing.T) {
	for text, rho := range map[string]*big.Rat{"0.5": big.NewRat(1, 2), "0.1": big.NewRat(1, 10), "1/3": big.NewRat(1, 3), "3": big.NewRat(3, 1), "inf": nil} {
		m := must.For(mechanism.NewInverseSensitivity(t.Context(), pathQuery(t, 3), eps(t, 1), rho))(t)
		if !strings.Contains(m.Name(), text) {
			t.Errorf("radius %s: the mechanism is %q", text, m.Name())
		}
	}
	if _, err := mechanism.NewInverseSensitivity(t.Context(), pathQuery(t, 3), eps(t, 1), big.NewRat(-1, 4)); err == nil || !strings.Contains(err.Error(), "rho = -0.25, want at least 0") {
		t.Errorf("a negative radius: %v", err)
	}
}
