package xor_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/xor"

	"dpworkbench/privacy"
)

// Randomised response on one bit is (0, 1/2)-private at ε = ln 3.
func ExamplePrivacy() {
	ctx := context.Background()
	eps, err := evidence.LogEpsilon("eps", big.NewRat(3, 1))
	if err != nil {
		panic(err)
	}
	b, err := xor.Allocate(xor.Budget{N: 1, P: 1, Epsilon: eps, Alpha: 1, Sensitivity: 1})
	if err != nil {
		panic(err)
	}
	curve, err := b.Under(xor.FlipBits(1), xor.LossOptions{})
	if err != nil {
		panic(err)
	}
	pure, err := curve.Epsilon(ctx, evidence.Delta{})
	if err != nil {
		panic(err)
	}
	distance, err := curve.Delta(ctx, evidence.Epsilon{})
	if err != nil {
		panic(err)
	}
	fmt.Printf("smallest ε %.6f, δ at 0 %.6f\n", pure.Float(), distance.Float())
	// Output: smallest ε 1.098612, δ at 0 0.500000
}

// hockey returns the hockey-stick divergence at ε from exponents, by the definition, in 256 bits.
func hockey(e []float64, masks map[int]bool, eps evidence.Epsilon) float64 {
	w, z := make([]interval.Interval, len(e)), interval.Int(0)
	for s, v := range e {
		w[s] = interval.Float(v).Exp()
		z = z.Add(w[s])
	}
	most, grow := 0.0, eps.Enclosure().Exp()
	for m := range masks {
		sum := interval.Int(0)
		for s := range w {
			if d := w[s].Sub(grow.Mul(w[s^m])); d.Mid() > 0 {
				sum = sum.Add(d)
			}
		}
		most = math.Max(most, sum.Quo(z).Mid())
	}
	return most
}

type profileCase struct {
	nb    xor.Neighbors
	masks map[int]bool
}

// The profiles of random laws agree with the definition, for every kind of neighbors and ε from 0 to above the
// smallest.
func TestProfileAgainstDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	for trial, shape := range [][2]int{{1, 1}, {1, 2}, {2, 1}, {2, 2}, {1, 5}, {5, 1}, {3, 2}, {3, 3}} {
		n, p := shape[0], shape[1]
		scale := []float64{1, 30, 1e-6, 4}[trial%4]
		b := randomLaw(t, n, p, scale, rng)
		e := exponents(b)
		cases := []profileCase{{xor.FlipBits(1), bitMasks(n*p, 1)}, {xor.FlipBits(2), bitMasks(n*p, 2)}, {xor.FlipRows(1), rowMasks(n, p)}}
		if n*p < 9 {
			cases = append(cases, profileCase{xor.FlipRows(n), bitMasks(n*p, n*p)})
		}
		if n == p && n > 1 {
			cases = append(cases, profileCase{xor.FlipEdges(1), edgeMasks(n)})
		}
		for i, c := range cases {
			curve := must.Be(b.Under(c.nb, xor.LossOptions{}))
			top := must.Be(curve.Loss(ctx)).Hi
			for _, share := range []float64{0, 1e-3, .3, .9, .999999, 1.5} {
				eps := evidencetest.Epsilon(share * top)
				got := must.Be(curve.Delta(ctx, eps))
				lo, hi := got.Bounds()
				want := hockey(e, c.masks, eps)
				slack := 1e-13 * (1 + scale) // rounding of the exponents, which are float64 sums
				if !(lo <= want+slack && want <= hi+slack) || hi-lo > 1e-14 {
					t.Errorf("law %d, neighbors %d, ε = %v of %v: δ in [%v, %v], want %v", trial, i, eps, top, lo, hi, want)
				}
			}
			got := must.Be(curve.Epsilon(ctx, evidencetest.Delta(.01)))
			lo, hi := got.Bounds()
			if v := hockey(e, c.masks, evidencetest.Epsilon(hi)); v > .01+1e-12 {
				t.Errorf("law %d, neighbors %d: upper bound %v on ε(.01), where δ = %v", trial, i, hi, v)
			}
			if v := hockey(e, c.masks, evidencetest.Epsilon(lo)); lo > 0 && v < .01-1e-12 {
				t.Errorf("law %d, neighbors %d: lower bound %v on ε(.01), where δ = %v", trial, i, lo, v)
			}
		}
	}
}

