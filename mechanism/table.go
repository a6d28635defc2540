package mechanism

import (
	"context"
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/elementary"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/query"
)

// Table is a mechanism given by its probabilities, one row per class of datasets.
type Table struct {
	q        *query.Query
	name     string
	claimed  evidence.Number
	class    []int32 // the row of each dataset
	enclosed [][]interval.Interval
	rational [][]*big.Rat // nil if some probability is not known as a rational number
	logs     LogProbs     // nil if the enclosures suffice
	logProb  [][]float64
	logError float64

	definition Definition
	sums       *expSumTable // in powers of e^{−sumEpsilon}; nil if the law is not known in that form
	sumEpsilon evidence.Epsilon
}

// LogProbs returns an enclosure of ln p for a row and a value with positive probability, however small. The
// enclosure of p itself may contain 0.
type LogProbs func(row, r int) interval.Interval

// Info describes a mechanism apart from its law.
type Info struct {
	Name    string          // name and parameters
	Query   *query.Query    // the query that the mechanism answers
	Claimed evidence.Number // the ε that the theory guarantees
}

// NewTable returns the mechanism with the given rows of weights. class[x] is the row of dataset x; a nil class
// means row x. Each row is divided by its sum exactly.
//
// It returns an error wrapping evidence.ErrParameter if the shapes do not fit the query, a weight is negative or
// not finite, or a row has no positive weight.
func NewTable(h Info, rows [][]float64, class []int32) (*Table, error) {
	exact := make([][]*big.Rat, len(rows))
	for i, row := range rows {
		sum := new(big.Rat)
		exact[i] = make([]*big.Rat, len(row))
		for r, w := range row {
			if !(w >= 0) || math.IsInf(w, 1) {
				return nil, parameter.Errorf("weight %g in row %d, value %d, want a finite number of at least 0", w, i, r)
			}
			exact[i][r] = new(big.Rat).SetFloat64(w)
			sum.Add(sum, exact[i][r])
		}
		if sum.Sign() == 0 {
			return nil, parameter.Errorf("row %d has no positive weight", i)
		}
		for _, w := range exact[i] {
			w.Quo(w, sum)
		}
	}
	return NewRationalTable(h, exact, class)
}

// NewRationalTable returns the mechanism with the given rows of probabilities. It returns an error wrapping
// evidence.ErrParameter if the shapes do not fit the query, a probability is negative, or a row does not sum to 1.
func NewRationalTable(h Info, rows [][]*big.Rat, class []int32) (*Table, error) {
	enclosed := make([][]interval.Interval, len(rows))
	for i, row := range rows {
		sum := new(big.Rat)
		enclosed[i] = make([]interval.Interval, len(row))
		for r, p := range row {
			if p == nil {
				return nil, parameter.Errorf("probability in row %d, value %d, is missing", i, r)
			}
			if p.Sign() < 0 {
				return nil, parameter.Errorf("probability %v in row %d, value %d, is negative", p, i, r)
			}
			sum.Add(sum, p)
			enclosed[i][r] = interval.Rat(p)
		}
		if sum.Cmp(big.NewRat(1, 1)) != 0 {
			f, _ := sum.Float64()
			return nil, parameter.Errorf("row %d sums to %v, want 1", i, f)
		}
	}
	t, err := NewEnclosedTable(h, enclosed, nil, class)
	if err == nil {
		t.rational = rows
	}
	return t, err
}

// NewEnclosedTable returns the mechanism with probabilities in the given intervals. An interval must be the point
// 0, or positive; if logs is given, its lower end may be 0. The caller must ensure that each row can sum to 1. It
// returns an error wrapping evidence.ErrParameter otherwise.
func NewEnclosedTable(h Info, rows [][]interval.Interval, logs LogProbs, class []int32) (*Table, error) {
	if class == nil {
		class = make([]int32, len(rows))
		for x := range class {
			class[x] = int32(x)
		}
	}
	q := h.Query
	if len(class) != q.Size() {
		return nil, parameter.Errorf("%d rows of probabilities, want %d, one per dataset", len(class), q.Size())
	}
	t := &Table{q: q, name: h.Name, claimed: h.Claimed, class: class, enclosed: rows, logs: logs, logProb: make([][]float64, len(rows))}
	for i, row := range rows {
		if len(row) != len(q.Range()) {
			return nil, parameter.Errorf("row %d has %d probabilities, want %d, one per value of the range", i, len(row), len(q.Range()))
		}
		t.logProb[i] = make([]float64, len(row))
		for r, p := range row {
			sign, exact := p.Sign()
			switch {
			case sign == 0 && exact:
				t.logProb[i][r] = math.Inf(-1)
				continue
			case sign < 0 || sign == 0 && logs == nil:
				lo, hi := p.Bounds()
				return nil, parameter.Errorf("the probability in row %d, value %d, lies in [%s, %s], want 0 itself or bounds above 0", i, r, evidence.Rounded(lo, evidence.Down).Text('g', 3), evidence.Rounded(hi, evidence.Up).Text('g', 3))
			}
			log, miss := t.floatLog(i, r)
			t.logProb[i][r] = log
			t.logError = max(t.logError, miss)
		}
	}
	for x, c := range class {
		if c < 0 || int(c) >= len(rows) {
			return nil, parameter.Errorf("class of dataset %d is %d, want 0…%d", x, c, len(rows)-1)
		}
	}
	return t, nil
}

