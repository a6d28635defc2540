package certificate_test

import (
	"context"
	"maps"
	"math/big"
	"testing"

	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/program"
	"dpworkbench/query"
)

func TestPrograms(t *testing.T) { checkAll(t, programs) }

// programs adds decisions about programs: for every ε, for no ε, for ranges of ε, and for laws of several numbers.
func programs(j *checkerCases) {
	t := j.t
	ctx := context.Background()
	one := big.NewRat(1, 1)
	rate := func(a, b int64) program.Rate {
		t.Helper()
		r := must.For(program.Symbol(big.NewRat(a, b)))(t)
		return r
	}
	flip := func(n *program.Noise, a, b int64) bool { return n.Flip(program.RationalProbability(big.NewRat(a, b))) }
	is := func(yes bool) program.Output {
		if yes {
			return program.Output{Shape: "yes"}
		}
		return program.Output{Shape: "no"}
	}
	number := func(x int) program.SymbolicDraw { return program.Constant(big.NewRat(int64(x), 1)) }
	decide := func(datasets int, run program.Run, times ...*big.Rat) (files []*document, found []*program.Decision) {
		t.Helper()
		var edges [][2]int
		for x := range datasets - 1 {
			edges = append(edges, [2]int{x, x + 1})
		}
		space := must.For(query.NewPathSpace(datasets, edges))(t)
		p := must.For(program.New(ctx, "run", space, run, program.Default))(t)
		for _, k := range times {
			d := must.For(p.Private(ctx, k))(t)
			files, found = append(files, j.about(d)), append(found, d)
		}
		return files, found
	}

	// The first program compares with a noisy threshold. The second compares one noise twice.
	half, most := big.NewRat(1, 2), big.NewRat(9, 10)
	decide(3, func(x int, n *program.Noise) program.Output {
		return is(n.Less(program.Constant(one), number(x).Add(n.Geometric(rate(1, 1), one))))
	}, one, most, big.NewRat(4, 3))
	files, _ := decide(2, func(x int, n *program.Noise) program.Output {
		rho := n.Geometric(rate(1, 2), one)
		said := ""
		for i := range 2 {
			if n.Less(rho, number((x+i)%2).Add(n.Geometric(rate(1, 4), one))) {
				return program.Output{Shape: said + "+"}
			}
			said += "-"
		}
		return program.Output{Shape: said}
	}, one, most, big.NewRat(1, 8))

	// Fixed probabilities are private from some ε on, or up to some ε, or on ranges of ε.
	fixed, found := decide(2, func(x int, n *program.Noise) program.Output {
		if flip(n, 1, 2) {
			return is(flip(n, int64(1+2*x), 5))
		}
		return is(n.Less(number(0), number(x).Add(n.Geometric(rate(2, 1), one))))
	}, one, half, big.NewRat(3, 2))
	decide(2, func(x int, n *program.Noise) program.Output {
		return is(x == 1 && n.Less(number(0), n.Geometric(rate(1, 1), one)))
	}, one)

	// Outputs of several independent numbers, of which every second depends on the dataset.
	several := func(k int) []*document {
		files, _ := decide(4, func(x int, n *program.Noise) program.Output {
			out := program.Output{Shape: "at"}
			for i := range k {
				out.Numbers = append(out.Numbers, number(x*(i%2)).Add(n.Geometric(rate(1, 2), one)))
			}
			return out
		}, one, half)
		return files
	}
	several(2)
	wide := several(cases.Of(4, 5))

	if j.dir == "" {
		return
	}
	f, g := files[0], fixed[0]
	j.add(f.saying("times", "89/100"), "no whole power")
	j.add(f.saying("denominator", 1), "another denominator")
	j.add(f.saying("fails", list{list{"0", "0", "1", "1"}}).proving("covers", list{list{object{"neighbors": list{0, 1}, "output": list{0}, "from": "0", "to": "1"}}}), "a failure that is none")
	j.add(files[2].saying("fails", list{}).proving("covers", list{}), "failures left out")
	j.add(g.saying("fails", list{}).proving("covers", list{}), "failures left out")
	span := found[0].Spans[0]
	ends := func(from, to *big.Rat) *document {
		first := list{from.RatString(), span.From.Hi.RatString(), span.To.Lo.RatString(), to.RatString()}
		return g.saying("fails", append(list{first}, g.statement["fails"].(list)[1:]...))
	}
	inward := func(q *big.Rat, by int64) *big.Rat { return new(big.Rat).Add(q, big.NewRat(by, 1<<40)) }
	if span.From.Hi.Sign() > 0 {
		span.From.Hi = inward(span.From.Hi, 2)
		j.add(ends(inward(span.From.Lo, 1), span.To.Hi), "a range that begins late")
	}
	if span.To.Lo.Cmp(one) < 0 {
		span.To.Lo = inward(span.To.Lo, -2)
		j.add(ends(span.From.Lo, inward(span.To.Hi, -1)), "a range that ends early")
	}
	tables := func(f *document, change func(row object)) *document {
		table := maps.Clone(f.statement["tables"].(list)[0].(object))
		rows := append(list{}, table["rows"].(list)...)
		row := maps.Clone(rows[0].(object))
		change(row)
		rows[0] = row
		table["rows"] = rows
		return f.saying("tables", append(list{table}, f.statement["tables"].(list)[1:]...))
	}
	j.add(tables(f, func(row object) { row["over"] = append(list{}, row["over"].(list)[1:]...) }), "an output without a probability")
	j.add(tables(f, func(row object) {
		over := append(list{}, row["over"].(list)...)
		over[0], over[1] = list{list{0, "-1"}}, row["under"]
		row["over"] = over
	}), "a negative probability")
	j.add(tables(f, func(row object) { row["under"] = list{list{0, "1"}} }), "another sum")
	j.add(f.saying("neighbors", list{list{0, 0}}), "no neighbors")
	j.add(wide[1].saying("fails", list{}).proving("covers", list{}), "failures of several numbers left out")
	cover := wide[1].proof["covers"].(list)[0].(list)[0].(object)
	part := maps.Clone(cover)
	part["neighbors"] = list{0, 3}
	j.add(wide[1].proving("covers", list{list{part}}), "a cover by what are no neighbors")
	j.add(wide[1].proving("covers", list{list{}}), "no cover")
}
