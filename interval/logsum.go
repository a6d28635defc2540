package interval

// LogSum returns an enclosure of ln Σ factor_i e^{log_i} for positive factors, however far the logarithms lie from 0. It sums
// either end in units of its largest term. It returns all numbers where there are no terms, and where the numbers of
// factors and of logarithms differ.
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
