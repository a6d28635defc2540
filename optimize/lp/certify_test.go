package lp

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// randomFullProgram returns a random program and its bounds as rationals. Its losses round in float64. It may have
// bounds, a level, and exact weights and losses.
func randomFullProgram(rng *rand.Rand, w *big.Rat) (p *Program, bounds []*big.Rat) {
	p, _ = RandomProgram(rng, w)
	for j := range p.Loss {
		p.Loss[j] += 3*rng.Float64() - 1
	}
	for i := range p.Weight {
		p.Weight[i] = 2 * rng.Float64()
	}
	if rng.IntN(2) == 0 {
		weights, losses := make([]*big.Rat, p.Rows), make([]*big.Rat, len(p.Loss))
		for i := range weights {
			weights[i] = big.NewRat(rng.Int64N(1e6)+1, rng.Int64N(1e6)+1)
			p.Weight[i], _ = weights[i].Float64()
		}
		for j := range losses {
			losses[j] = big.NewRat(rng.Int64N(1e6), rng.Int64N(1e6)+1)
			p.Loss[j], _ = losses[j].Float64()
		}
		p.ExactWeight, p.ExactLoss = weights, func(j int) *big.Rat { return losses[j] }
	}
	if rng.IntN(2) == 0 {
		p.Level = rng.IntN(2) == 0
		for range p.Rows {
			b := big.NewRat(rng.Int64N(300)-20, 7)
			bounds, p.Bound = append(bounds, b), append(p.Bound, interval.Rat(b))
		}
	}
	return p, bounds
}

// prices returns random prices of the pairs and of the bounds, some of them 0.
func (p *Program) prices(rng *rand.Rand) (z, v []float64) {
	z = make([]float64, 2*len(p.Pairs))
	for k := range z {
		switch rng.IntN(4) {
		case 0:
		case 1:
			z[k] = 1
		default:
			z[k] = 0.3 * rng.ExpFloat64()
		}
	}
	if p.Bound != nil {
		v = make([]float64, p.Rows)
		for i := range v {
			v[i] = rng.ExpFloat64()
		}
	}
	return z, v
}

// ratFloor returns the bound of weak duality in rational arithmetic.
func (p *Program) ratFloor(w *big.Rat, bounds []*big.Rat, z, v []float64) *big.Rat {
	scale := big.NewRat(1, 1)
	if p.Level {
		total := new(big.Rat)
		for _, x := range v {
			total.Add(total, ratOf(x))
		}
		scale.Inv(total)
	}
	price := func(x float64) *big.Rat { return new(big.Rat).Mul(ratOf(x), scale) }
	reduced := make([]*big.Rat, len(p.Row))
	for j, i := range p.Row {
		rate := p.ratWeight(int(i))
		if v != nil {
			rate.Add(rate, price(v[i]))
		}
		reduced[j] = rate.Mul(rate, p.ratLoss(j))
	}
	for k, e := range p.Pairs {
		for side := range 2 {
			x := price(z[2*k+side])
			reduced[e[side]].Add(reduced[e[side]], x)
			reduced[e[1-side]].Sub(reduced[e[1-side]], x.Mul(x, w))
		}
	}
	floor := new(big.Rat)
	for i := range p.Rows {
		var least *big.Rat
		for j, r := range p.Row {
			if int(r) == i && (least == nil || reduced[j].Cmp(least) < 0) {
				least = reduced[j]
			}
		}
		floor.Add(floor, least)
		if v != nil {
			floor.Sub(floor, new(big.Rat).Mul(price(v[i]), bounds[i]))
		}
	}
	return floor
}

