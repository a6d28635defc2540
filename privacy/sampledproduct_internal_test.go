package privacy

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// laws is a pair of laws over the same outputs.
type laws struct{ p, q []*big.Rat }

func (a laws) times(b laws) (out laws) {
	for i := range a.p {
		for j := range b.p {
			out.p = append(out.p, new(big.Rat).Mul(a.p[i], b.p[j]))
			out.q = append(out.q, new(big.Rat).Mul(a.q[i], b.q[j]))
		}
	}
	return out
}

func (a laws) delta(w *big.Rat) float64 {
	sum := new(big.Rat)
	for i, p := range a.p {
		if d := new(big.Rat).Sub(p, new(big.Rat).Mul(w, a.q[i])); d.Sign() > 0 {
			sum.Add(sum, d)
		}
	}
	v, _ := sum.Float64()
	return v
}

// sampled returns the laws after subsampling, computed from the definition.
func (a laws) sampled(g *big.Rat, how mixture) (out laws) {
	mixed := func(x, y *big.Rat) *big.Rat {
		return new(big.Rat).Add(new(big.Rat).Mul(g, x), new(big.Rat).Mul(new(big.Rat).Sub(one, g), y))
	}
	leftP, leftQ := big.NewRat(1, 1), big.NewRat(1, 1)
	for i, p := range a.p {
		q := a.q[i]
		x, y := mixed(p, q), q
		switch {
		case how == addition:
			x, y = q, x
		case how == replacement && p.Cmp(q) < 0:
			x, y = p, mixed(q, p)
		}
		out.p, out.q = append(out.p, x), append(out.q, y)
		leftP.Sub(leftP, x)
		leftQ.Sub(leftQ, y)
	}
	out.p, out.q = append(out.p, leftP), append(out.q, leftQ)
	return out
}

// checkRange compares the range and the mean of the finite losses of a pair with those of its laws.
func (a laws) checkRange(t *testing.T, p *sampledProduct) {
	least, most, mean := math.Inf(1), math.Inf(-1), 0.0
	for i, x := range a.p {
		if x.Sign() > 0 && a.q[i].Sign() > 0 {
			loss := interval.RationalLog(new(big.Rat).Quo(x, a.q[i])).Mid()
			least, most = min(least, loss), max(most, loss)
			v, _ := x.Float64()
			mean += v * loss
		}
	}
	if lo, hi := p.LossRange().Bounds(); !(lo <= least+1e-12 && most-1e-12 <= hi) {
		t.Errorf("direction %d, rate %v: losses in [%v, %v], want [%v, %v]", p.kind, p.rate, lo, hi, least, most)
	} else if sign(p.base.infinityMass()) == 0 && sign(p.reversed.infinityMass()) == 0 && (lo < least-1e-12 || hi > most+1e-12) {
		t.Errorf("direction %d, rate %v: losses in [%v, %v], wider than [%v, %v]", p.kind, p.rate, lo, hi, least, most)
	}
	if _, hi := p.Mean().Bounds(); !(mean <= hi+1e-12) {
		t.Errorf("direction %d, rate %v: mean loss at most %v, want %v", p.kind, p.rate, hi, mean)
	}
}

// Answers about several uses of tables on one sample, also composed further, enclose the rational enumeration of all
// outputs. Some outputs are possible under one law only.
func TestSampledProductMatchesEnumeration(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(52, 1))
	table := func() laws {
		weights := func() (out []*big.Rat) {
			w, sum := make([]int64, 3), int64(0)
			for i := range w {
				w[i] = rng.Int64N(6)
				sum += w[i]
			}
			w[rng.IntN(3)]++
			for _, v := range w {
				out = append(out, big.NewRat(v, sum+1))
			}
			return out
		}
		return laws{weights(), weights()}
	}
	for round := range cases.Of(3, 60) {
		a, b := table(), table()
		base := a.times(a).times(b)
		factors := []factor{{must.Be(NewRationalPair(a.p, a.q)), 2}, {must.Be(NewRationalPair(b.p, b.q)), 1}}
		g, how := big.NewRat(1+rng.Int64N(9), 10), mixture(round%3)
		p := newSampledProduct(newComposition(0, factors), g, how)
		once := base.sampled(g, how)
		for n, all := 1, once; n <= 2; n, all = n+1, all.times(once) {
			c := newComposition(0, []factor{{p, n}})
			for _, w := range []*big.Rat{one, big.NewRat(11, 10), big.NewRat(3, 2), big.NewRat(4, 1)} {
				eps := evidence.Epsilon{}
				if w != one {
					eps = must.Be(evidence.LogEpsilon("eps", w))
				}
				want := all.delta(w)
				lo, hi := must.For(c.delta(t.Context(), eps))(t).Enclosure.Bounds()
				if !(lo <= want*(1+1e-15) && want*(1-1e-15) <= hi && hi-lo <= 1e-2*hi+1e-12) {
					t.Errorf("round %d, %d uses, direction %d, rate %v: δ(ln %v) in [%v, %v], want %v",
						round, n, how, g, w, lo, hi, want)
				}
				if below := new(big.Rat).Mul(w, big.NewRat(999, 1000)); !(want > 1e-6 && want < 1) || w == one || !(all.delta(below) > want*(1+1e-9)) {
					continue
				}
				at := new(big.Rat).SetFloat64(want)
				lo, hi = must.For(c.epsilon(t.Context(), at, math.Inf(-1)))(t).Enclosure.Bounds()
				if e := eps.Value(); !(lo <= e+1e-12 && e-1e-12 <= hi) {
					t.Errorf("round %d, %d uses, direction %d, rate %v: ε(%v) in [%v, %v], want %v", round, n, how, g, want, lo, hi, e)
				}
			}
			if n == 1 {
				once.checkRange(t, p)
				// The log-moment is ln Σ p^{1+s} q^{−s} over finite losses.
				for _, s := range []float64{.5, 3} {
					sum := 0.0
					for i, x := range once.p {
						v, _ := x.Float64()
						if w, _ := once.q[i].Float64(); v > 0 && w > 0 {
							sum += v * math.Pow(v/w, s)
						}
					}
					lo, hi := p.LogMoment(evidence.ExactRat(new(big.Rat).SetFloat64(s)).Enclosure).Bounds()
					if k := math.Log(sum); !(k-1e-12 <= hi) || lo > k+1e-12 && sign(p.InfinityMass()) == 0 {
						t.Errorf("round %d, direction %d: log-moment of order %v in [%v, %v], want %v", round, how, s, lo, hi, k)
					}
				}
			}
		}
	}
}