// floatLog returns ln p in float64 and a bound on its error, which is the error of the logarithm plus the width of the
// enclosure.
func (t *Table) floatLog(row, r int) (log, miss float64) {
	if lo, hi := t.enclosed[row][r].Bounds(); lo > underflow {
		log = elementary.Log(t.enclosed[row][r].Mid())
		return log, logError(log) + 2*(hi-lo)/lo // p lies in [lo, hi]
	}
	enclosed := t.encloseLog(row, r)
	lo, hi := enclosed.Bounds()
	if math.IsInf(lo, -1) { // ln p leaves the range of float64
		return -math.MaxFloat64, math.Inf(1)
	}
	return enclosed.Mid(), hi - lo
}

// encloseLog returns an enclosure of the logarithm of a positive probability.
func (t *Table) encloseLog(row, r int) interval.Interval {
	p := t.enclosed[row][r]
	if lo, _ := p.Bounds(); lo > underflow || t.logs == nil {
		return p.Log()
	}
	return t.logs(row, r)
}

// newValueTable returns a mechanism whose law depends on f(x) alone. fill computes the row of range[v].
func newValueTable(ctx context.Context, name string, q *query.Query, claim evidence.Number, logs LogProbs, fill func(v int, row []evidence.RatOrInterval)) (*Table, error) {
	rowOf := make(map[int]int32)
	class := make([]int32, q.Size())
	var rows [][]evidence.RatOrInterval
	for x := range class {
		v := q.ValueIndex(x)
		id, ok := rowOf[v]
		if !ok {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			id = int32(len(rows))
			rowOf[v] = id
			rows = append(rows, make([]evidence.RatOrInterval, len(q.Range())))
			fill(v, rows[id])
		}
		class[x] = id
	}
	return newAmountTable(Info{name, q, claim}, rows, logs, class)
}

// newAmountTable calls NewRationalTable if every probability is known as a rational number, and NewEnclosedTable
// otherwise.
func newAmountTable(h Info, rows [][]evidence.RatOrInterval, logs LogProbs, class []int32) (*Table, error) {
	enclosed, rational, exact := make([][]interval.Interval, len(rows)), make([][]*big.Rat, len(rows)), true
	for i, row := range rows {
		for _, p := range row {
			enclosed[i], rational[i] = append(enclosed[i], p.Enclosure), append(rational[i], p.Rational)
			exact = exact && p.Rational != nil
		}
	}
	if exact {
		return NewRationalTable(h, rational, class)
	}
	return NewEnclosedTable(h, enclosed, logs, class)
}

// The following methods implement Mechanism.
func (t *Table) Name() string                          { return t.name }
func (t *Table) Query() *query.Query                   { return t.q }
func (t *Table) ClaimedEpsilon() evidence.Number       { return t.claimed }
func (t *Table) LogProb(x, r int) float64              { return t.logProb[t.class[x]][r] }
func (t *Table) LogError() float64                     { return t.logError }
func (t *Table) Enclose(x, r int) interval.Interval    { return t.enclosed[t.class[x]][r] }
func (t *Table) EncloseLog(x, r int) interval.Interval { return t.encloseLog(int(t.class[x]), r) }

func (t *Table) Rational(x, r int) (*big.Rat, bool) {
	if t.rational == nil {
		return nil, false
	}
	return t.rational[t.class[x]][r], true
}

// exponentials implements exponentialLaw.
func (t *Table) exponentials(x, r int) (weight, total ExpSum, eps evidence.Epsilon, ok bool) {
	if t.sums == nil {
		return ExpSum{}, ExpSum{}, evidence.Epsilon{}, false
	}
	row := t.class[x]
	return t.sums.weight[row][r], t.sums.total[row], t.sumEpsilon, true
}

// loss returns an enclosure of ln p^x(r)/p^y(r) for a value that both x and y output.
func (t *Table) loss(x, y, r int) interval.Interval {
	i, j := int(t.class[x]), int(t.class[y])
	if t.rational != nil {
		return interval.RationalLog(new(big.Rat).Quo(t.rational[i][r], t.rational[j][r]))
	}
	out := t.encloseLog(i, r).Sub(t.encloseLog(j, r))
	if t.sums == nil || !out.Less(tinyLoss) || !out.Neg().Less(tinyLoss) {
		return out
	}
	return t.sums.loss(i, j, r, t.sumEpsilon)
}

// tinyLoss is the loss below which 256-bit logarithms of order 1 lose accuracy.
var tinyLoss = interval.Float(tinyDecay)

// lossInUnits returns the loss as k·unit + rest if the law is known in powers of e^{−unit}.
func (t *Table) lossInUnits(x, y, r int) (k *big.Rat, unit evidence.Epsilon, rest interval.Interval, ok bool) {
	if t.sums == nil {
		return nil, evidence.Epsilon{}, interval.Interval{}, false
	}
	k, rest, ok = t.sums.lossInUnits(int(t.class[x]), int(t.class[y]), r, t.sumEpsilon)
	return k, t.sumEpsilon, rest, ok
}

// The following methods implement Mechanism.
func (t *Table) Class(x int) int { return int(t.class[x]) }
func (t *Table) Classes() int    { return len(t.enclosed) }