// The floor contains the rational bound and is as narrow as double-double arithmetic allows. The float64 floor is just
// below it. Both hold for every ratio in the interval. Prices may be so small or large that products leave float64's
// range.
func TestFloorsAgainstRationals(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	for trial := range 400 {
		w := big.NewRat(rng.Int64N(1e9)+1e8, 1e8)
		w.Add(w, big.NewRat(1, 100))
		p, bounds := randomFullProgram(rng, w)
		z, v := p.prices(rng)
		if trial%4 == 0 {
			for k := range z {
				z[k] *= math.Ldexp(1, []int{-1074, -700, -590, 0, 590}[rng.IntN(5)])
			}
		}
		want := p.ratFloor(w, bounds, z, v)
		got := p.floor(z, v)
		size := 1 + slices.Max(append(z, 0))*(1+p.Ratio.Mid())
		if q := interval.Rat(want); q.Less(got) || got.Less(q) || !got.Upper().Sub(got.Lower()).Less(interval.Float(1e-26*size)) {
			t.Fatalf("floor %v, want %v", got, q)
		}
		near, _ := want.Float64()
		lo := p.lowerEnd(z, v)
		if ratOf(lo).Cmp(want) > 0 || lo < near-1e-14*(1+math.Abs(near))-1e-26*size {
			t.Fatalf("lower bound %v of %v", lo, near)
		}
		// The floor holds for every ratio in an interval.
		wider := new(big.Rat).Mul(w, big.NewRat(1001, 1000))
		p.Ratio = interval.Hull(interval.Rat(w), interval.Rat(wider))
		got = p.floor(z, v)
		for _, ratio := range []*big.Rat{w, wider} {
			want := p.ratFloor(ratio, bounds, z, v)
			if q := interval.Rat(want); got.CmpLo(q) > 0 || got.CmpHi(q) < 0 {
				t.Fatalf("floor %v misses %v", got, q)
			}
		}
	}
}

// Invalid prices give no lower bound.
func TestInvalidPrices(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 2))
	small, _ := Line(3).Program(Exp(1))
	for _, bad := range []float64{-1, -5e-324, math.NaN(), math.Inf(1)} {
		z, _ := small.prices(rng)
		z[1] = bad
		if got := small.lowerEnd(z, nil); !math.IsInf(got, -1) {
			t.Errorf("a price of %v gives the floor %v, want −Inf", bad, got)
		}
		worst := *small
		worst.Worst()
		z[1] = 1
		v := []float64{1, bad, 1, 1}
		if got := worst.lowerEnd(z, v); !math.IsInf(got, -1) {
			t.Errorf("a bound's price of %v gives the floor %v, want −Inf", bad, got)
		}
	}
}

// ratLosses returns the expected losses at weights divided by their row sums, in rational arithmetic.
func (p *Program) ratLosses(weights []float64) (losses, share []*big.Rat) {
	sum := Zeros(p.Rows)
	for j, i := range p.Row {
		sum[i].Add(sum[i], ratOf(weights[j]))
	}
	losses, share = Zeros(p.Rows), Zeros(len(p.Row))
	for j, i := range p.Row {
		share[j].Quo(ratOf(weights[j]), sum[i])
		losses[i].Add(losses[i], new(big.Rat).Mul(share[j], p.ratLoss(j)))
	}
	return losses, share
}

