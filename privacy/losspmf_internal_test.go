package privacy

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/looks"
	"dpworkbench/interval"
)

// rungsOf returns a ladder of whole masses on steps of 2^scale from rung first on, with so many bits.
func rungsOf(first int64, scale, most int, prec uint, infinityMass int64, masses ...int64) *lossPMF {
	l := &lossPMF{grid: newGrid(interval.Int(1), scale, most, false), base: interval.Int(0), first: first, prec: prec, infinityMass: big.NewInt(infinityMass), discVar: interval.Float(0.25), unassigned: interval.Float(0.125)}
	for _, m := range masses {
		l.mass = append(l.mass, big.NewInt(m))
	}
	return l
}

// A ladder has a rung below the least loss and one above the largest, where roundings and splits put what they may, and no others.
func TestRoomForLosses(t *testing.T) {
	for _, c := range []struct {
		lo, hi  float64
		first   int64
		rungs   int
		highest int64
	}{{0, 0, -1, 3, 1}, {-1, 1, -5, 11, 5}, {-1, 1.125, -5, 12, 6}, {-1.125, 1, -6, 12, 5}, {0.3, 0.4, 0, 4, 3}, {-0.4, -0.3, -3, 4, 0}, {100, 101, 399, 7, 405}} {
		l := &lossPMF{grid: newGrid(interval.Int(1), -2, 1<<14, false)}
		l.allocate(interval.Between(c.lo, c.hi))
		if l.first != c.first || len(l.mass) != c.rungs || l.first+int64(len(l.mass))-1 != c.highest {
			t.Errorf("losses from %g to %g: %d rungs from %d on, want %d from %d on", c.lo, c.hi, len(l.mass), l.first, c.rungs, c.first)
		}
		for _, m := range l.mass {
			if m == nil || m.Sign() != 0 {
				t.Fatalf("losses from %g to %g: a mass of %v", c.lo, c.hi, m)
			}
		}
	}
}

// A loss is split between the two rungs about it so that its mass and the mean of e^{−loss} stay, to the last bits, and one on a rung stays there.
func TestSplitLosses(t *testing.T) {
	const prec = 100
	h := 0.25
	for _, loss := range []float64{0, 0.1, 0.125, 0.25, 0.3, 0.7499, -0.1, -0.25, -0.9} {
		l := &lossPMF{grid: newGrid(interval.Int(1), -2, 1<<14, false), prec: prec, discVar: interval.Float(0.5)}
		b := newPessimisticDiscretizer(l, interval.Between(-1, 1))
		if v := l.discVar.Mid(); v != 0.5+h*h {
			t.Fatalf("splits move %g", v)
		}
		b.split(interval.Float(loss), interval.Float(0.75))
		sum, mean, buckets := 0.0, 0.0, 0
		for j, m := range l.mass {
			v, _ := new(big.Float).SetInt(m).Float64()
			at := h * float64(l.first+int64(j))
			sum, mean = sum+math.Ldexp(v, -prec), mean+math.Ldexp(v, -prec)*math.Exp(-at)
			if v > 0 {
				buckets++
				if at > loss+h || at < loss-h {
					t.Errorf("of a loss of %g some lies at %g", loss, at)
				}
			}
		}
		want := 2
		if math.Mod(loss, h) == 0 {
			want = 1
		}
		if math.Abs(sum-0.75) > 1e-15 || math.Abs(mean-0.75*math.Exp(-loss)) > 1e-15 || buckets != want {
			t.Errorf("a loss of %g: masses of %g on %d rungs, mean %g, want %g", loss, sum, buckets, mean, 0.75*math.Exp(-loss))
		}
	}
}

