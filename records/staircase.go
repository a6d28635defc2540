package records

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"

	"dpworkbench/continuous"
	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
)

// NewStaircase returns Staircase noise (Geng and Viswanath 2016) for the global sensitivity Δ, clamped to the range.
// Its density drops by the factor e^{−ε} at distance γΔ and again after every further Δ. A nil gamma stands for the
// unrounded γ* = 1/(1 + e^{ε/2}), which minimizes E|noise|. It claims ε.
func NewStaircase(q *Query, eps evidence.Epsilon, gamma *big.Rat) (Law, error) {
	delta, err := globalOf(q, eps, "staircase")
	if err != nil {
		return nil, err
	}
	one := interval.Int(1)
	w := eps.Ratio(1, 2).Decay()
	g := w.Quo(one.Add(w))
	if gamma != nil {
		if gamma.Sign() <= 0 || gamma.Cmp(big.NewRat(1, 1)) >= 0 {
			return nil, parameter.Bad("gamma", gamma, "a number between 0 and 1")
		}
		g = interval.Rat(gamma)
	}
	b := eps.Decay()
	s := staircase{b: b, gamma: g, density: one.Sub(b).Quo(interval.Int(2)).Quo(g.Add(b.Mul(one.Sub(g))))}
	m, err := NewAdded(q, "staircase(eps="+eps.String()+")", interval.Rat(delta), s, mechanism.Claim(eps, "Geng and Viswanath 2016, Theorem 1"),
		func(q *Query) (Law, error) { return NewStaircase(q, eps, gamma) })
	if err != nil {
		return nil, err
	}
	m.exact = func(q *continuous.Linear) (continuous.ExactlySampled, error) {
		return continuous.NewStaircase(q, eps, gamma)
	}
	return m, nil
}

// staircase has density proportional to b^k on [k, k + γ) and to b^{k+1} on [k + γ, k + 1).
type staircase struct {
	b, gamma, density interval.Interval
}

// parts returns b^⌊u⌋ and how much of u's step remains before γ and after γ.
func (s staircase) parts(u interval.Interval) (power, first, second interval.Interval, ok bool) {
	k, ok := u.Floor()
	if !ok || !k.IsInt64() {
		return power, first, second, false
	}
	at := u.Sub(interval.Int(k.Int64()))
	zero, one := interval.Int(0), interval.Int(1)
	first = interval.Max(s.gamma.Sub(at), zero)
	second = interval.Max(one.Sub(interval.Max(at, s.gamma)), zero)
	return s.b.Pow(int(k.Int64())), first, second, true
}

func (s staircase) Tail(u interval.Interval) interval.Interval {
	power, first, second, ok := s.parts(u)
	if !ok {
		return s.around(u, s.Tail)
	}
	return power.Mul(s.b.Quo(interval.Int(2)).Add(s.density.Mul(first.Add(s.b.Mul(second)))))
}

// Area implements Noise. It subtracts the integral above u from the whole integral.
func (s staircase) Area(u interval.Interval) interval.Interval { return s.Half().Sub(s.above(u)) }

func (s staircase) Half() interval.Interval { return s.above(interval.Int(0)) }

func (s staircase) above(u interval.Interval) interval.Interval {
	power, first, second, ok := s.parts(u)
	if !ok {
		return s.around(u, s.above)
	}
	// Add the integral over the rest of this step, where the tail is linear in two pieces, and over all further steps.
	two, one := interval.Int(2), interval.Int(1)
	half := s.b.Quo(two)
	behind := second.Mul(half.Mul(two).Add(s.density.Mul(s.b).Mul(second))).Quo(two)
	top := half.Add(s.density.Mul(s.b).Mul(second))
	before := first.Mul(top.Mul(two).Add(s.density.Mul(first))).Quo(two)
	g, h := s.gamma, one.Sub(s.gamma)
	all := h.Mul(half.Mul(two).Add(s.density.Mul(s.b).Mul(h))).Quo(two)
	topAll := half.Add(s.density.Mul(s.b).Mul(h))
	all = all.Add(g.Mul(topAll.Mul(two).Add(s.density.Mul(g))).Quo(two))
	return power.Mul(before.Add(behind).Add(s.b.Mul(all).Quo(one.Sub(s.b))))
}

