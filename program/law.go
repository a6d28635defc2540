package program

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"dpworkbench/internal/parallel"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
)

var zero = new(big.Rat)

// NumberShape is the shape of outputs that are one number.
const NumberShape = "#"

// Output is the result of a run: its shape, which identifies everything but its numbers, and the numbers, which may
// be draws.
type Output struct {
	Shape   string
	Numbers []SymbolicDraw
	Show    func(numbers []string) string // formats the output; nil prints the shape and the numbers
}

func (o Output) text(numbers []string) string {
	if o.Show != nil {
		return o.Show(numbers)
	}
	if len(numbers) == 0 {
		return o.Shape
	}
	return o.Shape + "(" + strings.Join(numbers, ", ") + ")"
}

// Run executes a program on dataset x.
type Run func(x int, n *Noise) Output

// cloud is the part of a law whose outputs have one shape.
type cloud struct {
	output Output
	known  []product      // outputs without draws; runs with the same output are merged
	places map[string]int // index in known of the output with given numbers
	drawn  []product      // outputs with draws
}

// product is the weight weight·Π at[i](n_i) of the output whose i-th number is n_i + steps[i], with integers n_i.
// Known numbers have no weights of their own.
type product struct {
	weight  fraction
	extra   fraction   // the true weight is in [weight, weight + extra]
	numbers []*big.Rat // nil if there are draws among them
	steps   []*big.Rat // in [0, 1)
	at      []piecewise
}

// law is the distribution of a program's output at one dataset, by shapes in the order of their first run.
type law struct {
	clouds []*cloud
	at     map[string]*cloud
	runs   int
}

// Path is an execution path: its decisions, its result, and its probability.
type Path struct {
	Asked       []string
	Output      string
	Probability fraction
}

// lawOf returns the law of the program at x. It replays the program through all of its tosses and comparisons.
func lawOf(ctx context.Context, r *rates, run Run, x int, limits Limits, each func(n *Noise, o Output, p, extra fraction)) (*law, error) {
	out := &law{at: make(map[string]*cloud)}
	n, sure := &Noise{rates: r}, r.field.one()
	for {
		if out.runs++; out.runs&0xff == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			parallel.Report(ctx, int64(x), 0, fmt.Sprintf("datasets, %d paths of the next", out.runs))
		}
		if out.runs > limits.Paths {
			return nil, limits.tooMany()
		}
		if n.at, n.state = 0, (state{prob: sure}); len(n.stack) > 0 {
			n.state.prob = n.stack[0].prefix
		}
		o := run(x, n)
		if errors.Is(n.err, errImpossible) {
			if n.err = nil; !n.next() {
				return out, nil
			}
			continue
		}
		if n.err != nil {
			return nil, n.err
		}
		if n.at < len(n.stack) {
			n.strays("nothing more", n.stack[n.at].String())
			return nil, n.err
		}
		p, extra, err := out.put(ctx, n, o)
		if err != nil {
			return nil, err
		}
		if each != nil {
			each(n, o, p, extra)
		}
		if !n.next() {
			return out, nil
		}
	}
}

// next moves the last decision that has outcomes left to its next outcome, and drops the decisions after it. It returns
// false at the end.
func (n *Noise) next() bool {
	for len(n.stack) > 0 {
		d := &n.stack[len(n.stack)-1]
		if d.taken+1 < len(d.ways) {
			d.taken++
			return true
		}
		n.stack = n.stack[:len(n.stack)-1]
	}
	return false
}

func unequal(a, b int) error {
	return parameter.Errorf("outputs of one shape have %d and %d numbers, want the same number", a, b)
}

// put adds a finished run to the law and returns its probability, which lies in [p, p + extra].
func (l *law) put(ctx context.Context, n *Noise, o Output) (p, extra fraction, err error) {
	r := n.rates
	c := l.at[o.Shape]
	if c == nil {
		c = &cloud{output: o, places: make(map[string]int)}
		l.at[o.Shape] = c
		l.clouds = append(l.clouds, c)
	}
	if len(c.output.Numbers) != len(o.Numbers) {
		return fraction{}, fraction{}, unequal(len(c.output.Numbers), len(o.Numbers))
	}
	var draws []int
	for _, u := range o.Numbers {
		switch {
		case u.add == nil:
			return fraction{}, fraction{}, parameter.Errorf("an output has a number that is neither a draw nor a rational")
		case len(u.of) == 0:
		case len(u.of) == 1 && (u.of[0].times == 1 || u.of[0].times == -1):
			if slices.Contains(draws, u.of[0].draw) {
				return fraction{}, fraction{}, parameter.Errorf("two numbers of an output depend on the draw X%d, want each number to depend on at most one draw, and no draw to occur twice", u.of[0].draw+1)
			}
			draws = append(draws, u.of[0].draw)
		default:
			return fraction{}, fraction{}, parameter.Errorf("an output has the number %v, want a draw or its negative, plus a constant", u)
		}
	}
	if len(draws) == 0 && len(n.state.spans) == 0 {
		c.meets(r, o, n.state.prob, fraction{})
		return n.state.prob, fraction{}, nil
	}
	var weights [][]fraction // weights of the cases, grouped by the law of the output's draws
	var kept []map[int]piecewise
	places := make(map[string]int)
	cases := 0
	sum := func(s state) error {
		if cases++; cases&0xff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		weight, laws, err := r.weigh(s, draws)
		if err != nil || weight.isZero() {
			return err
		}
		key := r.lawsKey(draws, laws)
		i, ok := places[key]
		if !ok {
			if i = len(kept); i == largestKept {
				return parameter.Errorf("the draws of an output have more than %d different laws in the cases of one path, want fewer", largestKept)
			}
			places[key] = i
			weights, kept = append(weights, nil), append(kept, laws)
		}
		weights[i] = append(weights[i], weight)
		return nil
	}
	if err := sum(n.state); errors.As(err, new(cyclicError)) {
		cut, ok := r.breakCycles(n.state, draws)
		if !ok {
			return fraction{}, fraction{}, err
		}
		if err := cut.each(r, n.state, sum); err != nil {
			return fraction{}, fraction{}, err
		}
		extra = r.field.mul(n.state.prob, cut.tail)
	} else if err != nil {
		return fraction{}, fraction{}, err
	}
	if len(draws) == 0 {
		if len(kept) > 0 {
			p = r.field.total(weights[0])
		}
		if !p.isZero() || !extra.isZero() {
			c.meets(r, o, p, extra)
		}
		return p, extra, nil
	}
	for i, laws := range kept {
		weight := r.field.total(weights[i])
		q := weight
		for _, d := range draws {
			q = r.field.mul(q, r.total(laws[d]))
		}
		p = r.field.add(p, q)
		if err := c.adds(r, o, weight, fraction{}, laws); err != nil {
			return fraction{}, fraction{}, err
		}
	}
	if !extra.isZero() { // omitted cases: bound the output's draws by their unconditional laws
		free := &treeSums{rates: r, state: n.state}
		laws := make(map[int]piecewise)
		for _, d := range draws {
			laws[d] = r.field.timesOf(free.law(d), r.normaliser(n.state.draws[d]))
		}
		if err := c.adds(r, o, fraction{}, extra, laws); err != nil {
			return fraction{}, fraction{}, err
		}
	}
	return p, extra, nil
}

