package records

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"sort"
	"sync"

	"dpworkbench/evidence"
	"dpworkbench/internal/draw"
	"dpworkbench/internal/parallel"
	"dpworkbench/internal/parameter"
	"dpworkbench/internal/sampling"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
)

// Layered is a layered mechanism at one dataset: a value in layer t has weight e^{−t·decay}, or
// the density that, and the whole of the range is divided by its sum. Layers are sets
// f(x) − down_t … f(x) + up_t.
type Layered struct {
	q       *Query
	title   string
	claimed evidence.Number
	decay   evidence.Epsilon
	radius  *big.Rat
	moves   func(t int) (up, down *big.Rat)
	remake  func(q *Query) (Law, error)
	plain   bool // the layers are those of the query

	mu  sync.Mutex
	law *rings
}

// NewPurest returns the purest mechanism (Wu et al., Definition 16) at this dataset, from its
// layers alone; where these are bounds it is a layered mechanism with the same guarantee,
// 2·decay (Proposition 3), and not the purest.
func NewPurest(q *Query, decay evidence.Epsilon) (Law, error) {
	return newLayered(q, decay, new(big.Rat), func(q *Query) (Law, error) { return NewPurest(q, decay) })
}

// NewDeltaNeighborhood returns the δ-neighborhood mechanism (Wu et al., Definition 18) with one
// radius for all datasets, nil for an infinite one: layer t is that of the purest with all values within
// radius. It is the smooth inverse sensitivity mechanism of Asi and Duchi (2020). It returns an error
// wrapping evidence.ErrParameter where the radius is negative, or layers are no intervals.
func NewDeltaNeighborhood(q *Query, decay evidence.Epsilon, radius *big.Rat) (Law, error) {
	if radius != nil && radius.Sign() < 0 {
		return nil, parameter.Bad("radius", radius, "at least 0")
	}
	if q.listed != nil && (radius == nil || radius.Sign() > 0) {
		return nil, parameter.Errorf("radius = %s, want 0 for %s, whose layers are no intervals", orInf(radius), q.name)
	}
	return newLayered(q, decay, radius, func(q *Query) (Law, error) { return NewDeltaNeighborhood(q, decay, radius) })
}

func orInf(q *big.Rat) string {
	if q == nil {
		return "inf"
	}
	return text(q)
}

func newLayered(q *Query, decay evidence.Epsilon, radius *big.Rat, remake func(q *Query) (Law, error)) (Law, error) {
	if err := decay.Positive("decay"); err != nil {
		return nil, err
	}
	if err := q.hasLayers(); err != nil {
		return nil, err
	}
	title := "purest"
	if !q.exact {
		title = "layered by bounds"
	}
	if radius == nil || radius.Sign() > 0 {
		title = "delta_neighborhood, radius " + orInf(radius)
		if !q.exact {
			title += ", by bounds"
		}
	}
	title += "(decay=" + decay.String() + ")"
	claim := mechanism.Claim(decay.Times(2), "Wu et al., Proposition 3: 2·decay")
	if q.listed != nil {
		m, err := newListed(q, title, decay, claim, q.listed.level, remake)
		if err != nil {
			return nil, err
		}
		m.layered = true
		return m, nil
	}
	return &Layered{q: q, title: title, claimed: claim, decay: decay, radius: radius, moves: q.moves, remake: remake, plain: radius != nil && radius.Sign() == 0}, nil
}

// NewLadder returns the Ladder mechanism (Zhang et al. 2015) of the query's range: rung t, the
// values within I_0 + … + I_{t−1} of f(x), has weight e^{−tε/2}. It claims ε.
func NewLadder(q *Query, eps evidence.Epsilon) (Law, error) {
	if err := eps.Positive("eps"); err != nil {
		return nil, err
	}
	if q.local == nil {
		return nil, parameter.Errorf("%s has no local sensitivity that is known at a distance, which ladder sums", q.name)
	}
	if q.listed != nil && q.listed.names != nil {
		return nil, parameter.Errorf("%s has categories as values: ladder wants numbers", q.name)
	}
	claim := mechanism.Claim(eps, "Zhang et al. 2015, Algorithm 1")
	return &Layered{q: q, title: "ladder(eps=" + eps.String() + ")", claimed: claim, decay: eps.Ratio(1, 2), radius: new(big.Rat),
		moves: q.summed, remake: func(q *Query) (Law, error) { return NewLadder(q, eps) }}, nil
}

