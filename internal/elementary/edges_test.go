package elementary

import (
	"math"
	"math/big"
	"math/rand/v2"
	"sync"
	"testing"

	"dpworkbench/interval"
)

// At and next to the largest argument with a finite exponential, Exp is finite and as accurate as elsewhere. Above
// it, Exp is +Inf.
func TestExpLimits(t *testing.T) {
	for _, x := range []float64{709, math.Nextafter(709, 0), 708.99, -700, math.Nextafter(-700, 0), math.Nextafter(-700, -800)} {
		if units := off(Exp(x), interval.Float(x).Exp()); !(units <= 2) {
			t.Errorf("Exp(%v) = %v is off by %g units", x, Exp(x), units)
		}
	}
	if v := Exp(math.Nextafter(709, 710)); !math.IsInf(v, 1) {
		t.Errorf("Exp above 709: %v", v)
	}
	if a, b := Exp(-746), Exp(math.Nextafter(-746, -800)); a > 0x1p-1070 || b != 0 {
		t.Errorf("Exp(-746) = %v and below %v", a, b)
	}
}

// The polynomial of a cell is computed once, and concurrent callers all get the same one.
func TestCellsAreCached(t *testing.T) {
	for _, n := range []int{0, 7, len(cells) - 1} {
		first := cell(n)
		var wait sync.WaitGroup
		for range 4 {
			wait.Go(func() {
				if got := cell(n); got != first || *got != *first {
					t.Errorf("cell %d is computed again", n)
				}
			})
		}
		wait.Wait()
	}
}

// The high parts of the tables are multiples of 2⁻⁴⁰, so products with 13-bit integers are exact. The low parts are
// the remainders, at most 2⁻⁴⁰.
func TestTablePrecision(t *testing.T) {
	part := func(what string, hi, lo float64) {
		if v := math.Ldexp(hi, 40); v != math.Trunc(v) || math.Abs(lo) > 0x1p-40 {
			t.Errorf("%s = %v + %v", what, hi, lo)
		}
	}
	logs, exps := logOf(), expOf()
	finer := 0 // low parts above 2⁻⁴¹
	for i := range logs.hi {
		part("a logarithm", logs.hi[i], logs.lo[i])
		if math.Abs(logs.lo[i]) > 0x1p-41 {
			finer++
		}
	}
	part("ln 2", logs.ln2, logs.ln2Lo)
	part("a step", exps.stepHi, exps.stepLo)
	if finer == 0 {
		t.Error("the high parts are multiples of 2^-41")
	}
	q := halfPi()
	for _, c := range []struct {
		v    float64
		bits int
	}{{q.a, 31}, {q.b, 62}} {
		if v := math.Ldexp(c.v, c.bits); v != math.Trunc(v) || math.Abs(v) >= 1<<32 {
			t.Errorf("a part %v of π/2 has more than %d bits", c.v, c.bits)
		}
	}
}

// Near odd multiples of π/4, where the low part of the angle matters most, four cosines in five round correctly.
func TestCosinesAreMostlyNearest(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	number := func(v float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(v) }
	half, _ := new(big.Float).SetPrec(200).SetString("1.57079632679489661923132169163975144209858469968755291048747229615390820314310449931401741267105853399107404326")
	n, missed := 0, 0
	for range 20000 {
		x := MaxAngle * (2*rng.Float64() - 1)
		quarters := math.Round(x / (math.Pi / 2))
		rest := number(x)
		rest.Sub(rest, new(big.Float).Mul(half, number(quarters)))
		if r, _ := rest.Float64(); math.Abs(r) < 0.65 {
			continue
		}
		square, term, sum := new(big.Float).Mul(rest, rest), number(1), number(1)
		for m := 1; m < 16; m++ {
			term.Mul(term, square)
			term.Quo(term, number(float64(-2*m*(2*m-1))))
			sum.Add(sum, term)
		}
		want, _ := sum.Float64()
		sin, cos := Sincos(x)
		got := math.Abs(cos)
		if int(quarters)&1 == 1 {
			got = math.Abs(sin)
		}
		if n++; got != want {
			missed++
		}
	}
	if n < 3000 || missed*1000 > 222*n {
		t.Errorf("%d of %d cosines are not correctly rounded", missed, n)
	}
}

// Log is right for subnormal arguments, at 0 and at +Inf, and NaN for arguments without a logarithm.
func TestLogAtTheEnds(t *testing.T) {
	for x, want := range map[float64]float64{0: math.Inf(-1), math.Inf(1): math.Inf(1), math.MaxFloat64: math.Log(math.MaxFloat64), 0x1p-1022: math.Log(0x1p-1022), 0x1p-1060: -1060 * math.Ln2, 0x1p-1074: -1074 * math.Ln2} {
		if got := Log(x); got != want && !(math.Abs(got-want) <= 0x1p-50*math.Abs(want)) {
			t.Errorf("ln %g is %v, want %v", x, got, want)
		}
	}
	for _, x := range []float64{-1, math.NaN()} {
		if got := Log(x); got == got {
			t.Errorf("ln %g is %v, want NaN", x, got)
		}
	}
}
