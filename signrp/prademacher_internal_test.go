package signrp

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
)

// P₊ on a lattice is exact and reports the number of cases, also for limits beyond the sum.
func TestCountsOnTheLattice(t *testing.T) {
	ctx := t.Context()
	// Of the eight patterns ±1 ±1 ±3, two are within 1: ±(1 + 1 − 3).
	for limit, inside := range map[int64]int64{0: 0, 1: 2, 2: 2, 3: 6, 4: 6, 5: 8, math.MaxInt64: 8} {
		n, err := exactOnLattice(ctx, []group{{1, 2}, {3, 1}}, big.NewInt(limit))
		if e, ok := n.(evidence.Exact); err != nil || !ok || e.Value.Cmp(big.NewRat(inside, 8)) != 0 || e.Cases != 3*2 {
			t.Errorf("sizes 1, 1 and 3 within %d: %v of %v cases, error %v, want %d of 8", limit, n, e.Cases, err, inside)
		}
	}
	huge := new(big.Int).Lsh(big.NewInt(1), 70)
	if n, err := exactOnLattice(ctx, []group{{5, 3}}, huge); err != nil || n.Float() != 1 {
		t.Errorf("limit 2⁷⁰: %v, %v", n, err)
	}
	if n, err := exactOnLattice(ctx, nil, big.NewInt(0)); err != nil || n.Float() != 1 || n.(evidence.Exact).Cases != 1 {
		t.Errorf("no sizes: %v, %v", n, err)
	}
}

func TestRademacherPPlusAgainstAllSigns(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	ctx := context.Background()
	for trial := range 60 {
		p := 1 + rng.IntN(10)
		if trial < 3 {
			p = 14
		}
		u := make([]float64, p)
		for i := range u {
			switch trial % 4 {
			case 0: // a lattice with ties at β
				u[i] = float64(rng.IntN(21)-10) / 10
			case 1:
				u[i] = 2*rng.Float64() - 1
			case 2:
				u[i] = []float64{0.5, -0.5, 0.25, 0}[rng.IntN(4)]
			default:
				u[i] = (2*rng.Float64() - 1) * math.Pow(10, -float64(rng.IntN(6)))
			}
		}
		beta := []float64{0.1, 0.5, 1, 1.7, rng.Float64() + 0.01}[rng.IntN(5)]
		want := ExhaustivePPlus(u, beta)
		got := must.Be(RademacherPPlus(ctx, u, beta))
		exact, ok := got.(evidence.Exact)
		if !ok || exact.Value.Cmp(want) != 0 {
			t.Errorf("u = %v, beta = %v: %v, want %v", u, beta, got, want)
		}
		rounded := must.Be(roundedPPlus(ctx, u, beta, 1<<18))
		if lo, hi := rounded.Bounds(); lo > exact.Float()+1e-15 || hi < exact.Float()-1e-15 {
			t.Errorf("u = %v, beta = %v: rounded to [%v, %v], want %v", u, beta, lo, hi, exact.Float())
		}
	}
}

// Three exact or certified algorithms for P₊ agree where all of them apply, for more coordinates than can be
// enumerated. The interval of the rounding algorithm is narrow.
func TestRademacherPPlusRoutesAgree(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(4, 4))
	u := make([]float64, 34)
	for i := range u {
		u[i] = float64(rng.IntN(2001)-1000) / 1000
	}
	sizes, limit := commonLattice(u, 0.8)
	groups, _, ok := smallGroups(sizes)
	if !ok {
		t.Fatal("no lattice")
	}
	a := must.Be(exactOnLattice(ctx, groups, limit))
	b, _, err := exactByHalves(ctx, sizes, limit)
	if err != nil {
		t.Fatal(err)
	}
	if a.(evidence.Exact).Value.Cmp(b.(evidence.Exact).Value) != 0 {
		t.Errorf("lattice %v, halves %v", a, b)
	}
	c := must.Be(roundedPPlus(ctx, u, 0.8, 1<<24))
	if lo, hi := c.Bounds(); lo > a.Float() || hi < a.Float() || hi-lo > 0.01 {
		t.Errorf("rounded to [%v, %v], want %v", lo, hi, a.Float())
	}
	long := RandomVector(rng, 1000)
	start := time.Now()
	d := must.Be(RademacherPPlus(ctx, long, 1))
	if lo, hi := d.Bounds(); d.Kind() != evidence.KindCertified || hi-lo > 0.005 {
		t.Errorf("p = 1000: [%v, %v] %s", lo, hi, d.Kind())
	}
	t.Logf("p = 1000: %v in %v", d, time.Since(start))
}
