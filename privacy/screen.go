package privacy

import (
	"context"
	"math"
	"math/big"

	"dpworkbench/internal/parallel"
	"dpworkbench/internal/parameter"
)

// Screen is a float64 approximation of a pair. It serves to discard pairs that cannot be the worst.
type Screen struct {
	// Loss and P are the finite losses, unsorted, and their masses under P.
	Loss, P []float64
	// InfinityMass is the mass of infinite losses. It is 0 only if there are none.
	InfinityMass float64
	// Error bounds the absolute errors of losses and the relative errors of masses.
	Error float64

	logMomentFunc func(s float64) float64 // set for smooth pairs and pairs with independent parts
	maxLoss       float64                 // the largest finite loss
}

// screen implements Pair.
func (l *DiscretePair) screen() *Screen {
	r := &Screen{Error: 0x1p-50}
	for _, a := range l.atoms {
		loss := l.Loss(a)
		low, high := loss.Bounds()
		least, most := a.P.Enclosure.Bounds()
		r.Loss, r.P = append(r.Loss, loss.Mid()), append(r.P, most)
		r.Error = max(r.Error, high-low)
		if most > 0 {
			r.Error = max(r.Error, (most-least)/most)
		}
	}
	_, r.InfinityMass = l.infinityMass.Enclosure.Bounds()
	return r
}

// maxFiniteLoss returns an upper bound on the finite losses.
func (r *Screen) maxFiniteLoss() float64 {
	if r.logMomentFunc != nil {
		return r.maxLoss
	}
	top := math.Inf(-1)
	for _, l := range r.Loss {
		top = max(top, l)
	}
	return top + r.Error*(1+math.Abs(top))
}

// logMoment returns an upper bound on ln Σ p e^{s·loss} that covers rounding, and −∞ if there is no finite loss.
func (r *Screen) logMoment(s float64) float64 {
	if r.logMomentFunc != nil {
		k := r.logMomentFunc(s)
		return k + 1e-12*(1+math.Abs(k))
	}
	top := math.Inf(-1)
	for _, l := range r.Loss {
		top = max(top, s*l)
	}
	if len(r.Loss) == 0 {
		return top
	}
	sum := 0.0
	for i, l := range r.Loss {
		sum += r.P[i] * math.Exp(s*l-top)
	}
	k := top + math.Log(sum)
	return k + r.Error*(1+s) + 0x1p-48*(1+math.Abs(k)+math.Abs(top)) + 0x1p-52*float64(len(r.Loss))
}

// pairClasses groups the pairs of a family by key.
type pairClasses struct {
	of      []int32 // class of each pair
	first   []int   // the first pair of each class
	screens []*Screen
}

// minScreenMass is the least mass of a screen. Smaller masses would lose digits, or underflow although their large loss
// makes them matter.
const minScreenMass = 1e-290

// maxPairs bounds the number of ordered pairs of a family.
const maxPairs = 1 << 25

// classes returns the classes of a family's pairs, cached.
func (f *DominatingPairs) classes(ctx context.Context) (*pairClasses, error) {
	f.guard.Lock()
	defer f.guard.Unlock()
	if f.cachedClasses != nil {
		return f.cachedClasses, nil
	}
	if f.Size > maxPairs {
		return nil, parameter.Errorf("%s has %d ordered pairs of neighbors, want at most %d to compute its privacy loss distributions", f.Name, f.Size, maxPairs)
	}
	progress := parallel.Count(ctx, int64(f.Size), "pairs of laws")
	seen := map[string]int32{}
	c := &pairClasses{of: make([]int32, f.Size)}
	for i := range f.Size {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		progress(1)
		if f.Key != nil {
			key := f.Key(i)
			if id, ok := seen[key]; ok {
				c.of[i] = id
				continue
			}
			seen[key] = int32(len(c.first))
		}
		var r *Screen
		if f.Screen != nil {
			r = f.Screen(i)
		} else {
			p, err := f.Pair(ctx, i)
			if err != nil {
				return nil, err
			}
			r = p.screen()
		}
		for k, mass := range r.P { // raise subnormal masses
			r.P[k] = max(mass, minScreenMass)
		}
		c.of[i] = int32(len(c.first))
		c.first, c.screens = append(c.first, i), append(c.screens, r)
	}
	f.cachedClasses = c
	return c, nil
}

// NewScreen returns the screen of the laws p and q, which must be probability distributions.
func NewScreen(p, q []*big.Rat) *Screen {
	r := &Screen{}
	maxAbs := 0.0
	for i := range p {
		if i >= len(q) || p[i] == nil || q[i] == nil || p[i].Sign() <= 0 {
			continue
		}
		mass, _ := p[i].Float64()
		mass = max(mass, 0x1p-1022) // smaller float64s lose digits
		if q[i].Sign() <= 0 {
			r.InfinityMass += mass
			continue
		}
		a, b := logRat(p[i]), logRat(q[i])
		r.Loss, r.P = append(r.Loss, a-b), append(r.P, mass)
		maxAbs = max(maxAbs, math.Abs(a), math.Abs(b))
	}
	r.Error = 0x1p-50 * (1 + maxAbs)
	return r
}

// logRat returns ln q for q > 0. The error is a few rounding units of 1 and of the result.
func logRat(q *big.Rat) float64 {
	m := new(big.Float).SetPrec(64)
	e := m.SetRat(q).MantExp(m)
	v, _ := m.Float64()
	return math.Log(v) + float64(e)*math.Ln2
}
