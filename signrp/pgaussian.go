package signrp

import (
	"cmp"
	"context"
	"math"
	"math/big"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/internal/elementary"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/parallel"
	"dpworkbench/interval"
)

// GaussianPPlus encloses the true P₊ = Pr(β max|w_i| ≥ |wᵀu|) of (9) for Gaussian w. For one and two coordinates it
// is a length of arcs. Otherwise it comes from the joint law of the maximum and the projection Y = wᵀu,
//
//	1 − P₊ = Pr(max|w_i| < |Y|/β) = ∫ 2β g_m(βm) dm over m > 0,
//
// where g_m is the density of Y on the event that no |w_i| exceeds m. The integral over m uses Gauss–Legendre
// panels, with the error bound for a function analytic in an ellipse. g_m is integrated directly for up to three
// nonzero coordinates, and is a Fourier series for more. All errors are bounded, roundings included. The enclosure
// holds for the numbers given and for their shortest decimals. Its relative width is about 1e-11 up to 100
// coordinates, and below 1e-9 up to 10⁴. It is wider if the series is truncated early: 2e-9 or more for four to six
// coordinates of which all but one are smaller by a factor of a thousand.
//
// It returns an error wrapping evidence.ErrParameter if u is empty or leaves [−1, 1], or β is not positive and
// finite. It polls ctx.
func GaussianPPlus(ctx context.Context, u []float64, beta float64) (evidence.Number, error) {
	if err := checkChance(u, beta); err != nil {
		return nil, err
	}
	if len(u) <= 2 {
		return arcPPlus(u, beta), nil
	}
	// The dropped coordinates contribute at most Σ|u_i| max|w_i| to |Σ u_l w_l|.
	const method = "Gauss–Legendre panels over the maximum, the density given it in closed form or as a Fourier series; error bounds, float64"
	if always(u, beta) {
		return evidence.Certified{Lo: 1, Hi: 1, Provenance: evidence.From(pplusSource).By(method)}, nil
	}
	kept, less, more := dropSmallest(u, beta)
	law := newJointLaw(kept, less)
	lo, hi, err := law.integrate(ctx)
	if err == nil && more > less {
		_, hi, err = newJointLaw(kept, more).integrate(ctx)
	}
	if err != nil {
		return nil, err
	}
	slack := law.misread()
	return evidence.Certified{
		Lo: math.Max(0, lo-slack), Hi: math.Min(1, hi+slack),
		Provenance: evidence.From(pplusSource).By(method),
	}, nil
}

// always reports whether β ≥ Σ|u_i| as decimals. Then the event has probability 1.
func always(u []float64, beta float64) bool {
	reach := 0.0
	for _, v := range u {
		reach += math.Abs(v)
	}
	if slack := float64(len(u)+4) * ulp * (reach + beta); math.Abs(reach-beta) > slack {
		return reach < beta
	}
	sum := new(big.Rat)
	for _, v := range u {
		if v != 0 {
			sum.Add(sum, exactDecimal(math.Abs(v)))
		}
	}
	return sum.Cmp(exactDecimal(beta)) <= 0
}

// misread bounds the change of P₊ between reading u and β as float64s and as decimals. Reading changes T = Y/max|w_i|
// and β together by at most δ = 2⁻⁵³(Σ|u_i| + β). So P₊ changes by at most the probability that |T| is within δ of β.
//
// With the maximum m at one coordinate, v = w_l/m at another is uniform or denser towards 0. Its density is at most
// mφ(0)/(2Φ(m) − 1), which is below φ(0)(m + 1.26), and the mean maximum of p half normals is at most √(2 ln 2p). T
// changes by u_l per unit of v. If the largest coordinate is not at the maximum, take l as this coordinate, so T
// changes by u₁. If it is at the maximum, | |T| − u₁ | is at most the sum of the other |u_i|, which may exclude β. If β
// is not excluded, take l as the second coordinate. If the other coordinates are zero, |T| is u₁, and float64s and
// decimals have the same order.
func (j *jointLaw) misread() float64 {
	first, second := j.largest[0], j.largest[1]
	delta := ulp * (j.reach + j.beta) * 1.001
	dense := 4 * delta * phi0 * (math.Sqrt(2*math.Log(2*float64(j.p))) + 1.27)
	slack := dense / first
	if others := (j.reach - first) * (1 + 1e-9); second > 0 && math.Abs(j.beta-first) <= others+2*delta {
		slack += dense / second
	}
	return math.Min(1, slack)
}

// dropSmallest returns u without the smallest coordinates, whose sum is below 1e-12·β, and β minus and plus that
// sum. Everything is multiplied by a power of two that brings the largest |u_i| to [½, 1).
func dropSmallest(u []float64, beta float64) (kept []float64, less, more float64) {
	_, exponent := math.Frexp(largestOf(u))
	kept = make([]float64, len(u))
	for i, v := range u {
		kept[i] = math.Ldexp(v, -exponent)
	}
	beta = math.Ldexp(beta, -exponent)
	order := lists.Order(len(u), func(a, b int) int { return cmp.Compare(math.Abs(u[a]), math.Abs(u[b])) })
	dropped := 0.0
	for _, i := range order {
		sum := dropped + math.Abs(kept[i])*(1+1e-9)
		if kept[i] == 0 {
			continue
		}
		if sum > 1e-12*beta {
			break
		}
		dropped, kept[i] = sum, 0
	}
	if dropped == 0 {
		return kept, beta, beta
	}
	return kept, math.Nextafter(beta-dropped, 0), math.Nextafter(beta+dropped, math.Inf(1))
}

// jointLaw describes u by its distinct sizes.
type jointLaw struct {
	p       int
	zeros   int       // coordinates with u_i = 0
	sizes   []float64 // distinct |u_i| > 0, descending
	count   []int
	largest [3]float64 // the three largest |u_i|, with repetitions
	beta    float64

	reach, square, norm float64 // Σ|u_i|, Σu_i², ‖u‖, to the nearest float64
	certain             bool    // β ≥ Σ|u_i|: the event has probability 1
}

func newJointLaw(u []float64, beta float64) *jointLaw {
	j := &jointLaw{p: len(u), beta: beta}
	abs := make([]float64, 0, len(u))
	for _, v := range u {
		if v == 0 {
			j.zeros++
			continue
		}
		abs = append(abs, math.Abs(v))
	}
	slices.Sort(abs)
	slices.Reverse(abs)
	copy(j.largest[:], abs)
	reach, square := interval.Int(0), interval.Int(0)
	for _, v := range abs {
		x := interval.Float(v)
		reach, square = reach.Add(x), square.Add(x.Mul(x))
		if n := len(j.sizes); n > 0 && j.sizes[n-1] == v {
			j.count[n-1]++
			continue
		}
		j.sizes, j.count = append(j.sizes, v), append(j.count, 1)
	}
	j.certain = reach.CmpHi(interval.Float(beta)) <= 0
	j.reach, j.square, j.norm = reach.Mid(), square.Mid(), square.Sqrt().Mid()
	return j
}

// live returns the number of coordinates that are not zero.
func (j *jointLaw) live() int { return j.p - j.zeros }

