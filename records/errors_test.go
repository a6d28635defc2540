package records

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/internal/sampling"
	"dpworkbench/internal/stattest"
	"dpworkbench/smooth"
)

// refuses fails unless what is returned is nil, beside an error of a parameter that says just this.
func refuses(t *testing.T, what string, result any, err error, want string) {
	t.Helper()
	if fmt.Sprint(result) != "<nil>" || !errors.Is(err, evidence.ErrParameter) || err.Error() != want {
		t.Errorf("%s: %v, error %v, want %s", what, result, err, want)
	}
}

// Queries are made again of data that are checked as the first ones were.
func TestBuildersRefuse(t *testing.T) {
	r := must.Be(New([]float64{0, 1, 1}, Options{Lo: new(big.Rat), Hi: whole(2), Grid: whole(1), Neighbors: Replace}))
	mode := must.Be(must.Be(NewCategories([]string{"a"}, []string{"a", "b"}, AddRemove)).Mode())
	for _, q := range []*Query{must.Be(r.Median()), must.Be(r.Variance()), mode} {
		again, err := q.again.records(nil, []float64{0, 1})
		refuses(t, q.name, again, err, "x is empty, want at least one record")
		if again, err = q.again.records([]float64{0, 1, 0}, []float64{0, 1}); err != nil || again.name == q.name {
			t.Errorf("%s: %v, error %v", q.name, again, err)
		}
	}
	g := must.Be(NewGraph(4, [][2]int{{0, 1}, {1, 2}}, Node))
	edges := must.Be(g.Edges())
	for _, q := range []*Query{edges, must.Be(g.KStar(2)), must.Be(g.Triangles(t.Context())), must.Be(Extend(t.Context(), edges, 2, nil))} {
		again, err := q.again.graph(1, nil)
		refuses(t, q.name, again, err, "nodes = 1, want 2…67108864")
		if again, err = q.again.graph(3, nil); err != nil || again.value.Sign() != 0 {
			t.Errorf("%s: %v, error %v", q.name, again, err)
		}
	}
}

// Data that are too many are refused before anybody reads them.
func TestTooManyRecords(t *testing.T) {
	r, err := New(make([]float64, mostRecords+1), Options{Lo: new(big.Rat), Hi: whole(1), Neighbors: Replace})
	refuses(t, "records", r, err, "x has 268435457 records, want at most 268435456")
	g, err := NewGraph(3, make([][2]int, mostEdges+1), Edge)
	refuses(t, "edges", g, err, "134217729 edges, want at most 134217728")
}

// choices are the mechanisms of a mode.
var choices = map[string]func(q *Query, eps evidence.Epsilon) (Law, error){
	"purest": NewPurest, "exponential": NewExponential, "flips": NewPermuteAndFlip,
	"laplace": func(q *Query, eps evidence.Epsilon) (Law, error) { return NewNoisyMax(q, eps, "laplace") },
	"gumbel":  func(q *Query, eps evidence.Epsilon) (Law, error) { return NewNoisyMax(q, eps, "gumbel") },
}

// No choice is made of a list that has a value twice, or of chances that are not told from 0.
func TestRefusedChoices(t *testing.T) {
	one, huge := must.Be(evidence.NewEpsilon("eps", 1)), must.Be(evidence.NewEpsilon("eps", 1e300))
	for name, of := range choices {
		twice := must.Be(must.Be(NewCategories([]string{"a", "b", "a"}, []string{"a", "b"}, Replace)).Mode())
		twice.listed.names = []string{"a", "a"}
		m, err := of(twice, one)
		refuses(t, name, m, err, "range[1] = a repeats range[0]")
		if name != "flips" && name != "laplace" {
			continue
		}
		m, err = of(must.Be(must.Be(NewCategories([]string{"a", "b", "a"}, []string{"a", "b"}, Replace)).Mode()), huge)
		if m != nil || !errors.Is(err, evidence.ErrParameter) || !strings.HasPrefix(err.Error(), "the probability in row 0, value 1, lies in [0, ") {
			t.Errorf("%s of far chances: %v, error %v", name, m, err)
		}
	}
	// A query of one's own that reaches nothing.
	r := must.Be(New([]float64{0, 1, 1}, Options{Lo: new(big.Rat), Hi: whole(2), Grid: whole(1), Neighbors: Replace}))
	nowhere := must.Be(NewOwn(Own{Value: func(Dataset) (*big.Rat, error) { return whole(1), nil }, Distance: func(Dataset, *big.Rat) (int, error) { return -1, nil }}))
	m, err := NewPurest(must.Be(nowhere.OnRecords(r, r.valueRange())), one)
	refuses(t, "nowhere", m, err, "dataset 0 reaches no value: every layer is empty")
	// A mode that had a local sensitivity would be no query for ladder.
	mode := must.Be(must.Be(NewCategories([]string{"a"}, []string{"a", "b"}, Replace)).Mode())
	mode.local = constant(whole(1))
	m, err = NewLadder(mode, one)
	refuses(t, "ladder", m, err, "mode of 1 records of 2 categories has categories as values: ladder wants numbers")
}

