package records

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"sort"

	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
	"dpworkbench/internal/sampling"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
)

// Categories is a dataset of names from a public list.
type Categories struct {
	names     []string
	counts    []int
	n         int
	neighbors Neighbors
}

// NewCategories returns the dataset of the given names, each of which must be a category. It returns an error wrapping
// evidence.ErrParameter if there are no records, fewer than two categories, a category twice, or a record that is not a
// category.
func NewCategories(x, categories []string, neighbors Neighbors) (*Categories, error) {
	switch {
	case len(x) == 0:
		return nil, parameter.Errorf("x is empty, want at least one record")
	case len(categories) < 2:
		return nil, parameter.Errorf("categories has %d names, want at least two", len(categories))
	case len(categories) > mostListed:
		return nil, parameter.Errorf("categories has %d names, want at most %d", len(categories), mostListed)
	case neighbors != Replace && neighbors != AddRemove:
		return nil, parameter.Bad("neighbors", string(neighbors), `"replace" or "add_remove"`)
	}
	place := make(map[string]int)
	for i, name := range categories {
		if _, twice := place[name]; twice {
			return nil, parameter.Errorf("categories[%d] = %q is listed twice", i, name)
		}
		place[name] = i
	}
	c := &Categories{names: categories, counts: make([]int, len(categories)), n: len(x), neighbors: neighbors}
	for i, name := range x {
		k, ok := place[name]
		if !ok {
			return nil, parameter.Errorf("x[%d] = %q, want one of the %d categories", i, name, len(categories))
		}
		c.counts[k]++
	}
	return c, nil
}

// Len returns the number of records.
func (c *Categories) Len() int { return c.n }

// Counts returns how many records each category has.
func (c *Categories) Counts() []int { return append([]int(nil), c.counts...) }

// String gives the numbers of records and of categories.
func (c *Categories) String() string {
	return fmt.Sprintf("%d records of %d categories", c.n, len(c.names))
}

// Mode returns the query for the most frequent category; ties go to the first category in the list. Its value is the
// category's index. Its error is 0 or 1.
func (c *Categories) Mode() (*Query, error) {
	best := 0
	for j, n := range c.counts {
		if n > c.counts[best] {
			best = j
		}
	}
	l := &listed{names: c.names, values: make([]*big.Rat, len(c.names)), level: make([]int32, len(c.names)), counts: c.counts}
	for j := range c.names {
		l.values[j] = big.NewRat(int64(j), 1)
		l.level[j] = int32(c.distance(j))
	}
	q := &Query{name: "mode of " + c.String(), value: big.NewRat(int64(best), 1), rng: Range{l.values[0], l.values[len(l.values)-1], big.NewRat(1, 1)},
		exact: true, ground: "counted out: records move to a category from those that are above it", listed: l, neighbors: c.neighbors, global: big.NewRat(1, 1)}
	names, neighbors := c.names, c.neighbors
	q.again = builder{size: c.n, here: c.dataset, domain: c.domain, records: func(x, values []float64) (*Query, error) {
		if len(values) < 2 || len(values) > len(names) {
			return nil, parameter.Errorf("values has %d entries, want 2…%d, one for each category that is tried", len(values), len(names))
		}
		at := make(map[float64]string)
		for i, v := range values {
			at[v] = names[i]
		}
		of := lists.Each(x, func(v float64) string { return at[v] })
		again, err := NewCategories(of, names[:len(values)], neighbors)
		if err != nil {
			return nil, err
		}
		return again.Mode()
	}}
	return q, nil
}

// dataset lists the records by their categories' indices.
func (c *Categories) dataset() (d Dataset) {
	for j, n := range c.counts {
		d.Records = append(d.Records, slices.Repeat([]float64{float64(j)}, n)...)
	}
	return d
}

// domain lists the categories' indices. It returns nil if there are more than most.
func (c *Categories) domain(most int) (out []float64) {
	for j := 0; j < len(c.names) && len(c.names) <= most; j++ {
		out = append(out, float64(j))
	}
	return out
}

