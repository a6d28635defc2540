package matrices

import (
	"context"
	"errors"
	"fmt"
	"math"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// ErrUnreached is wrapped by the error if no parameter in range reaches the requested privacy.
var ErrUnreached = errors.New("the requested privacy cannot be certified")

// ExactJL returns the transform with about the least width at which the certified upper end of δ(ε) is at most δ. For
// the form Raised the width is within 0.1 % of the least, for Threshold within the width of the enclosure. Errors wrap
// evidence.ErrParameter or ErrUnreached, or are the context's.
func ExactJL(ctx context.Context, form Form, rows int, move float64, eps evidence.Epsilon, delta evidence.Delta) (JL, error) {
	if err := checkJL(form, rows, move); err != nil {
		return JL{}, err
	}
	if err := checkPrivacy(eps, delta); err != nil {
		return JL{}, err
	}
	most, above := delta.Bounds() // a float64 at most δ is at most the lower end
	if above < leastDelta {
		return JL{}, fmt.Errorf("%w: delta = %v, want at least %g, the resolution of the discretisation", ErrUnreached, delta, leastDelta)
	}
	law := newChiSquare(rows)
	// rough is a fast approximation of the upper end, nearly parallel to it.
	rough := func(w float64) (float64, error) {
		t := interval.Float(move).Quo(interval.Float(w))
		if form == Threshold {
			return law.scaled(eps.Enclosure(), interval.Int(1).Add(t).Pow(2)).Mid(), nil
		}
		out, err := raised(ctx, law, eps, t, near(1e-2))
		if err != nil {
			return 0, err
		}
		return out.Mid(), nil
	}
	exact := func(w float64) (float64, error) {
		d, err := JL{Form: form, Rows: rows, Width: w, Move: move}.Privacy().Delta(ctx, eps)
		if err != nil {
			return 0, err
		}
		_, hi := d.Bounds()
		return hi, nil
	}
	w, err := leastParameter(ctx, most, move, rough, exact)
	if err != nil {
		return JL{}, err
	}
	return NewJL(form, rows, w, move)
}

// leastDelta is the least δ that parameters are searched for.
const leastDelta = 1e-25

// leastParameter returns about the least w at which the decreasing function exact(w) is at most delta. It searches with
// rough, which is nearly proportional to exact.
func leastParameter(ctx context.Context, delta, start float64, rough, exact func(w float64) (float64, error)) (float64, error) {
	aim := delta
	w := start
	for range 8 {
		var err error
		if w, err = solve(ctx, aim, w, rough); err != nil {
			return 0, err
		}
		hi, err := exact(w)
		if err != nil {
			return 0, err
		}
		if hi <= delta && hi >= 0.98*delta {
			return w, nil
		}
		aim *= 0.995 * delta / hi
	}
	for range 64 {
		hi, err := exact(w)
		if err != nil || hi <= delta {
			return w, err
		}
		w *= 1.01
	}
	return 0, fmt.Errorf("%w: delta = %g", ErrUnreached, delta)
}

// solve returns w such that the decreasing f(w) is at most delta and within a relative 1e-4 of it.
func solve(ctx context.Context, delta, start float64, f func(w float64) (float64, error)) (float64, error) {
	value, err := f(start)
	if err != nil {
		return 0, err
	}
	lo, hi := start, start
	step := 2.0
	if value <= delta {
		step = 0.5
	}
	for rising := value > delta; (value > delta) == rising; step *= step {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		next := hi * step
		if !rising {
			next = lo * step
		}
		if !(next > 1e-100 && next < 1e100) {
			return 0, fmt.Errorf("%w: delta = %g", ErrUnreached, delta)
		}
		if value, err = f(next); err != nil {
			return 0, err
		}
		if rising {
			lo, hi = hi, next
		} else {
			lo, hi = next, lo
		}
	}
	for hi > lo*(1+1e-5) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		w := math.Sqrt(lo) * math.Sqrt(hi)
		v, err := f(w)
		if err != nil {
			return 0, err
		}
		if v <= delta {
			if hi = w; v >= delta*(1-1e-4) {
				break
			}
		} else {
			lo = w
		}
	}
	return hi, nil
}
