package evidence_test

import (
	"errors"
	"math"
	"math/big"
	"math/bits"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"

	"pgregory.net/rapid"
)

// operand is a number and the true value it stands for.
type operand struct {
	evidence.Number
	truth     *big.Float // the true value, to 400 bits; for a claim, the claimed number
	safe      *big.Float // another value the number's side allows: smaller for an upper bound, larger for a lower one
	rational  *big.Rat   // the true value if it is exact and rational
	logarithm bool       // whether it is exact and a rational multiple of a rational's logarithm
	estimates uint       // bit set of the estimates that the number depends on
}

func wide(v float64) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(v) }

// trueExp returns eˣ by its series at x/2^k.
func trueExp(x *big.Float) *big.Float {
	const k = 60
	y, term, sum := new(big.Float).SetMantExp(x, -k), wide(1), wide(1)
	for i := range 12 {
		term.Quo(term.Mul(term, y), wide(float64(i+1)))
		sum.Add(sum, term)
	}
	for range k {
		sum.Mul(sum, sum)
	}
	return sum
}

// trueLog returns ln x = ln m + e·ln 2 for x = m·2^e, by the series of artanh.
func trueLog(x *big.Float) *big.Float {
	artanh := func(t *big.Float) *big.Float {
		square, power, sum := wide(0).Mul(t, t), wide(0).Set(t), wide(0)
		for i := 1; i < 300; i += 2 {
			sum.Add(sum, wide(0).Quo(power, wide(float64(i))))
			power.Mul(power, square)
		}
		return sum
	}
	m := wide(0)
	e := x.MantExp(m)
	m = artanh(wide(0).Quo(wide(0).Sub(m, wide(1)), wide(0).Add(m, wide(1))))
	two := artanh(wide(0).Quo(wide(1), wide(3)))
	return m.Mul(m.Add(m, two.Mul(two, wide(float64(e)))), wide(2))
}

// failures are the failure probabilities of the estimates in operands.
var failures = [...]float64{0.01, 0.02, 0.5}

// drawOperand returns a number of any kind whose true value is a rational or the logarithm of one.
func drawOperand(t *rapid.T, name string, pool []evidence.Number) operand {
	q := big.NewRat(rapid.Int64Range(-40, 40).Draw(t, name), rapid.Int64Range(1, 12).Draw(t, name+" denominator"))
	x := wide(0).SetRat(q)
	o := operand{truth: x, safe: x}
	v, _ := x.Float64()
	switch kind := rapid.IntRange(0, 7).Draw(t, name+" kind"); kind {
	case 0, 1:
		o.Number, o.rational = evidence.FromRat(q), q
	case 2:
		if q.Sign() > 0 {
			o.Number, o.truth, o.logarithm = must.Be(evidence.Log(evidence.FromRat(q))), trueLog(x), true
			o.safe = o.truth
			return o
		}
		o.Number, o.rational = evidence.FromRat(q), q
	case 3, 4, 5:
		lo, hi := v-rapid.Float64Range(1e-9, 2).Draw(t, "below"), v+rapid.Float64Range(1e-9, 2).Draw(t, "above")
		side := evidence.Side(kind - 4)
		switch slack := rapid.Float64Range(0, 3).Draw(t, "slack"); {
		case side == evidence.Up && lo >= 0:
			o.safe = wide(hi / (1 + slack))
		case side != evidence.Neither:
			o.safe = wide(v - float64(side)*slack)
		}
		o.Number = within(lo, hi, side)
	case 6:
		i := rapid.IntRange(0, len(pool)-1).Draw(t, name+" estimate")
		x = wide(float64(i))
		o = operand{Number: pool[i], truth: x, safe: x, estimates: 1 << i}
	case 7:
		x = wide(v)
		o = operand{Number: evidence.Claimed{Value: v, Provenance: evidence.From("Theorem 1")}, truth: x, safe: x}
		if e, err := evidence.LogEpsilon("eps", q); err == nil && rapid.Bool().Draw(t, "logarithm") {
			x = trueLog(wide(0).SetRat(q))
			o = operand{Number: evidence.Claimed{Value: e.Value(), Epsilon: e}, truth: x, safe: x}
		}
	}
	return o
}

// step is an operation on numbers and the same operation on true values. refuses reports whether the operation must
// reject its operands.
type step struct {
	of       func(a, b evidence.Number) (evidence.Number, error)
	truth    func(a, b *big.Float) *big.Float
	operands int
	refuses  func(a, b evidence.Number) bool
}

func reachesZero(n evidence.Number) bool { lo, hi := n.Bounds(); return lo <= 0 && hi >= 0 }

