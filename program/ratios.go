package program

import (
	"fmt"
	"slices"
	"strings"

	"dpworkbench/internal/parameter"
)

// ratio is the ratio of an output's probabilities at two neighbors, with the first output that has it.
type ratio struct {
	cells []int
	a, b  fraction
	key   string
}

// ratios caches the ratios that products combines, for each table.
type ratios struct {
	rows [][]int // by table and dataset: the number of the law; equal laws have the same number
	of   []map[[2]int][]ratio
	seen map[string]bool // keys of the pairs of datasets seen so far: the ratios in all tables, sorted
}

func newRatios(tables []*table) *ratios {
	out := &ratios{seen: make(map[string]bool)}
	for _, t := range tables {
		rows := make([]int, len(t.rows))
		numbers := make(map[string]int)
		for x, row := range t.rows {
			var key strings.Builder
			for _, a := range row {
				key.WriteString(a.num.key())
				fmt.Fprint(&key, a.under, a.below, "|")
			}
			n, ok := numbers[key.String()]
			if !ok {
				n = len(numbers)
				numbers[key.String()] = n
			}
			rows[x] = n
		}
		out.rows = append(out.rows, rows)
		out.of = append(out.of, make(map[[2]int][]ratio))
	}
	return out
}

// at returns the different ratios of the cells of the i-th table t at two datasets.
func (r *ratios) at(f *field, t *table, i, x, y int) []ratio {
	pair := [2]int{r.rows[i][x], r.rows[i][y]}
	if out, ok := r.of[i][pair]; ok {
		return out
	}
	var out []ratio
	seen := make(map[string]bool)
	for j := range t.cells {
		a, b := t.rows[x][j], t.rows[y][j]
		if a.isZero() {
			continue
		}
		c := f.ratio(a, b)
		if !seen[c.key] {
			seen[c.key] = true
			c.cells = []int{j}
			out = append(out, c)
		}
	}
	r.of[i][pair] = out
	return out
}

// ratio returns a/b after cancelling common integers and powers of units.
func (f *field) ratio(a, b fraction) ratio {
	below := both(a.below, b.below, larger)
	p, q := f.over(a, below).scale(b.bottom()), f.over(b, below).scale(a.bottom())
	first := p[0].e.times(-1)
	c := p.content()
	if len(q) > 0 {
		c.GCD(nil, nil, c, q.content())
	}
	x, y := fraction{num: p.divide(c).shift(first)}, fraction{}
	if len(q) > 0 {
		y.num = q.divide(c).shift(first)
	}
	return ratio{a: x, b: y, key: x.num.key() + "/" + y.num.key()}
}

// products returns an output for each distinct product of ratios over the tables. It returns none if an earlier pair of
// datasets had the same ratios.
func (p *Program) products(x, y int, known *ratios) ([]ratio, error) {
	f := p.rates.field
	if len(p.tables) == 1 {
		return known.at(f, p.tables[0], 0, x, y), nil
	}
	now := []ratio{{nil, f.one(), f.one(), ""}}
	choices := make([][]ratio, len(p.tables))
	keys := make([]string, len(p.tables))
	for i, t := range p.tables {
		choices[i] = known.at(f, t, i, x, y)
		for _, c := range choices[i] {
			keys[i] += c.key + " "
		}
	}
	slices.Sort(keys)
	if key := strings.Join(keys, "|"); known.seen[key] {
		return nil, nil
	} else {
		known.seen[key] = true
	}
	for i := range p.tables {
		var next []ratio
		seen := make(map[string]bool)
		for _, c := range now {
			for _, r := range choices[i] {
				product := f.ratio(fraction{num: c.a.num.mul(r.a.num)}, fraction{num: c.b.num.mul(r.b.num)})
				if seen[product.key] {
					continue
				}
				seen[product.key] = true
				product.cells = slices.Concat(c.cells, r.cells)
				next = append(next, product)
			}
		}
		if now = next; len(now) > p.limits.Cells {
			return nil, parameter.Errorf("two neighbors have more than %d different ratios of probabilities, want fewer", p.limits.Cells)
		}
	}
	return now, nil
}
