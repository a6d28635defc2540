package continuous

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/internal/sampling"
	"dpworkbench/interval"
)

// positions returns the layers of the positions 0 … upTo that ladders lead to, and fails
// where they lead to one twice.
func positions(t *testing.T, steps []ladder, upTo int) map[int]int {
	t.Helper()
	out := map[int]int{}
	for _, s := range steps {
		for k := 0; (s.count == 0 || k < s.count) && s.j+k <= upTo; k++ {
			if layer, twice := out[s.j+k]; twice {
				t.Errorf("%v leads to position %d at the layers %d and %d", steps, s.j+k, layer, s.level+s.slope*k)
			}
			out[s.j+k] = s.level + s.slope*k
		}
	}
	return out
}

// Ladders lead to the layer of every number, and without the number 0 to those of all others.
func TestLaddersLeadToLayers(t *testing.T) {
	const upTo = 12
	r := rand.New(rand.NewPCG(119, 1))
	alone := 0
	for trial := range 60 {
		v, radius := randomSet(r, 1+r.IntN(9), true)
		if trial%2 == 0 {
			radius = 0
		}
		q := must.For(scaledQuery(v, 3))(t)
		l := must.For(NewSequence(context.Background(), q, big.NewRat(int64(radius), 3)))(t)
		if !l.closed {
			t.Fatal("layers are not known")
		}
		delta := q.Sensitivity().Value
		for i, n := range l.nodes {
			at := new(big.Rat).SetFrac(n.at, l.denominator)
			got := positions(t, l.ladders[i][0], upTo)
			for j := range upTo + 1 {
				x := new(big.Rat).Mul(delta, big.NewRat(int64(j), 1))
				want, ok, err := l.Layer(x.Add(x, at))
				layer, in := got[j]
				if err != nil || in != ok || in && want.Cmp(big.NewInt(int64(layer))) != 0 {
					t.Fatalf("V = %v/3, δ = %d/3: %v is in layer %d (%v), want %v (%v), error %v", v, radius, x, layer, in, want, ok, err)
				}
			}
		}
		steps := l.ladders[0][0]
		if steps[0].count == 1 {
			alone++
		}
		all, rest := positions(t, steps, upTo), positions(t, withoutZero(steps), upTo)
		if _, in := rest[0]; in || all[0] != 0 || len(rest) != len(all)-1 {
			t.Errorf("V = %v/3: without the number 0 %v leads to %v", v, steps, rest)
		}
		for j, layer := range rest {
			if all[j] != layer {
				t.Errorf("V = %v/3: without the number 0 position %d is in layer %d, want %d", v, j, layer, all[j])
			}
		}
	}
	// Of every length: one position, two, and without an end.
	for _, steps := range [][]ladder{{{0, 0, 0, 1}, {1, 1, 1, 0}}, {{0, 0, 1, 2}, {2, 1, 0, 1}, {3, 2, 1, 0}}, {{0, 0, 0, 3}, {3, 1, 1, 0}}, {{0, 0, 1, 0}}} {
		all, rest := positions(t, steps, upTo), positions(t, withoutZero(steps), upTo)
		delete(all, 0)
		if len(all) != len(rest) {
			t.Errorf("without the number 0 %v leads to %v, want %v", steps, rest, all)
		}
		for j, layer := range all {
			if got, in := rest[j]; !in || got != layer {
				t.Errorf("without the number 0 %v leads to %v, want %v", steps, rest, all)
			}
		}
	}
	if alone == 0 {
		t.Error("the number 0 is nowhere a ladder of its own")
	}
}

// The end of a turn is the beginning of the next: an arc up to it is within a layer where the
// points there are, every one of them a position on.
func TestArcsUpToTheTurn(t *testing.T) {
	at := func(v int64) gridBig { return gridBig{big.NewInt(v)} }
	for _, c := range []struct {
		point []ringSite // over the residue 0
		span  ringSpan
		level int
		want  bool
	}{
		{[]ringSite{{0, 1, 4}}, ringSpan{0, 3}, 0, true}, {[]ringSite{{0, 2, 4}}, ringSpan{0, 3}, 0, false}, {[]ringSite{{0, 1, 3}}, ringSpan{0, 3}, 0, false},
		{[]ringSite{{0, 2, 3}}, ringSpan{0, 3}, 1, true}, {[]ringSite{{0, 0, 0}}, ringSpan{0, 0}, 0, false}, {[]ringSite{{0, 1, 1}}, ringSpan{0, 0}, 0, true},
	} {
		l := &Sequence{length: big.NewInt(4), nodes: []ringNode[*big.Int]{{new(big.Int), c.point, []ringSite{{0, -9, 9}}}}}
		if _, ok := l.within(ringPiece[gridBig]{lo: at(2), hi: at(4), span: c.span}, c.level); ok != c.want {
			t.Errorf("points %v, the arc [2, 4] of 4 at %v, layer %d: %v", c.point, c.span, c.level, ok)
		}
	}
}

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

// A position is counted from its ladder's heaviest end by a geometric variable, cut off where the ladder ends, or is
// one of those that weigh the same; the noise is that many lengths from the residue, within the gap, of either sign.
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

// A discrete release is the multiple of its grid nearest to answer and noise, and these themselves where there is no
// grid.
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
