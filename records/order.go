package records

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
)

// Median returns the lower median, the record of rank ⌈n/2⌉ in ascending order.
func (r *Records) Median() (*Query, error) { return r.orderStatistic("median", big.NewRat(1, 2)) }

// Minimum returns the smallest record.
func (r *Records) Minimum() (*Query, error) { return r.orderStatistic("minimum", new(big.Rat)) }

// Maximum returns the largest record.
func (r *Records) Maximum() (*Query, error) { return r.orderStatistic("maximum", big.NewRat(1, 1)) }

// Quantile returns the record of rank ⌈pn⌉ in ascending order, the first for p = 0. It returns an error wrapping
// evidence.ErrParameter unless 0 ≤ p ≤ 1.
func (r *Records) Quantile(p *big.Rat) (*Query, error) {
	if p.Sign() < 0 || p.Cmp(big.NewRat(1, 1)) > 0 {
		return nil, parameter.Bad("p", p, "a number from 0 to 1")
	}
	return r.orderStatistic("quantile("+text(p)+")", p)
}

// placeOf returns the rank ⌈pn⌉, at least 1.
func placeOf(p *big.Rat, n int) int {
	k := new(big.Rat).SetInt64(int64(n))
	return max(1, ceiling(k.Mul(k, p)))
}

func ceiling(q *big.Rat) int {
	c := interval.RationalFloor(new(big.Rat).Neg(q))
	return int(-c.Int64())
}

// orderStatistic returns the query for the record of rank ⌈pn⌉.
func (r *Records) orderStatistic(name string, p *big.Rat) (*Query, error) {
	n := r.Len()
	m := placeOf(p, n)
	q := r.query(name, r.at(m), r.valueRange())
	q.again = tabular(r, func(r *Records) (*Query, error) { return r.orderStatistic(name, p) })
	q.local = func(t int) *big.Rat { return r.gap(m, m, t) }
	q.global = new(big.Rat).Sub(r.opts.Hi, r.opts.Lo)
	q.quantile = true
	q.exact, q.ground = true, "order statistics move by at most one place a change"
	if r.opts.Neighbors == Replace {
		q.attained = always
		if r.opts.Grid == nil {
			q.orderLayers = &orderLayers{r, m}
		}
		q.moves = func(t int) (up, down *big.Rat) { return r.between(m, m+t), r.between(m-t, m) }
		return q, nil
	}
	// Let φ_v = #{records ≤ v} − pn: the quantile is at most v if and only if φ_v ≥ 0. Adding a record at or below v
	// raises φ_v by 1 − p, adding a record above v lowers it by p, and removing does the opposite. So t changes shift
	// the rank by at most t·max(p, 1 − p). A value that is not a record must first be added, which shifts the rank by p
	// or 1 − p.
	one := big.NewRat(1, 1)
	rest := new(big.Rat).Sub(one, p)
	most := rest
	if p.Cmp(rest) > 0 {
		most = p
	}
	start := new(big.Rat).SetInt64(int64(n))
	start.Mul(start, p)
	along := func(t int, first, each *big.Rat) *big.Rat { // returns start + first + (t − 1)·each
		v := new(big.Rat).SetInt64(int64(t - 1))
		return v.Add(v.Mul(v, each), new(big.Rat).Add(start, first))
	}
	// Any value to be reached is added as a record, unless it is one already.
	upTo := func(t int) int { return max(1, ceiling(along(t, p, most))) }
	downTo := func(t int) int {
		if p.Sign() == 0 {
			return 0
		}
		return ceiling(along(t, new(big.Rat).Neg(rest), new(big.Rat).Neg(most)))
	}
	if p.Sign() == 0 { // a minimum: each removal raises its rank by 1, and adding a larger record does not
		upTo = func(t int) int { return t }
	}
	if p.Cmp(one) == 0 { // a maximum
		downTo = func(t int) int { return n + 1 - t }
	}
	q.moves = func(t int) (up, down *big.Rat) { return r.between(m, max(m, upTo(t))), r.between(min(m, downTo(t)), m) }
	if p.Cmp(big.NewRat(1, 2)) == 0 {
		return q, nil
	}
	q.ground += "; removals reach records alone"
	if r.opts.Grid == nil { // layers of single records have length 0 and are kept apart
		q.valueLayer = func(v *big.Rat, t int) int {
			for d := 1; d < min(t, n); d++ {
				if k := placeOf(p, n-d); v.Cmp(r.at(d+k)) == 0 || v.Cmp(r.at(k)) == 0 {
					return d
				}
			}
			return t
		}
		return q, nil
	}
	return r.listOrderLayers(q, m, p)
}

