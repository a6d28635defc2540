package privacy

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/big"
	"strings"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/query"
)

// EventAccount returns the privacy of an event of dp_accounting. text is the JSON of its named tuple: an object with
// class_name and the fields, or a list of the names of its module and class and of the fields' values. Numbers are the
// decimals that are written. A noise multiplier is in units of the largest norm that a record adds to a sum, so
// replacing a record changes the sum by up to two such units. The relation is query.AddRemove, query.Replace or
// query.ReplaceSpecial. "" stands for query.Replace if the event contains SampledWithoutReplacement or
// RandomizedResponse, and for query.AddRemove otherwise. Composition is adaptive. EventAccount returns an error
// wrapping evidence.ErrParameter for events of other classes, numbers out of range and a relation under which an event
// has no meaning.
func EventAccount(ctx context.Context, text []byte, relation query.Relation) (*Account, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, parameter.Errorf("the event is not valid JSON: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, parameter.Errorf("the event is not valid JSON: something follows its end")
	}
	if relation == "" {
		relation = query.AddRemove
		if bytes.Contains(text, []byte(`"SampledWithoutReplacementDpEvent"`)) || bytes.Contains(text, []byte(`"RandomizedResponseDpEvent"`)) {
			relation = query.Replace
		}
	}
	if relation != query.AddRemove && relation != query.Replace && relation != query.ReplaceSpecial {
		return nil, parameter.Bad("neighbors", string(relation), "%q, %q or %q", query.AddRemove, query.Replace, query.ReplaceSpecial)
	}
	u := newEventUses(relation)
	if err := u.add(ctx, v, 1); err != nil {
		return nil, err
	}
	a, err := u.account(ctx)
	if err != nil {
		return nil, err
	}
	a.name = fmt.Sprintf("%s for neighbors of %q", a.name, string(relation))
	return a, nil
}

// Each number of an event must be 0 or lie between these two.
var tiniest, largest = big.NewRat(1, 1e15), big.NewRat(1e15, 1)

// eventUses collects the uses of the parts of an event.
type eventUses struct {
	relation query.Relation
	square   *big.Rat       // the sum of μ² of all Gaussian noise
	number   map[string]int // the index of each part, by the text of its event
	parts    []*Account
	times    []int
}

func newEventUses(r query.Relation) *eventUses {
	return &eventUses{relation: r, square: new(big.Rat), number: map[string]int{}}
}

// account returns the privacy of all uses together.
func (u *eventUses) account(ctx context.Context) (*Account, error) {
	parts, times := u.parts, u.times
	if u.square.Sign() > 0 {
		mu := interval.Rat(u.square).Sqrt()
		parts, times = append(parts, u.one(NormalPairs(fmt.Sprintf("Gaussian noise of multiplier %.6g", 1/mu.Mid()), "Gaussian noise", mu))), append(times, 1)
	}
	if len(parts) == 0 {
		return u.noLoss()
	}
	return Compose(ctx, parts, times)
}

// one returns the account of one use of a family that holds for all neighbors.
func (u *eventUses) one(f *DominatingPairs) *Account {
	if f.Size == 1 {
		f.TranslationInvariant = true
	} else { // the first dataset of the first pair has the extra record
		f.Universe = sampledUniverse(Poisson)
		if f.LowerBound != nil {
			f.LowerBound.Universe = f.Universe
		}
	}
	f.Relation = u.relation
	return New(f)
}

// noLoss returns the privacy of an output that does not depend on the data.
func (u *eventUses) noLoss() (*Account, error) { return u.known(new(big.Rat), new(big.Rat)) }

// known returns the privacy of an (ε, δ)-private mechanism.
func (u *eventUses) known(eps, delta *big.Rat) (*Account, error) {
	var e evidence.Epsilon
	if eps.Sign() > 0 {
		var err error
		if e, err = evidence.RationalEpsilon("eps", eps); err != nil {
			return nil, err
		}
	}
	f, err := ApproxDP(e, delta)
	if err != nil {
		return nil, err
	}
	if f.Name = "NoOp"; delta.Sign() > 0 {
		f.Name = "NonPrivate"
	}
	return u.one(f), nil
}

