package privacy

import (
	"cmp"
	"container/heap"
	"context"
	"math"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/internal/elementary"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/query"
)

// Continuous is a pair of laws P and Q on the line, the laws of an output at two neighboring datasets, given by
// functions that return enclosures. Answers are certified if the enclosures are correct. [WithError] converts a
// float64 function with a known error.
type Continuous struct {
	// P and Q enclose the distribution functions: the probability of an output of at most x.
	P, Q func(x float64) interval.Interval
	// Loss encloses ln dP/dQ on the interval from a to b, where −Inf ≤ a ≤ b ≤ Inf: see [Monotone] and [Ratio].
	Loss func(a, b float64) interval.Interval
	// Nearly all outputs must lie between From and To. One cell covers all outputs below From, and one those above To.
	From, To float64
	// Relation is the neighbor relation, for subsampling. For query.AddRemove, P is the law of the dataset with the
	// extra record.
	Relation query.Relation
	// Cells is the largest number of cells; 0 means 4096.
	Cells int
}

// Monotone returns a Loss function for a loss that is monotone in the output. At −Inf and Inf, loss must return its
// limits, which may be infinite.
func Monotone(loss func(x float64) interval.Interval) func(a, b float64) interval.Interval {
	return func(a, b float64) interval.Interval { return interval.Hull(loss(a), loss(b)) }
}

// Ratio returns a Loss function from the densities of P and Q, each of which must return an enclosure over an interval.
func Ratio(p, q func(x interval.Interval) interval.Interval) func(a, b float64) interval.Interval {
	return func(a, b float64) interval.Interval {
		x := interval.Between(a, b)
		return p(x).Log().Sub(q(x).Log())
	}
}

// WithError returns enclosures of a float64 function whose error is at most err.
func WithError(f func(x float64) float64, err float64) func(x float64) interval.Interval {
	return func(x float64) interval.Interval {
		v := f(x)
		return interval.Float(v).Add(interval.Between(-err, err))
	}
}

// outputCell is the set of outputs from a to b.
type outputCell struct {
	a, b     endpoint
	p, q     interval.Interval
	loss     interval.Interval
	priority float64 // how much dividing the cell can gain
}

// endpoint is an output x with enclosures of both distribution functions at x, and a float64 estimate of the loss.
type endpoint struct {
	x    float64
	p, q interval.Interval
	loss float64
}

// cellHeap is a heap of cells, the highest priority first.
type cellHeap []outputCell

func (c cellHeap) Len() int           { return len(c) }
func (c cellHeap) Less(i, j int) bool { return c[i].priority > c[j].priority }
func (c cellHeap) Swap(i, j int)      { c[i], c[j] = c[j], c[i] }

// Push implements heap.Interface.
func (c *cellHeap) Push(x any) { *c = append(*c, x.(outputCell)) }

// Pop implements heap.Interface.
func (c *cellHeap) Pop() any {
	n := len(*c) - 1
	x := (*c)[n]
	*c = (*c)[:n]
	return x
}

// DominatingPairs returns the pair and its reverse. It divides the outputs into cells, which are smaller where losses
// vary most. In the upper bound every output of a cell has the least or the largest loss of the cell, and both laws
// give the cell its true mass: a mean-preserving spread of the likelihood ratio. In the lower bound a cell is a single
// output. The divergences of any number of uses lie between those of the bounds.
//
// It returns an error wrapping evidence.ErrParameter if a function is missing or does not return probabilities, the
// masses and losses of a cell contradict each other, From ≥ To, or Cells is below 0 or above 2²⁰. It also returns the
// context's error.
func (c Continuous) DominatingPairs(ctx context.Context, name, source string) (*DominatingPairs, error) {
	switch {
	case c.P == nil || c.Q == nil || c.Loss == nil:
		return nil, parameter.Errorf("one of the functions P, Q and Loss is nil, want all three")
	case !(c.From < c.To) || math.IsInf(c.From, 0) || math.IsInf(c.To, 0):
		return nil, parameter.Errorf("From = %g and To = %g, want two finite numbers in this order", c.From, c.To)
	case c.Cells < 0 || c.Cells > 1<<20:
		return nil, parameter.Bad("Cells", c.Cells, "0…%d", 1<<20)
	}
	most := c.Cells
	if most == 0 {
		most = 1 << 12
	}
	cells, err := c.divide(ctx, most, 0)
	if err != nil {
		return nil, err
	}
	return pairsOfCells(name, source, c.Relation, cells, nil), nil
}

