package privacy

import (
	"context"
	"errors"
	"math"
	"math/big"
	"sync"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/looks"
	"dpworkbench/interval"
)

// kinds are pairs of every kind that is laid on grids.
func kinds(t *testing.T) map[string]Pair {
	t.Helper()
	half, err := evidence.NewEpsilon("eps", 0.5)
	if err != nil {
		t.Fatal(err)
	}
	table, err := NewRationalPair([]*big.Rat{big.NewRat(1, 2), big.NewRat(1, 3), big.NewRat(1, 6)}, []*big.Rat{big.NewRat(1, 4), big.NewRat(1, 4), big.NewRat(1, 2)})
	if err != nil {
		t.Fatal(err)
	}
	discrete, err := DiscreteGaussian(big.NewRat(9, 4), 2)
	if err != nil {
		t.Fatal(err)
	}
	normal, tenth := Normal(interval.Float(1.25)), big.NewRat(1, 10)
	return map[string]Pair{
		"normal": normal, "between": Normal(interval.Between(1, 1.5)), "Laplace": Laplace(half), "table": table, "discrete Gaussian": discrete,
		"normal of some": newSubsampled(normal.(*closedForm), tenth, removal), "normal, added": newSubsampled(normal.(*closedForm), tenth, addition),
		"Laplace of some": newSubsampled(Laplace(half).(*closedForm), tenth, replacement),
	}
}

// Every pair is laid on a grid only while its context lasts.
func TestLaddersEnd(t *testing.T) {
	for name, p := range kinds(t) {
		for _, under := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				looks.Each(t, 1, func(ctx context.Context) error {
					_, err := p.discretize(ctx, newGrid(interval.Int(1), -3, 1<<12, under), 80)
					return err
				})
			})
		}
	}
}

// Next to nothing lies beyond the losses that are laid on a grid, whichever of the laws it is that an enclosure of μ means.
func TestWindows(t *testing.T) {
	for _, bits := range []uint{20, 80, 200} {
		rare := math.Ldexp(1, -int(bits))
		for _, mu := range [][2]float64{{1, 1}, {1, 1.5}, {0.01, 3}, {2, 2.0001}, {1, 20}} {
			p := Normal(interval.Between(mu[0], mu[1])).(*closedForm)
			lo, hi := p.truncatedRange(bits)
			for _, m := range mu {
				above := math.Erfc((hi/m-m/2)/math.Sqrt2) / 2
				below := math.Erfc((m/2-lo/m)/math.Sqrt2) / 2
				if above > rare || below > rare {
					t.Errorf("μ in %v: P has %g above %g and %g below %g, want 2^-%d at most", mu, above, hi, below, lo, bits)
				}
			}
		}
		for name, p := range kinds(t) {
			lo, hi := p.truncatedRange(bits)
			var above, below interval.Interval
			switch p := p.(type) {
			case *closedForm:
				above, _ = p.tails(interval.Float(hi).Add(interval.Float(1e-9)))
				below, _ = p.tails(interval.Float(lo).Sub(interval.Float(1e-9)))
			case *discreteGaussian: // the loss of k is n(2k − n)/2σ², k − n being as the law is
				unit := p.unit.Value()
				k := int64(math.Ceil((hi+p.half.Mid())/unit)) - p.shift
				above = p.law.Tail(big.NewInt(k))
				below = interval.Int(1).Sub(p.law.Tail(big.NewInt(int64(math.Floor((lo+p.half.Mid())/unit)) - p.shift + 1)))
			default:
				continue
			}
			if _, most := above.Bounds(); most > rare {
				t.Errorf("%s: %g above %g, want 2^-%d at most", name, most, hi, bits)
			}
			if least, _ := below.Bounds(); 1-least > max(rare, 1e-15) && name != "discrete Gaussian" {
				t.Errorf("%s: %g below %g, want 2^-%d at most", name, 1-least, lo, bits)
			} else if _, most := below.Bounds(); name == "discrete Gaussian" && most > max(rare, 1e-15) {
				t.Errorf("%s: %g below %g, want 2^-%d at most", name, most, lo, bits)
			}
		}
	}
}

// What splits have moved is known: a step of the grid, and where cells have ends of their own the widest of them; of many losses so
// many times as much.
func TestMoved(t *testing.T) {
	const scale = -5
	h := math.Ldexp(1, scale)
	for name, p := range kinds(t) {
		l, err := p.discretize(t.Context(), newGrid(interval.Int(1), scale, 1<<14, false), 80)
		if err != nil {
			t.Fatal(name, err)
		}
		splits := 1.0
		if b, ok := p.(*subsampled); ok && b.base.normalMu != nil {
			splits = 2 // far out a loss moves as much as that of the base
		}
		lo, hi := l.discVar.Bounds()
		if !(hi >= splits*h*h*(1-1e-3) && lo <= 2*h*h*(1+1e-12)) {
			t.Errorf("%s: splits have moved the square %v, want %v steps of %g", name, l.discVar, splits, h)
		}
		five, err := l.selfConvolve(t.Context(), 5)
		if err != nil {
			t.Fatal(name, err)
		}
		if _, all := five.discVar.Bounds(); five.exponent == l.exponent && math.Abs(all-5*hi) > 1e-12*hi {
			t.Errorf("%s: five uses have moved %g, one %g", name, all, hi)
		}
		if _, next := l.coarsen().discVar.Bounds(); math.Abs(next-hi-4*h*h) > 1e-12*hi {
			t.Errorf("%s: on a step twice as wide %g is moved, before %g", name, next, hi)
		}
	}
}