// between returns how far the record of rank b lies above the record of rank a ≤ b.
func (r *Records) between(a, b int) *big.Rat { return new(big.Rat).Sub(r.at(b), r.at(a)) }

// gap returns the largest x_(b+k) − x_(a+k−t−1) for 0 ≤ k ≤ t + 1. It is the largest difference between the order
// statistics of ranks b and a that t + 1 changes can produce (Nissim, Raskhodnikova and Smith 2007, for medians).
func (r *Records) gap(a, b, t int) *big.Rat {
	n := r.Len()
	// Beyond the ends the maximum does not grow. To the right, x_(b+k) stays at hi. To the left, raising k loses
	// nothing while x_(a+k−t−1) is lo.
	to := min(t+1, n+1-b)
	from := min(max(0, t+1-a), to)
	if r.opts.Grid != nil {
		best := int64(0)
		for k := from; k <= to; k++ {
			best = max(best, r.place(b+k)-r.place(a+k-t-1))
		}
		v := new(big.Rat).SetInt64(best)
		return v.Mul(v, r.opts.Grid)
	}
	best := 0.0
	for k := from; k <= to; k++ {
		best = max(best, r.near(b+k)-r.near(a+k-t-1))
	}
	lo, hi := r.near(0), r.near(n+1)
	slack := 0x1p-50 * max(abs(lo), abs(hi))
	var exact *big.Rat
	last := [2]float64{math.NaN(), math.NaN()}
	for k := from; k <= to; k++ {
		pair := [2]float64{r.raw(b + k), r.raw(a + k - t - 1)}
		if r.near(b+k)-r.near(a+k-t-1) < best-slack || pair == last {
			continue
		}
		last = pair
		if d := r.between(a+k-t-1, b+k); exact == nil || d.Cmp(exact) > 0 {
			exact = d
		}
	}
	return exact
}

func abs(v float64) float64 { return max(v, -v) }

// query returns a query of the records with the given name, value and range.
func (r *Records) query(name string, value *big.Rat, rng Range) *Query {
	return &Query{name: name + " of " + r.shown, value: value, rng: rng, neighbors: r.opts.Neighbors}
}

// needsReplace returns an error unless neighbors replace one record.
func (r *Records) needsReplace(what, why string) error {
	if r.opts.Neighbors != Replace {
		return parameter.Bad("neighbors", string(r.opts.Neighbors), `"replace" for %s: %s`, what, why)
	}
	return nil
}

// Total returns the query for the sum of the records.
func (r *Records) Total() (*Query, error) {
	if r.opts.Neighbors == AddRemove {
		return r.openTotal()
	}
	n := r.Len()
	return r.summedWindow("total", 1, n, 1, r.Total)
}

// Mean returns the query for the mean of the records. Under addition and removal, layers and local sensitivities are
// bounds.
func (r *Records) Mean() (*Query, error) {
	if r.opts.Neighbors == AddRemove {
		return r.openMean()
	}
	return r.summedWindow("mean", 1, r.Len(), r.Len(), (*Records).Mean)
}

// TrimmedMean returns the mean without the k smallest and the k largest records, under replacement. It returns an
// error wrapping evidence.ErrParameter unless some records are left.
func (r *Records) TrimmedMean(k int) (*Query, error) {
	if err := r.needsReplace("trimmed_mean", "the lattice of means changes with the number of records"); err != nil {
		return nil, err
	}
	n := r.Len()
	if k < 0 || k > (n-1)/2 {
		return nil, parameter.Bad("k", k, "0…%d, so that some of %d records are left", (n-1)/2, n)
	}
	return r.summedWindow(fmt.Sprintf("trimmed_mean(%d)", k), k+1, n-k, n-2*k, func(r *Records) (*Query, error) { return r.TrimmedMean(k) })
}

