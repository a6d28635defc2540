package signrp

import (
	"context"
	"fmt"
	"maps"
	"math/big"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/query"
)

// state is a value of (Σxy, Σxx, Σyy) and its weight.
type state struct{ weight, xy, xx, yy *big.Rat }

// triple is a state in units of the vectors' common denominator.
type triple struct{ xy, xx, yy int64 }

// mostCosineWork bounds the steps of an enumeration.
const mostCosineWork = 1 << 22

// spend subtracts steps from those that remain.
func (d *cosinePair) spend(steps int) error {
	if d.left -= steps; d.left < 0 {
		return errCosineWork
	}
	return nil
}

var errCosineWork = parameter.Errorf("the law of W takes more than 2^22 steps to enumerate, want fewer coordinates, fewer distinct entries or a smaller k")

// over returns the moments of ρ̂ over a law, given as states whose weights sum to total.
func (d *cosinePair) over(ctx context.Context, states []state, total *big.Rat) (*CosineMoments, error) {
	if d.square.Sign() == 0 {
		return d.plain(states, total), nil
	}
	g := gammaRatio(d.k)
	seen := make(map[string]direction)
	about := func(xx *big.Rat) (direction, error) {
		key := xx.RatString()
		if got, ok := seen[key]; ok {
			return got, nil
		}
		if err := ctx.Err(); err != nil {
			return direction{}, err
		}
		z := new(big.Rat).Quo(xx, d.square)
		out, err := directionOf(d.k, z.Mul(z, big.NewRat(1, 2)), g)
		seen[key] = out
		return out, err
	}
	mean, square := interval.Int(0), interval.Int(0)
	for _, s := range states {
		p, err := about(s.xx)
		if err != nil {
			return nil, err
		}
		q, err := about(s.yy)
		if err != nil {
			return nil, err
		}
		cosine, squared := interval.Int(0), interval.Int(0)
		if s.xx.Sign() > 0 && s.yy.Sign() > 0 {
			cosine = signedRoot(s.xy, s.xx, s.yy)
			squared = cosine.Mul(cosine)
		}
		weight := interval.Rat(new(big.Rat).Quo(s.weight, total))
		mean = mean.Add(weight.Mul(p.c).Mul(q.c).Mul(cosine))
		// The mean of the squared cosine is tr((bI + (a − b)nnᵀ)(b'I + (a' − b')mmᵀ)) with b = (1 − a)/(k − 1).
		if d.k == 1 {
			square = square.Add(weight)
			continue
		}
		rest := interval.Int(int64(d.k - 1))
		b, c := interval.Int(1).Sub(p.a).Quo(rest), interval.Int(1).Sub(q.a).Quo(rest)
		along, across := p.a.Sub(b), q.a.Sub(c)
		trace := b.Mul(c).Mul(interval.Int(int64(d.k))).Add(b.Mul(across)).Add(c.Mul(along)).Add(along.Mul(across).Mul(squared))
		square = square.Add(weight.Mul(trace))
	}
	return d.moments(mean, square, fmt.Sprintf("%d values of the images' products, Poisson series, 256-bit outward rounding", len(states))), nil
}

// plain returns the same moments as over, without noise. The mean square is then rational.
func (d *cosinePair) plain(states []state, total *big.Rat) *CosineMoments {
	mean, square := interval.Int(0), new(big.Rat)
	rational, alike := new(big.Rat), true
	for _, s := range states {
		if s.xy.Sign() == 0 {
			continue
		}
		q := new(big.Rat).Mul(s.xy, s.xy)
		q.Quo(q, s.xx).Quo(q, s.yy)
		weight := new(big.Rat).Quo(s.weight, total)
		if root, ok := rationalRoot(q); ok && alike {
			if s.xy.Sign() < 0 {
				root.Neg(root)
			}
			rational.Add(rational, root.Mul(root, weight))
		} else {
			alike = false
		}
		mean = mean.Add(signedRoot(s.xy, s.xx, s.yy).Mul(interval.Rat(weight)))
		square.Add(square, q.Mul(q, weight))
	}
	method := fmt.Sprintf("%d values of the images' products, 256-bit outward rounding", len(states))
	out := d.moments(mean, interval.Rat(square), method)
	if alike {
		cases := uint64(len(states))
		out.Mean = evidence.Exact{Value: rational, Cases: cases, Provenance: evidence.From(cosineSource)}
		out.Variance = evidence.Exact{Value: new(big.Rat).Sub(square, new(big.Rat).Mul(rational, rational)), Cases: cases, Provenance: evidence.From(cosineSource)}
		rho := new(big.Rat).Mul(d.uv, d.uv)
		if rho, ok := rationalRoot(rho.Quo(rho, d.uu).Quo(rho, d.vv)); ok {
			if d.uv.Sign() < 0 {
				rho.Neg(rho)
			}
			gap := new(big.Rat).Mul(rho, new(big.Rat).Sub(rho, new(big.Rat).Add(rational, rational)))
			out.Error = evidence.Exact{Value: gap.Add(gap, square), Cases: cases, Provenance: evidence.From(cosineSource)}
		}
	}
	return out
}

