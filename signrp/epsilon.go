package signrp

import (
	"cmp"
	"maps"
	"math"
	"math/big"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/internal/elementary"
	"dpworkbench/interval"
)

// infinite is the evidence for a pair of laws with different supports.
func infinite(source string) evidence.Number {
	return evidence.Certified{Lo: math.Inf(1), Hi: math.Inf(1), Side: evidence.Up, Provenance: evidence.From(source).By("a sign pattern of one law has probability 0 in the other")}
}

// smallestEpsilon returns the least ε with P ≤ e^ε Q and Q ≤ e^ε P for the laws a and b of independent bits. In
// each direction it sums the bits' largest log ratios, and returns the larger sum.
func smallestEpsilon(a, b *law, source string) evidence.Number {
	if a.separates(b) {
		return infinite(source)
	}
	if a.normal {
		return normalEpsilon(a, b, source)
	}
	counts := pairCounts(a, b)
	forward, okF := lossOf(counts, a.eps, b.eps)
	backward, okB := lossOf(counts.swapped(), b.eps, a.eps)
	if okF && okB { // both are logarithms of rationals
		if forward.log.Cmp(backward.log) < 0 {
			forward = backward
		}
		return evidence.ExactLog{Argument: forward.log, Cases: uint64(len(a.level)), Side: evidence.Up, Provenance: evidence.From(source)}
	}
	if flips, same := counts.onlyFlips(a, b); same {
		return exactMultiple(a.eps, flips, len(a.level), source)
	}
	return evidence.EnclosedLoss(interval.Max(forward.enclosure, backward.enclosure), "sums over independent bits, 256-bit outward rounding", source)
}

// separates reports whether some pattern has probability 0 under exactly one of the laws l and m.
func (l *law) separates(m *law) bool {
	for j := range l.level {
		switch {
		case l.isFixed(j) != m.isFixed(j):
			return true
		case l.isFixed(j) && (l.level[j] < 0) != (m.level[j] < 0):
			return true
		}
	}
	return false
}

func (l *law) isFixed(j int) bool { return l.fixed != nil && l.fixed[j] }

// levelPair holds the levels of one random bit in two laws.
type levelPair struct{ a, b int }

type countedPairs map[levelPair]int

// pairCounts counts the bits that are random in both laws by their levels.
func pairCounts(a, b *law) countedPairs {
	c := make(countedPairs)
	for j := range a.level {
		if !a.isFixed(j) && !b.isFixed(j) {
			c[levelPair{a.level[j], b.level[j]}]++
		}
	}
	return c
}

func (c countedPairs) swapped() countedPairs {
	out := make(countedPairs, len(c))
	for p, n := range c {
		out[levelPair{p.b, p.a}] = n
	}
	return out
}

// onlyFlips reports whether all levels are ±1 with one ε' for both laws. It also counts the signs that differ between
// the laws, each of which costs ε'.
func (c countedPairs) onlyFlips(a, b *law) (flips int, ok bool) {
	if !sameEpsilon(a.eps, b.eps) {
		return 0, false
	}
	for p, n := range c {
		switch {
		case p.a == p.b:
		case p.a*p.a != 1 || p.b*p.b != 1:
			return 0, false
		default:
			flips += n
		}
	}
	return flips, true
}

func sameEpsilon(a, b evidence.Epsilon) bool { return a == b || a.Value() == b.Value() }

// loss is Σ max_s ln(P(s)/Q(s)).
type loss struct {
	log       *big.Rat // e to the power of the loss, if rational
	enclosure interval.Interval
}

// lossOf returns the forward loss of counted bits; rational reports whether log is set.
func lossOf(counts countedPairs, ea, eb evidence.Epsilon) (out loss, rational bool) {
	if q, ok := rationalLoss(counts, ea, eb); ok {
		return loss{log: q}, true
	}
	return loss{enclosure: enclosedLoss(counts, ea, eb)}, false
}

func enclosedLoss(counts countedPairs, ea, eb evidence.Epsilon) interval.Interval {
	sum := interval.Int(0)
	for _, p := range counts.ordered() { // in a fixed order, so that sums round the same way every time
		sum = sum.Add(bitLoss(p, ea, eb).Mul(interval.Int(int64(counts[p]))))
	}
	return sum
}

func (c countedPairs) ordered() []levelPair {
	return slices.SortedFunc(maps.Keys(c), func(p, q levelPair) int { return cmp.Or(cmp.Compare(p.a, q.a), cmp.Compare(p.b, q.b)) })
}

// bitLoss encloses max_s ln(P(s)/Q(s)) for one bit.
func bitLoss(p levelPair, ea, eb evidence.Epsilon) interval.Interval {
	if p.a == p.b && sameEpsilon(ea, eb) {
		return interval.Int(0)
	}
	x, y := levelLogit(p.a, ea), levelLogit(p.b, eb)
	minus := logOnePlusExp(y).Sub(logOnePlusExp(x)) // ln (1+e^y)/(1+e^x)
	return interval.Max(minus, minus.Add(x).Sub(y))
}

func levelLogit(level int, eps evidence.Epsilon) interval.Interval {
	return eps.Enclosure().Mul(interval.Int(int64(level)))
}

