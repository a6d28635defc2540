package layers_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// What Theorem 5 predicts of a migration holds at every decay, to the digits that
// it has itself: on values 0, 1, 2, 3 along a path, r_0 = 3 moved into R_0 of the
// first, P − P' is (P − 3)c/(1 + c) with c = (1 − z³)/(1 + z + z² + z³).
func TestMigrationGainsAtEveryDecay(t *testing.T) {
	ctx := context.Background()
	space, err := query.NewPathSpace(4, [][2]int{{0, 1}, {1, 2}, {2, 3}})
	if err != nil {
		t.Fatal(err)
	}
	q, err := query.NewNumeric("f", space, []float64{0, 1, 2, 3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	const prec = 4000
	for _, u := range []float64{1e-300, 1e-100, 1e-16, 1e-9, 0.5, 40, 600, 800, 1e9, 1e308} {
		m, err := layers.NewPurest(ctx, q, epsilon(t, u))
		if err != nil {
			t.Fatal(err)
		}
		move, err := m.PredictMigration(layers.Move{Dataset: 0, Value: 3, Layer: 0})
		if err != nil {
			t.Fatal(err)
		}
		want := -1.5 // z = 0: half of the weight moves 3 away
		if u <= 800 {
			// z = e^{−u} by its series at u/2²⁰ or less, squared.
			v, sum, term := new(big.Float).SetPrec(prec).SetFloat64(-u/(1<<20)), big.NewFloat(1).SetPrec(prec), big.NewFloat(1).SetPrec(prec)
			for i := int64(1); i < 300; i++ {
				term.Mul(term, v).Quo(term, new(big.Float).SetInt64(i))
				sum.Add(sum, term)
			}
			for range 20 {
				sum.Mul(sum, sum)
			}
			power := func(k int) *big.Float {
				p := big.NewFloat(1).SetPrec(prec)
				for range k {
					p.Mul(p, sum)
				}
				return p
			}
			weight, cost := new(big.Float).SetPrec(prec), new(big.Float).SetPrec(prec)
			for k := range 4 {
				weight.Add(weight, power(k))
				cost.Add(cost, new(big.Float).SetPrec(prec).Mul(power(k), new(big.Float).SetInt64(int64(k))))
			}
			c := new(big.Float).SetPrec(prec).Sub(big.NewFloat(1), power(3))
			c.Quo(c, weight)
			gain := cost.Quo(cost, weight)
			gain.Sub(gain, big.NewFloat(3)).Mul(gain, c)
			gain.Quo(gain, c.Add(c, big.NewFloat(1)))
			want, _ = gain.Float64()
		}
		if got := move.Gains[0]; !(math.Abs(got-want) <= 1e-12*math.Abs(want)) {
			t.Errorf("decay %g: gain %v, want %v", u, got, want)
		}
	}
}

// Datasets 10⁹ apart make deep layers, which take no memory, and a claim that holds;
// beyond what layers count there is an error.
func TestLayersFarApart(t *testing.T) {
	ctx := context.Background()
	at := func(d float64) (*layers.Mechanism, error) {
		space, err := query.NewMatrixSpace([][]float64{{0, 1, d}, {1, 0, d}, {d, d, 0}})
		if err != nil {
			t.Fatal(err)
		}
		q, err := query.NewNumeric("f", space, []float64{0, 1, 2}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return layers.NewPurest(ctx, q, epsilon(t, 1))
	}
	m, err := at(1e9)
	if err != nil {
		t.Fatal(err)
	}
	if got := m.NonemptyLayers(0); len(got) != 3 || got[2].Index != 1e9 || len(got[2].Values) != 1 {
		t.Errorf("layers of dataset 0 are %v", got)
	}
	loss, err := mechanism.Privacy(m).Epsilon(ctx, evidence.Delta{})
	if err != nil {
		t.Fatal(err)
	}
	if lo, hi := loss.Bounds(); !(lo > 0 && hi <= 2) {
		t.Errorf("smallest ε in [%v, %v], claimed 2", lo, hi)
	}
	for _, d := range []float64{1e10, 1e19, 1e300} {
		if _, err := at(d); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("distance %g gives %v, want ErrParameter", d, err)
		}
	}
}

// A distance matrix that misses the triangle inequality by one rounding is none: its
// ceilings could differ by 2 between neighbors, and the claim of 2·decay fail.
func TestMetricByARounding(t *testing.T) {
	for _, c := range []struct {
		d  float64
		ok bool
	}{{3, true}, {2.9999999999999996, true}, {3.0000000000000004, false}} {
		_, err := query.NewMatrixSpace([][]float64{{0, 1, 2, c.d}, {1, 0, 1, 2}, {2, 1, 0, 1}, {c.d, 2, 1, 0}})
		if (err == nil) != c.ok || err != nil && !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("d̄ = %v on a path of length 3: %v", c.d, err)
		}
	}
}
