package records

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"

	"dpworkbench/continuous"
	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/internal/sampling"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
)

// Noise is symmetric noise of a scale of 1, of a density that does not grow away from 0.
type Noise interface {
	// Tail encloses Pr[Z > u], u ≥ 0.
	Tail(u interval.Interval) interval.Interval
	// Area encloses ∫₀^u Pr[Z > s] ds, u ≥ 0.
	Area(u interval.Interval) interval.Interval
	// Half encloses ∫₀^∞ Pr[Z > s] ds, half of E|Z|: all numbers where that is infinite.
	Half() interval.Interval
	// Draw simulates it.
	Draw(src rand.Source) float64
}

// Added is noise on f(x), moved to the nearest value of the range.
type Added struct {
	q       *Query
	rng     Range // where outputs lie: the query's range, or the whole line
	title   string
	claimed evidence.Number
	scale   interval.Interval
	noise   Noise
	remake  func(q *Query) (Law, error)
	exact   func(q *continuous.Linear) (continuous.ExactlySampled, error) // the same noise on the line; nil where it has no exact sampler
}

// NewAdded returns noise of the given scale added to f(x) and moved to the nearest value of the
// range, ties to the smaller. remake makes the same mechanism at another dataset; it may be nil.
func NewAdded(q *Query, title string, scale interval.Interval, noise Noise, claimed evidence.Number, remake func(q *Query) (Law, error)) (*Added, error) {
	if q.listed != nil && q.listed.names != nil {
		return nil, parameter.Errorf("%s has categories as values, to which no noise is added", q.name)
	}
	return &Added{q: q, rng: q.rng, title: title, claimed: claimed, scale: scale, noise: noise, remake: remake}, nil
}

// OnLine returns the same noise, left on the whole line.
func (m *Added) OnLine() Law {
	out := *m
	out.rng, out.title = Range{}, m.title+" on the line"
	if m.remake != nil {
		out.remake = func(q *Query) (Law, error) {
			moved, err := m.remake(q)
			if err != nil {
				return nil, err
			}
			return moved.(*Added).OnLine(), nil
		}
	}
	return &out
}

// outputs returns where outputs lie.
func (m *Added) outputs() Range { return m.rng }

// globalOf returns Δ, or an error where there is none.
func globalOf(q *Query, eps evidence.Epsilon, what string) (*big.Rat, error) {
	if err := eps.Positive("eps"); err != nil {
		return nil, err
	}
	if q.global == nil {
		return nil, parameter.Errorf("%s has no finite global sensitivity, which %s wants", q.name, what)
	}
	return q.global, nil
}

// NewLaplace returns Laplace noise of scale Δ/ε (Dwork, McSherry, Nissim and Smith 2006), Δ the global
// sensitivity, moved to the range. It claims ε.
func NewLaplace(q *Query, eps evidence.Epsilon) (Law, error) {
	delta, err := globalOf(q, eps, "laplace")
	if err != nil {
		return nil, err
	}
	m, err := NewAdded(q, "laplace(eps="+eps.String()+")", interval.Rat(delta).Quo(eps.Enclosure()), laplace{}, mechanism.Claim(eps, "Dwork et al. 2006"),
		func(q *Query) (Law, error) { return NewLaplace(q, eps) })
	if err != nil {
		return nil, err
	}
	m.exact = func(q *continuous.Linear) (continuous.ExactlySampled, error) { return continuous.NewLaplace(q, eps) }
	return m, nil
}

type laplace struct{}

func (laplace) Tail(u interval.Interval) interval.Interval {
	return u.Neg().Exp().Quo(interval.Int(2))
}

func (laplace) Area(u interval.Interval) interval.Interval {
	return u.Neg().Expm1().Quo(interval.Int(-2))
}

func (laplace) Half() interval.Interval { return interval.Rat(big.NewRat(1, 2)) }

func (laplace) Draw(src rand.Source) float64 {
	r := rand.New(src)
	v := r.ExpFloat64()
	if r.Uint64()&1 == 0 {
		return -v
	}
	return v
}

