package mvg

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/symmetric"
	"dpworkbench/interval"

	"gonum.org/v1/gonum/mat"
)

// What one record moves is enclosed for every P and Q that the computed ones stand for, and as the
// roundings of both ask for: of a bound on λ_max(tP + Q/t), half its square.
func TestCrossedModesAllowForInverses(t *testing.T) {
	p, q := mat.NewSymDense(3, []float64{1, 0.25, 0, 0.25, 0.5, 0, 0, 0, 0.25}), mat.NewSymDense(3, []float64{0.5, 0, 0, 0, 1, 0.125, 0, 0.125, 0.5})
	const trP, trQ, top, low = 1.75, 2.0, 3.0, 0.7
	for _, at := range []float64{0.25, 1, 8} {
		for _, off := range [][2]float64{{0, 0}, {1e-3, 0}, {0, 1e-3}, {1e-9, 1e-6}} {
			lo, hi := crossedEnds(top, at, low, p, q, off[0], off[1])
			over := at*off[0] + off[1]/at + 12*unit*(at*trP+trQ/at) // twice 3·tr, in units
			want := (top + over) * (top + over) / 4
			if math.Abs(hi-want) > 8*unit*want {
				t.Errorf("t = %v, off by %v: up to %v, want %v", at, off, hi, want)
			}
			if want := low - off[0] - off[1] - 2*17*3*unit*(trP+trQ); math.Abs(lo-want) > 4*unit*want {
				t.Errorf("t = %v, off by %v: from %v, want %v", at, off, lo, want)
			}
		}
	}
	if lo, _ := crossedEnds(top, 1, 1e-9, p, q, 1e-3, 1e-3); lo != 0 {
		t.Errorf("from %v, want 0", lo)
	}
}

// Determinants are held by both ends, the lower first, and by more digits where asked for.
func TestDeterminantsInRationals(t *testing.T) {
	rng := rand.New(rand.NewPCG(141, 2))
	for range 40 {
		x, z := math.Exp(3*rng.NormFloat64()), math.Exp(3*rng.NormFloat64())
		y := math.Sqrt(x*z) * (1 - math.Exp(-12*rng.Float64()))
		c := ok(NewDense(mat.NewSymDense(2, []float64{x, y, y, z})))
		want := new(big.Rat).Sub(new(big.Rat).Mul(ratOf(x), ratOf(z)), new(big.Rat).Mul(ratOf(y), ratOf(y)))
		last := math.Inf(1)
		for _, bits := range []int{0, 100, 200} {
			lo, hi, err := c.det(bits, 300)
			if err != nil {
				t.Fatal(err)
			}
			least, _ := lo.Rat(nil)
			most, _ := hi.Rat(nil)
			if least.Cmp(want) > 0 || most.Cmp(want) < 0 || least.Cmp(most) >= 0 {
				t.Errorf("determinant from %v to %v, want %v", lo, hi, want)
			}
			width, _ := new(big.Rat).Quo(most.Sub(most, least), want).Float64()
			if bits > 0 && width > math.Ldexp(1, 8-bits) || width > last {
				t.Errorf("a determinant to %d bits is %v wide, %v before", bits, width, last)
			}
			last = width
		}
	}
}

// What is withheld adds less than a part in 10¹⁰ to the information, whatever that is.
func TestWithheldIsNegligible(t *testing.T) {
	for _, value := range []float64{1e-6, 1, 1e6} {
		for _, columns := range []float64{1, 7} {
			o := of33columns()
			o.goal = Goal{Objective: MostInformation, Weights: []float64{2, 3, 4}}
			o.columns = columns
			all := []float64{1, 1, 1}
			part := func(i int, share float64) float64 { return math.Expm1(share*1e-10*value/columns) / o.goal.Weights[i] }
			out := &Optimum{Precisions: []float64{part(0, 0.9), part(1, 1.1), part(2, 50)}}
			if !o.withhold(out, all, value) || out.Precisions[0] != 0 || out.Precisions[1] == 0 || out.Precisions[2] == 0 {
				t.Errorf("value %v of %v columns: precisions %v", value, columns, out.Precisions)
			}
			if out = (&Optimum{Precisions: []float64{1, 1, 1}}); o.withhold(out, all, value) {
				t.Errorf("value %v: withheld %v", value, out.Precisions)
			}
			if out = (&Optimum{Precisions: []float64{1, 1, 1}}); !o.withhold(out, []float64{1, 0, 1}, value) || out.Precisions[1] != 0 || out.Precisions[0] != 1 {
				t.Errorf("value %v: withheld %v of a precision that is 0", value, out.Precisions)
			}
		}
	}
}

// The ends of an optimum are moved outward by the readings, said to be apart above a millionth, and
// no number, or none at all, is an error.
func TestEndsOfOptima(t *testing.T) {
	o := of33columns()
	for _, objective := range []Objective{LeastError, MostInformation} {
		o.goal.Objective = objective
		between := func(lo, hi float64) (evidence.Certified, error) {
			low, high := interval.Float(lo), interval.Float(hi)
			if objective == LeastError {
				low, high = high, low
			}
			return o.between(low, high, "a method")
		}
		for _, size := range []float64{1e-200, 1, 1e200} {
			for gap, apart := range map[float64]bool{0: false, 0.99e-6: false, 1.01e-6: true, 0.5: true} {
				v, err := between(size*(1-gap), size)
				if err != nil || strings.Contains(v.Method, "apart") != apart {
					t.Errorf("a gap of %v at %v: method %q, error %v", gap, size, v.Method, err)
				}
				if v.Lo != size*(1-gap)*(1-readings) || v.Hi != size*(1+readings) {
					t.Errorf("a gap of %v at %v: %v to %v", gap, size, v.Lo, v.Hi)
				}
			}
		}
		for _, ends := range [][2]float64{{2, 1}, {0, 0}, {-1, 1}, {1, math.Inf(1)}} {
			if math.IsInf(ends[1], 1) {
				ends[1] = math.MaxFloat64
			}
			if v, err := between(ends[0], ends[1]); err == nil || v != (evidence.Certified{}) || !strings.Contains(err.Error(), "the optimum is from ") {
				t.Errorf("from %v to %v: %v, error %v", ends[0], ends[1], v, err)
			}
		}
	}
}

// A ceiling of shares is above each share's upper end.
func TestCeilingsOfShares(t *testing.T) {
	third := func(k int64) interval.Interval { return interval.Int(k).Quo(interval.Int(3)) }
	s := &shares{geodesic: &geodesic{diagonal: true}, frame: &frame{charges: []interval.Interval{interval.Int(7), interval.Int(1), interval.Int(11)}}}
	s.rows = symmetric.Diagonal([]interval.Interval{third(70), third(40), third(50)})
	got := ok(s.ceiling())
	v, _ := s.rows.At(1, 1)
	if got.CmpLo(got.Upper()) != 0 || got.CmpHi(v.Upper()) < 0 || !got.Sub(third(40)).Less(interval.Float(1e-60)) {
		t.Errorf("ceiling %v, want %v", got, third(40))
	}
	s.rows = symmetric.Exactly(mat.NewDense(3, 3, []float64{1, 0, 0, 0, math.NaN(), 0, 0, 0, 1}))
	if got, err := s.ceiling(); err == nil {
		t.Errorf("an unknown share has the ceiling %v", got)
	}
	for _, v := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if got, err := upperEnd(v); err == nil {
			t.Errorf("%v is an upper end: %v", v, got)
		}
	}
}
