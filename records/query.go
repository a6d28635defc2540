package records

import (
	"cmp"
	"math"
	"math/big"
	"sort"
	"sync"

	"dpworkbench/internal/parameter"
)

// Range is the set of a query's possible values: the reals from Lo to Hi, or the points Lo + k·Step if Step is not
// nil. A nil end is infinite.
type Range struct{ Lo, Hi, Step *big.Rat }

// mostChanges bounds the distances t; graphs of a hundred thousand nodes can be 2³² apart.
const mostChanges = math.MaxInt / 4

// Query is a query at one dataset. It is immutable and safe for concurrent use.
type Query struct {
	name   string
	value  *big.Rat
	rng    Range
	exact  bool
	ground string // source of the layers

	moves      func(t int) (up, down *big.Rat) // how far t ≥ 1 changes move the value; nil is infinite
	growth     *big.Rat                        // if the range is infinite: bound on the increase of moves per change
	listed     *listed                         // the layers, if they are not intervals around the value
	local      func(t int) *big.Rat            // I_t
	attained   func(t int) bool                // whether I_t is attained by a dataset within t changes; nil if that is never known
	global     *big.Rat                        // nil if no bound is known: for some queries with outputs on a lattice, and for custom queries
	unattained bool                            // global is an upper bound, not known to be attained
	isConstant bool                            // the query is constant

	quantile bool // the query is an order statistic

	neighbors   Neighbors
	valueLayer  func(r *big.Rat, t int) int // layer of a single value, given the layer t of the values around it; nil if it is always t
	orderLayers *orderLayers                // an order statistic without a grid, under replacement
	again       builder                     // the same query at another dataset
	custom      *CustomQuery                // nil for built-in queries
	openMean    *Records                    // the records of a mean under addition and removal
	graph       *Graph                      // graph and pattern of a pattern count under node neighbors
	pattern     pattern
	original    *Query // the query that an extension replaces
	failed      *firstError

	mu   sync.Mutex
	sums []*big.Rat // I_0 + … + I_{t−1}
}

// Name returns the query and its dataset in words.
func (q *Query) Name() string { return q.name }

// IsQuantile reports whether the query is an order statistic.
func (q *Query) IsQuantile() bool { return q.quantile }

// Value returns f(x). For a mode it is the index of the category.
func (q *Query) Value() *big.Rat { return new(big.Rat).Set(q.value) }

// Range returns the set of possible values.
func (q *Query) Range() Range { return q.rng }

// Exact reports whether the layer of r is the distance to the nearest dataset with value r. If not, layers are lower
// bounds of these distances.
func (q *Query) Exact() bool { return q.exact }

// Ground returns the source of the layers.
func (q *Query) Ground() string { return q.ground }

// Neighbors returns which datasets are neighbors.
func (q *Query) Neighbors() Neighbors { return q.neighbors }

// Global returns the largest change between neighbors, or nil if no bound is known.
func (q *Query) Global() *big.Rat { return q.global }

// Original returns the query that this extension replaces, or nil.
func (q *Query) Original() *Query { return q.original }

// Local returns I_t, an upper bound on the local sensitivity of every dataset within t changes. It does not
// decrease with t, and a neighbor's I_t is at most this I_{t+1}. It returns an error wrapping evidence.ErrParameter
// if t is negative or the query has no such bound.
func (q *Query) Local(t int) (*big.Rat, error) {
	if q.local == nil {
		return nil, parameter.Errorf("%s has no known local sensitivity at a distance", q.name)
	}
	if t < 0 || t > mostChanges {
		return nil, parameter.Bad("t", t, "0…%d", mostChanges)
	}
	return q.local(t), nil
}

// LocalIsExact reports whether I_t is attained: whether two neighbors, one of them within t changes, differ by I_t.
func (q *Query) LocalIsExact(t int) bool { return q.attained != nil && q.attained(t) }

// Moves returns how far t changes can move the value up and down within the range, or bounds of these distances: r is
// within layer t if and only if f(x) − down ≤ r ≤ f(x) + up. A nil distance is infinite. It returns an error wrapping
// evidence.ErrParameter if t is negative or layers are not intervals.
func (q *Query) Moves(t int) (up, down *big.Rat, err error) {
	if q.moves == nil {
		return nil, nil, parameter.Errorf("the layers of %s are not intervals around its value", q.name)
	}
	if t < 0 || t > mostChanges {
		return nil, nil, parameter.Bad("t", t, "0…%d", mostChanges)
	}
	up, down = q.within(q.moves, t, new(big.Rat))
	return up, down, nil
}

// within returns the moves at t, enlarged by a radius, cut to the range and rounded down to its lattice.
func (q *Query) within(moves func(t int) (up, down *big.Rat), t int, radius *big.Rat) (up, down *big.Rat) {
	up, down = new(big.Rat), new(big.Rat)
	if t > 0 {
		up, down = moves(t)
	}
	ends := q.rng.ends(q.value)
	return q.cut(up, radius, ends[0]), q.cut(down, radius, ends[1])
}

