package privacy_test

import (
	"dpworkbench/internal/must"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/privacy"

	"pgregory.net/rapid"
)

// Where pairs of unlike datasets are bounded together, the lower end is the most that one part alone shows, and the upper end no less than that
// of both.
func TestBoundsShowWhatPartsShow(t *testing.T) {
	few(t, 12, func(t *rapid.T) {
		a, b := tables(t, 2, "a"), tables(t, 2, "b")
		parts := []*privacy.DominatingPairs{family(t, "s", a, false), family(t, "o", b, false)}
		both := compose(t, []int{1, 1}, parts...)
		if !both.IsBound() || compose(t, []int{1}, parts[0]).IsBound() {
			t.Fatal("which numbers are bounds is mistaken")
		}
		e := logOf(t, big.NewRat(int64(rapid.IntRange(6, 20).Draw(t, "w")), 6))
		for name, of := range map[string]func(a *privacy.Account) (evidence.Number, error){
			"δ":      func(a *privacy.Account) (evidence.Number, error) { return a.Delta(ctx, e) },
			"ε":      func(a *privacy.Account) (evidence.Number, error) { return a.Epsilon(ctx, evidencetest.Delta(0.05)) },
			"pure ε": func(a *privacy.Account) (evidence.Number, error) { return a.Epsilon(ctx, evidence.Delta{}) },
			"D":      func(a *privacy.Account) (evidence.Number, error) { return a.Renyi(ctx, big.NewRat(2, 1)) },
			"μ":      func(a *privacy.Account) (evidence.Number, error) { return a.GDP(ctx) },
			"∞":      func(a *privacy.Account) (evidence.Number, error) { return a.InfinityMass(ctx) },
		} {
			lo, hi := ask2(t)(of(both)).Bounds()
			want := 0.0
			for _, f := range parts {
				l, h := ask2(t)(of(compose(t, []int{1}, f))).Bounds()
				want = max(want, l)
				if hi < h*(1-1e-12) && !math.IsInf(h, 1) {
					t.Fatalf("%s is at most %g, and one part has %g", name, hi, h)
				}
			}
			if lo > hi || math.Abs(lo-min(want, hi)) > 1e-12*want && lo != want {
				t.Fatalf("%s is in [%g, %g], and the parts show %g", name, lo, hi, want)
			}
		}
	})
}

// The worst pair and its outputs are those of a search through all: of the largest loss, or of losses above an ε.
func TestWorstOfTables(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := tables(t, rapid.IntRange(1, 4).Draw(t, "pairs"), "a")
		f := family(t, "s", all, false)
		f.Datasets = func(i int) (x, y any) { return i, fmt.Sprint("neighbor of ", i) }
		f.Output = func(tag int) any { return tag }
		account := privacy.New(f)
		pair := func(i int) table {
			if i%2 == 1 {
				return all[i/2].reverse()
			}
			return all[i/2]
		}
		w := big.NewRat(int64(rapid.IntRange(7, 30).Draw(t, "w")), 6)
		e := logOf(t, w)
		for _, eps := range []*evidence.Epsilon{nil, &e} {
			got := must.Be(account.Worst(ctx, eps))
			i := got.X.(int)
			if got.Y != fmt.Sprint("neighbor of ", i) {
				t.Fatalf("the neighbor is %v", got.Y)
			}
			of := pair(i)
			top, infinite := func(a table) (*big.Rat, bool) {
				r, infinite := a.ratios()
				if len(r) == 0 {
					return new(big.Rat), infinite
				}
				return r[len(r)-1], infinite
			}(of)
			want := map[int]bool{}
			for j := range of.p {
				ratio, alone := new(big.Rat), of.q[j].Sign() == 0 && of.p[j].Sign() > 0
				if of.q[j].Sign() > 0 {
					ratio.Quo(of.p[j], of.q[j])
				}
				switch {
				case alone, eps == nil && !infinite && of.p[j].Sign() > 0 && ratio.Cmp(top) == 0, eps != nil && ratio.Cmp(w) > 0:
					want[j] = true
				}
			}
			if eps == nil {
				for k := range 2 * len(all) {
					r, ends := pair(k).ratios()
					if ends && !infinite || !infinite && len(r) > 0 && r[len(r)-1].Cmp(top) > 0 && top.Cmp(big.NewRat(1, 1)) >= 0 {
						t.Fatalf("pair %d reveals more than pair %d", k, i)
					}
				}
			} else if d := got.Loss.(evidence.Exact).Value; d.Cmp(worst(all, func(a table) *big.Rat { return a.delta(w) })) != 0 || d.Cmp(of.delta(w)) != 0 {
				t.Fatalf("δ is %v, of the pair %v", d, of.delta(w))
			}
			// Outputs that only one law gives have no tags in these tables.
			named := map[int]bool{}
			for _, o := range got.Outputs {
				named[o.(int)] = true
			}
			for j := range of.p {
				if of.q[j].Sign() == 0 || of.p[j].Sign() == 0 {
					delete(want, j)
				}
			}
			if eps == nil && infinite {
				continue
			}
			if !reflect.DeepEqual(named, want) {
				t.Fatalf("outputs %v, want %v", got.Outputs, want)
			}
		}
	})
}

