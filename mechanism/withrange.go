package mechanism

import (
	"context"
	"encoding/binary"
	"math/big"
	"strings"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/query"
)

// WithRange returns m read as a mechanism of another query on the same datasets: the same
// laws, with distortions against q's values. It is how a mechanism of a query that stands in
// for q (Wu et al., Section 5.2, the approximation problem) is judged. Values that m may
// output and q's range lacks are added to it, where q's values are numbers under |a − b|.
//
// It returns an error wrapping evidence.ErrParameter where the datasets or their neighbors
// are others, or m may output what q's metric does not reach.
func WithRange(ctx context.Context, m Mechanism, q *query.Query) (*Table, error) {
	q, place, err := ExtendRange(m.Query(), q)
	if err != nil {
		return nil, err
	}
	size := len(q.Range())
	rows, logsOf := newTableRows(m.Classes(), size), make([]int, m.Classes())
	class, known := make([]int32, q.Size()), make([]bool, m.Classes())
	source := make([]int, size) // the place in m's range
	for r, at := range place {
		source[at] = r
	}
	for x := range class {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		k := m.Class(x)
		class[x] = int32(k)
		if known[k] {
			continue
		}
		known[k], logsOf[k] = true, x
		for r, at := range place {
			rows.set(k, at, m, x, r)
		}
	}
	return rows.table(Info{m.Name() + " for " + q.Name(), q, m.ClaimedEpsilon()}, func(row, r int) interval.Interval {
		return m.EncloseLog(logsOf[row], source[r])
	}, class)
}

// ExtendRange returns q, with own's values added to its range where it lacks some, and where each of
// own's values stands there. Errors as WithRange.
func ExtendRange(own, q *query.Query) (wide *query.Query, place []int, err error) {
	if own.Size() != q.Size() || !own.Space().SameNeighbors(q.Space()) {
		return nil, nil, parameter.Errorf("q, %s, has other datasets or neighbors than %s", q.Name(), own.Name())
	}
	place = make([]int, len(own.Range()))
	missing := false
	for r, v := range own.Range() {
		at, ok := q.Find(v)
		place[r], missing = at, missing || !ok
	}
	if missing {
		if q, err = addToRange(q, own.Range()); err != nil {
			return nil, nil, err
		}
		for r, v := range own.Range() {
			place[r], _ = q.Find(v)
		}
	}
	return q, place, nil
}

// widened returns q with more values in its range.
func addToRange(q *query.Query, more []query.Value) (*query.Query, error) {
	if err := q.CheckMetric("answering with values beyond the range"); err != nil {
		return nil, err
	}
	all := append([]query.Value{}, q.Range()...)
	for _, v := range more {
		if _, ok := q.Find(v); !ok {
			all = append(all, v)
		}
	}
	wide, err := query.New(q.Name(), q.Space(), q.Values(), all, query.ValueMetric{})
	if err != nil {
		return nil, err
	}
	for i := range q.Range() { // the metric of q must be |a − b|
		for j := range i {
			if q.Metric().Rational(i, j).Cmp(wide.Metric().Rational(i, j)) != 0 {
				return nil, parameter.Errorf("the mechanism may output %v, which is not in the range of %s", more[0], q.Name())
			}
		}
	}
	return wide, nil
}

// enclosedRow is a row of a table under the making.
type enclosedRow struct {
	enclosed []interval.Interval
	exact    []*big.Rat
}

// tableRows are rows under the making, rational while every probability is.
type tableRows struct {
	rows     []enclosedRow
	rational bool
}

func newTableRows(n, size int) *tableRows {
	t := &tableRows{rows: make([]enclosedRow, n), rational: true}
	for i := range t.rows {
		row := enclosedRow{make([]interval.Interval, size), make([]*big.Rat, size)}
		for r := range row.exact {
			row.enclosed[r], row.exact[r] = interval.Int(0), new(big.Rat)
		}
		t.rows[i] = row
	}
	return t
}