// Name implements Law.
func (m *Layered) Name() string { return m.title }

// Query implements Law.
func (m *Layered) Query() *Query { return m.q }

// ClaimedEpsilon implements Law.
func (m *Layered) ClaimedEpsilon() evidence.Number { return m.claimed }

// Decay returns the loss in nats that a layer stands for.
func (m *Layered) Decay() evidence.Epsilon { return m.decay }

// Remake implements Law.
func (m *Layered) Remake(q *Query) (Law, error) { return m.remake(q) }

// Layer returns the layer of r in this mechanism, −1 where it is never output. It returns an
// error wrapping evidence.ErrParameter where r is no value of the range.
func (m *Layered) Layer(r *big.Rat) (int, error) {
	if err := m.q.inRange("r", r); err != nil {
		return 0, err
	}
	if m.plain {
		return m.q.Layer(r)
	}
	return m.q.levelOf(m.moves, m.radius, r), nil
}

// side is the part of the range above or below f(x): the far ends of the layers as distances,
// with what they weigh together, in units of the first layer that has some.
type side struct {
	ends []*big.Rat // of layer first + k; nil where far says
	far  func(k int) *big.Rat
	sum  []interval.Interval // weight up to there
	own  []float64           // weight of the layer itself, where far says
	full *big.Rat            // the end of the range, nil where there is none
}

// end returns the end of layer first + k.
func (s *side) end(k int) *big.Rat {
	if s.far != nil {
		return s.far(k)
	}
	return s.ends[k]
}

// rings is a law, layer by layer up to where the rest weighs nothing.
type rings struct {
	first        int
	weight       []interval.Interval // of layer first + k: z^k
	sides        [2]side             // above, below
	step         *big.Rat            // 0 where the range is no lattice
	rest         interval.Interval   // weight beyond the last layer that is listed
	mass, moment interval.Interval   // of all
	exact        *big.Rat            // the distortion, nil where it is no rational that is known
}

// bitsKept is how small, beside the whole, the weight is that is not listed layer by layer.
const bitsKept = 80

// exactLayers bounds the layers of laws that are added up in rationals.
const exactLayers = 1 << 12

// known computes the law, once.
func (m *Layered) known(ctx context.Context) (*rings, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.law == nil {
		law, err := m.compute(ctx)
		if err != nil {
			return nil, err
		}
		m.law = law
	}
	return m.law, nil
}

// measure returns the length, or the number of values, from distance a to distance b.
func (l *rings) measure(a, b *big.Rat) *big.Rat {
	d := new(big.Rat).Sub(b, a)
	if l.step.Sign() > 0 {
		d.Quo(d, l.step)
	}
	return d
}

// mean returns the mean distance of what lies there.
func (l *rings) mean(a, b *big.Rat) *big.Rat {
	s := new(big.Rat).Add(a, b)
	s.Add(s, l.step)
	return s.Mul(s, big.NewRat(1, 2))
}

