package xor

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/privacy"
)

// latticeOf finds the unit of random integer multiples without a common divisor, up to rounding.
func TestLatticeOfNumbers(t *testing.T) {
	rng := rand.New(rand.NewPCG(54, 1))
	for range 2000 {
		u := math.Ldexp(1+rng.Float64(), rng.IntN(60)-30)
		counts, numbers := make([]int64, 1+rng.IntN(5)), []float64{}
		divisor := new(big.Int)
		for i := range counts {
			counts[i] = rng.Int64N(25) - 12
			if i == 0 && counts[i] == 0 {
				counts[i] = 7
			}
			divisor.GCD(nil, nil, divisor, new(big.Int).Abs(big.NewInt(counts[i])))
			numbers = append(numbers, float64(counts[i])*u)
		}
		d := divisor.Int64()
		got := latticeOf(numbers...)
		if math.Abs(got.unit/(u*float64(d))-1) > 4*unit || len(got.count) != len(counts) {
			t.Fatalf("multiples %v of %v: unit %v, counts %v", counts, u, got.unit, got.count)
		}
		for i, n := range counts {
			if got.count[i] != n/d {
				t.Errorf("multiples %v of %v: counts %v of unit %v", counts, u, got.count, got.unit)
			}
		}
	}
	for _, c := range []struct {
		numbers []float64
		unit    float64 // 0 if there is no usable unit
	}{
		{[]float64{0, 0}, 0}, {nil, 0}, {[]float64{-3.5}, 3.5}, {[]float64{0, 2.5, 0}, 2.5},
		{[]float64{0x1p-900}, 0}, {[]float64{0x1.0000000000001p-900}, 0x1.0000000000001p-900}, {[]float64{0x1p900}, 0}, {[]float64{0x1.fffffffffffffp899}, 0x1.fffffffffffffp899},
		{[]float64{1, 0x1p-19}, 0x1p-19}, {[]float64{0x1p-19, 1}, 0x1p-19}, {[]float64{1, 0x1p-20}, 0}, {[]float64{1, 0x1.8p-19}, 0}, {[]float64{1, 0x1p-48}, 1}, {[]float64{1, 0x1.8p-48}, 0}, {[]float64{1, 0x1p-40}, 0},
		{[]float64{2, 1 + 0x1p-50}, 1}, {[]float64{2, 1 + 0x1p-47}, 1}, {[]float64{2, 1 + 0x1p-46}, 0}, {[]float64{1, math.Sqrt2}, 0}, {[]float64{math.Inf(1)}, 0}, {[]float64{math.NaN(), 1}, 0},
	} {
		if got := latticeOf(c.numbers...); got.unit != c.unit || c.unit == 0 && got.count != nil {
			t.Errorf("%v: unit %v with counts %v, want %v", c.numbers, got.unit, got.count, c.unit)
		}
	}
}

// state is an outcome computed from the definition: its probability under both laws, and its loss.
type state struct{ p, q, loss interval.Interval }

