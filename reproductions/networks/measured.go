package networks

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"dpworkbench/evidence"
	"dpworkbench/internal/parallel"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/privacy"
)

// mostNodes is the largest number of nodes for which all graphs are enumerated: 32768 graphs.
const mostNodes = 6

// change is the difference between the measurements of two neighbors.
type change struct {
	apart  bool // distinguishable with certainty
	before []entry
	after  []entry
	x, y   string // the edges of two neighbors with this change
}

// changes enumerates all graphs with n nodes and all pairs that differ in one edge. It returns one example of each kind
// of change, in both directions.
func changes(ctx context.Context, n int, measure func(g *graph) measurement) ([]change, error) {
	if n < 2 || n > mostNodes {
		return nil, parameter.Bad("nodes", n, "2 to %d: all graphs are enumerated", mostNodes)
	}
	pairs := pairsOf(n)
	seen := map[string]bool{}
	var out []change
	all := make([]measurement, 1<<len(pairs))
	done := parallel.Count(ctx, int64(2*len(all)), "graphs measured and compared")
	for code := range all {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		all[code] = measure(decoded(n, pairs, code))
		done(1)
	}
	for code, x := range all {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		done(1)
		for k := range pairs {
			y := all[code^1<<k]
			c := change{apart: x.open != y.open}
			var parts []string
			if c.apart {
				parts = []string{"apart"}
			} else {
				for i, e := range x.entries {
					if f := y.entries[i]; e != f {
						c.before, c.after = append(c.before, e), append(c.after, f)
						parts = append(parts, e.key()+">"+f.key())
					}
				}
			}
			slices.Sort(parts)
			key := strings.Join(parts, " ")
			if seen[key] {
				continue
			}
			seen[key] = true
			c.x, c.y = edgeText(pairs, code), edgeText(pairs, code^1<<k)
			out = append(out, c)
		}
	}
	return out, nil
}

// edgeText lists the edges of a graph as text.
func edgeText(pairs [][2]int, code int) string {
	var out []string
	for k, e := range pairs {
		if code>>k&1 == 1 {
			out = append(out, fmt.Sprintf("%d-%d", e[0], e[1]))
		}
	}
	if out == nil {
		return "no edges"
	}
	return strings.Join(out, " ")
}

// accountOf returns the privacy of a measurement over all graphs with n nodes.
func accountOf(ctx context.Context, name string, eps evidence.Epsilon, n int, measure func(g *graph) measurement) (*privacy.Account, error) {
	list, err := changes(ctx, n, measure)
	if err != nil {
		return nil, err
	}
	return privacy.New(&privacy.DominatingPairs{
		Name:     fmt.Sprintf("what %s measures of graphs with %d nodes", name, n),
		Source:   "all graphs, each two that differ in one edge",
		Size:     len(list),
		Pair:     func(_ context.Context, i int) (privacy.Pair, error) { return list[i].pair(eps), nil },
		Datasets: func(i int) (x, y any) { return list[i].x, list[i].y },
	}), nil
}

// pair returns the pair of laws of a change.
func (c change) pair(eps evidence.Epsilon) privacy.Pair {
	if c.apart {
		one := evidence.ExactRat(big.NewRat(1, 1))
		return privacy.NewDiscretePair(nil, one, one, evidence.Epsilon{}, privacy.Hooks{})
	}
	var pairs []privacy.Pair
	var times []int
	at := map[string]int{}
	for i, e := range c.before {
		key := e.key() + ">" + c.after[i].key()
		if k, ok := at[key]; ok {
			times[k]++
			continue
		}
		at[key] = len(pairs)
		pairs, times = append(pairs, entryPair(eps, e, c.after[i])), append(times, 1)
	}
	if len(pairs) == 0 {
		return nothing()
	}
	if len(pairs) == 1 && times[0] == 1 {
		return pairs[0]
	}
	return privacy.Independent(pairs, times)
}

// nothing returns a pair of two equal laws.
func nothing() privacy.Pair {
	one, none := big.NewRat(1, 1), evidence.ExactRat(new(big.Rat))
	return privacy.NewDiscretePair([]privacy.Atom{privacy.RationalAtom(one, one, 0)}, none, none, evidence.Epsilon{}, privacy.Hooks{})
}

// entryPair returns the pair of laws of an entry. The loss of output k is ε·num/den·(|k − after| − |k − before|), on a
// lattice.
func entryPair(eps evidence.Epsilon, before, after entry) privacy.Pair {
	p, q := before.law(eps), after.law(eps)
	none := evidence.ExactRat(new(big.Rat))
	var unit evidence.Epsilon
	same := before.num == after.num && before.den == after.den
	if same {
		unit = eps.Ratio(before.num, before.den)
	}
	atoms := make([]privacy.Atom, len(p))
	for k := range p {
		a := privacy.Atom{P: p[k], Q: q[k], Tags: []int{k}}
		if same {
			a.Steps, a.Offset = int64(max(k-after.value, after.value-k)-max(k-before.value, before.value-k)), interval.Int(0)
		} else if p[k].Rational != nil && q[k].Rational != nil {
			a.Offset = interval.Rat(new(big.Rat).Quo(p[k].Rational, q[k].Rational)).Log()
		} else {
			a.Offset = p[k].Enclosure.Log().Sub(q[k].Enclosure.Log())
		}
		atoms[k] = a
	}
	return privacy.NewDiscretePair(atoms, none, none, unit, privacy.Hooks{})
}

// bounded returns the privacy of a mechanism whose smallest ε is known to be at most eps·times.
func bounded(name string, eps evidence.Epsilon, times *big.Rat) (*privacy.Account, error) {
	f, err := privacy.ApproxDP(scaled(eps, times), new(big.Rat))
	if err != nil {
		return nil, err
	}
	f.Name, f.Bound, f.Mechanism = name, true, nil
	return privacy.New(f), nil
}

// scaled returns ε·times. It rounds up if times has too many digits.
func scaled(eps evidence.Epsilon, times *big.Rat) evidence.Epsilon {
	if times.Num().BitLen() > 40 || times.Denom().BitLen() > 40 {
		up := new(big.Int).Lsh(times.Num(), 40)
		up.Add(up.Quo(up, times.Denom()), big.NewInt(1))
		times = new(big.Rat).SetFrac(up, new(big.Int).Lsh(big.NewInt(1), 40))
	}
	return eps.Ratio(times.Num().Int64(), times.Denom().Int64())
}
