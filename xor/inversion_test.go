package xor

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/ehmc"
	"dpworkbench/internal/must"
	"dpworkbench/internal/sampling"
	"dpworkbench/internal/stattest"
)

// expAt returns eˣ for |x| < 2¹⁰ with relative error 2^(30−prec), by the Taylor series of e^{x/2¹⁰}. It shares no code
// with the samplers.
func expAt(x *big.Rat, prec uint) *big.Float {
	r := new(big.Float).SetPrec(prec).SetRat(x)
	r.SetMantExp(r, -10)
	sum, term := new(big.Float).SetPrec(prec).SetInt64(1), new(big.Float).SetPrec(prec).SetInt64(1)
	for n := int64(1); n < 2000 && term.Sign() != 0 && term.MantExp(nil) > -int(prec)-8; n++ {
		term.Mul(term, r)
		term.Quo(term, new(big.Float).SetInt64(n))
		sum.Add(sum, term)
	}
	for range 10 {
		sum.Mul(sum, sum)
	}
	return sum
}

// shares returns the distribution function of outcomes with the given exponents and multiplicities, with error
// 2^(50−prec).
func shares(exponents []*big.Rat, times func(i int) *big.Int, prec uint) []*big.Rat {
	sum := new(big.Float).SetPrec(prec)
	var runs []*big.Float
	for i, x := range exponents {
		w := expAt(x, prec)
		sum.Add(sum, w.Mul(w, new(big.Float).SetPrec(prec).SetInt(times(i))))
		runs = append(runs, new(big.Float).Set(sum))
	}
	var out []*big.Rat
	for _, v := range runs {
		q, _ := v.Quo(v, sum).Rat(nil)
		out = append(out, q)
	}
	return out
}

// inverted is an inversion sampler with the exact distribution function of its law.
type inverted struct {
	name   string
	law    *inversion
	shares []*big.Rat
}

const sharesPrec = 900

func invertedLaws(t *testing.T) []inverted {
	t.Helper()
	ctx, rng := context.Background(), rand.New(rand.NewPCG(26, 1))
	one := func(int) *big.Int { return big.NewInt(1) }
	var out []inverted
	for trial, scale := range []float64{.3, 2, 9} {
		b := randomTheta(rng, 4, scale)
		diag, rows := b.dense([]int{0, 1, 2, 3})
		out = append(out, inverted{fmt.Sprint("table ", trial), must.Be(newTable(ctx, diag, rows)).inversion, shares(stateExponents(diag, rows), one, sharesPrec)})
	}
	for _, c := range []*Columns{{n: 1, p: 1, theta: -.7}, {n: 9, p: 1, theta: .1, lambda: -.3}, {n: 30, p: 1, theta: -1.7, lambda: .06}, {n: 12, p: 1, theta: 40, lambda: -3.5}, {n: 8, p: 1, theta: -7, lambda: 1}, {n: 11, p: 1, theta: 1}} {
		var exponents []*big.Rat
		for m := range c.n + 1 {
			x := new(big.Rat).Mul(rat(c.lambda), big.NewRat(int64(m-1), 1))
			exponents = append(exponents, x.Mul(x.Add(x, rat(c.theta)), big.NewRat(int64(m), 1)))
		}
		choose := func(m int) *big.Int { return new(big.Int).Binomial(int64(c.n), int64(m)) }
		out = append(out, inverted{fmt.Sprintf("columns %+v", []any{c.n, c.theta, c.lambda}), must.Be(c.counts(ctx)), shares(exponents, choose, sharesPrec)})
	}
	return out
}

// randomTheta returns a law of one object with p features, by blocks.
func randomTheta(rng *rand.Rand, p int, scale float64) *Bernoulli {
	theta := make([][]float64, p)
	for i := range theta {
		theta[i] = make([]float64, p)
		for j := range i + 1 {
			theta[i][j] = scale * rng.NormFloat64()
			theta[j][i] = theta[i][j]
		}
	}
	return must.Be(NewBernoulli(theta, nil, 1))
}

// stateExponents returns the exact exponents of all states.
func stateExponents(diag []float64, rows [][]float64) (out []*big.Rat) {
	for s := range 1 << len(diag) {
		x := new(big.Rat)
		for i, v := range diag {
			if s>>i&1 == 0 {
				continue
			}
			x.Add(x, rat(v))
			for j := range i {
				if s>>j&1 == 1 {
					x.Add(x, rat(rows[i][j])).Add(x, rat(rows[i][j]))
				}
			}
		}
		out = append(out, x)
	}
	return out
}

// refined returns a sampler that decides every draw by higher precision, never by its 128-bit thresholds.
func (l *inversion) refined() *inversion {
	slow := *l
	slow.off = ehmc.Threshold{Hi: math.MaxUint64, Lo: math.MaxUint64}
	return &slow
}

// The 128-bit thresholds are within their error bound. The bound is so small that few draws need higher precision.
func TestInversionErrorBound(t *testing.T) {
	for _, c := range invertedLaws(t) {
		off := fraction128(c.law.off)
		off.Sub(off, big.NewRat(1, 1).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 128)))
		for i, at := range c.law.upTo[:len(c.law.upTo)-1] {
			gap := new(big.Rat).Sub(fraction128(at), c.shares[i])
			if gap.Abs(gap).Cmp(off) > 0 {
				t.Errorf("%s: threshold %d is off by %s, want at most %s", c.name, i, gap.FloatString(40), off.FloatString(40))
			}
		}
		if c.law.off.Hi >= 1<<4 {
			t.Errorf("%s: the error bound of the thresholds is %x, too large", c.name, c.law.off)
		}
	}
}

