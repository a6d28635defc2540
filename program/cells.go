package program

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"

	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
)

// table is a law on finitely many cells for each dataset. A cell is a single output, or all outputs beyond a bound,
// where every dataset's probabilities decrease by the same factor. Merging these outputs loses nothing: the ratio of
// two datasets' probabilities is the same for every output of the cell and for the whole cell.
type table struct {
	cells []string
	of    []cell
	exact bool         // whether each cell is one output
	rows  [][]fraction // by dataset
	extra [][]fraction // largest possible increase of each entry of rows; nil if rows are exact
}

// cell is the set of outputs of one shape in which each number either has a given value or lies beyond a bound.
type cell struct {
	shape int // index in the order of the shapes' first runs
	key   string
	at    []place
}

// place is a single number; beyond = −1 or 1 adds all numbers below or above it.
type place struct {
	number *big.Rat
	beyond int
}

// compare orders cells by shapes, then by numbers.
func (c cell) compare(d cell) int {
	if c.shape != d.shape {
		return cmp.Compare(c.shape, d.shape)
	}
	return slices.CompareFunc(c.at, d.at, func(a, b place) int {
		if n := a.number.Cmp(b.number); n != 0 {
			return n
		}
		return cmp.Compare(a.beyond, b.beyond)
	})
}

// axis divides the numbers at one position of a shape into cells: the numbers below lo, each of lo … hi, and the
// numbers above hi.
type axis struct {
	lo, hi     int64
	left       bool // whether some law is unbounded in that direction
	right      bool
	leftStep   exponent
	rightStep  exponent
	step       *big.Rat
	everything bool // no number was seen yet
}

func (a *axis) size() int {
	n := int(a.hi - a.lo + 1)
	if a.left {
		n++
	}
	if a.right {
		n++
	}
	return n
}

// include widens the axis by a law's weights.
func (a *axis) include(g piecewise) error {
	if len(g) == 0 {
		return nil
	}
	first, last := g[0], g[len(g)-1]
	lo, hi := first.lo, last.hi
	if first.lo == below {
		lo = first.hi + 1
		if err := a.tail(first.terms, &a.left, &a.leftStep); err != nil {
			return err
		}
	}
	if last.hi == above {
		hi = last.lo - 1
		if err := a.tail(last.terms, &a.right, &a.rightStep); err != nil {
			return err
		}
	}
	if first.lo == below && last.hi == above && len(g) == 1 {
		return parameter.Errorf("an output's probabilities have one formula on all integers, so they cannot be summed: clamp the value to a range")
	}
	if a.everything {
		a.lo, a.hi, a.everything = lo, hi, false
	}
	a.lo, a.hi = min(a.lo, lo), max(a.hi, hi)
	if a.hi-a.lo > largestCut {
		return parameter.Errorf("the probabilities of an output have no constant ratio between %d and %d, want a range of at most %d numbers", a.lo, a.hi, largestCut)
	}
	return nil
}

func (a *axis) tail(terms []term, has *bool, step *exponent) error {
	if len(terms) != 1 || terms[0].d > 0 || *has && terms[0].e != *step {
		return parameter.Errorf("the probabilities of an output have no constant ratio in its tail: want a value clamped to a range, such as max(0, min(n, value))")
	}
	*has, *step = true, terms[0].e
	return nil
}

// place returns the place of the i-th cell.
func (a *axis) place(i int) place {
	at := func(n int64, beyond int) place {
		q := new(big.Rat).SetInt64(n)
		return place{q.Add(q, a.step), beyond}
	}
	if a.left {
		if i == 0 {
			return at(a.lo-1, -1)
		}
		i--
	}
	if n := a.lo + int64(i); n <= a.hi {
		return at(n, 0)
	}
	return at(a.hi+1, 1)
}

// String returns the cell's name, such as "3" or "≥ 4".
func (p place) String() string {
	return [...]string{"≤ ", "", "≥ "}[p.beyond+1] + p.number.RatString()
}