// distance returns the number of changes that make category k the mode.
func (c *Categories) distance(k int) int {
	short := func(j, have int) int { // number of excess records of category j if k has `have`
		if j == k {
			return 0
		}
		if j < k {
			have-- // the earlier category wins a tie
		}
		return max(0, c.counts[j]-have)
	}
	if c.neighbors == AddRemove { // adding a record to k gains on all other categories at once
		t := 0
		for j := range c.counts {
			t = max(t, short(j, c.counts[k]))
		}
		return t
	}
	enough := func(t int) bool {
		over := 0
		for j := range c.counts {
			over += short(j, c.counts[k]+t)
		}
		return over <= t
	}
	return sort.Search(c.n, enough)
}

// countsOf returns the counts of a mode's categories, and unit, the privacy loss per difference of 1 between counts. It
// is eps/2 if a change may move two counts in opposite directions, and eps otherwise.
func countsOf(q *Query, eps evidence.Epsilon, what string) (counts []int, unit evidence.Epsilon, err error) {
	if err := eps.Positive("eps"); err != nil {
		return nil, unit, err
	}
	if q.listed == nil || q.listed.counts == nil {
		return nil, unit, parameter.Errorf("%s is not a mode, which %s requires", q.name, what)
	}
	if q.neighbors == AddRemove {
		return q.listed.counts, eps, nil
	}
	return q.listed.counts, eps.Ratio(1, 2), nil
}

// gaps returns the difference between the largest count and each count.
func gaps(counts []int) []int32 {
	most := slices.Max(counts)
	return lists.Each(counts, func(n int) int32 { return int32(most - n) })
}

// newExponentialMode returns the exponential mechanism whose score is a category's count. Its weight is e^{ε·count/2},
// or e^{ε·count} under addition and removal, where all counts move in the same direction.
func newExponentialMode(q *Query, eps evidence.Epsilon, name, source string) (Law, error) {
	counts, unit, err := countsOf(q, eps, name)
	if err != nil {
		return nil, err
	}
	m, err := newListed(q, name+"(eps="+eps.String()+")", unit, mechanism.Claim(eps, source), gaps(counts), func(q *Query) (Law, error) { return newExponentialMode(q, eps, name, source) })
	if err != nil {
		return nil, err
	}
	return m, nil
}

// NewPermuteAndFlip returns the permute-and-flip mechanism (McKenna and Sheldon 2020) for a mode. It visits the
// categories in random order and accepts each with probability e^{−ε·gap/2}, where gap is the distance below the
// largest count. Under addition and removal the probability is e^{−ε·gap}. It claims ε.
func NewPermuteAndFlip(q *Query, eps evidence.Epsilon) (Law, error) {
	return newFlips(q, eps, "permute_and_flip", "McKenna and Sheldon 2020, Theorem 1")
}

// NewNoisyMax returns report noisy max, which outputs the category with the largest noisy count. Noise "laplace" has
// scale 2/ε (Dwork and Roth 2014, Claim 3.9), or 1/ε under addition and removal, where all counts move in the same
// direction. Noise "exponential" gives the law of permute-and-flip (Ding, Kifer, Sayed et al. 2021), and "gumbel" the
// law of the exponential mechanism. It claims ε.
func NewNoisyMax(q *Query, eps evidence.Epsilon, noise string) (Law, error) {
	switch noise {
	case "laplace":
		return newLaplaceMax(q, eps)
	case "exponential":
		return newFlips(q, eps, "noisy_max, exponential", "Ding et al. 2021: noisy max with exponential noise is permute-and-flip")
	case "gumbel":
		return newExponentialMode(q, eps, "noisy_max, gumbel", "noisy max with Gumbel noise is the exponential mechanism (McSherry and Talwar 2007)")
	}
	return nil, parameter.Bad("noise", noise, `"laplace", "exponential" or "gumbel"`)
}

// mostFlipped bounds the number of categories of permute-and-flip, whose law takes quadratic time.
const mostFlipped = 1 << 11