// lattice returns Σ_{k=1}^n Pr[Z > (k − ½)s].
func (l laplace) lattice(s interval.Interval, n *big.Int) interval.Interval {
	half := s.Quo(interval.Int(2))
	last := s.Mul(interval.Rat(new(big.Rat).SetInt(n)))
	return l.Tail(half).Mul(last.Neg().Expm1()).Quo(s.Neg().Expm1())
}

// NewStaircase returns Staircase noise (Geng and Viswanath 2016) for the global sensitivity, moved
// to the range: its density falls by e^{−ε} at γΔ and every Δ behind. gamma nil is the float64 nearest to
// 1/(1 + e^{ε/2}), the best for E|noise|. It claims ε.
func NewStaircase(q *Query, eps evidence.Epsilon, gamma *big.Rat) (Law, error) {
	delta, err := globalOf(q, eps, "staircase")
	if err != nil {
		return nil, err
	}
	given := gamma
	if gamma == nil {
		gamma = new(big.Rat).SetFloat64(max(1/(1+math.Exp(eps.Value()/2)), 0x1p-300))
	}
	if gamma.Sign() <= 0 || gamma.Cmp(big.NewRat(1, 1)) >= 0 {
		return nil, parameter.Bad("gamma", gamma, "a number between 0 and 1")
	}
	b, g, one := eps.Decay(), interval.Rat(gamma), interval.Int(1)
	s := staircase{at: gamma, b: b, gamma: g, density: one.Sub(b).Quo(interval.Int(2)).Quo(g.Add(b.Mul(one.Sub(g))))}
	m, err := NewAdded(q, "staircase(eps="+eps.String()+")", interval.Rat(delta), s, mechanism.Claim(eps, "Geng and Viswanath 2016, Theorem 1"),
		func(q *Query) (Law, error) { return NewStaircase(q, eps, given) })
	if err != nil {
		return nil, err
	}
	m.exact = func(q *continuous.Linear) (continuous.ExactlySampled, error) {
		return continuous.NewStaircase(q, eps, gamma)
	}
	return m, nil
}

// staircase has density·b^k on [k, k + γ) and density·b^{k+1} on [k + γ, k + 1).
type staircase struct {
	b, gamma, density interval.Interval
	at                *big.Rat // γ itself
}

// parts returns, for u: b^⌊u⌋, what is left of its step's part before γ, and of that behind.
func (s staircase) parts(u interval.Interval) (power, first, second interval.Interval, ok bool) {
	k, ok := u.Floor()
	if !ok || !k.IsInt64() {
		return power, first, second, false
	}
	at := u.Sub(interval.Int(k.Int64()))
	zero, one := interval.Int(0), interval.Int(1)
	first = interval.Max(s.gamma.Sub(at), zero)
	second = interval.Max(one.Sub(interval.Max(at, s.gamma)), zero)
	return s.b.Pow(int(min(k.Int64(), math.MaxInt32))), first, second, true
}

func (s staircase) Tail(u interval.Interval) interval.Interval {
	power, first, second, ok := s.parts(u)
	if !ok {
		return s.around(u, s.Tail)
	}
	return power.Mul(s.b.Quo(interval.Int(2)).Add(s.density.Mul(first.Add(s.b.Mul(second)))))
}

// Area implements Noise: what is above u is taken from the whole.
func (s staircase) Area(u interval.Interval) interval.Interval {
	return s.Half().Sub(s.above(u))
}

func (s staircase) Half() interval.Interval { return s.above(interval.Int(0)) }

