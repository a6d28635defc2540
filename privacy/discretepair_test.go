package privacy_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/privacy"

	"pgregory.net/rapid"
)

// A pair of interval laws stands for many pairs of laws. Every result must hold for each of them.

// spreadLaws returns the laws that result from p by moving the mass d between two of its first n outputs.
func spreadLaws(p []*big.Rat, n int, d *big.Rat) (all [][]*big.Rat) {
	for i := range n {
		for j := range n {
			if i == j {
				continue
			}
			r := slices.Clone(p)
			r[i], r[j] = new(big.Rat).Add(r[i], d), new(big.Rat).Sub(r[j], d)
			all = append(all, r)
		}
	}
	return all
}

// hull returns the interval hull of the given function over the members.
func hull(members []table, of func(a table) *big.Rat) interval.Interval {
	out := interval.Rat(of(members[0]))
	for _, a := range members[1:] {
		out = interval.Hull(out, interval.Rat(of(a)))
	}
	return out
}

// intervalPair draws tables, called members, and one pair of interval laws that contains them all. Losses are separate
// or on a lattice of ln 2 with an uncertain offset. There may be outputs that only one law can give.
func intervalPair(t *rapid.T) (members []table, pair *privacy.DiscretePair) {
	n := rapid.IntRange(2, 3).Draw(t, "n")
	weights := func(label string) []*big.Rat {
		return normalized(rapid.SliceOfN(rapid.IntRange(3, 9), n, n).Draw(t, label))
	}
	d := big.NewRat(1, int64(rapid.SampledFrom([]int{50, 1000, 1 << 40}).Draw(t, "d")))
	amount := func(of func(a table) *big.Rat) evidence.RatOrInterval {
		return evidence.RatOrInterval{Enclosure: hull(members, of)}
	}
	p := weights("p")
	if rapid.Bool().Draw(t, "lattice") {
		from := rapid.IntRange(-2, 1).Draw(t, "from")
		var z []*big.Rat
		for _, p := range spreadLaws(p, n, d) {
			a, sum := table{p: p}, new(big.Rat)
			for j := range p {
				a.q = append(a.q, new(big.Rat).Mul(p[j], interval.RationalPower(big.NewRat(1, 2), big.NewInt(int64(from+j)))))
				sum.Add(sum, a.q[j])
			}
			for j := range a.q {
				a.q[j].Quo(a.q[j], sum)
			}
			members, z = append(members, a), append(z, sum)
		}
		rest := interval.Hull(interval.Rat(slices.MinFunc(z, (*big.Rat).Cmp)), interval.Rat(slices.MaxFunc(z, (*big.Rat).Cmp))).Log()
		var atoms []privacy.Atom
		for j := range n {
			atoms = append(atoms, privacy.Atom{P: amount(func(a table) *big.Rat { return a.p[j] }), Q: amount(func(a table) *big.Rat { return a.q[j] }),
				Steps: int64(from + j), Offset: rest})
		}
		return members, privacy.NewDiscretePair(atoms, noMass, noMass, logOf(t, big.NewRat(2, 1)), privacy.Hooks{})
	}
	q, alone := weights("q"), rapid.Bool().Draw(t, "alone")
	if alone { // Q never gives the last output of P, and has one that P never gives
		p = append(p[:n-1:n-1], p[n-1], new(big.Rat))
		q = append(q[:n-1:n-1], new(big.Rat), q[n-1])
	}
	common := n
	if alone { // the output that P never gives keeps its mass
		common--
	}
	for _, p := range spreadLaws(p, n, d) {
		members = append(members, table{p, q})
		for _, q := range spreadLaws(q, common, d) {
			members = append(members, table{p, q})
		}
	}
	var atoms []privacy.Atom
	infinityMass, qOnlyMass := noMass, noMass
	for j := range p {
		switch {
		case q[j].Sign() == 0:
			infinityMass = amount(func(a table) *big.Rat { return a.p[j] })
		case p[j].Sign() == 0:
			qOnlyMass = amount(func(a table) *big.Rat { return a.q[j] })
		default:
			atoms = append(atoms, privacy.Atom{P: amount(func(a table) *big.Rat { return a.p[j] }), Q: amount(func(a table) *big.Rat { return a.q[j] }),
				Offset: hull(members, func(a table) *big.Rat { return new(big.Rat).Quo(a.p[j], a.q[j]) }).Log()})
		}
	}
	return members, privacy.NewDiscretePair(atoms, infinityMass, qOnlyMass, evidence.Epsilon{}, privacy.Hooks{})
}

