package mechanism_test

import (
	"context"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/mechanism"
)

// rough is a mechanism whose logarithms in float64 are off by as much as it admits, up and
// down as its bits say.
type rough struct {
	mechanism.Mechanism
	off  float64
	bits uint64
}

func (r rough) LogProb(x, v int) float64 {
	if r.bits>>uint((7*x+v)%64)&1 == 1 {
		return r.Mechanism.LogProb(x, v) + r.off
	}
	return r.Mechanism.LogProb(x, v) - r.off
}
func (r rough) LogError() float64 { return r.Mechanism.LogError() + r.off }

// Whatever float64 says within the error that is admitted, the smallest ε and the profile are
// those of the definitions, in rational numbers.
func TestRoughLogarithms(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(20, 1))
	for range 60 {
		q := pathQuery(t, 4)
		rows := make([][]*big.Rat, 4)
		for x := range rows { // near each other, so that many losses are nearly the largest
			w, sum := make([]int64, 4), int64(0)
			for v := range w {
				w[v] = 100 + r.Int64N(8) + 100*int64((x+v)%2)
				sum += w[v]
			}
			for _, v := range w {
				rows[x] = append(rows[x], big.NewRat(v, sum))
			}
		}
		m, err := mechanism.NewFinite(ctx, q, rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		w := big.NewRat(101+r.Int64N(90), 100)
		largest, delta := big.NewRat(1, 1), new(big.Rat)
		for x := range rows {
			for _, y := range []int{x - 1, x + 1} {
				if y < 0 || y > 3 {
					continue
				}
				sum := new(big.Rat)
				for v, p := range rows[x] {
					if ratio := new(big.Rat).Quo(p, rows[y][v]); ratio.Cmp(largest) > 0 {
						largest = ratio
					}
					if over := new(big.Rat).Sub(p, new(big.Rat).Mul(w, rows[y][v])); over.Sign() > 0 {
						sum.Add(sum, over)
					}
				}
				if sum.Cmp(delta) > 0 {
					delta = sum
				}
			}
		}
		at, err := evidence.LogEpsilon("eps", w)
		if err != nil {
			t.Fatal(err)
		}
		for _, off := range []float64{0, 1e-3, 0.02, 0.3, 4} {
			same := rough{m, off, r.Uint64()}
			loss, err := mechanism.Privacy(same).Epsilon(ctx, 0)
			if err != nil {
				t.Fatal(err)
			}
			if got, ok := loss.(evidence.ExactLog); !ok || got.Argument.Cmp(largest) != 0 {
				t.Fatalf("off by %g: smallest ε %v, want ln %v", off, loss, largest)
			}
			d, err := mechanism.Privacy(same).Delta(ctx, at)
			if err != nil {
				t.Fatal(err)
			}
			if lo, hi := d.Bounds(); new(big.Rat).SetFloat64(lo).Cmp(delta) > 0 || new(big.Rat).SetFloat64(hi).Cmp(delta) < 0 || hi-lo > 1e-15 {
				t.Fatalf("off by %g: δ(ln %v) in [%v, %v], want %v", off, w, lo, hi, delta)
			}
		}
	}
}