// pairsOfCells returns the pessimistic pairs of the cells in both directions, with their lower bounds. whole is the
// pair that was divided into the cells. It bounds the moments beyond them, and is nil if they are infinite there.
func pairsOfCells(name, source string, relation query.Relation, cells []outputCell, whole *mixturePair) *DominatingPairs {
	reversed := make([]outputCell, len(cells))
	for i, c := range cells {
		reversed[i] = outputCell{p: c.q, q: c.p, loss: c.loss.Neg()}
	}
	p, q := pessimisticPair(cells), pessimisticPair(reversed)
	p.reverse, q.reverse, p.whole, q.whole = q, p, whole, whole.reverse()
	p.below, p.spacing = optimisticPair(cells), spacingOf(cells)
	q.below, q.spacing = p.below.swapped(), p.spacing
	f := PairAndReverse(name, source, p)
	f.LowerBound = PairAndReverse(name, source, p.below)
	for _, f := range []*DominatingPairs{f, f.LowerBound} {
		if f.Relation = relation; relation == query.AddRemove {
			f.Removes = func(i int) bool { return i == 0 }
		}
	}
	return f
}

// divide returns cells that contain all outputs, in ascending order. Cells are small where the pair varies most. If
// tilt is not 0, they are small where the moment of order tilt varies most.
func (c Continuous) divide(ctx context.Context, most int, tilt float64) ([]outputCell, error) {
	zero, one := interval.Int(0), interval.Int(1)
	var fault error // the first
	fail := func(err error) {
		if fault == nil {
			fault = err
		}
	}
	at := func(x float64) endpoint {
		out := [2]interval.Interval{}
		for i, f := range []func(float64) interval.Interval{c.P, c.Q} {
			v := f(x)
			if lo, hi := v.Bounds(); !(lo <= 1 && hi >= 0) {
				fail(parameter.Errorf("%s(%g) is in [%g, %g], want a probability", [2]string{"P", "Q"}[i], x, lo, hi))
				return endpoint{x: x, p: zero, q: zero}
			}
			out[i] = interval.Min(interval.Max(v, zero), one)
		}
		return endpoint{x, out[0], out[1], c.Loss(x, x).Mid()}
	}
	cell := func(a, b endpoint) outputCell {
		x := outputCell{a: a, b: b, p: interval.Max(b.p.Sub(a.p), zero), q: interval.Max(b.q.Sub(a.q), zero), loss: c.Loss(a.x, b.x)}
		lo, hi := x.loss.Bounds()
		switch width := hi - lo; {
		case math.IsNaN(lo) || math.IsNaN(hi):
			fail(parameter.Errorf("Loss(%g, %g) has a bound that is NaN, want an enclosure", a.x, b.x))
		case x.contradicts(lo, hi):
			fail(parameter.Errorf("between %g and %g the probabilities %v and %v contradict a loss in [%g, %g]", a.x, b.x, x.p, x.q, lo, hi))
		default:
			x.priority = math.Log(x.p.Mid()+x.q.Mid()) + 2*math.Log(min(width, 1e3))
			if tilt != 0 {
				x.priority = math.Log(x.p.Mid()) + min(tilt*hi, math.MaxFloat64) + 2*math.Log(min(width, 1e3))
			}
		}
		return x
	}
	from, to := at(c.From), at(c.To)
	ends := []outputCell{cell(endpoint{x: math.Inf(-1), p: zero, q: zero}, from), cell(to, endpoint{x: math.Inf(1), p: one, q: one})}
	inner := &cellHeap{cell(from, to)}
	for inner.Len() < most && fault == nil {
		if inner.Len()%16 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		x := heap.Pop(inner).(outputCell)
		mid := c.split(x.a, x.b)
		if !(x.a.x < mid && mid < x.b.x) || math.IsInf(x.priority, -1) {
			heap.Push(inner, x)
			break
		}
		between := at(mid)
		heap.Push(inner, cell(x.a, between))
		heap.Push(inner, cell(between, x.b))
	}
	if fault != nil {
		return nil, fault
	}
	cells := append(ends, *inner...)
	slices.SortFunc(cells, func(x, y outputCell) int { return cmp.Compare(x.a.x, y.a.x) })
	return cells, nil
}

