package analytic

import (
	"context"
	"iter"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"slices"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// basicCase is a basic mechanism on a small graph of datasets.
type basicCase struct {
	datasets int
	edges    [][2]int
	values   int
	initial  [][]int // R_0^x
	base     int64   // e^ε
}

func (c basicCase) build(ctx context.Context, initial [][]int) (*layers.Mechanism, error) {
	space := check.Must(query.NewPathSpace(c.datasets, c.edges))
	rng := lists.Of(c.values, func(r int) float64 { return float64(r) })
	q := check.Must(query.NewNumeric("f", space, make([]float64, c.datasets), rng)) // layers do not depend on f
	eps := check.Must(evidence.LogEpsilon("eps", big.NewRat(c.base, 1)))
	return layers.NewBasic(ctx, q, eps, initial)
}

// answers returns an f with f(x) ∈ R_0^x for every x whose R_0^x is not empty.
func (c basicCase) answers() []int {
	f := make([]int, c.datasets)
	for x, set := range c.initial {
		if len(set) > 0 {
			f[x] = set[0]
		}
	}
	return f
}

// tinyGraph is a neighbor graph of datasets.
type tinyGraph struct {
	datasets int
	edges    [][2]int
}

// smallGraphs are the connected graphs on two to four datasets, up to isomorphism.
var smallGraphs = []tinyGraph{
	{2, [][2]int{{0, 1}}},
	{3, [][2]int{{0, 1}, {1, 2}}},
	{3, [][2]int{{0, 1}, {1, 2}, {0, 2}}},
	{4, [][2]int{{0, 1}, {1, 2}, {2, 3}}},
	{4, [][2]int{{0, 1}, {0, 2}, {0, 3}}},
	{4, [][2]int{{0, 1}, {1, 2}, {2, 3}, {0, 3}}},
	{4, [][2]int{{0, 1}, {0, 2}, {0, 3}, {1, 2}}},
	{4, [][2]int{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}}},
	{4, [][2]int{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}},
}

// basicFamily enumerates basic mechanisms at e^ε = 2 by their sets R_0^x. A set has at most two values, or at most one
// if there are four datasets and three values. If full is set, no R_0^x is empty.
func basicFamily(full bool) iter.Seq[basicCase] {
	type universe struct {
		graph   tinyGraph
		values  int
		choices [][]int
	}
	universes := check.Grid(func(u *universe) []check.Axis {
		return []check.Axis{
			check.Over(&u.graph, smallGraphs...),
			check.Span(&u.values, 2, 3),
			check.Let(func() {
				for size := 0; size <= 2 && (size < 2 || u.graph.datasets+u.values < 7); size++ {
					for set := range 1 << u.values {
						if bits.OnesCount(uint(set)) == size && (size > 0 || !full) {
							u.choices = append(u.choices, members(set))
						}
					}
				}
			}),
		}
	})
	return check.Each(universes, func(u universe) iter.Seq[basicCase] {
		return check.Map(check.Words(len(u.choices), u.graph.datasets), func(word []int) basicCase {
			initial := lists.Of(len(word), func(x int) []int { return u.choices[word[x]] })
			return basicCase{u.graph.datasets, u.graph.edges, u.values, initial, 2}
		})
	})
}

// members lists the positions of the bits that are set.
func members(set int) []int {
	var out []int
	for r := 0; set>>r > 0; r++ {
		if set>>r&1 == 1 {
			out = append(out, r)
		}
	}
	return out
}

