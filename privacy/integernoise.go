package privacy

import (
	"context"
	"fmt"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/query"
)

// Limits on the parameters of the laws in this file.
const (
	maxBinomial = 1 << 12
	maxSkellam  = 1000
	maxShuffled = 1 << 12
	maxUnknown  = 64 // people with shuffled answers, if the values of the others are not given
)

// BinomialPairs returns the pairs of a count to which the sum of n fair bits is added, for the given sensitivity. The
// law is log-concave, so smaller shifts have smaller losses. An output that is impossible under one law has an infinite
// loss. It returns an error wrapping evidence.ErrParameter unless 1 ≤ n ≤ 4096 and 1 ≤ sensitivity ≤ n.
func BinomialPairs(n, sensitivity int) (*DominatingPairs, error) {
	if n < 1 || n > maxBinomial {
		return nil, parameter.Bad("n", n, "1…%d", maxBinomial)
	}
	if sensitivity < 1 || sensitivity > n {
		return nil, parameter.Bad("sensitivity", sensitivity, "1…%d, the number of bits", n)
	}
	size := n + 1 + sensitivity
	p, q := make([]*big.Rat, size), make([]*big.Rat, size)
	total := new(big.Int).Lsh(big.NewInt(1), uint(n))
	for k := range size {
		p[k], q[k] = new(big.Rat), new(big.Rat)
	}
	for k := range n + 1 {
		p[k].SetFrac(new(big.Int).Binomial(int64(n), int64(k)), total)
		q[k+sensitivity] = p[k]
	}
	pair, err := NewRationalPair(p, q)
	if err != nil {
		return nil, err
	}
	f := SymmetricPair(fmt.Sprintf("binomial_noise(%d, sensitivity=%d)", n, sensitivity), "the law of a sum of fair bits", pair)
	f.SensitivityOnly = true
	return f, nil
}

// SkellamPairs returns the pairs of a count to which the difference of two independent Poisson variables of mean
// variance/2 is added, for the given sensitivity. The law is log-concave, so smaller shifts have smaller losses. Masses
// are enclosed. Outputs that are not listed count as an infinity mass of at most their probability, so Rényi
// divergences have no upper bound. It returns an error wrapping evidence.ErrParameter unless 0 < variance ≤ 1000 and 1
// ≤ sensitivity ≤ 100.
func SkellamPairs(variance *big.Rat, sensitivity int) (*DominatingPairs, error) {
	if variance.Sign() <= 0 || variance.Cmp(big.NewRat(maxSkellam, 1)) > 0 {
		return nil, parameter.Bad("variance", variance, "0 < variance <= %d", maxSkellam)
	}
	if sensitivity < 1 || sensitivity > 100 {
		return nil, parameter.Bad("sensitivity", sensitivity, "1…100")
	}
	law, rest := skellamLaw(variance, sensitivity)
	end := len(law) - 1
	at := func(k int) interval.Interval {
		if k < 0 {
			k = -k
		}
		return law[k]
	}
	var atoms []Atom
	for k := -end + sensitivity; k <= end; k++ {
		p, q := at(k), at(k-sensitivity)
		atoms = append(atoms, Atom{P: evidence.RatOrInterval{Enclosure: p}, Q: evidence.RatOrInterval{Enclosure: q}, Offset: p.Quo(q).Log(), Tags: []int{k}})
	}
	// The list omits the outputs below sensitivity − end and above end.
	beyond := evidence.RatOrInterval{Enclosure: interval.Hull(interval.Int(0), rest)}
	pair := NewDiscretePair(atoms, beyond, beyond, evidence.Epsilon{}, Hooks{})
	f := SymmetricPair(fmt.Sprintf("skellam(%s, sensitivity=%d)", variance.RatString(), sensitivity), "the law of a difference of Poisson numbers", pair)
	f.SensitivityOnly = true
	return f, nil
}