func fraction128(t ehmc.Threshold) *big.Rat {
	v := new(big.Int).SetUint64(t.Hi)
	v.Add(v.Lsh(v, 64), new(big.Int).SetUint64(t.Lo))
	return new(big.Rat).SetFrac(v, new(big.Int).Lsh(big.NewInt(1), 128))
}

// digits returns the first words of q as 64-bit digits, for 0 ≤ q < 1.
func digits(q *big.Rat, words int) (out []uint64) {
	v := new(big.Int).Lsh(q.Num(), uint(64*words))
	v.Quo(v, q.Denom())
	for k := range words {
		w := new(big.Int).Rsh(v, uint(64*(words-1-k)))
		out = append(out, new(big.Int).And(w, new(big.Int).SetUint64(math.MaxUint64)).Uint64())
	}
	return out
}

// valueOf returns the number with the digits of s, which end in zeros or ones forever.
func valueOf(s *stattest.Spelled) *big.Rat {
	v := new(big.Int)
	for _, w := range s.Words {
		v.Add(v.Lsh(v, 64), new(big.Int).SetUint64(w))
	}
	if s.Tail != 0 {
		v.Add(v, big.NewInt(1))
	}
	return new(big.Rat).SetFrac(v, new(big.Int).Lsh(big.NewInt(1), uint(64*len(s.Words))))
}

// Draws agree with rational arithmetic if the source returns the digits of a threshold, approximate or exact, followed
// by zeros or ones. This holds for any number of equal digits.
func TestInversionDrawsAtThresholds(t *testing.T) {
	ctx := context.Background()
	undecided := 0
	for _, c := range invertedLaws(t) {
		last := len(c.shares) - 1
		for i := range last {
			at := c.law.upTo[i]
			heads := [][]uint64{{at.Hi, at.Lo}, {at.Hi, at.Lo + 1}, {at.Hi, at.Lo - 1}, {0, 0}, {math.MaxUint64, math.MaxUint64}, digits(c.shares[i], 2), digits(c.shares[i], 3), digits(c.shares[i], 7), digits(c.shares[i], 12)}
			for _, head := range heads {
				for _, tail := range []uint64{0, math.MaxUint64} {
					src := &stattest.Spelled{Words: head, Tail: tail}
					u := valueOf(src)
					want := 0
					for want < last && (u.Cmp(c.shares[want]) > 0 || u.Cmp(c.shares[want]) == 0 && tail == 0) {
						want++
					}
					got, err := c.law.draw(ctx, src)
					if err != nil || got != want {
						t.Errorf("%s: digits %x, then %x, draw %d, error %v, want %d", c.name, head, tail, got, err, want)
					}
					if src.Taken > 2 {
						undecided++
					}
				}
			}
		}
	}
	if undecided < 100 {
		t.Errorf("only %d draws needed more than 128 bits", undecided)
	}
}

// Laws with nearly certain outcomes can be drawn. If no number of digits decides, a draw returns an error.
func TestExtremeInversions(t *testing.T) {
	ctx := context.Background()
	for _, theta := range []float64{1e6, -1e6} {
		c := must.Be(NewColumns(5, 1, theta, 0))
		table := must.Be(newTable(ctx, []float64{theta, theta}, [][]float64{{theta, 0}, {0, theta}}))
		for _, l := range []*inversion{must.Be(c.counts(ctx)), table.inversion} {
			last := len(l.upTo) - 1
			sure := 0
			if theta > 0 {
				sure = last
			}
			for _, src := range []*stattest.Spelled{{Words: []uint64{1 << 60}}, {Words: []uint64{0, 0, 0, 1}}, {Words: []uint64{math.MaxUint64, math.MaxUint64, math.MaxUint64 - 1}}} {
				if got, err := l.draw(ctx, src); err != nil || got != sure {
					t.Errorf("θ = %g: %x draws %d, %v, want %d", theta, src.Words, got, err, sure)
				}
			}
		}
		end := &stattest.Spelled{}
		if theta < 0 {
			end.Tail = math.MaxUint64
		}
		if _, err := must.Be(c.counts(ctx)).draw(ctx, end); !errors.Is(err, sampling.ErrUndecided) || end.Taken != sampling.MostBits/64 {
			t.Errorf("θ = %g: endless digits %x give %v after %d words", theta, end.Tail, err, end.Taken)
		}
	}
	// Exponents of opposite signs that nearly cancel.
	b := must.Be(NewBernoulli([][]float64{{0x1p50, -0x1p49 + 0x1p-3}, {-0x1p49 + 0x1p-3, 0x1p50}}, nil, 1))
	diag, rows := b.dense([]int{0, 1})
	l := must.Be(newTable(ctx, diag, rows)).inversion
	for _, slow := range []*inversion{l, l.refined()} {
		counts := make([]int, 4)
		src := rand.NewPCG(26, 3)
		for range 2000 {
			counts[must.Be(slow.draw(ctx, src))]++
		}
		if counts[0] > 0 || counts[1] < 400 || counts[2] < 400 || counts[3] < 600 {
			t.Errorf("counts %v, want weights 0, 1, 1 and e^.25", counts)
		}
	}
}
