package verify

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"strings"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/privacy"
	"dpworkbench/signrp"
)

// Limits of the enumeration: the number of signs, of coordinates, and of patterns times pairs of vectors.
const (
	maxSigns       = 10
	maxCoordinates = 32
	maxPatterns    = 1 << 21
)

// Release has the methods of a private projection whose results Projection recomputes.
type Release interface {
	Name() string
	Projection() *signrp.Projection
	P() int
	Beta() float64
	Delta() evidence.Delta
	Signs() bool
	DataDependent() bool
	Sigma() (evidence.Certified, error)
	ClaimedEpsilon() evidence.Claimed
	Pair(u, v []float64) privacy.Profile
	PairsBetween(ctx context.Context, u, v []float64) (*privacy.DominatingPairs, error)
	Neighbors(u []float64) *signrp.Neighbors
	Ball(u []float64) privacy.Profile
	Public() privacy.Profile
}

// answer is the law of a release at a vector: the probability of every pattern of signs, or the mean of the numbers.
type answer struct {
	u              []float64
	patterns, mean []*big.Float
}

// projection is a release with the parameters of its definition, and its report.
type projection struct {
	Release
	Report
	name    string
	k       int
	w       [][]*big.Rat // p rows
	largest []*big.Rat   // largest |W_ij| of every column j
	scale   *big.Float   // divisor of Wᵀu
	beta    *big.Rat
	eps     *big.Float
	sigma   *big.Float // σ of noise that does not depend on the data; nil otherwise
	mu      *big.Float // the largest Δ/σ in Algorithm 6; nil for other algorithms
	known   map[string]*answer
}

// Projection recomputes a release of k ≤ 10 signs or numbers from p ≤ 32 coordinates: the sensitivity of W, σ, and
// levels. At vectors with few digits and all their neighbors, it recomputes the laws of the output, one pattern of
// signs after the other. From the laws it computes ε and δ of the three threat models. It returns an error wrapping
// evidence.ErrParameter beyond these limits, and the context's error.
func Projection(ctx context.Context, r Release) (*Report, error) {
	p, err := newProjection(r)
	if err != nil {
		return nil, err
	}
	if err := p.parameters(ctx); err != nil {
		return nil, err
	}
	var all [][2]*answer
	for _, u := range p.vectors() {
		pairs := p.neighbors(u)
		all = append(all, pairs...)
		if err := p.around(ctx, u, pairs); err != nil {
			return nil, err
		}
	}
	complete := !p.individual()
	if complete && strings.HasSuffix(p.name, "-G") && r.Signs() { // the worst vector is a corner of the cube
		for corner := range 1 << min(p.P(), 6) {
			u := make([]float64, p.P())
			for i := range u {
				u[i] = float64(1 - 2*(corner>>(i%6)&1))
			}
			all = append(all, p.neighbors(u)...)
		}
		complete = p.P() <= 6
	}
	if err := p.judge(ctx, "all neighbors", r.Public(), all, complete, ".public_epsilon", ".public_delta(%v)"); err != nil || r.DataDependent() {
		return &p.Report, err
	}
	delta, pure := p.worst(ctx, all, p.eps)
	claim := r.ClaimedEpsilon()
	kept := pure <= claim.Value*(1+tolerance)
	if !r.Delta().IsZero() {
		kept = delta <= r.Delta().Value()*(1+tolerance)
	}
	p.part("guarantee").is(kept, ".public_delta(%v)  # %.12g by enumeration, above the claim %v", claim.Epsilon, delta, r.Delta())
	return &p.Report, ctx.Err()
}

