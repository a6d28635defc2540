package mechanism

import (
	"context"
	"math"

	"dpworkbench/internal/parameter"
)

// Comparison sets the distortions of a mechanism against those of another.
type Comparison struct {
	Ratios         []float64 // P_a^x/P_b^x by dataset; 1 where both are 0, +Inf where just P_b^x is
	Better         float64   // fraction of datasets whose ratio is below 1 by more than 1e-9
	Mean, Min, Max float64   // of the ratios
}

// Compare returns the distortions of a in units of those of b. It returns an
// error wrapping evidence.ErrParameter where the two answer universes of
// different sizes.
func Compare(ctx context.Context, a, b Mechanism) (Comparison, error) {
	if a.Query().Size() != b.Query().Size() {
		return Comparison{}, parameter.Errorf("compare of mechanisms on %d and %d datasets, want one universe", a.Query().Size(), b.Query().Size())
	}
	pa, err := Distortions(ctx, a)
	if err != nil {
		return Comparison{}, err
	}
	pb, err := Distortions(ctx, b)
	if err != nil {
		return Comparison{}, err
	}
	c := Comparison{Ratios: pa, Min: math.Inf(1), Max: math.Inf(-1)}
	better := 0
	for x := range pa {
		if err := ctx.Err(); err != nil {
			return Comparison{}, err
		}
		switch {
		case pa[x] == 0 && pb[x] == 0:
			pa[x] = 1
		case min(pa[x], pb[x]) < underflow && pa[x] > 0 && pb[x] > 0:
			pa[x] = ratioOfLogs(a, b, x)
		default:
			pa[x] /= pb[x]
		}
		if pa[x] < 1-1e-9 {
			better++
		}
		c.Mean += pa[x]
		c.Min, c.Max = min(c.Min, pa[x]), max(c.Max, pa[x])
	}
	c.Mean /= float64(len(pa))
	c.Better = float64(better) / float64(len(pa))
	return c, nil
}

// ratioOfLogs returns P_a^x/P_b^x where float64 cannot hold one of the two. It is
// positive, and finite unless it exceeds the range of float64.
func ratioOfLogs(a, b Mechanism, x int) float64 {
	return max(math.Exp(LogRatio(a, b, x).Mid()), math.SmallestNonzeroFloat64)
}
