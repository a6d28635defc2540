package audit_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"

	"dpworkbench/audit"
	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/privacy"
)

// randomTable returns a table of three datasets and its laws on outputs 0 … 3, with some zero probabilities.
func randomTable(t *testing.T, rng *rand.Rand) (*audit.Table, [][]*big.Rat) {
	t.Helper()
	table, laws := new(audit.Table), make([][]*big.Rat, 3)
	for x := range laws {
		weights, total := make([]int64, 4), int64(1)
		for i := range weights {
			weights[i] = rng.Int64N(5)
			total += weights[i]
		}
		weights[x]++
		for i, w := range weights {
			p := big.NewRat(w, total)
			laws[x] = append(laws[x], p)
			if err := table.Add(fmt.Sprint(x), string(rune('a'+i)), p); err != nil {
				t.Fatal(err)
			}
		}
	}
	return table, laws
}

// products returns the joint law of the outputs of independent uses with the given laws.
func products(laws ...[]*big.Rat) []*big.Rat {
	out := []*big.Rat{rat("1")}
	for _, law := range laws {
		var next []*big.Rat
		for _, p := range out {
			for _, q := range law {
				next = append(next, new(big.Rat).Mul(p, q))
			}
		}
		out = next
	}
	return out
}

// Repeated uses of one or two tables match the joint law of all outputs.
func TestPairsAgainstProducts(t *testing.T) {
	ctx, rng := context.Background(), rand.New(rand.NewPCG(23, 4))
	for trial := range 20 {
		first, laws := randomTable(t, rng)
		second, others := randomTable(t, rng)
		neighbors := []audit.Pair{{"0", "1"}, {"2", "1.0"}}
		ids := [][2]int{{0, 1}, {2, 1}}
		if trial%2 == 0 {
			neighbors, ids = nil, [][2]int{{0, 1}, {0, 2}, {1, 2}}
		}
		var parts []*privacy.Account
		for _, table := range []*audit.Table{first, second} {
			f := must.Be(table.Pairs(neighbors))
			parts = append(parts, privacy.New(f))
			for _, e := range []evidence.Epsilon{{}, evidencetest.LogEpsilon(3, 2)} {
				got, err1 := privacy.New(f).Delta(ctx, e)
				want, err2 := table.Privacy(neighbors).Delta(ctx, e)
				if fmt.Sprint(got, err1) != fmt.Sprint(want, err2) {
					t.Errorf("one use: δ(%v) = %v, want %v", e, got, want)
				}
			}
		}
		for _, times := range [][]int{{2, 0}, {3, 0}, {1, 1}, {2, 1}} {
			used, number := parts, times
			if times[1] == 0 {
				used, number = parts[:1], times[:1]
			}
			a := must.Be(privacy.Compose(ctx, used, number))
			of := func(x int) []*big.Rat {
				var all [][]*big.Rat
				for range times[0] {
					all = append(all, laws[x])
				}
				for range times[1] {
					all = append(all, others[x])
				}
				return products(all...)
			}
			for _, w := range []*big.Rat{rat("1"), big.NewRat(3, 2), big.NewRat(20, 1)} {
				e := evidence.Epsilon{}
				if w.Cmp(rat("1")) != 0 {
					e = evidencetest.LogEpsilon(w.Num().Int64(), w.Denom().Int64())
				}
				want := new(big.Rat)
				for _, pair := range ids {
					for range 2 {
						p, q, sum := of(pair[0]), of(pair[1]), new(big.Rat)
						for i := range p {
							if d := new(big.Rat).Sub(p[i], new(big.Rat).Mul(w, q[i])); d.Sign() > 0 {
								sum.Add(sum, d)
							}
						}
						if sum.Cmp(want) > 0 {
							want = sum
						}
						pair[0], pair[1] = pair[1], pair[0]
					}
				}
				got, err := a.Delta(ctx, e)
				if err != nil || evidence.Rational(got) != want.RatString() {
					t.Errorf("trial %d, %v uses: δ(%v) = %v, want %s (%v)", trial, times, e, got, want.RatString(), err)
				}
			}
		}
	}
}

// The worst pair has dataset names. Later entries in the table have no effect on it. Rounded tables are rejected.
func TestPairsNamesAndErrors(t *testing.T) {
	ctx := context.Background()
	table := new(audit.Table)
	add := func(dataset, output string, num int64, rounded bool) {
		t.Helper()
		enter := table.Add
		if rounded {
			enter = table.AddRounded
		}
		if err := enter(dataset, output, big.NewRat(num, 4)); err != nil {
			t.Fatal(err)
		}
	}
	add("x", "a", 1, false)
	add("x", "b", 3, false)
	add("y", "a", 2, false)
	add("y", "b", 2, false)
	f := must.Be(table.Pairs(nil))
	if _, err := table.Pairs([]audit.Pair{{"x", "nobody"}}); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("unknown dataset: %v", err)
	}
	add("z", "c", 4, true)
	w, err := privacy.New(f).Worst(ctx, nil)
	if got := fmt.Sprint(w.X, w.Y, w.Outputs, evidence.Rational(w.Loss), err); got != "yx[a]ln(2)<nil>" {
		t.Errorf("worst is %s", got)
	}
	if _, err := table.Pairs(nil); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("rounded table: %v", err)
	}
}

// The infinity mass and the Q-only mass of a pair are the sums over outputs that only one dataset has.
func TestPairMassesOfOneDataset(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 5))
	for range 20 {
		table, laws := randomTable(t, rng)
		pairs := must.Be(table.Pairs(nil))
		for k := range pairs.Size {
			x, y := pairs.Datasets(k)
			ids := [2]int{must.Be(strconv.Atoi(x.(string))), must.Be(strconv.Atoi(y.(string)))}
			sure, never := new(big.Rat), new(big.Rat)
			for i, p := range laws[ids[0]] {
				if q := laws[ids[1]][i]; q.Sign() == 0 {
					sure.Add(sure, p)
				} else if p.Sign() == 0 {
					never.Add(never, q)
				}
			}
			pair := must.Be(pairs.Pair(t.Context(), k)).(*privacy.DiscretePair)
			if a, b := pair.InfinityMass().Rational, pair.QOnlyMass().Rational; a.Cmp(sure) != 0 || b.Cmp(never) != 0 {
				t.Errorf("%v: infinity mass %s and Q-only mass %s, want %s and %s", ids, a, b, sure, never)
			}
		}
	}
}

// Tables share a universe of pairs only if they have the same dataset names.
func TestTableUniverses(t *testing.T) {
	family := func(a, b string) privacy.Universe {
		var table audit.Table
		for i, dataset := range []string{a, b} {
			ones := int64(1 + 2*i)
			for output, p := range map[string]*big.Rat{"0": big.NewRat(4-ones, 4), "1": big.NewRat(ones, 4)} {
				if err := table.Add(dataset, output, p); err != nil {
					t.Fatal(err)
				}
			}
		}
		f := must.Be(table.Pairs([]audit.Pair{{a, b}}))
		return f.Universe
	}
	first := family("x", "y")
	for _, c := range []struct {
		other privacy.Universe
		ok    bool
	}{{family("x", "y"), true}, {family("x", "z"), false}, {family("u", "y"), false}} {
		if got := first.Same(c.other); got != c.ok {
			t.Errorf("same universe: %t, want %t", got, c.ok)
		}
	}
}
