package sampling

import (
	"errors"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// Numbers of every kind enclose the true value at every precision. Interval arithmetic gives the reference.
func TestNumbersEnclose(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func() *big.Rat { return big.NewRat(rng.Int64N(2000)-1000, rng.Int64N(97)+1) }
	positive := func() *big.Rat { return big.NewRat(rng.Int64N(1<<rng.IntN(40))+1, rng.Int64N(1<<rng.IntN(40))+1) }
	for range 300 {
		p, q, r := draw(), draw(), positive()
		x, y, z := interval.Rat(p), interval.Rat(q), interval.Rat(r)
		small := new(big.Rat).Quo(p, big.NewRat(100, 1))
		for name, c := range map[string]struct {
			number Number
			want   interval.Interval
		}{
			"rational": {Rat(p), x},
			"sum":      {Sum(Rat(p), Rat(q), Rat(r), Int(3)), x.Add(y).Add(z).Add(interval.Int(3))},
			"product":  {Rat(p).Mul(Rat(r)), x.Mul(z)},
			"negative": {Rat(p).Neg(), x.Neg()},
			"inverse":  {Rat(r).Inverse(), interval.Int(1).Quo(z)},
			"root":     {Rat(r).Root(2), z.Sqrt()},
			"cube":     {Rat(r).Root(3), z.Log().Quo(interval.Int(3)).Exp()},
			"power":    {Exp(Rat(small)), interval.Rat(small).Exp()},
			"decay":    {Exp(Rat(r).Neg()), z.Neg().Exp()},
			"log":      {Log(r), z.Log()},
			"shifted":  {Rat(p).shifted(-7), x.Quo(interval.Int(128))},
			"known":    {Log(r).Mul(Rat(p)).Known(), z.Log().Mul(x)},
		} {
			for _, bits := range []int{180, 0, 1, 7, 64, 130} {
				lo, hi, err := c.number.enclose(bits)
				if err != nil {
					t.Fatalf("%s of %v, %v, %v at %d bits: %v", name, p, q, r, bits, err)
				}
				unit := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(one, uint(bits)))
				low, high := new(big.Rat).SetInt(lo), new(big.Rat).SetInt(hi)
				low.Mul(low, unit)
				high.Mul(high, unit)
				if c.want.Less(interval.Rat(low)) || interval.Rat(high).Less(c.want) {
					t.Fatalf("%s of %v, %v, %v at %d bits lies in [%v, %v], want %v", name, p, q, r, bits, low, high, c.want)
				}
			}
		}
	}
}

// wide returns x with bounds as far apart as a Number allows. The value is at the lower bound, in the middle, or at
// the upper bound.
func wide(x Number, side int) Number {
	return func(bits int) (lo, hi *big.Int) {
		lo, hi = x(bits)
		rest := width - new(big.Int).Sub(hi, lo).Int64()
		below := rest * int64(side) / 2
		return new(big.Int).Sub(lo, big.NewInt(below)), new(big.Int).Add(hi, big.NewInt(rest-below))
	}
}

// Operations on Numbers of the largest allowed width give Numbers that still enclose the result.
func TestWideNumbersEnclose(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 2))
	for trial := range 400 {
		size := int64(1) << rng.IntN(12)
		p, r := big.NewRat(rng.Int64N(2*size+1)-size, rng.Int64N(1<<rng.IntN(12))+1), big.NewRat(rng.Int64N(size)+1, rng.Int64N(1<<rng.IntN(12))+1)
		side, other := trial%3, rng.IntN(3)
		x, y := wide(Rat(p), side), wide(Rat(r), other)
		a, b := interval.Rat(p), interval.Rat(r)
		for name, c := range map[string]struct {
			number Number
			want   interval.Interval
		}{
			"itself":         {x, a},
			"sum":            {Sum(x, y, x), a.Add(b).Add(a)},
			"product":        {x.Mul(y), a.Mul(b)},
			"negative":       {x.Neg(), a.Neg()},
			"inverse":        {y.Inverse(), interval.Int(1).Quo(b)},
			"root":           {y.Root(2), b.Sqrt()},
			"seventh root":   {y.Root(7), b.Log().Quo(interval.Int(7)).Exp()},
			"root of 0":      {wide(Int(0), side).Root(3), interval.Int(0)},
			"first root":     {y.Root(1), b},
			"power":          {Exp(wide(Rat(new(big.Rat).Quo(p, big.NewRat(40, 1))), side)), interval.Rat(new(big.Rat).Quo(p, big.NewRat(40, 1))).Exp()},
			"shifted":        {x.shifted(-9), a.Quo(interval.Int(512))},
			"shifted upward": {x.shifted(9), a.Mul(interval.Int(512))},
			"known":          {x.Known(), a},
		} {
			for _, bits := range []int{0, 1, 2, 5, 30, 100} {
				lo, hi, err := c.number.enclose(bits)
				if err != nil {
					t.Fatalf("%s of %v, %v at %d bits: %v", name, p, r, bits, err)
				}
				unit := interval.Int(1).Quo(interval.Rat(new(big.Rat).SetInt(new(big.Int).Lsh(one, uint(bits)))))
				low, high := interval.Rat(new(big.Rat).SetInt(lo)).Mul(unit), interval.Rat(new(big.Rat).SetInt(hi)).Mul(unit)
				if c.want.Less(low) || high.Less(c.want) {
					t.Fatalf("%s of %v, %v at %d bits lies in [%v, %v], want %v", name, p, r, bits, low, high, c.want)
				}
				if lo.Sign() < 0 && (name == "root" || name == "root of 0" || name == "inverse") {
					t.Fatalf("%s of %v, %v at %d bits has the lower bound %v", name, p, r, bits, lo)
				}
			}
		}
	}
}

