package ehmc

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/looks"
	"dpworkbench/internal/memory"
	"dpworkbench/internal/must"
	"dpworkbench/internal/stattest"
)

// counted is a law that counts how often its rows are read.
type counted struct {
	Quadratic
	rows int
}

func (c *counted) AddRow(k int, scale float64, dst []float64) {
	c.rows++
	c.Quadratic.AddRow(k, scale, dst)
}

// apart, random or next to each other, is what whole numbers say.
func TestApartIsASum(t *testing.T) {
	rng := rand.New(rand.NewPCG(28, 1))
	word := func() uint64 {
		return []uint64{0, 1, 5, math.MaxUint64, math.MaxUint64 - 1, rng.Uint64()}[rng.IntN(6)]
	}
	equal := 0
	for range 20000 {
		a, off := Threshold{word(), word()}, Threshold{word(), word()}
		sum := new(big.Int).Add(a.whole(), off.whole())
		o := Threshold{word(), word()}
		if rng.IntN(2) == 0 && sum.BitLen() <= 128 {
			o = Threshold{new(big.Int).Rsh(sum, 64).Uint64(), new(big.Int).And(sum, new(big.Int).SetUint64(math.MaxUint64)).Uint64()}
			if rng.IntN(2) == 0 {
				o = o.stepped(int64(rng.IntN(3) - 1))
			}
		}
		order := sum.Cmp(o.whole())
		if order == 0 {
			equal++
		}
		if got := a.apart(o, off); got != (order <= 0) {
			t.Fatalf("%x and %x apart from %x: %t", a, off, o, got)
		}
	}
	if equal < 1000 {
		t.Errorf("%d sums are equal", equal)
	}
}

// A heat bath sums a field exactly only where float64s cannot tell, and reads digits behind the
// first 128 only where these are those of the probability.
func TestBathReadsNoMoreThanItMust(t *testing.T) {
	const prec = 1000
	for _, x := range []float64{-40, -36.7, -30, -9, -1, -.01, .01, 1, 9, 30} {
		law := &counted{Quadratic: must.Be(NewDense([][]float64{{x, 0}, {0, -x}}))}
		b, s := newBath(law), newState(law, make([]bool, 2))
		row := make([]float64, 2)
		for k := range 2 {
			b.measure(k, row)
		}
		for _, zero := range []bool{false, true} {
			for k := range 2 {
				field := fieldOf(law.Quadratic.(*Dense), s.Bits, k, zero)
				p := logisticAt(field, prec)
				floor := new(big.Int).Quo(new(big.Int).Lsh(p.Num(), 128), p.Denom())
				at := fractionOf(new(big.Float).SetMantExp(new(big.Float).SetPrec(200).SetInt(floor), -128))
				for _, by := range []int64{-1 << 50, -1 << 20, -1, 2, 1 << 20, 1 << 50} {
					behind := func() rand.Source {
						t.Errorf("field %v: digits behind are read at %d", field, by)
						return &stattest.Spelled{}
					}
					if got := decided(t)(b.below(at.stepped(by), s, k, zero, behind)); got != (by < 0) {
						t.Errorf("field %v, %d from the threshold: %t", field, by, got)
					}
				}
				// What may be wrong: a rounding of the field for each of three summands, a cut to 53 bits, and 2⁻⁴⁹ of the probability.
				v, _ := p.Float64()
				wrong := 3*math.Abs(x)*0x1p-54 + 0x1p-52 + 0x1p-49*v + 0x1p-52
				law.rows = 0
				for _, side := range []float64{-1, 1} {
					if u := v + side*wrong; u > 0 && u < 1 {
						src := func() rand.Source { return &stattest.Spelled{} }
						if got := decided(t)(b.below(Threshold{uint64(u * 0x1p64), 0}, s, k, zero, src)); got != (side < 0) || law.rows != 0 {
							t.Errorf("field %v, %v against %v: %t after %d rows", field, u, v, got, law.rows)
						}
					}
				}
			}
		}
	}
}

