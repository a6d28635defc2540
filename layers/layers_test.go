package layers_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// randomSpace draws a path space or, where matrix is set, a metric that is no
// path metric: the metric closure of random distances, some below 1.
func randomSpace(t testing.TB, rng *rand.Rand, matrix bool) *query.Space {
	t.Helper()
	n := 2 + rng.IntN(6)
	if !matrix {
		var edges [][2]int
		for x := 1; x < n; x++ {
			edges = append(edges, [2]int{x, rng.IntN(x)})
		}
		for range rng.IntN(n) {
			if x, y := rng.IntN(n), rng.IntN(n); x != y {
				edges = append(edges, [2]int{x, y})
			}
		}
		s, err := query.NewPathSpace(n, edges)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	d := make([][]float64, n)
	for x := range d {
		d[x] = make([]float64, n)
	}
	for x := range n {
		for y := range x {
			d[x][y] = []float64{0.5, 1, 1.5, 2, 3}[rng.IntN(5)]
			d[y][x] = d[x][y]
		}
	}
	for z := range n {
		for x := range n {
			for y := range n {
				d[x][y] = min(d[x][y], d[x][z]+d[z][y])
			}
		}
	}
	s, err := query.NewMatrixSpace(d)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

type instance struct {
	q    *query.Query
	sets layers.Sets
}

func randomInstance(t testing.TB, rng *rand.Rand, matrix, extra bool) instance {
	t.Helper()
	s := randomSpace(t, rng, matrix)
	values := make([]float64, s.Size())
	for x := range values {
		values[x] = float64(rng.IntN(5))
	}
	q, err := query.NewNumeric("random", s, values, []float64{0, 1, 2, 3, 4, 6})
	if err != nil {
		t.Fatal(err)
	}
	sets := layers.Sets{At: make([]map[int][]int, q.Size())}
	for x := range sets.At {
		sets.At[x] = map[int][]int{0: {q.ValueIndex(x)}}
		for r := range q.Range() {
			if rng.IntN(8) == 0 {
				sets.At[x][0] = append(sets.At[x][0], r)
			}
			if extra && rng.IntN(4) == 0 {
				i := 1 + rng.IntN(6)
				sets.At[x][i] = append(sets.At[x][i], r)
			}
		}
	}
	return instance{q, sets}
}

// closureLayer and printedLayer are the rules as formulas, evaluated one value
// at a time: −1 where no layer holds it.
func (in instance) closureLayer(x, r int, onlyInitial bool) int {
	best := -1
	for y, at := range in.sets.At {
		d := math.Ceil(in.q.Space().Distance(x, y))
		if math.IsInf(d, 1) {
			continue
		}
		for i, set := range at {
			if i > 0 && onlyInitial || !slices.Contains(set, r) {
				continue
			}
			if l := int(d) + i; best < 0 || l < best {
				best = l
			}
		}
	}
	return best
}

// printedLayer builds (34) layer by layer, as the paper writes it.
func (in instance) printedLayer(x, r int) int {
	for i := 0; i < 40; i++ {
		if slices.Contains(in.sets.At[x][i], r) {
			return i
		}
		for y := range in.sets.At {
			if d := in.q.Space().Distance(x, y); d > float64(i-1) && d <= float64(i) && slices.Contains(in.sets.At[y][0], r) {
				return i
			}
		}
	}
	return -1
}

func TestLayersFollowTheRules(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(1, 1))
	for trial := range 200 {
		in := randomInstance(t, rng, trial%2 == 1, true)
		closure, err := layers.NewGeneral(ctx, in.q, epsilon(t, 1), in.sets, layers.Closure)
		if err != nil {
			t.Fatal(err)
		}
		printed, err := layers.NewGeneral(ctx, in.q, epsilon(t, 1), in.sets, layers.Published)
		if err != nil {
			t.Fatal(err)
		}
		for x := range in.q.Size() {
			for r := range in.q.Range() {
				if got, want := closure.Layer(x, r), in.closureLayer(x, r, false); got != want {
					t.Fatalf("trial %d: closure has %d in layer %d of %d, want %d", trial, r, got, x, want)
				}
				if got, want := printed.Layer(x, r), in.printedLayer(x, r); got != want {
					t.Fatalf("trial %d: (34) has %d in layer %d of %d, want %d", trial, r, got, x, want)
				}
			}
			if total := len(slices.Concat(closure.Layers(x)...)); total > len(in.q.Range()) {
				t.Fatalf("trial %d: the layers of %d overlap", trial, x)
			}
		}
		loss, err := mechanism.Privacy(closure).Epsilon(ctx, evidence.Delta{})
		if err != nil {
			t.Fatal(err)
		}
		if _, hi := loss.Bounds(); hi > 2 {
			t.Fatalf("trial %d: the closure at decay 1 loses %v, want at most 2", trial, loss)
		}
	}
}

// FINDINGS: rule (34) breaks Proposition 3, the closure restores it.
func TestPropositionThreeCounterexample(t *testing.T) {
	ctx := context.Background()
	s, err := query.NewPathSpace(2, [][2]int{{0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	a, b := query.Name("a"), query.Name("b")
	q, err := query.New("f", s, []query.Value{a, a}, []query.Value{a, b}, query.ValueMetric{Discrete: true})
	if err != nil {
		t.Fatal(err)
	}
	sets := layers.Sets{At: []map[int][]int{{0: {0}, 5: {1}}, {0: {0}, 1: {1}}}}
	printed, err := layers.NewGeneral(ctx, q, epsilon(t, 1), sets, layers.Published)
	if err != nil {
		t.Fatal(err)
	}
	loss, err := mechanism.Privacy(printed).Epsilon(ctx, evidence.Delta{})
	if err != nil {
		t.Fatal(err)
	}
	// By hand: b weighs e^{−5}/(1+e^{−5}) at x and e^{−1}/(1+e^{−1}) at y.
	want := 4 + math.Log1p(math.Exp(-5)) - math.Log1p(math.Exp(-1))
	if math.Abs(loss.Float()-want) > 1e-14 || math.Abs(want-3.6935) > 5e-5 {
		t.Errorf("smallest ε under (34) is %v, want %v (3.6935)", loss.Float(), want)
	}
	closure, err := layers.NewGeneral(ctx, q, epsilon(t, 1), sets, layers.Closure)
	if err != nil {
		t.Fatal(err)
	}
	if loss, _ := mechanism.Privacy(closure).Epsilon(ctx, evidence.Delta{}); loss.Float() > 2 {
		t.Errorf("smallest ε of the closure is %v, want at most 2", loss.Float())
	}
}

// Corollary 5 fails on a truncated domain: counting on {0…4} at decay 1.
func TestCountingOnALine(t *testing.T) {
	ctx := context.Background()
	s, err := query.NewPathSpace(5, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}})
	if err != nil {
		t.Fatal(err)
	}
	q, err := query.NewNumeric("count", s, []float64{0, 1, 2, 3, 4}, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := layers.NewPurest(ctx, q, epsilon(t, 1))
	if err != nil {
		t.Fatal(err)
	}
	loss, err := mechanism.Privacy(m).Epsilon(ctx, evidence.Delta{})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(loss.Float()-1.2009) > 5e-5 {
		t.Errorf("smallest ε is %v, want 1.2009", loss.Float())
	}
}

// Migration does what Theorems 4 and 5 and Corollary 3 predict, under the
// closure at every layer and under (34) at layer 0.
func TestMigrationFollowsPrediction(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(2, 2))
	for trial := range 200 {
		in := randomInstance(t, rng, trial%2 == 1, trial%3 == 0)
		rule, layer := layers.Closure, rng.IntN(4)
		if trial%5 == 0 {
			rule, layer = layers.Published, 0
		}
		decay := []float64{0.3, 1, 2.5}[rng.IntN(3)]
		m, err := layers.NewGeneral(ctx, in.q, epsilon(t, decay), in.sets, rule)
		if err != nil {
			t.Fatal(err)
		}
		x0, r0 := rng.IntN(in.q.Size()), rng.IntN(len(in.q.Range()))
		want, err := m.PredictMigration(layers.Move{Dataset: x0, Value: r0, Layer: layer})
		if err != nil {
			t.Fatal(err)
		}
		moved, err := m.Migrate(ctx, layers.Move{Dataset: x0, Value: r0, Layer: layer})
		if err != nil {
			t.Fatal(err)
		}
		for x := range in.q.Size() {
			for r := range in.q.Range() {
				level := m.Layer(x, r)
				if r == r0 {
					level = want.Layers[x]
				}
				if got := moved.Layer(x, r); got != level {
					t.Fatalf("trial %d (%s, layer %d): value %d of %d moves to layer %d, predicted %d", trial, rule, layer, r, x, got, level)
				}
			}
			gain := mechanism.Distortion(m, x).Float() - mechanism.Distortion(moved, x).Float()
			if math.Abs(gain-want.Gains[x]) > 1e-12 {
				t.Fatalf("trial %d: dataset %d gains %v, predicted %v", trial, x, gain, want.Gains[x])
			}
		}
	}
}

// Corollary 3 fails under (34) beyond layer 0: the moved value does not spread.
func TestMigrationUnderPublishedRule(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(3, 3))
	for range 100 {
		in := randomInstance(t, rng, false, true)
		m, err := layers.NewGeneral(ctx, in.q, epsilon(t, 1), in.sets, layers.Published)
		if err != nil {
			t.Fatal(err)
		}
		x0, r0 := rng.IntN(in.q.Size()), rng.IntN(len(in.q.Range()))
		want, err := m.PredictMigration(layers.Move{Dataset: x0, Value: r0, Layer: 1})
		if err != nil {
			t.Fatal(err)
		}
		moved, err := m.Migrate(ctx, layers.Move{Dataset: x0, Value: r0, Layer: 1})
		if err != nil {
			t.Fatal(err)
		}
		for x := range in.q.Size() {
			if moved.Layer(x, r0) != want.Layers[x] {
				return // refuted
			}
		}
	}
	t.Error("no counterexample to Corollary 3 under (34) in 100 instances")
}

// The paper's mechanisms under their other names.
func TestInverseSensitivityIsPurest(t *testing.T) {
	ctx := context.Background()
	q := triangles(t, 5)
	purest, err := layers.NewPurest(ctx, q, epsilon(t, 0.75))
	if err != nil {
		t.Fatal(err)
	}
	radii := make([]float64, q.Size())
	for x := range radii {
		radii[x] = 2
	}
	ball, err := layers.NewDeltaNeighborhood(ctx, q, epsilon(t, 0.75), radii)
	if err != nil {
		t.Fatal(err)
	}
	for rho, layered := range map[float64]*layers.Mechanism{0: purest, 2: ball} {
		inverse, err := mechanism.NewInverseSensitivity(ctx, q, epsilon(t, 1.5), new(big.Rat).SetFloat64(rho))
		if err != nil {
			t.Fatal(err)
		}
		for x := range q.Size() {
			for r := range q.Range() {
				if a, b := layered.LogProb(x, r), inverse.LogProb(x, r); a != b {
					t.Fatalf("ρ = %g: ln p^%d(%d) is %v layered, %v inverse", rho, x, r, a, b)
				}
			}
		}
	}
}

// Balls of radius 0 are points: the δ-neighborhood mechanism then is the purest.
func TestNeighborhoodsOfRadius0(t *testing.T) {
	ctx := context.Background()
	q := triangles(t, 4)
	purest, err := layers.NewPurest(ctx, q, epsilon(t, 0.75))
	if err != nil {
		t.Fatal(err)
	}
	points, err := layers.NewDeltaNeighborhood(ctx, q, epsilon(t, 0.75), make([]float64, q.Size()))
	if err != nil {
		t.Fatal(err)
	}
	for x := range q.Size() {
		for r := range q.Range() {
			if a, b := purest.LogProb(x, r), points.LogProb(x, r); a != b {
				t.Fatalf("ln p^%d(%d) is %v purest, %v of radius 0", x, r, a, b)
			}
		}
	}
}

// A grid of decays on one set sequence gives what building it anew gives.
func TestWithDecay(t *testing.T) {
	ctx := context.Background()
	q := triangles(t, 5)
	once, err := layers.NewPurest(ctx, q, epsilon(t, 1))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []float64{0.1, 1, 7} {
		anew, err := layers.NewPurest(ctx, q, epsilon(t, e))
		if err != nil {
			t.Fatal(err)
		}
		c, err := mechanism.Compare(ctx, once.WithDecay(epsilon(t, e)), anew)
		if err != nil || c.Min != 1 || c.Max != 1 {
			t.Errorf("decay %g: ratios in [%v, %v], %v, want 1", e, c.Min, c.Max, err)
		}
	}
}

// A component that no path reaches has probability 0, and an empty mechanism is
// an error.
func TestDisconnectedUniverse(t *testing.T) {
	ctx := context.Background()
	s, err := query.NewPathSpace(3, [][2]int{{0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	q, err := query.NewNumeric("f", s, []float64{0, 1, 5}, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := layers.NewPurest(ctx, q, epsilon(t, 1))
	if err != nil {
		t.Fatal(err)
	}
	if m.Layer(0, 2) != query.Unreached || !math.IsInf(m.LogProb(0, 2), -1) || m.Enclose(2, 2).Mid() != 1 {
		t.Error("values cross between components")
	}
	if _, err := layers.NewBasic(ctx, q, epsilon(t, 1), [][]int{{0}, {1}, {}}); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("a dataset without values gives %v, want ErrParameter", err)
	}
}

func TestExactDistortionAtRationalDecay(t *testing.T) {
	ctx := context.Background()
	decay, err := evidence.LogEpsilon("decay", big.NewRat(3, 1))
	if err != nil {
		t.Fatal(err)
	}
	m, err := layers.NewPurest(ctx, triangles(t, 4), decay)
	if err != nil {
		t.Fatal(err)
	}
	// The complete graph: triangles 4, 2, 1, 0 at distances 0, 1, 2, 2; weights
	// 1, 1/3, 1/9, 1/9: (2/3 + 3/9 + 4/9)/(14/9) = 13/14.
	got, ok := mechanism.Distortion(m, 10).(evidence.Exact)
	if !ok || got.Value.Cmp(big.NewRat(13, 14)) != 0 {
		t.Errorf("distortion at the complete graph is %v, want 13/14", got.Value)
	}
}