func newProjection(r Release) (*projection, error) {
	p := &projection{Release: r, name: r.Name(), k: r.P(), scale: bigFloat(1), beta: asWritten(r.Beta()), eps: epsilonOf(r.ClaimedEpsilon().Epsilon), known: make(map[string]*answer)}
	w := r.Projection()
	if w != nil {
		if p.k = w.K(); w.Kind() != signrp.OPORP {
			p.scale.Sqrt(bigFloat(float64(p.k)))
		}
	}
	if n := r.P(); n > maxCoordinates || p.k > maxCoordinates || r.Signs() && (p.k > maxSigns || n*(4*n+40)<<p.k > maxPatterns) {
		return nil, parameter.Errorf("the release has k = %d outputs for vectors of p = %d numbers, want k and p of at most %d, and for signs also k ≤ %d and p(4p + 40)·2^k ≤ %d", p.k, n, maxCoordinates, maxSigns, maxPatterns)
	}
	rows := make([][]float64, r.P())
	for i := range rows { // raw data is projected by the identity matrix
		rows[i] = make([]float64, p.k)
		rows[i][i%p.k] = 1
	}
	if w != nil {
		rows, _ = w.Matrix()
	}
	p.w = make([][]*big.Rat, len(rows))
	for j := range p.k {
		p.largest = append(p.largest, new(big.Rat))
		for i := range rows {
			p.w[i] = append(p.w[i], new(big.Rat).SetFloat64(rows[i][j]))
			if size := new(big.Rat).Abs(p.w[i][j]); size.Cmp(p.largest[j]) > 0 {
				p.largest[j] = size
			}
		}
	}
	if sigma, err := r.Sigma(); err == nil {
		p.sigma = bigFloat(sigma.Hi)
	} else if strings.HasSuffix(p.name, "-G") { // μ solves δ(ε) = δ
		lo, hi := 0.0, 1.0
		for range 100 {
			switch mid := (lo + hi) / 2; {
			case gaussianDelta(bigFloat(hi), p.eps) < r.Delta().Value():
				lo, hi = hi, 2*hi
			case gaussianDelta(bigFloat(mid), p.eps) < r.Delta().Value():
				lo = mid
			default:
				hi = mid
			}
		}
		p.mu = bigFloat(lo)
	}
	return p, nil
}

func (p *projection) individual() bool { return strings.HasPrefix(p.name, "iDP") }

// sensitivity returns β·max_i ‖W_i‖/√k, where the rows W_i are restricted to the columns that counts reports.
func (p *projection) sensitivity(counts func(j int) bool) *big.Float {
	most := new(big.Rat)
	for _, row := range p.w {
		square := new(big.Rat)
		for j, v := range row {
			if counts(j) {
				square.Add(square, new(big.Rat).Mul(v, v))
			}
		}
		if square.Cmp(most) > 0 {
			most = square
		}
	}
	return over(times(bigRat(p.beta), new(big.Float).Sqrt(bigRat(most))), p.scale)
}

// parameters recomputes the sensitivity of W and σ.
func (p *projection) parameters(ctx context.Context) error {
	delta := p.sensitivity(func(int) bool { return true })
	if w := p.Projection(); w != nil {
		printed, err := w.Sensitivity(ctx, p.Beta())
		if err != nil {
			return err
		}
		found, _ := delta.Float64()
		p.part("sensitivity").number(printed, found, "  # the projection's sensitivity(%v)", p.Beta())
	}
	sigma, err := p.Sigma()
	if err != nil {
		return nil // there is no noise, or its σ depends on the data
	}
	if strings.HasPrefix(p.name, "DP-RP-G") && !strings.Contains(p.name, "-OPT") { // Δ₂√(2(ln(1/2δ) + ε))/ε
		twice := bigRat(new(big.Rat).Mul(big.NewRat(2, 1), p.Delta().Rat()))
		want, _ := over(times(delta, new(big.Float).Sqrt(times(bigFloat(2), minus(p.eps, logarithm(twice))))), p.eps).Float64()
		p.part("sigma").number(sigma, want, ".sigma")
		return nil
	}
	least, most := gaussianDelta(over(delta, bigFloat(sigma.Hi)), p.eps), gaussianDelta(over(delta, bigFloat(sigma.Lo)), p.eps)
	want := p.Delta().Value()
	p.part("sigma").is(least <= want*(1+tolerance) && most >= want*(1-tolerance), ".sigma  # has δ = %.12g at the ε claimed, want %v", least, want)
	return nil
}

