package records_test

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/internal/sampling"
	"dpworkbench/internal/stattest"
	"dpworkbench/records"
)

// No law draws a negative number of outputs, or more than there can be; none at all is drawn too.
func TestRefusedDraws(t *testing.T) {
	eps := must.For(evidence.NewEpsilon("eps", 1))(t)
	_, grid := scattered(t, quarters[0], rat(1, 4), records.Replace)
	_, open := scattered(t, quarters[0], nil, records.Replace)
	var laws []records.Law
	for _, of := range mechanisms {
		laws = append(laws, must.For(of(must.For(grid.Median())(t), eps))(t), must.For(of(must.For(open.Median())(t), eps))(t))
	}
	for _, of := range modal {
		laws = append(laws, must.For(of(modeOf(t, []int{1, 2}, records.Replace), eps))(t))
	}
	for _, m := range laws {
		for _, n := range []int{-1, math.MaxInt} {
			if _, err := m.Simulate(ctx, n, rand.NewPCG(1, 1)); !isParameter(err, "n = ") {
				t.Errorf("%s: %v", m.Name(), err)
			}
			if _, _, err := m.(records.Releaser).Release(ctx, n, rand.NewPCG(1, 1)); !isParameter(err, "n = ") {
				t.Errorf("%s: %v", m.Name(), err)
			}
		}
		if out, err := m.Simulate(ctx, 0, rand.NewPCG(1, 1)); len(out) != 0 || err != nil {
			t.Errorf("%s: %v, %v", m.Name(), out, err)
		}
		if out, _, err := m.(records.Releaser).Release(ctx, 0, nil); len(out) != 0 || err != nil {
			t.Errorf("%s: %v, %v", m.Name(), out, err)
		}
		if out, _, err := m.(records.Releaser).Release(ctx, 3, nil); len(out) != 3 || err != nil { // of the system's generator
			t.Errorf("%s: %v, %v", m.Name(), out, err)
		}
	}
	// Lattices of too many values, and shares of ε of too many digits.
	far := must.For(records.New([]float64{1, 5, 1 << 39}, records.Options{Lo: rat(0, 1), Hi: rat(1<<40, 1), Grid: rat(1, 1), Neighbors: records.Replace}))(t)
	q := must.For(far.Variance())(t)
	_, _, err := must.For(records.NewExponential(q, eps))(t).(records.Releaser).Release(ctx, 1, rand.NewPCG(1, 1))
	refused(t, err, "exponential(eps=1) at a step of 1/9 has no exact sampler: 1/4835703278458516698824704 of eps is no fraction of 64-bit numbers")
	_, _, err = must.For(records.NewPurest(q, eps))(t).(records.Releaser).Release(ctx, 1, rand.NewPCG(1, 1))
	if !isParameter(err, "a layer of variance of 3 records in [0, 1.099511627776e+12], grid 1 has ") || !isParameter(err, " values, want at most 2^64") {
		t.Error(err)
	}
}

// wordsOf are the first 192 binary digits of a number below 1, rounded down.
func wordsOf(q *big.Rat) []uint64 {
	v := new(big.Int).Lsh(q.Num(), 192)
	v.Quo(v, q.Denom())
	var out []uint64
	for k := range uint(3) {
		out = append(out, new(big.Int).And(new(big.Int).Rsh(v, 128-64*k), new(big.Int).SetUint64(math.MaxUint64)).Uint64())
	}
	return out
}

