package program_test

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/mechanism"
	"dpworkbench/program"
)

// z returns Σ c_i e^{−t_i ε} for alternating arguments c and t.
func z(ct ...*big.Rat) mechanism.ExpSum {
	var s mechanism.ExpSum
	for i := 0; i < len(ct); i += 2 {
		s = s.Add(mechanism.ExpTerm(ct[i], ct[i+1]))
	}
	return s
}

// Symbolic coins have their probabilities as functions of ε. They are rejected if a denominator vanishes or a
// probability leaves [0, 1] for some ε.
func TestSymbolicCoins(t *testing.T) {
	r := func(n, d int64) *big.Rat { return big.NewRat(n, d) }
	one, y := z(r(1, 1), r(0, 1)), z(r(1, 1), r(1, 1))
	half := z(r(1, 1), r(1, 2)) // e^{−ε/2}
	law := func(p program.Probability) (string, error) {
		prog, err := runOne(t, func(n *program.Noise) program.Output { return program.Output{Shape: fmt.Sprint(n.Flip(p))} })
		if err != nil {
			return "", err
		}
		v := must.For(prog.Probability(0, "true"))(t)
		if _, ok := v.Number(); ok {
			t.Errorf("%v is a number, want a function of ε", v)
		}
		return fmt.Sprint(v, " of D = ", prog.Denominator()), nil
	}
	for want, p := range map[string]program.Probability{
		"1/(1 + z) of D = 1":       program.SymbolProbability(one, one.Add(y)),
		"z/(1 + z) of D = 1":       program.SymbolProbability(y.Neg(), one.Add(y).Neg()),
		"z of D = 1":               program.SymbolProbability(y, one),
		"1/(1 + z) of D = 2":       program.SymbolProbability(one, one.Add(half)),
		"(1 − z)/(2 + z) of D = 1": program.SymbolProbability(one.Sub(y), one.Add(one).Add(y)),
		"1 − 2·z + z^2 of D = 2":   program.SymbolProbability(one.Sub(half).Sub(half).Add(y), one),
	} {
		if got, err := law(p); err != nil || got != want {
			t.Errorf("%v: %s, %v, want %s", p, got, err, want)
		}
	}
	for want, p := range map[string]program.Probability{
		`the probability 1/(-1 + 2·z) has a denominator that is 0 for some ε, want one that is never 0`: program.SymbolProbability(one, y.Add(y).Sub(one)),
		`the probability 1/0 has a denominator that is 0 for some ε, want one that is never 0`:          program.SymbolProbability(one, mechanism.ExpSum{}),
		`the probability 1/(1 + -4·z + 4·z^2) has a denominator that is 0 for some ε, want one that is never 0`: program.SymbolProbability(one,
			one.Add(z(r(-4, 1), r(1, 1))).Add(z(r(4, 1), r(2, 1)))), // (1 − 2z)², which touches 0
		`p = "1 + z", want a probability in [0, 1]`:                                                   program.SymbolProbability(one.Add(y), one),
		`p = "1/2 + -1·z", want a probability in [0, 1]`:                                              program.SymbolProbability(z(r(1, 2), r(0, 1)).Sub(y), one),
		`the rates of the noise have the common denominator 10001, want at most 10000`:                program.SymbolProbability(z(r(1, 1), r(1, 10001)), one),
		`a weight is the power 1048576 of e^{−ε/1}, want an exponent below 1048576 in absolute value`: program.SymbolProbability(one, one.Add(z(r(1, 1), r(1<<20, 1)))),
	} {
		want = strings.NewReplacer("+ -1·z", "− z", "+ -4·z", "− 4·z").Replace(want)
		_, err := law(p)
		wantError(t, err, want)
	}
	// Weights can be functions of ε if they are nonnegative.
	p := must.For(runOne(t, func(n *program.Noise) program.Output {
		return program.Output{Shape: fmt.Sprint(n.Choice([]program.Probability{program.SymbolProbability(one, one), program.SymbolProbability(y, one), program.SymbolProbability(y, one)}))}
	}))(t)
	if got := must.For(p.Probability(0, "1"))(t).String(); got != "z/(1 + 2·z)" {
		t.Errorf("a choice of weight z among 1, z, z: %s", got)
	}
	_, err := runOne(t, func(n *program.Noise) program.Output {
		n.Choice([]program.Probability{program.SymbolProbability(one, one), program.SymbolProbability(z(r(1, 2), r(0, 1)).Sub(y), one)})
		return program.Output{}
	})
	wantError(t, err, `weights[1] = "1/2 − z", want at least 0`)
	_, err = runOne(t, func(n *program.Noise) program.Output {
		n.Choice([]program.Probability{program.SymbolProbability(one, one.Sub(one))})
		return program.Output{}
	})
	wantError(t, err, "the probability 1/0 has a denominator that is 0 for some ε, want one that is never 0")
}

// Rates are multiples of one symbol, or numbers. At most four numbers may be no rational multiples of each other.
func TestUnitsOfRates(t *testing.T) {
	one := big.NewRat(1, 1)
	prime := func(p int64) program.Rate {
		return program.Known(must.Be(evidence.LogEpsilon("eps", big.NewRat(p, 1))))
	}
	clipped := func(rates ...program.Rate) func(n *program.Noise) program.Output {
		return func(n *program.Noise) program.Output {
			said := ""
			for _, r := range rates {
				said += map[bool]string{true: "+", false: "-"}[n.Less(program.Constant(new(big.Rat)), n.Geometric(r, one))]
			}
			return program.Output{Shape: said}
		}
	}
	four := []program.Rate{prime(2), prime(3), prime(5), prime(7)}
	p := must.For(runOne(t, clipped(append(four, prime(4), prime(9))...)))(t) // Pr[X > 0] = z/(1 + z) = 1/(p + 1)
	if n, _ := must.For(p.Probability(0, "+-+-+-"))(t).Number(); evidence.Rational(n) != big.NewRat(3*7*9, 3*4*6*8*5*10).RatString() {
		t.Errorf("+-+-+- has the probability %v, want 189/28800", n)
	}
	_, err := runOne(t, clipped(append(four, prime(11))...))
	wantError(t, err, "the rate ln(11) of the noise is not a rational multiple of an earlier one, want at most 4 such rates")
	_, err = runOne(t, clipped(times(t, 1, 1), prime(2)))
	wantError(t, err, "a program mixes a symbolic rate with a number, one of them ln(2): want all rates to be multiples of one symbol, or all to be numbers")
	_, err = runOne(t, clipped(prime(2), times(t, 1, 2)))
	wantError(t, err, "a program mixes a symbolic rate with a number, one of them 1/2·ε: want all rates to be multiples of one symbol, or all to be numbers")
	// A rate is a unit of its own if its quotient with the unit has a denominator above 10000.
	for den, fits := range map[int64]bool{10000: true, 10001: false} {
		near := program.Known(must.Be(evidence.LogEpsilon("eps", big.NewRat(2, 1))).Ratio(1, den))
		if _, err := runOne(t, clipped(append(four, near)...)); (err == nil) != fits {
			t.Errorf("ln(2)/%d besides four units: %v", den, err)
		}
	}
}
