package privacy

import (
	"context"
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
)

// outputs are the chances of two laws in float64.
type outputs struct{ p, q []float64 }

// times returns both outputs.
func (a outputs) times(b outputs) (out outputs) {
	for i := range a.p {
		for j := range b.p {
			out.p, out.q = append(out.p, a.p[i]*b.p[j]), append(out.q, a.q[i]*b.q[j])
		}
	}
	return out
}

func (a outputs) rational() (p, q []*big.Rat) {
	exact := func(pmfs []float64) (out []*big.Rat) {
		rest := big.NewRat(1, 1)
		for _, v := range pmfs[1:] {
			out = append(out, new(big.Rat).SetFloat64(v))
			rest.Sub(rest, out[len(out)-1])
		}
		return append([]*big.Rat{rest}, out...)
	}
	return exact(a.p), exact(a.q)
}

func (a outputs) delta(eps float64) (sum float64) {
	for i := range a.p {
		sum += max(a.p[i]-math.Exp(eps)*a.q[i], 0)
	}
	return sum
}

func (a outputs) moment(s float64) float64 {
	sum := 0.0
	for i := range a.p {
		if a.q[i] > 0 && a.p[i] > 0 {
			sum += a.p[i] * math.Pow(a.p[i]/a.q[i], s)
		}
	}
	return math.Log(sum)
}

func (a outputs) top() float64 {
	top := math.Inf(-1)
	for i := range a.p {
		if a.p[i] > 0 {
			top = max(top, math.Log(a.p[i]/a.q[i]))
		}
	}
	return top
}

func (a outputs) sure() (sum float64) {
	for i := range a.p {
		if a.q[i] == 0 {
			sum += a.p[i]
		}
	}
	return sum
}

// leastOf returns the least of f over many orders s.
func leastOf(f func(s float64) float64) float64 {
	most := math.Inf(1)
	for s := 1e-3; s < 1e3; s *= 1.0005 {
		most = min(most, f(s))
	}
	return most
}

// solved returns where a rising f is v.
func solved(f func(x float64) float64, v, lo, hi float64) float64 {
	for range 200 {
		if mid := (lo + hi) / 2; f(mid) < v {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// A pair that cannot be the worst one is left out, and one that may be is asked: as Chernoff's bound of δ and ε, the
// log-moment, the largest loss and the chance of an infinite one say, to a tenth of a percent.
func TestPairsAreLeftOut(t *testing.T) {
	const w, order, small = 1.5, 3.5, 0.125
	ln := must.Be(evidence.LogEpsilon("eps", big.NewRat(3, 2)))
	excess := func(a outputs, s float64) float64 { return a.moment(s) + s*math.Log(s) - (1+s)*math.Log1p(s) }
	response := func(r float64) outputs { return outputs{[]float64{r, 1 - r}, []float64{1 - r, r}} }
	weak := outputs{[]float64{0.6, 0.3, 0.1}, []float64{0.2, 0.3, 0.5}}
	for name, c := range map[string]struct {
		weak   outputs
		strong func(r float64) outputs
		value  func(a outputs) float64 // of the answer
		bound  func(a outputs) float64
		ask    func(a *Account) (evidence.Number, error)
	}{
		"δ": {weak, response, func(a outputs) float64 { return a.delta(math.Log(w)) },
			func(a outputs) float64 {
				return leastOf(func(s float64) float64 { return math.Exp(excess(a, s) - s*math.Log(w)) })
			}, func(a *Account) (evidence.Number, error) { return a.Delta(t.Context(), ln) }},
		"ε": {weak, response, func(a outputs) float64 {
			return solved(func(eps float64) float64 { return -a.delta(eps) }, -small, 0, 50)
		}, func(a outputs) float64 {
			return min(leastOf(func(s float64) float64 { return (excess(a, s) - math.Log(small)) / s }), a.top())
		}, func(a *Account) (evidence.Number, error) { return a.Epsilon(t.Context(), evidencetest.Delta(small)) }},
		"the smallest ε": {weak, response, outputs.top, outputs.top, func(a *Account) (evidence.Number, error) { return a.Epsilon(t.Context(), evidence.Delta{}) }},
		"D": {weak, response, func(a outputs) float64 { return a.moment(order-1) / (order - 1) }, func(a outputs) float64 { return a.moment(order-1) / (order - 1) },
			func(a *Account) (evidence.Number, error) { return a.Renyi(t.Context(), big.NewRat(7, 2)) }},
		"infinite losses": {outputs{[]float64{0.9, 0.1}, []float64{1, 0}}, func(r float64) outputs { return outputs{[]float64{1 - r, r}, []float64{1, 0}} },
			outputs.sure, outputs.sure, func(a *Account) (evidence.Number, error) { return a.InfinityMass(t.Context()) }},
	} {
		for _, k := range []int{1, 2} {
			if name == "ε" && k == 2 || name == "infinite losses" && k == 2 { // grids are wide, and 1 − (1 − s)² is bounded by 2s
				continue
			}
			power := func(a outputs) outputs {
				if k == 2 {
					return a.times(a)
				}
				return a
			}
			bound := c.bound(power(c.weak))
			for _, share := range []float64{1.001, 0.999} {
				lo := 0.5
				if name == "infinite losses" {
					lo = 0
				}
				strong := c.strong(solved(func(r float64) float64 { return c.value(power(c.strong(r))) }, bound*share, lo, 1-1e-9))
				pmfs := []outputs{strong, c.weak}
				var answers [2]bool
				f := &DominatingPairs{Name: "two", Universe: counted("s"), Size: 2,
					Pair: func(_ context.Context, i int) (Pair, error) {
						answers[i] = true
						return NewRationalPair(pmfs[i].rational())
					},
					Screen: func(i int) *Screen { return NewScreen(pmfs[i].rational()) },
				}
				a := must.For(Compose(t.Context(), []*Account{New(f)}, []int{k}))(t)
				got := must.For(c.ask(a))(t)
				if answers[1] != (share < 1) || share > 1 && !answers[0] {
					t.Errorf("%s of %d uses: of a pair with %g and one with %g at most those asked are %v", name, k, bound*share, bound, answers)
				}
				l, h := got.Bounds()
				want := max(c.value(power(strong)), c.value(power(c.weak)))
				if l > want*(1+1e-9) || h < want*(1-1e-9) || h-l > 1e-9*(1+h) {
					t.Errorf("%s of %d uses is [%g, %g], want %g", name, k, l, h, want)
				}
			}
		}
	}
}