// feasible turns any weights into feasible ones, checked in rational arithmetic. Feasible weights do not change. The
// value's enclosure contains the exact value.
func TestFeasibleAgainstRationals(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 3))
	ctx := context.Background()
	for trial := range 200 {
		w := big.NewRat(rng.Int64N(1e6)+1e5, 1e5)
		w.Add(w, big.NewRat(1, 100))
		p, bounds := randomFullProgram(rng, w)
		weights := make([]float64, len(p.Row))
		for j := range weights {
			weights[j] = math.Exp(-float64(trial%5) * rng.Float64())
			if trial%7 == 0 {
				weights[j] *= math.Ldexp(1, -rng.IntN(900))
			}
		}
		got := p.feasible(ctx, weights)
		losses, share := p.ratLosses(got)
		limit := new(big.Rat).Mul(w, new(big.Rat).Sub(big.NewRat(1, 1), ratOf(margin)))
		for _, e := range p.Pairs {
			for side := range 2 {
				if share[e[side]].Cmp(new(big.Rat).Mul(limit, share[e[1-side]])) >= 0 {
					t.Fatalf("pair %v: %v and %v are not within %v", e, got[e[0]], got[e[1]], w)
				}
			}
		}
		if again := p.feasible(ctx, got); !p.satisfies(ctx, got) {
			t.Fatal("the result of feasible does not satisfy the constraints")
		} else {
			_, twice := p.ratLosses(again)
			for j := range share {
				a, _ := share[j].Float64()
				if b, _ := twice[j].Float64(); math.Abs(a-b) > 1e-15*a {
					t.Fatalf("feasible weights moved from %v to %v", a, b)
				}
			}
		}
		want, top := new(big.Rat), (*big.Rat)(nil)
		within := true
		for i, l := range losses {
			want.Add(want, new(big.Rat).Mul(p.ratWeight(i), l))
			if bounds == nil {
				continue
			}
			over := new(big.Rat).Sub(l, bounds[i])
			if top == nil || over.Cmp(top) > 0 {
				top = over
			}
			within = within && over.Sign() < 0
		}
		if p.Level {
			want.Add(want, top)
		}
		value := p.value(got)
		if q := interval.Rat(want); q.Less(value) || value.Less(q) || !value.Upper().Sub(value.Lower()).Less(interval.Float(1e-60)) {
			t.Fatalf("value %v, want %v", value, q)
		}
		if bounds != nil && p.obeys(got) != within {
			t.Fatalf("obeys: %v, want %v", p.obeys(got), within)
		}
		x := &Solution{P: weights}
		z, v := p.prices(rng)
		x.Z, x.V = z, v
		if err := p.certify(ctx, x, nil); err != nil {
			t.Fatal(err)
		}
		_, hi := value.Bounds()
		if bounds != nil && !p.Level && !within {
			hi = math.Inf(1)
		}
		if lo := p.lowerEnd(z, v); x.Lo != lo || x.Hi != hi {
			t.Fatalf("certified [%v, %v], want [%v, %v]", x.Lo, x.Hi, lo, hi)
		}
	}
}

// A pair that satisfies the ratio by less than the margin fails, and so do invalid weights of any size. A pair that
// satisfies it by more than the margin passes.
func TestSatisfies(t *testing.T) {
	ctx := context.Background()
	p := &Program{Rows: 2, Row: []int32{0, 0, 1, 1}, Pairs: [][2]int32{{0, 2}, {1, 3}}, Ratio: interval.Int(2)}
	for _, scale := range []float64{1, 1e-300, 1e300, 5e-320} {
		for _, c := range []struct {
			by   float64
			want bool
		}{{1.5, true}, {2 * (1 - 0x1p-48), true}, {2 * (1 - 0x1p-50), false}, {2, false}, {2 * (1 + 0x1p-50), false}, {3, false}} {
			// The weights are chosen so that the first shares have the ratio 1 : by.
			a, b := 1.0, c.by
			weights := []float64{a * scale, 8 * scale, b * scale, 8 * scale}
			sum, other := a+8, b+8
			ratio := b / other * sum / a // of the second row's share to the first's
			weights[2] = c.by / ratio * b * scale
			for range 40 { // the sum changes with the weight, so iterate
				x := weights[2] / scale
				weights[2] = scale * c.by * (x + 8) / 9
			}
			if scale < 1e-310 && math.Abs(c.by-2) < 1e-9 {
				continue // float64 is too coarse there
			}
			_, share := p.ratShares(weights)
			limit := new(big.Rat).Mul(big.NewRat(2, 1), new(big.Rat).Sub(big.NewRat(1, 1), ratOf(margin)))
			within := share[2].Cmp(new(big.Rat).Mul(limit, share[0])) < 0
			if got := p.satisfies(ctx, weights); got != c.want || got != within {
				t.Errorf("%g times %v: %v, want %v, in rationals %v", scale, c.by, got, c.want, within)
			}
			turned := []float64{weights[2], weights[3], weights[0], weights[1]}
			if got := p.satisfies(ctx, turned); got != c.want {
				t.Errorf("%g times 1/%v: %v, want %v", scale, c.by, got, c.want)
			}
		}
	}
	for _, bad := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		for at := range 4 {
			weights := []float64{1, 1, 1, 1}
			weights[at] = bad
			if p.satisfies(ctx, weights) {
				t.Errorf("invalid weights %v pass", weights)
			}
		}
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if got := p.feasible(ended, []float64{3, 1, 1, 1}); got[0] != 0.75 || got[1] != 0.25 || got[2] != 0.5 || got[3] != 0.5 {
		t.Errorf("a cancelled feasible returns %v", got)
	}
	if p.satisfies(ended, []float64{1, 1, 1, 1}) {
		t.Error("weights pass with a cancelled context")
	}
}