// masses returns the total weight of g in each cell.
func (a *axis) masses(r *rates, g piecewise) []fraction {
	out := make([]fraction, 0, a.size())
	if a.left {
		out = append(out, r.total(g.within(below, a.lo-1)))
	}
	for n := a.lo; n <= a.hi; n++ {
		out = append(out, r.field.value(g, n))
	}
	if a.right {
		out = append(out, r.total(g.within(a.hi+1, above)))
	}
	return out
}

// fewCells is the largest number of cells for which independent numbers share one table.
const fewCells = 500

// tabulate divides outputs into cells. If the outputs of all datasets have one shape and independent numbers, and
// there are too many cells for one table, it makes a table for each number; the output tells how to combine them.
func tabulate(r *rates, laws []*law, limits Limits) ([]*table, Output, error) {
	shapes, err := shapesOf(r, laws)
	if err != nil {
		return nil, Output{}, err
	}
	out := &table{exact: true, rows: make([][]fraction, len(laws))}
	index := make(map[string]int)
	names, named := make(map[string]int), make(map[string]bool)
	extra := make([][]fraction, len(laws))
	put := func(x, k int, at []place, p, more fraction) {
		labels := lists.Of(len(at), func(i int) string { return at[i].String() })
		key := fmt.Sprint(k, labels)
		i, ok := index[key]
		if !ok {
			i = len(out.cells)
			index[key] = i
			name := shapes[k].output.text(labels)
			for alike := name; named[name]; { // different outputs with one text, such as 3 and "3"
				names[alike]++
				name = fmt.Sprintf("%s #%d", alike, names[alike]+1)
			}
			named[name] = true
			out.cells = append(out.cells, name)
			out.of = append(out.of, cell{k, shapes[k].output.Shape, at})
		}
		for len(out.rows[x]) <= i {
			out.rows[x], extra[x] = append(out.rows[x], fraction{}), append(extra[x], fraction{})
		}
		out.rows[x][i] = r.field.add(out.rows[x][i], p)
		if !more.isZero() {
			extra[x][i], out.extra = r.field.add(extra[x][i], more), extra
		}
	}
	for k, s := range shapes {
		size := 1
		for _, a := range s.axes {
			if size *= a.size(); size > limits.Cells {
				break
			}
		}
		if size > fewCells && len(shapes) == 1 && independent(laws) {
			return places(r, s), s.output, nil
		}
		if size > limits.Cells {
			return nil, Output{}, parameter.Errorf("outputs of %d numbers have more than %d cells, want fewer, or numbers whose draws are independent in every run", len(s.axes), limits.Cells)
		}
		for _, a := range s.axes {
			out.exact = out.exact && !a.left && !a.right
		}
		for x, terms := range s.terms {
			for _, t := range terms {
				s.spread(r, t, func(at []place, p, more fraction) { put(x, k, at, p, more) })
			}
		}
		if len(out.cells) > limits.Cells {
			return nil, Output{}, parameter.Errorf("the program has more than %d outputs, want fewer", limits.Cells)
		}
	}
	for x := range out.rows {
		for len(out.rows[x]) < len(out.cells) {
			out.rows[x], extra[x] = append(out.rows[x], fraction{}), append(extra[x], fraction{})
		}
		for i, p := range out.rows[x] {
			out.rows[x][i] = r.field.reduced(p)
		}
	}
	out.sort(extra)
	return []*table{out}, Output{}, nil
}

// sort orders the cells of the table by compare.
func (t *table) sort(extra [][]fraction) {
	order := lists.Of(len(t.of), func(i int) int { return i })
	slices.SortStableFunc(order, func(i, j int) int { return t.of[i].compare(t.of[j]) })
	t.cells, t.of = permuted(t.cells, order), permuted(t.of, order)
	for x := range t.rows {
		t.rows[x], extra[x] = permuted(t.rows[x], order), permuted(extra[x], order)
	}
}

// permuted returns the elements in the given order.
func permuted[T any](of []T, order []int) []T {
	out := make([]T, len(of))
	for i, at := range order {
		out[i] = of[at]
	}
	return out
}

