package repl_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"dpworkbench/script"

	"go.starlark.net/syntax"
)

// badScripts generates bad scripts: examples of the manual with up to three places replaced.
type badScripts struct {
	rng      *rand.Rand
	docs     map[string]*script.Doc
	names    []string            // names of the manual's entries, sorted
	params   map[string][]string // parameters by the last part of the function's name
	examples map[string][]spot
}

// spot is a place in an example that can be replaced.
type spot struct {
	start, end int  // in runes
	call       bool // whether it is the end of a call's arguments, where an argument can be added
	function   string
}

// passedOver lists the entries whose examples end the session or run long by design.
var passedOver = []string{"exit", "fail", "timeit", "claims", "type claim"}

func newBadScripts(s *script.Session, seed uint64) *badScripts {
	g := &badScripts{
		rng:      rand.New(rand.NewPCG(seed, 18)),
		docs:     s.Manual(),
		params:   make(map[string][]string),
		examples: make(map[string][]spot),
	}
	maps.DeleteFunc(g.docs, func(name string, d *script.Doc) bool { return d == nil || slices.Contains(passedOver, name) })
	g.names = slices.Sorted(maps.Keys(g.docs))
	for _, name := range g.names {
		d := g.docs[name]
		if _, last, ok := script.CutLast("."+d.Name, "."); ok && d.Callable() {
			g.params[last] = append(g.params[last], d.Parameters()...)
		}
	}
	for _, name := range g.names {
		g.examples[name] = spoilable(g.docs[name].Example)
	}
	return g
}

// spoilable returns the arguments, elements and literals of a script, and the ends of its calls.
func spoilable(source string) []spot {
	f, err := script.Dialect.Parse("example", source, 0)
	if err != nil {
		return nil
	}
	var lines []int // start offsets
	lines = append(lines, 0)
	for i, r := range []rune(source) {
		if r == '\n' {
			lines = append(lines, i+1)
		}
	}
	at := func(p syntax.Position) int { return lines[p.Line-1] + int(p.Col) - 1 }
	var out []spot
	add := func(e syntax.Expr, function string) {
		start, end := e.Span()
		out = append(out, spot{at(start), at(end), false, function})
	}
	syntax.Walk(f, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			function := ""
			switch fn := n.Fn.(type) {
			case *syntax.Ident:
				function = fn.Name
			case *syntax.DotExpr:
				function = fn.Name.Name
				add(fn.X, function)
			}
			for _, a := range n.Args {
				switch a := a.(type) {
				case *syntax.BinaryExpr:
					if a.Op == syntax.EQ {
						add(a.Y, function)
						continue
					}
				case *syntax.UnaryExpr:
					if a.Op == syntax.STAR || a.Op == syntax.STARSTAR {
						continue
					}
				}
				add(a, function)
			}
			out = append(out, spot{at(n.Rparen), at(n.Rparen), true, function})
		case *syntax.Literal:
			add(n, "")
		case *syntax.ListExpr:
			add(n, "")
		case *syntax.TupleExpr:
			if n.Lparen.IsValid() {
				add(n, "")
			}
		}
		return true
	})
	return out
}

// numbersToTry and thingsToTry replace correct arguments.
var (
	numbersToTry = strings.Fields(`0 -0.0 1 -1 2 3 -3 7 10 100 -5 0.5 1e-9 -0.25 0.999999 1.0000000000000002
		1e308 -1e308 1.7976931348623157e308 1e-308 5e-324 -5e-324 1e150 1e-150 1e160 1e80 1e-80 1e-300 1e300 1e9 1e15 1e18 800 -800
		1<<24 1<<31 (1<<31)-1 1<<53 1<<62 1<<63 1<<64 1<<70 -(1<<31) -(1<<62) -(1<<63) -(1<<70) 1<<2000
		float("nan") float("inf") float("-inf") ln(3) ln("1000001/1000000") ln(1<<70) 2*ln(9)/7 ln(3)/1000000007 True False`)
	thingsToTry = strings.Split(`None|""|"x"|"1/3"|"1/0"|"nan"|"-1e400"|"1e-400"|"1e999999999"|"x"*100000|"9"*5000|"é\0"|"graph6~~~"|[]|()|{}|[[]]|[[],[]]|[[],[1]]|[1,[2]]|[None]|[0]*1000|[1]*300|["a"]|
		[0]|[1]|[1,2]|[0,0]|[3,1,2]|[1e308,-1e308]|[1e-320,1e308]|[5e-324]|[float("nan")]|[float("inf"),1]|[1<<70]|[-1,1<<62]|[ln(3),1]|
		[[1,2],[3]]|[[1,2],[3,4]]|[[0,0],[0,0]]|[[1e200,0],[0,1]]|[[1e-200,0],[0,1e200]]|[[float("nan")]]|[[5e-324,0],[0,5e-324]]|[[1,1],[1,1]]|[[1e308,1e308],[1e308,1e308]]|[[-1]]|[[1<<70]]|[[[1]]]|
		[(0,1)]|[(0,1),(10,11)]|[(0,1000000000)]|[(1,0)]|(1,2)|(1e80,0)|[(1e80,0),(0,1)]|{"a":1}|{1:[2]}|{"type":"int"}|set([1])|b"ab"|range(3)|range(1<<40)|[0.1]*9|
		lambda x: 1|lambda: 1|lambda *a: None|lambda x: x/0|lambda x, y: [x]|ln|print|math|purest|matrix([[1,2],[3,4]])|matrix([[1e308,1],[1,1e308]])|table([[1,2]])|
		linear_query([1])|linear_query([(1,0),(0,1)])|linear_query([1e-300,1e300])|graphs(3)|graphs(3).count("edge")|histograms(2,2)|finite_query([0,1,1000000000],edges=[(0,1),(1,2)])|finite_query([0,"1/3",5],distances=[[0,1,2],[1,0,1],[2,1,0]])|
		laplace(graphs(3).count("edge"),1)|purest(linear_query([1]),1)|staircase(linear_query([1]),1)|mvg_noise([[1,0],[0,1]],[[1]])|bernoulli([[0,1],[1,0]])|"bounded"|"discrete"|"laplace"|"edge"`, "|")
)