func (m *Layered) compute(ctx context.Context) (*rings, error) {
	q := m.q
	if m.plain && q.places != nil && q.places.ready(m.decay) {
		return m.ofPlaces(ctx, q.places)
	}
	l := &rings{step: new(big.Rat), mass: interval.Int(0), moment: interval.Int(0), rest: interval.Int(0)}
	before := [2]*big.Rat{new(big.Rat), new(big.Rat)}
	if q.rng.Step != nil {
		l.step = q.rng.Step
		before[1] = new(big.Rat).Neg(l.step) // f(x) itself counts below
	}
	if q.rng.Hi != nil {
		l.sides[0].full = new(big.Rat).Sub(q.rng.Hi, q.value)
	}
	if q.rng.Lo != nil {
		l.sides[1].full = new(big.Rat).Sub(q.value, q.rng.Lo)
	}
	z, power := m.decay.Decay(), interval.Int(1)
	running := [2]interval.Interval{interval.Int(0), interval.Int(0)}
	_, rational := m.decay.RationalDecay()
	full := false
	for t := 0; ; t++ {
		if t%256 == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if t%4096 == 0 {
				parallel.Report(ctx, int64(t), 0, "layers")
			}
		}
		up, down := q.within(m.moves, t, m.radius)
		if err := q.Failed(); err != nil {
			return nil, err
		}
		if up == nil || down == nil {
			return nil, parameter.Errorf("the range of %s has no end that layer %d stops at: the weights have no finite sum", q.name, t)
		}
		ends := [2]*big.Rat{up, down}
		empty := true
		for i := range ends {
			empty = empty && ends[i].Cmp(before[i]) <= 0
		}
		full = reaches(l.sides[0].full, up) && reaches(l.sides[1].full, down)
		if len(l.weight) == 0 && empty && !full {
			continue // nothing so far
		}
		if len(l.weight) == 0 {
			l.first = t
		} else {
			power = power.Mul(z)
		}
		l.weight = append(l.weight, power)
		for i := range ends {
			s := &l.sides[i]
			if ends[i].Cmp(before[i]) > 0 {
				n := l.measure(before[i], ends[i])
				w := power.Mul(interval.Rat(n))
				running[i] = running[i].Add(w)
				l.moment = l.moment.Add(w.Mul(interval.Rat(l.mean(before[i], ends[i]))))
				before[i] = ends[i]
			}
			s.ends, s.sum = append(s.ends, ends[i]), append(s.sum, running[i])
		}
		l.mass = running[0].Add(running[1])
		if full {
			break
		}
		if rational && len(l.weight) < exactLayers && q.growth == nil {
			continue
		}
		if rest, far, ok := m.beyond(l, power.Mul(z), [2]float64{float(up), float(down)}); ok {
			l.rest = rest
			l.mass = l.mass.Add(rest)
			l.moment = l.moment.Add(far)
			break
		}
		if len(l.weight) > mostLayers {
			return nil, parameter.Errorf("more than %d layers weigh something at decay %s: raise it", mostLayers, m.decay)
		}
	}
	if !interval.Int(0).Less(l.mass) {
		return nil, parameter.Errorf("the range of %s has one value, and no length", q.name)
	}
	if full && rational && len(l.weight) <= exactLayers {
		l.exact = m.exactly(l)
	}
	return l, nil
}

// float returns the float64 nearest to q.
func float(q *big.Rat) float64 {
	v, _ := q.Float64()
	return v
}

// mostLayers bounds the layers of a law; tests, which have no time for so many, lower it.
var mostLayers = 1 << 24

func reaches(end, move *big.Rat) bool { return end != nil && move.Cmp(end) >= 0 }

// beyond bounds the weight and the moment of the layers that are not listed, whose first has
// the given weight, and reports whether they are negligible.
func (m *Layered) beyond(l *rings, power interval.Interval, ends [2]float64) (rest, moment interval.Interval, ok bool) {
	size, far, open := 0.0, 0.0, 0.0
	for i := range ends {
		at := ends[i]
		if end := l.sides[i].full; end != nil {
			e, _ := end.Float64()
			size += max(e-at, 0)
			far = max(far, e)
		} else {
			open++
			far = max(far, at)
		}
	}
	if l.step.Sign() > 0 {
		s, _ := l.step.Float64()
		size = size/s + 1
	}
	size, far = size*(1+1e-9), far*(1+1e-9)
	var per interval.Interval // what a layer adds without an end
	grown := interval.Int(0)
	if open > 0 {
		g := m.q.growth
		n := l.measure(new(big.Rat), g)
		n.Add(n, big.NewRat(1, 1))
		n.Mul(n, new(big.Rat).SetFloat64(open))
		per, grown = interval.Rat(n), interval.Rat(g)
	}
	one := interval.Int(1)
	rest = power.Mul(interval.Float(size))
	moment = rest.Mul(interval.Float(far))
	if open > 0 {
		left := one.Sub(m.decay.Decay())
		tail := power.Mul(per).Quo(left)
		rest = rest.Add(tail)
		moment = moment.Add(tail.Mul(interval.Float(far).Add(grown.Quo(left))))
	}
	small := interval.Float(math.Ldexp(1, -bitsKept))
	ok = rest.Less(l.mass.Mul(small)) && !l.moment.Mul(small).Less(moment) // both moments may be 0
	return interval.Hull(interval.Int(0), rest), interval.Hull(interval.Int(0), moment), ok
}

