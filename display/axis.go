package display

import "math"

// axis maps values to [0, 1], linearly or logarithmically. lo < hi, and lo > 0 if log is set.
type axis struct {
	lo, hi  float64
	log     bool
	centers []float64 // centres of a heat map's cells along the axis, ascending; nil for other plots
}

// around returns the linear axis with the same middle and the given half length.
func (a axis) around(half float64) axis {
	mid := a.lo/2 + a.hi/2
	a.lo, a.hi = max(mid-half, -math.MaxFloat64), min(mid+half, math.MaxFloat64)
	return a
}

// limited returns the axis between the given limits, or the axis itself if limits is nil.
func (a axis) limited(limits *[2]float64) axis {
	if limits != nil {
		a.lo, a.hi = limits[0], limits[1]
	}
	return a
}

func (a axis) warp(v float64) float64 {
	if a.log {
		return math.Log(v)
	}
	return v
}

// at returns the position of v: 0 at lo and 1 at hi.
func (a axis) at(v float64) float64 {
	l, h := a.warp(a.lo), a.warp(a.hi)
	// Halving avoids overflow of the difference at the ends of the float64 range.
	return (a.warp(v)/2 - l/2) / (h/2 - l/2)
}

// same is the relative distance up to which an axis treats values as equal: closer ticks would have labels of more than
// ten digits.
const same = 1e-10

// narrow reports whether [lo, hi] is too narrow for an axis.
func narrow(lo, hi float64, log bool) bool {
	if log {
		return !(math.Log(hi)-math.Log(lo) > same)
	}
	return !(hi/2-lo/2 > same*max(math.Abs(lo), math.Abs(hi)))
}

// newAxis returns an axis over [lo, hi] with the given fraction of room at both
// ends. Values that are all the same get an axis around them: from half to
// twice, or one on either side of zero.
func newAxis(lo, hi float64, log bool, room float64) axis {
	switch {
	case narrow(lo, hi, log) && log:
		lo, hi = lo/2, hi*2
	case narrow(lo, hi, log) && math.Abs(lo) < 1e-300:
		lo, hi = -1, 1
	case narrow(lo, hi, log):
		lo, hi = lo-math.Abs(lo)/2, hi+math.Abs(hi)/2
	case log:
		f := math.Exp(room * (math.Log(hi) - math.Log(lo)))
		lo, hi = lo/f, hi*f
	default:
		d := room * (hi/2 - lo/2) * 2
		lo, hi = lo-d, hi+d
	}
	if log {
		lo = max(lo, math.SmallestNonzeroFloat64)
	}
	return axis{lo: max(lo, -math.MaxFloat64), hi: min(hi, math.MaxFloat64), log: log}
}
