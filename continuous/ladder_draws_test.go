package continuous

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/internal/sampling"
	"dpworkbench/interval"
)

// someLadders are ladders that rise, fall and stay, for a while or for ever.
func someLadders() []ladder {
	out := []ladder{{j: 2, level: 3, slope: 1}}
	for count := 1; count < 6; count++ {
		for slope := -1; slope <= 1; slope++ {
			out = append(out, ladder{j: count - 1, level: 4 + count, slope: slope, count: count})
		}
	}
	return out
}

// A ladder weighs what its positions weigh one by one, in numbers of any precision and in float64.
func TestLaddersWeighTheirPositions(t *testing.T) {
	const base = 2
	eps := nats(t, 0.75)
	z := eps.Decay()
	for _, s := range someLadders() {
		sum, upTo := interval.Int(0), s.count
		if s.count == 0 {
			upTo = 400
		}
		for i := range upTo {
			sum = sum.Add(z.Pow(s.level + s.slope*i - base))
		}
		c := new(exactCells)
		c.add(cell{ladder: s, share: big.NewInt(7)}, base, func(k int) sampling.Number { return sampling.Decay(eps, big.NewRat(int64(k), 1)) })
		lo, hi := c.weights[0](160)
		unit := interval.Rat(new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 160)))
		want := interval.Int(7).Mul(sum).Mul(interval.Int(1).Sub(z))
		if low, high := interval.Rat(new(big.Rat).SetInt(lo)).Mul(unit), interval.Rat(new(big.Rat).SetInt(hi)).Mul(unit); want.Less(low) || high.Less(want) {
			t.Errorf("%+v weighs from %v to %v, want %v", s, low, high, want)
		}
		if got, want := laddersWeight(s, base, eps.Value()), sum.Mid(); math.Abs(got-want) > 1e-13*want {
			t.Errorf("%+v weighs %v, want %v", s, got, want)
		}
	}
}

// A position is counted from its ladder's heaviest end by a geometric variable, cut off where the ladder ends, or is one of
// those that weigh the same; the noise is that many lengths from the residue, within the gap, of either sign.
func TestPositionsOfLadders(t *testing.T) {
	eps := nats(t, 0.75)
	length, denominator := big.NewInt(12), big.NewInt(5)
	for _, counting := range []bool{true, false} {
		c := &exactCells{length: length, denominator: denominator, counting: counting, over: sampling.Epsilon(eps).Inverse().Known()}
		for _, s := range someLadders() {
			cell := cell{at: big.NewInt(3), width: big.NewInt(4), ladder: s}
			float := &layerSampler{decay: eps.Value(), length: 12. / 5, counting: counting, cells: []sampledCell{{at: 3. / 5, width: 4. / 5, ladder: s}}}
			float.law.Add(1)
			seen, drawn := map[int64]bool{}, map[int64]bool{}
			for seed := range uint64(60) {
				src, same := rand.NewPCG(seed, 1), rand.NewPCG(seed, 1)
				z := must.For(c.draw(cell, src))(t)
				var step int64
				if s.slope == 0 {
					step = int64(sampling.Uniform(same, uint64(s.count)))
				} else {
					g := must.For(sampling.GeometricOver(c.over, same))(t).Int64()
					if s.count > 0 {
						g %= int64(s.count)
					}
					if step = g; s.slope < 0 {
						step = int64(s.count-1) - g
					}
				}
				want := big.NewRat((int64(s.j)+step)*12+3, 5)
				sign := int64(1)
				if same.Uint64()&1 == 0 {
					sign = -1
				}
				if want.Mul(want, big.NewRat(sign, 1)); z.Point.Cmp(want) != 0 {
					t.Fatalf("%+v: the point %v, want %v", s, z.Point, want)
				}
				seen[step] = true
				if counting != (z.Rest == nil) {
					t.Fatalf("%+v, counting %t: a rest %t", s, counting, z.Rest != nil)
				}
				if !counting {
					lo, hi := z.Rest(40)
					if sign < 0 {
						lo, hi = hi.Neg(hi), lo.Neg(lo)
					}
					if most := new(big.Int).Lsh(big.NewInt(1), 40); lo.Sign() < 0 || hi.Mul(hi, denominator).Cmp(most.Mul(most, cell.width)) > 0 {
						t.Fatalf("%+v: the rest lies from %v·2^−40 on, up to %v·2^−40/5", s, lo, hi)
					}
				}
				// The float64 draw stands at one of the ladder's positions, too.
				v := math.Abs(float.draw(rand.New(rand.NewPCG(seed, 2))))
				j := math.Floor((v + 1e-9) / (12. / 5))
				drawn[int64(j)-int64(s.j)] = true
				if off := v - j*12./5 - 3./5; off < -1e-9 || off > 4./5 || counting && off > 1e-9 || j < float64(s.j) || s.count > 0 && j >= float64(s.j+s.count) {
					t.Fatalf("%+v, counting %t: the draw %v", s, counting, v)
				}
			}
			if s.count > 0 && (len(seen) != s.count || len(drawn) != s.count) {
				t.Errorf("%+v: draws come to %d and %d of %d positions", s, len(seen), len(drawn), s.count)
			}
		}
	}
}

