package privacy

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// Outputs that are merged keep their mass to the last unit, and e^{−loss} of all of them hardly: what is given away is what the last cell still had
// to gain, no more, and never is a cell's loss below its rung's. So no divergence of the law is above that of the outputs.
func TestMergedOutputs(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 4))
	const prec, h = 60, 0.125
	for range 60 {
		n := 1 + rng.IntN(40)
		losses := make([]float64, n)
		for i := range losses {
			losses[i] = rng.Float64()*6 - 3
		}
		slices.SortFunc(losses, func(a, b float64) int { return int(math.Copysign(1, b-a)) })
		l := &lossPMF{grid: newGrid(interval.Int(1), -3, 1<<14, true), prec: prec, base: slackBelow, infinityMass: new(big.Int)}
		add, finish := l.discretizer(interval.Between(losses[n-1], losses[0]))
		all, whole := new(big.Int), 0.0
		masses := make([]float64, n)
		for i, x := range losses {
			m := big.NewInt(1 + rng.Int64N(1<<54))
			v, _ := new(big.Float).SetInt(m).Float64()
			masses[i] = math.Ldexp(v, -prec)
			all.Add(all, m)
			whole += masses[i] * math.Exp(-x)
			add(interval.Float(x), fromFixed(m, prec))
		}
		got := finish()
		sum, under := new(big.Int), 0.0
		for j, m := range got.mass {
			sum.Add(sum, m)
			v, _ := new(big.Float).SetInt(m).Float64()
			under += math.Ldexp(v, -prec) * math.Exp(-h*float64(got.first+int64(j)))
		}
		if sum.Cmp(all) != 0 {
			t.Fatalf("%d outputs have %v, merged ones %v", n, all, sum)
		}
		last, _ := new(big.Float).SetInt(got.mass[0]).Float64() // of the lowest rung
		most := math.Ldexp(last, -prec) * math.Exp(-h*float64(got.first)) * -math.Expm1(-h)
		if under < whole*(1-1e-13) || under-whole > most+1e-13*whole {
			t.Fatalf("%d outputs: e^−loss adds up to %g, of merged ones to %g, want at most %g more", n, whole, under, most)
		}
		s := sumTails(got)
		for at := -3.0; at < 3; at += 0.09 {
			want := 0.0
			for i, x := range losses {
				want += masses[i] * max(-math.Expm1(at-x), 0)
			}
			if _, hi := s.finiteDelta(interval.Float(at)).Bounds(); hi > want+1e-13 {
				t.Fatalf("merged outputs have δ(%g) = %g, all of them %g", at, hi, want)
			}
		}
	}
}

// A loss that lies on a rung but for rounding is on it, and one that is known between ends counts as the lower one.
func TestPlacesOfCells(t *testing.T) {
	const prec = 60
	for _, c := range []struct {
		base interval.Interval
		loss interval.Interval
		rung int64
	}{
		{slackBelow, interval.Float(0.5), 2}, {slackBelow, interval.Float(0.5).Sub(interval.Float(0x1p-220)), 2}, {slackBelow, interval.Float(0.5).Sub(interval.Float(0x1p-190)), 1},
		{latticeSlackBelow, interval.Float(0.5).Sub(interval.Float(0x1p-190)), 2}, {slackBelow, interval.Between(0.3, 0.9), 1}, {slackBelow, interval.Between(-0.3, 0.9), -2}, {slackBelow, interval.Float(-0.25), -1},
	} {
		l := &lossPMF{grid: newGrid(interval.Int(1), -2, 1<<14, true), prec: prec, base: c.base}
		l.allocate(interval.Between(-2, 2))
		cells := &optimisticDiscretizer{pmf: l}
		cells.add(big.NewInt(12345), c.loss)
		if !cells.open || cells.bucket != c.rung || cells.mass.Int64() != 12345 {
			t.Errorf("a loss of %v opens a cell at rung %d, want %d", c.loss, cells.bucket, c.rung)
		}
		cells.add(new(big.Int), interval.Float(-1)) // nothing is put nowhere
		if cells.bucket != c.rung {
			t.Error("nothing opens a cell")
		}
		cells.flush()
		cells.flush()
		if got := l.mass[c.rung-l.first].Int64(); cells.open || got != 12345 {
			t.Errorf("rung %d has %d after its cell is closed", c.rung, got)
		}
	}
	// Gains of 3 units let in as much at a cost of 2 as they pay for, the rest begins a cell of its own; what costs more than there can be closes one.
	l := &lossPMF{grid: newGrid(interval.Int(1), -2, 1<<14, true), prec: 4, base: slackBelow}
	l.allocate(interval.Between(-2, 2))
	c := &optimisticDiscretizer{pmf: l}
	unit := func(n int64) func(int64) *big.Int { return func(int64) *big.Int { return big.NewInt(n) } }
	c.addFixed(big.NewInt(5), 3, unit(3), nil)
	c.addFixed(big.NewInt(20), 1, unit(1), unit(2))
	if at := func(k int64) int64 { return l.mass[k-l.first].Int64() }; at(3) != 5+7 || !c.open || c.bucket != 1 || c.mass.Int64() != 13 || c.balance.Int64() != 13 {
		t.Errorf("rung 3 has %d, and rung %d is open with %v and %v to gain", at(3), c.bucket, c.mass, c.balance)
	}
	c.addFixed(big.NewInt(2), 0, unit(9), func(int64) *big.Int { return nil })
	if c.bucket != 0 || c.mass.Int64() != 2 || c.balance.Int64() != 18 || l.mass[1-l.first].Int64() != 13 {
		t.Errorf("rung %d is open with %v and %v to gain", c.bucket, c.mass, c.balance)
	}
	c.addFixed(big.NewInt(6), -1, unit(9), unit(3)) // pays for all of it
	if c.bucket != 0 || c.mass.Int64() != 8 || c.balance.Sign() != 0 {
		t.Errorf("rung %d is open with %v and %v to gain", c.bucket, c.mass, c.balance)
	}
	c.addFixed(big.NewInt(4), 0, unit(1), nil) // of its own rung
	if c.bucket != 0 || c.mass.Int64() != 12 || c.balance.Int64() != 4 {
		t.Errorf("rung %d is open with %v and %v to gain", c.bucket, c.mass, c.balance)
	}
	c.addFixed(big.NewInt(9), -2, unit(1), unit(0)) // what costs nothing is let in
	if c.bucket != 0 || c.mass.Int64() != 21 || c.balance.Int64() != 4 {
		t.Errorf("rung %d is open with %v and %v to gain", c.bucket, c.mass, c.balance)
	}
}