func claims(a, b evidence.Number) bool {
	return a.Kind() == evidence.KindClaimed && b.Kind() == evidence.KindClaimed
}

var steps = []step{
	{evidence.Add, func(a, b *big.Float) *big.Float { return wide(0).Add(a, b) }, 2, nil},
	{evidence.Sub, func(a, b *big.Float) *big.Float { return wide(0).Sub(a, b) }, 2, claims},
	{evidence.Mul, func(a, b *big.Float) *big.Float { return wide(0).Mul(a, b) }, 2, func(a, b evidence.Number) bool {
		if a.Kind() != evidence.KindClaimed {
			a, b = b, a
		}
		lo, hi := b.Bounds()
		return a.Kind() == evidence.KindClaimed && lo < 0 && hi > 0
	}},
	{evidence.Quo, func(a, b *big.Float) *big.Float { return wide(0).Quo(a, b) }, 2, func(_, b evidence.Number) bool {
		return b.Kind() == evidence.KindClaimed || reachesZero(b)
	}},
	{func(a, b evidence.Number) (evidence.Number, error) { return evidence.Max(a, b) }, func(a, b *big.Float) *big.Float {
		return slices.MaxFunc([]*big.Float{a, b}, (*big.Float).Cmp)
	}, 2, nil},
	{func(a, b evidence.Number) (evidence.Number, error) { return evidence.Min(a, b) }, func(a, b *big.Float) *big.Float {
		return slices.MinFunc([]*big.Float{a, b}, (*big.Float).Cmp)
	}, 2, nil},
	{func(a, b evidence.Number) (evidence.Number, error) { return evidence.Sum(a, b, a) }, func(a, b *big.Float) *big.Float {
		return wide(0).Add(wide(0).Add(a, b), a)
	}, 2, nil},
	{func(a, _ evidence.Number) (evidence.Number, error) { return evidence.Abs(a) }, func(a, _ *big.Float) *big.Float { return wide(0).Abs(a) }, 1, nil},
	{func(a, _ evidence.Number) (evidence.Number, error) { return evidence.Neg(a) }, func(a, _ *big.Float) *big.Float { return wide(0).Neg(a) }, 1, nil},
	{func(a, _ evidence.Number) (evidence.Number, error) { return evidence.Pow(a, 3) }, func(a, _ *big.Float) *big.Float {
		return wide(0).Mul(a, wide(0).Mul(a, a))
	}, 1, nil},
	{func(a, _ evidence.Number) (evidence.Number, error) { return evidence.Pow(a, -2) }, func(a, _ *big.Float) *big.Float {
		return wide(0).Quo(wide(1), wide(0).Mul(a, a))
	}, 1, func(a, _ evidence.Number) bool { return reachesZero(a) }},
	{func(a, _ evidence.Number) (evidence.Number, error) { return evidence.Sqrt(a) }, func(a, _ *big.Float) *big.Float {
		return wide(0).Sqrt(a)
	}, 1, func(a, _ evidence.Number) bool { lo, hi := a.Bounds(); return lo < 0 || lo == 0 && hi > 0 }},
	{func(a, _ evidence.Number) (evidence.Number, error) { return evidence.Log(a) }, func(a, _ *big.Float) *big.Float { return trueLog(a) }, 1, func(a, _ evidence.Number) bool {
		lo, _ := a.Bounds()
		return lo <= 0
	}},
	{func(a, _ evidence.Number) (evidence.Number, error) { return evidence.Exp(a) }, func(a, _ *big.Float) *big.Float { return trueExp(a) }, 1, nil},
}

