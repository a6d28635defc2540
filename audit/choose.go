package audit

import (
	"context"
	"math"
	"slices"

	"dpworkbench/internal/parallel"

	"gonum.org/v1/gonum/mathext"
)

// pick is an event chosen from draws: a set of outputs, or all numbers on one side of a bound.
type pick struct {
	in      *drawn // the outputs, or a feature of them
	x, y    int    // P is the law at x, Q the law at y
	score   float64
	outputs []int // ascending; nil if bound is not 0
	bound   int   // −1: the numbers ≤ output cut; +1: the numbers ≥ output cut; 0: the listed outputs
	cut     int
	first   int // while visit ranks outputs: the event is the first outputs of the ranking; 0 otherwise
}

// chooser selects two events: the one with the largest ε at δ, and the one with the largest δ at ε. It ranks outputs by
// their likelihood ratio on one part of the draws and compares events on another; with the same draws for both, sets of
// outputs seen once would look best.
//
// Events are sets of the outputs with the largest ratios, single outputs, and half lines. Features of the outputs give
// events in the same way. If no event has probability above δ, epsilon stays the empty event, which shows nothing.
// Scores estimate the bounds of the final test by Wilson's formula (1927), at a level that accounts for the number of
// events compared. They only select events, so validity does not depend on them. The chooser must not use the testing
// draws, not even which outputs occur among them.
type chooser struct {
	d       *drawn
	delta   float64
	factor  float64 // e^ε
	z       float64
	epsilon pick // for the largest ε at δ
	excess  pick // for the largest δ at ε
	rows    []joint
	ranks   []int
	sizes   []tally
}

// joint holds the tallies of one output at both datasets.
type joint struct {
	output int
	a, b   tally
}

// newChooser returns a chooser that compares events of the given numbers of pairs and of functions of the outputs. The
// identity counts as one of the functions.
func newChooser(d *drawn, functions, pairs int, delta, factor, alpha float64) *chooser {
	candidates := float64(8 * functions * pairs * (len(d.known()) + 1))
	c := &chooser{d: d, delta: delta, factor: factor,
		z: -mathext.NormalQuantile(alpha / candidates)}
	c.epsilon, c.excess = pick{in: d, score: math.Inf(-1)}, pick{in: d, score: math.Inf(-1)}
	for x := range d.tallies {
		c.sizes = append(c.sizes, d.sums(x))
	}
	return c
}

// known returns the outputs that were drawn in a part that chooses events.
func (d *drawn) known() map[int]bool {
	known := make(map[int]bool)
	for _, row := range d.tallies {
		for _, t := range row {
			if t.chooses() {
				known[t.output] = true
			}
		}
	}
	return known
}

// all visits every pair in both directions, with the outputs or a feature of them.
func (c *chooser) all(ctx context.Context, d *drawn, pairs [][2]int) error {
	c.d = d
	for i, p := range pairs {
		if i%16 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			parallel.Report(ctx, int64(i), int64(len(pairs)), "pairs of datasets")
		}
		c.visit(p[0], p[1])
		c.visit(p[1], p[0])
	}
	return nil
}

// join sets rows to the tallies of the outputs at datasets x and y, without outputs that were drawn only in the testing
// part.
func (c *chooser) join(x, y int) {
	c.rows = c.rows[:0]
	a, b := c.d.tallies[x], c.d.tallies[y]
	for len(a) > 0 || len(b) > 0 {
		var r joint
		first := len(b) == 0 || len(a) > 0 && a[0].output <= b[0].output
		second := len(a) == 0 || len(b) > 0 && b[0].output <= a[0].output
		if first {
			r.output, r.a = a[0].output, a[0]
			a = a[1:]
		}
		if second {
			r.output, r.b = b[0].output, b[0]
			b = b[1:]
		}
		if r.a.chooses() || r.b.chooses() {
			c.rows = append(c.rows, r)
		}
	}
}

