package gaussian

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// startMu returns a value near the root if a > 0, and nearer for larger a. The bounds proven from it are adjacent
// float64s.
func TestMuStartAndBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(115, 1))
	for range 1500 {
		eps, target := 1e-6*math.Exp(rng.Float64()*math.Log(1e9)), -rng.Float64()*690-0.7
		if rng.IntN(2) == 0 {
			target = -12*rng.Float64() - 0.7
		}
		mu := solveMu(eps, target)
		a := eps/mu - mu/2
		near := 0.45
		switch {
		case a > 10:
			near = 2e-5
		case a > 2:
			near = 2.6e-3
		case a > 0.5:
			near = 0.1
		}
		if off := math.Abs(math.Log(startMu(eps, target) / mu)); a > -0.4 && off > near {
			t.Errorf("ε = %v, ln δ = %v: the start is off by a factor e^%v, at a = %v", eps, target, off, a)
		}
		e := must.For(evidence.NewEpsilon("eps", eps))(t)
		ends, err := Mu(e, evidencetest.Delta(math.Exp(target)))
		if err != nil || !(ends.Lo <= ends.Hi && ends.Hi <= math.Nextafter(ends.Lo, math.Inf(1))) {
			t.Errorf("ε = %v, ln δ = %v: μ in %+v, error %v", eps, target, ends, err)
		}
	}
}

// From an inaccurate start, muNear encloses μ or fails. It never returns an interval without μ.
func TestMuFromPoorStarts(t *testing.T) {
	proven, failed := 0, 0
	for _, eps := range []float64{1e-9, 0.1, 1, 20, 1e6} {
		e := must.For(evidence.NewEpsilon("eps", eps))(t)
		for _, delta := range []float64{1e-200, 1e-9, 0.01, 0.4, 0.99} {
			want := must.For(muEnclosure(e, evidencetest.Delta(delta)))(t)
			for _, off := range []float64{1 - 1e-12, 1 + 1e-12, 1 - 1e-8, 1 + 1e-8, 1 - 1e-4, 1 + 1e-4, 1.1, 0.8, 10, 0.1} {
				switch got, err := muNear(e, evidencetest.Delta(delta), want.Mid()*off); {
				case err == nil && (want.Less(got) || got.Less(want)):
					t.Errorf("ε = %v, δ = %v, start off by %v: μ in %v, want %v", eps, delta, off-1, got, want)
				case err == nil:
					proven++
				case !errors.Is(err, errNotEnclosed) || got != (interval.Interval{}) || math.Abs(off-1) < 1e-7 && eps < 1e6:
					t.Errorf("ε = %v, δ = %v, start off by %v: %v, error %v", eps, delta, off-1, got, err)
				default:
					failed++
				}
			}
		}
	}
	if proven < 100 || failed < 50 {
		t.Errorf("%d starts lead to a μ and %d fail, want more of both", proven, failed)
	}
}

// From an inaccurate start, the quantile still contains the number whose tail was taken.
func TestQuantilesFromPoorStarts(t *testing.T) {
	for _, x := range []float64{0, 1e-9, 0.1, 1, 4, 12} {
		p := Tail(interval.Float(x)).Lower()
		for _, off := range []float64{0, 1e-12, 1e-9, 1e-6, 1e-3, 0.05, 0.3, -1e-12, -1e-9, -1e-6, -1e-3, -0.05, -0.3, 5, 100} {
			if x+off < 0 {
				continue
			}
			got := quantileNear(p, x+off)
			if got.Upper().Less(interval.Float(x)) || interval.Float(x+1e-15).Less(got.Lower()) {
				t.Errorf("the quantile of the tail at %v from %v is %v", x, x+off, got)
			}
			// A Newton step leaves the error times the change of the density over a radius of 64 times the error.
			if lo, hi := got.Sub(got.Lower()).Bounds(); math.Abs(off) < 1e-4 && hi-lo > 1e-13*(1+x)+200*(x+1)*off*off*64 {
				t.Errorf("the quantile of the tail at %v from %v is %v, wide", x, x+off, got)
			}
		}
	}
}