// Digits that decide nothing, however many are drawn, are an error and no output; others are one.
func TestUndecidedReleases(t *testing.T) {
	const half, all = 1 << 63, 1<<64 - 1
	ln2, one := must.Be(evidence.LogEpsilon("eps", whole(2))), must.Be(evidence.NewEpsilon("eps", 1))
	eps := func(num, den int64) evidence.Epsilon {
		return must.Be(evidence.RationalEpsilon("eps", big.NewRat(num, den)))
	}
	median := func(grid *big.Rat) *Query { // 2, Δ = 4
		return must.Be(must.Be(New([]float64{1, 2, 3}, Options{Lo: new(big.Rat), Hi: whole(4), Grid: grid, Neighbors: Replace})).Median())
	}
	lattice, line := median(whole(1)), median(nil)
	first := &stattest.Spelled{Words: []uint64{half, all}, Tail: 7}
	if k, err := sampling.GeometricOver(sampling.Int(1), first); err != nil || k.Sign() != 0 {
		t.Fatal(k, err)
	}
	below := []uint64{half, all} // a geometric variable of 0, and an exponential one of 1 − 2⁻ᵏ
	for len(below) < first.Taken {
		below = append(below, first.Tail)
	}
	below = append(below, all, half, 5, all)
	alike := must.Be(must.Be(NewCategories([]string{"a", "b"}, []string{"a", "b"}, AddRemove)).Mode())
	apart := must.Be(must.Be(NewCategories([]string{"a", "b", "b"}, []string{"a", "b"}, AddRemove)).Mode())
	for name, c := range map[string]struct {
		m   Law
		src stattest.Spelled
	}{
		"staircase, between steps":             {must.Be(NewStaircase(line, ln2, big.NewRat(1, 2))), stattest.Spelled{Tail: all / 3}},
		"laplace, between values":              {must.Be(NewLaplace(lattice, eps(4, 1))), stattest.Spelled{Words: []uint64{half, all, 0}}},                   // 2 − ½·4/4
		"laplace, between multiples":           {must.Be(NewLaplace(line, eps(2<<31, 1<<31+1))), stattest.Spelled{Words: []uint64{half, all, 0}}},            // 2 − (1 + 2⁻³¹), on multiples of 2⁻³⁰
		"exponential, just below a difference": {must.Be(NewExponential(lattice, eps(8, 1))), stattest.Spelled{Words: below, Tail: all}},                     // of rate 1
		"exponential, at the end of the range": {must.Be(NewExponential(line, eps(2, 1))), stattest.Spelled{Words: []uint64{half, all, 0}}},                  // 2 − ½·8/2
		"exponential, at the other end":        {must.Be(NewExponential(line, eps(2, 1))), stattest.Spelled{Words: []uint64{half, all, 1}}},                  // 2 + ½·8/2
		"exponential, between multiples":       {must.Be(NewExponential(line, eps(4<<31, 1<<31+1))), stattest.Spelled{Words: []uint64{half, all, 0}}},        // 2 − (1 + 2⁻³¹)
		"permute-and-flip, at the chance":      {must.Be(NewPermuteAndFlip(apart, ln2)), stattest.Spelled{Words: []uint64{0, half}}},                         // the first category, taken with chance ½
		"noisy max, of the same sum for two":   {must.Be(NewNoisyMax(alike, one, "laplace")), stattest.Spelled{Words: []uint64{half, all, 0, half, all, 0}}}, // −½ both
		"noisy max, of the same positive sum":  {must.Be(NewNoisyMax(alike, one, "laplace")), stattest.Spelled{Words: []uint64{half, all, 1, half, all, 1}}}, // ½ both
	} {
		out, grid, err := c.m.(Releaser).Release(t.Context(), 1, &c.src)
		if out != nil || grid != nil || !errors.Is(err, sampling.ErrUndecided) {
			t.Errorf("%s: %v on %v, error %v", name, out, grid, err)
		}
		if out, _, err := c.m.(Releaser).Release(t.Context(), 3, rand.NewPCG(1, 1)); len(out) != 3 || err != nil {
			t.Errorf("%s, of other digits: %v, error %v", name, out, err)
		}
	}
	// An ε whose decay is no float64 has laws, and no exact draws.
	for name, m := range map[string]Law{"laplace": must.Be(NewLaplace(line, eps(800, 1))), "staircase": must.Be(NewStaircase(line, eps(800, 1), nil)), "exponential": must.Be(NewExponential(line, eps(800, 1))), "exponential on a lattice": must.Be(NewExponential(lattice, eps(6400, 1)))} {
		out, grid, err := m.(Releaser).Release(t.Context(), 1, nil)
		if refuses(t, name, nil, err, "eps = 800, want at most 700"); out != nil || grid != nil {
			t.Errorf("%s: %v on %v beside an error", name, out, grid)
		}
	}
}

