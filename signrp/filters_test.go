package signrp

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// guess is a number d with a float64 approximation v. calls counts the exact evaluations.
type guess struct {
	v, bound float64
	d        *big.Rat
	beta     *big.Rat
	calls    int
}

func (g *guess) near(int) (v, bound float64) { return g.v, g.bound }

func (g *guess) exact(int) *big.Float {
	g.calls++
	return new(big.Float).SetPrec(exactBits).SetRat(g.d)
}

func (g *guess) threshold(_, largest float64, n int) *big.Float {
	q := new(big.Rat).SetFloat64(largest)
	q.Mul(q, g.beta).Mul(q, big.NewRat(int64(n), 1))
	return new(big.Float).SetPrec(exactBits).SetRat(q)
}

// newGuess returns a guess at d. Its approximation is off by a random part of the bound.
func newGuess(rng *rand.Rand, d *big.Rat, beta, bound float64) *guess {
	v, _ := d.Float64()
	return &guess{v: v + (2*rng.Float64()-1)*0.99*bound, bound: bound * (1 + 1e-9), d: d, beta: PrintedDecimal(beta)}
}

// Signs, membership of A and levels are always those of the exact numbers. Exact evaluation happens only if d is within
// the float64 error bound and a few roundings of a boundary.
func TestFiltersAgreeWithExactNumbers(t *testing.T) {
	rng := rand.New(rand.NewPCG(45, 1))
	alone, calls := 0, 0
	for trial := range 30000 {
		beta := []float64{0.1, 0.25, 0.3, 1.7, 1e-3}[trial%5]
		largest := []float64{1, 0.7, 2.5, 1e-8}[rng.IntN(4)]
		unit := beta * largest
		// Most d are near the boundary of a level, at all distances.
		edge := rng.IntN(6)
		offset := (2*rng.Float64() - 1) * math.Pow(10, -float64(rng.IntN(18)))
		if trial%7 == 0 {
			offset = 0
		}
		d := new(big.Rat).Mul(PrintedDecimal(beta), new(big.Rat).SetFloat64(largest))
		d.Mul(d, new(big.Rat).Add(big.NewRat(int64(edge), 1), new(big.Rat).SetFloat64(offset)))
		if rng.IntN(2) == 0 {
			d.Neg(d)
		}
		bound := unit * math.Pow(10, -float64(3+rng.IntN(13)))
		if bound < 1e-12*unit { // the rounding error of sums
			bound = float64(edge+1) * 4 * ulp * unit
		}
		far := func(edge *big.Rat, slack float64) bool { // whether d is farther from edge than float64 could confuse
			gap, _ := new(big.Rat).Sub(new(big.Rat).Abs(d), edge).Float64()
			return math.Abs(gap) > slack
		}
		at := new(big.Rat).Mul(PrintedDecimal(beta), new(big.Rat).SetFloat64(largest))
		slack := 2.01*bound + 32*ulp*unit*float64(edge+2)

		g := newGuess(rng, d, beta, bound)
		want := 1
		if d.Sign() < 0 {
			want = -1
		}
		if got := sign(g, 0); got != want || g.calls > 0 && far(new(big.Rat), slack) {
			t.Fatalf("the sign of %v, approximation %v ± %v, is %d; %d exact evaluations", d.FloatString(30), g.v, g.bound, got, g.calls)
		}
		calls += g.calls

		g = newGuess(rng, d, beta, bound)
		if got := within(g, 0, beta, largest); got != (new(big.Rat).Abs(d).Cmp(at) <= 0) || g.calls > 0 && far(at, slack) {
			t.Fatalf("%v, approximation %v ± %v, within %v·%v: %t; %d exact evaluations", d.FloatString(30), g.v, g.bound, beta, largest, got, g.calls)
		}

		g = newGuess(rng, d, beta, bound)
		q := new(big.Rat).Quo(new(big.Rat).Abs(d), at)
		up := new(big.Int).Sub(new(big.Int).Add(q.Num(), q.Denom()), big.NewInt(1))
		up.Quo(up, q.Denom())
		nearest := new(big.Rat).Mul(at, big.NewRat(int64(edge), 1))
		if got := level(g, 0, beta, largest); int64(got) != up.Int64()*int64(d.Sign()) || g.calls > 0 && far(nearest, slack) {
			t.Fatalf("%v, approximation %v ± %v, is of level %d in units of %v·%v, want %v; %d exact evaluations", d.FloatString(30), g.v, g.bound, got, beta, largest, up, g.calls)
		}
		if g.calls == 0 {
			alone++
		}
	}
	if alone < 10000 || calls < 500 {
		t.Errorf("float64 decides %d levels and %d signs need exact evaluation, want more of both", alone, calls)
	}
	// Numbers without error need no exact evaluation: 0, and a column of zeros.
	none := &guess{d: new(big.Rat), beta: PrintedDecimal(0.5)}
	if sign(none, 0) != 1 || level(none, 0, 0.5, 1) != 0 || level(&guess{v: 3}, 0, 0.5, 0) != 0 || none.calls != 0 {
		t.Errorf("%d exact evaluations of 0, want none", none.calls)
	}
}