// around encloses the decreasing function f on u if ⌊u⌋ is not determined, or u is very large.
func (s staircase) around(u interval.Interval, f func(u interval.Interval) interval.Interval) interval.Interval {
	lo, hi := interval.Max(u.Lower(), interval.Int(0)), u.Upper()
	if k, ok := lo.Floor(); !ok || !k.IsInt64() {
		return interval.Hull(interval.Int(0), f(interval.Int(math.MaxInt64)))
	}
	if k, ok := hi.Floor(); !ok || !k.IsInt64() {
		return interval.Hull(interval.Int(0), f(lo))
	}
	return interval.Hull(f(hi), f(lo))
}

// lattice returns Σ_{k=1}^n Pr[Z > (k − ½)·step]; a nil n is infinite. Between two corners the tail is linear, so the
// sum of the terms between them is their number times the mean of the first and the last term.
func (s staircase) lattice(ctx context.Context, step *big.Rat, n *big.Int) (interval.Interval, error) {
	sum, done, half := interval.Int(0), new(big.Int), big.NewRat(1, 2)
	corner := s.gamma // γ, 1 + γ, …: at integers the density is continuous
	small := interval.Float(math.Ldexp(1, -bitsKept))
	tail := func(k *big.Int) interval.Interval {
		u := new(big.Rat).SetInt(k)
		u.Sub(u, half)
		return s.Tail(interval.Rat(u.Mul(u, step)))
	}
	for piece := 1; ; piece++ {
		if piece%256 == 0 && ctx.Err() != nil {
			return sum, ctx.Err()
		}
		k := corner.Quo(interval.Rat(step)).Add(interval.Rat(half))
		for i, end := range [2]interval.Interval{k.Lower(), k.Upper()} {
			last, ok := end.Floor()
			if !ok {
				return interval.Hull(interval.Int(0), s.above(interval.Int(0)).Quo(interval.Rat(step))), nil
			}
			if n != nil && last.Cmp(n) > 0 {
				last = n
			}
			count := new(big.Int).Sub(last, done)
			if count.Sign() <= 0 {
				continue
			}
			first, end := tail(new(big.Int).Add(done, big.NewInt(1))), tail(last)
			if mean := first.Add(end).Quo(interval.Int(2)); i == 0 {
				sum = sum.Add(mean.Mul(interval.Rat(new(big.Rat).SetInt(count))))
			} else { // these terms may be on either side of the uncertain corner
				sum = sum.Add(interval.Hull(first, end).Mul(interval.Rat(new(big.Rat).SetInt(count))))
			}
			done = last
		}
		if n != nil && done.Cmp(n) >= 0 {
			return sum, nil
		}
		if piece%16 == 0 { // the tail is convex, so the remaining terms are below the area from half a step before the first of them
			u := new(big.Rat).SetInt(done)
			rest := s.above(interval.Rat(u.Mul(u, step))).Quo(interval.Rat(step))
			if rest.Less(sum.Mul(small)) {
				return sum.Add(interval.Hull(interval.Int(0), rest)), nil
			}
		}
		corner = corner.Add(interval.Int(1))
	}
}

func (s staircase) Draw(src rand.Source) float64 {
	r := rand.New(src)
	b, g := s.b.Mid(), s.gamma.Mid()
	k := math.Floor(math.Log(1-r.Float64()) / math.Log(b))
	v := k + g*r.Float64()
	if r.Float64() >= g/(g+(1-g)*b) {
		v = k + g + (1-g)*r.Float64()
	}
	if r.Uint64()&1 == 0 {
		return -v
	}
	return v
}