// checkAtoms checks that a pair contains every state exactly once, identified by its tag. The loss and the masses of an
// atom contain those of its states, and their logarithms are wider only by the given change. Equal numbers at 256 bits
// overlap.
func checkAtoms(t *testing.T, what string, pair privacy.Pair, states map[int]state, atoms int, wide float64) {
	t.Helper()
	l := pair.(*privacy.DiscretePair)
	if len(l.Atoms()) != atoms {
		t.Errorf("%s: %d losses, want %d", what, len(l.Atoms()), atoms)
	}
	within := func(x, of interval.Interval, width float64) bool {
		if x.Less(of) || of.Less(x) {
			return false
		}
		return of.Upper().Sub(of.Lower()).Mid() <= width+0x1p-180*math.Abs(of.Mid())
	}
	seen := map[int]bool{}
	last := math.Inf(-1)
	for _, a := range l.Atoms() {
		p, q := interval.Int(0), interval.Int(0)
		for _, tag := range a.Tags {
			s, ok := states[tag]
			if !ok || seen[tag] {
				t.Fatalf("%s: state %d is repeated or unknown", what, tag)
			}
			seen[tag] = true
			p, q = p.Add(s.p), q.Add(s.q)
			if !within(s.loss, l.Loss(a), 2.1*wide+0x1p-40*math.Abs(s.loss.Mid())*b2f(a.Steps != 0 && wide == 0)) {
				t.Errorf("%s: the loss %v is not in %v, or that is wider than %g", what, s.loss, l.Loss(a), wide)
			}
		}
		if !within(p, a.P.Enclosure, 6*wide*p.Mid()) || !within(q, a.Q.Enclosure, 6*wide*q.Mid()) {
			t.Errorf("%s: masses %v and %v are not in %v and %v, or those are wider than %g of them", what, p, q, a.P.Enclosure, a.Q.Enclosure, 6*wide)
		}
		if at := l.Loss(a).Mid(); at < last {
			t.Errorf("%s: the loss %v follows %v, out of order", what, at, last)
		} else {
			last = at
		}
	}
	if len(seen) != len(states) {
		t.Errorf("%s: %d of %d states", what, len(seen), len(states))
	}
}

func b2f(on bool) float64 {
	if on {
		return 1
	}
	return 0
}

// distinct returns the number of distinct losses.
func distinct(all []*big.Rat) int {
	all = slices.Clone(all)
	slices.SortFunc(all, (*big.Rat).Cmp)
	return len(slices.CompactFunc(all, func(a, b *big.Rat) bool { return a.Cmp(b) == 0 }))
}

// offLatticeError returns the rounding error of float64 losses if they are not on a lattice, and 0 otherwise.
func offLatticeError(on lattice, losses []*big.Rat) (off float64) {
	for _, loss := range losses {
		if v, _ := loss.Float64(); on.unit == 0 {
			off = math.Max(off, math.Abs(v)*unit)
		}
	}
	return off
}

// The pairs of laws of a few bits have the right losses and masses, on a lattice and off it, for float64 parameters and
// for their decimals.
func TestLossesOfStates(t *testing.T) {
	rng := rand.New(rand.NewPCG(54, 2))
	for trial := range 24 {
		shape := [][2]int{{2, 2}, {1, 3}, {3, 1}, {1, 5}}[trial%4]
		b := dyadicLaw(rng, shape[0], shape[1], 1, .7)
		if trial%3 == 1 {
			b = randomRoundedLaw(rng, shape[0], shape[1], .7)
		}
		if trial%8 > 3 {
			b = b.read(reading{units: 1 << 14})
		}
		s := b.allStates()
		if s.on.unit > 0 != (trial%3 != 1) {
			t.Errorf("law %d: unit %v", trial, s.on.unit)
		}
		meant := []*tableLaw{newTableLaw(perturbedPi(b, nil))}
		if b.reading.units > 0 {
			meant = append(meant, newTableLaw(perturbedPi(b, rng)), newTableLaw(perturbedPi(b, rng)))
		}
		for step := 1; step < 1<<b.Dim(); step++ {
			pair := must.Be(s.pair(t.Context(), step))
			of := func(law *tableLaw) (states map[int]state, losses []*big.Rat) {
				states = map[int]state{}
				for at, w := range law.weight {
					loss := new(big.Rat).Sub(law.exponent[at], law.exponent[at^step])
					states[at], losses = state{w.Quo(law.z), law.weight[at^step].Quo(law.z), interval.Rat(loss)}, append(losses, loss)
				}
				return states, losses
			}
			states, losses := of(meant[0])
			want := distinct(losses)
			if b.reading.units > 0 && s.on.unit == 0 { // without a unit, the enclosures of equal losses may differ
				want = len(pair.(*privacy.DiscretePair).Atoms())
			}
			for _, law := range meant {
				moved, _ := of(law)
				checkAtoms(t, fmt.Sprintf("law %d, step %b", trial, step), pair, moved, want, 2.1*s.off+offLatticeError(s.on, losses))
			}
			r := s.rough(step)
			for at, v := range r.Loss {
				if gap := math.Abs(v - states[at].loss.Mid()); gap > r.Error || r.Error > 0x1p-40+4.1*s.off || math.Abs(r.P[at]/states[at].p.Mid()-1) > 4*unit {
					t.Errorf("law %d, step %b, state %d: a rough loss %v ± %v of mass %v, want %v of %v", trial, step, at, v, r.Error, r.P[at], states[at].loss, states[at].p)
				}
			}
		}
	}
}

// The atoms of one column's pair are given by the numbers of ones among the flipped bits and among the others.
func TestLossesOfColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(54, 3))
	for trial := range 30 {
		c := &Columns{n: 1 + rng.IntN(7), p: 1, theta: float64(rng.IntN(33)-16) / 16, lambda: float64(1+rng.IntN(16)) / 32}
		if trial%3 == 1 {
			c.theta, c.lambda = rng.NormFloat64(), rng.NormFloat64()
		}
		if trial%2 == 1 {
			c.offTheta, c.offLambda = 0x1p-43, 0x1p-44
		}
		weight := column(c.n, c.theta, c.lambda)
		z := moment(weight, func(int) int { return 1 })
		choose := func(n, k int) interval.Interval {
			return interval.Rat(new(big.Rat).SetInt(new(big.Int).Binomial(int64(n), int64(k))))
		}
		for a := 1; a <= c.n; a++ {
			states, losses := map[int]state{}, []*big.Rat{}
			for j := range a + 1 {
				for m := range c.n - a + 1 {
					ways := choose(a, j).Mul(choose(c.n-a, m))
					one := func(ones int) interval.Interval { return ways.Mul(weight[ones]).Quo(choose(c.n, ones)).Quo(z) }
					loss := sumOf(rat(c.theta), times(rat(c.lambda), big.NewRat(int64(a+2*m-1), 1)))
					loss.Mul(loss, big.NewRat(int64(2*j-a), 1))
					losses = append(losses, loss)
					// The tag encodes the number of flipped bits, and the numbers of ones among the flipped bits and
					// among the others.
					tag := c.tag(a, j, m)
					states[tag] = state{one(j + m), one(a - j + m), interval.Rat(loss)}
					if got := c.outcome(tag, &Columns{n: c.n, p: 1}); len(got) != j+m || slices.ContainsFunc(got[:j], func(at [2]int) bool { return at[0] >= a }) || slices.ContainsFunc(got[j:], func(at [2]int) bool { return at[0] < a || at[0] >= c.n }) {
						t.Errorf("tag of %d ones of %d flipped and %d others: %v", j, a, m, got)
					}
				}
			}
			pair := must.Be(c.pair(t.Context(), a))
			on, want := latticeOf(c.theta, c.lambda), distinct(losses)
			if c.offTheta > 0 && on.unit == 0 {
				want = len(pair.(*privacy.DiscretePair).Atoms())
			}
			wide := 2.1*math.Max(c.off(), float64(a)*(c.offTheta+2*float64(c.n)*c.offLambda)) + offLatticeError(on, losses)
			checkAtoms(t, fmt.Sprint(c, ", ", a, " flipped"), pair, states, want, wide)
		}
	}
}

// A factor of 1 does not change the reading of a law's parameters. Any other factor allows for the rounding of its
// products, including underflow if a product is subnormal.
func TestScaleAllowsForItsProducts(t *testing.T) {
	b := must.Be(NewBernoulli([][]float64{{1, .25}, {.25, 0x1p-1000}}, nil, 2))
	for factor, want := range map[float64]reading{1: {}, 3: {units: 2}, 0: {units: 2}, -.1: {units: 2}, 0x1p-22: {units: 2}, 0x1p-23: {units: 2, least: math.SmallestNonzeroFloat64}} {
		s := must.Be(b.Scale(factor))
		if s.reading != want {
			t.Errorf("factor %v: reading %+v, want %+v", factor, s.reading, want)
		}
	}
}