// weigh sums out a path's draws, except for those that are kept. The error wraps a cyclicError if the comparisons are
// not a forest.
func (r *rates) weigh(s state, draws []int) (weight fraction, laws map[int]piecewise, err error) {
	weight = s.prob
	laws = make(map[int]piecewise, len(draws))
	if len(s.spans) == 0 && len(draws) == 0 {
		return weight, laws, nil
	}
	f, err := newTreeSums(r, s)
	if err != nil {
		return fraction{}, nil, err
	}
	parts, err := f.components(draws)
	if err != nil {
		return fraction{}, nil, err
	}
	for _, part := range parts {
		if part.kept >= 0 {
			w := f.weight(part.kept, nil)
			if r.total(w).isZero() {
				return fraction{}, nil, nil
			}
			laws[part.kept] = w
		} else if len(part.draws) > 1 || f.spans[part.draws[0]] != f.everywhere(part.draws[0]) {
			if total := f.total(f.centre(part)); weight.isOne() {
				weight = total
			} else {
				weight = r.field.reduced(r.field.mul(weight, total))
			}
		}
	}
	return weight, laws, nil
}

// lawsKey returns a map key for the laws of draws.
func (r *rates) lawsKey(draws []int, laws map[int]piecewise) string {
	var b strings.Builder
	for _, d := range draws {
		for _, p := range laws[d] {
			fmt.Fprint(&b, p.lo, " ", p.hi, " ")
			for _, t := range p.terms {
				fmt.Fprint(&b, t.d, t.e, t.c.num.key(), t.c.under, t.c.below, " ")
			}
		}
		b.WriteByte('|')
	}
	return b.String()
}

// adds adds a run with draws in its output to the cloud.
func (c *cloud) adds(r *rates, o Output, weight, extra fraction, laws map[int]piecewise) error {
	t := product{weight: weight, extra: extra, steps: make([]*big.Rat, len(o.Numbers)), at: make([]piecewise, len(o.Numbers))}
	for i, u := range o.Numbers {
		var err error
		if t.steps[i], t.at[i], err = r.placed(u, laws); err != nil {
			return err
		}
	}
	c.drawn = append(c.drawn, t)
	return nil
}

// meets adds the weight of a run without draws in its output.
func (c *cloud) meets(r *rates, o Output, weight, extra fraction) {
	numbers := make([]*big.Rat, len(o.Numbers))
	var key []byte
	for i, u := range o.Numbers {
		numbers[i] = u.add
		key = append(u.add.Num().Append(key, 62), '/')
		key = append(u.add.Denom().Append(key, 62), ' ')
	}
	if i, ok := c.places[string(key)]; ok {
		c.known[i].weight, c.known[i].extra = r.field.add(c.known[i].weight, weight), r.field.add(c.known[i].extra, extra)
		return
	}
	c.places[string(key)] = len(c.known)
	c.known = append(c.known, product{weight: weight, extra: extra, numbers: numbers})
}

// placed returns a number of an output as n + step, where n is an integer and 0 ≤ step < 1: step, and the weights of n.
func (r *rates) placed(u SymbolicDraw, laws map[int]piecewise) (step *big.Rat, at piecewise, err error) {
	down := interval.RationalFloor(u.add)
	step = new(big.Rat).Sub(u.add, new(big.Rat).SetInt(down))
	n, err := whole64(down)
	if err != nil {
		return nil, nil, fmt.Errorf("a number of an output: %w", err)
	}
	if len(u.of) == 0 {
		return step, piecewise{{n, n, []term{{c: r.field.one()}}}}, nil
	}
	s := int64(u.of[0].times)
	return step, r.field.moved(laws[u.of[0].draw], s, -s*n), nil // n = s·X + ⌊add⌋
}

// centre returns the draw of a component with the most comparisons.
func (f *treeSums) centre(c component) int {
	return slices.MaxFunc(c.draws, func(i, j int) int { return len(f.pairs[i]) - len(f.pairs[j]) })
}