func (p *Program) ratShares(weights []float64) (losses, share []*big.Rat) {
	p.Loss = make([]float64, len(p.Row))
	return p.ratLosses(weights)
}

// If a point exceeds the bounds, mixing in an interior point that obeys them makes it feasible.
func TestCertifyMixesInterior(t *testing.T) {
	ctx := context.Background()
	p, _ := Line(1).Program(interval.Int(100)) // losses 0, 1 and 1, 0
	p.Bound = []interval.Interval{interval.Float(0.3), interval.Float(0.2)}
	near := []float64{0.69, 0.31, 0.21, 0.79}
	x := &Solution{P: near, Z: make([]float64, 2*len(p.Pairs)), V: []float64{0, 0}}
	interior := []float64{0.9, 0.1, 0.1, 0.9}
	if err := p.certify(ctx, x, interior); err != nil || !p.obeys(x.P) || !p.satisfies(ctx, x.P) || !(x.Hi < 0.5 && x.Hi > 0.3) {
		t.Errorf("certified %+v, %v", x, err)
	}
	_, hi := p.value(x.P).Bounds()
	if x.Hi != hi {
		t.Errorf("Hi = %v, want the value %v", x.Hi, hi)
	}
	x = &Solution{P: near, Z: make([]float64, 2*len(p.Pairs)), V: []float64{0, 0}}
	if err := p.certify(ctx, x, []float64{0.5, 0.5, 0.5, 0.5}); err != nil || !math.IsInf(x.Hi, 1) {
		t.Errorf("an interior point that violates the bounds: certified %+v, %v", x, err)
	}
	x = &Solution{P: near, Z: make([]float64, 2*len(p.Pairs)), V: []float64{0, 0}}
	if err := p.certify(ctx, x, nil); err != nil || !math.IsInf(x.Hi, 1) {
		t.Errorf("no interior point: certified %+v, %v", x, err)
	}
}