// floats returns the probabilities of the outputs, ordered by increasing P/Q.
func (a table) floats() (p, q []float64) {
	order := make([]int, len(a.p))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		return new(big.Rat).Mul(a.p[i], a.q[j]).Cmp(new(big.Rat).Mul(a.p[j], a.q[i]))
	})
	for _, i := range order {
		x, _ := a.p[i].Float64()
		y, _ := a.q[i].Float64()
		if x > 0 || y > 0 {
			p, q = append(p, x), append(q, y)
		}
	}
	return p, q
}

// mu returns the largest Φ⁻¹(P(E)) − Φ⁻¹(Q(E)) over events E.
func (a table) mu() float64 {
	_, alone := a.ratios()
	if _, other := a.reverse().ratios(); alone || other {
		return math.Inf(1)
	}
	p, q := a.floats()
	most, x, y := 0.0, 0.0, 0.0
	for i := range len(p) - 1 { // for the events {loss ≤ l}
		x, y = x+p[i], y+q[i]
		most = max(most, math.Sqrt2*(math.Erfinv(2*y-1)-math.Erfinv(2*x-1)))
	}
	return most
}

// divergence returns the Rényi divergence D_α(P‖Q) at α = order.
func (a table) divergence(order float64) float64 {
	if _, alone := a.ratios(); alone {
		return math.Inf(1)
	}
	p, q := a.floats()
	if order == 1 {
		sum := 0.0
		for i := range p {
			if p[i] > 0 {
				sum += p[i] * math.Log(p[i]/q[i])
			}
		}
		return sum
	}
	most := math.Log(p[len(p)-1] / q[len(p)-1]) // losses are sorted
	sum := 0.0
	for i := range p {
		if p[i] > 0 {
			sum += p[i] * math.Exp((order-1)*(math.Log(p[i]/q[i])-most))
		}
	}
	return most + math.Log(sum)/(order-1)
}

func TestIntervalPairEnclosesMembers(t *testing.T) {
	few(t, cases.Of(8, 15), func(t *rapid.T) {
		members, pair := intervalPair(t)
		k := rapid.SampledFrom([]int{1, 1, 1, 2, 3}).Draw(t, "k")
		f := &privacy.DominatingPairs{Name: "intervalPair", Universe: scope("s"), Size: 2, Source: "test"}
		f.Pair = func(_ context.Context, i int) (privacy.Pair, error) {
			return []privacy.Pair{pair, pair.Reverse()}[i], nil
		}
		account := compose(t, []int{k}, f)
		var all []table // tables of k uses
		for _, a := range members {
			all = append(all, a.power(k))
		}
		same := func(w *big.Rat) []*big.Rat {
			var out []*big.Rat
			for _, a := range all {
				out = append(out, worst([]table{a}, func(a table) *big.Rat { return a.delta(w) }))
			}
			return out
		}
		infinityMass, err := account.InfinityMass(ctx)
		for i, a := range all {
			want := worst([]table{a}, func(a table) *big.Rat {
				sum := new(big.Rat)
				for j := range a.p {
					if a.q[j].Sign() == 0 {
						sum.Add(sum, a.p[j])
					}
				}
				return sum
			})
			if !encloses(ask(t, infinityMass, err), want, want) {
				t.Fatalf("the infinity mass of member %d is %v, not in %v", i, want, infinityMass)
			}
		}
		decimal := must.Be(evidence.NewEpsilon("eps", 0.7))
		for _, e := range []evidence.Epsilon{{}, logOf(t, big.NewRat(6, 5)), decimal, logOf(t, big.NewRat(3, 1))} {
			d, err := account.Delta(ctx, e)
			w := exp(rat(e.Value()))
			if r, ok := e.Exp(); ok {
				w = r
			}
			lo, hi := around(w)
			least, most := same(hi), same(lo)
			for i := range all {
				if !encloses(ask(t, d, err), least[i], most[i]) {
					t.Fatalf("δ(%v) of %d uses of member %d is %v, not in %v", e, k, i, least[i].FloatString(12), d)
				}
			}
		}
		for _, delta := range []float64{0, 1e-4, 0.1} {
			e, err := account.Epsilon(ctx, evidencetest.Delta(delta))
			for i := range all {
				truth := func(w *big.Rat) *big.Rat { return worst(all[i:i+1], func(a table) *big.Rat { return a.delta(w) }) }
				if !proves(delta, ask(t, e, err), truth) {
					t.Fatalf("ε(%g) of %d uses of member %d is not in %v", delta, k, i, e)
				}
			}
		}
		holds := func(what string, n evidence.Number, err error, slack float64, of func(a table) float64) {
			l, h := ask(t, n, err).Bounds()
			for i, a := range all {
				want := max(of(a), of(a.reverse()))
				if l > want+slack*(1+want) || want > h+1e-9*(1+h) {
					t.Fatalf("%s of %d uses of member %d is %g, not in %v", what, k, i, want, n)
				}
			}
		}
		for _, order := range []*big.Rat{big.NewRat(9, 8), big.NewRat(5, 2)} {
			n, err := account.Renyi(ctx, order)
			o, _ := order.Float64()
			holds(fmt.Sprintf("D at %v", order), n, err, 1e-9, func(a table) float64 { return a.divergence(o) })
		}
		if k > 1 { // with more uses ρ and μ of wide intervals take too long
			return
		}
		n, err := account.ZCDP(ctx)
		holds("ρ", n, err, 1e-2, func(a table) float64 {
			most := 0.0
			for order := 1.0; order < 300; order *= 1.1 {
				most = max(most, a.divergence(order)/order)
			}
			return most
		})
		n, err = account.GDP(ctx)
		holds("μ", n, err, 1e-9, table.mu)
		line := must.Be(account.Tradeoff(ctx))
		for _, c := range line.Corners {
			alpha, _ := c.Alpha.Bounds()
			beta, _ := c.Beta.Bounds()
			for i := range all {
				least := new(big.Rat).Sub(big.NewRat(1, 1), worst(all[i:i+1], func(a table) *big.Rat { return a.height(rat(alpha)) }))
				if least.Cmp(rat(beta)) < 0 {
					t.Fatalf("β(%v) of %d uses of member %d is %v, below %v", c.Alpha, k, i, least.FloatString(12), c.Beta)
				}
			}
		}
	})
}