// rationalRoot returns √q ≥ 0 if that is rational.
func rationalRoot(q *big.Rat) (*big.Rat, bool) {
	num, den := new(big.Int).Sqrt(q.Num()), new(big.Int).Sqrt(q.Denom())
	root := new(big.Rat).SetFrac(num, den)
	return root, new(big.Rat).Mul(root, root).Cmp(q) == 0
}

// units returns the vectors as integer multiples of one unit. It returns an error wrapping evidence.ErrParameter if
// sums would overflow.
func (d *cosinePair) units() (u, v []int64, unit *big.Rat, err error) {
	common := big.NewInt(1)
	for _, q := range slices.Concat(d.u, d.v) {
		common = query.CommonDenominator(common, q)
	}
	whole := func(q *big.Rat) int64 { return query.Scaled(q, common).Int64() }
	if common.BitLen() > 20 || d.w.p > 1<<10 || d.k > 1<<10 {
		return nil, nil, nil, errCosineWork
	}
	return lists.Each(d.u, whole), lists.Each(d.v, whole), new(big.Rat).SetFrac(big.NewInt(1), common), nil
}

// entries returns the values of an entry of W and their weights; scale multiplies their squares.
func (d *cosinePair) entries() (values []int64, weights []*big.Int, scale *big.Rat) {
	if d.w.kind == Rademacher || d.w.kind == OPORP {
		return []int64{-1, 1}, []*big.Int{big.NewInt(1), big.NewInt(1)}, one()
	}
	s := exactDecimal(d.w.s) // ±1 with weight den, 0 with 2(num − den)
	zero := new(big.Int).Sub(s.Num(), s.Denom())
	return []int64{-1, 0, 1}, []*big.Int{s.Denom(), zero.Lsh(zero, 1), s.Denom()}, s
}

// sums returns the law of (Σ w_i u_i, Σ w_i v_i) as triples, which do not distinguish w from −w.
func (d *cosinePair) sums(u, v []int64) (map[triple]*big.Int, error) {
	values, weights, _ := d.entries()
	law := map[[2]int64]*big.Int{{0, 0}: big.NewInt(1)}
	for i := range u {
		if err := d.spend(len(law) * len(values)); err != nil {
			return nil, err
		}
		next := make(map[[2]int64]*big.Int)
		for at, weight := range law {
			for n, value := range values {
				if weights[n].Sign() == 0 {
					continue
				}
				add(next, [2]int64{at[0] + value*u[i], at[1] + value*v[i]}, weight, weights[n])
			}
		}
		law = next
	}
	out := make(map[triple]*big.Int)
	for at, weight := range law {
		add(out, triple{at[0] * at[1], at[0] * at[0], at[1] * at[1]}, weight, big.NewInt(1))
	}
	return out, nil
}

// add adds a·b to the weight of key in law.
func add[K comparable](law map[K]*big.Int, key K, a, b *big.Int) {
	product := new(big.Int).Mul(a, b)
	if old, ok := law[key]; ok {
		product.Add(product, old)
	}
	law[key] = product
}

