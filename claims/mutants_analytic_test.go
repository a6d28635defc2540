package claims

import (
	"context"
	"math"
	"math/big"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// stretched puts values at a multiple of their distance.
func stretched(by int) spreadRule {
	return func(c layerCase) [][]int {
		wide := c
		wide.distance = make([][]int, len(c.distance))
		for x, row := range c.distance {
			for _, d := range row {
				wide.distance[x] = append(wide.distance[x], by*d)
			}
		}
		return spreadBy(layers.Closure)(wide)
	}
}

// local spreads nothing.
func local(c layerCase) [][]int {
	out := make([][]int, len(c.f))
	for x := range out {
		out[x] = slices.Repeat([]int{-1}, c.values)
		for i, set := range c.sets[x] {
			for _, r := range set {
				if out[x][r] < 0 || i < out[x][r] {
					out[x][r] = i
				}
			}
		}
	}
	return out
}

// forgetful spreads by the closure, then moves value 0 one layer down wherever
// another value shares its layer: what a migration adds then moves others.
func forgetful(c layerCase) [][]int {
	out := spreadBy(layers.Closure)(c)
	for _, row := range out {
		if slices.Contains(row[1:], row[0]) {
			row[0]++
		}
	}
	return out
}

// swapped takes the lower value of R_0 for the higher.
func swapped(c layerCase) [][]int {
	out := spreadBy(layers.Closure)(c)
	for _, row := range out {
		slices.Reverse(row)
	}
	return out
}

// onLayers changes what a statement about laws takes for their layers.
func onLayers(change func(int) int, part func(tableCase, *big.Rat, [][]int) bool) func(tableCase, *big.Rat, [][]int) bool {
	return func(c tableCase, base *big.Rat, layer [][]int) bool {
		changed := make([][]int, len(layer))
		for x, row := range layer {
			for _, l := range row {
				if l >= 0 {
					l = change(l)
				}
				changed[x] = append(changed[x], l)
			}
		}
		return part(c, base, changed)
	}
}

func triple(l int) int { return 3 * l }

// withoutExtra is (34) without R̃_i; shifted brings R_0^y one layer late.
func withoutExtra(c tableCase, initial [][]int) [][]int {
	for _, row := range initial {
		for r := range row {
			if row[r] > 0 {
				row[r] = -1
			}
		}
	}
	return rebuild(c, initial)
}

func shifted(c tableCase, initial [][]int) [][]int {
	out := rebuild(c, initial)
	for x, row := range out {
		for r := range row {
			if row[r] > 0 && initial[x][r] < 0 {
				row[r]++
			}
		}
	}
	return out
}

// narrow builds layers from V without its last interval or point.
func narrow(c lineCase) (*layers.LineLayers, error) {
	if n := len(c.ends); n > 1 {
		c.ends = c.ends[:n-1]
	}
	return layersOf(c)
}

// pointed builds layers with the last interval shrunk to its outer end.
func pointed(c lineCase) (*layers.LineLayers, error) {
	c.ends = slices.Clone(c.ends)
	last := &c.ends[len(c.ends)-1]
	last[0] = last[1]
	return layersOf(c)
}

func analyticMutants() map[mutant]checker {
	never := func(tableCase, [][]int) bool { return true }
	within := func(c tableCase, layer [][]int) bool { return layersWithinOne(c, nil, layer) }
	corollary := func(needs func(tableCase, [][]int) bool) checker {
		return applicable(func(met *int) statement[tableCase] {
			return basicTables(true, basicCorollary(met, func(c tableCase, layer [][]int) bool {
				return onLayers(triple, func(c tableCase, _ *big.Rat, l [][]int) bool { return needs(c, l) })(c, nil, layer)
			}))
		})
	}
	return map[mutant]checker{
		{"analytic.lemma1", "α and β exchanged"}: mediant(true, func(c mediantCase, x int64) (*big.Rat, bool) {
			return mediantCase{a0: c.b0, a1: c.b1, b0: c.a0 + 1, b1: c.a1 + 1}.g(x)
		}).check,
		{"analytic.corollary2", "into layer 1"}: atomicOrigin(true, func(ctx context.Context, m *layers.Mechanism, x, r int) (*layers.Mechanism, error) {
			return m.Migrate(ctx, x, r, 1)
		}).check,
		{"analytic.theorem1", "decay 3ε a layer"}:                     tables(false, onLayers(triple, discretizationBounds)).check,
		{"analytic.theorem2.layers", "layers trebled"}:                tables(false, onLayers(triple, layersWithinOne)).check,
		{"analytic.theorem2.distance", "layers trebled"}:              tables(true, onLayers(triple, initialWithinDistance)).check,
		{"analytic.theorem3", "R̃ forgotten"}:                         tables(true, represents(withoutExtra)).check,
		{"analytic.theorem3", "R_0 a layer late"}:                     tables(true, represents(shifted)).check,
		{"analytic.corollary1.layers", "layers trebled"}:              corollary(within),
		{"analytic.corollary1.neighbors", "layers trebled"}:           corollary(neighborsGive),
		{"analytic.corollary1.distance", "layers trebled"}:            corollary(initialGive),
		{"analytic.proposition3", "closure 3 times as far"}:           applicable(doublePrivacy(stretched(3), layers.Closure, false)),
		{"analytic.proposition3", "the printed rule for the closure"}: applicable(doublePrivacy(spreadBy(layers.Printed), layers.Printed, false)),
		{"analytic.proposition3.basic", "3 times as far"}:             applicable(doublePrivacy(stretched(3), layers.Closure, true)),
		{"analytic.lemma2", "no spreading"}:                           applicable(moves(local, layers.Closure, true, 0, layersMove)),
		{"analytic.lemma2", "twice as far"}:                           applicable(moves(stretched(2), layers.Closure, true, 0, layersMove)),
		{"analytic.theorem4", "no spreading"}:                         applicable(moves(local, layers.Closure, false, 0, layersMove)),
		{"analytic.theorem4", "others move"}:                          applicable(moves(forgetful, layers.Closure, false, 0, layersMove)),
		{"analytic.theorem5", "others move"}:                          applicable(moves(forgetful, layers.Closure, false, 0, utilityMoves)),
		{"analytic.theorem5", "values mixed up"}:                      applicable(moves(swapped, layers.Closure, false, 0, utilityMoves)),
		{"analytic.theorem5.general", "values mixed up"}:              applicable(moves(swapped, layers.Closure, false, 6, utilityMoves)),
		{"analytic.corollary3", "twice as far"}:                       applicable(moves(stretched(2), layers.Closure, false, 6, layersMove)),
		{"analytic.corollary3", "the printed rule for the closure"}:   applicable(moves(spreadBy(layers.Printed), layers.Printed, false, 6, layersMove)),
		{"analytic.corollary4", "twice as far"}:                       applicable(generalOrigin(stretched(2), layers.Closure)),
		{"analytic.corollary5", "V too small"}:                        onLines(narrow, shiftedLayers).check,
		{"analytic.definition20", "V too small"}:                      onLines(narrow, grownLayers).check,
		{"analytic.proposition8", "[b, c] a point"}:                   twoIntervals(onLines(pointed, converges)).check,
		{"analytic.proposition6", "D a lattice"}:                      norms(latticeCovers).check,
		{"analytic.figure2", "purest in the place of the radii"}: figure2Order(func(c panelCase) ([]float64, error) {
			return staircaseShares()(panelCase{c.eps, 0})
		}).check,
		{"analytic.proposition7", "every mechanism basic"}: applicable(func(met *int) statement[sensitivityCase] { return globalSensitivity(met, never) }),
	}
}

// The search for a counterexample of Proposition 3 is given no witness. From each
// of five seeds it finds one, and says how many instances that took.
func TestProposition3Search(t *testing.T) {
	c, err := Find("analytic.proposition3")
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(5) {
		out, err := c.Check(context.Background(), Run{Budget: 2000, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("seed %d: %s after %d instances: %v", seed, out.Verdict, out.Instances, out.Witness.Fields)
		if out.Verdict != evidence.Refuted || out.Instances == 0 || len(out.Evidence) < 2 {
			t.Errorf("seed %d: %+v", seed, out)
			continue
		}
		loss, bound := out.Evidence[0].Number.(evidence.ExactLog), out.Evidence[1].Number.(evidence.ExactLog)
		if loss.Argument.Cmp(bound.Argument) <= 0 {
			t.Errorf("seed %d: e^ε = %v is within e^{2ε} = %v", seed, loss.Argument, bound.Argument)
		}
	}
}

// The numbers on record for two counterexamples, at decay 1.
func TestRecordedWitnesses(t *testing.T) {
	golden := func(name string, m *layers.Mechanism, want float64) {
		t.Helper()
		e, err := mechanism.SmallestEpsilon(context.Background(), m)
		if err != nil {
			t.Fatal(err)
		}
		if got := e.Float(); math.Abs(got-want) > 5e-5 {
			t.Errorf("%s: smallest ε %v, want %v", name, got, want)
		}
	}
	one, err := evidence.NewEpsilon("decay", 1)
	if err != nil {
		t.Fatal(err)
	}
	space, err := query.NewPathSpace(5, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}})
	if err != nil {
		t.Fatal(err)
	}
	q, err := query.NewNumeric("counting", space, []float64{0, 1, 2, 3, 4}, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := layers.Purest(context.Background(), q, one)
	if err != nil {
		t.Fatal(err)
	}
	golden("Corollary 5 on {0, …, 4}", m, 1.2009)
	if space, err = query.NewPathSpace(2, [][2]int{{0, 1}}); err != nil {
		t.Fatal(err)
	}
	if q, err = query.NewNumeric("f", space, []float64{0, 0}, []float64{0, 1}); err != nil {
		t.Fatal(err)
	}
	sets := layers.Sets{At: []map[int][]int{{0: {0}, 5: {1}}, {0: {0}, 1: {1}}}}
	if m, err = layers.General(context.Background(), q, one, sets, layers.Printed); err != nil {
		t.Fatal(err)
	}
	golden("Proposition 3 by (34)", m, 3.6935)
}