// spacingOf returns the spacing of a grid that contains the losses of nearly all cells and their midpoints: half of the
// least width that matters. It returns 0 if there is no such grid.
func spacingOf(cells []outputCell) float64 {
	const least, most = -60, 60 // binary exponents of widths
	var at [most - least + 1]float64
	all := 0.0
	for _, c := range cells {
		lo, hi := c.loss.Bounds()
		width := hi - lo
		weight := width * width * c.p.Mid()
		if !(weight > 0) || math.IsInf(weight, 1) {
			continue
		}
		all += weight
		if n := math.Round(math.Log2(width)); n >= least && n <= most {
			if unit := math.Exp2(n); math.Abs(width-unit)+math.Abs(lo-math.Round(lo/unit)*unit) < 1e-3*unit {
				at[int(n)-least] += weight
			}
		}
	}
	fit := 0.0
	for _, weight := range at {
		fit += weight
	}
	for n, weight := range at {
		if fit > 0.9*all && weight > 1e-2*all {
			return math.Exp2(float64(n+least) - 1)
		}
	}
	return 0
}

// split returns an output between a and b at which to divide a cell. It chooses one about halfway whose loss is a round
// binary fraction, so that the losses of cells lie on a grid. If it finds none, it returns the midpoint.
func (c Continuous) split(a, b endpoint) float64 {
	mid := a.x + (b.x-a.x)/2
	width := math.Abs(b.loss - a.loss)
	if !(width > 1e-9*max(math.Abs(a.loss), math.Abs(b.loss))) || math.IsInf(width, 1) {
		return mid
	}
	step := math.Exp2(math.Floor(math.Log2(width*(1+1e-6))) - 1)
	target := math.Round((a.loss+b.loss)/2/step) * step
	lo, hi, atLo, atHi := a.x, b.x, a.loss-target, b.loss-target
	for range 8 { // regula falsi that halves the value at an end that stays (Illinois)
		x := lo + (hi-lo)*(atLo/(atLo-atHi))
		if !(lo < x && x < hi) {
			break
		}
		at := c.Loss(x, x).Mid() - target
		if math.Abs(at) <= 1e-6*width {
			return x
		}
		if (at < 0) == (atLo < 0) {
			lo, atLo, atHi = x, at, atHi/2
		} else {
			hi, atHi, atLo = x, at, atLo/2
		}
	}
	return mid
}

// contradicts reports whether certainly p > e^hi q or p < e^lo q. It tries float64 before enclosures.
func (x *outputCell) contradicts(lo, hi float64) bool {
	const leastMass = 1e-150 // quotients of masses above this neither overflow nor underflow
	leastP, mostP := x.p.Bounds()
	leastQ, mostQ := x.q.Bounds()
	if min(leastP, leastQ) > leastMass {
		if elementary.Log(mostP/leastQ)+1e-12 < hi {
			hi = math.Inf(1)
		}
		if elementary.Log(leastP/mostQ)-1e-12 > lo {
			lo = math.Inf(-1)
		}
	}
	return !math.IsInf(hi, 1) && x.q.Mul(interval.Float(hi).Exp()).Less(x.p) ||
		!math.IsInf(lo, -1) && x.p.Less(x.q.Mul(interval.Float(lo).Exp()).Lower())
}

// quickCells is the number of cells above which exponentials and logarithms are taken in float64. Their rounding is
// then a smaller error than the width of a cell.
const quickCells = 1 << 9