// A release compares a uniform number with the law's distribution function, layer by layer, above before below: to 192 digits, and what they do not
// decide is told.
func TestReleasesOfWords(t *testing.T) {
	decay := must.For(evidence.LogEpsilon("decay", rat(2, 1)))(t)
	// A median of 1 among 0…3: 1 has the weight 1, 2 and 0 have 1/2, 3 has 1/4: shares of 9/4.
	r := recordsOf(t, []int64{0, 1, 2}, 3, rat(1, 1), records.Replace)
	m := must.For(records.NewPurest(must.For(r.Median())(t), decay))(t).(records.Releaser)
	bits := func(num, den int64, off int64) []uint64 { // the digits of a fraction, and next to it
		v := new(big.Rat).SetFrac(big.NewInt(off), new(big.Int).Lsh(big.NewInt(1), 192))
		return wordsOf(v.Add(v, rat(num, den)))
	}
	for _, c := range []struct {
		words []uint64
		want  float64 // NaN where it is not decided
	}{
		{bits(0, 1, 0), 1}, {bits(4, 9, -1), 1}, {bits(4, 9, 0), math.NaN()}, {bits(4, 9, 1), 2}, {bits(6, 9, -1), 2}, {bits(6, 9, 1), 0}, {bits(8, 9, -1), 0}, {bits(8, 9, 0), math.NaN()}, {bits(8, 9, 1), 3}, {bits(1, 1, -1), 3},
	} {
		src := &stattest.Spelled{Words: c.words, Tail: 1 << 62}
		out, grid, err := m.Release(ctx, 1, src)
		if math.IsNaN(c.want) {
			if !errors.Is(err, sampling.ErrUndecided) || out != nil || grid != nil {
				t.Errorf("%x draws %v, %v", c.words, out, err)
			}
		} else if err != nil || out[0] != c.want || grid != nil {
			t.Errorf("%x draws %v, %v, want %g", c.words, out, err, c.want)
		}
	}
	// Where the rest is not known, its part of the digits is undecided.
	total := must.For(recordsOf(t, []int64{0, 1, 2}, 3, rat(1, 1), records.AddRemove).Total())(t)
	open := must.For(records.NewPurest(total, decay))(t).(records.Releaser)
	if out, _, err := open.Release(ctx, 1, &stattest.Spelled{Words: bits(1, 1, -1)}); !errors.Is(err, sampling.ErrUndecided) {
		t.Errorf("the last digits draw %v, %v", out, err)
	}
	if out, _, err := open.Release(ctx, 1, &stattest.Spelled{Words: bits((1<<40)-1, 1<<40, 0), Tail: 1 << 62}); err != nil || out[0] < 30 {
		t.Errorf("digits next to 1 draw %v, %v", out, err)
	}
	// Without a grid, what is drawn of a layer is rounded to the nearest multiple of a public grid.
	line := must.For(records.NewPurest(must.For(recordsOf(t, []int64{0, 1, 2}, 3, nil, records.Replace).Median())(t), decay))(t).(records.Releaser)
	// From 1 to 2 in layer 1, 0 to 1 in it too, 2 to 3 in the next: shares 2/5, 2/5, 1/5.
	for _, c := range []struct {
		num, den int64
		lo       float64
		sign     float64
	}{{1, 5, 1, 1}, {3, 5, 1, -1}, {9, 10, 2, 1}} {
		for _, share := range []*big.Rat{rat(0, 1), rat(1, 3), rat(1, 2), rat(999, 1000)} {
			out, grid, err := line.Release(ctx, 1, &stattest.Spelled{Words: append(bits(c.num, c.den, 0), wordsOf(share)...)})
			if err != nil {
				t.Fatal(err)
			}
			g, _ := grid.Float64()
			v, _ := share.Float64()
			want := c.lo + c.sign*v
			if math.Abs(out[0]-want) > g/2*(1+1e-9) || math.Mod(out[0], g) != 0 || g != 0x1p-31 {
				t.Errorf("%v of the part draws %v on %v, want %g", share, out, grid, want)
			}
		}
	}
	third := must.For(records.NewPurest(must.For(must.For(records.New([]float64{0.3}, records.Options{Lo: rat(0, 1), Hi: rat(1, 1), Neighbors: records.Replace}))(t).Median())(t), decay))(t).(records.Releaser)
	// Half a step of the grid, of a part whose length is no power of two, between two numbers of 192 digits: more are drawn.
	_, grid, _ := third.Release(ctx, 1, &stattest.Spelled{Words: append(bits(1, 9, 0), 0, 0, 0)})
	k := new(big.Rat).Quo(rat(3, 10), grid)
	k.SetInt(new(big.Int).Quo(k.Num(), k.Denom()))
	at := new(big.Rat).Mul(k.Add(k, rat(5, 2)), grid) // above 0.3
	at.Sub(at, rat(3, 10)).Quo(at, rat(7, 10))
	if out, _, err := third.Release(ctx, 1, &stattest.Spelled{Words: append(bits(1, 9, 0), wordsOf(at)...)}); err != nil || math.Abs(out[0]-0.3) > 1e-8 {
		t.Errorf("half a step draws %v, %v", out, err)
	}
}