// Above 16 bits δ follows from the smallest ε. Under rejects more than one row at once.
func TestProfileOfManyBits(t *testing.T) {
	b := must.Be(xor.NewUniform(40, 30, 1, .01))
	curve := must.Be(b.Under(xor.FlipBits(2), xor.LossOptions{}))
	got := must.Be(curve.Delta(ctx, evidencetest.Epsilon(.5)))
	lo, hi := got.Bounds()
	if lo != 0 || !(hi > .5 && hi < 1) {
		t.Errorf("δ in [%v, %v]", lo, hi)
	}
	if _, err := b.Under(xor.FlipRows(2), xor.LossOptions{}); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("two rows give %v", err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	small := must.Be(randomLaw(t, 2, 3, 1, rand.New(rand.NewPCG(1, 1))).Under(xor.FlipBits(1), xor.LossOptions{}))
	if _, err := small.Delta(ended, evidencetest.Epsilon(.1)); !errors.Is(err, context.Canceled) {
		t.Errorf("δ with a cancelled context: error %v", err)
	}
	if _, err := new(xor.Privacy).Delta(ctx, evidencetest.Epsilon(1)); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("no law: %v", err)
	}
}

// The certified ε of an allocation encloses αε/(s√P) at the exact ε, by every method.
func TestAllocationOfLogarithms(t *testing.T) {
	for _, c := range []struct {
		n, p, s int
		alpha   float64
	}{{1, 1, 1, 1}, {2, 1, 1, .3}, {3, 2, 2, 1. / 3}, {2, 3, 1, 0}, {4, 2, 3, .7}} {
		for _, q := range []*big.Rat{big.NewRat(3, 1), big.NewRat(10, 9), big.NewRat(1_000_003, 1_000_000)} {
			eps := must.Be(evidence.LogEpsilon("eps", q))
			b := must.Be(xor.Allocate(xor.Budget{N: c.n, P: c.p, Epsilon: eps, Alpha: c.alpha, Sensitivity: float64(c.s)}))
			// One bit has the loss θ + 2λ(N − 1) if λ ≥ 0.
			meant := eps.Enclosure().Quo(interval.Int(int64(c.s)).Mul(interval.Int(int64(c.p)).Sqrt()))
			alpha := interval.Float(c.alpha)
			want := meant.Mul(alpha)
			if c.n > 1 {
				rest := interval.Int(1).Sub(alpha)
				want = want.Add(meant.Mul(rest).Mul(interval.Int(4)).Quo(interval.Int(int64(c.n))))
			}
			lo, hi := want.Bounds()
			for _, general := range []bool{false, true} {
				got, units := must.Be(smallest(ctx, b, xor.FlipBits(1), xor.LossOptions{General: general})), 40.
				if general {
					units = 200
				}
				if got.Lo > lo || got.Hi < hi || got.Hi-got.Lo > units*0x1p-53*hi {
					t.Errorf("%+v, ε = %v, general %t: [%v, %v], want it to contain [%v, %v]", c, eps, general, got.Lo, got.Hi, lo, hi)
				}
			}
		}
	}
}

// Here e^ε = 2, the prior is .01, and the release is randomised response.
func TestEdgeLeakage(t *testing.T) {
	eps, odds := must.Be(evidence.LogEpsilon("eps", big.NewRat(2, 1))), .01/.99
	right := must.Be(xor.EdgeLeakage(eps, odds))
	// Randomised response answers "no edge" with probability 2/3 if there is none and 1/3 if there is one.
	posterior := .99 * 2 / 3 / (.99*2/3 + .01/3)
	if math.Abs(right.Float()-posterior) > 1e-12 {
		t.Errorf("%v, attained %v", right.Float(), posterior)
	}
	for _, bad := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, err := xor.EdgeLeakage(evidencetest.Epsilon(1), bad); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%v gives %v", bad, err)
		}
	}
}

// The δ of an enumerated law is at most what its largest loss implies, also for ε near that loss.
func TestDeltaBelowTheLargestLoss(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 13))
	for range 20 {
		b := must.Be(xor.NewBernoulli([][]float64{{rng.NormFloat64(), 0.25}, {0.25, rng.NormFloat64()}}, nil, 2))
		p := must.Be(b.Under(xor.FlipBits(1), xor.LossOptions{}))
		pure := must.Be(p.Epsilon(t.Context(), evidence.Delta{}))
		for _, share := range []float64{0.3, 0.999999, 1 - 1e-12, 1 - 0x1p-52, 1, 1 + 0x1p-52, 1.5} {
			eps := must.Be(evidence.NewEpsilon("eps", pure.Float()*share))
			d := must.Be(p.Delta(t.Context(), eps))
			lo, hi := d.Bounds()
			if _, most := privacy.PureDelta(pure, eps, "").Bounds(); !(0 <= lo && lo <= hi && hi <= most) {
				t.Errorf("δ at %v of %v is [%v, %v], at most %v", share, pure, lo, hi, most)
			}
		}
	}
}