// A perfect sampler reads the row of each bit once to be made, whatever hangs together.
func TestRowsAreReadOnce(t *testing.T) {
	for _, pi := range [][][]float64{
		{{1}},
		{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
		{{-1, .9, 0, 0}, {.9, -1, -.9, 0}, {0, -.9, -1, .9}, {0, 0, .9, -1}},
		{{0, 1, 1, 1}, {1, 0, 1, 1}, {1, 1, 0, 1}, {1, 1, 1, 0}},
		{{0, 0, 0, -2}, {0, 0, 3, 0}, {0, 3, 0, 0}, {-2, 0, 0, 0}},
	} {
		law := &counted{Quadratic: must.Be(NewDense(pi))}
		if _, err := NewPerfect(context.Background(), law); err != nil || law.rows != len(pi) {
			t.Errorf("%v: %d rows are read, %v", pi, law.rows, err)
		}
	}
}

// A draw that needs 2ʲ sweeps into the past is made where so many are allowed, and not where one less is.
func TestLimitOfThePast(t *testing.T) {
	ctx := context.Background()
	p := must.Be(NewPerfect(ctx, must.Be(NewDense([][]float64{{-1, .9, 0, 0}, {.9, -1, .9, 0}, {0, .9, -1, .9}, {0, 0, .9, -1}}))))
	needs := map[int]bool{}
	for seed := range uint64(60) {
		want, sweeps, err := p.Sample(ctx, 1<<20, rand.NewPCG(seed, 5))
		if err != nil {
			t.Fatal(err)
		}
		need := (sweeps + 1) / 2 // 1 + 2 + 4 + …
		needs[need] = true
		if got, also, err := p.Sample(ctx, need, rand.NewPCG(seed, 5)); err != nil || also != sweeps || !slices.Equal(got, want) {
			t.Errorf("%d sweeps allowed of %d: %v, %v", need, need, got, err)
		}
		if got, _, err := p.Sample(ctx, need-1, rand.NewPCG(seed, 5)); !errors.Is(err, ErrNotCoalesced) || got != nil {
			t.Errorf("%d sweeps allowed of %d: %v, %v", need-1, need, got, err)
		}
	}
	if !needs[1] || !needs[2] || !needs[4] {
		t.Errorf("draws need %v sweeps", needs)
	}
}

// separate are bits that are independent, each of one logit.
type separate struct {
	n     int
	logit float64
}

func (c separate) Dim() int                       { return c.n }
func (c separate) Diagonal(int) float64           { return c.logit }
func (c separate) AddRow(int, float64, []float64) {}

// A step of many bits looks at its context after every millionth part of its work, and makes no more of it.
func TestStepsLookWhileTheyLast(t *testing.T) {
	const d, looksOfOne = 1 << 11, 1 << (11 + 11 - 20)
	law, start := separate{d, 60}, make([]bool, d)
	one := func() rand.Source { return rand.NewPCG(28, 2) }
	for name, make := range map[string]func() Sampler{
		"gibbs":     func() Sampler { return must.Be(NewGibbs(law, start, one())) },
		"gaussian":  func() Sampler { return must.Be(NewGaussian(law, start, GaussianOptions{Turns: 1}, one())) },
		"published": func() Sampler { return must.Be(NewPublished(law, 1, one())) },
	} {
		whole := looks.After(context.Background(), math.MaxInt32)
		if _, err := StepUntil(whole, make()); err != nil || whole.Looks() != looksOfOne {
			t.Errorf("%s: a step makes %d looks, want %d (%v)", name, whole.Looks(), looksOfOne, err)
		}
		for left := range looksOfOne {
			chain := make()
			info, err := StepUntil(looks.After(context.Background(), left), chain)
			ones, part := chain.State().Ones(), left*d/looksOfOne
			if !errors.Is(err, context.Canceled) || ones != info.Crosses || ones > part || ones < part/3 || name != "published" && ones != part {
				t.Errorf("%s: %d looks let %d of %d bits move, %v", name, left, ones, part, err)
			}
		}
	}
	p := must.Be(NewPerfect(context.Background(), law))
	whole := looks.After(context.Background(), math.MaxInt32)
	if _, sweeps, err := p.Sample(whole, 1, one()); err != nil || whole.Looks() != looksOfOne*sweeps {
		t.Errorf("%d perfect sweeps make %d looks, %v", sweeps, whole.Looks(), err)
	}
}

// A bit is set where the first 53 bits of a word lie below its probability, which is off by few units of the last.
func TestWordsThatSetABit(t *testing.T) {
	for _, x := range []float64{0, math.Log(3), -math.Log(3), 4, -4, 20, -20} {
		p := logisticAt(new(big.Rat).SetFloat64(x), 500)
		floor := new(big.Int).Quo(new(big.Int).Lsh(p.Num(), 53), p.Denom()).Uint64()
		law := separate{1, x}
		sets := func(place uint64) bool {
			g := must.Be(NewGibbs(law, []bool{false}, &words{place}))
			info := g.Step()
			if on := g.State().Bits[0]; on != (info.Crosses == 1) || info.Tries != 1 {
				t.Errorf("logit %v: %+v and the bit is %t", x, info, on)
			}
			return g.State().Bits[0]
		}
		slack := uint64(0)
		if x != 0 {
			slack = 4
		}
		if !sets(0) || !sets(floor-1-slack) || sets(floor+slack) && x == 0 || sets(floor+1+slack) || sets(1<<53-1) {
			t.Errorf("logit %v: other words set the bit than those below %d", x, floor)
		}
	}
}

// A wall is met once in each half turn, and once more where that is before the last quarter turn is over.
func TestWallsOfAQuarterTurn(t *testing.T) {
	for turns := 1; turns <= 3; turns++ {
		for _, c := range []struct {
			momentum uint64 // small words are small numbers, twice as negative where bit 31 is set
			more     int
		}{{5 << 20, 0}, {0, 0}, {1<<32 - 5<<20, 1}} {
			src := &words{7 << 20, c.momentum}
			g := must.Be(NewGaussian(separate{1, 0}, []bool{false}, GaussianOptions{Turns: turns}, src))
			if info := g.Step(); info.Tries != turns+c.more || info.Crosses != info.Tries || len(*src) != 0 {
				t.Errorf("%d turns, momentum %x: %+v", turns, c.momentum, info)
			}
		}
	}
}

// The enclosure of a distance holds that which rational numbers and long roots give, and is hardly wider.
func TestDistanceEnclosesWhatIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(28, 3))
	const prec = 200
	root := func(v *big.Float) *big.Float { return new(big.Float).SetPrec(prec).Sqrt(v) }
	ln2, _ := new(big.Float).SetPrec(prec).SetString("0.693147180559945309417232121458176568075500134360255254120680009")
	for trial := range 300 {
		k := 2 + rng.IntN(30)
		p, counts, n := make([]float64, k), make([]int, k), 0
		left := 1 << 40
		for i := range p {
			w := left
			if i < k-1 {
				w = rng.IntN(left + 1)
			}
			p[i], left = float64(w)*0x1p-40, left-w
			counts[i] = rng.IntN(1 << (trial % 30))
			n += counts[i]
		}
		if n == 0 {
			continue
		}
		half := 1 + rng.IntN(40)
		d := must.Be(TotalVariation(p, counts, math.Ldexp(1, -half)))
		gap := new(big.Rat)
		for i, v := range p {
			each := new(big.Rat).Sub(big.NewRat(int64(counts[i]), int64(n)), new(big.Rat).SetFloat64(v))
			gap.Add(gap, each.Abs(each))
		}
		plain := new(big.Float).SetPrec(prec).SetRat(gap.Quo(gap, big.NewRat(2, 1)))
		per := func(v *big.Float, by int) *big.Float { return v.Quo(v, new(big.Float).SetInt64(int64(by))) }
		long := func(v int) *big.Float { return new(big.Float).SetPrec(prec).SetInt64(int64(v)) }
		radius := per(root(per(long(k-1), n)), 2)
		radius.Add(radius, root(per(new(big.Float).SetPrec(prec).Mul(ln2, long(half)), 2*n)))
		lo, hi := new(big.Float).Sub(plain, radius), new(big.Float).Add(plain, radius)
		below, _ := new(big.Float).Sub(lo, big.NewFloat(d.Sampler.Lo)).Float64()
		over, _ := new(big.Float).Sub(big.NewFloat(d.Sampler.Hi), hi).Float64()
		if d.Sampler.Lo > 0 && !(below >= 0 && below < 3e-12) || d.Sampler.Lo == 0 && below > 3e-12 {
			t.Errorf("%v of %v: from %v, which is %g below", counts, p, d.Sampler.Lo, below)
		}
		if d.Sampler.Hi < 1 && !(over >= 0 && over < 3e-12) || d.Sampler.Hi == 1 && over < -3e-12 && hi.Cmp(big.NewFloat(1)) < 0 {
			t.Errorf("%v of %v: up to %v, which is %g above", counts, p, d.Sampler.Hi, over)
		}
	}
}