// logOnePlusExp encloses ln(1 + eˣ).
func logOnePlusExp(x interval.Interval) interval.Interval {
	lo, _ := x.Bounds()
	if lo > 0 { // keep the exponential small
		return x.Add(logOnePlusExp(x.Neg()))
	}
	if lo < -4000 {
		_, hi := x.Bounds()
		if hi < -4000 {
			return interval.Between(0, math.SmallestNonzeroFloat64)
		}
	}
	return interval.Int(1).Add(x.Exp()).Log()
}

// mostBits bounds the size of exact rationals, in bits.
const mostBits = 1 << 16

// rationalLoss returns e^loss if e^ε' is rational for both laws and the result is not too large.
func rationalLoss(counts countedPairs, ea, eb evidence.Epsilon) (*big.Rat, bool) {
	a, okA := ea.Exp()
	b, okB := eb.Exp()
	if !okA || !okB {
		return nil, false
	}
	size := 0.0
	for p, n := range counts {
		size += float64(n) * (math.Abs(float64(p.a))*float64(ratBits(a)) + math.Abs(float64(p.b))*float64(ratBits(b)))
	}
	if size > mostBits {
		return nil, false
	}
	out := big.NewRat(1, 1)
	for p, n := range counts {
		plusA, plusB := levelProb(p.a, a), levelProb(p.b, b)
		unit := big.NewRat(1, 1)
		plus := new(big.Rat).Quo(plusA, plusB)
		minus := new(big.Rat).Quo(new(big.Rat).Sub(unit, plusA), new(big.Rat).Sub(unit, plusB))
		if plus.Cmp(minus) < 0 {
			plus = minus
		}
		out.Mul(out, interval.RationalPower(plus, big.NewInt(int64(n))))
	}
	return out, true
}

// levelProb returns Pr[+1] = aˡ/(aˡ+1).
func levelProb(level int, a *big.Rat) *big.Rat {
	q := interval.RationalPower(a, big.NewInt(int64(level)))
	return q.Quo(q, new(big.Rat).Add(q, big.NewRat(1, 1)))
}

func ratBits(q *big.Rat) int { return q.Num().BitLen() + q.Denom().BitLen() }

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

// normalEpsilon is smallestEpsilon for bits with Pr[+1] = Φ(z).
func normalEpsilon(a, b *law, source string) evidence.Number {
	forward, backward, slack := 0.0, 0.0, 0.0
	for j := range a.z {
		if a.isFixed(j) {
			continue
		}
		f, g, s := normalBitLoss(a.logs(j), b.logs(j))
		forward, backward, slack = forward+f, backward+g, slack+s
	}
	v := math.Max(forward, backward)
	slack += v * float64(len(a.z)+2) * ulp
	return evidence.Certified{Lo: math.Max(0, v-slack), Hi: v + slack, Side: evidence.Up, Provenance: evidence.From(source).By("sums over independent bits, float64 with its error bound")}
}

// bitLogs are ln Φ(z) and ln Φ(−z) for z known up to slack, and a bound on the sum of their errors.
type bitLogs struct{ plus, minus, err float64 }

// logsAt returns the logarithms of the probabilities of one bit: |d ln Φ/dz| ≤ |z| + 1.
func logsAt(z, slack float64) bitLogs {
	near, far, e := logPhis(math.Abs(z))
	e += 2 * slack * (math.Abs(z) + 1 + slack)
	if z < 0 {
		return bitLogs{far, near, e}
	}
	return bitLogs{near, far, e}
}

// normalBitLoss returns the largest log ratio of one bit either way, with a
// bound on the error of each.
func normalBitLoss(x, y bitLogs) (forward, backward, slack float64) {
	if x == y && x.err == 0 {
		return 0, 0, 0
	}
	forward = math.Max(x.plus-y.plus, x.minus-y.minus)
	backward = math.Max(y.plus-x.plus, y.minus-x.minus)
	return forward, backward, x.err + y.err
}

// logPhis returns ln Φ(z) and ln Φ(−z) for z ≥ 0, and a bound on the sum of their errors, in terms of u = 2⁻⁵³.
//
// Erfc has an error of 9u. z/√2 is rounded by 2u, and |d ln erfc x/d ln x| ≤ 2x² + 1, because erfc x ≥ 2e^{−x²}/(√π(x +
// √(x² + 2))). The logarithm has a relative error of 5u, and its size is below z²/2 + ln(1 + z) + 1. Together ln Φ(−z)
// has an error of at most 16u(1 + z²). The tail Φ(−z) ≤ ½ has a relative error of 11u(1 + z²), the derivative of ln(1 −
// t) at t = Φ(−z) is at most 2 in size, and Log1p has an error of 7u of the tail. So the error of ln Φ(z) is at most
// twice that fraction of the tail. From z = 30 on the asymptotic series has an error below 2e-14.
func logPhis(z float64) (near, far, err float64) {
	bound := 16 * ulp * (1 + z*z)
	if z > 1e150 { // z² overflows: nothing is known
		return 0, -math.MaxFloat64 / 4, math.Inf(1)
	}
	if z > 30 {
		y := 1 / (z * z)
		series := 1 - y*(1-3*y*(1-5*y*(1-7*y*(1-9*y))))
		return 0, -z*z/2 - elementary.Log(z) - 0.91893853320467274178 + elementary.Log(series), bound + 2e-14 // Φ(−30) < 1e-197
	}
	tail := elementary.Erfc(z/math.Sqrt2) / 2
	return elementary.Log1p(-tail), elementary.Log(tail), bound*(1+2*tail) + tiny
}