func (q *Query) cut(move, radius, end *big.Rat) *big.Rat {
	if move == nil || radius == nil { // infinitely far
		return end
	}
	if radius.Sign() > 0 {
		move = new(big.Rat).Add(move, radius)
	}
	if end != nil && move.Cmp(end) >= 0 {
		return end
	}
	if s := q.rng.Step; s != nil && !new(big.Rat).Quo(move, s).IsInt() {
		return floorTo(move, s)
	}
	return move
}

// Layer returns the layer L^x(r), or −1 if r is never reached. It returns an error wrapping evidence.ErrParameter if r
// is not in the range.
func (q *Query) Layer(r *big.Rat) (int, error) {
	if err := cmp.Or(q.inRange("r", r), q.hasLayers()); err != nil {
		return 0, err
	}
	if q.listed != nil {
		return q.listed.layer(r), nil
	}
	t := q.layerAt(q.moves, new(big.Rat), r)
	if q.valueLayer != nil {
		t = q.valueLayer(r, t)
	}
	return t, nil
}

// hasLayers returns an error for a query without a dataset.
func (q *Query) hasLayers() error {
	if q.moves == nil && q.listed == nil {
		return parameter.Errorf("%s has no dataset, so only verify lists its layers", q.name)
	}
	return nil
}

// layerAt returns the least t at which moves reach r.
func (q *Query) layerAt(moves func(t int) (up, down *big.Rat), radius, r *big.Rat) int {
	d := new(big.Rat).Sub(r, q.value)
	away := d.Sign()
	d.Abs(d)
	reached := func(t int) bool {
		up, down := q.within(moves, t, radius)
		if away > 0 {
			return up == nil || up.Cmp(d) >= 0
		}
		return away == 0 || down == nil || down.Cmp(d) >= 0
	}
	hi := 1
	if reached(0) {
		return 0
	}
	for !reached(hi) {
		if hi >= mostChanges/2 {
			return -1
		}
		hi *= 2
	}
	lo := hi/2 + 1 // hi/2 is not reached
	return lo + sort.Search(hi-lo, func(k int) bool { return reached(lo + k) })
}

// inRange returns an error unless r is in the range.
func (q *Query) inRange(name string, r *big.Rat) error {
	g := q.rng
	bad := g.Lo != nil && r.Cmp(g.Lo) < 0 || g.Hi != nil && r.Cmp(g.Hi) > 0
	if !bad && g.Step != nil {
		from := q.value
		if g.Lo != nil {
			from = g.Lo
		} else if g.Hi != nil {
			from = g.Hi
		}
		k := new(big.Rat).Sub(r, from)
		bad = !k.Quo(k, g.Step).IsInt()
	}
	if bad {
		return parameter.Bad(name, r, "a value of %s", g)
	}
	return nil
}

// check returns an error unless Lo ≤ Hi, Step is positive, and Hi − Lo is a multiple of Step.
func (g Range) check() error {
	if g.Lo != nil && g.Hi != nil && g.Lo.Cmp(g.Hi) > 0 {
		return parameter.Errorf("range is %s, want lo ≤ hi", g)
	}
	if g.Step != nil && g.Step.Sign() <= 0 {
		return parameter.Errorf("range is %s, want a positive step", g)
	}
	if g.Lo != nil && g.Hi != nil && g.Step != nil {
		if k := new(big.Rat).Sub(g.Hi, g.Lo); !k.Quo(k, g.Step).IsInt() {
			return parameter.Errorf("range is %s, want hi − lo to be a multiple of the step", g)
		}
	}
	return nil
}

// String writes the range.
func (g Range) String() string {
	lo, hi := "(−inf", "inf)"
	if g.Lo != nil {
		lo = "[" + text(g.Lo)
	}
	if g.Hi != nil {
		hi = text(g.Hi) + "]"
	}
	if g.Step != nil {
		return lo + ", " + hi + " in steps of " + text(g.Step)
	}
	return lo + ", " + hi
}

// ladderSum returns I_0 + … + I_{t−1}.
func (q *Query) ladderSum(t int) *big.Rat {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.sums == nil {
		q.sums = []*big.Rat{new(big.Rat)}
	}
	for len(q.sums) <= t {
		k := len(q.sums) - 1
		step := q.local(k)
		if q.isConstant || q.global != nil && step.Cmp(q.global) >= 0 { // all further steps are equal
			rest := new(big.Rat).Mul(step, whole(t-k))
			return rest.Add(rest, q.sums[k])
		}
		q.sums = append(q.sums, new(big.Rat).Add(q.sums[k], step))
	}
	return q.sums[t]
}

// ladderMoves returns the moves of the Ladder mechanism: sums of local sensitivities.
func (q *Query) ladderMoves(t int) (up, down *big.Rat) {
	s := q.ladderSum(t)
	return s, s
}