// The bound that ripple returns holds at every variance for which it is used.
func TestRippleBound(t *testing.T) {
	for _, square := range []float64{1, 1.25, 2, 4, 9, 16} {
		d := must.For(NewDiscrete(new(big.Rat).SetFloat64(square)))(t)
		sum := 0.0
		for j := 1.0; j < 9; j++ {
			sum += 2 * math.Exp(-2*math.Pi*math.Pi*square*j*j)
		}
		if lo, hi := d.ripple().Bounds(); lo < sum || hi > 2*math.Exp(-19*square)*2 {
			t.Errorf("σ² = %v: %v to %v, the sum is %v", square, lo, hi, sum)
		}
	}
}

// δ decreases in ε and increases in μ. So for wide intervals of both, the bounds of δ are those of Theorem 8 at the
// corners, in float64 to 1e-12.
func TestDeltaOfWideIntervals(t *testing.T) {
	delta := func(eps, mu float64) float64 {
		phi := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
		return phi(mu/2-eps/mu) - math.Exp(eps)*phi(-mu/2-eps/mu)
	}
	for _, eps := range [][2]float64{{1, 1}, {0.5, 1.5}, {0.25, 3}} {
		for _, mu := range [][2]float64{{1, 1}, {0.5, 0.75}, {1, 4}} {
			least := plain(interval.Float(mu[0]))
			most := least // deltaBetween compares least and most by ==
			if mu[1] > mu[0] {
				most = plain(interval.Float(mu[1]))
			}
			got := deltaBetween(interval.Between(eps[0], eps[1]), least, most)
			lo, hi := delta(eps[1], mu[0]), delta(eps[0], mu[1])
			if math.Abs(got.Lo-lo) > 1e-12 || math.Abs(got.Hi-hi) > 1e-12 {
				t.Errorf("ε in %v, μ in %v: δ in [%v, %v], want [%v, %v]", eps, mu, got.Lo, got.Hi, lo, hi)
			}
			if eps[0] != eps[1] {
				continue
			}
			e := must.For(evidence.NewEpsilon("eps", eps[0]))(t)
			if at := DeltaAt(e, interval.Between(mu[0], mu[1])); at.Lo != got.Lo || at.Hi != got.Hi {
				t.Errorf("ε = %v, μ in %v: δ in [%v, %v], want [%v, %v]", eps[0], mu, at.Lo, at.Hi, got.Lo, got.Hi)
			}
			for _, d := range []float64{1e-3, 1e-9} {
				at := must.For(EpsilonAt(evidencetest.Delta(d), interval.Between(mu[0], mu[1])))(t)
				if math.Abs(delta(at.Lo, mu[0])/d-1) > 1e-6 || math.Abs(delta(at.Hi, mu[1])/d-1) > 1e-6 {
					t.Errorf("δ = %v, μ in %v: ε in [%v, %v]", d, mu, at.Lo, at.Hi)
				}
			}
		}
	}
}

// If no upper bound can be proven, the result is an error.
func TestUnprovenBoundIsError(t *testing.T) {
	one, unknown := plain(interval.Int(1)), quotient{interval.Between(-1, 1e9), interval.Int(1)}
	statement := &EpsilonStatement{evidencetest.Delta(0.1), 1, 1}
	if got, err := stating(statement)(epsilonBetween(evidencetest.Delta(0.1), one, unknown)); !errors.Is(err, errNotEnclosed) || got != (evidence.Certified{}) {
		t.Errorf("with a statement: %v, error %v", got, err)
	}
	if got, err := stating(statement)(epsilonBetween(evidencetest.Delta(0.1), one, one)); err != nil || got.Hi != must.For(Epsilon(evidencetest.Delta(0.1), 1, 1))(t).Hi {
		t.Errorf("with a statement: %v, error %v", got, err)
	}
	if got, err := epsilonBetween(evidencetest.Delta(0.1), one, unknown); !errors.Is(err, errNotEnclosed) || got != (evidence.Certified{}) {
		t.Errorf("without a statement: %v, error %v", got, err)
	}
}
