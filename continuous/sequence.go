package continuous

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"sync"

	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
	"dpworkbench/query"
)

// ErrUnknownLayer is wrapped by errors about layers that were not computed.
var ErrUnknownLayer = errors.New("layer beyond those computed")

// ringBudget bounds the search for a closed ring. The search continues while the numbers of nodes and of pieces are
// within maxNodes and maxWork, and either at most enough pieces were visited or the layer is below deep.
type ringBudget struct {
	enough, deep      int // in pieces visited and in layers
	maxNodes, maxWork int
}

// fullBudget costs at most a few seconds and 50 MB. 1000 layers give sixteen digits at decay 1/20.
var fullBudget = ringBudget{enough: 1 << 20, deep: 1000, maxNodes: 1 << 17, maxWork: 1 << 22}

func (b ringBudget) spent(nodes, work, level int) bool {
	return nodes > b.maxNodes || work > b.maxWork || work > b.enough && level >= b.deep
}

// maxRadiusBits bounds radius/Δ, so that positions stay far from the largest int.
const maxRadiusBits = 40

// Sequence holds the layers R_i of a δ-neighborhood mechanism of a linear query on the real line, for f(x) = 0:
// A_i = [−δ, δ] + iV, R_0 = A_0 and R_i = A_i − A_{i−1} (Wu et al., Corollary 1 and Definition 18). For δ = 0 it is the
// purest mechanism. The layers do not depend on the decay.
//
// A layer's weight is its Lebesgue measure if some layer has positive measure. Otherwise, for δ = 0 and a V of points
// alone, it is the number of points. If V contains an interval, the purest mechanism is therefore the limit δ → 0,
// and its first layer {0} has weight 0.
//
// A Sequence is immutable and safe for concurrent use.
type Sequence struct {
	query       *Linear
	radius      *big.Rat
	denominator *big.Int // grid units in 1
	length      *big.Int // Δ in grid units
	nodes       []ringNode[*big.Int]
	counting    bool
	closed      bool // whether the ring describes every layer
	known       int  // if not closed, the last known layer
	periodic    int
	ladders     [][2][]ladder // above the point and the gap of each node
	weights     series
	moments     series
	first       int // the first layer of positive weight

	once  sync.Once
	dense denseProfile
}

// NewSequence returns the layers of q with initial set [−radius, radius]. It returns an error wrapping
// evidence.ErrParameter if radius < 0, and the context's error.
//
// If the layers do not become periodic within a fixed budget of work, Known returns the last computed layer, and
// answers are certified instead of exact.
func NewSequence(ctx context.Context, q *Linear, radius *big.Rat) (*Sequence, error) {
	return newSequence(ctx, q, radius, fullBudget)
}

func newSequence(ctx context.Context, q *Linear, radius *big.Rat, budget ringBudget) (*Sequence, error) {
	if radius == nil {
		return nil, parameter.Errorf("radius is missing, want a number of at least 0")
	}
	if radius.Sign() < 0 {
		return nil, parameter.Bad("radius", radius, "at least 0")
	}
	l := &Sequence{query: q, radius: new(big.Rat).Set(radius)}
	l.denominator = query.CommonDenominator(q.Denominator(), radius)
	l.length = l.grid(q.Sensitivity().Value)
	l.counting = radius.Sign() == 0 && q.Volume().Value.Sign() == 0
	start := l.grid(radius)
	if new(big.Int).Quo(start, l.length).BitLen() > maxRadiusBits {
		return nil, parameter.Bad("radius", radius, "at most 2^%d times the sensitivity", maxRadiusBits)
	}
	var components [][2]*big.Int
	for _, s := range q.NeighboringSet().Segments() {
		components = append(components, [2]*big.Int{l.grid(s.Lo), l.grid(s.Hi)})
	}
	var err error
	if gridBits(l.length, start) < 63 {
		err = fill(ctx, l, start, components, budget, func(v *big.Int) gridInt64 { return gridInt64(v.Int64()) })
	} else {
		err = fill(ctx, l, start, components, budget, func(v *big.Int) gridBig { return gridBig{v} })
	}
	if err != nil {
		return nil, err
	}
	l.ladders = make([][2][]ladder, len(l.nodes))
	for i, n := range l.nodes {
		l.ladders[i] = [2][]ladder{ladders(n.point), ladders(n.gap)}
	}
	l.weights, l.moments = profile(l.nodes, l.ladders, l.length, l.counting)
	l.first = min(l.weights.first(), l.known+1)
	l.periodic = periodicFrom(l.ladders)
	return l, nil
}

