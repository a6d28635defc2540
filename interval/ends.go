package interval

// Lower returns the lower end of a, a point; where a is not bounded below, all
// that lies below every end.
func (a Interval) Lower() Interval {
	if a.lo.IsInf() {
		return Interval{a.lo, lowest}
	}
	return Interval{a.lo, a.lo}
}

// Upper returns the upper end of a, a point; where a is not bounded above, all
// that lies above every end.
func (a Interval) Upper() Interval {
	if a.hi.IsInf() {
		return Interval{highest, a.hi}
	}
	return Interval{a.hi, a.hi}
}