// spoil returns a replacement for old.
func (g *badScripts) spoil(old string) string {
	pick := func(from []string) string { return strings.TrimSpace(from[g.rng.IntN(len(from))]) }
	switch k := g.rng.IntN(12); {
	case k < 6:
		return pick(numbersToTry)
	case k < 9 || old == "":
		return pick(thingsToTry)
	}
	return fmt.Sprintf(pick([]string{"[%s]", "[%s,%[1]s]", "-(%s)", "(%s)*1e300", "(%s)*1e-300", "(%s)*2", "str(%s)", "(%s)[:1]", "(%s)+[1]", "list(%s)", "matrix(%s)", "(%s)*1000", "[[%s]]"}), old)
}

// next returns a bad script and the entry whose example it modifies.
func (g *badScripts) next() (name, source string) {
	for {
		name = g.names[g.rng.IntN(len(g.names))]
		if places := g.examples[name]; len(places) > 0 {
			return name, g.spoiled(g.docs[name].Example, places)
		}
	}
}

// spoiled returns the example with some of its places replaced.
func (g *badScripts) spoiled(example string, places []spot) string {
	text := []rune(example)
	chosen := make([]spot, 0, 3)
	for range 1 + g.rng.IntN(3)*g.rng.IntN(2) {
		p := places[g.rng.IntN(len(places))]
		if !slices.ContainsFunc(chosen, func(q spot) bool { return p.start <= q.end && q.start <= p.end }) {
			chosen = append(chosen, p)
		}
	}
	slices.SortFunc(chosen, func(a, b spot) int { return b.start - a.start })
	for _, p := range chosen {
		old := string(text[p.start:p.end])
		written := g.spoil(old)
		if p.call {
			written = g.extra(p.function, written)
			written = separated(text[:p.start], written)
		} else if g.rng.IntN(20) == 0 {
			written = "" // a missing argument, or a syntax error
		}
		text = slices.Concat(text[:p.start], []rune(written), text[p.end:])
	}
	return string(text)
}

// separated returns the argument, after a comma unless before ends with a bracket or comma.
func separated(before []rune, argument string) string {
	if text := strings.TrimSpace(string(before)); strings.HasSuffix(text, "(") || strings.HasSuffix(text, ",") {
		return argument
	}
	return ", " + argument
}

// hugeNumbers are too large for memory, too large to be exact in float64, the largest int64, and larger than any int64.
var hugeNumbers = []string{"10000000000", "9007199254740993", "9223372036854775807", "1000000000000000000000000000000"}

// huge returns variants of an entry's example: each replaces one integer by a huge number, or adds a huge number for
// one parameter of one call.
func (g *badScripts) huge(name string) (out []string) {
	text := []rune(g.docs[name].Example)
	for _, p := range g.examples[name] {
		old := string(text[p.start:p.end])
		for _, number := range hugeNumbers {
			put := func(written string) {
				out = append(out, string(slices.Concat(text[:p.start], []rune(written), text[p.end:])))
			}
			if p.call {
				for _, param := range g.params[p.function] {
					put(separated(text[:p.start], param+"="+number))
				}
			} else if strings.Trim(old, "0123456789") == "" {
				put(number)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// extra returns an argument to add to a call, usually a named argument for one of its parameters.
func (g *badScripts) extra(function, value string) string {
	params := g.params[function]
	switch k := g.rng.IntN(8); {
	case k == 0:
		return value
	case k == 1 || len(params) == 0:
		return "nosuch=" + value
	}
	return params[g.rng.IntN(len(params))] + "=" + value
}

// language matches errors of Starlark, of a program's symbols, and of functions passed as arguments. These errors name
// an operator or a place, since there is no function to name.
var language = regexp.MustCompile(`^(got |unknown (unary|binary) op|unhandled|undefined|invalid call|cannot |can't |illegal |invalid |int too large|` +
	`.* (has no|not implemented|out of range|not in |got unexpected|missing)|.*(unsupported|unhashable|positional argument|keyword argument|not iterable|not enough|too (many|few)|accepts|division by zero|frozen|float modulo|floored|shift|index|literal|range|number)|.*limit .*--memory|.*: a comparison with|bingham\.moment: )`)

// asksForNaN matches scripts that compute with NaN or infinity, or with plain floats.
var asksForNaN = regexp.MustCompile(`"nan"|"inf"|"-inf"|1e999|math\.`)