// fill builds the ring with the integer type T, to which of converts.
func fill[T scale[T]](ctx context.Context, l *Sequence, start *big.Int, components [][2]*big.Int, budget ringBudget, of func(*big.Int) T) (err error) {
	steps := lists.Of(len(components), func(i int) [2]T { return [2]T{of(components[i][0]), of(components[i][1])} })
	b := newRingBuilder(of(l.length), of(start), steps)
	l.closed, err = b.grow(ctx, budget)
	l.nodes, l.known = b.cells(), b.level
	return err
}

// grid returns r in grid units. r must be a multiple of a grid unit.
func (l *Sequence) grid(r *big.Rat) *big.Int { return query.Scaled(r, l.denominator) }

// periodicFrom returns the first layer from which on every residue has exactly one position in each layer, and each
// layer's position follows that of the layer before. The number 0 does not count.
func periodicFrom(all [][2][]ladder) int {
	from := 0
	for i, cell := range all {
		for k, steps := range cell {
			if i == 0 && k == 0 {
				steps = withoutZero(steps)
			}
			if len(steps) == 0 {
				continue
			}
			last := len(steps) - 1
			if last > 0 && steps[last-1].count == 1 { // the last run continues a run of one position
				last--
			}
			from = max(from, steps[last].level)
			for _, r := range steps[:last] {
				from = max(from, r.level+1, r.level+r.slope*(r.count-1)+1)
			}
		}
	}
	return from
}

// withoutZero removes the number 0 from the runs above the residue 0.
func withoutZero(steps []ladder) []ladder {
	if steps[0].count == 1 {
		return steps[1:]
	}
	s := steps[0]
	s.j, s.level, s.count = 1, s.level+s.slope, max(s.count-1, 0)
	return append([]ladder{s}, steps[1:]...)
}

// Query returns the query.
func (l *Sequence) Query() *Linear { return l.query }

// Radius returns δ.
func (l *Sequence) Radius() *big.Rat { return new(big.Rat).Set(l.radius) }

// Counting reports whether the weight of a layer is its number of points instead of its Lebesgue measure.
func (l *Sequence) Counting() bool { return l.counting }

// Known returns the last known layer. limited is false if every layer is known.
func (l *Sequence) Known() (layer int, limited bool) { return l.known, !l.closed }

// Periodicity is the proof that the layers are periodic.
type Periodicity struct {
	// Inherits is the first n with A_{n+1} = A_n ∪ (A_n + Δ) ∪ (A_n − Δ). Adding
	// V to both sides gives the same for n + 1, and so for every later layer.
	Inherits int
	// From is the first layer such that R_{i+1} ∩ (0, ∞) = R_i ∩ (0, ∞) + Δ for
	// every i ≥ From.
	From int
	// Shift is Δ. Mass is the weight of each layer from From on.
	Shift, Mass *big.Rat
}

// Periodicity returns how the layers repeat, and false if they were not periodic within the budget.
func (l *Sequence) Periodicity() (Periodicity, bool) {
	if !l.closed {
		return Periodicity{}, false
	}
	return Periodicity{
		Inherits: l.known - 1,
		From:     l.periodic,
		Shift:    l.query.Sensitivity().Value,
		Mass:     l.Weight(l.periodic),
	}, true
}

// Weight returns the weight of layer i, 0 for i < 0. Beyond the last known layer it is a lower bound.
func (l *Sequence) Weight(i int) *big.Rat {
	if i < 0 {
		return new(big.Rat)
	}
	w := new(big.Rat).SetInt(l.weights.term(i))
	if !l.counting {
		w.Quo(w, new(big.Rat).SetInt(l.denominator))
	}
	return w
}

