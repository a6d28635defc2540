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
	"dpworkbench/privacy"
)

// vectors returns 0, the vectors −t e_i with 2t = min(β, 2), and random vectors whose entries are multiples of 1/10.
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

// neighbors returns u paired with its neighbors. A neighbor moves one coordinate by ±β or ±β/2, but not beyond [−1, 1].
func (p *projection) neighbors(u []float64) (out [][2]*answer) {
	for i := range u {
		for _, halves := range []int64{2, 1, -1, -2} {
			from, to := asWritten(u[i]), new(big.Rat).Mul(p.beta, big.NewRat(halves, 2))
			if to.Add(to, from).Cmp(big.NewRat(1, 1)) > 0 || to.Cmp(big.NewRat(-1, 1)) < 0 {
				to.SetInt64(int64(to.Sign()))
			}
			v := slices.Clone(u)
			v[i], _ = to.Float64()
			for to.Cmp(from) != 0 && asWritten(v[i]).Cmp(to) == to.Cmp(from) { // rounding must not exceed the move
				v[i] = math.Nextafter(v[i], u[i])
			}
			out = append(out, [2]*answer{p.at(u), p.at(v)})
		}
	}
	return out
}

// worst returns the largest δ at ε of the pairs in both orders. For signs it also returns the largest log-ratio, and
// for numbers +Inf.
func (p *projection) worst(ctx context.Context, pairs [][2]*answer, eps *big.Float) (delta, pure float64) {
	e, longest, most := exponential(eps), bigFloat(0), bigFloat(1)
	for _, pair := range pairs {
		if ctx.Err() != nil {
			break // the caller checks the context after this
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

// judge compares the printed ε and δ of a threat model with the worst of the pairs. complete reports that the pairs
// include the worst of all. The lines are the script expressions that print ε and δ.
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

// around recomputes what is printed about a vector u: its levels, and its privacy. The privacy is that against every
// single neighbor (in two ways), against all neighbors together, and in the ℓ1 ball.
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