func (s staircase) above(u interval.Interval) interval.Interval {
	power, first, second, ok := s.parts(u)
	if !ok {
		return s.around(u, s.above)
	}
	// Over the rest of this step, where the tail falls linearly twice, and then over all steps behind.
	two, one := interval.Int(2), interval.Int(1)
	half := s.b.Quo(two)
	behind := second.Mul(half.Mul(two).Add(s.density.Mul(s.b).Mul(second))).Quo(two)
	top := half.Add(s.density.Mul(s.b).Mul(second))
	before := first.Mul(top.Mul(two).Add(s.density.Mul(first))).Quo(two)
	g, h := s.gamma, one.Sub(s.gamma)
	all := h.Mul(half.Mul(two).Add(s.density.Mul(s.b).Mul(h))).Quo(two)
	topAll := half.Add(s.density.Mul(s.b).Mul(h))
	all = all.Add(g.Mul(topAll.Mul(two).Add(s.density.Mul(g))).Quo(two))
	return power.Mul(before.Add(behind).Add(s.b.Mul(all).Quo(one.Sub(s.b))))
}

// around encloses a falling function where u's whole part is not known, or is very large.
func (s staircase) around(u interval.Interval, f func(u interval.Interval) interval.Interval) interval.Interval {
	lo, hi := u.Lower(), u.Neg().Lower().Neg()
	if _, ok := lo.Floor(); !ok || lo.CmpHi(interval.Int(1<<31)) > 0 {
		return interval.Hull(interval.Int(0), s.b.Pow(1<<30))
	}
	if k, ok := hi.Floor(); !ok || !k.IsInt64() || k.Int64() > 1<<31 {
		return interval.Hull(interval.Int(0), f(lo))
	}
	return interval.Hull(f(hi), f(lo))
}

// lattice returns Σ_{k=1}^n Pr[Z > (k − ½)·step], n nil for no end: between two corners the tail is a line,
// and so a sum there the number of terms times the mean of its first and its last.
func (s staircase) lattice(ctx context.Context, step *big.Rat, n *big.Int) (interval.Interval, error) {
	sum, done, half := interval.Int(0), new(big.Int), big.NewRat(1, 2)
	corner := s.at // γ, 1, 1 + γ, 2, …
	small := interval.Float(math.Ldexp(1, -bitsKept))
	tail := func(k *big.Int) interval.Interval {
		u := new(big.Rat).SetInt(k)
		u.Sub(u, half)
		return s.Tail(interval.Rat(u.Mul(u, step)))
	}
	for piece := 1; ; piece++ {
		if piece%256 == 0 && ctx.Err() != nil {
			return sum, ctx.Err()
		}
		k := new(big.Rat).Quo(corner, step)
		last := interval.RationalFloor(k.Add(k, half))
		if n != nil && last.Cmp(n) > 0 {
			last = n
		}
		if count := new(big.Int).Sub(last, done); count.Sign() > 0 {
			first := tail(new(big.Int).Add(done, big.NewInt(1)))
			both := first.Add(tail(last))
			sum = sum.Add(both.Mul(interval.Rat(new(big.Rat).SetFrac(count, big.NewInt(2)))))
			done = last
		}
		if n != nil && done.Cmp(n) >= 0 {
			return sum, nil
		}
		if piece%16 == 0 && done.Sign() > 0 { // what is left lies below the area behind the last term
			u := new(big.Rat).SetInt(done)
			u.Sub(u, half)
			rest := s.above(interval.Rat(u.Mul(u, step))).Quo(interval.Rat(step))
			if rest.Less(sum.Mul(small)) {
				return sum.Add(interval.Hull(interval.Int(0), rest)), nil
			}
		}
		corner = new(big.Rat).SetInt64(int64((piece + 1) / 2))
		if piece%2 == 0 {
			corner.Add(corner, s.at)
		}
	}
}

func (s staircase) Draw(src rand.Source) float64 {
	r := rand.New(src)
	b, g := s.b.Mid(), s.gamma.Mid()
	k := math.Floor(math.Log(1-r.Float64()) / math.Log(b))
	v := k + g*r.Float64()
	if r.Float64() >= g/(g+(1-g)*b) {
		v = k + g + (1-g)*r.Float64()
	}
	if r.Uint64()&1 == 0 {
		return -v
	}
	return v
}

// Name implements Law.
func (m *Added) Name() string { return m.title }

// Query implements Law.
func (m *Added) Query() *Query { return m.q }