// pessimisticPair returns the upper bound of the cells. Its reverse bounds the reverse pair from above, but less
// closely than the pessimistic pair of the reversed cells if masses are intervals.
func pessimisticPair(cells []outputCell) *DiscretePair {
	none, zero := zero, interval.Int(0)
	exp := interval.Interval.Exp
	if len(cells) > quickCells {
		exp = quickExp
	}
	var atoms []Atom
	infinityMass, qOnlyMass := zero, zero
	put := func(p, q, loss interval.Interval) {
		if _, hi := p.Bounds(); hi > 0 {
			atoms = append(atoms, Atom{P: evidence.RatOrInterval{Enclosure: interval.Max(p, zero)}, Q: evidence.RatOrInterval{Enclosure: interval.Max(q, zero)}, Offset: loss})
		}
	}
	for _, c := range cells {
		lo, hi := c.loss.Lower(), c.loss.Upper()
		least, most := c.loss.Bounds()
		switch unboundedAbove, unboundedBelow := math.IsInf(most, 1), math.IsInf(least, -1); {
		case unboundedAbove && (unboundedBelow || least == math.MaxFloat64) || unboundedBelow && most == -math.MaxFloat64:
			infinityMass, qOnlyMass = infinityMass.Add(c.p), qOnlyMass.Add(c.q)
		case unboundedAbove: // all of Q at the least loss, and the rest of P at an infinite loss
			p := interval.Min(c.q.Mul(exp(lo)), c.p)
			put(p, interval.Min(c.q, c.p.Mul(exp(lo.Neg()))), lo)
			infinityMass = infinityMass.Add(interval.Max(c.p.Sub(p), zero))
		case unboundedBelow:
			q := interval.Min(c.p.Mul(exp(hi.Neg())), c.q)
			put(interval.Min(c.p, c.q.Mul(exp(hi))), q, hi)
			qOnlyMass = qOnlyMass.Add(interval.Max(c.q.Sub(q), zero))
		default:
			atLo, atHi := exp(lo.Neg()), exp(hi.Neg())
			width := atLo.Sub(atHi)
			if s, _ := width.Sign(); s <= 0 { // one loss
				put(c.p, c.q, c.loss)
				continue
			}
			// high is the largest mass that P may have at the loss hi: the largest one dominates. Mass of Q beyond
			// these atoms has an infinite loss in the reverse pair.
			high := interval.Min(interval.Max(c.p.Mul(atLo).Sub(c.q).Quo(width), zero), c.p).Upper()
			low := interval.Max(c.p.Sub(high), zero)
			atHi, atLo = high.Mul(atHi), low.Mul(atLo)
			put(high, atHi, hi)
			put(low, atLo, lo)
			qOnlyMass = qOnlyMass.Add(interval.Max(c.q.Sub(atHi).Sub(atLo), zero))
		}
	}
	amount := func(x interval.Interval) evidence.RatOrInterval {
		if _, hi := x.Bounds(); hi == 0 {
			return none
		}
		return evidence.RatOrInterval{Enclosure: x}
	}
	return NewDiscretePair(atoms, amount(infinityMass), amount(qOnlyMass), evidence.Epsilon{}, Hooks{})
}

// optimisticPair returns the lower bound of the cells. The loss of a cell is the log-ratio of its masses. Cells whose
// loss has a wide enclosure are merged.
func optimisticPair(cells []outputCell) *DiscretePair {
	var atoms []Atom
	p, q := interval.Int(0), interval.Int(0) // masses of the cells to be merged
	log := interval.Interval.Log
	if len(cells) > quickCells {
		log = quickLog
	}
	infinityMass, qOnlyMass := zero, zero
	for _, c := range cells {
		_, most := c.p.Bounds()
		_, other := c.q.Bounds()
		switch {
		case most == 0:
			qOnlyMass = qOnlyMass.Add(evidence.RatOrInterval{Enclosure: c.q})
			continue
		case other == 0:
			infinityMass = infinityMass.Add(evidence.RatOrInterval{Enclosure: c.p})
			continue
		}
		if certainlyPositive(c.p) && certainlyPositive(c.q) {
			if loss := log(c.p.Quo(c.q)); loss.Sub(loss).Upper().Mid() < 1e-3 {
				atoms = append(atoms, Atom{P: evidence.RatOrInterval{Enclosure: c.p}, Q: evidence.RatOrInterval{Enclosure: c.q}, Offset: loss})
				continue
			}
		}
		p, q = p.Add(c.p), q.Add(c.q)
	}
	if _, hi := p.Add(q).Bounds(); hi > 0 {
		if n := len(atoms); !(certainlyPositive(p) && certainlyPositive(q)) && n > 0 {
			last := atoms[n-1]
			p, q = p.Add(last.P.Enclosure), q.Add(last.Q.Enclosure)
			atoms = atoms[:n-1]
		}
		loss := interval.Whole()
		if certainlyPositive(p) && certainlyPositive(q) {
			loss = p.Quo(q).Log()
		}
		atoms = append(atoms, Atom{P: evidence.RatOrInterval{Enclosure: p}, Q: evidence.RatOrInterval{Enclosure: q}, Offset: loss})
	}
	return NewDiscretePair(atoms, infinityMass, qOnlyMass, evidence.Epsilon{}, Hooks{})
}

func certainlyPositive(x interval.Interval) bool {
	s, _ := x.Sign()
	return s > 0
}
