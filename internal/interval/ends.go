package interval

// Lower returns the lower end of a, a point.
func (a Interval) Lower() Interval { return Interval{a.lo, a.lo} }

// Upper returns the upper end of a, a point.
func (a Interval) Upper() Interval { return Interval{a.hi, a.hi} }
