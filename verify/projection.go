package verify

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/privacy"
	"dpworkbench/signrp"
)

// Limits of an enumeration: signs, coordinates, and patterns times pairs of vectors.
const (
	maxSigns       = 10
	maxCoordinates = 32
	maxPatterns    = 1 << 21
)

// Release is the part of a private projection that is recomputed.
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

// answer is the law of a release at a vector: the probabilities of all patterns of signs, or the mean of the numbers.
type answer struct {
	u              []float64
	patterns, mean []*big.Float
}

// projection is a release with the data of its definition.
type projection struct {
	Release
	Report
	name    string
	k       int
	w       [][]*big.Rat // p rows
	largest []*big.Rat   // of every column
	scale   *big.Float   // Wᵀu is divided by it
	beta    *big.Rat
	eps     *big.Float
	sigma   *big.Float // of noise that is the same for all data
	mu      *big.Float // of Algorithm 6: the largest Δ/σ
	known   map[string]*answer
}

// Projection recomputes a release of k ≤ 10 signs or numbers, of p ≤ 32 numbers: the sensitivity of W, σ, and
// levels. For vectors of few digits and all their neighbors it recomputes the laws of the output, one pattern of
// signs after the other, and from these ε and δ of the three threat models. It returns an error wrapping
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
	if complete && strings.HasSuffix(p.name, "-G") && r.Signs() { // a corner is the worst
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
		return nil, parameter.Errorf("the release has %d outputs of %d numbers, want at most %d signs or %d numbers of %d, and less of one for more of the other", p.k, n, maxSigns, maxCoordinates, maxCoordinates)
	}
	rows := make([][]float64, r.P())
	for i := range rows { // raw data is its own projection
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
	} else if strings.HasSuffix(p.name, "-G") { // the μ with δ(ε) = δ
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

// sensitivity returns β·max_i ‖W_i‖/√k over the columns that count.
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
		return nil // it adds none, or one that depends on the data
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

// at returns the law at u; that of signs as defined in docs/signrp.md.
func (p *projection) at(u []float64) *answer {
	key := fmt.Sprint(u)
	if p.known[key] != nil {
		return p.known[key]
	}
	d := p.dots(u)
	out := &answer{u: u, patterns: []*big.Float{bigFloat(1)}}
	p.known[key] = out
	random := make([]bool, p.k) // of iDP releases those within reach
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

// shares returns how many signs share ε: all, one of OPORP, and with δ N₊ of Proposition 4.4.
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

// vectors returns 0, −t e_i with 2t = min(β, 2), and vectors of tenths.
func (p *projection) vectors() (out [][]float64) {
	src := rand.New(rand.NewPCG(3, 4))
	for n := range p.P() + 7 {
		u := make([]float64, p.P())
		for i := range u {
			if n > p.P() {
				u[i] = float64(src.IntN(21)-10) / 10
			} else if i+1 == n {
				u[i] = -min(p.Beta(), 2) / 2
			}
		}
		out = append(out, u)
	}
	return out
}

// neighbors returns u with all its neighbors at the ends of the moves of a coordinate, and halfway.
func (p *projection) neighbors(u []float64) (out [][2]*answer) {
	for i := range u {
		for _, halves := range []int64{2, 1, -1, -2} {
			from, to := asWritten(u[i]), new(big.Rat).Mul(p.beta, big.NewRat(halves, 2))
			if to.Add(to, from).Cmp(big.NewRat(1, 1)) > 0 || to.Cmp(big.NewRat(-1, 1)) < 0 {
				to.SetInt64(int64(to.Sign()))
			}
			v := slices.Clone(u)
			v[i], _ = to.Float64()
			for to.Cmp(from) != 0 && asWritten(v[i]).Cmp(to) == to.Cmp(from) { // no further than that
				v[i] = math.Nextafter(v[i], u[i])
			}
			out = append(out, [2]*answer{p.at(u), p.at(v)})
		}
	}
	return out
}

// worst returns the largest δ at ε of some pairs, both ways, and of signs the largest log ratio.
func (p *projection) worst(ctx context.Context, pairs [][2]*answer, eps *big.Float) (delta, pure float64) {
	e, longest, most := exponential(eps), bigFloat(0), bigFloat(1)
	for _, pair := range pairs {
		if ctx.Err() != nil {
			break // the caller asks again
		}
		square := bigFloat(0)
		for j, x := range pair[0].mean {
			square = sum(square, times(minus(x, pair[1].mean[j]), minus(x, pair[1].mean[j])))
		}
		if square.Cmp(longest) > 0 {
			longest = square
		}
		for side := range 2 {
			total := bigFloat(0)
			for s, chance := range pair[side].patterns {
				other := pair[1-side].patterns[s]
				if more := minus(chance, times(e, other)); more.Sign() > 0 {
					total = sum(total, more)
				}
				if chance.Sign() > 0 && other.Sign() == 0 {
					pure = math.Inf(1)
				} else if chance.Cmp(times(most, other)) > 0 {
					most = over(chance, other)
				}
			}
			found, _ := total.Float64()
			delta = max(delta, found)
		}
	}
	if !p.Signs() {
		return gaussianDelta(over(longest.Sqrt(longest), p.sigma), eps), math.Inf(1)
	}
	found, _ := logarithm(most).Float64()
	return delta, max(pure, found)
}

// judge compares the ε and δ of a threat model with the worst of some pairs; complete tells that these include the
// overall worst. The lines are script expressions for them.
func (p *projection) judge(ctx context.Context, name string, of privacy.Profile, pairs [][2]*answer, complete bool, epsilonLine, deltaLine string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	own := evidence.Delta{}
	if !p.Signs() {
		own = p.Delta()
	}
	printed, err := of.Epsilon(ctx, own)
	if err != nil {
		return err
	}
	epsilon, eps := p.named("ε, "+name), p.ClaimedEpsilon().Epsilon
	lo, hi := printed.Bounds()
	if !p.Signs() {
		above, _ := p.worst(ctx, pairs, bigFloat(lo))
		below, _ := p.worst(ctx, pairs, bigFloat(hi))
		epsilon.is(below <= own.Value()*(1+tolerance) && (lo == 0 || above >= own.Value()*(1-tolerance)), "%s  # prints %s, where δ is %.12g by enumeration", epsilonLine, evidence.Brief(printed), below)
	} else if _, pure := p.worst(ctx, pairs, p.eps); !complete && pure < lo {
		epsilon.Verdict = evidence.Undecided
	} else {
		epsilon.number(printed, pure, "%s", epsilonLine)
		if pure > 0 && !math.IsInf(pure, 1) {
			eps, _ = evidence.NewEpsilon("eps", pure/2)
		}
	}
	delta, _ := p.worst(ctx, pairs, epsilonOf(eps))
	if printed, err = of.Delta(ctx, eps); err != nil || ctx.Err() != nil {
		return cmp.Or(err, ctx.Err())
	}
	if lo, _ = printed.Bounds(); complete || delta >= lo {
		p.named("δ, "+name).number(printed, delta, deltaLine, eps)
	}
	return nil
}

// around recomputes what is printed at a vector: its levels, its privacy against every neighbor in two ways,
// against all of them, the worst one, and that of the ℓ1 ball.
func (p *projection) around(ctx context.Context, u []float64, pairs [][2]*answer) error {
	text := func(u []float64) string { return strings.ReplaceAll(fmt.Sprint(u), " ", ", ") }
	at := text(u)
	if w := p.Projection(); w != nil {
		levels, err := w.Levels(ctx, u, p.Beta())
		if err != nil {
			return err
		}
		for j, d := range p.dots(u) {
			p.named("levels").is(levels[j] == p.level(d, j), "  # levels(%s, %v) of the projection has %d at %d, enumeration gives %d", at, p.Beta(), levels[j], j, p.level(d, j))
		}
	}
	for _, pair := range pairs {
		v := pair[1].u
		f, err := p.PairsBetween(ctx, u, v)
		if err != nil {
			return err
		}
		f.Profile = nil
		for _, of := range []privacy.Profile{p.Pair(u, v), privacy.New(f)} {
			if err := p.judge(ctx, "two vectors", of, [][2]*answer{pair}, true, fmt.Sprintf(".smallest_epsilon(%s, %s)", at, text(v)), fmt.Sprintf(".delta_at(%%v, %s, %s)", at, text(v))); err != nil {
				return err
			}
		}
	}
	near := p.Neighbors(u)
	if err := p.judge(ctx, "neighbors of a vector", near, pairs, true, fmt.Sprintf(".smallest_epsilon(%s)", at), fmt.Sprintf(".delta_at(%%v, %s)", at)); err != nil {
		return err
	}
	worst, err := near.Worst(ctx)
	if err != nil {
		return err
	}
	ball, err := p.Ball(u).Epsilon(ctx, evidence.Delta{})
	if err != nil {
		return err
	}
	delta, pure := p.worst(ctx, pairs, p.eps)
	ok := pure == 0
	if i := worst.Coordinate; i >= 0 {
		v := slices.Clone(u)
		v[i] = worst.To
		far := new(big.Rat).Sub(asWritten(v[i]), asWritten(u[i]))
		own, least := p.worst(ctx, [][2]*answer{{p.at(u), p.at(v)}}, p.eps)
		ok = math.Abs(v[i]) <= 1 && far.Abs(far).Cmp(p.beta) <= 0 && close(least, pure) && (p.Signs() || close(own, delta))
	}
	p.named("worst neighbor").is(ok, ".worst_neighbor(%s)  # another is worse", at)
	_, hi := ball.Bounds()
	p.named("ℓ1 ball").is(pure <= hi*(1+tolerance), ".ball_epsilon(%s)  # a neighbor has %.12g", at, pure)
	return nil
}
