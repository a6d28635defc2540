package mechanism

import (
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// scaledLog is the logarithm rest − down·unit. Two logarithms with commensurable units are subtracted without
// losing rest beside a large unit.
type scaledLog struct {
	down *big.Rat
	unit evidence.Epsilon
	rest interval.Interval
}

func (l scaledLog) enclose() interval.Interval {
	return l.rest.Sub(l.unit.Enclosure().Mul(interval.Rat(l.down)))
}

// sub returns an enclosure of l − o.
func (l scaledLog) sub(o scaledLog) interval.Interval {
	ratio, ok := l.unit.Quotient(o.unit)
	if !ok {
		return l.enclose().Sub(o.enclose())
	}
	down := ratio.Mul(ratio, l.down)
	return l.rest.Sub(o.rest).Sub(o.unit.Enclosure().Mul(interval.Rat(down.Sub(down, o.down))))
}

// scaledLogDistortion returns ln P^x for laws in powers of e^{−unit}. positive is false if P^x = 0, and ok is
// false for other laws.
func scaledLogDistortion(m Mechanism, x int) (log scaledLog, positive, ok bool) {
	l, ok := m.(interface {
		scaledLogDistortion(int) (scaledLog, bool, bool)
	})
	if !ok {
		return scaledLog{}, false, false
	}
	return l.scaledLogDistortion(x)
}

// LogDistortion returns an enclosure of ln P^x that is narrow however small P^x is. It returns false if P^x = 0.
// It panics unless x is a dataset of m's query.
func LogDistortion(m Mechanism, x int) (interval.Interval, bool) {
	if l, positive, ok := scaledLogDistortion(m, x); ok {
		if !positive {
			return interval.Int(0), false
		}
		return l.enclose(), true
	}
	q := m.Query()
	var logs, distances []interval.Interval
	for r := range q.Range() {
		if q.Metric().Steps(q.ValueIndex(x), r) != 0 && !isImpossible(m, x, r) {
			logs, distances = append(logs, m.EncloseLog(x, r)), append(distances, distance(q, x, r))
		}
	}
	if len(logs) == 0 {
		return interval.Int(0), false
	}
	return interval.LogSum(logs, distances), true
}

// LogRatio returns an enclosure of ln P_a^x/P_b^x. Both distortions must be positive. It panics unless x is a
// dataset of both queries.
func LogRatio(a, b Mechanism, x int) interval.Interval {
	p, _, ok := scaledLogDistortion(a, x)
	q, _, too := scaledLogDistortion(b, x)
	if ok && too {
		return p.sub(q)
	}
	v, _ := LogDistortion(a, x)
	w, _ := LogDistortion(b, x)
	return v.Sub(w)
}

// scaledLogDistortion measures from the first layer with a positive distance.
func (m *Layered) scaledLogDistortion(x int) (log scaledLog, positive, ok bool) {
	p := m.profileAt(m.profile[x])
	first := 0
	for first < len(p.steps) && p.steps[first] == 0 {
		first++
	}
	log = scaledLog{down: new(big.Rat), unit: m.decay, rest: interval.Int(0)}
	if first == len(p.steps) {
		return log, false, true
	}
	over, unit := m.distances(p)
	sum := interval.Int(0)
	for k := first; k < len(p.layer); k++ {
		if p.steps[k] != 0 {
			sum = sum.Add(m.power(int64(p.layer[k]) - int64(p.layer[first])).Mul(over(k)))
		}
	}
	log.down.SetInt64(int64(p.layer[first]) - int64(p.layer[0]))
	log.rest = sum.Mul(unit).Log().Sub(m.logOfSum(m.profile[x]))
	return log, true, true
}

func (t *Table) scaledLogDistortion(x int) (log scaledLog, positive, ok bool) {
	if t.sums == nil {
		return scaledLog{}, false, false
	}
	row := t.class[x]
	total := t.sums.total[row]
	var sum ExpSum
	for r, w := range t.sums.weight[row] {
		d := t.q.Metric().Rational(t.q.ValueIndex(x), r)
		for _, v := range w.terms {
			sum.terms = append(sum.terms, expTerm{v.t, new(big.Rat).Mul(v.c, d)})
		}
	}
	log = scaledLog{down: new(big.Rat), unit: t.sumEpsilon, rest: interval.Int(0)}
	if sum = sum.collectTerms(); len(sum.terms) == 0 {
		return log, false, true
	}
	over, under := sum.scaled(t.sumEpsilon), total.scaled(t.sumEpsilon)
	for _, v := range []interval.Interval{over, under} {
		if sign, _ := v.Sign(); sign <= 0 {
			return scaledLog{}, false, false // the enclosure contains 0
		}
	}
	log.down.Sub(sum.terms[0].t, total.terms[0].t)
	log.rest = over.Log().Sub(under.Log())
	return log, true, true
}