// exponent succeeds exactly for powers of two.
func TestExponentsOfGrids(t *testing.T) {
	for e := -70; e <= 70; e++ {
		if got, ok := exponent(TwoTo(e)); !ok || got != e {
			t.Errorf("2^%d has the exponent %d, %t", e, got, ok)
		}
		for _, q := range []*big.Rat{new(big.Rat).Mul(TwoTo(e), big.NewRat(3, 1)), new(big.Rat).Mul(TwoTo(e), big.NewRat(1, 5)), new(big.Rat).Neg(TwoTo(e))} {
			if _, ok := exponent(q); ok {
				t.Errorf("%v has an exponent", q)
			}
		}
	}
}

// Floor and Round match rational arithmetic, on grids of every kind, also if the first precision is not enough.
func TestRound(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		x := big.NewRat(rng.Int64()-1<<62, 1+rng.Int64N(1<<rng.IntN(60)))
		grid := big.NewRat(1+rng.Int64N(9), 1+rng.Int64N(9))
		if rng.IntN(2) == 0 {
			grid = new(big.Rat).SetFrac(one, new(big.Int).Lsh(one, uint(rng.IntN(200))))
			if rng.IntN(2) == 0 {
				grid.Inv(grid)
			}
		}
		at := new(big.Rat).Quo(x, grid)
		want := interval.RationalFloor(at.Add(at, big.NewRat(1, 2)))
		if got := RoundRat(x, grid); got.Cmp(want) != 0 {
			t.Errorf("RoundRat(%v, %v) = %v, want %v", x, grid, got, want)
		}
		if at.IsInt() {
			continue // Round cannot decide ties
		}
		if got, err := Round(Rat(x), grid); err != nil || got.Cmp(want) != 0 {
			t.Fatalf("%v rounds to %v times %v (%v), want %v", x, got, grid, err, want)
		}
	}
	near := new(big.Rat).SetFrac(one, new(big.Int).Lsh(one, 3000)) // distance below 3
	if k, err := Floor(Rat(new(big.Rat).Sub(big.NewRat(3, 1), near))); err != nil || k.Int64() != 2 {
		t.Errorf("the floor of nearly 3 is %v: %v", k, err)
	}
	for name, x := range map[string]Number{
		"fixed bounds": func(bits int) (lo, hi *big.Int) {
			return new(big.Int), new(big.Int).Lsh(one, uint(bits))
		},
		"crossed bounds": func(int) (lo, hi *big.Int) { return one, new(big.Int) },
		"a tie":          Sum(Rat(big.NewRat(1, 3)), Rat(big.NewRat(2, 3))),
		"1/0":            Int(0).Inverse(),
	} {
		if k, err := Floor(x); !errors.Is(err, ErrUndecided) {
			t.Errorf("the floor of %s is %v: %v, want ErrUndecided", name, k, err)
		}
		if _, err := NewLaw(x, Int(1)); name != "a tie" && !errors.Is(err, ErrUndecided) {
			t.Errorf("a law with a weight of %s: %v, want ErrUndecided", name, err)
		}
	}
}

// The Number of ε encloses its value, for rationals and multiples of a logarithm.
func TestEpsilonNumbers(t *testing.T) {
	log, err := evidence.LogEpsilon("eps", big.NewRat(9, 4))
	if err != nil {
		t.Fatal(err)
	}
	rational, err := evidence.NewEpsilon("eps", 0.7)
	if err != nil {
		t.Fatal(err)
	}
	for _, eps := range []evidence.Epsilon{log, log.Ratio(3, 7), rational} {
		for name, c := range map[string]struct {
			number Number
			want   interval.Interval
		}{
			"ε":      {Epsilon(eps), eps.Enclosure()},
			"e^−ε":   {Decay(eps, big.NewRat(1, 1)), eps.Decay()},
			"e^−7ε":  {Decay(eps, big.NewRat(7, 1)), eps.Decay().Pow(7)},
			"e^−ε/2": {Decay(eps, big.NewRat(1, 2)), eps.Decay().Sqrt()},
		} {
			lo, hi, err := c.number.enclose(200)
			if err != nil {
				t.Fatal(err)
			}
			scale := new(big.Int).Lsh(one, 200)
			low, high := interval.Rat(new(big.Rat).SetFrac(lo, scale)), interval.Rat(new(big.Rat).SetFrac(hi, scale))
			if c.want.Less(low) || high.Less(c.want) {
				t.Errorf("%s at %v lies in [%v, %v], want %v", name, eps, low, high, c.want)
			}
		}
	}
}
