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

// Noise is symmetric noise of a scale of 1.
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
	return &Added{q: q, title: title, claimed: claimed, scale: scale, noise: noise, remake: remake}, nil
}

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

// ends returns how far the range goes above and below f(x), nil without an end.
func (q *Query) ends() [2]*big.Rat {
	var out [2]*big.Rat
	if q.rng.Hi != nil {
		out[0] = new(big.Rat).Sub(q.rng.Hi, q.value)
	}
	if q.rng.Lo != nil {
		out[1] = new(big.Rat).Sub(q.value, q.rng.Lo)
	}
	return out
}

// steps returns u in scales.
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
	for _, end := range m.q.ends() {
		if end != nil && end.Sign() == 0 {
			continue
		}
		if m.q.rng.Step != nil {
			v, err := m.onLattice(ctx, end)
			if err != nil {
				return nil, err
			}
			sum = sum.Add(v)
			continue
		}
		v := m.noise.Half()
		if end != nil {
			v = m.noise.Area(m.scaled(end))
		}
		sum = sum.Add(v.Mul(m.scale))
	}
	return evidence.Enclosed(sum, method, source), nil
}

// summedTerms is how many lattice points near f(x) are added up one by one.
const summedTerms = 1 << 12

// onLattice encloses step·Σ_k Pr[Z > (k − ½)·step/scale] up to the end.
func (m *Added) onLattice(ctx context.Context, end *big.Rat) (interval.Interval, error) {
	step := m.q.rng.Step
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
		if k%256 == 0 && ctx.Err() != nil {
			return sum, ctx.Err()
		}
		sum = sum.Add(m.noise.Tail(s.Mul(interval.Int(k)).Sub(half)))
	}
	// A falling tail: each term lies between its integral over the step behind and that before.
	from := s.Mul(interval.Int(summedTerms)).Add(half)
	upper, lower := m.noise.Half(), m.noise.Half()
	if n != nil {
		last := s.Mul(interval.Rat(new(big.Rat).SetInt(n)))
		upper, lower = m.noise.Area(last.Sub(half)), m.noise.Area(last.Add(half))
	}
	upper, lower = upper.Sub(m.noise.Area(from.Sub(s))), lower.Sub(m.noise.Area(from))
	return sum.Add(interval.Hull(lower, upper).Quo(s)).Mul(interval.Rat(step)), nil
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
	if step := m.q.rng.Step; step != nil {
		k := new(big.Rat).Quo(e, step)
		k.SetInt(interval.RationalFloor(k))
		e = new(big.Rat).Mul(k, step)
		beyond = k.Mul(k.Add(k, big.NewRat(1, 2)), step)
	}
	for _, end := range m.q.ends() {
		if end == nil || e.Cmp(end) < 0 {
			out = out.Sub(m.noise.Tail(m.scaled(beyond)))
		}
	}
	return unit(out), nil
}

// Between implements Law.
func (m *Added) Between(_ context.Context, lo, hi *big.Rat) (interval.Interval, error) {
	// below is Pr[r ≤ v], or Pr[r < v].
	below := func(v *big.Rat, open bool) interval.Interval {
		if m.q.rng.Hi != nil && (v.Cmp(m.q.rng.Hi) > 0 || !open && v.Cmp(m.q.rng.Hi) == 0) {
			return interval.Int(1)
		}
		if m.q.rng.Lo != nil && (v.Cmp(m.q.rng.Lo) < 0 || open && v.Cmp(m.q.rng.Lo) == 0) {
			return interval.Int(0)
		}
		d := new(big.Rat).Sub(v, m.q.value)
		if step := m.q.rng.Step; step != nil { // the noise that ends at most at the last value there
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
	return unit(below(hi, false).Sub(below(lo, true))), nil
}

// Simulate implements Law.
func (m *Added) Simulate(ctx context.Context, n int, src rand.Source) ([]float64, error) {
	if err := mechanism.CheckDraws(n); err != nil {
		return nil, err
	}
	f, _ := m.q.value.Float64()
	scale := m.scale.Mid()
	step := 0.0
	if m.q.rng.Step != nil {
		step, _ = m.q.rng.Step.Float64()
	}
	ends := m.q.ends()
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
		out[i] = m.q.onRange(f + d)
	}
	return out, nil
}

// Release draws n outputs of Laplace or Staircase noise with exactly its law, moved to the range; where
// that is continuous they are rounded to the nearest multiple of a public grid first, which is returned. A nil source
// is the operating system's generator. It returns an error wrapping evidence.ErrParameter for other noise.
func (m *Added) Release(ctx context.Context, n int, src Source) (out []float64, grid *big.Rat, err error) {
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
	answer, lattice := m.q.value, m.q.rng.Step != nil
	from := new(big.Rat)
	if lattice {
		grid = m.q.rng.Step
		if m.q.rng.Lo != nil {
			from = m.q.rng.Lo
		}
		answer = new(big.Rat).Sub(answer, from)
	} else {
		grid = sampling.GridFor(m.q.global)
	}
	draw, err := drawn.Sampler()
	if err != nil {
		return nil, nil, err
	}
	if err := mechanism.CheckDraws(n); err != nil {
		return nil, nil, err
	}
	src = sampling.Or(src)
	out = make([]float64, n)
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
		v := new(big.Rat).SetInt(k)
		v.Add(v.Mul(v, grid), from)
		if lo := m.q.rng.Lo; lo != nil && v.Cmp(lo) < 0 {
			v = lo
		}
		if hi := m.q.rng.Hi; hi != nil && v.Cmp(hi) > 0 {
			v = hi
		}
		out[i] = sampling.Float(v)
	}
	if lattice {
		grid = nil
	}
	return out, grid, nil
}