// TestArithmeticEnclosesTruth evaluates random expressions on numbers of all kinds, and compares them with the same
// expressions to 400 bits.
func TestArithmeticEnclosesTruth(t *testing.T) {
	var pool []evidence.Number
	for i, p := range failures {
		pool = append(pool, evidence.Identify(evidence.Estimated{Value: float64(i) + 0.25, Lo: float64(i) - 0.5, Hi: float64(i) + 1, Confidence: 1 - p, Draws: 10}))
	}
	rank := []evidence.Kind{evidence.KindClaimed, evidence.KindEstimated, evidence.KindCertified, evidence.KindExact}
	rapid.Check(t, func(t *rapid.T) {
		a := drawOperand(t, "x", pool)
		for range rapid.IntRange(1, 6).Draw(t, "steps") {
			i := rapid.IntRange(0, len(steps)-1).Draw(t, "step")
			s, b := steps[i], drawOperand(t, "y", pool)
			if s.operands == 1 {
				b = a
			} else if rapid.Bool().Draw(t, "swapped") {
				a, b = b, a
			}
			if lo, hi := a.Bounds(); i == len(steps)-1 && max(-lo, hi) > 40 || max(-lo, hi) > 1e60 {
				continue
			}
			n, err := s.of(a.Number, b.Number)
			if refused := s.refuses != nil && s.refuses(a.Number, b.Number); refused {
				if !errors.Is(err, evidence.ErrParameter) {
					t.Fatalf("step %d of %v and %v gives %v and error %v", i, a.Number, b.Number, n, err)
				}
				continue
			}
			opposite := (evidence.SideOf(a.Number) == evidence.Down) != (evidence.SideOf(b.Number) == evidence.Down)
			if errors.Is(err, evidence.ErrParameter) && claims(a.Number, b.Number) && (opposite || i == 2) {
				continue
			}
			if err != nil {
				t.Fatalf("step %d of %v and %v: %v", i, a.Number, b.Number, err)
			}
			c := operand{Number: n, estimates: a.estimates | b.estimates}
			weakest := rank[min(slices.Index(rank, a.Kind()), slices.Index(rank, b.Kind()))]
			closed := i < 2 && a.logarithm && b.logarithm || i == 2 && (a.logarithm && b.rational != nil || b.logarithm && a.rational != nil)
			if n.Kind() != weakest && (weakest != evidence.KindExact || n.Kind() != evidence.KindCertified || closed) {
				t.Fatalf("step %d of %v and %v is %v", i, a.Number, b.Number, n)
			}
			c.truth = s.truth(a.truth, b.truth)
			lo, hi := n.Bounds()
			side := evidence.SideOf(n)
			if c.safe = c.truth; side != evidence.Neither {
				c.safe = s.truth(a.safe, b.safe)
			}
			slack := wide(0).Abs(c.truth) // rounding error of 2^-300, relative to the operands
			for _, x := range []*big.Float{a.truth, b.truth} {
				slack.Add(slack, wide(0).Abs(x))
			}
			slack.SetMantExp(slack, -300)
			outside := func(x *big.Float, lo, hi float64) bool {
				return wide(lo).Cmp(wide(0).Add(x, slack)) > 0 || wide(hi).Cmp(wide(0).Sub(x, slack)) < 0
			}
			if claim, ok := n.(evidence.Claimed); ok {
				if !claim.Epsilon.IsZero() {
					lo, hi = claim.Epsilon.Enclosure().Bounds()
				}
				below, above := outside(c.truth, lo, math.Inf(1)), outside(c.truth, math.Inf(-1), hi)
				if side == evidence.Down && below || side != evidence.Down && above {
					t.Fatalf("step %d of %v and %v is %v with side %v, but %v", i, a.Number, b.Number, n, side, c.truth)
				}
				if wide(lo).Sign() != c.truth.Sign() {
					return // rounding reached or crossed 0
				}
				c.safe = c.truth
				a = c
				continue
			}
			switch e, exact := n.(evidence.Exact); {
			case outside(c.truth, lo, hi):
				t.Fatalf("step %d of %v and %v: [%g, %g] excludes %v", i, a.Number, b.Number, lo, hi, c.truth)
			case side == evidence.Up && outside(c.safe, math.Inf(-1), hi), side == evidence.Down && outside(c.safe, lo, math.Inf(1)):
				t.Fatalf("step %d of %v and %v has side %v, which excludes %v", i, a.Number, b.Number, side, c.safe)
			case exact:
				rational := wide(0).SetRat(e.Value)
				if wide(0).Abs(wide(0).Sub(rational, c.truth)).Cmp(slack) > 0 {
					t.Fatalf("step %d of %v and %v is %v, not %v", i, a.Number, b.Number, e, c.truth)
				}
				c.rational, c.truth, c.safe = e.Value, rational, rational
			case a.rational != nil && b.rational != nil && i < len(steps)-3:
				t.Fatalf("step %d of rationals %v and %v is %v", i, a.Number, b.Number, n)
			}
			if e, ok := n.(evidence.Estimated); ok {
				failure := 0.0
				for rest := c.estimates; rest != 0; rest &= rest - 1 {
					failure += failures[bits.TrailingZeros(rest)]
				}
				if math.Abs(e.Confidence-(1-min(failure, 1))) > 1e-12 {
					t.Fatalf("step %d of %v and %v has confidence %g", i, a.Number, b.Number, e.Confidence)
				}
			}
			if lo >= 0 && c.safe.Sign() < 0 { // n is known to be nonnegative
				c.safe = c.truth
			}
			a = c
		}
	})
}