// convolve returns the law of the sum of two independent triples.
func (d *cosinePair) convolve(ctx context.Context, a, b map[triple]*big.Int) (map[triple]*big.Int, error) {
	if err := d.spend(len(a) * len(b)); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out := make(map[triple]*big.Int)
	for s, x := range a {
		for t, y := range b {
			add(out, triple{s.xy + t.xy, s.xx + t.xx, s.yy + t.yy}, x, y)
		}
	}
	return out, nil
}

// columns returns the law of the sums over k independent columns.
func (d *cosinePair) columns(ctx context.Context) ([]state, *big.Rat, error) {
	u, v, unit, err := d.units()
	if err != nil {
		return nil, nil, err
	}
	column, err := d.sums(u, v)
	if err != nil {
		return nil, nil, err
	}
	law := map[triple]*big.Int{{}: big.NewInt(1)}
	for range d.k {
		if law, err = d.convolve(ctx, law, column); err != nil {
			return nil, nil, err
		}
	}
	_, _, scale := d.entries()
	scale = new(big.Rat).Quo(scale, big.NewRat(int64(d.k), 1))
	states, total := listed(law, scale.Mul(scale, unit).Mul(scale, unit))
	return states, total, nil
}

// dealt returns the law for OPORP. It enumerates all signs, and all ways to distribute the padded coordinates to bins
// of equal size, which are interchangeable.
func (d *cosinePair) dealt(ctx context.Context) ([]state, *big.Rat, error) {
	u, v, unit, err := d.units()
	if err != nil {
		return nil, nil, err
	}
	p := d.w.Padded()
	if p > 24 {
		return nil, nil, errCosineWork
	}
	for len(u) < p {
		u, v = append(u, 0), append(v, 0)
	}
	size, full := p/d.k, 1<<p-1
	laws := map[int]map[triple]*big.Int{0: {{}: big.NewInt(1)}}
	for range d.k {
		next := make(map[int]map[triple]*big.Int)
		for mask, law := range laws {
			first := 0 // put the lowest remaining coordinate into the next bin
			for mask>>first&1 == 1 {
				first++
			}
			for bin := range subsets(full&^mask&^(1<<first), size-1) {
				bin |= 1 << first
				var a, b []int64
				for i := range p {
					if bin>>i&1 == 1 {
						a, b = append(a, u[i]), append(b, v[i])
					}
				}
				column, err := d.sums(a, b)
				if err != nil {
					return nil, nil, err
				}
				sum, err := d.convolve(ctx, law, column)
				if err != nil {
					return nil, nil, err
				}
				into, ok := next[mask|bin]
				if !ok {
					into = make(map[triple]*big.Int)
					next[mask|bin] = into
				}
				for t, weight := range sum {
					add(into, t, weight, big.NewInt(1))
				}
			}
		}
		laws = next
	}
	states, total := listed(laws[full], new(big.Rat).Mul(unit, unit))
	return states, total, nil
}

// subsets yields the subsets of a given size of a set of bits.
func subsets(set, size int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		var each func(rest, taken, left int) bool
		each = func(rest, taken, left int) bool {
			if left == 0 {
				return yield(taken)
			}
			for bit := 1; bit <= rest; bit <<= 1 {
				if rest&bit != 0 {
					rest &^= bit
					if !each(rest, taken|bit, left-1) {
						return false
					}
				}
			}
			return true
		}
		each(set, 0, size)
	}
}

// listed returns the states of a law in a fixed order, in squared data units, and the sum of their weights.
func listed(law map[triple]*big.Int, square *big.Rat) ([]state, *big.Rat) {
	keys := slices.SortedFunc(maps.Keys(law), func(a, b triple) int { return slices.Compare([]int64{a.xx, a.yy, a.xy}, []int64{b.xx, b.yy, b.xy}) })
	scaled := func(n int64) *big.Rat {
		q := new(big.Rat).SetInt64(n)
		return q.Mul(q, square)
	}
	out, total := make([]state, len(keys)), new(big.Rat)
	for i, t := range keys {
		weight := new(big.Rat).SetInt(law[t])
		out[i] = state{weight, scaled(t.xy), scaled(t.xx), scaled(t.yy)}
		total.Add(total, weight)
	}
	return out, total
}