// dots returns Wᵀu.
func (p *projection) dots(u []float64) []*big.Rat {
	d := make([]*big.Rat, p.k)
	for j := range d {
		d[j] = new(big.Rat)
		for i, v := range u {
			d[j].Add(d[j], new(big.Rat).Mul(asWritten(v), p.w[i][j]))
		}
	}
	return d
}

// at returns the law at u. The law of signs is as defined in docs/signrp.md.
func (p *projection) at(u []float64) *answer {
	key := fmt.Sprint(u)
	if p.known[key] != nil {
		return p.known[key]
	}
	d := p.dots(u)
	out := &answer{u: u, patterns: []*big.Float{bigFloat(1)}}
	p.known[key] = out
	random := make([]bool, p.k) // randomized signs: all, or with individual privacy those within reach
	n := 0
	for j := range d {
		out.mean = append(out.mean, over(bigRat(d[j]), p.scale))
		if random[j] = !p.individual() || p.level(d[j], j) <= 1; random[j] {
			n++
		}
	}
	if !p.Signs() {
		return out
	}
	shares, sigma := p.shares(u), p.sigma
	if p.individual() {
		shares = max(n, 1)
		if p.mu != nil {
			sigma = over(p.sensitivity(func(j int) bool { return random[j] }), p.mu)
		}
	}
	for j := range d {
		level := 1
		if d[j].Sign() < 0 {
			level = -1
		}
		plus, minus := bigFloat(float64((1+level)/2)), bigFloat(float64((1-level)/2))
		switch {
		case !random[j] || sigma != nil && sigma.Sign() == 0:
		case sigma != nil:
			z := over(out.mean[j], sigma)
			plus, minus = normal(z), normal(new(big.Float).Neg(z))
		default:
			if strings.HasSuffix(p.name, "-smooth") {
				level *= p.level(d[j], j)
			}
			e := exponential(over(times(p.eps, bigFloat(float64(level))), bigFloat(float64(shares))))
			minus = over(bigFloat(1), sum(e, bigFloat(1)))
			plus = times(e, minus)
		}
		var longer []*big.Float
		for _, before := range out.patterns {
			longer = append(longer, times(before, plus), times(before, minus))
		}
		out.patterns = longer
	}
	return out
}

// level returns ⌈|d|/(β·max|W_ij|)⌉.
func (p *projection) level(d *big.Rat, j int) int {
	if p.largest[j].Sign() == 0 {
		return 0
	}
	left := new(big.Rat).Quo(d, new(big.Rat).Mul(p.beta, p.largest[j]))
	left.Abs(left)
	level := int(new(big.Int).Quo(left.Num(), left.Denom()).Int64())
	if !left.IsInt() {
		level++
	}
	return level
}

// shares returns the number of signs that share ε: one for OPORP, all k if δ = 0, and otherwise N₊ of Proposition 4.4.
func (p *projection) shares(u []float64) int {
	kind := p.Projection().Kind()
	switch {
	case kind == signrp.OPORP:
		return 1
	case p.Delta().IsZero():
		return p.k
	}
	square := 0.0
	for _, v := range u {
		square += v * v
	}
	ratio, n := p.Beta()/math.Sqrt(square), float64(len(u))
	chance := math.Erf(ratio / math.Sqrt2) // (10)
	if kind != signrp.Rademacher {         // (5), by the midpoint rule
		const steps, end = 1 << 14, 14.0
		chance = 0
		for i := range steps {
			t := end * (float64(i) + 0.5) / steps
			chance += end / steps * 2 * n * math.Pow(math.Erf(t/math.Sqrt2), n-1) * math.Erf(ratio*t/math.Sqrt2) * math.Exp(-t*t/2) / math.Sqrt(2*math.Pi)
		}
	}
	l, mean := -math.Log(p.Delta().Value()), chance*float64(p.k)
	return max(1, min(p.k, int(mean+(l+math.Sqrt(l*l+8*mean*l))/2)))
}