// visit offers the events of one pair in one direction.
func (c *chooser) visit(x, y int) {
	c.join(x, y)
	base, feature := pick{in: c.d, x: x, y: y}, c.d.feature != ""
	numbers := len(c.rows)
	for numbers > 0 && c.rows[numbers-1].output >= len(c.d.values) {
		numbers--
	}

	// Offer half lines and single outputs.
	for _, side := range []int{-1, 1} {
		var p, q int64
		for i := range numbers {
			if side > 0 {
				i = numbers - 1 - i
			}
			r := c.rows[i]
			p += r.a.score
			q += r.b.score
			c.offer(p, q, base, feature, func(e *pick) { e.bound, e.cut = side, r.output })
		}
	}
	for _, r := range c.rows {
		c.offer(r.a.score, r.b.score, base, true, func(e *pick) { e.outputs = []int{r.output} })
	}

	// Outputs in descending order of (a + ½)/(b + ½).
	c.ranks = c.ranks[:0]
	for i, r := range c.rows {
		if r.a.order > 0 {
			c.ranks = append(c.ranks, i)
		}
	}
	slices.SortFunc(c.ranks, func(i, j int) int {
		a, b := c.rows[i], c.rows[j]
		u := (float64(a.a.order) + 0.5) * (float64(b.b.order) + 0.5)
		v := (float64(b.a.order) + 0.5) * (float64(a.b.order) + 0.5)
		switch {
		case u > v:
			return -1
		case u < v:
			return 1
		}
		return i - j
	})
	var p, q int64
	for k, i := range c.ranks {
		p += c.rows[i].a.score
		q += c.rows[i].b.score
		c.offer(p, q, base, true, func(e *pick) { e.first = k + 1 })
	}
	for _, e := range []*pick{&c.epsilon, &c.excess} {
		if e.first == 0 {
			continue
		}
		e.outputs = make([]int, e.first)
		for k, i := range c.ranks[:e.first] {
			e.outputs[k] = c.rows[i].output
		}
		slices.Sort(e.outputs)
		e.first = 0
	}
}

// offer keeps an event, seen p and q times, if its score exceeds the best score so far; fill completes the event. A
// half line of outputs is easier to read than a list of outputs or an event of a feature. So if list is set, the event
// must exceed a half line by one standard error.
func (c *chooser) offer(p, q int64, base pick, list bool, fill func(*pick)) {
	m, n := c.sizes[base.x].score, c.sizes[base.y].score
	low, _ := wilson(p, m, c.z)
	_, high := wilson(q, n, c.z)
	varianceP, varianceQ := 0.0, 0.0
	if list {
		varianceP, varianceQ = variance(p, m), variance(q, n)
	}
	if low > c.delta {
		margin := 0.0
		base.score = (low - c.delta) / high
		if list && c.epsilon.bound != 0 {
			margin = base.score * math.Sqrt(varianceP/((low-c.delta)*(low-c.delta))+varianceQ/(high*high))
		}
		if base.score > c.epsilon.score+margin {
			c.epsilon = base
			fill(&c.epsilon)
		}
	}
	margin := 0.0
	base.score = low - c.factor*high
	if list && c.excess.bound != 0 {
		margin = math.Sqrt(varianceP + c.factor*c.factor*varianceQ)
	}
	if base.score > c.excess.score+margin {
		c.excess = base
		fill(&c.excess)
	}
}

// variance returns the estimated variance of a frequency of c out of n.
func variance(c, n int64) float64 {
	if n == 0 {
		return 0
	}
	p := float64(c) / float64(n)
	return p * (1 - p) / float64(n)
}

// wilson returns Wilson's interval for a probability, after c occurrences in n draws.
func wilson(c, n int64, z float64) (lo, hi float64) {
	if n == 0 {
		return 0, 1
	}
	p, size := float64(c)/float64(n), float64(n)
	mid := p + z*z/(2*size)
	half := z * math.Sqrt(p*(1-p)/size+z*z/(4*size*size))
	scale := 1 + z*z/size
	return max((mid-half)/scale, 0), (mid + half) / scale
}
