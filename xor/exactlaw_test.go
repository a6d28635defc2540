package xor

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/privacy"
)

// dyadicLaw draws Θ and some Λ_ij whose entries are whole multiples of 1/8, so that
// float64s add them exactly.
func dyadicLaw(rng *rand.Rand, n, p int, scale, keep float64) *Bernoulli {
	block := func() [][]float64 {
		m := make([][]float64, p)
		for i := range m {
			m[i] = make([]float64, p)
			for j := range i + 1 {
				if rng.Float64() < keep {
					m[i][j] = math.Round(8*scale*rng.NormFloat64()) / 8
				}
				m[j][i] = m[i][j]
			}
		}
		return m
	}
	lam := map[Pair][][]float64{}
	for j := range n {
		for i := range j {
			if rng.Float64() < keep {
				lam[Pair{I: i, J: j}] = block()
			}
		}
	}
	theta := block()
	if n*p > 1 && p > 1 {
		theta[1][1] = theta[0][0] + .125 // no closed form
	}
	return must.Be(NewBernoulli(theta, lam, n))
}

// moved returns Π of b whole, every entry moved by its reading, up or down at random
// where rng is not nil.
func movedPi(b *Bernoulli, rng *rand.Rand) [][]*big.Rat {
	pi := must.Be(b.Pi())
	out := make([][]*big.Rat, len(pi))
	for i := range pi {
		out[i] = make([]*big.Rat, len(pi))
	}
	known := map[[3]int]*big.Rat{} // of entries that are one parameter
	for i := range pi {
		for j := range i + 1 {
			key := [3]int{-1, max(i%b.p, j%b.p), min(i%b.p, j%b.p)}
			if i/b.p != j/b.p {
				key = [3]int{i, j, 0}
			}
			if known[key] == nil {
				v := rat(pi[i][j])
				if rng != nil && pi[i][j] != 0 {
					by := rat(b.reading.units * unit * pi[i][j])
					if rng.IntN(2) == 0 {
						by.Neg(by)
					}
					v.Add(v, by)
				}
				known[key] = v
			}
			out[i][j], out[j][i] = known[key], known[key]
		}
	}
	return out
}

// tableLaw is a law by definition: exact exponents, and weights at 256 bits.
type tableLaw struct {
	exponent []*big.Rat
	weight   []interval.Interval
	z        interval.Interval
}

func newTableLaw(pi [][]*big.Rat) *tableLaw {
	l := &tableLaw{z: interval.Int(0)}
	for s := range 1 << len(pi) {
		e := new(big.Rat)
		for i := range pi {
			for j := range pi {
				if s>>i&1 == 1 && s>>j&1 == 1 {
					e.Add(e, pi[i][j])
				}
			}
		}
		l.exponent = append(l.exponent, e)
		l.weight = append(l.weight, interval.Rat(e).Exp())
		l.z = l.z.Add(l.weight[s])
	}
	return l
}

// mean is E f.
func (l *tableLaw) mean(f func(s int) int) interval.Interval {
	sum := interval.Int(0)
	for s, w := range l.weight {
		if n := f(s); n > 0 {
			sum = sum.Add(w.Mul(interval.Int(int64(n))))
		}
	}
	return sum.Quo(l.z)
}

// loss is the largest log ratio over steps.
func (l *tableLaw) loss(steps []int) *big.Rat {
	best := new(big.Rat)
	for _, step := range steps {
		for s, e := range l.exponent {
			if d := new(big.Rat).Sub(l.exponent[s^step], e); d.Cmp(best) > 0 {
				best = d
			}
		}
	}
	return best
}

// delta is the largest divergence at e^ε = grow over steps.
func (l *tableLaw) delta(steps []int, grow interval.Interval) interval.Interval {
	best := interval.Int(0)
	for _, step := range steps {
		sum := interval.Int(0)
		for s, w := range l.weight {
			if d := w.Sub(grow.Mul(l.weight[s^step])); d.Mid() > 0 {
				sum = sum.Add(d)
			}
		}
		best = interval.Max(best, sum)
	}
	return best.Quo(l.z)
}

