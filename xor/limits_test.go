package xor

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// Too many associated bits are refused before they are visited.
func TestTooManyAssociatedBits(t *testing.T) {
	b := &Bernoulli{n: 1 << 20, p: 1 << 20, theta: []float64{}, coupled: make([]int, 257)}
	if _, err := b.components(context.Background()); !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), "257 associated objects of 1048576 bits, want at most 268435456 bits") {
		t.Errorf("2²⁸ + 2²⁰ associated bits give %v", err)
	}
}

// The error of an enumeration is that of the longest product and the largest class.
func TestRelativeErrorOfEnumeration(t *testing.T) {
	for d := 1; d <= 14; d++ {
		rows := make([][]float64, d)
		for k := range rows {
			rows[k] = make([]float64, d)
		}
		s := must.Be(newSplit(make([]float64, d), rows, lowBits))
		low := min(d, lowBits)
		class := new(big.Int).Binomial(int64(low), int64(low/2)).Int64()
		least := float64(d*(d+1)+2*(d-low)+int(class)-1) * unit
		if got := s.relative(); got < least || got > 2*least+40*unit {
			t.Errorf("%d bits: relative error %v, want %v or a little more", d, got, least)
		}
	}
}

// A rate is on the right side of the mean's ends, divided.
func TestErrorRateDividesOutward(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 81))
	b := dyadicLaw(rng, 2, 2, 1, 1)
	if b.cols != nil {
		t.Fatal("a closed form")
	}
	for range 200 {
		v := 1e-3 * rng.Float64()
		b.answers.Store(&answer{ones: evidence.Certified{Lo: v, Hi: v}, zeros: evidence.Certified{Lo: v, Hi: v}})
		for _, ones := range []int{0, 1, 3, 7, 1<<53 + 1, 1<<62 + 1} {
			d := big.NewRat(int64(ones), 1)
			if ones == 0 {
				d.SetInt64(4)
			}
			want := new(big.Rat).Quo(rat(v), d)
			got := must.Be(b.ErrorRate(context.Background(), ones, Variant(ones%2 == 0)))
			holds(t, "a rate", got.Lo, got.Hi, want, want, 8)
		}
	}
}

// Long columns of mixed signs lose what the best number of bits does, in each as many.
func TestLossOfVeryLongColumns(t *testing.T) {
	for _, c := range []*Columns{{n: 1 << 23, p: 1, theta: -1, lambda: 1e-7}, {n: 1 << 23, p: 1, theta: 1, lambda: -1e-7}, {n: 1 << 23, p: 2, theta: -1e-3, lambda: 1e-7}, {n: 1 << 23, p: 1, theta: -1, lambda: 1e-9}, {n: 1 << 23, p: 1, theta: 1, lambda: -1e-320}} {
		for _, s := range []int{1 << 22, 6 << 20} {
			each := min(s/c.p, c.n)
			best := c.loss(each)
			for t := 1; t <= each; t += 997 {
				best = math.Max(best, c.loss(t))
			}
			best *= float64(c.p)
			if got := c.LossAnywhere(s); math.Abs(got.Lo-best) > 1e-6*best || math.Abs(got.Hi-best) > 1e-6*best || got.Lo > got.Hi {
				t.Errorf("%d × %d, θ = %v, λ = %v, %d bits: [%v, %v], want %v", c.n, c.p, c.theta, c.lambda, s, got.Lo, got.Hi, best)
			}
		}
	}
}

// Readings that no bound survives leave the logarithm open above, and say so.
func TestLogOnePlusOfAnything(t *testing.T) {
	for _, e := range []int64{-30, -1} {
		lo, hi := logOnePlus(scaledFloat{.75, e}, 0, 701, 701)
		want := interval.Float(math.Ldexp(.75, int(e))).Mul(interval.Int(701).Exp()).Add(interval.Int(1)).Log().Mid()
		if lo != 0 || hi < want {
			t.Errorf("exponent %d: [%v, %v], want %v inside", e, lo, hi, want)
		}
	}
}

// Searches complete within the work that they took when this was written, and a tenth
// more: their bounds leave out what they did then.
func TestSearchesStayShort(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 82))
	for trial, want := range []float64{92536, 2084, 182, 6173} {
		b := dyadicLaw(rng, 3, 4, 1, []float64{1, 1, .6, .8}[trial])
		nb := []Neighbors{FlipBits(6), FlipRows(1), FlipBits(5), FlipBits(12)}[trial]
		took := func(work float64) bool {
			return must.Be(must.Be(b.Under(nb, LossOptions{General: true, Work: work})).Loss(context.Background())).Complete
		}
		lo, hi := 1., 1e7
		for hi/lo > 1.01 {
			if mid := math.Sqrt(lo * hi); took(mid) {
				hi = mid
			} else {
				lo = mid
			}
		}
		if hi > want*1.1 {
			t.Errorf("law %d: a search takes %.0f multiplications, want %.0f", trial, hi, want)
		}
	}
}

// A search that may do nothing still names a pattern of all the bits, and bounds its loss from above.
func TestNoWork(t *testing.T) {
	b := must.For(NewBernoulli([][]float64{{1, .5, 0}, {.5, -1, .2}, {0, .2, .3}}, nil, 1))(t)
	for _, work := range []float64{-1, 1e9} {
		s := &lossSearch{law: b, ctx: t.Context(), work: work}
		c := must.For(s.coupling([]int{0, 1, 2}))(t)
		got := must.For(c.whole([]int{0, 1, 2}))(t)
		if s.gaveUp != (work < 0) || len(got.flip.Bits) != 3 || got.most < got.value || math.IsInf(got.most, 0) {
			t.Errorf("work %g: gave up %v, %d bits, between %g and %g", work, s.gaveUp, len(got.flip.Bits), got.value, got.most)
		}
	}
}

// Shapes that no law has are refused where a budget is divided, with the shape.
func TestBudgetsOfShapesBeyondAll(t *testing.T) {
	eps := must.Be(evidence.NewEpsilon("eps", 2))
	for _, shape := range [][2]int{{1 << 31, 1}, {1, 1 << 31}, {1 << 32, 1 << 32}} {
		u := Budget{shape[0], shape[1], eps, .5, 2}
		for what, err := range map[string]error{
			"allocated": second(Allocate(u)), "divided": second(Divide(u, 1, 1)),
			"optimised": second(OptimizeAlpha(t.Context(), AlphaProblem{N: u.N, P: u.P, Epsilon: eps, Sensitivity: 2, Privacy: ClaimedPrivacy})),
		} {
			if !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), "want at most 2³¹ − 1 either way") {
				t.Errorf("%v %s: %v", shape, what, err)
			}
		}
	}
}