// An error of one's own is what is told, whatever number comes with it.
func TestOwnErrorsAreKept(t *testing.T) {
	r := must.Be(New([]float64{0, 1, 1}, Options{Lo: new(big.Rat), Hi: whole(2), Grid: whole(1), Neighbors: Replace}))
	fails := errors.New("fails")
	own := must.Be(NewOwn(Own{Value: func(Dataset) (*big.Rat, error) { return whole(1), nil },
		Up: func(Dataset, int) (*big.Rat, error) { return whole(-1), fails }, Down: func(_ Dataset, t int) (*big.Rat, error) { return whole(t), nil }}))
	q := must.Be(own.OnRecords(r, r.valueRange()))
	if l, err := q.Layer(whole(2)); err != nil || q.Failed() != fails {
		t.Errorf("layer %d, error %v, %v is kept", l, err, q.Failed())
	}
}

// lower lowers a bound for a test.
func lower(t *testing.T, bound *int, to int) {
	t.Helper()
	was := *bound
	*bound = to
	t.Cleanup(func() { *bound = was })
}

// A law of too many layers, and sensitivities that rise for too long, are refused; neither is kept.
func TestBoundsOnWork(t *testing.T) {
	edges := must.Be(must.Be(NewGraph(60, nil, Edge)).Edges())
	m := must.Be(NewPurest(edges, must.Be(evidence.NewEpsilon("decay", 1))))
	rising := &Query{name: "rising", value: new(big.Rat), local: func(t int) *big.Rat { return whole(t + 1) }}
	by := must.Be(smooth.Calibrate(must.Be(smooth.Student(whole(3))), must.Be(evidence.RationalEpsilon("eps", big.NewRat(1, 2))), evidence.Delta{}, nil))
	t.Run("lowered", func(t *testing.T) {
		lower(t, &mostLayers, 10)
		lower(t, &mostRises, 10)
		n, err := m.Distortion(t.Context())
		refuses(t, "layers", n, err, "more than 10 layers weigh something at decay 1: raise it")
		s, err := NewSmooth(t.Context(), rising, by)
		refuses(t, "rises", s, err, fmt.Sprintf("local sensitivities rise for more than 10 changes, and beta = %g weighs them all", by.BetaEnclosure().Mid()))
	})
	if n, err := m.Distortion(t.Context()); n == nil || err != nil {
		t.Errorf("%v, error %v", n, err)
	}
	// A sensitivity that is negative is none.
	wrong := &Query{name: "wrong", value: new(big.Rat), local: constant(whole(-1)), global: whole(-1)}
	s, err := NewSmooth(t.Context(), wrong, by)
	refuses(t, "a negative one", s, err, "rises[0] = -1, want a local sensitivity of at least 0")
}