// Layer returns the layer of r, and false if no layer contains it.
// It returns an error wrapping ErrUnknownLayer if r lies beyond the known
// layers.
func (l *Sequence) Layer(r *big.Rat) (layer *big.Int, ok bool, err error) {
	// In grid units, |r| is whole + fraction. The ring is symmetric.
	v := new(big.Rat).Abs(r)
	v.Mul(v, new(big.Rat).SetInt(l.denominator))
	whole, rest := new(big.Int).QuoRem(v.Num(), v.Denom(), new(big.Int))
	position, residue := new(big.Int).QuoRem(whole, l.length, new(big.Int))
	i, found := slices.BinarySearchFunc(l.nodes, residue, func(n ringNode[*big.Int], x *big.Int) int { return n.at.Cmp(x) })
	sites := []ringSite(nil)
	if found && rest.Sign() == 0 {
		sites = l.nodes[i].point
	} else {
		if !found {
			i--
		}
		sites = l.nodes[i].gap
	}
	// Beyond all sites, which lie below 2^maxRadiusBits + 2^22, the layer increases with the position.
	const beyond = 1 << 52
	excess := new(big.Int)
	if !position.IsInt64() || position.Int64() > beyond {
		excess.Sub(position, big.NewInt(beyond))
		position.SetInt64(beyond)
	}
	at, ok := layerAt(sites, int(position.Int64()))
	layer = excess.Add(excess, big.NewInt(int64(at)))
	if !l.closed && (!ok || layer.Cmp(big.NewInt(int64(l.known))) > 0) {
		return nil, false, fmt.Errorf("%w: r = %s is in none of the layers 0…%d", ErrUnknownLayer, r.RatString(), l.known)
	}
	return layer, ok, nil
}

// layerAt returns the layer of a position.
func layerAt(sites []ringSite, j int) (layer int, ok bool) {
	for k, s := range sites {
		if v := s.level + max(s.from-j, j-s.to, 0); k == 0 || v < layer {
			layer = v
		}
	}
	return layer, len(sites) > 0
}

// Set returns layer R_i. It returns an error wrapping evidence.ErrParameter if i < 0, and one wrapping ErrUnknownLayer
// if i lies beyond the known layers.
func (l *Sequence) Set(i int) (Set, error) {
	if err := parameter.AtLeast("layer", i, 0); err != nil {
		return Set{}, err
	}
	if !l.closed && i > l.known {
		return Set{}, fmt.Errorf("%w: layer = %d, want at most %d", ErrUnknownLayer, i, l.known)
	}
	if i == 0 { // the initial interval
		return NewSet(Closed(new(big.Rat).Neg(l.radius), l.Radius())), nil
	}
	unit := new(big.Rat).SetInt(l.denominator)
	at := func(x *big.Int, j int) *big.Rat {
		v := new(big.Int).Mul(l.length, big.NewInt(int64(j)))
		r := new(big.Rat).SetInt(v.Add(v, x))
		return r.Quo(r, unit)
	}
	var out []Segment
	positions := func(steps []ladder, add func(j int)) {
		for _, r := range steps {
			switch k := (i - r.level) * r.slope; {
			case r.slope == 0 && i == r.level:
				for j := range r.count {
					add(r.j + j)
				}
			case r.slope != 0 && k >= 0 && (k < r.count || r.count == 0):
				add(r.j + k)
			}
		}
	}
	for k, n := range l.nodes {
		positions(l.ladders[k][0], func(j int) {
			v := at(n.at, j)
			out = append(out, Closed(v, v))
		})
		positions(l.ladders[k][1], func(j int) {
			out = append(out, Segment{Lo: at(n.at, j), Hi: at(gapEnd(l.nodes, k, l.length), j), OpenLo: true, OpenHi: true})
		})
	}
	right := NewSet(out...)
	return right.Union(right.Negate()), nil
}

// Converges returns the first n such that, up to closures, R_i = ±[a, a + Δ] and R_{i+1} = ±[a + Δ, a + 2Δ] for all i
// ≥ n (Definition 20), and false if there is none. If the outermost component of V is a point, the layers can be
// periodic with gaps.
func (l *Sequence) Converges() (n int, ok bool) {
	if !l.closed {
		return 0, false
	}
	n = l.periodic + 1
	var right *big.Rat
	for ; n > 0; n-- {
		set, err := l.Set(n)
		if err != nil {
			return 0, false
		}
		parts := set.Closure().Segments()
		if len(parts) != 2 || new(big.Rat).Sub(parts[1].Hi, parts[1].Lo).Cmp(l.query.Sensitivity().Value) != 0 ||
			right != nil && parts[1].Hi.Cmp(right) != 0 {
			break
		}
		right = parts[1].Lo
	}
	return n + 1, n+1 <= l.periodic+1
}
