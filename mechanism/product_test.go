package mechanism_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// partlyRational hides the rational probabilities of odd outputs.
type partlyRational struct{ mechanism.Mechanism }

func (p partlyRational) Rational(x, r int) (*big.Rat, bool) {
	v, ok := p.Mechanism.Rational(x, r)
	return v, ok && r%2 == 0
}

// fewValues returns a query with few integer values that datasets share.
func fewValues(t testing.TB, rng *rand.Rand, space *query.Space, name string) *query.Query {
	t.Helper()
	all := []float64{0, 1, 2, 3}
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	all = all[:1+rng.IntN(3)]
	values := make([]float64, space.Size())
	for x := range values {
		values[x] = all[rng.IntN(len(all))]
	}
	return must.For(query.NewNumeric(name, space, values, all))(t)
}

// anyMechanism returns a random mechanism: rational, partly rational or enclosed, with probabilities below the
// range of float64.
func anyMechanism(t testing.TB, rng *rand.Rand, q *query.Query) mechanism.Mechanism {
	t.Helper()
	switch rng.IntN(6) {
	case 0:
		return build(t, "geometric", q, ln(t, 3, 1).Times(6))
	case 1:
		return build(t, "laplace", q, eps(t, []float64{0.7, 900}[rng.IntN(2)]))
	case 2:
		return build(t, "ladder", q, []evidence.Epsilon{ln(t, 9, 1), eps(t, 2000)}[rng.IntN(2)])
	case 3:
		return build(t, "exponential", q, eps(t, 1500))
	}
	rows := make([][]*big.Rat, q.Size())
	for x := range rows {
		sum := int64(0)
		weights := make([]int64, len(q.Range()))
		for r := range weights {
			weights[r] = rng.Int64N(4)
			if r == q.ValueIndex(x) {
				weights[r]++
			}
			sum += weights[r]
		}
		for _, w := range weights {
			rows[x] = append(rows[x], big.NewRat(w, sum))
		}
	}
	m := must.For(mechanism.NewFinite(t.Context(), q, rows, mechanism.Claim(ln(t, 2, 1), "given")))(t)
	if rng.IntN(2) == 0 {
		return partlyRational{m}
	}
	return m
}

// isRational reports whether all probabilities are rational.
func isRational(m mechanism.Mechanism) bool { return mechanism.RationalLaws(m) != nil }

// agree reports whether two enclosures are narrow and overlap.
func agree(a, b interval.Interval) bool {
	return !a.Less(b) && !b.Less(a) && a.Upper().Sub(a.Lower()).Mid() < 1e-60 && b.Upper().Sub(b.Lower()).Mid() < 1e-60
}

