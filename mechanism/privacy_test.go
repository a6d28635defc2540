package mechanism_test

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// The loss of equal laws is exactly ln 1, and a tiny loss keeps full precision. Cases counts every value and pair in
// both directions.
func TestSmallestEpsilonNearZero(t *testing.T) {
	ctx, q := t.Context(), pathQuery(t, 2)
	half := big.NewRat(1, 2)
	for bits := uint(10); bits < 200; bits += 7 {
		tiny := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), bits))
		rows := [][]*big.Rat{{new(big.Rat).Add(half, tiny), new(big.Rat).Sub(half, tiny)}, {half, half}}
		m := enclosed{must.For(mechanism.NewFinite(ctx, q, rows, evidence.Claimed{}))(t)}
		want := interval.Rat(new(big.Rat).Mul(big.NewRat(-2, 1), tiny)).Log1p().Neg() // ln ½/(½ − 2^−bits)
		lo, hi := must.For(mechanism.Privacy(m).Epsilon(ctx, evidence.Delta{}))(t).Bounds()
		if from, to := want.Bounds(); lo > to || hi < from || hi-lo > 1e-60+1e-15*hi {
			t.Errorf("2^−%d: smallest ε in [%v, %v], want %v", bits, lo, hi, want)
		}
	}
	for n := 2; n < 6; n++ {
		q := pathQuery(t, n)
		pairs := 0
		for x := range n {
			pairs += len(q.Space().Neighbors(x))
		}
		rows := make([][]*big.Rat, n)
		for x := range rows {
			rows[x] = slices.Repeat([]*big.Rat{big.NewRat(1, int64(n))}, n)
		}
		class := make([]int32, n)
		for _, m := range []mechanism.Mechanism{
			must.For(mechanism.NewRationalTable(mechanism.Info{Query: q}, rows, nil))(t),
			must.For(mechanism.NewRationalTable(mechanism.Info{Query: q}, rows[:1], class))(t), // all neighbors have equal laws
			mechanism.NewLayered("flat", must.For(mechanism.NewLayerTable(ctx, q, make([]int32, n*n)))(t), ln(t, 2, 1), evidence.Claimed{}),
		} {
			loss := must.For(mechanism.Privacy(m).Epsilon(ctx, evidence.Delta{}))(t)
			if e, ok := loss.(evidence.ExactLog); !ok || e.Argument == nil || e.Argument.Cmp(big.NewRat(1, 1)) != 0 || e.Cases != uint64(pairs*n) {
				t.Errorf("%d datasets with equal laws: smallest ε %v of %d cases, want 0 of %d", n, loss, e.Cases, pairs*n)
			}
			for _, at := range []evidence.Epsilon{{}, ln(t, 2, 1)} {
				if e, ok := must.For(mechanism.Privacy(m).Delta(ctx, at))(t).(evidence.Exact); !ok || e.Value.Sign() != 0 || e.Cases != uint64(pairs*n) {
					t.Errorf("%d datasets with equal laws: δ(%v) = %v of %d cases, want 0 of %d", n, at, e, e.Cases, pairs*n)
				}
			}
		}
	}
}

// rough is a mechanism whose float64 logarithms differ from those of Mechanism by off. A bit for each probability gives
// the direction.
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

// Smallest ε and profile match their definitions for any float64 logarithms within the stated error.
func TestPrivacyWithInaccurateLogarithms(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(20, 1))
	for range 60 {
		q := pathQuery(t, 4)
		rows := make([][]*big.Rat, 4)
		for x := range rows { // close to each other, so many losses are nearly the largest
			w, sum := make([]int64, 4), int64(0)
			for v := range w {
				w[v] = 100 + r.Int64N(8) + 100*int64((x+v)%2)
				sum += w[v]
			}
			for _, v := range w {
				rows[x] = append(rows[x], big.NewRat(v, sum))
			}
		}
		m := must.For(mechanism.NewFinite(ctx, q, rows, nil))(t)
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
		at := must.For(evidence.LogEpsilon("eps", w))(t)
		for _, off := range []float64{0, 1e-3, 0.02, 0.3, 4} {
			same := rough{m, off, r.Uint64()}
			loss := must.For(mechanism.Privacy(same).Epsilon(ctx, evidence.Delta{}))(t)
			if got, ok := loss.(evidence.ExactLog); !ok || got.Argument.Cmp(largest) != 0 {
				t.Fatalf("off by %g: smallest ε %v, want ln %v", off, loss, largest)
			}
			d := must.For(mechanism.Privacy(same).Delta(ctx, at))(t)
			if lo, hi := d.Bounds(); new(big.Rat).SetFloat64(lo).Cmp(delta) > 0 || new(big.Rat).SetFloat64(hi).Cmp(delta) < 0 || hi-lo > 1e-15 {
				t.Fatalf("off by %g: δ(ln %v) in [%v, %v], want %v", off, w, lo, hi, delta)
			}
		}
	}
}

