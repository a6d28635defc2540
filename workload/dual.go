package workload

import (
	"context"
	"fmt"
	"math"
	"slices"

	"dpworkbench/internal/parallel"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// The least error is the largest f = ‖D_p^½ W D_q^½‖_* over probability vectors p and q; for Mean p = 1/m. f is
// concave, and homogeneous of degree ½ in p and in q. So the search maximises over positive vectors
//
//	ln f(p, q) − ½Σp − ½Σq + μ(Σ ln p + Σ ln q),   μ → 0,
//
// by Newton steps of the primal-dual interior-point method. Their number hardly depends on the order.

// local is the dual at a point x: the value f and, in units of x, its slope x_i ∂f/∂x_i and its curvature
// −x_i x_j ∂²f/∂x_i∂x_j.
type local struct {
	f         float64
	slope     []float64
	curvature *mat.SymDense
	bend      func(ctx context.Context) (*mat.SymDense, error) // returns the curvature, or is nil
	rooted                                                     // of epochs
}

// dual is the function to be maximised over x. For Mean x is q; for Max it is p followed by q. For a mirrored workload,
// whose optimal p is q in reverse, it is q alone.
type dual struct {
	rows, columns int
	objective     Objective
	mirrored      bool
	at            func(ctx context.Context, p, q []float64) (local, error)
	decompose     func(p, q []float64) (spectrum, error) // decomposes M; set by denseDual
	epochs        *epochs                                // the variables in place of q for several participations, or nil
	power         float64                                // exponent of the steps of settle; 0 if there are none
}

func (d *dual) size() int {
	if d.objective == Max && !d.mirrored {
		return d.rows + d.columns
	}
	return d.columns
}

// barred returns the number of leading variables that have a logarithmic barrier each. The remaining variables have one
// barrier for each block.
func (d *dual) barred() int {
	if d.shared() {
		return d.size() - d.columns
	}
	return d.size()
}

func (d *dual) shared() bool { return d.epochs != nil && d.epochs.sharing }

// conjugate reports whether Newton steps are computed by conjugate gradients.
func (d *dual) conjugate() bool { return d.epochs != nil && d.epochs.conjugate }

// joint returns the variables that f depends on. Variables that belong to the same pair of steps in several patterns
// are summed.
func (d *dual) joint(x []float64) []float64 {
	if !d.shared() {
		return x
	}
	at := d.barred()
	return append(slices.Clone(x[:at]), d.epochs.joint(x[at:])...)
}

// cost returns the weight of x_i in the sums ½Σp and ½Σq that are subtracted from ln f.
func (d *dual) cost(i int) float64 {
	if d.epochs != nil && i >= d.size()-d.columns+len(d.epochs.patterns) {
		return 0
	}
	return .5
}

// split returns p and q.
func (d *dual) split(x []float64) (p, q []float64) {
	switch {
	case d.objective == Mean:
		p = make([]float64, d.rows)
		for i := range p {
			p[i] = 1 / float64(d.rows)
		}
		return p, x
	case d.mirrored:
		return reversed(x), x
	}
	return x[:d.rows], x[d.rows:]
}

func reversed(x []float64) []float64 {
	r := make([]float64, len(x))
	for i, v := range x {
		r[len(x)-1-i] = v
	}
	return r
}

// ends estimates bounds of the least error. The lower one is f for normalised p and q. The upper one is the error of
// the factorisation with squared row norms 2∂f/∂p and column norms 2∂f/∂q.
func (d *dual) ends(x []float64, l local) (lo, hi float64) {
	p, q := d.split(x)
	if d.epochs != nil {
		return d.epochs.ends(d, x, l)
	}
	largest := func(x, slope []float64) (m float64) {
		for i, v := range x {
			m = max(m, 2*slope[i]/v)
		}
		return m
	}
	if d.objective == Mean {
		return l.f / math.Sqrt(sum(q)), math.Sqrt(l.f * largest(q, l.slope))
	}
	lo = l.f / math.Sqrt(sum(p)*sum(q))
	if d.mirrored {
		return lo, largest(q, l.slope)
	}
	return lo, math.Sqrt(largest(p, l.slope[:d.rows]) * largest(q, l.slope[d.rows:]))
}

func sum(x []float64) (s float64) {
	for _, v := range x {
		s += v
	}
	return s
}

const (
	mostSteps = 100
	// The search stops if this many steps have not reduced the gap by a tenth, because it is then at rounding level.
	// Fewer steps suffice if the barrier accounts for little of the gap. A step by conjugate gradients takes seconds
	// near the end.
	mostIdle, mostIdleAtEnd, mostIdleConjugate = 25, 3, 6
)

// settle takes steps q_i ← q_i·(∂f/∂q_i)^power, normalised, as long as each step at least halves the gap. The steps
// need no curvature. Along q alone the slope decreases about as q^(1/power − 1), so near the maximum in q a step with
// that power almost reaches it. settle returns the last x at which f was computed.
func (d *dual) settle(ctx context.Context, x []float64, gap float64) ([]float64, error) {
	last := math.Inf(1)
	for step := int64(0); ; step++ {
		p, q := d.split(x)
		l, err := d.at(ctx, p, q)
		if err != nil {
			return nil, err
		}
		lo, hi := d.ends(x, l)
		parallel.Report(ctx, step, 0, fmt.Sprintf("least error between %.9g and %.9g", lo, hi))
		g := hi/lo - 1
		if !(g > gap && g < last/2) {
			return x, ctx.Err()
		}
		last = g
		next := make([]float64, len(x))
		for i, v := range x {
			next[i] = v * math.Pow(l.slope[i]/v/l.f, d.power)
		}
		scale(next, 1/sum(next))
		x = next
	}
}

// maximise maximises the dual from x on. It returns a point with a relative gap of at most gap, or the best point
// found.
func (d *dual) maximise(ctx context.Context, x []float64, gap float64) ([]float64, error) {
	n := d.size()
	if d.power > 0 {
		settled, err := d.settle(ctx, x, gap)
		if err != nil {
			return nil, err
		}
		x = settled
	}
	x = append([]float64(nil), x...)
	z := make([]float64, n)
	best, bestGap, idle := x, math.Inf(1), 0
	barred, order := d.barred(), float64(d.barred()) // order is the number of terms of the complementarity
	if d.shared() {
		order += float64(d.epochs.order())
	}
	target := .01 / order
	for step := range mostSteps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p, y := d.split(x)
		if d.epochs != nil {
			d.epochs.barrier = target
		}
		l, err := d.at(ctx, p, y)
		if err != nil {
			return nil, err
		}
		lo, hi := d.ends(x, l)
		parallel.Report(ctx, int64(step), 0, fmt.Sprintf("least error between %.9g and %.9g", lo, hi))
		idle++
		g := hi/lo - 1
		if g < bestGap {
			if g < .9*bestGap {
				idle = 0
			}
			best, bestGap = append([]float64(nil), x...), g
		}
		atEnd := step > 0 && 20*order*target < gap
		stuck := idle >= mostIdle || d.conjugate() && step > 15 && idle >= mostIdleConjugate
		if bestGap <= gap || stuck || atEnd && idle >= mostIdleAtEnd || !(lo > 0 && hi < math.Inf(1)) {
			break
		}
		// r is the scaled gradient without the barrier.
		u := d.joint(x)
		r := make([]float64, len(u))
		for i := range r {
			r[i] = l.slope[i]/l.f - d.cost(i)*u[i]
		}
		if step == 0 {
			target = min(.05, math.Max(bestGap, gap)/5) / order
			for i := range barred {
				z[i] = max(target, -r[i]) / x[i]
			}
		}
		if d.shared() {
			if err := d.epochs.invert(y, target); err != nil {
				break
			}
		}
		if step > 0 {
			var mu, off float64
			rest := slices.Clone(r[:barred])
			for i := range rest {
				mu += x[i] * z[i] / order
				rest[i] += x[i] * z[i]
			}
			if d.shared() {
				mu += d.epochs.complementarity(y) / order
				rest = append(rest, d.epochs.residual(y, r[barred:])...)
			}
			for _, v := range rest {
				off = max(off, math.Abs(v))
			}
			// Long steps stay near the central path only if they start near it.
			switch target = mu; {
			case d.conjugate():
				// On the central path the gap is about order·mu, whatever the residual of the gradient.
				if off <= mu {
					target = mu / 10
				} else if g <= 2*order*mu {
					target = mu / 3
				}
			case off <= mu/10:
				target = mu / 10
			case off <= mu:
				target = mu / 2
			}
		}
		if l.bend != nil {
			if l.curvature, err = l.bend(ctx); err != nil {
				return nil, err
			}
		}
		if err := d.step(ctx, x, z, r, l, target); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			break // at rounding level: return the best so far
		}
	}
	return best, nil
}