// exactly adds the distortion up in rationals, nil where that takes too many digits.
func (m *Layered) exactly(l *rings) *big.Rat {
	z, _ := m.decay.RationalDecay()
	if len(l.weight)*z.Denom().BitLen() > 1<<17 {
		return nil
	}
	common := big.NewInt(1) // of all ends and the step
	widen := func(q *big.Rat) {
		if new(big.Int).Rem(common, q.Denom()).Sign() != 0 {
			g := new(big.Int).GCD(nil, nil, common, q.Denom())
			common = new(big.Int).Mul(common, g.Quo(q.Denom(), g))
		}
	}
	widen(l.step)
	for _, s := range l.sides {
		for _, e := range s.ends {
			widen(e)
		}
	}
	if common.BitLen() > 1<<12 {
		return nil
	}
	whole := func(q *big.Rat) *big.Int {
		v := new(big.Int).Quo(common, q.Denom())
		return v.Mul(v, q.Num())
	}
	step := whole(l.step)
	mass, moment, scale := new(big.Int), new(big.Int), big.NewInt(1)
	for k := len(l.weight) - 1; k >= 0; k-- {
		n, d := new(big.Int), new(big.Int)
		for i, s := range l.sides {
			a, b := new(big.Int), whole(s.end(k))
			switch {
			case k > 0:
				a = whole(s.end(k - 1))
			case i == 1:
				a = new(big.Int).Neg(step)
			}
			size := new(big.Int).Sub(b, a)
			n.Add(n, size)
			d.Add(d, size.Mul(size, a.Add(a, b).Add(a, step)))
		}
		// S = n + z·S, over scale = denom(z)^…
		mass.Mul(mass, z.Num()).Add(mass, n.Mul(n, scale))
		moment.Mul(moment, z.Num()).Add(moment, d.Mul(d, scale))
		if k > 0 {
			scale.Mul(scale, z.Denom())
		}
	}
	if mass.Sign() == 0 {
		return nil
	}
	out := new(big.Rat).SetFrac(moment, mass)
	return out.Quo(out, new(big.Rat).SetInt(common.Mul(common, big.NewInt(2))))
}

// Distortion implements Law.
func (m *Layered) Distortion(ctx context.Context) (evidence.Number, error) {
	l, err := m.known(ctx)
	if err != nil {
		return nil, err
	}
	const source = "Wu et al., (40), at this dataset"
	if l.exact != nil {
		return evidence.Exact{Value: l.exact, Cases: uint64(len(l.weight)), Source: source}, nil
	}
	return evidence.Enclosed(l.moment.Quo(l.mass), method, source), nil
}

// from encloses E|r − c|, c at a signed distance from f(x).
func (l *rings) from(c *big.Rat) (interval.Interval, error) {
	if l.sides[0].full == nil || l.sides[1].full == nil {
		return interval.Int(0), parameter.Errorf("the range has no end, and the error against another number than its query's value is not known")
	}
	sum, two := interval.Int(0), big.NewRat(1, 2)
	for _, cell := range l.cells() {
		a, b := cell.from, cell.to // values lie above a and up to b, on the lattice where there is one
		if cell.side == 1 {
			a, b = new(big.Rat).Neg(cell.to), new(big.Rat).Neg(cell.from)
			if l.step.Sign() > 0 {
				a, b = a.Sub(a, l.step), b.Sub(b, l.step)
			}
		}
		// The share of the cell up to c, and the mean distances on either side of it.
		at := new(big.Rat).Sub(c, a)
		all := new(big.Rat).Sub(b, a)
		if l.step.Sign() > 0 {
			k := at.Quo(at, l.step)
			k.SetInt(interval.RationalFloor(k))
			at.Mul(k, l.step)
		}
		if at.Sign() < 0 {
			at.SetInt64(0)
		} else if at.Cmp(all) > 0 {
			at.Set(all)
		}
		mean := func(from, to *big.Rat) *big.Rat { // |distance to c| over (from, to] above a
			v := new(big.Rat).Add(from, to)
			v.Add(v, l.step).Mul(v, two).Add(v, a).Sub(v, c)
			return v.Abs(v)
		}
		below := mean(new(big.Rat), at)
		above := mean(at, all)
		moment := new(big.Rat).Mul(at, below)
		moment.Add(moment, above.Mul(above, new(big.Rat).Sub(all, at)))
		sum = sum.Add(cell.weight.Mul(interval.Rat(moment.Quo(moment, all))))
	}
	span := interval.Rat(new(big.Rat).Add(l.sides[0].full, l.sides[1].full)).Add(interval.Rat(new(big.Rat).Abs(c)))
	sum = sum.Add(interval.Hull(interval.Int(0), l.rest.Mul(span)))
	return sum.Quo(l.mass), nil
}