// Where e^ε is rational, what a distance costs is the least number that is not below (1 + e^ε)·tv.
func TestDeltaOfRationalOdds(t *testing.T) {
	rng := rand.New(rand.NewPCG(28, 4))
	for range 300 {
		odds := big.NewRat(2+rng.Int64N(40), 1+rng.Int64N(2))
		if odds.Cmp(big.NewRat(1, 1)) <= 0 {
			continue
		}
		tv := math.Ldexp(float64(rng.IntN(8)+1), -9-rng.IntN(900))
		if rng.IntN(3) == 0 {
			tv = rng.Float64() / 64
		}
		want := new(big.Rat).Add(odds, big.NewRat(1, 1))
		want.Mul(want, new(big.Rat).SetFloat64(tv))
		got := must.Be(DeltaOf(must.Be(evidence.LogEpsilon("eps", odds)), tv))
		v := new(big.Rat).SetFloat64(got)
		if v.Cmp(want) < 0 || new(big.Rat).SetFloat64(math.Nextafter(got, 0)).Cmp(want) >= 0 && got < 1 || got == 1 && want.Cmp(v) < 0 {
			t.Errorf("e^ε = %v, tv = %v: %v", odds, tv, got)
		}
	}
}

// A diagnosis is of how a chain moves, and not of where zero is.
func TestDiagnosisOfShiftedChains(t *testing.T) {
	rng := rand.New(rand.NewPCG(28, 5))
	chains := make([][]float64, 4)
	for c := range chains {
		for range 64 {
			chains[c] = append(chains[c], float64(c+rng.IntN(9)))
		}
	}
	want := must.Be(Diagnose(chains))
	for _, by := range []float64{1 << 30, -1 << 30, 1 << 35} { // whole numbers, of which all means are exact
		moved := make([][]float64, len(chains))
		for c, x := range chains {
			for _, v := range x {
				moved[c] = append(moved[c], v+by)
			}
		}
		got := must.Be(Diagnose(moved))
		for _, pair := range [][2]float64{{got.RHat, want.RHat}, {got.Tau, want.Tau}, {got.EffectiveSize, want.EffectiveSize}, {got.Mean - by, want.Mean}} {
			if math.Abs(pair[0]-pair[1]) > 1e-12*math.Abs(pair[1]) {
				t.Errorf("moved by %v: %+v, want %+v", by, got, want)
			}
		}
	}
}