// newton returns the change of x by a Newton step towards x_i z_i = target, in units of x_i.
func (d *dual) newton(x, z, r []float64, l local, target float64) ([]float64, error) {
	barred := d.barred()
	double := 1.0
	if d.mirrored {
		double = 2
	}
	a := l.curvature
	a.ScaleSym(1/l.f, a)
	a.SymRankOne(a, double/(l.f*l.f), mat.NewVecDense(len(r), l.slope))
	right := mat.NewVecDense(len(r), nil)
	for i := range r {
		right.SetVec(i, r[i])
		if i < barred {
			a.SetSym(i, i, a.At(i, i)+x[i]*z[i])
			right.SetVec(i, r[i]+target)
		}
	}
	if d.shared() {
		if err := d.epochs.reduce(a, right, barred, x[barred:], target); err != nil {
			return nil, err
		}
	}
	var c mat.Cholesky
	if !c.Factorize(a) {
		return nil, errSingular
	}
	if err := c.SolveVecTo(right, right); err != nil {
		if _, ok := err.(mat.Condition); !ok {
			return nil, err
		}
	}
	move := right.RawVector().Data
	if !d.shared() {
		return move, nil
	}
	move = append(move[:barred:barred], d.epochs.expand(move[barred:], x[barred:])...)
	moved := make([]float64, len(x)-barred)
	floats.MulTo(moved, x[barred:], move[barred:])
	d.epochs.turn(moved, target)
	return move, nil
}