// shape holds outputs of one shape. Either they contain no draws, and axes is empty, or their numbers have the same
// fractional parts.
type shape struct {
	output Output
	axes   []*axis
	terms  [][]product // by dataset
}

// shapesOf gathers the outputs of all datasets by shapes, in the order of their first run.
func shapesOf(r *rates, laws []*law) ([]*shape, error) {
	drawn, numbers := make(map[string]bool), make(map[string]int)
	for _, l := range laws {
		for _, c := range l.clouds {
			if n, ok := numbers[c.output.Shape]; ok && n != len(c.output.Numbers) {
				return nil, unequal(n, len(c.output.Numbers))
			}
			numbers[c.output.Shape] = len(c.output.Numbers)
			drawn[c.output.Shape] = drawn[c.output.Shape] || len(c.drawn) > 0
		}
	}
	var out []*shape
	at := make(map[string]*shape)
	add := func(x int, o Output, t product) error {
		key := o.Shape
		for _, s := range t.steps {
			key += "|" + s.RatString()
		}
		s := at[key]
		if s == nil {
			s = &shape{output: o, terms: make([][]product, len(laws))}
			for _, step := range t.steps {
				s.axes = append(s.axes, &axis{step: step, everything: true})
			}
			at[key] = s
			out = append(out, s)
		}
		s.terms[x] = append(s.terms[x], t)
		for i, g := range t.at {
			if err := s.axes[i].include(g); err != nil {
				return err
			}
		}
		return nil
	}
	for x, l := range laws {
		for _, c := range l.clouds {
			for _, t := range c.known {
				if drawn[c.output.Shape] {
					t.steps, t.at = make([]*big.Rat, len(t.numbers)), make([]piecewise, len(t.numbers))
					for i, q := range t.numbers {
						var err error
						if t.steps[i], t.at[i], err = r.placed(Constant(q), nil); err != nil {
							return nil, err
						}
					}
				}
				if err := add(x, c.output, t); err != nil {
					return nil, err
				}
			}
			for _, t := range c.drawn {
				if err := add(x, c.output, t); err != nil {
					return nil, err
				}
			}
		}
	}
	return out, nil
}

// spread calls put for each cell with a nonzero weight in a term.
func (s *shape) spread(r *rates, t product, put func(at []place, p, extra fraction)) {
	at := make([]place, len(s.output.Numbers))
	if t.at == nil {
		for i, q := range t.numbers {
			at[i] = place{number: q}
		}
		put(at, t.weight, t.extra)
		return
	}
	masses := make([][]fraction, len(s.axes))
	for i, a := range s.axes {
		masses[i] = a.masses(r, t.at[i])
	}
	var visit func(i int, p, extra fraction)
	visit = func(i int, p, extra fraction) {
		if i == len(s.axes) {
			put(slices.Clone(at), p, extra)
			return
		}
		for j, m := range masses[i] {
			if !m.isZero() {
				at[i] = s.axes[i].place(j)
				visit(i+1, r.field.mul(p, m), r.field.mul(extra, m))
			}
		}
	}
	visit(0, t.weight, t.extra)
}

// independent reports whether every dataset's law is one product of laws of its numbers.
func independent(laws []*law) bool {
	for _, l := range laws {
		if len(l.clouds) != 1 || len(l.clouds[0].known) > 0 || len(l.clouds[0].drawn) != 1 {
			return false
		}
	}
	return true
}

// places returns one table for each number of an output whose numbers are independent.
func places(r *rates, s *shape) []*table {
	out := make([]*table, len(s.axes))
	for i, a := range s.axes {
		t := &table{exact: !a.left && !a.right, rows: make([][]fraction, len(s.terms))}
		for j := range a.size() {
			t.cells = append(t.cells, a.place(j).String())
		}
		for x, terms := range s.terms {
			row := a.masses(r, terms[0].at[i])
			total := r.total(terms[0].at[i])
			for j := range row {
				row[j] = r.field.reduced(r.field.quo(row[j], total))
			}
			t.rows[x] = row
		}
		out[i] = t
	}
	return out
}
