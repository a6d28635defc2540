package records

import (
	"context"
	"math"
	"math/big"
	"strconv"

	"dpworkbench/evidence"
	"dpworkbench/internal/parallel"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
)

// orderLayers holds the layers of an order statistic of numbers without a grid: layer t reaches from the record of rank
// m − t to the record of rank m + t. The general code takes some twenty rational operations per layer. Here each
// decimal becomes an interval directly, so that a million records take less time than sorting them.
type orderLayers struct {
	r *Records
	m int
}

// ready reports whether to compute the law by orderLaw rather than in rational arithmetic, which can be exact.
func (p *orderLayers) ready(decay evidence.Epsilon) bool {
	_, rational := decay.RationalDecay()
	n := p.r.Len()
	return n > 64 && (!rational || max(n-p.m+1, p.m) > exactLayers)
}

// powersOfTen caches enclosures of 10^k.
type powersOfTen map[int]interval.Interval

func (t powersOfTen) of(k int) interval.Interval {
	v, ok := t[k]
	if !ok {
		v = interval.Int(10).Pow(max(k, -k))
		if k < 0 {
			v = interval.Int(1).Quo(v)
		}
		t[k] = v
	}
	return v
}

// enclose encloses the shortest decimal of v. text is a buffer, which it returns for reuse.
func (t powersOfTen) enclose(v float64, text []byte) (interval.Interval, []byte) {
	if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
		return interval.Int(int64(v)), text
	}
	text = strconv.AppendFloat(text[:0], v, 'e', -1, 64)
	digits, exponent, at, minus, point := int64(0), 0, 0, false, false
	for ; at < len(text) && text[at] != 'e'; at++ {
		switch c := text[at]; c {
		case '-':
			minus = true
		case '.':
			point = true
		default:
			digits = 10*digits + int64(c-'0')
			if point {
				exponent--
			}
		}
	}
	power, _ := strconv.Atoi(string(text[at+1:])) // of at most three digits
	if minus {
		digits = -digits
	}
	return interval.Int(digits).Mul(t.of(exponent + power)), text
}

// orderLaw computes the law from the layers p, as the method compute does for other layers.
func (m *Layered) orderLaw(ctx context.Context, p *orderLayers) (*layerLaw, error) {
	r, n := p.r, p.r.Len()
	l := &layerLaw{step: new(big.Rat), mass: interval.Int(0), moment: interval.Int(0), rest: interval.Int(0)}
	l.sides[0].full, l.sides[1].full = r.between(p.m, n+1), r.between(0, p.m)
	tens, text := make(powersOfTen), make([]byte, 0, 32)
	lo, hi := interval.Rat(r.opts.Lo), interval.Rat(r.opts.Hi)
	record := func(k int) (v interval.Interval) {
		f := r.raw(k)
		switch { // rounding to float64 is monotone
		case f < r.lo:
			return lo
		case f > r.hi:
			return hi
		case f == r.lo || f == r.hi: // the record may lie on either side of the end
			return interval.Rat(r.at(k))
		}
		v, text = tens.enclose(f, text)
		return v
	}
	middle, two := record(p.m), interval.Int(2)
	z, power := m.decay.Decay(), interval.Int(1)
	before := [2]interval.Interval{interval.Int(0), interval.Int(0)}
	last := [2]float64{r.raw(p.m), r.raw(p.m)}
	running := before
	for t := 1; ; t++ { // layer 0 is a point
		if t%256 == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if t%4096 == 0 {
				parallel.Report(ctx, int64(t), 0, "layers")
			}
		}
		at := [2]int{p.m + t, p.m - t}
		full := at[0] > n && at[1] < 1
		now := [2]float64{r.raw(at[0]), r.raw(at[1])}
		if len(l.weight) == 0 && now == last && !full {
			continue
		}
		if len(l.weight) == 0 {
			l.first = t
		} else {
			power = power.Mul(z)
		}
		l.weight = append(l.weight, power)
		for i := range at {
			s, own := &l.sides[i], 0.0
			if now[i] != last[i] {
				d := record(at[i]).Sub(middle)
				if i == 1 {
					d = d.Neg()
				}
				w := power.Mul(d.Sub(before[i]))
				own = w.Mid()
				running[i] = running[i].Add(w)
				l.moment = l.moment.Add(w.Mul(d.Add(before[i])))
				before[i], last[i] = d, now[i]
			}
			s.sum, s.own = append(s.sum, running[i]), append(s.own, own)
		}
		if full {
			break
		}
		if t%16 != 0 {
			continue
		}
		l.mass = running[0].Add(running[1])
		f := r.near(p.m)
		slack := 0x1p-48 * max(abs(r.lo), abs(r.hi))
		if rest, far, ok := m.tailBounds(l, power.Mul(z), [2]float64{r.near(at[0]) - f - slack, f - r.near(at[1]) - slack}); ok {
			l.rest = rest
			l.moment = l.moment.Add(far).Add(far)
			break
		}
	}
	l.mass = running[0].Add(running[1]).Add(l.rest)
	l.moment = l.moment.Quo(two)
	if l.mass.CmpHi(interval.Int(0)) <= 0 {
		return nil, parameter.Errorf("the range of %s has one value, so its length is 0", m.q.name)
	}
	for i := range l.sides {
		l.sides[i].far = func(k int) *big.Rat {
			up, down := m.q.within(m.moves, l.first+k, m.radius)
			if i == 0 {
				return up
			}
			return down
		}
	}
	return l, nil
}

// pieces returns the result of Pieces for these layers, whose ends are records.
func (p *orderLayers) pieces(l *layerLaw) []Piece {
	out := make([]Piece, 0, 2*len(l.weight))
	over := 1 / l.mass.Mid()
	add := func(k, side, near, far int) {
		lo, hi := p.r.near(min(near, far)), p.r.near(max(near, far))
		if lo < hi {
			out = append(out, Piece{lo, hi, l.first + k, l.sides[side].own[k] * over})
		}
	}
	from := func(k int) int { // ranks reached by the previous layer
		if k == 0 {
			return 0
		}
		return l.first + k - 1
	}
	for k := len(l.weight) - 1; k >= 0; k-- {
		add(k, 1, p.m-from(k), p.m-l.first-k)
	}
	for k := range l.weight {
		add(k, 0, p.m+from(k), p.m+l.first+k)
	}
	return out
}
