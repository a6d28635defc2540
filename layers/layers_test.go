package layers_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"weak"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

var ctx = context.Background()

func triangles(t testing.TB, n int) *query.Query {
	t.Helper()
	return must.For(must.For(query.NewGraphs(ctx, n))(t).Count("triangle"))(t)
}

// newGeneral returns the general mechanism at decay 1.
func newGeneral(t testing.TB, q *query.Query, rule layers.Rule, at ...map[int][]int) *layers.Mechanism {
	t.Helper()
	return must.For(layers.NewGeneral(ctx, q, evidencetest.Epsilon(1), layers.Sets{At: at}, rule))(t)
}

// randomSpace draws a path space, which may have several components. If matrix is set, it draws a metric that is no
// path metric: the closure of random distances, some below 1.
func randomSpace(rng *rand.Rand, matrix bool) *query.Space {
	n := 2 + rng.IntN(6)
	if !matrix {
		var edges [][2]int
		for x := 1; x < n; x++ {
			if y := rng.IntN(x + x/4); y < x {
				edges = append(edges, [2]int{x, y})
			}
		}
		return must.Be(query.NewPathSpace(n, edges))
	}
	d := make([][]float64, n)
	for x := range d {
		d[x] = make([]float64, n)
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
	return must.Be(query.NewMatrixSpace(d))
}

type instance struct {
	q    *query.Query
	sets layers.Sets
}

// randomInstance draws initial values: layer 0 with f(x) and other values, and with extra also later layers, some above
// 255.
func randomInstance(rng *rand.Rand, space *query.Space, extra bool) instance {
	values := make([]float64, space.Size())
	for x := range values {
		values[x] = float64(rng.IntN(5))
	}
	q := must.Be(query.NewNumeric("random", space, values, []float64{0, 1, 2, 3, 4, 6}))
	sets := layers.Sets{At: make([]map[int][]int, q.Size())}
	for x := range sets.At {
		sets.At[x] = map[int][]int{0: {q.ValueIndex(x)}}
		for r := range q.Range() {
			if rng.IntN(8) == 0 {
				sets.At[x][0] = append(sets.At[x][0], r)
			}
			if extra && rng.IntN(4) == 0 {
				i := []int{1, 2, 3, 4, 5, 6, 114, 127, 128, 255, 256}[rng.IntN(11)]
				sets.At[x][i] = append(sets.At[x][i], r)
			}
		}
	}
	return instance{q, sets}
}

// closureLayer computes the closure by its formula: the least ⌈d̄(x, y)⌉ + i over the layers i of y that contain r, or
// −1 if there is none.
func (in instance) closureLayer(x, r int) int {
	best := -1
	for y, at := range in.sets.At {
		for i, set := range at {
			if d := in.q.Space().Distance(x, y); !math.IsInf(d, 1) && slices.Contains(set, r) && (best < 0 || int(math.Ceil(d))+i < best) {
				best = int(math.Ceil(d)) + i
			}
		}
	}
	return best
}

// printedLayer returns the layer of r at x by (34), built layer by layer as in the paper, or −1 if there is none.
func (in instance) printedLayer(x, r int) int {
	for i := range 300 {
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

// Both rules agree with their definitions, on random universes and on graphs. The closure at decay 1 has a privacy loss
// of at most 2.
func TestLayersFollowTheRules(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	graphs := triangles(t, 4).Space()
	for trial := range 200 {
		space := randomSpace(rng, trial%2 == 1)
		if trial%10 == 0 {
			space = graphs
		}
		in := randomInstance(rng, space, true)
		closure, printed := newGeneral(t, in.q, layers.Closure, in.sets.At...), newGeneral(t, in.q, layers.Published, in.sets.At...)
		for x := range in.q.Size() {
			for r := range in.q.Range() {
				if got, want := closure.Layer(x, r), in.closureLayer(x, r); got != want {
					t.Fatalf("trial %d: closure has value %d in layer %d of dataset %d, want %d", trial, r, got, x, want)
				}
				if got, want := printed.Layer(x, r), in.printedLayer(x, r); got != want {
					t.Fatalf("trial %d: (34) has value %d in layer %d of dataset %d, want %d", trial, r, got, x, want)
				}
			}
		}
		loss := must.For(mechanism.Privacy(closure).Epsilon(ctx, evidence.Delta{}))(t)
		if _, hi := loss.Bounds(); hi > 2 {
			t.Fatalf("trial %d: the closure at decay 1 loses %v, want at most 2", trial, loss)
		}
	}
}

// FINDINGS: rule (34) violates Proposition 3, the closure satisfies it.
func TestPropositionThreeCounterexample(t *testing.T) {
	a, b := query.Name("a"), query.Name("b")
	space := must.For(query.NewPathSpace(2, [][2]int{{0, 1}}))(t)
	q := must.For(query.New("f", space, []query.Value{a, a}, []query.Value{a, b}, query.ValueMetric{Discrete: true}))(t)
	// By hand: b has probability e^{−5}/(1+e^{−5}) at x and e^{−1}/(1+e^{−1}) at y.
	for rule, want := range map[layers.Rule]float64{layers.Published: 4 + math.Log1p(math.Exp(-5)) - math.Log1p(math.Exp(-1)), layers.Closure: 1 + math.Log1p(math.Exp(-2)) - math.Log1p(math.Exp(-1))} {
		m := newGeneral(t, q, rule, map[int][]int{0: {0}, 5: {1}}, map[int][]int{0: {0}, 1: {1}})
		if loss := must.For(mechanism.Privacy(m).Epsilon(ctx, evidence.Delta{}))(t); math.Abs(loss.Float()-want) > 1e-14 {
			t.Errorf("smallest ε by %s is %v, want %v", rule, loss.Float(), want)
		}
	}
}

// The golden values come from computations independent of this code (Figure 1 of Wu et al.: fraction better, mean
// ratio, and the smallest ε of both mechanisms).
func TestPurestAgainstLadderOnG7(t *testing.T) {
	q := triangles(t, 7)
	once := must.For(layers.NewPurest(ctx, q, evidencetest.Epsilon(9)))(t)
	for _, c := range []struct{ decay, better, mean, purest, ladder float64 }{
		{0.5, 0.9923, 0.72234, 0, 0}, {1, 0.9952, 0.72692, 1.4138, 1.4260}, {2, 0.9971, 0.80644, 2.2736, 2.3216}, {3, 1, 0.82358, 3.1501, 3.1800},
	} {
		p, l := once.WithDecay(evidencetest.Epsilon(c.decay)), must.For(mechanism.NewLadder(ctx, q, evidencetest.Epsilon(2*c.decay)))(t)
		if r := must.For(mechanism.Compare(ctx, p, l))(t); math.Abs(r.Better-c.better) > 5e-5 || math.Abs(r.Mean-c.mean) > 5e-6 {
			t.Errorf("decay %g: better %.4f, mean %.5f, want %.4f, %.5f", c.decay, r.Better, r.Mean, c.better, c.mean)
		}
		for want, m := range map[float64]mechanism.Mechanism{c.purest: p, c.ladder: l} {
			got := must.For(mechanism.Privacy(m).Epsilon(ctx, evidence.Delta{}))(t)
			if lo, hi := got.Bounds(); want > 0 && math.Abs(got.Float()-want) > 5e-5 || hi-lo > 1e-12*max(hi, c.decay) {
				t.Errorf("decay %g: smallest ε of %s is in [%v, %v], want %.4f", c.decay, m.Name(), lo, hi, want)
			}
		}
	}
}

// builders returns the constructors with the initial values in layer 0 that their definitions give for f = 0, 1, 3
// along a path.
func builders(q *query.Query) map[string]struct {
	build func(decay evidence.Epsilon) (*layers.Mechanism, error)
	want  [3][]int
} {
	type built = struct {
		build func(decay evidence.Epsilon) (*layers.Mechanism, error)
		want  [3][]int
	}
	return map[string]built{
		"purest(": {func(d evidence.Epsilon) (*layers.Mechanism, error) { return layers.NewPurest(ctx, q, d) }, [3][]int{{0}, {1}, {2}}},
		"atomic(": {func(d evidence.Epsilon) (*layers.Mechanism, error) {
			return layers.NewAtomic(ctx, q, d, []int{2, 0, 1})
		}, [3][]int{{2}, {0}, {1}}},
		"basic(": {func(d evidence.Epsilon) (*layers.Mechanism, error) {
			return layers.NewBasic(ctx, q, d, [][]int{{0, 2}, {}, {1}})
		}, [3][]int{{0, 2}, {}, {1}}},
		"delta_neighborhood(": {func(d evidence.Epsilon) (*layers.Mechanism, error) {
			return layers.NewDeltaNeighborhood(ctx, q, d, []float64{0.5, 1, math.Inf(1)})
		}, [3][]int{{0}, {0, 1}, {0, 1, 2}}},
		"delta_neighborhood": {func(d evidence.Epsilon) (*layers.Mechanism, error) {
			radii := []*big.Rat{nil, big.NewRat(2, 1), new(big.Rat)}
			defer clear(radii) // the mechanism keeps a copy
			return layers.NewBalls(ctx, q, d, radii)
		}, [3][]int{{0, 1, 2}, {0, 1, 2}, {2}}},
		"general(": {func(d evidence.Epsilon) (*layers.Mechanism, error) {
			return layers.NewGeneral(ctx, q, d, layers.Sets{At: []map[int][]int{{0: {1}}, nil, {0: {0}}}}, layers.Closure)
		}, [3][]int{{1}, nil, {0}}},
	}
}

// Each constructor gives the initial values of its definition, its decay, and twice the decay as claimed ε. The
// smallest ε of a mechanism does not keep it in memory, but the statement of that number rebuilds an equal mechanism.
func TestConstructors(t *testing.T) {
	path := must.For(query.NewPathSpace(3, [][2]int{{0, 1}, {1, 2}}))(t)
	q := must.For(query.NewNumeric("f", path, []float64{0, 1, 3}, nil))(t)
	for name, c := range builders(q) {
		m := must.For(c.build(evidencetest.Epsilon(0.25)))(t)
		for x, want := range c.want {
			if got := m.Sets().At[x][0]; !slices.Equal(got, want) {
				t.Errorf("%s: R_0^%d = %v, want %v", name, x, got, want)
			}
		}
		if claim := m.ClaimedEpsilon().Float(); claim != 0.5 || m.Decay().Value() != 0.25 || !strings.HasPrefix(m.Name(), name) || m.Moved() != nil {
			t.Errorf("%s at decay %v has the claim %v", m.Name(), m.Decay(), claim)
		}
		if _, err := c.build(evidence.Epsilon{}); !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), "decay") {
			t.Errorf("%s at decay 0: %v", name, err)
		}
		m = m.WithDecay(evidencetest.Epsilon(0.75))
		n := must.For(mechanism.Privacy(m).Epsilon(ctx, evidence.Delta{}))(t)
		p, law := weak.Make(m), func(m mechanism.Mechanism) (law []float64) {
			for x := range 3 {
				law = append(law, m.LogProb(x, 0), m.LogProb(x, 1), m.LogProb(x, 2))
			}
			return law
		}
		want := law(m)
		m = nil
		for range 10 {
			runtime.GC()
		}
		s, ok := n.Citation().Statement.(*mechanism.RebuiltStatement)
		if !ok || p.Value() != nil {
			t.Errorf("%s: the number keeps its mechanism, in a %T", name, n.Citation().Statement)
			continue
		}
		if again := must.For(s.Statement(ctx))(t).(*mechanism.EpsilonStatement).Of; !slices.Equal(law(again), want) || s.Says() != "the smallest ε of "+again.Name() {
			t.Errorf("%s: statement %q rebuilds %s with another law", name, s.Says(), again.Name())
		}
	}
}

// A value that a dataset does not reach has probability 0 in every form, also for a decay with irrational powers.
func TestUnreachedValues(t *testing.T) {
	space := must.For(query.NewPathSpace(2, [][2]int{{0, 1}}))(t)
	rng := []query.Value{query.Number(0), query.Number(1), query.Number(2)}
	q := must.For(query.New("f", space, []query.Value{rng[0], rng[0]}, rng, query.ValueMetric{}))(t)
	m := newGeneral(t, q, layers.Published, map[int][]int{0: {0}, 5: {1}}, map[int][]int{0: {0}, 1: {2}})
	for _, m := range []mechanism.Mechanism{m, m.Layered} {
		if p, ok := mechanism.Probability(m, 0, 2).(evidence.Exact); !ok || p.Value.Sign() != 0 {
			t.Errorf("probability %v of a value that is not reached, want exactly 0", mechanism.Probability(m, 0, 2))
		}
		never, once := mechanism.Outcome{X: 0, R: 2}, mechanism.Outcome{X: 1, R: 2}
		for want, c := range map[int][2]mechanism.Outcome{-1: {never, once}, 0: {never, never}, 1: {once, never}} {
			if sign, err := mechanism.CompareProbabilities(m, c[0], c[1], 1, evidencetest.Epsilon(1)); sign != want || err != nil {
				t.Errorf("sign %d, %v for %v, want %d", sign, err, c, want)
			}
		}
		out := must.For(mechanism.Release(ctx, m, 0, 100_000, rand.NewPCG(1, 1)))(t)
		counts := make([]int, 3)
		for _, r := range out {
			counts[r]++
		}
		// The probability of value 1 is e⁻⁵/(1 + e⁻⁵): 669 of 100,000 draws, with a standard deviation of 26.
		if counts[2] > 0 || math.Abs(float64(counts[1])-669) > 130 {
			t.Errorf("draws %v of 100000, want about 99331, 669 and 0", counts)
		}
	}
}

// Inconsistent sets, tables, radii and layers are refused. The error names the first layer of the first dataset that is
// wrong.
func TestRefusals(t *testing.T) {
	q, one := triangles(t, 3), evidencetest.Epsilon(1)
	n, size := q.Size(), len(q.Range())
	distances := make([][]*big.Rat, size)
	for i := range distances {
		for j := range size {
			distances[i] = append(distances[i], must.For(query.SquaredError(q, i, j))(t))
		}
	}
	loss := must.For(q.WithLoss("squared", distances))(t)
	given := func(at int32) error {
		table := make([]int32, n*size)
		table[0] = at
		_, err := layers.NewGiven(ctx, mechanism.Info{Query: q}, one, table)
		return err
	}
	sets := func(rule layers.Rule, at ...map[int][]int) error {
		_, err := layers.NewGeneral(ctx, q, one, layers.Sets{At: append(at, make([]map[int][]int, max(0, n-len(at)))...)}, rule)
		return err
	}
	err := func(_ *layers.Mechanism, err error) error { return err }
	many := map[int][]int{}
	for layer := range 20 {
		many[layer-9] = []int{5 + layer}
	}
	for name, c := range map[string]struct {
		err  error
		says string
	}{
		"no sets":         {err(layers.NewGeneral(ctx, q, one, layers.Sets{}, layers.Closure)), "of 0 datasets"},
		"empty sets":      {sets(layers.Closure), "value"},
		"negative layer":  {sets(layers.Closure, map[int][]int{-1: {0}}), "layer -1"},
		"far layer":       {sets(layers.Published, map[int][]int{1<<24 + 1: {0}}), "layer 16777217"},
		"no place":        {sets(layers.Closure, map[int][]int{0: {size}}), "value 2"},
		"negative place":  {sets(layers.Published, map[int][]int{3: {-1}}), "value -1"},
		"many":            {sets(layers.Closure, map[int][]int{0: {0}}, many), "layer -9 of dataset 1"},
		"rule":            {sets("some", map[int][]int{0: {0}}), "rule"},
		"points":          {err(layers.NewAtomic(ctx, q, one, nil)), ""},
		"radii":           {err(layers.NewBalls(ctx, q, one, nil)), "0 entries"},
		"NaN radius":      {err(layers.NewDeltaNeighborhood(ctx, q, one, []float64{math.NaN(), 0, 0, 0})), "radius[0]"},
		"negative radius": {err(layers.NewDeltaNeighborhood(ctx, q, one, []float64{0, -math.SmallestNonzeroFloat64, 0, 0})), "radius[1]"},
		"negative ball":   {err(layers.NewBalls(ctx, q, one, []*big.Rat{nil, big.NewRat(-1, 1<<60), nil, nil})), "radius[1]"},
		"ball of a loss":  {err(layers.NewBalls(ctx, loss, one, make([]*big.Rat, n))), ""},
		"short table":     {err(layers.NewGiven(ctx, mechanism.Info{Query: q}, one, nil)), ""},
		"no decay":        {err(layers.NewGiven(ctx, mechanism.Info{Query: q}, evidence.Epsilon{}, make([]int32, n*size))), "decay"},
		"low table":       {given(-2), ""},
		"deep table":      {given(math.MaxInt32), ""},
	} {
		if !errors.Is(c.err, evidence.ErrParameter) || !strings.Contains(c.err.Error(), c.says) {
			t.Errorf("%s: %v, want an error that says %q", name, c.err, c.says)
		}
	}
	for _, d := range []float64{1e9, 1e10, 1e300} { // deep layers take no memory, and layers above the limit are an error
		space := must.For(query.NewMatrixSpace([][]float64{{0, d}, {d, 0}}))(t)
		m, err := layers.NewPurest(ctx, must.For(query.NewNumeric("f", space, []float64{0, 1}, nil))(t), one)
		if d == 1e9 && (err != nil || m.Layer(0, 1) != 1e9) || d > 1e9 && !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("datasets %g apart: %v", d, err)
		}
	}
}
