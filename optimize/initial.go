package optimize

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/internal/parallel"
	"dpworkbench/internal/parameter"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// A layered mechanism is a table of layers L^x(r). Under the closure, the tables that initial values {R_0, R̃_I}
// generate are exactly those whose layers differ by at most 1 between neighbors (Wu et al., (41), with the closure
// instead of (34)). Problems (43) and (44) range over these tables. Adding r to layer i of x replaces L^y(r) by
// min(L^y(r), ⌈d̄(x, y)⌉ + i) for every y. Removing r up to layer i replaces it by max(L^y(r), i − ⌈d̄(x, y)⌉). Both
// map tables to tables, and connect all tables.

// Initial is the result of SearchInitial.
type Initial struct {
	// Mechanism is the best layered mechanism found.
	Mechanism *layers.Mechanism
	// Value is its expected distortion.
	Value evidence.Number
	// From names the start from which it was found.
	From string
	// Exhaustive reports that no table is better by more than a relative 1e-9 among those in which no value is more
	// than Deepest layers below its dataset's first one. Visited is the number of rows of layers visited.
	Exhaustive bool
	Deepest    int
	Visited    int64
	// Least encloses the least expected distortion of all tables of any depth. Its lower end is the certified optimum
	// of all mechanisms, or the bound of the branch and bound if that is larger; its upper end is Value. It is nil if
	// neither was requested. Boxes is the number of boxes of the branch and bound.
	Least evidence.Number
	Boxes int

	prior []*big.Rat
}

// RatioToOptimum encloses the ratio of the value to the least expected distortion of any 2·decay-differentially
// private mechanism, which this one claims to be. It is at least 1.
func (i *Initial) RatioToOptimum(ctx context.Context) (evidence.Number, error) {
	m, err := i.optimal(ctx)
	if err != nil {
		return nil, err
	}
	least := evidence.Enclosure(m.Optimum())
	if sign, _ := least.Sign(); sign <= 0 {
		return nil, parameter.Errorf("the optimum is not known to be positive, so there is no ratio to it")
	}
	return evidence.Enclosed(evidence.Enclosure(i.Value).Quo(least), "certified optimum of a linear program", "Wu et al., (44) over (8)"), nil
}

// optimal returns the best mechanism of any kind with the same claim.
func (i *Initial) optimal(ctx context.Context) (*Optimal, error) {
	return NewOptimal(ctx, i.Mechanism.Query(), i.Mechanism.Decay().Times(2), Options{Objective: Mean, Prior: i.prior})
}

// InitialOptions configure SearchInitial. The zero value is a local search from the purest mechanism with a uniform
// prior.
type InitialOptions struct {
	Prior   []*big.Rat
	Rounds  int // local searches from perturbed tables, after those from the starts
	Seed    uint64
	Starts  []mechanism.Mechanism // layered mechanisms, besides the purest
	Deepest int                   // for an exhaustive search: the largest number of layers below a dataset's first; 0 for none
	Most    int64                 // largest number of rows to visit; 0 means 10⁸
	Layers  int                   // for a lower bound: the layers below a dataset's first that are kept apart, up to 15; 0 for none
	Boxes   int                   // largest number of boxes of the branch and bound; 0 means 1
}