// summedWindow returns the query for the sum of the order statistics of ranks a…b, divided by over. Replacing t records
// shifts the window by at most t ranks.
func (r *Records) summedWindow(name string, a, b, over int, again any) (*Query, error) {
	s, width := r.running(), int64(b-a+1)
	unit := new(big.Rat).Quo(s.unit, new(big.Rat).SetInt64(int64(over)))
	scaled := func(v *big.Int) *big.Rat { z := new(big.Rat).SetInt(v); return z.Mul(z, unit) }
	scale := big.NewRat(width, int64(over))
	rng := Range{Lo: new(big.Rat).Mul(scale, r.opts.Lo), Hi: new(big.Rat).Mul(scale, r.opts.Hi)}
	if r.opts.Grid != nil {
		rng.Step = unit
	}
	here := s.window(a, b)
	q := r.query(name, scaled(here), rng)
	q.value.Add(q.value, rng.Lo)
	switch again := again.(type) {
	case func(r *Records) (*Query, error):
		q.again = tabular(r, again)
	default:
		q.again = tabular(r, (*Records).Total)
	}
	q.exact, q.ground = true, "order statistics move by at most one place a change, all at once"
	q.moves = func(t int) (up, down *big.Rat) {
		t = min(t, r.Len())
		high, low := s.window(a+t, b+t), s.window(a-t, b-t)
		return scaled(high.Sub(high, here)), scaled(low.Sub(here, low))
	}
	over1 := big.NewRat(1, int64(over))
	q.local, q.attained = func(t int) *big.Rat { g := r.gap(a, b, min(t, r.Len())); return new(big.Rat).Mul(g, over1) }, always
	q.global = new(big.Rat).Sub(r.opts.Hi, r.opts.Lo)
	q.global.Mul(q.global, over1)
	return q, nil
}

// openTotal returns the query for the sum under addition and removal. Its moves come from adding records at an end and
// removing records.
func (r *Records) openTotal() (*Query, error) {
	n := r.Len()
	values := make([]*big.Rat, n)
	sum := new(big.Rat)
	for i := range values {
		values[i] = r.at(i + 1)
		sum.Add(sum, values[i])
	}
	zero := new(big.Rat)
	rng := Range{}
	if r.opts.Lo.Sign() >= 0 {
		rng.Lo = zero
	}
	if r.opts.Hi.Sign() <= 0 {
		rng.Hi = zero
	}
	if r.opts.Grid != nil {
		k := new(big.Rat).Quo(r.opts.Lo, r.opts.Grid)
		if !k.IsInt() {
			return nil, parameter.Bad("lo", r.opts.Lo, "a multiple of grid = %s for a total under addition and removal: otherwise sums of records lie on no grid", text(r.opts.Grid))
		}
		rng.Step = r.opts.Grid
	}
	q := r.query("total", sum, rng)
	q.again = tabular(r, (*Records).Total)
	q.ground = "each change adds at most one record at an end or removes one record (docs/records.md)"
	gains := func(add *big.Rat, taken func(i int) *big.Rat) []*big.Rat { // out[t] is the gain of t removals; each further change adds `add` if it is positive
		out := []*big.Rat{zero}
		for i := range n {
			v := taken(i)
			if v.Cmp(add) <= 0 {
				break
			}
			out = append(out, new(big.Rat).Add(out[i], v))
		}
		return out
	}
	high := gains(r.opts.Hi, func(i int) *big.Rat { return new(big.Rat).Neg(values[i]) })
	low := gains(new(big.Rat).Neg(r.opts.Lo), func(i int) *big.Rat { return values[n-1-i] })
	reach := func(of []*big.Rat, add *big.Rat, t int) *big.Rat {
		if t < len(of) {
			return of[t]
		}
		v := new(big.Rat)
		if add.Sign() > 0 {
			v.SetInt64(int64(t - len(of) + 1))
			v.Mul(v, add)
		}
		return v.Add(v, of[len(of)-1])
	}
	minus := new(big.Rat).Neg(r.opts.Lo)
	q.moves = func(t int) (up, down *big.Rat) { return reach(high, r.opts.Hi, t), reach(low, minus, t) }
	q.growth = slices.MaxFunc([]*big.Rat{r.opts.Hi, minus}, (*big.Rat).Cmp)
	q.global = slices.MaxFunc([]*big.Rat{new(big.Rat).Abs(r.opts.Lo), new(big.Rat).Abs(r.opts.Hi)}, (*big.Rat).Cmp)
	q.local, q.attained = constant(q.global), always // attained by adding Lo or Hi
	return q, nil
}