// Everything certified of a law by blocks holds for every law that is meant, exactly;
// where one law alone is meant no more than rounding is left open.
func TestLawsHoldEveryReading(t *testing.T) {
	ctx, rng := context.Background(), rand.New(rand.NewPCG(22, 41))
	for trial := range 12 {
		shape := [][2]int{{2, 2}, {1, 3}, {3, 1}, {2, 2}, {3, 2}, {1, 5}}[trial%6]
		n, p := shape[0], shape[1]
		b := dyadicLaw(rng, n, p, []float64{1, 4, 30, 300}[trial%4], []float64{1, .5}[trial%2])
		if b.cols != nil {
			b.cols = nil // by the other route
		}
		meant := []*tableLaw{newTableLaw(movedPi(b, nil))}
		if trial%3 > 0 {
			b = b.read(reading{units: 1 << 22})
			for range 4 {
				meant = append(meant, newTableLaw(movedPi(b, rng)))
			}
		}
		pi := must.Be(b.Pi())
		diag := make([]float64, len(pi))
		for k := range pi {
			diag[k] = pi[k][k]
		}
		off, lossOff := b.reading.exponents(diag, pi), 0.0
		for k := range pi {
			row := b.reading.of(diag[k])
			for j, v := range pi[k] {
				if j != k {
					row += 2 * b.reading.of(v)
				}
			}
			lossOff = math.Max(lossOff, row)
		}
		check := func(what string, got evidence.Certified, width float64, truth func(l *tableLaw) (least, most *big.Rat)) {
			t.Helper()
			for _, l := range meant {
				least, most := truth(l)
				if !math.IsInf(got.Hi, 1) && rat(got.Hi).Cmp(least) < 0 || rat(got.Lo).Cmp(most) > 0 {
					t.Errorf("law %d, %d×%d, %s: [%v, %v] misses %s", trial, n, p, what, got.Lo, got.Hi, least.FloatString(30))
				}
			}
			if got.Hi-got.Lo > width+4*math.SmallestNonzeroFloat64 || got.Lo > got.Hi || got.Side == evidence.Up && got.Float() != got.Hi {
				t.Errorf("law %d, %d×%d, %s: [%v, %v] is wider than %g", trial, n, p, what, got.Lo, got.Hi, width)
			}
		}
		d := n * p
		one := func(f func(s int) int) func(l *tableLaw) (least, most *big.Rat) {
			return func(l *tableLaw) (least, most *big.Rat) { return exact(l.mean(f)) }
		}
		ones := func(s int) int { return bits.OnesCount(uint(s)) }
		zeros := func(s int) int { return d - ones(s) }
		const rel = 3e-13
		grow := rel + 2.1*off
		logZ := func(l *tableLaw) (least, most *big.Rat) { return exact(l.z.Log()) }
		e := must.Be(b.Enumerate(ctx))
		size := math.Max(1, e.LogNormalizer.Hi)
		check("ln Z", e.LogNormalizer, rel*size+2.1*off, logZ)
		check("ln Z of parts", must.Be(b.LogNormalizer(ctx)), rel*size+2.1*off, logZ)
		check("the mean", e.MeanOnes, grow*e.MeanOnes.Hi, one(ones))
		mean, rest := must.Be(b.MeanOnes(ctx, Plain)), must.Be(b.MeanOnes(ctx, Complement))
		check("the mean of parts", mean, grow*mean.Hi, one(ones))
		check("the zeros", rest, grow*rest.Hi, one(zeros))
		rate := must.Be(b.ErrorRate(ctx, 3, Complement))
		check("the error rate", rate, grow*rate.Hi, func(l *tableLaw) (least, most *big.Rat) {
			return exact(l.mean(zeros).Quo(interval.Int(3)))
		})
		flips := must.Be(b.ErrorRate(ctx, 0, Plain))
		if flips.Hi > 1 {
			t.Errorf("%v of the bits are flipped", flips)
		}
		check("the flip rate", flips, grow*flips.Hi, func(l *tableLaw) (least, most *big.Rat) {
			return exact(l.mean(ones).Quo(interval.Int(int64(d))))
		})
		for k, c := range e.Ones {
			check(fmt.Sprint(k, " ones"), c, grow*c.Hi, one(func(s int) int { return b2i(ones(s) == k) }))
		}
		m := must.Be(b.Moments(ctx))
		for i := range d {
			check(fmt.Sprint("bit ", i), m.Marginals[i], grow*m.Marginals[i].Hi, one(func(s int) int { return s >> i & 1 }))
			for j := range i + 1 {
				c := must.Be(m.Pair(j, i))
				check(fmt.Sprint("bits ", i, j), c, 2*grow*c.Hi, one(func(s int) int { return s >> i & (s >> j) & 1 }))
			}
		}
		cases := []Neighbors{FlipBits(1), FlipBits(2), FlipBits(d), FlipRows(1), FlipRows(2), FlipPatterns(fromFlat(n, p, append(make([]bool, d-1), true)), fromFlat(n, p, append([]bool{true, true}, make([]bool, d-2)...)))}
		if n == p {
			cases = append(cases, FlipEdges(1))
		}
		for k, nb := range cases {
			steps := must.Be(nb.Differences(n, p))
			curve := must.Be(b.Under(nb, LossOptions{General: true}))
			loss := must.Be(curve.Loss(ctx))
			most := float64(d) * (4e-14*math.Max(1, loss.Hi) + 2.1*lossOff)
			check(fmt.Sprint("the loss of neighbors ", k), loss.Certified, most, func(l *tableLaw) (least, most *big.Rat) {
				v := l.loss(steps)
				return v, v
			})
			if !loss.Complete || loss.Worst == nil {
				t.Errorf("law %d, neighbors %d: an incomplete search", trial, k)
			}
			for _, eps := range []float64{0, .125, 1, .75 * loss.Lo, loss.Hi} {
				at := evidence.Epsilon{}
				if eps > 0 {
					at = must.Be(evidence.NewEpsilon("eps", eps))
				}
				lo, hi := must.Be(curve.Delta(ctx, at)).Bounds()
				check(fmt.Sprintf("δ(%v) of neighbors %d", eps, k), evidence.Certified{Lo: lo, Hi: hi, Side: evidence.Up}, 2e-14+3*off, func(l *tableLaw) (least, most *big.Rat) {
					return exact(l.delta(steps, interval.Float(eps).Exp()))
				})
			}
		}
		if t.Failed() {
			t.FailNow()
		}
	}
}

