package audit

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// binomials lists Pr[Bin(n, p) = c] in rational arithmetic.
func binomials(n int64, p *big.Rat) []*big.Rat {
	q, out := new(big.Rat).Sub(one, p), []*big.Rat{}
	for c := range n + 1 {
		v := new(big.Rat).SetInt(new(big.Int).Binomial(n, c))
		for range c {
			v.Mul(v, p)
		}
		for range n - c {
			v.Mul(v, q)
		}
		out = append(out, v)
	}
	return out
}

func total(terms []*big.Rat) *big.Rat {
	out := new(big.Rat)
	for _, v := range terms {
		out.Add(out, v)
	}
	return out
}

// Masses, tails and bounds of binomial laws err on the safe side of the rational values, and are close to them.
func TestBinomialsInRationals(t *testing.T) {
	for _, n := range []int64{1, 2, 5, 21} {
		for c := range n + 1 {
			for _, p := range []float64{0x1p-30, .125, .375, .5, .75, 1 - 0x1p-30} {
				law := binomials(n, new(big.Rat).SetFloat64(p))
				mass := interval.Rat(law[c]).Log()
				got := logMass(logChoose(n, c), n, c, p)
				if got.Less(mass) || mass.Less(got) {
					t.Errorf("ln Pr[Bin(%d, %g) = %d] is %v, want %v", n, p, c, got, mass)
				}
				if v := logMassFloat(logChoose(n, c).Mid(), n, c, p); math.Abs(v-mass.Mid()) > 1e-9*(1+math.Abs(v)) {
					t.Errorf("ln Pr[Bin(%d, %g) = %d] is estimated as %v, want %v", n, p, c, v, mass.Mid())
				}
				if v := upperMass(n, c, p); v > 1e-300 && (new(big.Rat).SetFloat64(v).Cmp(law[c]) < 0 || v > mass.Exp().Mid()*(1+1e-8)) {
					t.Errorf("Pr[Bin(%d, %g) = %d] is at most %v, want %v", n, p, c, v, mass.Exp().Mid())
				}
				check := func(what string, got float64, tail []*big.Rat) {
					want := total(tail)
					want.Quo(want, law[c])
					v, _ := want.Float64()
					if new(big.Rat).SetFloat64(got).Cmp(want) < 0 || got > v*(1+1e-13) {
						t.Errorf("n = %d, c = %d, p = %g: the tail %s is %v times the mass, want %v", n, c, p, what, got, v)
					}
				}
				if c > 0 && p <= float64(c)/float64(n) {
					check("above", tailAbove(n, c, p), law[c:])
				}
				if c < n && p >= float64(c)/float64(n) {
					check("below", tailBelow(n, c, p), law[:c+1])
				}
			}
			for _, beta := range []float64{.3, 1e-6} {
				level := new(big.Rat).SetFloat64(beta)
				at := func(p float64) []*big.Rat { return binomials(n, new(big.Rat).SetFloat64(p)) }
				lo, hi := binomialLower(c, n, beta), binomialUpper(c, n, beta)
				if c > 0 && (total(at(lo)[c:]).Cmp(level) > 0 || total(at(lo + 3e-9*min(lo, 1-lo))[c:]).Cmp(level) <= 0) || c == 0 && lo != 0 {
					t.Errorf("%d of %d at %g: the lower bound %v", c, n, beta, lo)
				}
				if c < n && (total(at(hi)[:c+1]).Cmp(level) > 0 || total(at(hi - 3e-9*min(hi, 1-hi) - 3e-16)[:c+1]).Cmp(level) <= 0) || c == n && hi != 1 {
					t.Errorf("%d of %d at %g: the upper bound %v", c, n, beta, hi)
				}
			}
		}
		for _, p := range []float64{0, .03125, .375, .5, .875, 1} {
			law := binomials(n, new(big.Rat).SetFloat64(p))
			for _, tail := range []float64{.2501, .0101, 1e-6} {
				level, low, high := new(big.Rat).SetFloat64(tail), lowCount(n, p, tail), highCount(n, p, tail)
				if total(law[:low]).Cmp(level) > 0 || low < n && low < int64(float64(n)*p) && total(law[:low+1]).Cmp(level) <= 0 {
					t.Errorf("Bin(%d, %g): lower quantile %d at %g is wrong", n, p, low, tail)
				}
				if total(law[high+1:]).Cmp(level) > 0 || high > 0 && float64(high) >= float64(n)*p && total(law[high:]).Cmp(level) <= 0 {
					t.Errorf("Bin(%d, %g): upper quantile %d at %g is wrong", n, p, high, tail)
				}
			}
		}
	}
}

// The ends of Wilson's interval solve (f − p)² = z² p(1 − p)/n for p.
func TestWilson(t *testing.T) {
	for _, c := range [][2]int64{{0, 1}, {1, 1}, {3, 10}, {999, 1000}, {0, 5}, {5, 5}} {
		for _, z := range []float64{1, 3.3, 7} {
			lo, hi := wilson(c[0], c[1], z)
			f, n := float64(c[0])/float64(c[1]), float64(c[1])
			for _, p := range []float64{lo, hi} {
				if math.Abs((f-p)*(f-p)-z*z*p*(1-p)/n) > 1e-12 {
					t.Errorf("%v at z = %g: [%v, %v]", c, z, lo, hi)
				}
			}
			if !(lo >= 0 && lo <= f+1e-15 && f <= hi+1e-15 && lo < hi) {
				t.Errorf("%v at z = %g: [%v, %v] is not around %v", c, z, lo, hi, f)
			}
			if v := variance(c[0], c[1]); math.Abs(v-f*(1-f)/n) > 1e-17 {
				t.Errorf("the variance of %v is %v", c, v)
			}
		}
	}
	if lo, hi := wilson(0, 0, 2); lo != 0 || hi != 1 || variance(0, 0) != 0 {
		t.Errorf("without draws: [%v, %v]", lo, hi)
	}
}