// add adds the given number of uses of an event.
func (u *eventUses) add(ctx context.Context, v any, times int64) error {
	e, err := readEvent(v)
	if err != nil {
		return err
	}
	switch e.class = strings.TrimSuffix(e.class, "DpEvent"); e.class {
	case "NoOp":
		return nil
	case "Composed":
		list, ok := e.values["events"].([]any)
		if !ok {
			return parameter.Bad("Composed events", fmt.Sprint(e.values["events"]), "a list of events")
		}
		for _, v := range list {
			if err := u.add(ctx, v, times); err != nil {
				return err
			}
		}
		return nil
	case "SelfComposed":
		count, err := e.whole("count", 1, maxUses/times)
		if err != nil {
			return err
		}
		return u.add(ctx, e.values["event"], times*count)
	case "Gaussian":
		sigma, err := e.number("noise_multiplier", largest)
		if err != nil {
			return err
		}
		if sigma.Sign() > 0 {
			mu := new(big.Rat).Quo(u.moved(), sigma)
			u.square.Add(u.square, mu.Mul(mu, mu).Mul(mu, big.NewRat(times, 1)))
			return nil
		}
	}
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	i, known := u.number[string(text)]
	if !known {
		a, err := u.part(ctx, e)
		if err != nil {
			return err
		}
		i = len(u.parts)
		u.number[string(text)], u.parts, u.times = i, append(u.parts, a), append(u.times, 0)
	}
	u.times[i] += int(times)
	return nil
}

// moved returns the L2 sensitivity of a sum, in units of the largest contribution of a record.
func (u *eventUses) moved() *big.Rat {
	if u.relation == query.Replace {
		return big.NewRat(2, 1)
	}
	return one
}

// part returns the privacy of one use of an event that is not a composition.
func (u *eventUses) part(ctx context.Context, e *event) (*Account, error) {
	switch e.class {
	case "Laplace":
		scale, err := e.number("noise_multiplier", largest)
		if err != nil {
			return nil, err
		}
		if scale.Sign() > 0 {
			eps, err := evidence.RationalEpsilon("eps", new(big.Rat).Quo(u.moved(), scale))
			if err != nil {
				return nil, err
			}
			return u.one(LaplacePairs("Laplace noise of multiplier "+shortRat(scale), "Laplace noise", eps)), nil
		}
	case "DiscreteLaplace":
		return u.discreteLaplace(e)
	case "RandomizedResponse":
		return u.randomizedResponse(e)
	case "ZC":
		rho, err := e.number("rho", largest)
		if err != nil {
			return nil, err
		}
		xi, err := e.number("xi", largest)
		if err != nil {
			return nil, err
		}
		f, err := ConcentratedPairs(Concentrated{xi, rho})
		if err != nil {
			return nil, err
		}
		return u.one(f), nil
	case "MixtureOfGaussians":
		return u.mixture(ctx, e)
	case "TruncatedSubsampledGaussian":
		return u.truncated(ctx, e)
	case "PoissonSampled":
		rate, err := e.number("sampling_probability", one)
		if err != nil {
			return nil, err
		}
		return u.sampled(ctx, e, rate, Poisson)
	case "SampledWithoutReplacement":
		n, err := e.whole("source_dataset_size", 1, maxUses)
		if err != nil {
			return nil, err
		}
		k, err := e.whole("sample_size", 0, n)
		if err != nil {
			return nil, err
		}
		return u.sampled(ctx, e, big.NewRat(k, n), WithoutReplacement)
	}
	return u.known(new(big.Rat), one)
}

// discreteLaplace returns the privacy of noise on the integers that is k with weight e^{−a|k|}, for sensitivity s. The
// loss is as or −as for outputs on one side of both centers, and a(s − 2k) between them.
func (u *eventUses) discreteLaplace(e *event) (*Account, error) {
	a, err := e.number("noise_parameter", big.NewRat(700, 1))
	if err != nil {
		return nil, err
	}
	s, err := e.whole("sensitivity", 0, 1<<16)
	switch {
	case err != nil:
		return nil, err
	case s == 0:
		return u.noLoss()
	case a.Sign() == 0:
		return u.known(new(big.Rat), one)
	}
	if u.relation == query.Replace {
		s *= 2
	}
	unit, err := evidence.RationalEpsilon("noise_parameter", a)
	if err != nil {
		return nil, err
	}
	weight := func(k int64) interval.Interval { return interval.Rat(new(big.Rat).Mul(a, big.NewRat(-k, 1))).Exp() }
	end := interval.Int(1).Quo(interval.Int(1).Add(weight(1))) // Pr[noise ≤ 0]
	each := end.Mul(interval.Int(1).Sub(weight(1)))            // Pr[noise = 0]
	atoms := make([]Atom, s+1)
	for k := range s + 1 {
		p, q := each.Mul(weight(k)), each.Mul(weight(s-k))
		switch k {
		case 0:
			p, q = end, end.Mul(weight(s))
		case s:
			p, q = end.Mul(weight(s)), end
		}
		atoms[k] = Atom{P: evidence.RatOrInterval{Enclosure: p}, Q: evidence.RatOrInterval{Enclosure: q}, Steps: s - 2*k, Offset: interval.Int(0)}
	}
	name := fmt.Sprintf("discrete Laplace noise of parameter %s and sensitivity %d", shortRat(a), s)
	return u.one(SymmetricPair(name, "discrete Laplace noise", NewDiscretePair(atoms, zero, zero, unit, Hooks{}))), nil
}