// set puts the probability of r at x into a cell.
func (t *tableRows) set(row, at int, m Mechanism, x, r int) {
	t.rows[row].enclosed[at] = m.Enclose(x, r)
	p, ok := m.Rational(x, r)
	if t.rational = t.rational && ok; ok {
		t.rows[row].exact[at] = p
	}
}

func (t *tableRows) table(h Info, logs LogProbs, class []int32) (*Table, error) {
	enclosed, exact := make([][]interval.Interval, len(t.rows)), make([][]*big.Rat, len(t.rows))
	for i, row := range t.rows {
		enclosed[i], exact[i] = row.enclosed, row.exact
	}
	if t.rational {
		return NewRationalTable(h, exact, class)
	}
	return NewEnclosedTable(h, enclosed, logs, class)
}

// Product returns the composition of mechanisms as Wu et al. mean it (Proposition 1): one
// mechanism of the product of their queries, x ↦ (M₁(x), …, Mₙ(x)), its parts independent. It
// claims the sum of what they claim. q is the product of the queries, in their order.
//
// It returns an error wrapping evidence.ErrParameter where q is no such product.
func Product(ctx context.Context, q *query.Query, ms []Mechanism) (*Table, error) {
	parts := q.Parts()
	if len(parts) != len(ms) || len(ms) == 0 {
		return nil, parameter.Errorf("%d mechanisms on a product of %d queries, want one each", len(ms), len(parts))
	}
	names := make([]string, len(ms))
	for k, m := range ms {
		if !m.Query().SharesOutputs(parts[k]) {
			return nil, parameter.Errorf("mechanisms[%d] answers %s, want the product's %s", k, m.Query().Name(), parts[k].Name())
		}
		names[k] = m.Name()
	}
	size := len(q.Range())
	at := make([][]int, size)
	for r := range at {
		left := r
		at[r] = make([]int, len(parts))
		for k := len(parts) - 1; k >= 0; k-- {
			n := len(parts[k].Range())
			at[r][k], left = left%n, left/n
		}
	}
	class, of := make([]int32, q.Size()), []int{} // rows by a dataset of theirs
	index := make(map[string]int32)
	for x := range class {
		var key []byte
		for _, m := range ms {
			key = binary.LittleEndian.AppendUint32(key, uint32(m.Class(x)))
		}
		id, ok := index[string(key)]
		if !ok {
			id = int32(len(of))
			index[string(key)] = id
			of = append(of, x)
		}
		class[x] = id
	}
	rows := newTableRows(len(of), size)
	for i, x := range of {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for r := range size {
			p := evidence.RationalAmount(big.NewRat(1, 1))
			for k, m := range ms {
				f := evidence.Amount{Enclosure: m.Enclose(x, at[r][k])}
				if exact, ok := m.Rational(x, at[r][k]); ok {
					f = evidence.RationalAmount(exact)
				}
				p = p.Mul(f)
			}
			rows.rows[i].enclosed[r] = p.Enclosure
			if rows.rational = rows.rational && p.Rational != nil; rows.rational {
				rows.rows[i].exact[r] = p.Rational
			}
		}
	}
	return rows.table(Info{"product(" + strings.Join(names, ", ") + ")", q, sumOfClaims(ms)}, func(row, r int) interval.Interval {
		sum := interval.Int(0)
		for k, m := range ms {
			sum = sum.Add(m.EncloseLog(of[row], at[r][k]))
		}
		return sum
	}, class)
}

// sumOfClaims is Proposition 1's guarantee.
func sumOfClaims(ms []Mechanism) evidence.Number {
	const source = "Wu et al., Proposition 1: the sum of the claims"
	total, exact := evidence.Epsilon{}, true
	sum := 0.0
	for _, m := range ms {
		c, ok := m.ClaimedEpsilon().(evidence.Claimed)
		sum += m.ClaimedEpsilon().Float()
		if exact = exact && ok && !c.Epsilon.IsZero(); exact {
			total, exact = total.Add(c.Epsilon)
		}
	}
	if exact {
		return Claim(total, source)
	}
	return evidence.Claimed{Value: sum, Source: source}
}