// What a state is said to need is what it takes.
func TestStatesNeedWhatTheyTake(t *testing.T) {
	const d, far = 1 << 16, 1 << 50
	for name, make := range map[string]func(d int) error{
		"a state":     func(d int) error { _, err := NewRandomState(separate{n: d}, rand.NewPCG(1, 1)); return err },
		"a published": func(d int) error { _, err := NewPublished(separate{n: d}, 1, rand.NewPCG(1, 1)); return err },
	} {
		previous := memory.SetLimit(1 << 30)
		var short *memory.Error
		if err := make(far); !errors.As(err, &short) {
			t.Fatalf("%s: %v", name, err)
		}
		memory.SetLimit(previous)
		least := math.Inf(1) // others may allocate meanwhile
		for range 5 {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_ = make(d)
			runtime.ReadMemStats(&after)
			least = math.Min(least, float64(after.TotalAlloc-before.TotalAlloc)/d)
		}
		if need := short.Bytes / far; need > least || need < least*.98 {
			t.Errorf("%s takes %.3f bytes a bit and is said to need %.3f", name, least, need)
		}
	}
}

// Whatever is refused has no number, and no law.
func TestRefusalsHaveNoValue(t *testing.T) {
	law := must.Be(NewDense([][]float64{{1, .5}, {.5, 0}}))
	for name, v := range map[string]float64{
		"an exponent":          first(Exponent(law, make([]bool, 3))),
		"a number":             float64(first(Index(make([]bool, 33)))),
		"a δ above 1":          first(DeltaOf(evidence.Epsilon{}, 1.5)),
		"a δ of none":          first(DeltaOf(evidence.Epsilon{}, math.NaN())),
		"a table's states":     float64(len(first(Probabilities(separate{n: MaxTable + 1})))),
		"a diagnosis":          first(Diagnose(nil)).Tau,
		"a distance":           first(TotalVariation(nil, nil, .1)).Plain,
		"a distance of no one": first(TotalVariation([]float64{1}, []int{0}, .1)).Plain,
	} {
		if v != 0 {
			t.Errorf("%s that is refused is %v", name, v)
		}
	}
}

func first[T any](v T, _ error) T { return v }

// A table tells each probability that a float64 can, down to the smallest.
func TestTableTellsSmallStates(t *testing.T) {
	for x := -1.0; x >= -745; x -= 3.1 {
		for _, at := range []float64{x, -x} {
			p := must.Be(Probabilities(separate{1, at}))
			least := min(p[0], p[1])
			want, _ := new(big.Float).SetRat(logisticAt(new(big.Rat).SetFloat64(x), 1400)).Float64()
			if math.Abs(least-want) > 1e-12*want+2e-324 {
				t.Errorf("logit %v: %v, want %v", at, least, want)
			}
		}
	}
	if p := must.Be(Probabilities(separate{1, -745})); p[1] != math.SmallestNonzeroFloat64 {
		t.Errorf("logit −745: %v", p)
	}
}