// randomizedResponse returns the pair of responses for two different records, or for a record and a special one whose
// response is uniform.
func (u *eventUses) randomizedResponse(e *event) (*Account, error) {
	p, err := e.number("noise_parameter", one)
	if err != nil {
		return nil, err
	}
	k, err := e.whole("num_buckets", 1, math.MaxInt32)
	switch {
	case err != nil:
		return nil, err
	case u.relation == query.AddRemove:
		return nil, parameter.Errorf("RandomizedResponseDpEvent describes one record: want neighbors %q or %q", query.Replace, query.ReplaceSpecial)
	case k == 1:
		return u.noLoss()
	}
	name := fmt.Sprintf("randomized response of parameter %s among %d", shortRat(p), k)
	other := new(big.Rat).Quo(p, big.NewRat(k, 1))
	own := new(big.Rat).Add(new(big.Rat).Sub(one, p), other)
	times := func(n int64, q *big.Rat) *big.Rat { return new(big.Rat).Mul(big.NewRat(n, 1), q) }
	if u.relation == query.Replace {
		l, err := NewRationalPair([]*big.Rat{own, other, times(k-2, other)}, []*big.Rat{other, own, times(k-2, other)})
		if err != nil {
			return nil, err
		}
		return u.one(SymmetricPair(name, "randomized response", l)), nil
	}
	l, err := NewRationalPair([]*big.Rat{own, times(k-1, other)}, []*big.Rat{big.NewRat(1, k), big.NewRat(k-1, k)})
	if err != nil {
		return nil, err
	}
	return u.one(PairAndReverse(name, "randomized response", l)), nil
}

// sampled returns the privacy of an event that uses a random sample of the records.
func (u *eventUses) sampled(ctx context.Context, e *event, rate *big.Rat, kind Sampling) (*Account, error) {
	inner := newEventUses(u.relation)
	if err := inner.add(ctx, e.values["event"], 1); err != nil || rate.Sign() == 0 {
		if err == nil {
			return u.noLoss()
		}
		return nil, err
	}
	if kind == Poisson && u.relation == query.Replace {
		if len(inner.parts) > 0 || inner.square.Sign() == 0 {
			return nil, parameter.Errorf("PoissonSampledDpEvent with neighbors %q is supported only for Gaussian noise: want neighbors %q or %q", query.Replace, query.AddRemove, query.ReplaceSpecial)
		}
		half := interval.Rat(inner.square).Sqrt().Quo(interval.Int(2)) // each record moves the sum by half the distance
		f, err := bothSides(half, interval.Rat(rate)).pairs(ctx, fmt.Sprintf("PoissonSampled(%s) of Gaussian noise", shortRat(rate)), "two mixtures of normal laws", u.relation)
		if err != nil {
			return nil, err
		}
		return u.one(f), nil
	}
	if wanted := map[Sampling]bool{Poisson: u.relation != query.Replace, WithoutReplacement: u.relation == query.Replace}[kind]; !wanted {
		return nil, parameter.Errorf("SampledWithoutReplacementDpEvent draws the same number of records from two neighbors: want neighbors %q", query.Replace)
	}
	a, err := inner.account(ctx)
	if err != nil {
		return nil, err
	}
	if c, _ := a.concentrated(); c != nil {
		return nil, parameter.Errorf("no bound for a subsampled ZCDpEvent is known")
	}
	return u.subsample(ctx, a, rate, kind)
}

// subsample returns the privacy of one use of a mechanism on a random sample of the records. The mechanism is private
// under any relation.
func (u *eventUses) subsample(ctx context.Context, a *Account, rate *big.Rat, kind Sampling) (*Account, error) {
	for _, use := range a.uses { // Subsample requires the relation that belongs to the kind of sampling
		use.Of.Relation = query.Any
	}
	a, err := Subsample(ctx, a, rate, kind)
	if err != nil {
		return nil, err
	}
	for _, use := range a.uses {
		use.Of.Relation = u.relation
	}
	return a, nil
}