func newFlips(q *Query, eps evidence.Epsilon, name, source string) (Law, error) {
	counts, unit, err := countsOf(q, eps, name)
	if err != nil {
		return nil, err
	}
	if len(counts) > mostFlipped {
		return nil, parameter.Errorf("%d categories, want at most %d for %s", len(counts), mostFlipped, name)
	}
	one, err := q.singleton()
	if err != nil {
		return nil, err
	}
	gap := gaps(counts)
	title, claim := name+"(eps="+eps.String()+")", mechanism.Claim(eps, source)
	h := mechanism.Info{Name: title, Query: one, Claimed: claim}
	m := &Choice{base: base{q, title, claim, func(q *Query) (Law, error) { return newFlips(q, eps, name, source) }}}
	if m.finite, err = permuteAndFlipLaw(h, gap, unit); err != nil {
		return nil, err
	}
	m.draw = func(src rand.Source) (int, error) {
		src = sampling.Or(src)
		order := lists.Of(len(gap), func(i int) int { return i })
		for i := 0; ; i++ {
			j := i + int(sampling.Uniform(src, uint64(len(order)-i)))
			order[i], order[j] = order[j], order[i]
			taken, err := sampling.Bernoulli(sampling.Decay(unit, big.NewRat(int64(gap[order[i]]), 1)), src)
			if err != nil || taken {
				return order[i], err
			}
		}
	}
	return m, nil
}

// permuteAndFlipLaw encloses the law of permute-and-flip: Pr[i] = p_i ∫₀¹ Π_{j≠i} (1 − p_j u) du, where p_j is the
// probability of accepting j. u is the time at which i is visited. Each j is visited before u with probability u, and
// must then be rejected. In v = 1 − u the factors are (1 − p_j) + p_j v. All coefficients of their product are
// nonnegative, so no cancellation occurs.
func permuteAndFlipLaw(h mechanism.Info, gap []int32, unit evidence.Epsilon) (mechanism.Mechanism, error) {
	p := make([]evidence.RatOrInterval, len(gap))
	rational := len(gap) <= 24
	for j, g := range gap {
		p[j] = unit.DecayAt(big.NewRat(int64(g), 1), 1<<10)
		rational = rational && p[j].Rational != nil
	}
	if rational {
		row := lists.Of(len(gap), func(i int) *big.Rat { return rationalPermuteAndFlip(p, i) })
		return mechanism.NewRationalTable(h, [][]*big.Rat{row}, nil)
	}
	one := interval.Int(1)
	all := factors{one}
	at := make([]interval.Interval, len(gap)) // 1 − p_j
	for j, g := range gap {
		at[j] = interval.Int(0)
		if g > 0 {
			at[j] = unit.Enclosure().Mul(interval.Int(int64(g))).Neg().Expm1().Neg()
		}
		all = all.times(at[j], p[j].Enclosure)
	}
	row := make([]interval.Interval, len(gap))
	known := make(map[int32]interval.Interval)
	for i, g := range gap {
		v, ok := known[g]
		if !ok {
			v = interval.Int(0)
			for k, c := range all.without(at[i], p[i].Enclosure) {
				v = v.Add(c.Quo(interval.Int(int64(k + 1))))
			}
			v = v.Mul(p[i].Enclosure)
			known[g] = v
		}
		row[i] = inUnit(v)
	}
	return mechanism.NewEnclosedTable(h, [][]interval.Interval{row}, nil, nil)
}

// rationalPermuteAndFlip returns Pr[i] in rationals.
func rationalPermuteAndFlip(p []evidence.RatOrInterval, i int) *big.Rat {
	poly := []*big.Rat{big.NewRat(1, 1)}
	for j := range p {
		if j == i {
			continue
		}
		poly = append(poly, new(big.Rat))
		for k := len(poly) - 1; k > 0; k-- {
			poly[k] = new(big.Rat).Sub(poly[k], new(big.Rat).Mul(poly[k-1], p[j].Rational))
		}
	}
	sum := new(big.Rat)
	for k, c := range poly {
		sum.Add(sum, new(big.Rat).Mul(c, big.NewRat(1, int64(k+1))))
	}
	return sum.Mul(sum, p[i].Rational)
}