// Count returns the number of records that satisfy a predicate. It evaluates the predicate once for each value of the
// records. It also evaluates public values, until one satisfies the predicate and one does not. If the predicate is
// constant on all values of a grid, only the number of records moves the count. If it is unknown whether the predicate
// is constant, layers and local sensitivities are bounds.
func (r *Records) Count(which func(v *big.Rat) (bool, error)) (*Query, error) {
	n, c := r.Len(), 0
	var last *big.Rat
	var lastIs bool
	for k := 1; k <= n; k++ {
		v := r.at(k)
		if last == nil || v.Cmp(last) != 0 {
			is, err := which(v)
			if err != nil {
				return nil, err
			}
			last, lastIs = v, is
		}
		if lastIs {
			c++
		}
	}
	yes, no, all := r.ask(which)
	q := r.query("count", big.NewRat(int64(c), 1), Range{new(big.Rat), big.NewRat(int64(n), 1), big.NewRat(1, 1)})
	q.again = tabular(r, func(r *Records) (*Query, error) { return r.Count(which) })
	q.exact, q.ground = true, "a change moves a count by at most 1, where records can satisfy the predicate and can fail to"
	unit, open := big.NewRat(1, 1), r.opts.Neighbors == AddRemove
	if open {
		q.rng.Hi, q.growth = nil, unit
	}
	switch {
	case yes && no:
	case !all:
		q.exact, q.unattained, q.ground = false, true, "a change moves a count by at most 1; the predicate is constant on the values that were tested"
	case yes && open:
		q.ground = "every record counts, and at least one remains"
	default: // noise calibrated to Δ has the same scale as for other counts
		unit, q.unattained, q.isConstant, q.ground = new(big.Rat), true, true, "the predicate is constant, and so is the count"
	}
	q.moves = func(t int) (up, down *big.Rat) {
		up = whole(t)
		up.Mul(up, unit)
		switch {
		case !open || c < n || t < n:
			return up, up
		case all && !no:
			return up, whole(n - 1)
		}
		return up, whole(min(t, n+1) - 1) // to reach 0, add a record before removing the last one that counts
	}
	q.local, q.global = constant(unit), whole(1)
	if q.exact {
		q.attained = always
	}
	return q, nil
}

// mostAsked bounds the number of public values at which a predicate is evaluated.
const mostAsked = 1 << 16

// ask evaluates a predicate at the ends of the range, and then at ever finer evenly spaced values. It reports whether
// some value satisfies the predicate, whether some value does not, and whether all values of the grid were evaluated.
// The values do not depend on the records. After an error the predicate is not evaluated again.
func (r *Records) ask(which func(v *big.Rat) (bool, error)) (yes, no, all bool) {
	parts := int64(mostAsked)
	if all = r.opts.Grid != nil && r.size <= mostAsked; all {
		parts = max(r.size, 1) // size is 0 if lo = hi
	}
	width, failed := new(big.Rat).Sub(r.opts.Hi, r.opts.Lo), false
	ask := func(k int64) {
		if failed || yes && no {
			return
		}
		v := big.NewRat(k, parts)
		if r.opts.Grid != nil && !all { // round down to the grid
			v.Mul(v, new(big.Rat).SetInt64(r.size))
			v.SetFrac(interval.RationalFloor(v), big.NewInt(r.size))
		}
		is, err := which(v.Add(v.Mul(v, width), r.opts.Lo))
		failed, yes, no = err != nil, yes || err == nil && is, no || err == nil && !is
	}
	ask(0)
	ask(parts)
	for step := int64(mostAsked / 2); step > 0; step /= 2 {
		for k := step; k < parts; k += 2 * step {
			ask(k)
		}
	}
	return yes, no, all && !failed
}
