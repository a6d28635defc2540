package repl

import (
	"fmt"

	"dpworkbench/mechanism"
	"dpworkbench/privacy"
	"dpworkbench/script"
)

// integerNoiseBuiltins returns integer noise that is not a mechanism on a query, and shuffled reports.
func integerNoiseBuiltins() []script.Builtin {
	return []script.Builtin{
		script.Func("binomial_noise(n: int[1..4096], sensitivity: int[1..4096]=1) -> privacy",
			"The privacy of a count with the sum of n fair bits as noise (Dwork and others 2006), where a record "+
				"changes the count by at most sensitivity ≤ n. The smallest ε is inf, because the ends of the range "+
				"reveal the count. epsilon_at(delta) is accurate to the last place.",
			"b = binomial_noise(100)\nprint(b.epsilon_at(1e-6), binomial_noise(4).delta_at(0))",
			func(c *script.Call) (any, error) {
				f, err := privacy.BinomialPairs(c.Int("n"), c.Int("sensitivity"))
				return accountOrError(f, err)
			}),
		script.Func("skellam(variance: rational, sensitivity: int[1..100]=1) -> privacy",
			"The privacy of a count with Skellam noise, the difference of two independent Poisson numbers with "+
				"mean variance/2 each (Agarwal, Kairouz and Liu 2021), where a record changes the count by at most "+
				"sensitivity. 0 < variance ≤ 1000. Certified; the smallest ε is inf, and Rényi divergences have no "+
				"upper bound, because the law is listed up to a mass of 1e-60.",
			"s = skellam(4)\nprint(s.delta_at(1), s.epsilon_at(1e-6))",
			func(c *script.Call) (any, error) {
				f, err := privacy.SkellamPairs(c.Rational("variance"), c.Int("sensitivity"))
				return accountOrError(f, err)
			}),
		script.Func("shuffled(m: mechanism, n: int[2..4096], others: int[0..4095]=None) -> privacy",
			"The privacy of n people who each answer by m, a mechanism with two datasets and two values such as "+
				"krr(2, eps), if a shuffler reveals only how often each answer occurs "+
				"(Bittau and others 2017). Neighbors replace one person's value. others is the number of the other "+
				"n − 1 people with the second value; without it every number is tried, and n is at most 64.",
			"print(krr(2, 1).delta_at(0.5), shuffled(krr(2, 1), 20).delta_at(0.5))",
			func(c *script.Call) (any, error) {
				m := mechanismClass.Arg(c, "m")
				q := m.Query()
				if q.Size() != 2 || len(q.Range()) != 2 {
					c.Fail("m", c.Value("m"), "a mechanism with two datasets and two values, such as krr(2, eps)")
				}
				others, name := -1, fmt.Sprintf("shuffled(%s, %d)", m.Name(), c.Int("n"))
				if c.Spelled("others") && c.Arg("others") != nil {
					others = c.Int("others")
					name = fmt.Sprintf("shuffled(%s, %d, others=%d)", m.Name(), c.Int("n"), others)
				}
				return accountOrError(privacy.ShuffledPairs(name, reportOf(m), c.Int("n"), others))
			}),
	}
}

// reportOf returns the probabilities with which m outputs its second value at either dataset.
func reportOf(m mechanism.Mechanism) privacy.Report {
	return privacy.Report{AtZero: m.Enclose(0, 1), AtOne: m.Enclose(1, 1)}
}

// accountOrError returns the account of the pairs, or the error of making them.
func accountOrError(f *privacy.DominatingPairs, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return privacy.New(f), nil
}