// ClaimedEpsilon implements Law.
func (m *Added) ClaimedEpsilon() evidence.Number { return m.claimed }

// Scale encloses the noise's scale.
func (m *Added) Scale() interval.Interval { return m.scale }

// Remake implements Law.
func (m *Added) Remake(q *Query) (Law, error) {
	if m.remake == nil {
		return nil, parameter.Errorf("%s cannot be made again at another dataset", m.title)
	}
	return m.remake(q)
}

// ends returns how far a range goes above and below v, nil without an end.
func (g Range) ends(v *big.Rat) [2]*big.Rat {
	var out [2]*big.Rat
	if g.Hi != nil {
		out[0] = new(big.Rat).Sub(g.Hi, v)
	}
	if g.Lo != nil {
		out[1] = new(big.Rat).Sub(v, g.Lo)
	}
	return out
}

// scaled returns u in scales.
func (m *Added) scaled(u *big.Rat) interval.Interval { return interval.Rat(u).Quo(m.scale) }

// quiet reports whether there is no noise at all.
func (m *Added) quiet() bool { return m.scale.CmpHi(interval.Int(0)) <= 0 }

// Distortion implements Law.
func (m *Added) Distortion(ctx context.Context) (evidence.Number, error) {
	const source = "noise moved to the range, at this dataset"
	sum := interval.Int(0)
	if m.quiet() {
		return evidence.Exact{Value: new(big.Rat), Source: source}, nil
	}
	for _, end := range m.rng.ends(m.q.value) {
		v, err := m.area(ctx, end)
		if err != nil {
			return nil, err
		}
		sum = sum.Add(v)
	}
	return evidence.Enclosed(sum, method, source), nil
}

// area encloses the integral of Pr[r > f(x) + v] over v from 0 to a distance at which the range ends or has a value,
// nil for no end.
func (m *Added) area(ctx context.Context, to *big.Rat) (interval.Interval, error) {
	switch {
	case to != nil && to.Sign() == 0:
		return interval.Int(0), nil
	case m.rng.Step != nil:
		return m.onLattice(ctx, to)
	case to == nil:
		return m.noise.Half().Mul(m.scale), nil
	}
	return m.noise.Area(m.scaled(to)).Mul(m.scale), nil
}

// off implements offset.
func (m *Added) off(ctx context.Context, c *big.Rat) (interval.Interval, error) {
	d := new(big.Rat).Sub(c, m.q.value)
	end := m.rng.ends(m.q.value)[0]
	if d.Sign() < 0 {
		d.Neg(d)
		end = m.rng.ends(m.q.value)[1]
	}
	beyond := new(big.Rat)
	if end != nil && d.Cmp(end) > 0 {
		beyond.Sub(d, end)
		d = end
	}
	// E|r − c| − E|r − f(x)| is d less twice the integral of Pr[r beyond v] from f(x) to c.
	whole, rest := d, interval.Int(0)
	if step := m.rng.Step; step != nil {
		k := new(big.Rat).Quo(d, step)
		k.SetInt(interval.RationalFloor(k))
		whole = new(big.Rat).Mul(k, step)
		if over := new(big.Rat).Sub(d, whole); over.Sign() > 0 && !m.quiet() {
			k.Add(k, big.NewRat(1, 2))
			rest = m.noise.Tail(m.scaled(k.Mul(k, step))).Mul(interval.Rat(over))
		}
	}
	area := interval.Int(0)
	if !m.quiet() {
		var err error
		if area, err = m.area(ctx, whole); err != nil {
			return area, err
		}
	}
	return interval.Rat(beyond.Add(beyond, d)).Sub(area.Add(rest).Mul(interval.Int(2))), nil
}

// summedTerms is how many lattice points near f(x) are added up one by one.
const summedTerms = 1 << 6

