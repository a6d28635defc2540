package program

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"dpworkbench/internal/parameter"
)

var zero = new(big.Rat)

// Output is what a run returns: a shape, anything that names all of it but its numbers, and the numbers,
// draws among them.
type Output struct {
	Shape   string
	Numbers []Unknown
	Show    func(numbers []string) string // how it is printed; nil prints the shape and the numbers
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

// Run is a program on one dataset, by its number.
type Run func(x int, n *Noise) Output

// cloud is the part of a law whose outputs have one shape.
type cloud struct {
	output Output
	known  []product      // outputs without draws, runs that end alike being one
	places map[string]int // of known, by their numbers
	drawn  []product      // outputs with draws
}

// product has the weight weight·Π at[i](n_i) where the i-th number of the output is n_i + steps[i], n_i
// whole. Known numbers have no weights of their own.
type product struct {
	weight  fraction
	numbers []*big.Rat // nil where draws are among them
	steps   []*big.Rat // in [0, 1)
	at      []piecewise
}

// law is the distribution of a program's output at one dataset, by shapes in the order of their first run.
type law struct {
	clouds []*cloud
	at     map[string]*cloud
	runs   int
}

// Path is a way through a program: what it asked, what it got, and its probability.
type Path struct {
	Asked       []string
	Output      string
	Probability fraction
}

// lawOf replays the program at x through all of its tosses and comparisons.
func lawOf(ctx context.Context, r *rates, run Run, x int, limits Limits, each func(n *Noise, o Output, p fraction)) (*law, error) {
	out := &law{at: make(map[string]*cloud)}
	n := &Noise{rates: r}
	for {
		if out.runs++; out.runs&0xff == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		if out.runs > limits.Paths {
			return nil, limits.tooMany()
		}
		n.at, n.state = 0, state{prob: r.field.one()}
		if len(n.stack) > 0 {
			n.state.prob = n.stack[0].prefix
		}
		o := run(x, n)
		if n.err != nil {
			return nil, n.err
		}
		if n.at < len(n.stack) {
			n.strays("nothing more", n.stack[n.at].String())
			return nil, n.err
		}
		p, err := out.put(n, o)
		if err != nil {
			return nil, err
		}
		if each != nil {
			each(n, o, p)
		}
		if !n.next() {
			return out, nil
		}
	}
}

// next turns to the next way of the last decision that has one.
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

// put adds a finished run to the law and returns its probability.
func (l *law) put(n *Noise, o Output) (fraction, error) {
	r := n.rates
	c := l.at[o.Shape]
	if c == nil {
		c = &cloud{output: o, places: make(map[string]int)}
		l.at[o.Shape] = c
		l.clouds = append(l.clouds, c)
	}
	if len(c.output.Numbers) != len(o.Numbers) {
		return fraction{}, parameter.Errorf("outputs of one shape have %d and %d numbers, want as many", len(c.output.Numbers), len(o.Numbers))
	}
	var draws []int
	for _, u := range o.Numbers {
		switch {
		case len(u.of) == 0:
		case len(u.of) == 1 && (u.of[0].times == 1 || u.of[0].times == -1):
			if slices.Contains(draws, u.of[0].draw) {
				return fraction{}, parameter.Errorf("two numbers of an output depend on the draw X%d, want numbers of one draw each, and no draw twice", u.of[0].draw+1)
			}
			draws = append(draws, u.of[0].draw)
		default:
			return fraction{}, parameter.Errorf("an output has the number %v, want one draw plus or minus a number", u)
		}
	}
	weight := n.state.prob
	laws := make(map[int]piecewise, len(draws))
	if len(n.state.spans) > 0 || len(draws) > 0 {
		f, err := newForest(r, n.state)
		if err != nil {
			return fraction{}, err
		}
		parts, err := f.components(draws)
		if err != nil {
			return fraction{}, err
		}
		for _, part := range parts {
			if part.kept >= 0 {
				laws[part.kept] = f.weight(part.kept, nil)
			} else if len(part.draws) > 1 || f.spans[part.draws[0]] != f.everywhere(part.draws[0]) {
				weight = r.field.mul(weight, r.total(f.weight(f.centre(part), nil)))
			}
		}
		weight = r.field.reduced(weight)
	}
	p := weight
	for _, w := range laws {
		p = r.field.mul(p, r.total(w))
	}
	if p.isZero() {
		return p, nil
	}
	if len(draws) == 0 {
		c.meets(r, o, weight)
		return p, nil
	}
	t := product{weight: weight, steps: make([]*big.Rat, len(o.Numbers)), at: make([]piecewise, len(o.Numbers))}
	for i, u := range o.Numbers {
		var err error
		if t.steps[i], t.at[i], err = r.placed(u, laws); err != nil {
			return fraction{}, err
		}
	}
	c.drawn = append(c.drawn, t)
	return p, nil
}

// meets adds the weight of a run without draws in its output.
func (c *cloud) meets(r *rates, o Output, weight fraction) {
	numbers := make([]*big.Rat, len(o.Numbers))
	var key []byte
	for i, u := range o.Numbers {
		numbers[i] = u.add
		key = append(u.add.Num().Append(key, 62), '/')
		key = append(u.add.Denom().Append(key, 62), ' ')
	}
	if i, ok := c.places[string(key)]; ok {
		c.known[i].weight = r.field.add(c.known[i].weight, weight)
		return
	}
	c.places[string(key)] = len(c.known)
	c.known = append(c.known, product{weight: weight, numbers: numbers})
}

// placed returns the weights of n where a number of an output is n + step, 0 ≤ step < 1.
func (r *rates) placed(u Unknown, laws map[int]piecewise) (step *big.Rat, at piecewise, err error) {
	down := floor(u.add)
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

// centre returns the draw of a component that was compared most.
func (f *forest) centre(c component) int {
	return slices.MaxFunc(c.draws, func(i, j int) int { return len(f.pairs[i]) - len(f.pairs[j]) })
}