// On the rungs of even number a law keeps the mean of e^{−loss} where it lies over the losses; its mass stays but for a unit of every odd rung; infinite losses
// stay, and the step moves by twice as much.
func TestCoarserRungs(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 17))
	const prec = 90
	for range 100 {
		n := 1 + rng.IntN(9)
		var masses []int64
		for range n {
			masses = append(masses, rng.Int64N(1<<60))
		}
		first := int64(rng.IntN(11) - 5)
		l := rungsOf(first, -3, 1<<10, prec, 77, masses...)
		c := l.coarsen()
		if c.exponent != -2 || c.maxBuckets != 1<<10 || c.infinityMass.Int64() != 77 || c.prec != prec || c.step.Mid() != 0.25 || math.Abs(c.discVar.Mid()-0.25-0.0625) > 1e-15 || c.unassigned.Mid() != 0.125 {
			t.Fatalf("%+v", c)
		}
		sum := func(l *lossPMF) (mass *big.Int, mean float64) {
			mass = new(big.Int)
			for j, m := range l.mass {
				mass.Add(mass, m)
				v, _ := new(big.Float).SetInt(m).Float64()
				mean += v * math.Exp(-l.step.Mid()*float64(l.first+int64(j)))
			}
			return mass, mean
		}
		before, mean := sum(l)
		after, same := sum(c)
		if lost := new(big.Int).Sub(before, after); lost.Sign() < 0 || lost.Int64() > int64(2*n) || math.Abs(same-mean) > 1e-13*mean {
			t.Fatalf("%v from %d on: %v lost, a mean of %g becomes %g", masses, first, lost, mean, same)
		}
		// Each mass lies on its own rung or on the two beside it.
		for j, m := range l.mass {
			alone := rungsOf(first+int64(j), -3, 1<<10, prec, 0, m.Int64())
			if m.Sign() == 0 {
				continue
			}
			k := first + int64(j)
			got := alone.coarsen()
			want := 1
			if k&1 == 1 || k&1 == -1 {
				want = 2
			}
			if len(got.mass) != want || got.first != k>>1 {
				t.Fatalf("rung %d becomes %d rungs from %d on", k, len(got.mass), got.first)
			}
		}
	}
}

// A law is as coarse as its rungs ask for, and two meet on the coarser one's, however far apart; one without a limit stays.
func TestLawsMeet(t *testing.T) {
	long := make([]int64, 100)
	for i := range long {
		long[i] = 1 << 20
	}
	for most, scale := range map[int]int{100: -3, 99: -2, 52: -2, 49: -1, 25: 0, 0: -3} {
		if got := rungsOf(7, -3, most, 60, 0, long...).coarsenToLimit(); got.exponent != scale || most > 0 && len(got.mass) > most {
			t.Errorf("at most %d rungs: %d of 2^%d", most, len(got.mass), got.exponent)
		}
	}
	for _, c := range [][3]int{{-3, -3, -3}, {-3, -1, -1}, {0, -4, 0}, {-2, -3, -2}} {
		a, b := alignGrids(rungsOf(1, c[0], 1000, 60, 0, 5, 6), rungsOf(2, c[1], 1000, 60, 0, 7))
		if a.exponent != c[2] || b.exponent != c[2] {
			t.Errorf("2^%d and 2^%d meet on 2^%d and 2^%d", c[0], c[1], a.exponent, b.exponent)
		}
	}
	a, b := alignGrids(rungsOf(1, -3, 0, 60, 0, 5, 6), rungsOf(2, -1, 0, 60, 0, 7))
	if a.exponent != -3 || b.exponent != -1 {
		t.Errorf("laws without a limit meet on 2^%d and 2^%d", a.exponent, b.exponent)
	}
	if d := newGrid(interval.Float(0.75), -3, 5, true); d.step.Mid() != 0.75/8 || d.unit.Mid() != 0.75 || d.maxBuckets != 5 || !d.optimistic || d.stepsPerUnit != nil {
		t.Errorf("%+v", d)
	}
}

// The law of a sum has the products of masses, and either infinite loss, rounded down; powers are products however they are taken.
func TestSumsOfRungs(t *testing.T) {
	const prec = 40
	whole := int64(1) << prec
	a, b := rungsOf(-2, -3, 0, prec, whole/8, whole/4, 0, whole/2+1), rungsOf(3, -3, 0, prec, whole/4, whole/2, whole/8-3)
	a.base, b.base = interval.Float(0.5), interval.Float(-2)
	got := a.convolve(b)
	if got.first != 1 || len(got.mass) != 4 || got.base.Mid() != -1.5 || got.discVar.Mid() != 0.5 || got.unassigned.Mid() != 0.25 || got.prec != prec {
		t.Fatalf("%+v", got)
	}
	var want [4]*big.Int
	for i := range want {
		want[i] = new(big.Int)
	}
	for i, x := range a.mass {
		for j, y := range b.mass {
			want[i+j].Add(want[i+j], new(big.Int).Mul(x, y))
		}
	}
	for j, w := range want {
		if got.mass[j].Cmp(w.Rsh(w, prec)) != 0 {
			t.Errorf("rung %d has %v, want %v", j, got.mass[j], w)
		}
	}
	if infinityMass := whole/8 + whole/4 - whole/32; got.infinityMass.Int64() != infinityMass {
		t.Errorf("infinite losses of %v, want %d", got.infinityMass, infinityMass)
	}
	if at := got.lossAt(0); at.Mid() != -1.5+1./8 {
		t.Errorf("the first rung is %v", at)
	}
	zero := rungsOf(0, -3, 0, prec, 0, 1)
	zero.base = interval.Float(0.5)
	if zero.lossAt(0) != zero.base {
		t.Error("a rung that is no step away from the base is not the base itself")
	}
	for n := 1; n <= 9; n++ {
		l := rungsOf(-1, -3, 0, prec, whole/64, whole/4, whole/2, whole/8)
		got, err := l.selfConvolve(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		by := l
		for range n - 1 {
			by = by.convolve(rungsOf(-1, -3, 0, prec, whole/64, whole/4, whole/2, whole/8))
		}
		if got.first != by.first || len(got.mass) != len(by.mass) || math.Abs(got.discVar.Mid()-by.discVar.Mid()) > 1e-15 {
			t.Fatalf("%d losses: %d rungs from %d on, want %d from %d on", n, len(got.mass), got.first, len(by.mass), by.first)
		}
		for j := range got.mass {
			if gap := new(big.Int).Sub(got.mass[j], by.mass[j]); gap.CmpAbs(big.NewInt(int64(4*n))) > 0 { // roundings of their own
				t.Errorf("%d losses: rung %d has %v, want %v", n, j, got.mass[j], by.mass[j])
			}
		}
	}
	if places := looks.Each(t, 1, func(ctx context.Context) error { _, err := a.selfConvolve(ctx, 5); return err }); places == 0 {
		t.Error("powers do not look whether they are to end")
	}
}

// Rungs without mass are dropped at both ends and nowhere else, all of them where there is none.
func TestTrimmed(t *testing.T) {
	for _, c := range []struct {
		masses []int64
		first  int64
		left   int
	}{{[]int64{0, 0, 3, 0, 4, 0}, 12, 3}, {[]int64{1}, 10, 1}, {[]int64{0}, 10, 0}, {nil, 10, 0}, {[]int64{0, 0, 0}, 10, 0}, {[]int64{0, 5}, 11, 1}, {[]int64{5, 0}, 10, 1}} {
		got := rungsOf(10, -3, 0, 20, 0, c.masses...).dropEmptyTails()
		if len(got.mass) != c.left || c.left > 0 && (got.first != c.first || got.mass[0].Sign() == 0 || got.mass[c.left-1].Sign() == 0) {
			t.Errorf("%v: %d rungs from %d on, want %d from %d on", c.masses, len(got.mass), got.first, c.left, c.first)
		}
		if rest := rungsOf(10, -3, 0, 20, 100, c.masses...).truncated().Int64(); rest != 1<<20-100-sumOf(c.masses) {
			t.Errorf("%v: %d was cut off", c.masses, rest)
		}
	}
}

func sumOf(masses []int64) (sum int64) {
	for _, m := range masses {
		sum += m
	}
	return sum
}

// Masses are rounded down to whole numbers, gains too, and costs up: at most two units above, nil where they are beyond use.
func TestRoundedMasses(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		prec   uint
		down   int64
		up     int64 // of the upper end
	}{{0.3, 0.7, 4, 4, 12}, {0.25, 0.25, 4, 4, 5}, {-0.5, 0.5, 4, 0, 9}, {0, 0, 4, 0, 1}, {1, 1, 0, 1, 2}, {1e-9, 1e-9, 20, 0, 1}} {
		a := interval.Between(c.lo, c.hi)
		if got := floorFixed(a, c.prec).Int64(); got != c.down {
			t.Errorf("%v to %d bits is %d, want %d", a, c.prec, got, c.down)
		}
		if got := ceilFixed(a, c.prec).Int64(); got != c.up {
			t.Errorf("%v rounded up to %d bits is %d, want %d", a, c.prec, got, c.up)
		}
	}
	s := &expm1Table{step: interval.Float(0.125), prec: 30}
	for _, d := range []int64{0, 1, 7, 63, 64, 65, 200, 2047, 2048, 2049, 4000, 7, 64} { // again, too
		down := math.Ldexp(-math.Expm1(-float64(d)/8), 30)
		if got := float64(s.oneMinusExp(d).Int64()); got > down || got < down-1-1e-6 {
			t.Errorf("down %d: %g, want %g", d, got, down)
		}
		up := s.expm1(d)
		if d > 2048 { // e^256
			if up != nil {
				t.Errorf("up %d: %v", d, up)
			}
			continue
		}
		got, _ := new(big.Float).SetInt(up).Float64()
		if want := math.Ldexp(math.Expm1(float64(d)/8), 30); got < want*(1-1e-15) || got > want*(1+1e-15)+2 {
			t.Errorf("up %d: %g, want %g", d, got, want)
		}
	}
	if len(s.oneMinusExps) != 64 || len(s.expm1s) != 64 {
		t.Errorf("%d and %d are remembered", len(s.oneMinusExps), len(s.expm1s))
	}
	calls := 0
	find := func() *big.Int { calls++; return big.NewInt(9) }
	var list []*big.Int
	for _, d := range []int64{5, 5, 63, 63, 64, 64, 5} {
		if memoized(&list, d, find).Int64() != 9 {
			t.Error("forgotten")
		}
	}
	if calls != 4 { // 5 and 63 once, 64 each time
		t.Errorf("found %d times", calls)
	}
}

// Enormous spreads are refused, with what is known of them.
func TestSpreadsWithoutEnd(t *testing.T) {
	l := NewDiscretePair([]Atom{{P: evidence.ExactRat(big.NewRat(1, 2)), Q: evidence.RatOrInterval{Enclosure: interval.Float(0.5)}, Offset: interval.Float(1e306)},
		{P: evidence.ExactRat(big.NewRat(1, 2)), Q: evidence.RatOrInterval{Enclosure: interval.Float(0.5)}, Offset: interval.Float(-1e306)}}, zero, zero, evidence.Epsilon{}, Hooks{})
	for times, fails := range map[int]bool{2: false, 1000: true} {
		got, err := (&composition{factors: []factor{{l, times}}}).composeOnGrid(t.Context(), 52, false)
		if fails && (got != nil || !errors.Is(err, evidence.ErrParameter) || err.Error() != "losses are known to lie between -1e+306 and 1e+306, want numbers whose sums over 1000 uses are finite") || !fails && err != nil {
			t.Errorf("%d uses: %v", times, err)
		}
	}
}