// A law on a lattice goes to another grid whole, over or under, in whole numbers where steps double; what is empty stays empty.
func TestRegriddedLattices(t *testing.T) {
	const prec = 70
	lattice := rungsOf(-3, 0, 0, prec, 11, 5<<60, 0, 7<<60, 1<<60)
	lattice.step = interval.Rat(big.NewRat(1, 3))
	for _, under := range []bool{false, true} {
		g := newGrid(interval.Int(1), -4, 1<<12, under)
		got := lattice.regrid(g)
		if got.exponent != -4 || got.optimistic != under || got.infinityMass.Int64() != 11 || got.unassigned.Mid() != lattice.unassigned.Mid() || (got.base.CmpLo(latticeSlackBelow) == 0) != under {
			t.Errorf("%+v", got)
		}
		s, want := sumTails(got), sumTails(lattice)
		for _, at := range []float64{-1, -0.4, -0.1, 0, 0.2} {
			lo, hi := s.finiteDelta(interval.Float(at)).Bounds()
			truth := want.finiteDelta(interval.Float(at)).Mid()
			if under && hi > truth+1e-15 || !under && lo < truth-1e-15 || math.Abs(lo-truth) > 1./256 {
				t.Errorf("under: %t, δ(%g) in [%g, %g], is %g", under, at, lo, hi, truth)
			}
		}
		if left := new(big.Int).Sub(lattice.truncated(), got.truncated()); left.CmpAbs(big.NewInt(20)) > 0 {
			t.Errorf("under: %t, %v of the mass is lost", under, left)
		}
		empty := &lossPMF{grid: lattice.grid, base: interval.Int(0), prec: prec, infinityMass: big.NewInt(3), discVar: interval.Int(0), unassigned: interval.Int(0)}
		if got := empty.regrid(g); len(got.mass) != 0 || got.infinityMass.Int64() != 3 {
			t.Errorf("of nothing there is %v", got.mass)
		}
	}
	// A step twice as wide takes no split.
	fine := rungsOf(-4, -6, 1<<12, prec, 0, 5<<60, 3<<59, 7<<60, 1<<60)
	if got := fine.regrid(newGrid(interval.Int(1), -5, 1<<12, false)); math.Abs(got.discVar.Mid()-0.25-2*math.Ldexp(1, -10)) > 1e-15 || got.exponent != -5 {
		t.Errorf("splits have moved %g", got.discVar.Mid())
	}
	// And a lattice with one rung and no loss is a rung.
	one := must.Be(wideLoss(0, 0).discretize(t.Context(), newGrid(interval.Int(1), -5, 1<<12, true), prec))
	if len(one.mass) != 1 || one.first != 0 || one.mass[0].BitLen() != prec+1 {
		t.Errorf("no loss is %v from %d on", one.mass, one.first)
	}
}
