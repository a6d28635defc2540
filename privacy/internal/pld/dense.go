package pld

import (
	"context"
	"math"

	"dpworkbench/internal/elementary"
)

// dense is a law of losses on the points start + j·step, each with an error of at most off. Its masses are at least
// those of the law that it bounds if pessimistic is true, and at most those masses otherwise. Convolutions are direct
// sums of positive products, whose relative errors do not depend on the size of a mass. So one list serves all tilts.
type dense struct {
	pessimistic      bool
	step, start, off float64
	mass             []float64
	infinity         float64
}

// Limits of dense laws: points of one use, points of a sum, and the largest mass that is cut off at the end of a tail.
const (
	densePoints   = 1 << 13
	mostPoints    = 1 << 14
	negligible    = 1e-280
	negligibleLog = 932 // bits
)

// Lists returns the losses of all uses together as two lists, an upper and a lower bound.
func (a *Account) Lists(ctx context.Context) (above, below *List, err error) {
	var all [2]*dense
	unit := 0.0 // the widest step of parts with jumps
	for _, p := range a.Parts {
		if step, _, jumps := gridOf(p.Upper, 0); jumps {
			unit = max(unit, step)
		}
	}
	for _, p := range a.Parts {
		step, offset, _ := gridOf(p.Upper, unit)
		for side, of := range [2]Source{p.Upper, p.Lower} {
			d, err := put(ctx, of, step, offset, side == 0)
			if err == nil {
				d, err = d.times(ctx, p.Times)
			}
			if err == nil && all[side] != nil {
				d, err = d.plus(ctx, all[side])
			}
			if err != nil {
				return nil, nil, err
			}
			all[side] = d
		}
	}
	return all[0].list(), all[1].list(), nil
}

// gridOf returns the step and offset of a grid for one use, and whether the law has jumps, which then lie on grid
// points. The step is the spacing of jumps, or else the given unit, divided by a power of 2, so jumps also lie on the
// points of coarser grids.
func gridOf(of Source, unit float64) (step, offset float64, jumps bool) {
	lo, hi := of.Range(0, negligibleLog)
	step = max((hi-lo)/densePoints, 1e-12*max(math.Abs(lo), math.Abs(hi)), 1e-100)
	spacing, at, _ := of.Jumps()
	if jumps = spacing > step; jumps {
		unit = spacing
	}
	if unit > 0 {
		step = math.Ldexp(unit, int(math.Floor(math.Log2(step/unit))))
	}
	return step, at - math.Floor(at/step)*step, jumps
}

// put bounds a pair on a grid.
func put(ctx context.Context, of Source, step, offset float64, pessimistic bool) (*dense, error) {
	on := of.Optimistic
	if pessimistic {
		on = of.Pessimistic
	}
	law, err := on(ctx, step, offset, 0, negligibleLog)
	if err != nil {
		return nil, err
	}
	d := &dense{pessimistic: pessimistic, step: law.Step, start: law.at(0), mass: make([]float64, len(law.Log)), infinity: law.Infinity}
	d.off = 8 * u * (math.Abs(law.Offset) + (math.Abs(float64(law.First))+float64(len(law.Log)))*law.Step)
	for j, log := range law.Log {
		if log > math.Inf(-1) {
			d.mass[j] = d.rounded(elementary.Exp(max(log, -800)), 4*u) // off by 2u
		}
	}
	if pessimistic && law.Tail > math.Inf(-1) { // this moment of order 0 is the mass of losses not listed
		d.infinity += elementary.Exp(max(law.Tail, -800)) * (1 + 1e-9)
	}
	d.trim()
	return d, nil
}

// rounded returns v, which has a relative error of err and may underflow, rounded to the law's side.
func (d *dense) rounded(v, err float64) float64 {
	if d.pessimistic {
		return v*(1+err) + 0x1p-1000
	}
	return max(v*(1-err)-0x1p-1000, 0)
}

// trim cuts off both tails. In a pessimistic law, large losses become infinite and small losses are raised.
func (d *dense) trim() {
	lo, hi, low, high := 0, len(d.mass), 0.0, 0.0
	for hi-lo > 1 && d.mass[hi-1] <= negligible {
		hi--
		high += d.mass[hi]
	}
	for hi-lo > 1 && d.mass[lo] <= negligible {
		low += d.mass[lo]
		lo++
	}
	d.mass, d.start = d.mass[lo:hi], d.start+float64(float64(lo)*d.step)
	d.off += 2 * u * (math.Abs(d.start) + float64(lo)*d.step)
	if d.pessimistic {
		d.mass[0] += low * (1 + 1e-9)
		d.infinity += high * (1 + 1e-9)
	}
	d.infinity = min(d.infinity, 1)
}

// list returns the law as a List.
func (d *dense) list() *List {
	out := &List{Infinity: d.infinity, LossError: d.off + 4*u*(math.Abs(d.start)+float64(len(d.mass))*d.step)}
	deepest := 0.0
	for j, m := range d.mass {
		if m > 0 {
			log := elementary.Log(m)
			out.Loss, out.Log = append(out.Loss, d.start+float64(float64(j)*d.step)), append(out.Log, log)
			deepest = max(deepest, math.Abs(log))
		}
	}
	out.LogError = 8 * u * (1 + deepest)
	return out
}

// coarser returns a bound of the law on a coarser grid, whose points include the largest loss.
func (d *dense) coarser(ctx context.Context, step float64) (*dense, error) {
	top := d.start + float64(len(d.mass)-1)*d.step
	return put(ctx, d.list(), step, top-math.Floor(top/step)*step, d.pessimistic)
}

// plus returns the law of the sum of two independent losses.
func (d *dense) plus(ctx context.Context, o *dense) (*dense, error) {
	var err error
	if d.step < o.step {
		d, o = o, d
	}
	if o.step < d.step {
		if o, err = o.coarser(ctx, d.step); err != nil {
			return nil, err
		}
	}
	out := &dense{pessimistic: d.pessimistic, step: d.step, start: d.start + o.start, mass: make([]float64, len(d.mass)+len(o.mass)-1)}
	out.off = d.off + o.off + 2*u*math.Abs(out.start)
	for i, x := range d.mass {
		if i&63 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		to := out.mass[i : i+len(o.mass)]
		for j, y := range o.mass {
			to[j] += float64(x * y)
		}
	}
	err2 := float64(min(len(d.mass), len(o.mass))+4) * u // relative error of the products and their sum
	for j, m := range out.mass {
		out.mass[j] = out.rounded(m, err2)
	}
	out.infinity = d.infinity + float64(o.infinity*(1-d.infinity))
	if out.infinity > 0 {
		out.infinity = min(out.rounded(out.infinity, 4*u), 1)
	}
	out.trim()
	if len(out.mass) > mostPoints {
		return out.coarser(ctx, 2*out.step)
	}
	return out, nil
}

// times returns the law of the sum of n independent losses.
func (d *dense) times(ctx context.Context, n int) (out *dense, err error) {
	for power := d; ; n /= 2 {
		if n&1 == 1 {
			if out == nil {
				out = power
			} else if out, err = out.plus(ctx, power); err != nil {
				return nil, err
			}
		}
		if n <= 1 {
			return out, nil
		}
		if power, err = power.plus(ctx, power); err != nil {
			return nil, err
		}
	}
}