// upTo encloses the weight of a side up to distance e ≥ 0, of the lattice's values there.
func (l *rings) upTo(i int, e *big.Rat) interval.Interval {
	s := &l.sides[i]
	k := sort.Search(len(s.sum), func(k int) bool { return s.end(k).Cmp(e) > 0 })
	sum, from := interval.Int(0), new(big.Rat)
	if i == 1 {
		from = new(big.Rat).Neg(l.step)
	}
	if k > 0 {
		sum, from = s.sum[k-1], s.end(k-1)
	}
	if k == len(s.sum) {
		if reaches(s.full, s.end(k-1)) {
			return sum
		}
		return interval.Hull(sum, sum.Add(l.rest))
	}
	n := l.measure(from, e)
	if l.step.Sign() > 0 {
		n = new(big.Rat).SetInt(interval.RationalFloor(n))
	}
	return sum.Add(l.weight[k].Mul(interval.Rat(n)))
}

// Within implements Law.
func (m *Layered) Within(ctx context.Context, e *big.Rat) (interval.Interval, error) {
	l, err := m.known(ctx)
	if err != nil || e.Sign() < 0 {
		return interval.Int(0), err
	}
	return inUnit(l.upTo(0, e).Add(l.upTo(1, e)).Quo(l.mass)), nil
}

// Between implements Law.
func (m *Layered) Between(ctx context.Context, lo, hi *big.Rat) (interval.Interval, error) {
	l, err := m.known(ctx)
	if err != nil {
		return interval.Int(0), err
	}
	// Weight of what is at most v, less that of all below f(x).
	below := func(v *big.Rat, open bool) interval.Interval {
		d := new(big.Rat).Sub(v, m.q.value)
		if d.Sign() > 0 || d.Sign() == 0 && !open {
			if open && l.step.Sign() > 0 {
				d = d.Sub(d, l.step)
				d = ceilTo(d, l.step)
			}
			return l.upTo(0, d)
		}
		d.Neg(d) // values of distance more than d, or at least d
		if l.step.Sign() == 0 {
			return l.upTo(1, d).Neg()
		}
		if !open { // r ≤ v: distances ≥ d, so all but those up to d − step
			d = ceilTo(d, l.step)
			d.Sub(d, l.step)
		} else {
			k := new(big.Rat).Quo(d, l.step)
			d = k.SetInt(interval.RationalFloor(k))
			d.Mul(d, l.step)
		}
		if d.Sign() < 0 {
			return interval.Int(0)
		}
		return l.upTo(1, d).Neg()
	}
	return inUnit(below(hi, false).Sub(below(lo, true)).Quo(l.mass)), nil
}

func ceilTo(d, step *big.Rat) *big.Rat {
	k := new(big.Rat).Quo(d, step)
	k.Neg(k)
	k.SetInt(interval.RationalFloor(k))
	k.Neg(k)
	return k.Mul(k, step)
}

// inUnit cuts an enclosure of a probability to [0, 1].
func inUnit(p interval.Interval) interval.Interval {
	p = interval.Max(p, interval.Int(0))
	return interval.Max(p.Neg(), interval.Int(-1)).Neg()
}