// The probabilities of a product are the products, as rational numbers, enclosures and logarithms. Datasets share a
// class if they share one in every factor.
func TestProductMatchesDefinition(t *testing.T) {
	ctx, rng := t.Context(), rand.New(rand.NewPCG(17, 4))
	exact, tiny, mixed := 0, 0, 0
	for range 60 {
		n := 2 + rng.IntN(4)
		space := pathQuery(t, n).Space()
		queries := make([]*query.Query, 2+rng.IntN(2))
		parts, names := make([]mechanism.Mechanism, len(queries)), make([]string, len(queries))
		claims, rational := 0.0, true
		for k := range queries {
			queries[k] = fewValues(t, rng, space, fmt.Sprint("f", k))
			parts[k] = anyMechanism(t, rng, queries[k])
			names[k], rational = parts[k].Name(), rational && isRational(parts[k])
			claims += parts[k].ClaimedEpsilon().Float()
		}
		q := must.For(query.Product(ctx, queries, query.SumNorm, nil))(t)
		m := must.For(mechanism.Product(ctx, q, parts))(t)
		if want := "product(" + strings.Join(names, ", ") + ")"; m.Name() != want {
			t.Errorf("the product is named %s, want %s", m.Name(), want)
		}
		if got := m.ClaimedEpsilon().Float(); math.Abs(got-claims) > 1e-12*claims {
			t.Errorf("%s claims %v, want %v", m.Name(), got, claims)
		}
		if rational {
			exact++
		}
		classes := map[string]int{}
		for x := range n {
			key := ""
			for _, p := range parts {
				key += fmt.Sprint(p.Class(x), " ")
			}
			if c, ok := classes[key]; ok && c != m.Class(x) {
				t.Errorf("%s: dataset %d has the law %d, want %d", m.Name(), x, m.Class(x), c)
			}
			classes[key] = m.Class(x)
			for r, v := range q.Range() {
				p, around, log := big.NewRat(1, 1), interval.Int(1), interval.Int(0)
				none, known := false, true
				for k, part := range parts {
					at, _ := queries[k].Find(v.(query.Tuple)[k])
					none = none || math.IsInf(part.LogProb(x, at), -1)
					around, log = around.Mul(part.Enclose(x, at)), log.Add(part.EncloseLog(x, at))
					if v, ok := part.Rational(x, at); ok && known {
						p.Mul(p, v)
					} else {
						known = false
					}
				}
				got, ok := m.Rational(x, r)
				if ok != rational || ok && got.Cmp(p) != 0 {
					t.Errorf("%s: p^%d(%v) = %v, %t, want %v", m.Name(), x, v, got, ok, p)
				}
				if none != math.IsInf(m.LogProb(x, r), -1) || !agree(m.Enclose(x, r), around) {
					t.Errorf("%s: p^%d(%v) = %v, want %v", m.Name(), x, v, m.Enclose(x, r), around)
				}
				if known && !agree(m.Enclose(x, r), interval.Rat(p)) {
					t.Errorf("%s: p^%d(%v) = %v, want %v", m.Name(), x, v, m.Enclose(x, r), p)
				}
				if !rational && known {
					mixed++
				}
				if none {
					continue
				}
				if !agree(m.EncloseLog(x, r), log) {
					t.Errorf("%s: ln p^%d(%v) = %v, want %v", m.Name(), x, v, m.EncloseLog(x, r), log)
				}
				if log.Mid() < -800 {
					tiny++
				}
			}
		}
		if len(classes) != m.Classes() {
			t.Errorf("%s has %d laws, want %d", m.Name(), m.Classes(), len(classes))
		}
	}
	if exact < 3 || tiny < 50 || mixed < 100 {
		t.Errorf("too few cases: %d rational products, %d tiny probabilities, %d partly rational", exact, tiny, mixed)
	}
}

// withClaim is a mechanism with a given claim.
type withClaim struct {
	mechanism.Mechanism
	claim evidence.Number
}

func (c withClaim) ClaimedEpsilon() evidence.Number { return c.claim }

// The claim of a product is the sum of the factors' claims, exact if all are exact.
func TestProductClaimsSum(t *testing.T) {
	ctx := t.Context()
	q, m := halves(t)
	product := must.For(query.Product(ctx, []*query.Query{q, q, q}, query.SumNorm, nil))(t)
	two, three := mechanism.Claim(ln(t, 2, 1), "given"), mechanism.Claim(ln(t, 3, 1), "given")
	half, plain := mechanism.Claim(eps(t, 0.5), "given"), evidence.Claimed{Value: 2, Provenance: evidence.From("given")}
	for _, claims := range [][]evidence.Number{
		{two, three, two}, {half, half, half}, {two, half, three}, {two, half, half}, {plain, two, three}, {two, plain, three}, {two, three, plain}, {plain, plain, plain},
		{evidence.Exact{Value: big.NewRat(1, 4)}, half, half}, {half, evidence.Exact{Value: big.NewRat(1, 4)}, half}, {half, half, evidence.Certified{Lo: 1, Hi: 1}},
	} {
		want, asEpsilon := 0.0, evidence.Epsilon{}
		sum, decay, logs, rational := new(big.Rat), big.NewRat(1, 1), true, true
		parts := make([]mechanism.Mechanism, len(claims))
		for k, c := range claims {
			parts[k], want = withClaim{m, c}, want+c.Float()
			claimed, _ := c.(evidence.Claimed)
			v, ok := claimed.Epsilon.Rational()
			if rational = rational && ok && v.Sign() > 0; rational {
				sum.Add(sum, v)
			}
			w, ok := claimed.Epsilon.Exp()
			if logs = logs && ok && w.Cmp(big.NewRat(1, 1)) > 0; logs {
				decay.Mul(decay, w)
			}
		}
		switch {
		case logs:
			asEpsilon = must.For(evidence.LogEpsilon("eps", decay))(t)
		case rational:
			asEpsilon = must.For(evidence.RationalEpsilon("eps", sum))(t)
		}
		got := must.For(mechanism.Product(ctx, product, parts))(t).ClaimedEpsilon().(evidence.Claimed)
		if math.Abs(got.Float()-want) > 1e-15*want || got.Epsilon.Text() != asEpsilon.Text() {
			t.Errorf("claims %v add up to %v, %s, want %v, %s", claims, got.Float(), got.Epsilon.Text(), want, asEpsilon.Text())
		}
	}
}