// A ladder's heaviest positions are drawn more often.
func TestHeaviestEnds(t *testing.T) {
	for _, s := range []ladder{{level: 1, slope: 1, count: 3}, {level: 3, slope: -1, count: 3}} {
		float := &layerSampler{decay: 2, length: 1, counting: true, cells: []sampledCell{{ladder: s}}}
		float.law.Add(1)
		rng, counts := rand.New(rand.NewPCG(1, 2)), [3]int{}
		for range 3000 {
			counts[int(math.Abs(float.draw(rng)))]++
		}
		if s.slope < 0 {
			counts[0], counts[2] = counts[2], counts[0]
		}
		sum := 1 + math.Exp(-2) + math.Exp(-4)
		for i, n := range counts {
			if p := math.Exp(-2*float64(i)) / sum; math.Abs(float64(n)-3000*p) > 6*math.Sqrt(3000*p*(1-p)) {
				t.Errorf("%+v: %d of 3000 at step %d from the heaviest, want about %.0f", s, n, i, 3000*p)
			}
		}
	}
}

// What is drawn in parts has as many draws as one is asked for, those of the parts in turn.
func TestDrawsInParts(t *testing.T) {
	for _, n := range []int{0, 1, 1<<16 - 1, 1 << 16, 1<<16 + 1, 2 << 16, 2<<16 + 1} {
		drawn := 0
		got, err := Draw(t.Context(), n, nil, func(n int, _ rand.Source) ([]int, error) {
			if n > 1<<16 {
				t.Errorf("a part of %d draws", n)
			}
			out := make([]int, n)
			for i := range out {
				out[i] = drawn
				drawn++
			}
			return out, nil
		})
		if err != nil || len(got) != n || n > 0 && got[n-1] != n-1 {
			t.Errorf("%d draws are %d (%v)", n, len(got), err)
		}
	}
}

// A discrete release is the multiple of its grid nearest to answer and noise, and these themselves where there is no grid.
func TestDiscreteReleasesOnGrids(t *testing.T) {
	q := linearOf(t, rats(t, "1", "1", "3", "3")...)
	m := must.For(NewGeometric(q, nats(t, 0.4)))(t)
	answer := big.NewRat(22, 7)
	plain := must.For(Release(context.Background(), m, answer, 200, nil, rand.NewPCG(3, 4)))(t)
	for _, grid := range []*big.Rat{big.NewRat(3, 1), big.NewRat(1, 4), big.NewRat(7, 2), big.NewRat(1, 1)} {
		got := must.For(Release(context.Background(), m, answer, 200, grid, rand.NewPCG(3, 4)))(t)
		for i, v := range got {
			ideal := new(big.Rat).Add(answer, big.NewRat(int64(math.Round(plain[i]-22./7)), 1))
			if off, _ := ideal.Float64(); off != plain[i] {
				t.Fatalf("draw %d is %v, want %v and a whole number", i, plain[i], answer)
			}
			at := new(big.Rat).SetFloat64(v)
			if !new(big.Rat).Quo(at, grid).IsInt() {
				t.Fatalf("%v is off the grid %v", v, grid)
			}
			off := at.Sub(at, ideal)
			if off.Abs(off).Mul(off, big.NewRat(2, 1)).Cmp(grid) > 0 {
				t.Fatalf("%v is released on the grid %v as %v", ideal, grid, v)
			}
		}
	}
}

// Turns of a circle are the whole ones below a number, of either sign, exact ones and those next to them, however many.
func TestTurnsOfCircles(t *testing.T) {
	for _, length := range []*big.Int{big.NewInt(7), new(big.Int).Lsh(big.NewInt(5), 61), new(big.Int).Lsh(big.NewInt(1), 90)} {
		for turns := int64(-20); turns <= 20; turns++ {
			for off := int64(-1); off <= 1; off++ {
				v := new(big.Int).Mul(length, big.NewInt(turns))
				v.Add(v, big.NewInt(off))
				quotient, rest := new(big.Int).DivMod(v, length, new(big.Int))
				n, left := gridBig{v}.circle(gridBig{length})
				if int64(n) != quotient.Int64() || left.v.Cmp(rest) != 0 {
					t.Errorf("%v: %d turns of %v and %v, want %v and %v", v, n, length, left.v, quotient, rest)
				}
			}
		}
	}
}

// Where layers are known in part, a curve is told at decays that they are enough for, and refused at the least of those
// that they are not.
func TestCurvesOfLayersKnownInPart(t *testing.T) {
	part := must.For(newSequence(t.Context(), linearOf(t, rats(t, "0", "1/10", "3/10", "11/30")...), rat(t, "1/700"), ringBudget{maxNodes: 9, enough: 1 << 30, maxWork: 1 << 30}))(t)
	if _, err := part.Curve([]evidence.Epsilon{nats(t, 60), nats(t, 20), nats(t, 40), nats(t, 25)}); !errors.Is(err, ErrUnknownLayer) || !strings.Contains(err.Error(), "at decay 20 ") {
		t.Errorf("a curve from decay 20 on: %v", err)
	}
	steep := []evidence.Epsilon{nats(t, 60), nats(t, 40), nats(t, 50)}
	got := must.For(part.Curve(steep))(t)
	for i, e := range steep {
		if lo, hi := part.Distortion(e).Bounds(); got[i] < lo*(1-1e-13) || got[i] > hi*(1+1e-13) {
			t.Errorf("at decay %v the curve is %v, want a number in [%v, %v]", e, got[i], lo, hi)
		}
	}
}