// Simulate implements Law.
func (m *Layered) Simulate(ctx context.Context, n int, src rand.Source) ([]float64, error) {
	if err := mechanism.CheckDraws(n); err != nil {
		return nil, err
	}
	l, err := m.known(ctx)
	if err != nil {
		return nil, err
	}
	cells := l.cells()
	law := make(draw.Law, 0, len(cells))
	for _, c := range cells {
		law.Add(max(0, c.weight.Quo(l.mass).Mid()))
	}
	rng := rand.New(src)
	f, _ := m.q.value.Float64()
	step, _ := l.step.Float64()
	out := make([]float64, n)
	for i := range out {
		if i%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		c := cells[law.Draw(rng)]
		if step > 0 {
			k, _ := new(big.Float).SetRat(new(big.Rat).Quo(c.from, l.step)).Float64()
			size, _ := l.measure(c.from, c.to).Float64()
			d := (k + 1 + math.Floor(rng.Float64()*size)) * step
			out[i] = m.output(f, c.side, d)
			continue
		}
		from, _ := c.from.Float64()
		to, _ := c.to.Float64()
		out[i] = m.output(f, c.side, from+(to-from)*rng.Float64())
	}
	return out, nil
}

func (m *Layered) output(f float64, side int, d float64) float64 {
	if side == 1 {
		d = -d
	}
	v := f + d
	if m.q.rng.Lo != nil {
		lo, _ := m.q.rng.Lo.Float64()
		v = max(v, lo)
	}
	if m.q.rng.Hi != nil {
		hi, _ := m.q.rng.Hi.Float64()
		v = min(v, hi)
	}
	return m.q.rng.nearest(v, m.q.value)
}

// cell is what a layer adds to a side: the distances above from and up to to.
type cell struct {
	layer, side int
	from, to    *big.Rat
	weight      interval.Interval
}

// cells lists the parts of the layers that are not empty.
func (l *rings) cells() []cell {
	var out []cell
	for k := range l.weight {
		for i := range l.sides {
			s := &l.sides[i]
			from, sum := new(big.Rat), interval.Int(0)
			if i == 1 {
				from = new(big.Rat).Neg(l.step)
			}
			if k > 0 {
				from, sum = s.end(k-1), s.sum[k-1]
			}
			if to := s.end(k); to.Cmp(from) > 0 {
				out = append(out, cell{l.first + k, i, from, to, s.sum[k].Sub(sum)})
			}
		}
	}
	return out
}

// Release draws n outputs, each with exactly its probability, and of a continuous law rounded
// to the nearest multiple of a public grid, which is returned: a uniform number is compared with
// the distribution function to as many digits as that takes. A nil source is the operating
// system's generator. It returns an error wrapping evidence.ErrParameter where n is negative,
// and where a draw falls, with a chance of less than 2⁻⁷⁵, into what is not known.
func (m *Layered) Release(ctx context.Context, n int, src Source) (out []float64, grid *big.Rat, err error) {
	if err := mechanism.CheckDraws(n); err != nil {
		return nil, nil, err
	}
	l, err := m.known(ctx)
	if err != nil {
		return nil, nil, err
	}
	src = sampling.Or(src)
	cells := l.cells()
	ends := make([]interval.Interval, len(cells))
	sum := interval.Int(0)
	for i, c := range cells {
		sum = sum.Add(c.weight)
		ends[i] = sum.Quo(l.mass)
	}
	if l.step.Sign() == 0 {
		width := m.q.growth
		if m.q.rng.Lo != nil && m.q.rng.Hi != nil {
			width = new(big.Rat).Sub(m.q.rng.Hi, m.q.rng.Lo)
		}
		grid = sampling.GridFor(width)
	}
	out = make([]float64, n)
	for i := range out {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		u := uniform(src)
		k := sort.Search(len(cells)-1, func(k int) bool { return u.Less(ends[k]) })
		if k > 0 && !ends[k-1].Less(u) || k == len(cells)-1 && l.rest.CmpHi(interval.Int(0)) > 0 && !u.Less(ends[k]) {
			return nil, nil, sampling.ErrUndecided
		}
		if out[i], err = m.drawn(l, cells[k], grid, src); err != nil {
			return nil, nil, err
		}
	}
	return out, grid, nil
}

// uniform is a number between 0 and 1 of which 192 digits are known.
func uniform(src rand.Source) interval.Interval {
	digits := new(big.Int)
	for range 3 {
		digits.Lsh(digits, 64).Or(digits, new(big.Int).SetUint64(src.Uint64()))
	}
	whole := new(big.Int).Lsh(big.NewInt(1), 192)
	lo := new(big.Rat).SetFrac(digits, whole)
	hi := new(big.Rat).SetFrac(new(big.Int).Add(digits, big.NewInt(1)), whole)
	return interval.Hull(interval.Rat(lo), interval.Rat(hi))
}