// If only one of two neighbors outputs a value, the smallest ε is infinite and δ is the value's probability, for
// layers and tables, in both orders.
func TestInfiniteSmallestEpsilon(t *testing.T) {
	ctx := context.Background()
	q := pathQuery(t, 2)
	half := big.NewRat(1, 2)
	for _, swap := range []bool{false, true} {
		table := []int32{0, 0, 0, query.Unreached}
		rows := [][]*big.Rat{{half, half}, {big.NewRat(1, 1), new(big.Rat)}}
		if swap {
			table = []int32{0, query.Unreached, 0, 0}
			slices.Reverse(rows)
		}
		levels := must.For(mechanism.NewLayerTable(ctx, q, table))(t)
		finite := must.For(mechanism.NewFinite(ctx, q, rows, nil))(t)
		for _, m := range []mechanism.Mechanism{mechanism.NewLayered("levels", levels, eps(t, 1), evidence.Claimed{Value: 1}), finite} {
			loss, err := mechanism.Privacy(m).Epsilon(ctx, evidence.Delta{})
			expect(t, m.Name()+": smallest ε", loss, err, math.Inf(1), math.Inf(1), 0)
			for _, e := range []float64{1, 50} {
				d, err := mechanism.Privacy(m).Delta(ctx, eps(t, e))
				expect(t, m.Name()+": δ", d, err, 0.5, 0.5, 1e-15)
			}
			loss, err = mechanism.Privacy(m).Epsilon(ctx, evidencetest.Delta(0.4)) // less than the infinity mass
			expect(t, m.Name()+": ε(0.4)", loss, err, math.Inf(1), math.Inf(1), 0)
		}
	}
}

// Every bound on the privacy of a mechanism is an upper bound and prints its upper end, even if it is infinite or 0.
func TestPrivacyIsBoundedAbove(t *testing.T) {
	ctx, q := t.Context(), pathQuery(t, 2)
	const u = query.Unreached
	rat := func(num, den int64) *big.Rat { return big.NewRat(num, den) }
	table := must.For(mechanism.NewFinite(ctx, q, [][]*big.Rat{{rat(1, 3), rat(2, 3)}, {rat(2, 3), rat(1, 3)}}, nil))(t)
	holes := must.For(mechanism.NewFinite(ctx, q, [][]*big.Rat{{rat(1, 1), rat(0, 1)}, {rat(2, 3), rat(1, 3)}}, nil))(t)
	layers := func(decay evidence.Epsilon, table ...int32) mechanism.Mechanism {
		return mechanism.NewLayered("layers", must.For(mechanism.NewLayerTable(ctx, q, table))(t), decay, evidence.Claimed{})
	}
	for i, m := range []mechanism.Mechanism{
		table, enclosed{table}, rough{table, 1e-3, 5}, layers(ln(t, 2, 1), 0, 1, 1, 0), layers(eps(t, 0.7), 0, 1, 1, 0), layers(eps(t, 3), 0, 0, 0, 0),
		holes, enclosed{holes}, layers(eps(t, 0.7), 0, u, 1, 0), layers(ln(t, 2, 1), 0, u, 1, 0),
	} {
		loss := must.For(mechanism.Privacy(m).Epsilon(ctx, evidence.Delta{}))(t)
		if lo, hi := loss.Bounds(); evidence.SideOf(loss) != evidence.Up || loss.Kind() != evidence.KindExact && loss.Float() != hi || math.IsInf(lo, 1) != (i >= 6) || math.IsInf(hi, 1) != (i >= 6) {
			t.Errorf("%d: smallest ε %v, in [%v, %v] on side %v", i, loss, lo, hi, evidence.SideOf(loss))
		}
		for _, at := range []evidence.Epsilon{{}, eps(t, 0.1), ln(t, 2, 1), eps(t, 0.7), eps(t, 40)} {
			d := must.For(mechanism.Privacy(m).Delta(ctx, at))(t)
			if lo, hi := d.Bounds(); evidence.SideOf(d) != evidence.Up || d.Kind() != evidence.KindExact && d.Float() != hi || !(0 <= lo && lo <= hi && hi <= 1) || hi > 0 && i < 6 && at.Value() == 40 {
				t.Errorf("%d: δ(%v) = %v, in [%v, %v] on side %v", i, at, d, lo, hi, evidence.SideOf(d))
			}
		}
	}
}