// Two uses of Laplace noise, added up in units of its jumps, lie on another grid as they do by quadrature.
func TestRegridded(t *testing.T) {
	const e = 0.75
	eps, err := evidence.NewEpsilon("eps", e)
	if err != nil {
		t.Fatal(err)
	}
	pair := Laplace(eps)
	one := func(at float64) float64 {
		switch {
		case at >= e:
			return 0
		case at <= -e:
			return -math.Expm1(at)
		}
		return -math.Expm1((at - e) / 2)
	}
	law := func(under bool, common int) *tailSums {
		l, err := pair.discretize(t.Context(), newGrid(eps.Enclosure(), -11, 1<<14, under), 100)
		if err == nil {
			l, err = l.selfConvolve(t.Context(), 2)
		}
		if err != nil {
			t.Fatal(err)
		}
		g := newGrid(interval.Int(1), common, 1<<14, under)
		out := l.regrid(g)
		if out.step.CmpLo(g.step) != 0 || out.exponent != common || len(out.mass) == 0 {
			t.Fatalf("a law of %d rungs of step %v, want steps of %v", len(out.mass), out.step, g.step)
		}
		if rest := out.truncated(); rest.Sign() < 0 || rest.BitLen() > 40 {
			t.Errorf("of 2^100 the bits of %v are lost", rest)
		}
		return sumTails(out)
	}
	for _, common := range []int{-10, -6} { // near to its own step, and far above it
		s := law(false, common)
		s.optimistic = law(true, common)
		h := math.Ldexp(1, common)
		for _, at := range []float64{0, 0.3, 0.9, 1.4} {
			want := one(at-e)/2 + one(at+e)*math.Exp(-e)/2
			const n = 20_000
			for k := range n {
				l := -e + (float64(k)+0.5)*2*e/n
				want += one(at-l) * math.Exp((l-e)/2) / 4 * 2 * e / n
			}
			lo, hi := s.delta(interval.Float(at)).Bounds()
			if lo > want*(1+1e-6) || hi < want*(1-1e-6) || hi-lo > h*h+2e-7 {
				t.Errorf("on steps of 2^%d: δ(%g) in [%.12g, %.12g], is %.12g", common, at, lo, hi, want)
			}
		}
	}
}

// Many may ask one account, and one pair, at once (under the race detector, too).
func TestAskedAtOnce(t *testing.T) {
	table, err := NewRationalPair([]*big.Rat{big.NewRat(1, 2), big.NewRat(1, 2)}, []*big.Rat{big.NewRat(1, 3), big.NewRat(2, 3)})
	if err != nil {
		t.Fatal(err)
	}
	account, err := Compose(t.Context(), []*Account{New(PairAndReverse("table", "test", table))}, []int{3})
	if err != nil {
		t.Fatal(err)
	}
	over, end := context.WithCancel(t.Context())
	end()
	blended := newSubsampled(Normal(interval.Float(1.25)).(*closedForm), big.NewRat(1, 10), removal)
	half, err := evidence.NewEpsilon("eps", 0.5)
	if err != nil {
		t.Fatal(err)
	}
	known, err := ApproxDP(half, new(big.Rat))
	if err != nil {
		t.Fatal(err)
	}
	response, err := known.Pair(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	uses := &composition{tailSums: map[uint]*tailSums{}, factors: []factor{{response, 3}}} // on a lattice
	worst := &candidate{}
	for what, ask := range map[string]func() error{ // the smallest questions, each by itself: the locks of others would order them
		"laws":   func() error { _, err := account.composition(t.Context(), worst); return err },
		"sums":   func() error { _, err := uses.sumsAt(t.Context(), 90); return err },
		"halves": func() error { uses.meetInTheMiddle(); return nil },
		"δ":      func() error { _, err := account.Delta(t.Context(), half); return err },
		"μ":      func() error { _, err := account.GDP(t.Context()); return err },
		"cells": func() error {
			if _, _, err := blended.moments(over, 1); err == nil {
				return errors.New("cells of a blend are listed though nobody waits for them")
			}
			return nil
		},
	} {
		start := make(chan struct{})
		var wait sync.WaitGroup
		for range 4 {
			wait.Go(func() {
				<-start
				if err := ask(); err != nil {
					t.Errorf("%s: %v", what, err)
				}
			})
		}
		close(start)
		wait.Wait()
	}
}
