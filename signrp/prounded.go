package signrp

import (
	"context"
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
)

// roundedPPlus encloses P₊ for Rademacher w with u rounded to a lattice of width h: u_i = h(n_i + f_i), |f_i| ≤ ½. So Σ
// ±u_i differs from h Σ ±n_i by at most t = h√(2 Σf² ln(2/η)) except with probability η, and always by at most h
// Σ|f_i|. The law of Σ ±n_i is convolved in float64 on a window that the sum leaves with probability at most η. work is
// the approximate number of additions.
func roundedPPlus(ctx context.Context, u []float64, beta float64, work float64) (evidence.Number, error) {
	const eta = 1e-8
	u, beta = normalRange(u, beta)
	norm2, norm1, p := 0.0, 0.0, 0
	for _, v := range u {
		norm2, norm1 = norm2+v*v, norm1+math.Abs(v)
		if v != 0 {
			p++
		}
	}
	reach := math.Min(norm1, math.Sqrt(2*norm2*math.Log(2/eta)))
	h := 2 * reach * float64(p) / work
	h = math.Max(h, reach/(1<<24))
	half := int(math.Ceil(reach/h)) + p // the window of partial sums, in units of h
	law, next := make([]float64, 2*half+1), make([]float64, 2*half+1)
	law[half] = 1
	squares, worst := 0.0, 0.0
	for i, v := range u {
		if v == 0 {
			continue
		}
		if i%16 == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		n := int(math.Round(math.Abs(v) / h))
		f := math.Abs(v) - float64(n)*h
		squares, worst = squares+f*f, worst+math.Abs(f)
		for s := range next {
			sum := 0.0
			if s >= n {
				sum = law[s-n]
			}
			if s+n < len(law) {
				sum += law[s+n]
			}
			next[s] = sum / 2
		}
		law, next = next, law
	}
	t := math.Min(worst, math.Sqrt(2*squares*math.Log(2/eta))) + norm1*float64(len(u))*4*ulp
	inner, outer := 0.0, 0.0
	for s, m := range law {
		at := math.Abs(float64(s-half)) * h
		if at <= beta-t-at*4*ulp {
			inner += m
		}
		if at <= beta+t+at*4*ulp {
			outer += m
		}
	}
	// By Lévy's inequality, partial sums leave the window at some time with probability at most 2·η. Some of these sums
	// return to the window, so their mass is missing from law.
	slop := float64(p+len(law)) * 2 * ulp
	return evidence.Certified{
		// √ and ln are assumed correct to 1e-9, which changes η by a relative 1e-7.
		Lo: math.Max(0, inner*(1-slop)-eta*1.001), Hi: math.Min(1, outer*(1+slop)+4*eta*1.001),
		Provenance: evidence.From(pplusSource).By("convolution of u rounded to a lattice, with Hoeffding's bound on the rounding"),
	}, nil
}

// normalRange returns u and β unchanged unless squares of u overflow or underflow. Then it returns their decimals times
// a power of two.
func normalRange(u []float64, beta float64) ([]float64, float64) {
	const least, shift = 0x1p-400, 600
	if largestOf(u) > least {
		return u, beta
	}
	up := func(v float64) float64 {
		f := new(big.Float).SetPrec(64).SetRat(exactDecimal(v))
		v, _ = f.SetMantExp(f, shift).Float64()
		return math.Max(-math.MaxFloat64, math.Min(v, math.MaxFloat64))
	}
	return lists.Each(u, up), up(beta)
}
