package mechanism

import (
	"math"

	"dpworkbench/interval"
)

// LogDistortion returns an enclosure of ln P^x that is narrow however small P^x is. It returns false if P^x = 0.
// It panics unless x is a dataset of m's query.
func LogDistortion(m Mechanism, x int) (interval.Interval, bool) {
	if l, ok := m.(*Layered); ok {
		p := l.encloseAt(x)
		if sign, _ := p.Sign(); sign > 0 {
			return p.Log(), true
		}
	}
	q := m.Query()
	var logs, distances []interval.Interval
	for r := range q.Range() {
		if q.Metric().Steps(q.ValueIndex(x), r) != 0 && !math.IsInf(m.LogProb(x, r), -1) {
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
	v, _ := LogDistortion(a, x)
	w, _ := LogDistortion(b, x)
	return v.Sub(w)
}
