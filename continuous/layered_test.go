package continuous_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/continuous"
	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"

	"github.com/cockroachdb/apd/v3"
)

// Normalizer, distortion, densities and curve match an 800-digit sum over enumerated layers, extended by their
// period. Decays start at 1e-300, and grid units range from 1e-300 to 1e300.
func TestLayeredAtEveryScale(t *testing.T) {
	r, d := rand.New(rand.NewPCG(8, 3)), digits{t, long}
	num := func(v int) *apd.Decimal { return d.of(float64(v)) }
	const last = 24
	decays := []float64{1e-300, 1e-150, 1e-80, 1e-20, 1e-16, 0.03, 1.5, 120, 690}
	beyond := []float64{800, 1e4, 1e300} // decays used for curves only
	powers := map[float64]*apd.Decimal{} // powers of e
	for _, e := range append(beyond, decays...) {
		powers[e] = new(apd.Decimal)
		if e < 1e4 { // for larger e, z is negligible
			powers[e] = d.exp(d.of(-e))
		}
	}
	for trial := range cases.Of(12, 36) {
		v, radius := continuous.RandomSet(r, 1+r.IntN(7), trial%3 == 0)
		o := newGridOracle(v, radius, last)
		unit := fractionOf(t, []string{"1", "1/7", "1e-300", "1e300"}[trial%4])
		times := func(n int) *big.Rat { return new(big.Rat).Mul(unit, big.NewRat(int64(n), 1)) }
		var ends [][2]*big.Rat
		for _, p := range v {
			ends = append(ends, [2]*big.Rat{times(p[0]), times(p[1])})
		}
		l := must.For(continuous.NewSequence(t.Context(), must.For(continuous.NewLinear(ends))(t), times(radius)))(t)
		weights, moments := o.perLayer(last, l.Counting())
		n := last - 2
		for i := last - 6; i < last; i++ {
			if weights[i] != weights[last] || moments[i+1]-moments[i] != moments[last]-moments[last-1] {
				t.Fatalf("V = %v, radius %d are not periodic at layer %d", v, radius, i)
			}
		}
		for _, e := range append(beyond, decays...) {
			name := fmt.Sprintf("V = %v·%v, radius %d, decay %g", v, unit.FloatString(3), radius, e)
			z := powers[e]
			rest := d.sub(num(1), z)
			first := 0
			for weights[first] == 0 {
				first++
			}
			// sum returns Σ z^i·terms[i], divided by z^first and multiplied by (1−z)².
			sum := func(terms []int) *apd.Decimal {
				s := new(apd.Decimal)
				for i := n - 1; i >= first; i-- {
					s = d.add(d.mul(s, z), num(terms[i]))
				}
				s = d.mul(d.mul(s, rest), rest)
				tail := d.add(d.mul(num(terms[n]), rest), d.mul(num(terms[n+1]-terms[n]), z))
				for range n - first {
					tail = d.mul(tail, z)
				}
				return d.add(s, tail)
			}
			weight, moment := sum(weights), sum(moments)
			step := d.rat(unit)
			if !l.Counting() {
				step = d.quo(step, num(2))
			}
			distortion := d.mul(d.quo(moment, weight), step)
			want, _ := distortion.Float64()
			curve := must.For(l.Curve([]evidence.Epsilon{evidencetest.Epsilon(e)}))(t)[0]
			least := math.SmallestNonzeroFloat64 // a positive value is never reported as 0
			if !(math.Abs(curve-want) <= math.Max(4e-15*want, least)) && !math.IsInf(want, 1) {
				t.Errorf("%s: curve %v, want %v", name, curve, want)
			}
			eps := evidencetest.Epsilon(e)
			d.holds(name+": distortion", l.Distortion(eps), distortion)
			if e > 700 {
				continue
			}
			m := must.For(continuous.NewLayered(l, eps))(t)
			// alpha becomes the normaliser divided by z^first, so densities are z^{L − first}/alpha.
			alpha := d.quo(d.quo(weight, rest), rest)
			if !l.Counting() {
				alpha = d.mul(alpha, d.rat(unit))
			}
			head := alpha
			for range first {
				head = d.mul(head, z)
			}
			d.holds(name+": normaliser", m.Normalizer(), head)
			for range 4 {
				i := 2*o.reach + r.IntN(24)
				at := new(big.Rat).Mul(unit, big.NewRat(int64(i-2*o.reach), 2))
				density := must.For(m.Density(at))(t)
				want := new(apd.Decimal)
				if layer := o.layer[i]; layer >= 0 {
					want = d.quo(num(1), alpha)
					for range layer - first {
						want = d.mul(want, z)
					}
					for range first - layer {
						want = d.quo(want, z)
					}
				} else if layer, ok, _ := l.Layer(at); ok && layer.Int64() <= last {
					t.Errorf("%s: %v is in layer %v, want none up to %d", name, at, layer, last)
					continue
				} else if ok {
					continue
				}
				d.holds(fmt.Sprintf("%s: density at half %d", name, i-2*o.reach), density, want)
			}
		}
	}
}