// drawn is a uniform value of a cell.
func (m *Layered) drawn(l *rings, c cell, grid *big.Rat, src rand.Source) (float64, error) {
	d := new(big.Rat)
	size := l.measure(c.from, c.to)
	if l.step.Sign() > 0 {
		k := new(big.Rat)
		if size.Num().IsUint64() {
			k.SetInt(new(big.Int).SetUint64(sampling.Uniform(src, size.Num().Uint64())))
		} else {
			return 0, parameter.Errorf("a layer of %s has %s values, want at most 2^64", m.q.name, size.RatString())
		}
		k.Add(k, big.NewRat(1, 1))
		d.Add(c.from, k.Mul(k, l.step))
	} else {
		// The ends of 192 digits round to one multiple of the grid, but for a chance below 2⁻¹⁰⁰.
		digits := new(big.Int)
		for range 3 {
			digits.Lsh(digits, 64).Or(digits, new(big.Int).SetUint64(src.Uint64()))
		}
		whole := new(big.Int).Lsh(big.NewInt(1), 192)
		var ends [2]*big.Int
		for j := range ends {
			u := new(big.Rat).SetFrac(new(big.Int).Add(digits, big.NewInt(int64(j))), whole)
			v := u.Mul(u, size)
			v.Add(v, c.from)
			if c.side == 1 {
				v.Neg(v)
			}
			v.Add(v, m.q.value).Quo(v, grid).Add(v, big.NewRat(1, 2))
			ends[j] = interval.RationalFloor(v)
		}
		if ends[0].Cmp(ends[1]) != 0 {
			return 0, sampling.ErrUndecided
		}
		return sampling.Multiple(ends[0], grid), nil
	}
	if c.side == 1 {
		d.Neg(d)
	}
	return sampling.Float(d.Add(d, m.q.value)), nil
}

// Piece is a part of the range where the law is even.
type Piece struct {
	Lo, Hi float64
	Layer  int
	Weight float64 // the probability of the part
}

// Pieces lists the law in ascending order of values, without the parts that weigh less than
// 2⁻⁸⁰ together.
func (m *Layered) Pieces(ctx context.Context) ([]Piece, error) {
	l, err := m.known(ctx)
	if err != nil {
		return nil, err
	}
	return m.pieces(l), nil
}

func (m *Layered) pieces(l *rings) []Piece {
	if l.sides[0].far != nil {
		return m.q.places.pieces(l)
	}
	cells := l.cells()
	out := make([]Piece, 0, len(cells))
	add := func(c cell) {
		from := c.from
		if l.step.Sign() > 0 {
			from = new(big.Rat).Add(c.from, l.step)
		}
		a, b := from, c.to
		if c.side == 1 {
			a, b = new(big.Rat).Neg(c.to), new(big.Rat).Neg(from)
		}
		lo, _ := new(big.Rat).Add(m.q.value, a).Float64()
		hi, _ := new(big.Rat).Add(m.q.value, b).Float64()
		out = append(out, Piece{lo, hi, c.layer, c.weight.Quo(l.mass).Mid()})
	}
	for k := len(cells) - 1; k >= 0; k-- {
		if cells[k].side == 1 {
			add(cells[k])
		}
	}
	for _, c := range cells {
		if c.side == 0 {
			add(c)
		}
	}
	return out
}

// Density returns the density, per unit of the values, as the corners of its steps, in ascending order
// of values and between those that hold the share p of the law, 0 < p < 1. On a lattice a value's
// probability stands for its step.
func (m *Layered) Density(ctx context.Context, p *big.Rat) (x, y []float64, err error) {
	l, err := m.known(ctx)
	if err != nil {
		return nil, nil, err
	}
	far, err := ErrorQuantile(ctx, m, p)
	if err != nil {
		return nil, nil, err
	}
	f, _ := m.q.value.Float64()
	half, _ := l.step.Float64()
	half /= 2
	for _, c := range m.pieces(l) {
		lo, hi := c.Lo-half, c.Hi+half
		if d := far.Float() + half; hi < f-d || lo > f+d {
			continue
		}
		if width := hi - lo; width > 0 {
			x, y = append(x, lo, hi), append(y, c.Weight/width, c.Weight/width)
		}
	}
	return x, y, nil
}
