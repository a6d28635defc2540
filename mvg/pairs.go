package mvg

import (
	"fmt"

	"dpworkbench/interval"
	"dpworkbench/privacy"
)

// oneDesign counts the differences of a design's query: its uses share the difference.
type oneDesign struct{ of *Design }

// Same implements privacy.Scope.
func (s oneDesign) Same(o privacy.Scope) bool {
	t, ok := o.(oneDesign)
	return ok && s.of == t.of
}

// Pairs returns the pair of laws of the worst difference of the sensitivity set: two normal laws as far
// apart as the largest whitened sensitivity, which is the worst at once for any number of uses of the
// design. Uses of another design have other worst differences. A single use is answered by Privacy.
func (d *Design) Pairs() *privacy.Family {
	m, n := d.sensitivity.Shape()
	f := privacy.NormalFamily(fmt.Sprintf("matrix-variate Gaussian on %d×%d", m, n), whitening, interval.Max(d.mu(), interval.Int(0)))
	f.Scope, f.Curve = oneDesign{d}, d.Privacy()
	return f
}
