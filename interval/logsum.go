package interval

// LogSum returns an enclosure of ln Σ factors_i e^{logs_i} for positive factors. It divides the terms of each bound
// by the largest, so nothing overflows. It returns all numbers if logs is empty or the lengths differ.
func LogSum(logs, factors []Interval) Interval {
	if len(logs) == 0 || len(logs) != len(factors) {
		return Whole()
	}
	end := func(of func(Interval) Interval) Interval {
		top := 0
		for i, l := range logs {
			if of(logs[top]).Less(of(l)) {
				top = i
			}
		}
		sum := Int(0)
		for i, l := range logs {
			weight := Int(1)
			if i != top {
				weight = of(l).Sub(of(logs[top])).Exp()
			}
			sum = sum.Add(weight.Mul(of(factors[i])))
		}
		return sum.Log().Add(of(logs[top]))
	}
	return Interval{end(Interval.Lower).lo, end(Interval.Upper).hi}
}