// step moves x and z towards x_i z_i = target.
func (d *dual) step(ctx context.Context, x, z, r []float64, l local, target float64) error {
	n, barred := len(x), d.barred()
	relative, shrink := n, .5 // the first relative numbers of the move are in units of x_i
	var move []float64
	var err error
	if d.conjugate() {
		relative, shrink = barred, .8
		move, err = d.conjugateMove(ctx, x, z, r, l, target)
	} else {
		move, err = d.newton(x, z, r, l, target)
	}
	if err != nil {
		return err
	}
	along, alongZ := 1.0, 1.0
	dz := make([]float64, n)
	for i, m := range move[:relative] {
		if math.IsNaN(m) {
			return errSingular
		}
		if m < 0 {
			along = min(along, -.9/m)
		} else if m > 3 {
			along = min(along, 3/m)
		}
		if i >= barred {
			continue
		}
		if dz[i] = target/x[i] - z[i] - z[i]*m; dz[i] < 0 {
			alongZ = min(alongZ, -.95*z[i]/dz[i])
		}
	}
	moved := make([]float64, n)
	at := func(along float64) {
		for i := range relative {
			moved[i] = x[i] * (1 + along*move[i])
		}
		floats.AddScaledTo(moved[relative:], x[relative:], along, move[relative:])
	}
	for at(along); d.epochs != nil && !d.epochs.allowed(moved[n-d.columns:]); at(along) {
		if along *= shrink; along < 1e-6 {
			return errSingular
		}
	}
	if d.conjugate() && along < 1 {
		at(.95 * along)
	}
	if d.shared() {
		d.epochs.follow()
	}
	copy(x, moved)
	for i := range z {
		z[i] += alongZ * dz[i]
	}
	return nil
}