// skellamLaw encloses the probabilities of 0, 1, …, and returns a bound on the mass of all outputs that SkellamPairs
// omits. The probability of k is Σ_j Poisson(j) Poisson(j + k), where both laws have the mean λ = variance/2.
func skellamLaw(variance *big.Rat, sensitivity int) (law []interval.Interval, rest interval.Interval) {
	lambda := interval.Rat(new(big.Rat).Mul(variance, big.NewRat(1, 2)))
	var poisson []interval.Interval
	term := lambda.Neg().Exp()
	for k := 1; ; k++ {
		poisson = append(poisson, term)
		term = term.Mul(lambda).Quo(interval.Int(int64(k)))
		// Beyond twice the mean each term is at most half of the term before.
		if _, hi := term.Bounds(); hi < 1e-60 && interval.Int(2).Mul(lambda).Less(interval.Int(int64(k))) {
			break
		}
	}
	tail := term.Mul(interval.Int(2)) // bounds the mass of a Poisson law beyond the list
	for k := range poisson {
		sum := interval.Int(0)
		for j := 0; j+k < len(poisson); j++ {
			sum = sum.Add(poisson[j].Mul(poisson[j+k]))
		}
		law = append(law, interval.Hull(sum, sum.Add(tail)))
	}
	rest = tail.Mul(interval.Int(4))
	for k := len(law) - sensitivity - 1; k < len(law); k++ {
		rest = rest.Add(law[max(k, 0)].Mul(interval.Int(2)))
	}
	return law, rest
}

// Report is a person's randomized answer to a yes-no question: the probabilities of the answer 1 at the values 0 and 1.
type Report struct{ AtZero, AtOne interval.Interval }

// ShuffledPairs returns the pairs of the shuffled answers of n people, one of whom changes from 0 to 1: the laws of the
// number of answers 1. others is the number of other people with the value 1. If others is −1, there is a pair for
// every such number, and neighbors replace one person's value. It returns an error wrapping evidence.ErrParameter
// unless 2 ≤ n ≤ 4096, n ≤ 64 if others is −1, and −1 ≤ others < n.
func ShuffledPairs(name string, r Report, n, others int) (*DominatingPairs, error) {
	most := maxShuffled
	if others < 0 {
		most = maxUnknown
	}
	if n < 2 || n > most {
		return nil, parameter.Bad("n", n, "2…%d", most)
	}
	if others < -1 || others >= n {
		return nil, parameter.Bad("others", others, "0…%d, as n = %d", n-1, n)
	}
	first, count := max(others, 0), 1
	if others < 0 {
		count = n
	}
	pair := func(_ context.Context, i int) (Pair, error) {
		ones := first + i/2
		rest := sumOf(successes(ones, r.AtOne), successes(n-1-ones, r.AtZero))
		p, q := sumOf(rest, successes(1, r.AtOne)), sumOf(rest, successes(1, r.AtZero))
		if i%2 == 1 {
			p, q = q, p
		}
		atoms := make([]Atom, len(p))
		for k := range p {
			atoms[k] = Atom{P: evidence.RatOrInterval{Enclosure: p[k]}, Q: evidence.RatOrInterval{Enclosure: q[k]}, Offset: p[k].Quo(q[k]).Log(), Tags: []int{k}}
		}
		none := evidence.ExactRat(new(big.Rat))
		return NewDiscretePair(atoms, none, none, evidence.Epsilon{}, Hooks{}), nil
	}
	return &DominatingPairs{Name: name, Size: 2 * count, Source: "the law of the number of answers 1", Relation: query.Replace, Pair: pair}, nil
}

// successes encloses the law of the number of successes in n trials with success probability p, for 0 < p < 1.
func successes(n int, p interval.Interval) []interval.Interval {
	rest := interval.Int(1).Sub(p)
	out := []interval.Interval{rest.Pow(n)}
	for k := 1; k <= n; k++ {
		next := out[k-1].Mul(p).Mul(interval.Int(int64(n - k + 1))).Quo(rest.Mul(interval.Int(int64(k))))
		out = append(out, next)
	}
	return out
}

// sumOf returns the law of the sum of two independent variables.
func sumOf(p, q []interval.Interval) []interval.Interval {
	out := make([]interval.Interval, len(p)+len(q)-1)
	for i := range out {
		out[i] = interval.Int(0)
	}
	for i := range p {
		for j := range q {
			out[i+j] = out[i+j].Add(p[i].Mul(q[j]))
		}
	}
	return out
}