// The hooks decide the sign or the size of ε − loss if the enclosure of the loss does not, and only then.
func TestHooksDecideUndecidedLosses(t *testing.T) {
	e := must.For(evidence.NewEpsilon("eps", 0.5))(t)
	var answers []int
	hooks := privacy.Hooks{
		Sign: func(tag int, eps evidence.Epsilon) (int, error) {
			if tag == 3 {
				return 0, errors.New("unknown")
			}
			return map[int]int{1: 1, 2: -1}[tag], nil
		},
		EpsilonMinusLoss: func(tag int, eps evidence.Epsilon) (interval.Interval, bool) {
			answers = append(answers, tag)
			return interval.Between(-0.25, -0.25), tag == 4
		},
	}
	for _, c := range []struct {
		tag    int
		rest   interval.Interval
		lo, hi float64
		asked  bool
	}{
		{1, interval.Between(0.4, 0.6), 0, 0.4 * 0.1 * 1.1, true}, // ε − loss is within ±0.1
		{2, interval.Between(0.4, 0.6), 0, 0, true},
		{3, interval.Between(0.4, 0.6), 0, 0.4 * 0.1 * 1.1, true},
		{4, interval.Between(0.4, 0.6), 0.25 * 0.2, 0.5 * 0.25, true}, // p between 0.25 and 0.5 times 1 − e^{−1/4}
		{1, interval.Float(1), 0.3 * 0.39, 0.4 * 0.4, false},
		{2, interval.Float(0.25), 0, 0, false},
	} {
		answers = nil
		atoms := []privacy.Atom{{P: between(0.3, 0.4), Q: between(0.1, 0.5), Offset: c.rest, Tags: []int{c.tag}}}
		l := privacy.NewDiscretePair(atoms, noMass, noMass, evidence.Epsilon{}, hooks)
		d := must.For(l.Delta(t.Context(), e))(t)
		lo, hi := d.Enclosure.Bounds()
		if lo < c.lo || hi > c.hi || c.hi > 0 && hi == 0 || (len(answers) > 0) != c.asked {
			t.Errorf("tag %d at a loss in %v: δ in [%g, %g], want [%g, %g]; hooks called for %v",
				c.tag, c.rest, lo, hi, c.lo, c.hi, answers)
		}
	}
}