// integrate encloses P₊ as Pr(|Y| ≤ βM) minus ∫ 2β g_m(βm) dm over [0, M], M = mostM. The largest |w_i| leaves [0,
// M] with probability at most p·erfc(M/√2).
func (j *jointLaw) integrate(ctx context.Context) (lo, hi float64, err error) {
	if j.certain {
		return 1, 1, nil
	}
	panels, unseen, err := j.panels(ctx)
	if err != nil {
		return 0, 0, err
	}
	rule := legendre24()
	type node struct{ m, h, weight float64 }
	nodes := make([]node, 0, len(panels)*len(rule.x))
	for _, p := range panels {
		h := (p[1] - p[0]) / 2
		for k, x := range rule.x {
			nodes = append(nodes, node{(p[0]+p[1])/2 + h*x, h, h * rule.w[k]})
		}
	}
	values := make([]known, len(nodes))
	err = parallel.Each(ctx, len(nodes), func(i int) (err error) {
		values[i], err = j.density(ctx, j.beta*nodes[i].m, nodes[i].m)
		return err
	})
	if err != nil {
		return 0, 0, err
	}
	inside, slack := 0.0, unseen
	for i, n := range nodes {
		g := 2 * j.beta * n.weight
		inside += g * values[i].v
		// A node has the rounding error of its panel. |d ln g_m(βm)/dm| is at most (p−1)/m + pm, since g_m(βm) is
		// m^{p−1} ∫ Π φ(mv_l) over a slice of the cube.
		moved := (3*n.h + 2*n.m) * ulp * (float64(j.p-1)/n.m + float64(j.p)*n.m)
		slack += g * (values[i].err + math.Abs(values[i].v)*(moved+8*ulp))
	}
	slack += inside * float64(len(nodes)+8) * ulp
	z := j.beta / j.norm * mostM / math.Sqrt2
	near := elementary.Erf(z)
	slack += near * 16 * ulp // 10 from Erf, and five from roundings of z, as |d ln erf/d ln z| ≤ 1
	beyond := float64(j.p) * elementary.Erfc(mostM/math.Sqrt2) * 1.001
	return math.Max(0, near-inside-slack), math.Min(1, near-inside+slack+beyond), nil
}

// panels divides [0, M] until the error bounds of the quadrature rule sum to a small number. It returns the panels
// without those whose integral is negligible, and a bound on the errors and the omitted integrals. It returns ctx's
// error.
//
// On an ellipse around a panel, with s = Re m² and v in the slice of the cube [−1, 1]^p where u·v = β,
//
//	|2β g_m(βm)| ≤ 2β |m|^{p−1} ∫ Π |φ(mv_l)|
//	≤ (2βφ(0)/u₁) e^{max(0,−s)/2} (|m| ξ(s))^{p−1},
//	ξ(s) = ∫_{−1}^{1} (2π)^{−½} e^{−sv²/2} dv,
//
// by integrating v₂ … v_p over [−1, 1].
func (j *jointLaw) panels(ctx context.Context) (panels [][2]float64, unseen float64, err error) {
	n := len(legendre24().x)
	others := float64(j.p - 1)
	scale := elementary.Log(2 * j.beta * phi0 / j.sizes[0])
	enough := elementary.Log(1e-13 * j.beta / j.norm / mostM) // per unit of m
	var part func(a, b float64) error
	part = func(a, b float64) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if seen := elementary.Log(b-a) + scale + others*logErf(b); seen < enough+elementary.Log(b-a) {
			unseen += elementary.Exp(seen)
			return nil
		}
		left := math.Inf(1)
		for _, rho := range ellipses {
			size := math.Inf(-1)
			overEllipse(a, b, rho, func(x0, x1, y0, y1 float64) {
				s := leastSquare(x0, x1) - y1*y1
				far := math.Max(x0*x0, x1*x1) + y1*y1
				size = math.Max(size, math.Max(0, -s)/2+others*(elementary.Log(far)/2+logSlice(s)))
			})
			left = math.Min(left, remainder(n, a, b, rho, scale+size))
		}
		if left > enough+elementary.Log(b-a) && b-a > 1e-6 {
			if err := part(a, (a+b)/2); err != nil {
				return err
			}
			return part((a+b)/2, b)
		}
		unseen += elementary.Exp(left)
		panels = append(panels, [2]float64{a, b})
		return nil
	}
	if err := part(0, mostM); err != nil {
		return nil, 0, err
	}
	return panels, unseen * (1 + 1e-6), nil
}

// logSlice returns an upper bound on ln ξ(s).
func logSlice(s float64) float64 {
	if s < 1e-6 {
		return elementary.Log(2*phi0) + math.Max(0, -s)/2
	}
	return logErf(math.Sqrt(s)) - elementary.Log(s)/2 + 1e-14
}
