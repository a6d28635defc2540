package mechanism_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/looks"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
)

// Probabilities are rationals up to 2¹⁸ bits of the deepest level's weight and enclosed
// beyond, in either case around the same number.
func TestRationalsUpToTheirBits(t *testing.T) {
	q := pathQuery(t, 2)
	for _, c := range []struct {
		num, den int64 // e^ε
		deepest  int32
	}{{2, 1, 1 << 17}, {3, 1, 1 << 17}, {3, 2, 1 << 17}, {4, 1, 1 << 18 / 3}, {255, 254, 1 << 15}, {256, 1, 1 << 18 / 9}} {
		for over := range int32(2) {
			levels, err := mechanism.NewLayerTable(context.Background(), q, []int32{0, c.deepest + over, 0, 1})
			if err != nil {
				t.Fatal(err)
			}
			m := mechanism.NewLayered("deep", levels, ln(t, c.num, c.den), evidence.Claimed{Value: 9})
			p, ok := m.Rational(1, 1)
			if ok != (over == 0) {
				t.Errorf("%d levels of ln(%d/%d): rational %t", c.deepest+over, c.num, c.den, ok)
			}
			want := big.NewRat(c.den, c.den+c.num)
			if ok && p.Cmp(want) != 0 {
				t.Errorf("%d levels of ln(%d/%d): %v, want %v", c.deepest+over, c.num, c.den, p, want)
			}
			if v, _ := want.Float64(); math.Abs(m.Enclose(1, 1).Mid()-v) > 1e-15 {
				t.Errorf("%d levels of ln(%d/%d): %v, want %v", c.deepest+over, c.num, c.den, m.Enclose(1, 1), v)
			}
		}
	}
}

// vague is a mechanism that says its float64s are off by so much, and gives any.
type vague struct {
	mechanism.Mechanism
	err, log float64
}

func (v vague) LogError() float64        { return v.err }
func (v vague) LogProb(x, r int) float64 { return v.log }

// Where float64 tells nothing, nor how little, the enclosures decide alone.
func TestVagueLogarithmsDecideNothing(t *testing.T) {
	ctx := context.Background()
	levels, err := mechanism.NewLayerTable(ctx, pathQuery(t, 3), []int32{0, 1, 2, 1, 0, 1, 3, 1, 0})
	if err != nil {
		t.Fatal(err)
	}
	m := mechanism.NewLayered("levels", levels, ln(t, 5, 2), evidence.Claimed{Value: 9})
	for _, e := range []evidence.Epsilon{{}, ln(t, 3, 2), ln(t, 100, 1)} {
		want, err := mechanism.Privacy(m).Delta(ctx, e)
		if err != nil {
			t.Fatal(err)
		}
		for _, off := range []float64{.06, 1, math.Inf(1), math.NaN()} {
			for _, log := range []float64{0, -1, -700} {
				got, err := mechanism.Privacy(vague{Mechanism: m, err: off, log: log}).Delta(ctx, e)
				if err != nil || evidence.Rational(got) != evidence.Rational(want) {
					t.Errorf("off by %g: δ(%v) = %v, %v, want %v", off, e, got, err, want)
				}
			}
		}
	}
}

// The weights of the derivative at 0 through nine points leave −ε of Σ c e^{−iε}, and
// ε⁹/9 at once: an enclosure of the sum is no point, however small ε is.
func TestSumsAllowForWhatIsLeftOut(t *testing.T) {
	s, harmonic := mechanism.ExpSum{}, new(big.Rat)
	for i := int64(1); i <= 8; i++ {
		c := new(big.Rat).SetFrac(new(big.Int).Binomial(8, i), big.NewInt(i))
		if harmonic.Add(harmonic, big.NewRat(1, i)); i%2 == 0 {
			c.Neg(c)
		}
		s = s.Add(mechanism.ExpTerm(c, big.NewRat(i, 1)))
	}
	s = s.Add(mechanism.ExpTerm(harmonic.Neg(harmonic), new(big.Rat)))
	for _, e := range []float64{0x1p-180, 0x1p-200, 0x1p-400} {
		got := s.Enclose(eps(t, e))
		lo, hi := got.Sub(interval.Float(-e)).Bounds()
		if !(lo <= 0 && hi > 0 && hi < e*0x1p-240) {
			t.Errorf("ε = %g: %v is −ε and [%g, %g] more, want more than nothing and hardly anything", e, got, lo, hi)
		}
	}
}