// A half line contains its endpoint, and no outputs that are words.
func TestTallied(t *testing.T) {
	var row []tally
	for id, n := range []int64{1, 10, 100, 1000} {
		row = append(row, tally{output: id, confirm: n})
	}
	d := &drawn{values: make([]numeral, 3), tallies: [][]tally{row}}
	for bound, want := range map[int]int64{-1: 11, 0: 1001, 1: 110} {
		e := pick{in: d, bound: bound, cut: 1, outputs: []int{0, 3}}
		if seen, n := (&sampleAudit{}).tallied(e, 0); seen != want || n != 1111 {
			t.Errorf("side %d: %d of %d draws, want %d of 1111", bound, seen, n, want)
		}
	}
}

// compare decides the sign of ln t − ε for every t if e^ε is rational. Otherwise it decides unless ln t and ε are
// nearly equal.
func TestClaimCompare(t *testing.T) {
	ln2 := Claim{Epsilon: must.Be(evidence.LogEpsilon("eps", big.NewRat(2, 1)))}
	unit := Claim{Epsilon: must.Be(evidence.NewEpsilon("eps", 1))}
	e, _ := interval.Int(1).Exp().MidFloat(interval.Prec).Rat(nil)
	for _, c := range []struct {
		claim Claim
		t     *big.Rat
		want  int
		ok    bool
	}{{ln2, big.NewRat(2, 1), 0, true}, {ln2, big.NewRat(3, 1), 1, true}, {ln2, big.NewRat(1, 1), -1, true}, {unit, big.NewRat(1, 1), -1, true}, {unit, big.NewRat(3, 1), 1, true}, {unit, big.NewRat(5, 2), -1, true}, {unit, e, 0, false}} {
		if got, ok := c.claim.compare(c.t); ok != c.ok || ok && got != c.want {
			t.Errorf("%v against %s: %d, %t", c.claim.Epsilon, c.t.FloatString(5), got, ok)
		}
	}
	for _, c := range []struct {
		p, q, delta float64
		want        bool
	}{{.5, .25, 0, false}, {.5, .2499, 0, true}, {.5, .2, .1, false}, {.5, .19, .1, true}, {.1, 0, .1, false}, {.1, 0, 0, true}, {.1, .5, 0, false}, {0, 0, 0, false}} {
		if got := ln2.exceeded(c.p, c.q, new(big.Rat).SetFloat64(c.delta)); got != c.want {
			t.Errorf("%+v: exceeded %t", c, got)
		}
	}
}

// If probabilities are off by a relative error u, e^ε is between the largest ((1 − u)P(S) − δ)/((1 + u)Q(S)) and the
// largest ((1 + u)P(S) − δ)/((1 − u)Q(S)), over all events and both directions.
func TestLossOfRoundedLaws(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 7))
	for range 40 {
		n := 2 + rng.IntN(4)
		laws := [2][]*big.Rat{}
		table := new(Table)
		for x, dataset := range []string{"a", "b"} {
			whole, parts := int64(0), make([]int64, n)
			for i := range parts {
				parts[i] = 1 + rng.Int64N(30)
				whole += parts[i]
			}
			for i, v := range parts {
				laws[x] = append(laws[x], big.NewRat(v, whole))
				if err := table.Add(dataset, string(rune('p'+i)), laws[x][i]); err != nil {
					t.Fatal(err)
				}
			}
		}
		u, delta := big.NewRat(1+rng.Int64N(9), 40), big.NewRat(rng.Int64N(4), 40)
		under, over := new(big.Rat).Sub(one, u), new(big.Rat).Add(one, u)
		want := func(p, q *big.Rat) *big.Rat {
			most := one
			for x := range 2 {
				for s := 1; s < 1<<n; s++ {
					in, out := new(big.Rat), new(big.Rat)
					for i := range n {
						if s>>i&1 != 0 {
							in.Add(in, laws[x][i])
							out.Add(out, laws[1-x][i])
						}
					}
					in.Sub(in.Mul(in, p), delta)
					if v := in.Quo(in, out.Mul(out, q)); v.Cmp(most) > 0 {
						most = v
					}
				}
			}
			return most
		}
		if _, err := table.check(t.Context()); err != nil {
			t.Fatal(err)
		}
		worst, low, high, err := table.largest(t.Context(), [][2]int{{0, 1}}, delta, u)
		if err != nil || low.Cmp(want(under, over)) != 0 || high.Cmp(want(over, under)) != 0 {
			t.Errorf("laws %v off by %v, δ = %v: e^ε from %v to %v, want %v to %v, error %v", laws, u, delta, low, high, want(under, over), want(over, under), err)
		} else if low.Cmp(one) > 0 { // the witness event attains the lower bound
			show := new(big.Rat).Mul(worst.p, under)
			if show.Quo(show.Sub(show, delta), new(big.Rat).Mul(worst.q, over)); show.Cmp(low) != 0 {
				t.Errorf("laws %v off by %v, δ = %v: the witness %v has e^ε = %v, want %v", laws, u, delta, worst.event, show, low)
			}
		}
	}
}
