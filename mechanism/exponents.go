package mechanism

import "slices"

// RelativeLevel returns the whole k with p^x(r)/p^y(s) = e^{−k·unit}, and false
// where there is none for every unit: where the normalisers are different
// polynomials in e^{−unit}, powers of it set aside. Both values must be reached.
func (m *Leveled) RelativeLevel(x, r, y, s int) (k int, ok bool) {
	p, q := m.profiles[m.profile[x]], m.profiles[m.profile[y]]
	if len(p.level) != len(q.level) || !slices.Equal(p.count, q.count) {
		return 0, false
	}
	for i := range p.level {
		if p.level[i]-p.level[0] != q.level[i]-q.level[0] {
			return 0, false
		}
	}
	// α^x/α^y = e^{−(first level of x − first level of y)·unit}.
	return m.Level(x, r) - m.Level(y, s) - int(p.level[0]-q.level[0]), true
}
