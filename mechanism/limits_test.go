package mechanism_test

import (
	"context"
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
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
			levels, err := mechanism.NewLevels(context.Background(), q, []int32{0, c.deepest + over, 0, 1})
			if err != nil {
				t.Fatal(err)
			}
			m := mechanism.NewLeveled("deep", levels, ln(t, c.num, c.den), evidence.Claimed{Value: 9})
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
	levels, err := mechanism.NewLevels(ctx, pathQuery(t, 3), []int32{0, 1, 2, 1, 0, 1, 3, 1, 0})
	if err != nil {
		t.Fatal(err)
	}
	m := mechanism.NewLeveled("levels", levels, ln(t, 5, 2), evidence.Claimed{Value: 9})
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