// onLattice encloses step·Σ_k Pr[Z > (k − ½)·step/scale] up to the end.
func (m *Added) onLattice(ctx context.Context, end *big.Rat) (interval.Interval, error) {
	step := m.rng.Step
	s := m.scaled(step)
	var n *big.Int
	if end != nil {
		n = interval.RationalFloor(new(big.Rat).Quo(end, step))
	}
	if l, ok := m.noise.(laplace); ok {
		if n == nil { // the sum to infinity
			return l.Tail(s.Quo(interval.Int(2))).Quo(s.Neg().Expm1().Neg()).Mul(interval.Rat(step)), nil
		}
		return l.lattice(s, n).Mul(interval.Rat(step)), nil
	}
	if c, ok := m.noise.(staircase); ok {
		v, err := c.lattice(ctx, new(big.Rat).Quo(step, m.q.global), n)
		return v.Mul(interval.Rat(step)), err
	}
	sum, half := interval.Int(0), s.Quo(interval.Int(2))
	for k := int64(1); ; k++ {
		if n != nil && n.Cmp(big.NewInt(k)) < 0 {
			return sum.Mul(interval.Rat(step)), nil
		}
		if k > summedTerms {
			break
		}
		sum = sum.Add(m.noise.Tail(s.Mul(interval.Int(k)).Sub(half)))
	}
	// The tail is convex, so that a term lies below its mean over the step around it, by no more than an eighth of
	// the step times what the slope changes there; together by an eighth of the slope at the first, which is no steeper
	// than that of the chord before.
	from := s.Mul(interval.Int(summedTerms))
	rest := m.noise.Half()
	if n != nil {
		rest = m.noise.Area(s.Mul(interval.Rat(new(big.Rat).SetInt(n))))
	}
	rest = rest.Sub(m.noise.Area(from))
	off := s.Mul(m.noise.Tail(from.Sub(s)).Sub(m.noise.Tail(from))).Quo(interval.Int(8))
	return sum.Add(interval.Hull(rest.Sub(off), rest).Quo(s)).Mul(interval.Rat(step)), nil
}

// Within implements Law.
func (m *Added) Within(_ context.Context, e *big.Rat) (interval.Interval, error) {
	out := interval.Int(1)
	if e.Sign() < 0 {
		return interval.Int(0), nil
	}
	if m.quiet() {
		return out, nil
	}
	beyond := e
	if step := m.rng.Step; step != nil {
		k := new(big.Rat).Quo(e, step)
		k.SetInt(interval.RationalFloor(k))
		e = new(big.Rat).Mul(k, step)
		beyond = k.Mul(k.Add(k, big.NewRat(1, 2)), step)
	}
	for _, end := range m.rng.ends(m.q.value) {
		if end == nil || e.Cmp(end) < 0 {
			out = out.Sub(m.noise.Tail(m.scaled(beyond)))
		}
	}
	return inUnit(out), nil
}

// Between implements Law.
func (m *Added) Between(_ context.Context, lo, hi *big.Rat) (interval.Interval, error) {
	return inUnit(m.below(hi, false).Sub(m.below(lo, true))), nil
}

// below encloses Pr[r ≤ v], or Pr[r < v].
func (m *Added) below(v *big.Rat, open bool) interval.Interval {
	if m.rng.Hi != nil && (v.Cmp(m.rng.Hi) > 0 || !open && v.Cmp(m.rng.Hi) == 0) {
		return interval.Int(1)
	}
	if m.rng.Lo != nil && (v.Cmp(m.rng.Lo) < 0 || open && v.Cmp(m.rng.Lo) == 0) {
		return interval.Int(0)
	}
	d := new(big.Rat).Sub(v, m.q.value)
	if step := m.rng.Step; step != nil { // the noise that ends at most at the last value there
		k := new(big.Rat).Quo(d, step)
		if open {
			k = ceilTo(k, big.NewRat(1, 1))
			k.Sub(k, big.NewRat(1, 2))
		} else {
			k.SetInt(interval.RationalFloor(k))
			k.Add(k, big.NewRat(1, 2))
		}
		d = k.Mul(k, step)
	}
	if m.quiet() {
		if d.Sign() > 0 || d.Sign() == 0 && !open {
			return interval.Int(1)
		}
		return interval.Int(0)
	}
	if d.Sign() >= 0 {
		return interval.Int(1).Sub(m.noise.Tail(m.scaled(d)))
	}
	return m.noise.Tail(m.scaled(d.Neg(d)))
}