func b2i(on bool) int {
	if on {
		return 1
	}
	return 0
}

// The thresholds of the samplers are the law's distribution function, to 2⁻⁸⁰.
func TestThresholdsAreTheLaw(t *testing.T) {
	ctx, rng := context.Background(), rand.New(rand.NewPCG(22, 42))
	check := func(what string, hi, lo uint64, want interval.Interval) {
		t.Helper()
		v := new(big.Int).SetUint64(hi)
		v.Add(v.Lsh(v, 64), new(big.Int).SetUint64(lo))
		have := new(big.Rat).SetFrac(v, new(big.Int).Lsh(big.NewInt(1), 128))
		least, _ := exact(want)
		if gap, _ := have.Sub(have, least).Float64(); math.Abs(gap) > 0x1p-80 {
			t.Errorf("%s is off by %g", what, gap)
		}
	}
	for trial := range 12 {
		b := dyadicLaw(rng, 2, 3, []float64{.5, 3, 100}[trial%3], 1)
		diag, rows := b.dense(nil)
		table, law := must.Be(newTable(ctx, diag, rows)), newTableLaw(movedPi(b, nil))
		run := interval.Int(0)
		for s, at := range table.upTo {
			run = run.Add(law.weight[s])
			check(fmt.Sprint("state ", s), at.Hi, at.Lo, run.Quo(law.z))
		}
		c := &Columns{n: 1 + rng.IntN(40), p: 1, theta: rng.NormFloat64() * 3, lambda: rng.NormFloat64()}
		ones := column(c.n, c.theta, c.lambda)
		z, run := moment(ones, func(int) int { return 1 }), interval.Int(0)
		for m, at := range must.Be(c.counts(ctx)).upTo {
			run = run.Add(ones[m])
			check(fmt.Sprint(m, " ones"), at.Hi, at.Lo, run.Quo(z))
		}
	}
}

