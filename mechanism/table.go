package mechanism

import (
	"fmt"
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/interval"
	"dpworkbench/query"
)

// Table is a mechanism given by its probabilities, one row per class of
// datasets.
type Table struct {
	q        *query.Query
	name     string
	claimed  evidence.Number
	class    []int32 // dataset → row
	enclosed [][]interval.Interval
	rational [][]*big.Rat // nil where some probability is not known as a rational
	logProb  [][]float64
	logError float64

	sums       [][]ExpSum // weights in powers of e^{−sumEpsilon}, nil where there are none
	sumEpsilon evidence.Epsilon
}

// NewTable returns the mechanism with the given rows of weights; class[x] is
// the row of dataset x, nil meaning row x. A row is divided by its sum, so that
// probabilities are exact whatever the rounding of the weights.
//
// It returns an error wrapping evidence.ErrParameter where the shapes do not
// fit the query, a weight is negative or not finite, or a row has no weight.
func NewTable(name string, q *query.Query, claimed evidence.Number, rows [][]float64, class []int32) (*Table, error) {
	exact := make([][]*big.Rat, len(rows))
	for i, row := range rows {
		sum := new(big.Rat)
		exact[i] = make([]*big.Rat, len(row))
		for r, w := range row {
			if !(w >= 0) || math.IsInf(w, 1) {
				return nil, fmt.Errorf("%w: weight %g in row %d, value %d, want a finite number of at least 0", evidence.ErrParameter, w, i, r)
			}
			exact[i][r] = new(big.Rat).SetFloat64(w)
			sum.Add(sum, exact[i][r])
		}
		if sum.Sign() == 0 {
			return nil, fmt.Errorf("%w: row %d has no weight", evidence.ErrParameter, i)
		}
		for _, w := range exact[i] {
			w.Quo(w, sum)
		}
	}
	return NewRationalTable(name, q, claimed, exact, class)
}

// NewRationalTable returns the mechanism with the given rows of probabilities.
// It returns an error wrapping evidence.ErrParameter where the shapes do not
// fit the query, a probability is negative, or a row does not sum to 1.
func NewRationalTable(name string, q *query.Query, claimed evidence.Number, rows [][]*big.Rat, class []int32) (*Table, error) {
	enclosed := make([][]interval.Interval, len(rows))
	for i, row := range rows {
		sum := new(big.Rat)
		enclosed[i] = make([]interval.Interval, len(row))
		for r, p := range row {
			if p.Sign() < 0 {
				return nil, fmt.Errorf("%w: probability %v in row %d, value %d, is negative", evidence.ErrParameter, p, i, r)
			}
			sum.Add(sum, p)
			enclosed[i][r] = interval.Rat(p)
		}
		if sum.Cmp(big.NewRat(1, 1)) != 0 {
			return nil, fmt.Errorf("%w: row %d sums to %v, want 1", evidence.ErrParameter, i, sum.FloatString(12))
		}
	}
	t, err := NewEnclosedTable(name, q, claimed, enclosed, class)
	if err == nil {
		t.rational = rows
	}
	return t, err
}