// SearchInitial searches for the initial values {R_0, R̃_I} with the least expected distortion at a decay (Wu et al.,
// (44), under the closure). A local search lowers or raises one value at one dataset at a time, from the purest
// mechanism and the given starts. If Deepest is positive, it also searches all tables of that depth, which proves the
// result optimal or improves it. If Layers is positive, a branch and bound bounds the value of all tables from below.
//
// It returns an error wrapping evidence.ErrParameter if the prior, a start or an option does not fit, and one wrapping
// ErrNotReached if the exhaustive search would visit more than Most rows. It returns ctx's error if ctx ends.
func SearchInitial(ctx context.Context, q *query.Query, decay evidence.Epsilon, o InitialOptions) (*Initial, error) {
	if err := cmp.Or(decay.Positive("decay"), parameter.AtLeast("rounds", o.Rounds, 0)); err != nil {
		return nil, err
	}
	if o.Deepest < 0 || o.Deepest > 62 {
		return nil, parameter.Bad("deepest", o.Deepest, "0 for a local search, or up to 62")
	}
	if o.Layers < 0 || o.Layers > 15 {
		return nil, parameter.Bad("layers", o.Layers, "0 for no lower bound, or up to 15")
	}
	if err := parameter.AtLeast("boxes", o.Boxes, 0); err != nil {
		return nil, err
	}
	prior, err := mechanism.PriorWeights(q.Size(), o.Prior)
	if err != nil {
		return nil, err
	}
	s, err := newTables(ctx, q, decay, prior)
	if err != nil {
		return nil, err
	}
	purest, err := layers.NewPurest(ctx, q, decay)
	if err != nil {
		return nil, err
	}
	best, value, from := []int32(nil), math.Inf(1), ""
	starts := append([]mechanism.Mechanism{purest}, o.Starts...)
	for k, m := range starts {
		table, err := s.tableOf(m)
		if err != nil {
			return nil, parameter.Errorf("starts[%d]: %w", k-1, err)
		}
		v, err := s.descend(ctx, table)
		if err != nil {
			return nil, err
		}
		if v < value {
			best, value, from = table, v, m.Name()
		}
	}
	if best == nil {
		return nil, parameter.Errorf("%s: every start has an infinite expected distortion, want a query whose distortions are finite float64s", q.Name())
	}
	rounds := o.Rounds
	r := rand.New(rand.NewPCG(o.Seed, 33))
	for i := range rounds {
		parallel.Report(ctx, int64(i), int64(rounds), "rounds")
		table := slices.Clone(best)
		for range 1 + r.IntN(1+q.Size()/4) {
			s.move(table, r.IntN(q.Size()), r.IntN(s.size), r.IntN(2) == 0)
		}
		v, err := s.descend(ctx, table)
		if err != nil {
			return nil, err
		}
		if v < value*(1-1e-12) {
			best, value = table, v
			from = "a shaken table"
		}
	}
	out := &Initial{From: from, prior: prior}
	if o.Deepest > 0 {
		most := o.Most
		if most == 0 {
			most = 100_000_000
		}
		found, visited, err := s.exhaust(ctx, value, o.Deepest, most)
		if err != nil {
			return nil, err
		}
		if found != nil {
			best, out.From = found, "the exhaustive search"
		}
		out.Exhaustive, out.Visited, out.Deepest = true, visited, o.Deepest
	}
	s.raise(best)
	out.Mechanism, err = layers.NewGiven(ctx, mechanism.Info{Name: "best_initial(decay=" + decay.String() + ")", Query: q, Claimed: mechanism.Claim(decay.Times(2), "Wu et al., Proposition 3, under the closure")}, decay, best)
	if err != nil {
		return nil, err
	}
	if out.Value, err = mechanism.ExpectedDistortion(ctx, out.Mechanism, prior); err != nil {
		return nil, err
	}
	if o.Layers > 0 {
		if err := out.bound(ctx, s, o); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// bound sets Least and Boxes.
func (i *Initial) bound(ctx context.Context, s *tables, o InitialOptions) error {
	_, upper := i.Value.Bounds()
	b, err := s.branch(ctx, upper, o.Layers, max(o.Boxes, 1))
	if err != nil {
		return err
	}
	lo := 0.0
	m, err := i.optimal(ctx)
	switch {
	case err == nil:
		lo, _ = m.Optimum().Bounds()
	case !errors.Is(err, evidence.ErrParameter) && !errors.Is(err, ErrNotReached): // a program that is too large gives no bound
		return err
	}
	least := evidence.Certified{Lo: lo, Hi: upper, Provenance: evidence.From("Wu et al., (44)").By("optimum of a linear program, and a table")}
	if b.lower > lo {
		least.Lo, least.Method = b.lower, "branch and bound on messages, and a table"
	}
	i.Least, i.Boxes = least, b.boxes
	return nil
}

// tables evaluates tables of layers. A value in the layer none, or in a layer beyond the length of weight, counts as
// never output.
type tables struct {
	q      *query.Query
	size   int
	far    [][]int // ⌈d̄⌉, −1 without a path
	dist   []float64
	prior  []float64
	weight []float64 // e^{−decay·layer}
	cost   []float64 // cost of each dataset in the current table, times the prior
}

// none is the layer of a value that is not output.
const none = 1 << 20

func newTables(ctx context.Context, q *query.Query, decay evidence.Epsilon, prior []*big.Rat) (*tables, error) {
	const most = 1 << 26
	if q.Size()*q.Size() > most || q.Size()*len(q.Range()) > most {
		return nil, parameter.Errorf("a search over %d datasets and %d values, want at most 8192 datasets, and at most 2^26 datasets times values", q.Size(), len(q.Range()))
	}
	s := &tables{q: q, size: len(q.Range()), far: make([][]int, q.Size()), dist: make([]float64, q.Size()*len(q.Range())), prior: make([]float64, q.Size()), cost: make([]float64, q.Size())}
	unit, _ := q.Metric().Unit().Float64()
	for x := range s.far {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s.far[x] = q.Space().CeilDistances(x)
		s.prior[x], _ = prior[x].Float64()
		for r := range s.size {
			s.dist[x*s.size+r] = q.Metric().Steps(q.ValueIndex(x), r) * unit
		}
	}
	for i := 0; len(s.weight) < none; i++ {
		w := math.Exp(-decay.Value() * float64(i))
		if w < 1e-300 {
			break
		}
		s.weight = append(s.weight, w)
	}
	return s, nil
}

func (s *tables) tableOf(m mechanism.Mechanism) ([]int32, error) {
	l, ok := m.(interface{ Layer(x, r int) int })
	if !ok || !m.Query().SharesOutputs(s.q) {
		return nil, parameter.Errorf("%s is not a layered mechanism of the query", m.Name())
	}
	table := make([]int32, s.q.Size()*s.size)
	for x := range s.q.Size() {
		for r := range s.size {
			if table[x*s.size+r] = int32(l.Layer(x, r)); table[x*s.size+r] == query.Unreached {
				table[x*s.size+r] = none
			}
		}
	}
	for x := range s.q.Size() { // layers of other mechanisms may differ by more than 1
		for r := range s.size {
			for _, y := range s.q.Space().Neighbors(x) {
				if d := table[x*s.size+r] - table[int(y)*s.size+r]; d > 1 || d < -1 {
					return nil, parameter.Errorf("%s has neighbors whose layers of one value differ by %d, want at most 1", m.Name(), d)
				}
			}
		}
	}
	return table, nil
}

// at returns the expected distortion P^x of a row of layers.
func (s *tables) at(x int, row []int32) float64 {
	top := slices.Min(row)
	sum, mass := 0.0, 0.0
	for r, l := range row {
		if k := int(l - top); k < len(s.weight) && l < none {
			sum += s.weight[k] * s.dist[x*s.size+r]
			mass += s.weight[k]
		}
	}
	return sum / mass
}

// evaluate sets the costs of a table and returns their sum.
func (s *tables) evaluate(table []int32) float64 {
	sum := 0.0
	for x := range s.cost {
		s.cost[x] = s.prior[x] * s.at(x, table[x*s.size:][:s.size])
		sum += s.cost[x]
	}
	return sum
}

// move lowers or raises the layer of r at x by one, and all other layers as the neighbor condition requires.
func (s *tables) move(table []int32, x, r int, lower bool) (undo func()) {
	type old struct {
		at int
		l  int32
	}
	var before []old
	l := table[x*s.size+r]
	if l >= none || lower && l == 0 {
		return func() {}
	}
	for y, d := range s.far[x] {
		if d < 0 {
			continue
		}
		at := y*s.size + r
		now := table[at]
		want := now
		if lower {
			want = min(now, l-1+int32(d))
		} else {
			want = max(now, l+1-int32(d))
		}
		if want != now {
			before = append(before, old{at, now})
			table[at] = want
		}
	}
	return func() {
		for _, b := range before {
			table[b.at] = b.l
		}
	}
}

// raise shifts a table so that its first layer is 0, and marks values that are not output.
func (s *tables) raise(table []int32) {
	top := slices.Min(table)
	for i, l := range table {
		if table[i] = l - top; l >= none {
			table[i] = query.Unreached
		}
	}
}

// descend applies moves as long as they improve the table.
func (s *tables) descend(ctx context.Context, table []int32) (float64, error) {
	value := s.evaluate(table)
	for i := range table { // make space below the first layer
		if table[i] < none {
			table[i] += int32(s.size)
		}
	}
	for better := true; better; value = s.evaluate(table) { // recompute to remove accumulated rounding errors
		better = false
		for x := range s.q.Size() {
			if err := ctx.Err(); err != nil {
				return 0, err
			}
			for r := range s.size {
				for _, lower := range [2]bool{true, false} {
					if v, ok := s.try(table, x, r, lower, value); ok {
						value, better = v, true
					}
				}
			}
		}
	}
	return s.evaluate(table), nil
}

// try applies a move if it lowers the value.
func (s *tables) try(table []int32, x, r int, lower bool, value float64) (float64, bool) {
	l := table[x*s.size+r]
	if l >= none || lower && l == 0 {
		return 0, false
	}
	// Only datasets near x change: recompute their costs only.
	gain := 0.0
	var touched []int
	for y, d := range s.far[x] {
		if d < 0 {
			continue
		}
		now := table[y*s.size+r]
		if lower && now > l-1+int32(d) || !lower && now < l+1-int32(d) {
			touched = append(touched, y)
		}
	}
	undo := s.move(table, x, r, lower)
	costs := make([]float64, len(touched))
	for i, y := range touched {
		costs[i] = s.prior[y] * s.at(y, table[y*s.size:][:s.size])
		gain += s.cost[y] - costs[i]
	}
	if !(gain > 0 && gain > 1e-13*value) {
		undo()
		return 0, false
	}
	for i, y := range touched {
		s.cost[y] = costs[i]
	}
	return value - gain, true
}