// What one of two states weighs whose other weighs nothing tells the laws of B and B ⊕ step apart for certain, in either direction as much; all else are atoms.
func TestStatesThatTellForCertain(t *testing.T) {
	for _, probs := range [][]int64{{1, 2, 0, 3, 0, 0, 4, 2}, {0, 1, 0, 0, 0, 0, 0, 0}, {1, 1, 1, 1, 0, 0, 0, 0}, {3, 1, 2, 1, 1, 1, 2, 1}} {
		var sum int64
		for _, v := range probs {
			sum += v
		}
		law := make([]*big.Rat, len(probs))
		for b, v := range probs {
			law[b] = big.NewRat(v, sum)
		}
		noise := must.Be(NewNoiseLaw(1, 3, law))
		kinds := noise.kinds()
		for step := 1; step < 8; step++ {
			pair := kinds.pair(step).(*privacy.DiscretePair)
			sure, both, most := new(big.Rat), new(big.Rat), new(big.Rat)
			for b, p := range law {
				if law[b^step].Sign() == 0 {
					sure.Add(sure, p)
				} else {
					both.Add(both, p)
					if ratio := new(big.Rat).Quo(p, law[b^step]); ratio.Cmp(most) > 0 {
						most = ratio
					}
				}
			}
			ratio := must.Be(noise.largestRatio(t.Context(), []int{step}))
			if (ratio == nil) != (sure.Sign() > 0) || ratio != nil && ratio.Cmp(most) != 0 {
				t.Errorf("%v, step %d: a largest ratio of %v, want %v", probs, step, ratio, most)
			}
			for _, a := range pair.Atoms() {
				both.Sub(both, a.P.Rational)
			}
			if pair.InfinityMass().Rational.Cmp(sure) != 0 || pair.QOnlyMass().Rational.Cmp(sure) != 0 || both.Sign() != 0 {
				t.Errorf("%v, step %d: %v for certain and %v in return, want %v; atoms leave out %v", probs, step, pair.InfinityMass().Rational, pair.QOnlyMass().Rational, sure, both)
			}
		}
	}
}

// Sums over the numbers of ones of a column hold where its ends are so far apart that one sum's terms are nothing beside another's: ln of Σ w over m ≥ 1, of Σ m·w and of Σ (N − m)·w.
func TestSumsOfFarEnds(t *testing.T) {
	for n := 1; n <= 4; n++ {
		log := math.Log(float64(n))
		for _, theta := range []float64{-40, -700, -2000, 2000} {
			law := must.Be(must.Be(NewColumns(n, 1, theta, 0)).solve(t.Context()))
			want := map[string]float64{"all": 0, "all but none": log + theta, "zeros": log, "ones": log + theta}
			if theta > 0 {
				top := float64(n) * theta
				want = map[string]float64{"all": top, "all but none": top, "zeros": log + top - theta, "ones": log + top}
			}
			for what, sum := range map[string]scaledFloat{"all": law.z.sum, "all but none": law.rest.sum, "zeros": law.zeros.sum, "ones": law.ones.sum} {
				if lo, hi := sum.log(1e-15); math.Abs(lo-want[what]) > 1e-12*math.Max(1, math.Abs(theta)) || math.Abs(hi-want[what]) > 1e-12*math.Max(1, math.Abs(theta)) {
					t.Errorf("%d bits at θ = %g: ln of %s is %v to %v, want %v", n, theta, what, lo, hi, want[what])
				}
			}
		}
	}
}
