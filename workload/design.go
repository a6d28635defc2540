package workload

import (
	"context"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/mvg"

	"gonum.org/v1/gonum/mat"
)

// DesignOverOptimum encloses the excess, in per cent, of the error of a matrix-variate Gaussian design over the least
// error of any Gaussian noise on the answers of w at equal privacy. best bounds that least error. The design's m×n
// answer is Wx, its columns one after the other. The privacy is that of an entry of x that changes by at most 1,
// whatever sensitivity set the design was made for. So the whitened sensitivity is that of W's columns. The error is
// the largest standard deviation of an element, or the root of the mean variance.
//
// It returns an error wrapping evidence.ErrParameter unless w has mn answers, and the context's error.
func DesignOverOptimum(
	ctx context.Context, d *mvg.Design, w Workload, o Objective, best Optimum,
) (evidence.Certified, error) {
	m, n := d.Sensitivity().Shape()
	rows, columns := w.Dims()
	if rows != m*n {
		return evidence.Certified{}, parameter.Errorf(
			"w has %d answers, want %d, one per entry of the design's %d × %d answer", rows, m*n, m, n)
	}
	dense, err := w.Dense()
	if err != nil {
		return evidence.Certified{}, err
	}
	moves := make([]*mat.Dense, columns)
	for j := range moves {
		moves[j] = mat.NewDense(m, n, nil)
		for i := range rows {
			moves[j].Set(i%m, i/m, dense.At(i, j))
		}
	}
	set, err := mvg.NewDifferences(moves)
	if err != nil {
		return evidence.Certified{}, err
	}
	judged, err := mvg.NewDesign(ctx, set, d.Sigma(), d.Psi())
	if err != nil {
		return evidence.Certified{}, err
	}
	sd := evidence.Enclosure(d.NoiseSD())
	if o == Max {
		sd = interval.Float(largestEntry(d.Sigma())).Mul(interval.Float(largestEntry(d.Psi()))).Sqrt()
	}
	over := sd.Mul(evidence.Enclosure(judged.WhitenedSensitivity())).Quo(evidence.Enclosure(best.Error))
	over = interval.Max(over.Sub(interval.Int(1)).Mul(interval.Int(100)), interval.Int(0))
	return evidence.Enclosed(over, "error of the design over the bounds of the optimum, in per cent", ""), nil
}

// largestEntry returns the largest variance in a covariance matrix.
func largestEntry(c mvg.Covariance) float64 {
	v := 0.0
	m := c.Matrix()
	for i := range c.Order() {
		v = max(v, m.At(i, i))
	}
	return v
}