// NewEnclosedTable returns the mechanism whose probabilities lie in the given
// intervals. An interval must be the point 0 or positive throughout; that rows
// can sum to 1 is the caller's to ensure.
func NewEnclosedTable(name string, q *query.Query, claimed evidence.Number, rows [][]interval.Interval, class []int32) (*Table, error) {
	if class == nil {
		class = make([]int32, len(rows))
		for x := range class {
			class[x] = int32(x)
		}
	}
	if len(class) != q.Size() {
		return nil, fmt.Errorf("%w: %d rows of probabilities, want %d, one per dataset", evidence.ErrParameter, len(class), q.Size())
	}
	t := &Table{q: q, name: name, claimed: claimed, class: class, enclosed: rows, logProb: make([][]float64, len(rows))}
	for i, row := range rows {
		if len(row) != len(q.Range()) {
			return nil, fmt.Errorf("%w: row %d has %d probabilities, want %d, one per value of the range", evidence.ErrParameter, i, len(row), len(q.Range()))
		}
		t.logProb[i] = make([]float64, len(row))
		for r, p := range row {
			sign, zero := p.Sign()
			switch {
			case sign > 0:
				t.logProb[i][r] = logMid(p)
				t.logError = max(t.logError, 0x1p-50*(1+math.Abs(t.logProb[i][r])))
			case zero:
				t.logProb[i][r] = math.Inf(-1)
			default:
				return nil, fmt.Errorf("%w: probability %v in row %d, value %d: the enclosure cannot tell it from 0", evidence.ErrParameter, p, i, r)
			}
		}
	}
	for x, c := range class {
		if c < 0 || int(c) >= len(rows) {
			return nil, fmt.Errorf("%w: class of dataset %d is %d, want 0…%d", evidence.ErrParameter, x, c, len(rows)-1)
		}
	}
	return t, nil
}

// newValueTable returns a mechanism whose law depends on f(x) alone; fill
// computes the row of range[v].
func newValueTable(name string, q *query.Query, claim evidence.Number, fill func(v int, row []amount)) (*Table, error) {
	rowOf := make(map[int]int32)
	class := make([]int32, q.Size())
	var enclosed [][]interval.Interval
	var exact [][]*big.Rat
	known := true
	for x := range class {
		v := q.ValueIndex(x)
		id, ok := rowOf[v]
		if !ok {
			id = int32(len(enclosed))
			rowOf[v] = id
			row := make([]amount, len(q.Range()))
			fill(v, row)
			e, f := make([]interval.Interval, len(row)), make([]*big.Rat, len(row))
			for r, a := range row {
				e[r], f[r] = a.enclosure, a.rational
				known = known && a.rational != nil
			}
			enclosed, exact = append(enclosed, e), append(exact, f)
		}
		class[x] = id
	}
	if known {
		return NewRationalTable(name, q, claim, exact, class)
	}
	return NewEnclosedTable(name, q, claim, enclosed, class)
}

// logMid returns ln p within a few roundings: from the float64 itself where it
// is normal, through the enclosure where it underflows.
func logMid(p interval.Interval) float64 {
	if v := p.Mid(); v > 1e-300 {
		return math.Log(v)
	}
	return p.Log().Mid()
}

// Name implements Mechanism.
func (t *Table) Name() string { return t.name }

// Query implements Mechanism.
func (t *Table) Query() *query.Query { return t.q }

// ClaimedEpsilon implements Mechanism.
func (t *Table) ClaimedEpsilon() evidence.Number { return t.claimed }

// LogProb implements Mechanism.
func (t *Table) LogProb(x, r int) float64 { return t.logProb[t.class[x]][r] }

// LogError implements Mechanism.
func (t *Table) LogError() float64 { return t.logError }

// Enclose implements Mechanism.
func (t *Table) Enclose(x, r int) interval.Interval { return t.enclosed[t.class[x]][r] }

// Rational implements Mechanism.
func (t *Table) Rational(x, r int) (*big.Rat, bool) {
	if t.rational == nil {
		return nil, false
	}
	return t.rational[t.class[x]][r], true
}

// Weights returns the sums of powers of e^{−ε} that the probabilities are
// proportional to, by one factor for all datasets and values; ok is false where
// the law is not known in that form.
func (t *Table) Weights() (weight func(x, r int) ExpSum, eps evidence.Epsilon, ok bool) {
	return func(x, r int) ExpSum { return t.sums[t.class[x]][r] }, t.sumEpsilon, t.sums != nil
}

// Class implements Mechanism.
func (t *Table) Class(x int) int { return int(t.class[x]) }

// Classes implements Mechanism.
func (t *Table) Classes() int { return len(t.enclosed) }