// atomicOrigin states Corollary 2: migrations into R_0 turn an atomic mechanism, with one value in each R_0^x, into any
// basic ε-DP mechanism. migrate performs one migration. If full is set, no R_0^x is empty. Only basic ε-DP mechanisms
// that are not atomic themselves count.
func atomicOrigin(full bool, migrate func(ctx context.Context, m *layers.Mechanism, x, r int) *layers.Mechanism) check.Statement[basicCase] {
	ctx := context.Background()
	return check.Statement[basicCase]{
		Family: "connected graphs of 2 to 4 datasets, 2 or 3 values, |R_0| ≤ 2 (1 for 4 datasets with 3 values), e^ε = 2",
		Each:   basicFamily(full),
		Draw: func(rng *rand.Rand) basicCase {
			g := smallGraphs[rng.IntN(len(smallGraphs))]
			c := basicCase{g.datasets, g.edges, 2 + rng.IntN(4), make([][]int, g.datasets), 2 + rng.Int64N(4)}
			for x := range c.initial {
				for r := range c.values {
					if rng.IntN(3) == 0 || full && r == c.values-1 && len(c.initial[x]) == 0 {
						c.initial[x] = append(c.initial[x], r)
					}
				}
			}
			return c
		},
		Decide: func(c basicCase) (holds, counts bool) {
			m, err := c.build(ctx, c.initial)
			if err != nil {
				return true, false // there is no mechanism, because some dataset reaches no value
			}
			loss, ok := check.Must(mechanism.Privacy(m).Epsilon(ctx, evidence.Delta{})).(evidence.ExactLog)
			if !ok || loss.Argument.Cmp(big.NewRat(c.base, 1)) > 0 {
				return true, false // not ε-DP: the corollary does not apply
			}
			if !ownDiscretization(m, c.base) {
				return true, false // Definition 13 gives other layers to this law
			}
			// If each dataset has one value, the mechanism is atomic itself and nothing migrates.
			counts = slices.ContainsFunc(c.initial, func(set []int) bool { return len(set) != 1 })
			atoms := make([][]int, c.datasets)
			for x, set := range c.initial {
				if len(set) == 0 {
					return false, counts // an atomic mechanism has a value in R_0^x, and migration only adds values
				}
				atoms[x] = set[:1]
			}
			grown := check.Must(c.build(ctx, atoms)) // the graph is connected, so every dataset reaches a value
			for x, set := range c.initial {
				for _, r := range set[1:] {
					grown = migrate(ctx, grown, x, r)
				}
			}
			for x := range c.datasets {
				if !slices.EqualFunc(m.Layers(x), grown.Layers(x), slices.Equal[[]int]) {
					return false, counts
				}
			}
			return true, counts
		},
		Witness: func(c basicCase) *check.Witness {
			return check.NewWitness(check.Named("edges", c.edges, "f", check.List(c.answers()), "values", c.values, "initial", c.initial, "e^eps", c.base),
				check.Vars{"answers": c.answers(), "edges": c.edges, "values": check.Counting(c.values), "base": c.base, "initial": c.initial},
				"q = finite_query({answers}, edges={edges}, range={values}); m = basic(q, ln({base}), {initial}); d = discretize(m, ln({base}))",
				"print(m.smallest_epsilon, d.is_basic, [d.initial_values(x) for x in range(q.size)], all([len(d.initial_values(x)[0]) > 0 for x in range(q.size)]))")
		},
	}
}

// intoFirst performs the migration of Theorem 4: it adds r to R_0^x.
func intoFirst(ctx context.Context, m *layers.Mechanism, x, r int) *layers.Mechanism {
	return check.Must(m.Migrate(ctx, layers.Move{Dataset: x, Value: r, Layer: 0}))
}

// ownDiscretization reports whether Definition 13, applied to the law of m at e^ε = base, gives the layers of m.
func ownDiscretization(m *layers.Mechanism, base int64) bool {
	q := m.Query()
	largest := new(big.Rat)
	for x := range q.Size() {
		for r := range q.Range() {
			if p, _ := m.Rational(x, r); p.Cmp(largest) > 0 {
				largest = p
			}
		}
	}
	one, step := big.NewRat(1, 1), big.NewRat(base, 1)
	for x := range q.Size() {
		for r := range q.Range() {
			p, _ := m.Rational(x, r)
			if p.Sign() == 0 {
				continue
			}
			layer := 0
			for p = new(big.Rat).Quo(p, largest); p.Mul(p, step).Cmp(one) <= 0; {
				layer++
			}
			if layer != m.Layer(x, r) {
				return false
			}
		}
	}
	return true
}

// origin returns the check of Corollary 2.
func origin(full bool, migrate func(ctx context.Context, m *layers.Mechanism, x, r int) *layers.Mechanism) check.Checker {
	return applicable(100, atomicOrigin(full, migrate))
}

// originChecks returns the checks of Corollary 2, as printed and with nonempty R_0^x.
func originChecks() check.Checks {
	return check.Checks{
		"analytic.corollary2": check.WithCorrection(origin(false, intoFirst), origin(true, intoFirst)),
	}
}
