package sampling

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/interval"
)

// Logistic at many precisions is that of intervals, and 1 together with that of −x.
func TestLogistic(t *testing.T) {
	one := interval.Int(1)
	for _, x := range []float64{0, 5e-324, -5e-324, .1, -.1, 3, -3, 50, -50, 170, -170} {
		q := new(big.Rat).SetFloat64(x)
		for _, bits := range []int{0, 1, 64, 200, 1000, 5000} {
			lo, hi, err := Logistic(q).enclose(bits)
			if err != nil {
				t.Fatal(err)
			}
			e := interval.Float(x).Neg().Exp()
			want := one.Quo(one.Add(e))
			scale := new(big.Int).Lsh(big.NewInt(1), uint(bits))
			got := [2]interval.Interval{interval.Rat(new(big.Rat).SetFrac(lo, scale)), interval.Rat(new(big.Rat).SetFrac(hi, scale))}
			if want.Less(got[0]) || got[1].Less(want) {
				t.Errorf("logistic of %g at %d bits: [%s, %s] misses %v", x, bits, lo, hi, want)
			}
			a, b := Sum(Logistic(q), Logistic(new(big.Rat).Neg(q)))(bits)
			if a.Cmp(scale) > 0 || b.Cmp(scale) < 0 {
				t.Errorf("logistics of ±%g add up to [%s, %s] at %d bits", x, a, b, bits)
			}
		}
	}
	for _, x := range []float64{1e6, 1e300, -1e6, -1e300} {
		lo, hi, err := Logistic(new(big.Rat).SetFloat64(x)).enclose(500)
		whole := new(big.Int)
		if x > 0 {
			whole.Lsh(big.NewInt(1), 500)
		}
		if err != nil || lo.Cmp(whole) > 0 || hi.Cmp(whole) < 0 {
			t.Errorf("logistic of %g: [%s, %s], %v", x, lo, hi, err)
		}
	}
}

// A product of exponentials of numbers with sum 0 is 1, at any precision.
func TestExpOfManyBits(t *testing.T) {
	for _, bits := range []int{64, 1000, 20000, 150000} {
		x := Rat(big.NewRat(-5, 7))
		lo, hi, err := Exp(x).Mul(Exp(x.Neg())).enclose(bits)
		whole := new(big.Int).Lsh(big.NewInt(1), uint(bits))
		if err != nil || lo.Cmp(whole) > 0 || hi.Cmp(whole) < 0 {
			t.Errorf("%d bits: e^x·e^−x is off, %v", bits, err)
		}
	}
}

// The digits drawn first are kept, and those behind asked for where they decide.
func TestUniformAfter(t *testing.T) {
	half := Rat(big.NewRat(1, 2))
	src := rand.NewPCG(1, 2)
	for _, c := range []struct {
		first uint64
		more  []uint64
		want  bool
	}{{0, nil, true}, {1<<63 - 1, []uint64{math.MaxUint64 - 1}, true}, {1 << 63, []uint64{1}, false}, {1 << 63, nil, false}, {math.MaxUint64, nil, false}} {
		u := UniformAfter(src, c.first, c.more...)
		got, err := Less(u.Number(), half)
		if err != nil || got != c.want || u.First() != c.first {
			t.Errorf("%x, %x below a half: %t, %v", c.first, c.more, got, err)
		}
	}
	if _, err := Less(UniformAfter(zeros{}, 1<<63, 0).Number(), half); !errors.Is(err, ErrUndecided) {
		t.Errorf("a half below a half gives %v", err)
	}
}

// zeros is a source of zeros.
type zeros struct{}

func (zeros) Uint64() uint64 { return 0 }
