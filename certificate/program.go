package certificate

import (
	"context"
	"math/big"

	"dpworkbench/internal/roots"
	"dpworkbench/program"
)

// decision states for which ε a program is private, and proves that it is not private for the other ε.
func decision(ctx context.Context, d *program.Decision) (statement, proof object, err error) {
	pairs, err := neighborPairs(ctx, d.Of.Space())
	if err != nil {
		return nil, nil, err
	}
	tables := list{}
	for _, t := range d.Of.Written(d.Denominator) {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		outputs, rows, of := list{}, list{}, list{}
		for _, name := range t.Outputs {
			outputs = append(outputs, name)
		}
		for _, row := range t.Rows {
			over := list{}
			for _, p := range row.Over {
				over = append(over, polynomial(p))
			}
			rows = append(rows, object{"over": over, "under": polynomial(row.Under)})
		}
		for _, n := range t.Of {
			of = append(of, n)
		}
		tables = append(tables, object{"outputs": outputs, "rows": rows, "datasets": of})
	}
	fails, covers := list{}, list{}
	for _, s := range d.Spans {
		fails = append(fails, rationals([]*big.Rat{s.From.Lo, s.From.Hi, s.To.Lo, s.To.Hi}))
		cover := list{}
		for _, c := range s.Cover {
			cells := list{}
			for _, j := range c.Cells {
				cells = append(cells, j)
			}
			cover = append(cover, object{"neighbors": list{c.X, c.Y}, "output": cells, "from": rational(c.From), "to": rational(c.To)})
		}
		covers = append(covers, cover)
	}
	statement = object{
		"kind": "program", "tables": tables, "neighbors": pairs,
		"denominator": int(d.Denominator), "times": rational(d.Times), "fails": fails,
	}
	return statement, object{"covers": covers}, nil
}

// polynomial encodes the terms of a polynomial by ascending power.
func polynomial(p roots.Polynomial) list {
	out := list{}
	for i, c := range p {
		if c.Sign() != 0 {
			out = append(out, list{i, c.String()})
		}
	}
	return out
}