// Points of the profile lie between its ends, where δ is no more than asked, and are its upper ends.
func TestPointsOfAProfile(t *testing.T) {
	for name, c := range map[string]struct {
		of   table
		far  float64
		last float64
	}{
		"response":    {table{normalized([]int{3, 1}), normalized([]int{1, 3})}, math.Log(3), 1.1e-6},
		"lost":        {table{normalized([]int{3, 1, 0}), normalized([]int{1, 2, 1})}, 0, 0.25 + 1e-6},
		"no loss":     {table{normalized([]int{1, 1}), normalized([]int{1, 1})}, 1, 0},
		"hardly any":  {table{normalized([]int{10_000_000, 10_000_001}), normalized([]int{10_000_001, 10_000_000})}, 1.05 * math.Log1p(1e-7), 0},
		"lost always": {table{normalized([]int{1, 0}), normalized([]int{0, 1})}, 1, 1},
	} {
		a := privacy.New(family(t, "s", []table{c.of}, false))
		eps, delta, err := a.ProfilePoints(ctx, 9)
		if err != nil || len(eps) != 9 || len(delta) != 9 || eps[0] != 0 {
			t.Fatalf("%s: %v, %v, %v", name, eps, delta, err)
		}
		for i, e := range eps {
			want := worst([]table{c.of}, func(a table) *big.Rat { return a.delta(exp(rat(e))) })
			if v, _ := want.Float64(); math.Abs(delta[i]-v) > 1e-14 || math.Abs(e-eps[8]*float64(i)/8) > 1e-15 {
				t.Errorf("%s: δ(%g) is %g, want %g", name, e, delta[i], v)
			}
		}
		if c.far > 0 && math.Abs(eps[8]-c.far) > 1e-5*c.far || delta[8] > c.last {
			t.Errorf("%s: the last point is δ(%g) = %g, want δ(%g) ≤ %g", name, eps[8], delta[8], c.far, c.last)
		}
	}
	a := privacy.New(family(t, "s", []table{{normalized([]int{3, 1}), normalized([]int{1, 3})}}, false))
	for _, n := range []int{-1, 0, 1, 4097} {
		if _, _, err := a.ProfilePoints(ctx, n); !isParameter(err) {
			t.Errorf("%d points: %v", n, err)
		}
	}
	for _, end := range []float64{0, -1, math.Inf(1), math.NaN()} {
		if _, _, err := a.ProfilePointsTo(ctx, end, 2); !isParameter(err) {
			t.Errorf("points up to %g: %v", end, err)
		}
	}
}

// A loss of ε, 0 or −ε has the δ of its three outputs.
func TestStepFamilies(t *testing.T) {
	for _, w := range []*big.Rat{big.NewRat(2, 1), big.NewRat(7, 5)} {
		for _, grows := range []*big.Rat{big.NewRat(1, 3), new(big.Rat).Quo(w, new(big.Rat).Add(w, big.NewRat(1, 1)))} {
			falls := new(big.Rat).Quo(grows, w)
			rest := new(big.Rat).Sub(big.NewRat(1, 1), new(big.Rat).Add(grows, falls))
			of := table{[]*big.Rat{falls, grows, rest}, []*big.Rat{grows, falls, rest}}
			f := privacy.ThreePointPairs("steps", "test", logOf(t, w), evidence.ExactRat(grows))
			for k := 1; k <= 3; k++ {
				for _, at := range []*big.Rat{big.NewRat(1, 1), big.NewRat(6, 5), big.NewRat(5, 2)} {
					d, err := compose(t, []int{k}, f).Delta(ctx, logOf(t, at))
					if e, ok := ask(t, d, err).(evidence.Exact); !ok || e.Value.Cmp(of.power(k).delta(at)) != 0 {
						t.Errorf("%d steps of ln %v with chance %v: δ(ln %v) is %v, want %v", k, w, grows, at, d, of.power(k).delta(at))
					}
				}
			}
		}
	}
}

// named is a mechanism with a name.
type named string

// Name is what it is called.
func (n named) Name() string { return string(n) }

// What a corner says has the name of what it is of, where that has one, and where it lies.
func TestNamesOfCorners(t *testing.T) {
	for of, want := range map[any]string{named("noise"): "the trade-off function of noise at 0.125", 3: "the trade-off function of a mechanism at 0.125"} {
		if got := (&privacy.CornerStatement{Of: of, Alpha: big.NewRat(1, 8)}).Says(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The line that a corner names lies below the trade-off function and meets it there.
func TestSlopesOfCorners(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := family(t, "s", tables(t, rapid.IntRange(1, 4).Draw(t, "pairs"), "a"), false)
		f.Mechanism = "tables"
		line, err := privacy.New(f).Tradeoff(ctx)
		if err != nil || !line.Exact {
			t.Fatal(line, err)
		}
		for _, c := range line.Corners {
			beta := c.Beta.(evidence.Exact)
			s, ok := beta.Statement.(*privacy.CornerStatement)
			if !ok || s.Of != "tables" || s.Alpha.Cmp(c.Alpha.(evidence.Exact).Value) != 0 || !strings.HasPrefix(s.Says(), "the trade-off function of a mechanism at ") {
				t.Fatalf("a corner states %v", beta.Statement)
			}
			for _, o := range line.Corners {
				gap := new(big.Rat).Sub(o.Alpha.(evidence.Exact).Value, s.Alpha)
				at := new(big.Rat).Sub(beta.Value, gap.Mul(gap, s.Slope))
				if at.Cmp(o.Beta.(evidence.Exact).Value) > 0 {
					t.Fatalf("the line of slope −%v at α = %v lies above the corner at %v", s.Slope, s.Alpha, o.Alpha)
				}
			}
		}
	})
}
