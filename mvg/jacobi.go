package mvg

import (
	"math"

	"dpworkbench/mvg/internal/symmetric"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// rowAxes returns an orthogonal U for which the rows of UᵀA are orthogonal, by Jacobi's
// rotations of two rows at a time: rows of very different length are not mixed beyond what
// that asks for, as they would be by the rounding of a singular value decomposition.
func rowAxes(a *mat.Dense) *mat.Dense {
	n, _ := a.Dims()
	rest, u := mat.DenseCopyOf(a), symmetric.Eye(n)
	turn := func(m *mat.Dense, i, j int, cos, sin float64) {
		x, y := m.RawRowView(i), m.RawRowView(j)
		for k, v := range x {
			x[k], y[k] = cos*v-sin*y[k], sin*v+cos*y[k]
		}
	}
	for range 30 {
		largest := 0.0
		for i := range n {
			for j := i + 1; j < n; j++ {
				x, y := rest.RawRowView(i), rest.RawRowView(j)
				xx, yy, xy := floats.Norm(x, 2), floats.Norm(y, 2), 0.0
				if xx == 0 || yy == 0 {
					continue
				}
				for k, v := range x {
					xy += v / xx * (y[k] / yy)
				}
				if largest = math.Max(largest, math.Abs(xy)); math.Abs(xy) < 1e-15 {
					continue
				}
				// tan 2φ = 2xy/(yy − xx) of the squares, in units of |x||y|.
				zeta := (yy/xx - xx/yy) / (2 * xy)
				tan := math.Copysign(1, zeta) / (math.Abs(zeta) + math.Hypot(1, zeta))
				cos := 1 / math.Hypot(1, tan)
				turn(rest, i, j, cos, cos*tan)
				turn(u, i, j, cos, cos*tan)
			}
		}
		if largest < 1e-14 {
			break
		}
	}
	return mat.DenseCopyOf(u.T())
}