// Layers by places, too, have no law on a range of one value.
func TestPlacesOfAPoint(t *testing.T) {
	x := slices.Repeat([]float64{1}, 70)
	q := must.Be(must.Be(New(x, Options{Lo: whole(1), Hi: whole(2), Neighbors: Replace})).Median())
	m := must.Be(NewPurest(q, must.Be(evidence.NewEpsilon("decay", 1)))).(*Layered)
	r := &Records{opts: Options{Lo: whole(1), Hi: whole(1)}, sorted: x, lo: 1, hi: 1}
	l, err := m.ofPlaces(t.Context(), &places{r, 35})
	if refuses(t, "a point", nil, err, "the range of "+q.name+" has one value, and no length"); l != nil {
		t.Error("a law beside an error")
	}
}

// bare is a law of which nobody asks more than what it answers.
type bare struct {
	Law
	q *Query
}

func (m bare) Query() *Query                   { return m.q }
func (m bare) Name() string                    { return "bare" }
func (m bare) ClaimedEpsilon() evidence.Number { return nil }

// A verification refuses queries that are built wrongly: with a value off their range, with functions that fail, or with a category twice.
func TestRefusedBuilds(t *testing.T) {
	fails := errors.New("fails")
	bases := func(build func(x Dataset) (*Query, error)) *Query {
		return &Query{name: "built", value: new(big.Rat), neighbors: Replace, again: builder{records: func(x, _ []float64) (*Query, error) { return build(Dataset{Records: x}) }}}
	}
	r := must.Be(New([]float64{0}, Options{Lo: new(big.Rat), Hi: whole(2), Grid: whole(1), Neighbors: Replace}))
	own := func(up func(x Dataset, t int) (*big.Rat, error)) func(x Dataset) (*Query, error) {
		o := must.Be(NewOwn(Own{Value: func(Dataset) (*big.Rat, error) { return whole(1), nil }, Up: up, Down: func(_ Dataset, t int) (*big.Rat, error) { return whole(t), nil }}))
		return func(x Dataset) (*Query, error) { return o.on(x, "own query", r.valueRange(), nil, Replace) }
	}
	decay := must.Be(evidence.NewEpsilon("decay", 1))
	as := func(q *Query) (Law, error) { return bare{q: q}, nil }
	layers := func(q *Query) (Law, error) { return NewPurest(q, decay) }
	options := VerifyOptions{Records: 2, Values: []float64{0, 1}}

	off := bases(func(Dataset) (*Query, error) {
		return &Query{name: "off", value: whole(5), rng: r.valueRange(), moves: func(t int) (up, down *big.Rat) { return whole(t), whole(t) }}, nil
	})
	if v, err := Verify(t.Context(), off, as, options); v != nil || err == nil || err.Error() != "the value 5 at dataset [1 1] is not in the range [0, 2] in steps of 1" {
		t.Errorf("off its range: %v, error %v", v, err)
	}
	failing := bases(own(func(Dataset, int) (*big.Rat, error) { return nil, fails }))
	for name, of := range map[string]func(q *Query) (Law, error){"layers of the query": as, "layers of the mechanism": layers} {
		if v, err := Verify(t.Context(), failing, of, options); v != nil || err != fails {
			t.Errorf("%s: %v, error %v", name, v, err)
		}
	}
	twice := bases(func(Dataset) (*Query, error) {
		return &Query{name: "twice", value: whole(1), listed: &listed{values: []*big.Rat{whole(0), whole(1)}, names: []string{"a", "a"}, level: []int32{1, 0}}}, nil
	})
	v, err := Verify(t.Context(), twice, as, options)
	refuses(t, "a category twice", nil, err, "range[1] = a repeats range[0]")
	if v != nil {
		t.Error("a verification beside an error")
	}

	// Once the context has ended, layers are asked for at sixteen datasets at most.
	c, end := context.WithCancel(t.Context())
	asked := map[string]bool{}
	slow := bases(own(func(x Dataset, t int) (*big.Rat, error) {
		asked[x.String()] = true
		end()
		return whole(t), nil
	}))
	v, err = Verify(c, slow, layers, VerifyOptions{Records: 3, Values: []float64{0, 1, 2, 3, 4}}) // 35 datasets
	if v != nil || !errors.Is(err, context.Canceled) || len(asked) > 16 || len(asked) == 0 {
		t.Errorf("%v after layers at %d datasets, error %v", v, len(asked), err)
	}
}