// Simulate implements Law.
func (m *Added) Simulate(ctx context.Context, n int, src rand.Source) ([]float64, error) {
	if err := mechanism.CheckDraws(n); err != nil {
		return nil, err
	}
	f, _ := m.q.value.Float64()
	scale := m.scale.Mid()
	step := 0.0
	if m.rng.Step != nil {
		step, _ = m.rng.Step.Float64()
	}
	ends := m.rng.ends(m.q.value)
	out := make([]float64, n)
	for i := range out {
		if i%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		d := scale * m.noise.Draw(src)
		if step > 0 {
			d = step * math.Ceil(d/step-0.5)
		}
		if ends[0] != nil {
			e, _ := ends[0].Float64()
			d = min(d, e)
		}
		if ends[1] != nil {
			e, _ := ends[1].Float64()
			d = max(d, -e)
		}
		out[i] = m.rng.nearest(f+d, m.q.value)
	}
	return out, nil
}

// Release draws n outputs of Laplace or Staircase noise with exactly its law, moved to the range; where
// that is continuous they are rounded to the nearest multiple of a public grid first, which is returned. A nil source
// is the operating system's generator. It returns an error wrapping evidence.ErrParameter for other noise.
func (m *Added) Release(ctx context.Context, n int, src Source) ([]float64, *big.Rat, error) {
	if m.exact == nil {
		return nil, nil, parameter.Errorf("%s has no exact sampler", m.title)
	}
	line, err := continuous.NewLinear([][2]*big.Rat{{m.q.global, m.q.global}})
	if err != nil {
		return nil, nil, err
	}
	drawn, err := m.exact(line)
	if err != nil {
		return nil, nil, err
	}
	grid, answer := m.rng.grid(m.q)
	draw, err := drawn.Sampler()
	if err != nil {
		return nil, nil, err
	}
	if err := mechanism.CheckDraws(n); err != nil {
		return nil, nil, err
	}
	src = sampling.Or(src)
	out := make([]float64, n)
	for i := range out {
		if i%256 == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		noise, err := draw(src)
		if err != nil {
			return nil, nil, err
		}
		sum := sampling.Rat(new(big.Rat).Add(answer, noise.Point))
		if noise.Rest != nil {
			sum = sampling.Sum(sum, noise.Rest)
		}
		k, err := sampling.Round(sum, grid)
		if err != nil {
			return nil, nil, err
		}
		out[i] = m.rng.placed(k, grid)
	}
	return out, m.rng.rounded(grid), nil
}

// grid returns the multiples, above the lower end where there is a lattice, that outputs are drawn as, and the answer so: the lattice's
// step, or a public grid of the global sensitivity.
func (g Range) grid(q *Query) (grid, answer *big.Rat) {
	switch {
	case g.Step != nil:
		return g.Step, new(big.Rat).Sub(q.value, g.from())
	case q.global != nil:
		return sampling.GridFor(q.global), q.value
	}
	return sampling.TwoTo(-32), q.value
}

func (g Range) from() *big.Rat {
	if g.Lo == nil || g.Step == nil {
		return new(big.Rat)
	}
	return g.Lo
}

// rounded is the grid that a continuous output was rounded to, nil on a lattice.
func (g Range) rounded(grid *big.Rat) *big.Rat {
	if g.Step != nil {
		return nil
	}
	return grid
}

// placed returns the value of the range that is nearest to k multiples of the grid.
func (g Range) placed(k *big.Int, grid *big.Rat) float64 {
	v := new(big.Rat).SetInt(k)
	v.Add(v.Mul(v, grid), g.from())
	if g.Lo != nil && v.Cmp(g.Lo) < 0 {
		v = g.Lo
	}
	if g.Hi != nil && v.Cmp(g.Hi) > 0 {
		v = g.Hi
	}
	return sampling.Float(v)
}
