package records

import (
	"cmp"
	"math"
	"math/big"
	"sort"
	"sync"

	"dpworkbench/internal/parameter"
)

// Range is where a query's values may lie: between Lo and Hi, nil where there is no end,
// and on Lo + k·Step, or everywhere between where Step is nil.
type Range struct{ Lo, Hi, Step *big.Rat }

// mostChanges bounds the distances that are asked for; the graphs of a hundred thousand nodes are 2³² apart.
const mostChanges = math.MaxInt / 4

// Query is a query at one dataset. It is immutable, and safe for concurrent use.
type Query struct {
	name   string
	value  *big.Rat
	rng    Range
	exact  bool
	ground string // why the layers are what they are

	moves  func(t int) (up, down *big.Rat) // how far t ≥ 1 changes move the value; nil of infinitely far
	growth *big.Rat                        // bounds what one more change adds to moves, where the range has no end
	listed *listed                         // the layers where they are no intervals around the value
	local  func(t int) *big.Rat            // I_t
	tight  func(t int) bool                // whether I_t is the local sensitivity within t changes; a bound from above where not, and everywhere for nil
	global *big.Rat                        // nil where there is no bound, as of some whose outputs are on a lattice, and of one's own
	loose  bool                            // global is a bound from above that no neighbors are known to attain
	still  bool                            // no change moves the value

	quantile bool // an order statistic

	neighbors Neighbors
	spot      func(r *big.Rat, t int) int // the layer of a single value, t where it is that of those around; nil where it always is
	places    *places                     // of an order statistic without a grid, under replacement
	again     builder                     // the same query at another dataset
	own       *Own                        // nil of those that are built in
	open      *Records                    // of a mean where records come and go
	graph     *Graph                      // of counts of a pattern under nodes, and
	pattern   pattern                     // what they count
	stands    *Query                      // of an extension: the query that it stands for
	failed    *sticky

	mu   sync.Mutex
	sums []*big.Rat // I_0 + … + I_{t−1}
}

// Name says which query of what it is.
func (q *Query) Name() string { return q.name }

// IsQuantile reports whether the query is an order statistic.
func (q *Query) IsQuantile() bool { return q.quantile }

// Value returns f(x). Of a mode it is the place of the category.
func (q *Query) Value() *big.Rat { return new(big.Rat).Set(q.value) }

// Range returns where values lie.
func (q *Query) Range() Range { return q.rng }

// Exact reports whether layers are the distances to the datasets that reach a value; they are
// at most these elsewhere.
func (q *Query) Exact() bool { return q.exact }

// Ground says where the layers come from.
func (q *Query) Ground() string { return q.ground }

// Neighbors returns which datasets are neighbors.
func (q *Query) Neighbors() Neighbors { return q.neighbors }

// Global returns the largest change between neighbors, nil where there is no bound.
func (q *Query) Global() *big.Rat { return q.global }

// StandsFor returns the query that an extension stands for, nil of others.
func (q *Query) StandsFor() *Query { return q.stands }

// Local returns I_t, at least the local sensitivity of every dataset within t changes. It does
// not fall with t, and that of a neighbor at t is at most this one at t + 1. It returns an
// error wrapping evidence.ErrParameter where t is negative or the query has none.
func (q *Query) Local(t int) (*big.Rat, error) {
	if q.local == nil {
		return nil, parameter.Errorf("%s has no local sensitivity that is known at a distance", q.name)
	}
	if t < 0 || t > mostChanges {
		return nil, parameter.Bad("t", t, "0…%d", mostChanges)
	}
	return q.local(t), nil
}

// LocalIsExact reports whether I_t is the local sensitivity within t changes itself: the largest change between neighbors
// of which one is within t changes. It is a bound from above where not.
func (q *Query) LocalIsExact(t int) bool { return q.tight != nil && q.tight(t) }

// Moves returns how far t changes can move the value up and down within the range, or bounds
// of it: r is within layer t just where f(x) − down ≤ r ≤ f(x) + up. Nil stands for no end.
// It returns an error wrapping evidence.ErrParameter where t is negative, or the layers are no
// intervals.
func (q *Query) Moves(t int) (up, down *big.Rat, err error) {
	if q.moves == nil {
		return nil, nil, parameter.Errorf("the layers of %s are no intervals around its value", q.name)
	}
	if t < 0 || t > mostChanges {
		return nil, nil, parameter.Bad("t", t, "0…%d", mostChanges)
	}
	up, down = q.within(q.moves, t, new(big.Rat))
	return up, down, nil
}

// within returns moves at t with a radius added, cut to the range and its lattice.
func (q *Query) within(moves func(t int) (up, down *big.Rat), t int, radius *big.Rat) (up, down *big.Rat) {
	up, down = new(big.Rat), new(big.Rat)
	if t > 0 {
		up, down = moves(t)
	}
	ends := q.rng.ends(q.value)
	return q.cut(up, radius, ends[0]), q.cut(down, radius, ends[1])
}

func (q *Query) cut(move, radius, end *big.Rat) *big.Rat {
	if move == nil || radius == nil { // anywhere
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

// Layer returns L^x(r), −1 where r is never reached. It returns an error wrapping
// evidence.ErrParameter where r is no value of the range.
func (q *Query) Layer(r *big.Rat) (int, error) {
	if err := cmp.Or(q.inRange("r", r), q.hasLayers()); err != nil {
		return 0, err
	}
	if q.listed != nil {
		return q.listed.layer(r), nil
	}
	t := q.levelOf(q.moves, new(big.Rat), r)
	if q.spot != nil {
		t = q.spot(r, t)
	}
	return t, nil
}

// hasLayers returns an error for a query at no dataset.
func (q *Query) hasLayers() error {
	if q.moves == nil && q.listed == nil {
		return parameter.Errorf("%s is at no dataset, and has no layers but in verify", q.name)
	}
	return nil
}

// levelOf returns the least t at which moves reach r.
func (q *Query) levelOf(moves func(t int) (up, down *big.Rat), radius, r *big.Rat) int {
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

// inRange returns an error unless r is a value of the range.
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

// check returns an error unless the ends ascend, and the step is positive and leads from one to the other.
func (g Range) check() error {
	if g.Lo != nil && g.Hi != nil && g.Lo.Cmp(g.Hi) > 0 {
		return parameter.Errorf("range is %s, want ends that ascend", g)
	}
	if g.Step != nil && g.Step.Sign() <= 0 {
		return parameter.Errorf("range is %s, want a positive step", g)
	}
	if g.Lo != nil && g.Hi != nil && g.Step != nil {
		if k := new(big.Rat).Sub(g.Hi, g.Lo); !k.Quo(k, g.Step).IsInt() {
			return parameter.Errorf("range is %s, want ends that whole steps lead to", g)
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

// rungs returns I_0 + … + I_{t−1}.
func (q *Query) rungs(t int) *big.Rat {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.sums == nil {
		q.sums = []*big.Rat{new(big.Rat)}
	}
	for len(q.sums) <= t {
		k := len(q.sums) - 1
		step := q.local(k)
		if q.still || q.global != nil && step.Cmp(q.global) >= 0 { // and so are all behind
			rest := new(big.Rat).Mul(step, whole(t-k))
			return rest.Add(rest, q.sums[k])
		}
		q.sums = append(q.sums, new(big.Rat).Add(q.sums[k], step))
	}
	return q.sums[t]
}

// summed are the moves of summed local sensitivity, which are Ladder's.
func (q *Query) summed(t int) (up, down *big.Rat) {
	s := q.rungs(t)
	return s, s
}
