package xor

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
)

// Losses of float64s that do not add exactly hold the rational ones all the same.
func TestLossesHoldRationalOnes(t *testing.T) {
	ctx, rng := context.Background(), rand.New(rand.NewPCG(22, 91))
	check := func(what string, got evidence.Certified, want *big.Rat, width float64) {
		t.Helper()
		if rat(got.Lo).Cmp(want) > 0 || rat(got.Hi).Cmp(want) < 0 || got.Hi-got.Lo > width || got.Side != evidence.Up {
			t.Errorf("%s: [%v, %v] is not around %s", what, got.Lo, got.Hi, want.FloatString(25))
		}
	}
	for trial := range 60 {
		scale := math.Ldexp(1, rng.IntN(40)-20)
		theta := [][]float64{{scale * rng.NormFloat64(), rng.NormFloat64()}, {0, scale * rng.NormFloat64()}}
		theta[1][0] = theta[0][1]
		block := [][]float64{{rng.NormFloat64() * scale, 1e-3 * rng.NormFloat64()}, {0, rng.NormFloat64()}}
		block[1][0] = block[0][1]
		b := must.Be(NewBernoulli(theta, map[Pair][][]float64{{I: 0, J: 1}: block}, 2))
		pi := movedPi(b, nil)
		exponent := make([]*big.Rat, 16)
		for s := range exponent {
			exponent[s] = new(big.Rat)
			for i := range pi {
				for j := range pi {
					if s>>i&(s>>j)&1 == 1 {
						exponent[s].Add(exponent[s], pi[i][j])
					}
				}
			}
		}
		for k, nb := range []Neighbors{FlipBits(1), FlipBits(2), FlipBits(3), FlipBits(4), FlipRows(1), FlipEdges(1)} {
			want := (&tableLaw{exponent: exponent}).loss(must.Be(nb.Differences(2, 2)))
			got := must.Be(must.Be(b.Under(nb, LossOptions{})).Loss(ctx))
			check(fmt.Sprint("law ", trial, ", neighbors ", k), got.Certified, want, 6e-13*(1+scale))
		}
		c := must.Be(NewColumns(1+rng.IntN(5), 1+rng.IntN(3), scale*rng.NormFloat64(), rng.NormFloat64()))
		for s := 1; s <= c.n*c.p; s++ {
			check(fmt.Sprint(c, ", ", s), c.LossAnywhere(s), columnLoss(c.n, c.p, s, false, c.theta, c.lambda), 1e-13*(1+scale)*float64(s))
		}
	}
}

// The loss of s bits over tiles holds the dearest bits' exact sum, at either end of what
// is meant, and little more.
func TestLossOfTilesIsOutward(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 92))
	for range 60 {
		u := Budget{N: 1 + rng.IntN(9), P: 1 + rng.IntN(9), Epsilon: must.Be(evidence.RationalEpsilon("eps", big.NewRat(1+rng.Int64N(50), 1+rng.Int64N(50)))), Alpha: rng.Float64(), Sensitivity: 1 + 3*rng.Float64()}
		q := must.Be(Divide(u, 1+rng.IntN(4), 1+rng.IntN(4)))
		type bit struct{ cost, off *big.Rat }
		var bits []bit
		for _, tile := range q.Tiles {
			c := tile.Law.cols
			for i := 1; i <= c.n; i++ {
				b := bit{added(rat(c.theta), times(big.NewRat(int64(2*(c.n-i)), 1), rat(c.lambda))), added(rat(c.offTheta), times(big.NewRat(int64(2*(c.n-1)), 1), rat(c.offLambda)))}
				for range c.p {
					bits = append(bits, b)
				}
			}
		}
		slices.SortFunc(bits, func(a, b bit) int { return cmp.Or(b.cost.Cmp(a.cost), b.off.Cmp(a.off)) })
		least, most := new(big.Rat), new(big.Rat)
		for s, b := range bits {
			least.Add(least, b.cost).Sub(least, b.off)
			most.Add(most, b.cost).Add(most, b.off)
			got := q.smallest(s + 1)
			holds(t, fmt.Sprint(s+1, " bits"), got.Lo, got.Hi, least, most, 40)
		}
		if got := must.Be(must.Be(q.Under(FlipBits(len(bits) + 5))).Loss(context.Background())); rat(got.Hi).Cmp(most) < 0 || rat(got.Lo).Cmp(least) > 0 || !got.Complete || got.Float() != got.Hi {
			t.Errorf("more bits than there are: [%v, %v]", got.Lo, got.Hi)
		}
		var rate evidence.Certified
		for _, tile := range q.Tiles {
			accumulate(&rate, must.Be(tile.Law.ErrorRate(context.Background(), 0, Plain)), 1)
		}
		// Tiles of one size have one rate: the mean over all bits is between the ends.
		if got := must.Be(q.FlipRate(context.Background(), Plain)); len(q.kinds) == 1 && (got.Lo > rate.Hi/float64(len(q.Tiles)) || got.Hi < rate.Lo/float64(len(q.Tiles))) || got.Hi > 1 || got.Lo > got.Hi {
			t.Errorf("%d tiles: the flip rate is in [%v, %v], that of each adds up to [%v, %v]", len(q.Tiles), got.Lo, got.Hi, rate.Lo, rate.Hi)
		}
	}
}