// 1 − cᵏ e^{−kε} at ε = ln c is 0, told as long as the power has no more than 2¹⁸ bits.
func TestZerosUpToTheirBits(t *testing.T) {
	for _, c := range []struct{ base, k int64 }{{2, 1 << 17}, {3, 1 << 17}, {5, 1 << 18 / 3}, {255, 1 << 15}} {
		for over := range int64(2) {
			k := c.k + over
			power := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(c.base), big.NewInt(k), nil))
			s := mechanism.ExpTerm(big.NewRat(1, 1), new(big.Rat)).Sub(mechanism.ExpTerm(power, big.NewRat(k, 1)))
			sign, err := s.Sign(ln(t, c.base, 1))
			if sign != 0 || (err == nil) != (over == 0) || over > 0 && !errors.Is(err, mechanism.ErrUndecided) {
				t.Errorf("1 − %d^%d e^(−%[2]dε): %d, %v", c.base, k, sign, err)
			}
		}
	}
}

// Of distortions that no enclosure tells apart the largest is found, whichever of their
// enclosures reaches higher.
func TestWorstOfDistortionsThatMeet(t *testing.T) {
	ctx, higher := context.Background(), 0
	for d := int64(5); d < 60; d += 3 {
		more := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 300))
		want := more.Add(more, big.NewRat(1, 3))
		near, far := big.NewRat(1, d), big.NewRat(1, 3)
		far.Sub(far, near).Quo(far, big.NewRat(2, 1)) // near + 2 far = 1/3
		rest := func(p ...*big.Rat) *big.Rat {
			v := big.NewRat(1, 1)
			for _, q := range p {
				v.Sub(v, q)
			}
			return v
		}
		zero := new(big.Rat)
		m, err := mechanism.NewFinite(ctx, pathQuery(t, 3), [][]*big.Rat{{rest(want), want, zero}, {zero, big.NewRat(1, 1), zero}, {far, near, rest(near, far)}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := mechanism.WorstDistortion(ctx, m); err != nil || evidence.Rational(got) != want.RatString() {
			t.Errorf("1/%d: the worst distortion is %v, %v, want %v", d, got, err, want)
		}
		two := interval.Rat(near).Add(interval.Rat(far).Mul(interval.Int(2)))
		if two.CmpHi(interval.Rat(want)) > 0 {
			higher++
		}
	}
	if higher == 0 {
		t.Error("no enclosure of the smaller distortion reaches higher")
	}
}

// A pair in float64 has the mass that only one of its datasets gives, and never none.
func TestRoughPairsKnowWhatIsSure(t *testing.T) {
	ctx := context.Background()
	tiny := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(400), nil))
	for _, sure := range []*big.Rat{big.NewRat(1, 4), big.NewRat(1, 1000), tiny} {
		rest := new(big.Rat).Sub(big.NewRat(1, 1), sure)
		m, err := mechanism.NewFinite(ctx, pathQuery(t, 2), [][]*big.Rat{{sure, rest}, {new(big.Rat), big.NewRat(1, 1)}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		f := mechanism.Pairs(m)
		want, _ := sure.Float64()
		found := 0.0
		for i := range f.Size {
			r := f.Rough(i)
			if r.Sure > 0 {
				found = r.Sure
			}
		}
		if !(found > 0) || math.Abs(found-want) > 1e-15 {
			t.Errorf("a mass of %g that one dataset gives is %g in float64", want, found)
		}
	}
}

// A release looks at its context before each 4096 draws.
func TestReleasesLookNowAndThen(t *testing.T) {
	m := build(t, "ladder", pathQuery(t, 3), ln(t, 3, 1))
	for n, want := range map[int]int{1: 1, 4096: 1, 4097: 2, 8192: 2, 8193: 3} {
		ctx := looks.After(t.Context(), math.MaxInt)
		if _, err := mechanism.Release(ctx, m, 1, n, rand.NewPCG(1, 1)); err != nil || ctx.Looks()-released(t, m) != want {
			t.Errorf("%d draws: %d looks, %v, want %d", n, ctx.Looks(), err, want)
		}
	}
}

// released counts the looks of a release of nothing.
func released(t *testing.T, m mechanism.Mechanism) int {
	ctx := looks.After(t.Context(), math.MaxInt)
	if _, err := mechanism.Release(ctx, m, 1, 0, rand.NewPCG(1, 1)); err != nil {
		t.Fatal(err)
	}
	return ctx.Looks()
}

// What is known within bounds alone has no exact release, and says so.
func TestEnclosedTablesAreNotReleased(t *testing.T) {
	half := interval.Between(.5-1e-9, .5+1e-9)
	m, err := mechanism.NewEnclosedTable(mechanism.Info{Name: "near", Query: pathQuery(t, 2)}, [][]interval.Interval{{half, half}, {half, half}}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, m := range map[string]mechanism.Mechanism{"near": m, "near, and vague": vague{Mechanism: m}} {
		if out, err := mechanism.Release(t.Context(), m, 0, 3, rand.NewPCG(1, 1)); out != nil || !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %v, %v", name, out, err)
		}
	}
}