// An exact solution is checked constraint by constraint, and the first violated one is named.
func TestVerifyNamesViolation(t *testing.T) {
	w := big.NewRat(3, 1)
	solve := func(worst bool) (*Program, *ExactSolution) {
		p, _ := Line(3).Program(interval.Rat(w))
		if worst {
			p.Worst()
		}
		x := must.For(SolveExact(t.Context(), p, w, 100))(t)
		if err := p.verify(x, w); err != nil {
			t.Fatal(err)
		}
		return p, x
	}
	add := func(v []*big.Rat, at int, by int64) { v[at] = new(big.Rat).Add(v[at], big.NewRat(by, 1)) } // merged entries share a number, so replace it
	for want, spoil := range map[string]func(p *Program, x *ExactSolution){
		"p[2] < 0":      func(_ *Program, x *ExactSolution) { add(x.P, 2, -5) },
		"row 0 sums to": func(_ *Program, x *ExactSolution) { add(x.P, 0, 1) },
		"row 3 sums to": func(_ *Program, x *ExactSolution) { add(x.P, 12, 1) },
		"v[1] < 0":      func(_ *Program, x *ExactSolution) { add(x.V, 1, -5) },
		"of the bounds": func(_ *Program, x *ExactSolution) { add(x.V, 1, 1) },
		"z[3] < 0":      func(_ *Program, x *ExactSolution) { add(x.Z, 3, -100) },
		"is violated": func(_ *Program, x *ExactSolution) {
			x.P[0].SetInt64(1)
			x.P[1].SetInt64(0)
			x.P[2].SetInt64(0)
			x.P[3].SetInt64(0)
		},
		"primal":          func(_ *Program, x *ExactSolution) { add(x.Z, 4, 1) },
		"bound is exceed": func(p *Program, _ *ExactSolution) { p.Level = false },
	} {
		p, x := solve(true)
		spoil(p, x)
		if err := p.verify(x, w); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	p, x := solve(false)
	if want, _ := p.standardValue(w); x.Value.Cmp(want) != 0 {
		t.Errorf("value %v, want %v", x.Value, want)
	}
}

func (p *Program) standardValue(w *big.Rat) (*big.Rat, bool) {
	a, b, cost := p.Standard(w, nil)
	return Simplex(a, b, cost)
}

// solveRational solves systems with free unknowns and dependent equations, and rejects contradictions.
func TestRationalSystems(t *testing.T) {
	ctx := t.Context()
	rng := rand.New(rand.NewPCG(5, 4))
	for trial := range 200 {
		rows, cols := 1+rng.IntN(5), 1+rng.IntN(5)
		m, right := make([][]*big.Rat, rows), Zeros(rows)
		truth := make([]*big.Rat, cols)
		for c := range truth {
			truth[c] = big.NewRat(rng.Int64N(41)-20, rng.Int64N(9)+1)
		}
		for i := range m {
			m[i] = make([]*big.Rat, cols)
			for c := range m[i] {
				m[i][c] = big.NewRat(rng.Int64N(7)-3, rng.Int64N(4)+1)
				if i > 0 && trial%3 == 0 {
					m[i][c] = new(big.Rat).Mul(m[0][c], big.NewRat(int64(i+1), 3))
				}
			}
			for c, v := range m[i] {
				right[i].Add(right[i], new(big.Rat).Mul(v, truth[c]))
			}
		}
		guess := make([]float64, cols)
		for c := range guess {
			guess[c] = rng.NormFloat64()
		}
		x := solveRational(ctx, m, right, guess)
		if x == nil {
			t.Fatalf("trial %d: no solution", trial)
		}
		free := 0
		for c, v := range x {
			if v.Cmp(rounded(guess[c])) == 0 {
				free++
			}
		}
		for i := range m {
			sum := new(big.Rat)
			for c, v := range m[i] {
				sum.Add(sum, new(big.Rat).Mul(v, x[c]))
			}
			if sum.Cmp(right[i]) != 0 {
				t.Fatalf("trial %d: equation %d gives %v, want %v", trial, i, sum, right[i])
			}
		}
		if free < cols-rows {
			t.Fatalf("trial %d: %d of %d unknowns are free in %d equations", trial, free, cols, rows)
		}
		if rows == cols {
			switch y := SolveSquare(ctx, m, right); {
			case y == nil && free == 0:
				t.Fatalf("trial %d: a square system is not solved", trial)
			case y != nil:
				for c := range y {
					if y[c].Cmp(truth[c]) != 0 {
						t.Fatalf("trial %d: %v, want %v", trial, y[c], truth[c])
					}
				}
			}
		}
		if trial%3 == 0 && rows > 1 {
			right[1].Add(right[1], big.NewRat(1, 1))
			if x := solveRational(ctx, m, right, guess); x != nil {
				t.Fatalf("trial %d: contradictory equations have the solution %v", trial, x)
			}
		}
	}
	one := [][]*big.Rat{{big.NewRat(1, 1)}}
	of := []*big.Rat{big.NewRat(5, 7)}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if x := solveRational(ended, one, of, []float64{1}); x != nil {
		t.Errorf("a cancelled context gives %v", x)
	}
	if x := SolveSquare(ended, one, of); x != nil {
		t.Errorf("a cancelled context gives %v", x)
	}
	if x := solveRational(ctx, [][]*big.Rat{{big.NewRat(1, prime)}}, of, []float64{1}); x != nil {
		t.Errorf("a denominator divisible by the prime gives %v", x)
	}
	for v, want := range map[float64]*big.Rat{0: new(big.Rat), 1: big.NewRat(1, 1), math.Inf(1): new(big.Rat), 0.75: big.NewRat(3, 4), -3: big.NewRat(-3, 1), 1 + 0x1p-40: big.NewRat(1, 1), 1e-300: nil} {
		got := rounded(v)
		if want != nil && got.Cmp(want) != 0 {
			t.Errorf("%v rounds to %v", v, got)
		}
		if f, _ := got.Float64(); want == nil && math.Abs(f/v-1) > 0x1p-32 {
			t.Errorf("%v rounds to %v", v, f)
		}
	}
}
