package privacy_test

import (
	"errors"
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/privacy"
)

// δ and ε of integer noise match rational sums, and values from mpmath with 50 digits.
func TestIntegerNoise(t *testing.T) {
	third := privacy.Report{AtZero: interval.Rat(big.NewRat(1, 3)), AtOne: interval.Rat(big.NewRat(2, 3))}
	of := func(f *privacy.DominatingPairs, err error) *privacy.Account {
		if err != nil {
			t.Fatal(err)
		}
		return privacy.New(f)
	}
	zero, one := evidence.Epsilon{}, evidencetest.Epsilon(1)
	for name, c := range map[string]struct {
		of   *privacy.Account
		at   evidence.Epsilon
		want float64
	}{
		// The masses are 1/16, 4/16, 6/16, 4/16 and 1/16. For a shift by 1, δ(0) is (1 + 3 + 2)/16.
		"four bits":           {of(privacy.BinomialPairs(4, 1)), zero, 6. / 16},
		"four bits, a move 2": {of(privacy.BinomialPairs(4, 2)), zero, 10. / 16},
		"four bits at 1":      {of(privacy.BinomialPairs(4, 1)), one, 0.1426073857213097},
		"Skellam":             {of(privacy.SkellamPairs(big.NewRat(4, 1), 1)), zero, 0.2070019212239867},
		"Skellam at 1":        {of(privacy.SkellamPairs(big.NewRat(4, 1), 1)), one, 0.003503759780482868},
		// With two people, and the value 0 of the other one, the counts 0, 1, 2 have probabilities 2/9, 5/9, 2/9 under
		// one law and 4/9, 4/9, 1/9 under the other.
		"two people": {of(privacy.ShuffledPairs("two", third, 2, 0)), zero, 2. / 9},
		"any other":  {of(privacy.ShuffledPairs("two", third, 2, -1)), zero, 2. / 9},
	} {
		n, err := c.of.Delta(t.Context(), c.at)
		if err != nil {
			t.Fatal(name, err)
		}
		if lo, hi := n.Bounds(); lo > c.want*(1+1e-13) || hi < c.want*(1-1e-13) || hi-lo > 1e-12 {
			t.Errorf("%s: δ in [%.17g, %.17g], want %.15g", name, lo, hi, c.want)
		}
	}
	for name, f := range map[string]*privacy.DominatingPairs{"binomial": must.Be(privacy.BinomialPairs(6, 2)), "Skellam": must.Be(privacy.SkellamPairs(big.NewRat(4, 1), 2)), "shuffled": must.Be(privacy.ShuffledPairs("five", third, 5, 2))} {
		l := must.For(f.Pair(t.Context(), 0))(t).(*privacy.DiscretePair)
		for _, a := range l.Atoms() {
			if got, want := l.Loss(a).Mid(), math.Log(a.P.Enclosure.Mid()/a.Q.Enclosure.Mid()); a.P.Enclosure.Mid() > 1e-9 && math.Abs(got-want) > 1e-12*(1+math.Abs(want)) {
				t.Errorf("%s: output %v has the loss %g, want %g", name, a.Tags, got, want)
			}
		}
		// i of the two people with the value 1 report 1, and j of the two with the value 0. The fifth person has the
		// value 1.
		if name == "shuffled" {
			p, third := 0.0, 1./3
			for i := range 3 {
				for j := range 3 {
					if 3-i-j == 0 || 3-i-j == 1 {
						own := []float64{third, 2 * third}[3-i-j] // a person with the value 1 reports 1 with probability 2/3
						p += []float64{1, 2, 1}[i] * math.Pow(2, float64(i)) / 9 * []float64{4, 4, 1}[j] / 9 * own
					}
				}
			}
			if got := l.Atoms()[3].P.Enclosure.Mid(); math.Abs(got-p) > 1e-15 {
				t.Errorf("three of five reports are 1 with probability %g, want %g", got, p)
			}
		}
	}
	for name, err := range map[string]error{
		"no bits":       second(privacy.BinomialPairs(0, 1)),
		"a move of 5":   second(privacy.BinomialPairs(4, 5)),
		"no variance":   second(privacy.SkellamPairs(new(big.Rat), 1)),
		"no move":       second(privacy.SkellamPairs(big.NewRat(1, 1), 0)),
		"one person":    second(privacy.ShuffledPairs("", third, 1, 0)),
		"65 and others": second(privacy.ShuffledPairs("", third, 65, -1)),
		"two others":    second(privacy.ShuffledPairs("", third, 2, 2)),
	} {
		if !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }
