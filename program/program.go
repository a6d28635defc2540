package program

import (
	"context"
	"errors"
	"math/big"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/parallel"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/privacy"
	"dpworkbench/query"
)

// Default is the default limit of the enumeration.
var Default = Limits{Paths: 2_000_000, Cells: 200_000}

// Program is a mechanism written as a program, with the law of its outputs at every dataset of a universe. It is
// immutable. Methods panic for a dataset beyond the universe.
type Program struct {
	name   string
	space  *query.Space
	rates  *rates
	run    Run
	limits Limits
	runs   []int
	tables []*table // one for each independent number; usually a single table of whole outputs
	output Output   // how the numbers combine to an output
	query  *query.Query

	extremes *extremes // do not depend on the value of the symbol
}

// New runs the program over all tosses at every dataset of the universe. It returns an error wrapping
// evidence.ErrParameter if a run fails or its law cannot be summed, with the reason, and the context's error.
func New(ctx context.Context, name string, space *query.Space, run Run, limits Limits) (*Program, error) {
	p := &Program{name: name, space: space, rates: newRates(), run: run, limits: limits, extremes: new(extremes)}
	for {
		err := p.compute(ctx)
		if err == nil {
			return p, nil
		}
		if !errors.Is(err, errFiner) {
			return nil, err
		}
		p.rates.again()
	}
}

func (p *Program) compute(ctx context.Context) error {
	laws := make([]*law, p.space.Size())
	p.runs = make([]int, len(laws))
	for x := range laws {
		parallel.Report(ctx, int64(x), int64(len(laws)), "datasets")
		var err error
		if laws[x], err = lawOf(ctx, p.rates, p.run, x, p.limits, nil); err != nil {
			return err
		}
		p.runs[x] = laws[x].runs
	}
	var err error
	p.tables, p.output, err = tabulate(p.rates, laws, p.limits)
	return err
}

// Name returns the program's name.
func (p *Program) Name() string { return p.name }

// Space returns the universe of its datasets.
func (p *Program) Space() *query.Space { return p.space }

// Runs returns how many paths the program has at dataset x.
func (p *Program) Runs(x int) int { return p.runs[x] }

// IsSymbolic reports whether the law is a function of the symbol ε.
func (p *Program) IsSymbolic() bool { return p.rates.symbol }

// At returns the program at a value of the symbol ε.
func (p *Program) At(eps evidence.Epsilon) *Program {
	out := *p
	out.rates = &rates{units: []evidence.Epsilon{eps}, denom: p.rates.denom, field: p.rates.field}
	return &out
}

// Outputs returns the names of the cells of the outputs. If the outputs consist of independent numbers, it returns
// those of each number.
func (p *Program) Outputs() [][]string {
	return lists.Of(len(p.tables), func(i int) []string { return p.tables[i].cells })
}

// Answering returns the program with q, a query on its universe, as the query that it answers.
func (p *Program) Answering(q *query.Query) *Program {
	out := *p
	out.query = q
	return &out
}

// Query returns the query that the program answers, or nil.
func (p *Program) Query() *query.Query { return p.query }

// Mechanism returns the program as a mechanism that answers its query; errors are measured in the query's metric. Its
// range is the query's range if that contains all outputs, and otherwise the outputs and the query's values. Its claim
// is its smallest ε. It returns an error wrapping evidence.ErrParameter if the program answers no query, or an output
// is not a value of the query, and the context's error.
func (p *Program) Mechanism(ctx context.Context) (*mechanism.Table, error) {
	if p.query == nil {
		return nil, parameter.Errorf("program %s answers no query, so it has no distortion: build it with program(query, …), or ask the program for its law and its privacy", p.name)
	}
	if len(p.tables) > 1 {
		return nil, parameter.Errorf("the outputs of program %s have %d independent numbers, want one value of the query", p.name, len(p.tables))
	}
	t := p.tables[0]
	outputs := make([]query.Value, len(t.cells))
	inside := p.query.Space() == p.space
	for i, c := range t.of {
		number := len(c.at) == 1 && c.key == NumberShape
		if number && c.at[0].beyond != 0 {
			return nil, parameter.Errorf("program %s has the unbounded outputs %s, want values clamped to a range, as by max(0, min(n, value))", p.name, t.cells[i])
		}
		outputs[i] = query.Name(t.cells[i])
		if number {
			outputs[i] = query.RationalValue(c.at[0].number)
		}
		_, found := p.query.Find(outputs[i])
		if !found && !(number && p.query.Metric().IsAbsolute()) {
			return nil, parameter.Errorf("program %s has the output %s, want values of the query %s", p.name, t.cells[i], p.query.Name())
		}
		inside = inside && found
	}
	q := p.query
	if !inside {
		var err error
		if q, err = p.widened(outputs); err != nil {
			return nil, err
		}
	}
	at := make([]int, len(outputs))
	for i, v := range outputs {
		at[i], _ = q.Find(v)
	}
	eps, err := p.SmallestEpsilon(ctx)
	if err != nil {
		return nil, err
	}
	return p.table(ctx, t.placed(at, len(q.Range())), mechanism.Info{Name: p.name, Query: q, Claimed: eps})
}

// widened returns the program's query with further numbers in the range, if its values are numbers.
func (p *Program) widened(outputs []query.Value) (*query.Query, error) {
	q := p.query
	values := lists.Of(q.Size(), func(x int) query.Value { return q.Value(x) })
	n := len(q.Range())
	if !q.Metric().IsAbsolute() {
		distances := make([][]*big.Rat, n)
		for i := range distances {
			for j := range n {
				distances[i] = append(distances[i], q.Metric().Rational(i, j))
			}
		}
		return query.New(q.Name(), p.space, values, q.Range(), query.ValueMetric{Rational: distances})
	}
	var all []*big.Rat
	for _, v := range slices.Concat(outputs, q.Range()) {
		n, _ := query.RationalOf(v)
		all = append(all, n)
	}
	slices.SortFunc(all, (*big.Rat).Cmp)
	all = slices.CompactFunc(all, sameRational)
	rng := lists.Of(len(all), func(i int) query.Value { return query.RationalValue(all[i]) })
	return query.New(q.Name(), p.space, values, rng, query.ValueMetric{})
}

// placed returns the table with its i-th cell moved to index at[i] among size cells.
func (t *table) placed(at []int, size int) *table {
	spread := func(rows [][]fraction) [][]fraction {
		if rows == nil {
			return nil
		}
		out := make([][]fraction, len(rows))
		for x, row := range rows {
			out[x] = make([]fraction, size)
			for i, a := range row {
				out[x][at[i]] = a
			}
		}
		return out
	}
	return &table{rows: spread(t.rows), extra: spread(t.extra)}
}

// laws returns a finite mechanism for each table, whose range is the names of the table's cells. Its query is a
// placeholder, because privacy needs no query.
func (p *Program) laws(ctx context.Context) ([]*mechanism.Table, error) {
	out := make([]*mechanism.Table, len(p.tables))
	for i, t := range p.tables {
		names := lists.Of(len(t.cells), func(j int) query.Value { return query.Name(t.cells[j]) })
		values := lists.Of(p.space.Size(), func(int) query.Value { return names[0] })
		q, err := query.New(p.name, p.space, values, names, query.ValueMetric{Discrete: true})
		if err != nil {
			return nil, err
		}
		if out[i], err = p.table(ctx, t, mechanism.Info{Name: p.name, Query: q, Claimed: evidence.Claimed{}}); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (p *Program) table(ctx context.Context, t *table, h mechanism.Info) (*mechanism.Table, error) {
	if rows, ok := p.rates.rationals(t.rows); ok && t.extra == nil {
		return mechanism.NewRationalTable(h, rows, nil)
	}
	rows := make([][]interval.Interval, len(t.rows))
	for x, row := range t.rows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rows[x] = make([]interval.Interval, len(row))
		for i, a := range row {
			extra := fraction{}
			if t.extra != nil {
				extra = t.extra[x][i]
			}
			rows[x][i] = p.rates.between(a, extra)
		}
	}
	return mechanism.NewEnclosedTable(h, rows, nil, nil)
}

// Account returns the program's privacy over all neighbors of its universe. For a symbolic program, use the account of
// At(ε).
func (p *Program) Account(ctx context.Context) (*privacy.Account, error) {
	parts, err := p.laws(ctx)
	if err != nil {
		return nil, err
	}
	accounts := make([]*privacy.Account, len(parts))
	times := make([]int, len(parts))
	for i, m := range parts {
		accounts[i], times[i] = privacy.New(mechanism.Pairs(m)), 1
	}
	if len(accounts) == 1 {
		return accounts[0], nil
	}
	return privacy.Compose(ctx, accounts, times)
}

// rationals returns the values of the rows if all of them are rational.
func (r *rates) rationals(rows [][]fraction) ([][]*big.Rat, bool) {
	powers := make(map[exponent]*big.Rat)
	out := make([][]*big.Rat, len(rows))
	for x, row := range rows {
		out[x] = make([]*big.Rat, len(row))
		for i, a := range row {
			q, ok := r.rational(a, powers)
			if !ok {
				return nil, false
			}
			out[x][i] = q
		}
	}
	return out, true
}

// exactBits bounds the bits of rational values of powers.
const exactBits = 1 << 16

func (r *rates) rational(a fraction, powers map[exponent]*big.Rat) (*big.Rat, bool) {
	sum := func(p laurent) (*big.Rat, bool) {
		total := new(big.Rat)
		for _, m := range p {
			v, ok := powers[m.e]
			if !ok {
				v = big.NewRat(1, 1)
				for i, u := range r.units {
					if m.e[i] == 0 {
						continue
					}
					q, ok := u.RationalDecayAt(big.NewRat(m.e[i], r.denom[i]), exactBits)
					if !ok {
						return nil, false
					}
					v.Mul(v, q)
				}
				powers[m.e] = v
			}
			total.Add(total, new(big.Rat).Mul(v, new(big.Rat).SetInt(m.c)))
		}
		return total, true
	}
	v, ok := sum(a.num)
	if !ok {
		return nil, false
	}
	v.Quo(v, new(big.Rat).SetInt(a.bottom()))
	for _, t := range a.below {
		d, ok := sum(r.field.factors[t.number])
		if !ok || d.Sign() == 0 {
			return nil, false
		}
		for range t.times {
			v.Quo(v, d)
		}
	}
	return v, true
}
