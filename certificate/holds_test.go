package certificate_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"dpworkbench/evidence"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/optimize"
	"dpworkbench/query"
)

// stated is what statements of finite mechanisms hold.
type stated struct {
	Kind      string
	Mechanism struct {
		Name  string
		Query statedQuery
		Law   statedLaw
	}
	Query     statedQuery
	Eps       statedEpsilon
	Delta     string
	Objective string
	Dataset   *int
	Prior     []string
	Is        struct{ Equal, Ln, Lo, Hi string }
}

type statedQuery struct {
	Values, Range []string
	Metric        any
	Neighbors     [][2]int
	Distances     [][]string
	Graphs        *struct {
		Nodes   int
		Classes []string
		Count   string
	}
}

type statedEpsilon struct{ Rational, Ln, Times string }

type statedLaw struct {
	Rule             string
	Decay, Eps, Unit statedEpsilon
	Initial          [][][2]json.RawMessage
	Levels           [][]*int32
	Rows             [][]string
}

// failed carries what cannot be read out of the helpers below.
type failed struct{ err error }

func ok[T any](v T, err error) T {
	if err != nil {
		panic(failed{err})
	}
	return v
}

// holds returns an error where what a certificate states is false, computed by the workbench from the statement
// alone, or cannot be read.
func holds(text []byte) (err error) {
	defer func() {
		if r := recover(); r != nil {
			f, known := r.(failed)
			if !known {
				panic(r)
			}
			err = f.err
		}
	}()
	var file struct{ Statement stated }
	ok(0, json.Unmarshal(text, &file))
	s, ctx := file.Statement, context.Background()
	var n evidence.Number
	switch s.Kind {
	case "smallest epsilon":
		n = ok(mechanism.Privacy(s.mechanism()).Epsilon(ctx, 0))
	case "delta":
		n = ok(mechanism.Privacy(s.mechanism()).Delta(ctx, s.Eps.epsilon()))
	case "distortion":
		if s.Dataset != nil {
			n = mechanism.Distortion(s.mechanism(), *s.Dataset)
		} else {
			n = ok(mechanism.ExpectedDistortion(ctx, s.mechanism(), rats(s.Prior)))
		}
	case "optimum":
		o := optimize.Options{Objective: optimize.Objective(s.Objective), Delta: rat(s.Delta)}
		if o.Objective == optimize.Mean {
			o.Prior = rats(s.Prior)
		}
		m, err := optimize.NewOptimal(ctx, s.Query.query(), s.Eps.epsilon(), o)
		if m == nil {
			return err
		}
		n = m.Optimum()
	default:
		return fmt.Errorf("the kind %q is not known", s.Kind)
	}
	return s.compare(n)
}

// compare returns an error where the number is certainly not what is stated.
func (s stated) compare(n evidence.Number) error {
	lo, hi := n.Bounds()
	between := func(a, b float64) error {
		if b < lo || a > hi {
			return fmt.Errorf("it is %v", n)
		}
		return nil
	}
	switch {
	case s.Is.Equal != "":
		if e, exact := n.(evidence.Exact); exact && e.Value.Cmp(rat(s.Is.Equal)) != 0 {
			return fmt.Errorf("it is %v", n)
		}
		v, _ := rat(s.Is.Equal).Float64()
		return between(v*(1-1e-15), v*(1+1e-15))
	case s.Is.Ln != "":
		if e, exact := n.(evidence.ExactLog); exact && e.Argument.Cmp(rat(s.Is.Ln)) != 0 {
			return fmt.Errorf("it is %v", n)
		}
		v, _ := rat(s.Is.Ln).Float64()
		return between(math.Log(v)*(1-1e-14), math.Log(v)*(1+1e-14))
	}
	end := func(text string, away float64) float64 {
		if text == "inf" {
			return math.Inf(1)
		}
		v, _ := rat(text).Float64()
		return math.Nextafter(v, away)
	}
	return between(end(s.Is.Lo, math.Inf(-1)), end(s.Is.Hi, math.Inf(1)))
}

// rat reads a number of a certificate.
func rat(text string) *big.Rat {
	if over, power, dyadic := strings.Cut(text, "*2^"); dyadic {
		q := rat(over)
		e := ok(strconv.Atoi(power))
		shift := new(big.Int).Lsh(big.NewInt(1), uint(max(e, -e)))
		if e < 0 {
			return q.Quo(q, new(big.Rat).SetInt(shift))
		}
		return q.Mul(q, new(big.Rat).SetInt(shift))
	}
	q, read := new(big.Rat).SetString(text)
	if !read {
		panic(failed{fmt.Errorf("%q is no number", text)})
	}
	return q
}

func rats(texts []string) []*big.Rat {
	out := make([]*big.Rat, len(texts))
	for i, text := range texts {
		out[i] = rat(text)
	}
	return out
}

func (e statedEpsilon) epsilon() evidence.Epsilon {
	if e.Rational == "0" {
		return evidence.Epsilon{}
	}
	if e.Rational != "" {
		return ok(evidence.RationalEpsilon("eps", rat(e.Rational)))
	}
	base := ok(evidence.LogEpsilon("eps", rat(e.Ln)))
	if e.Times == "" {
		return base
	}
	times := rat(e.Times)
	return base.Ratio(times.Num().Int64(), times.Denom().Int64())
}

func (s statedQuery) query() *query.Query {
	var space *query.Space
	if s.Distances != nil {
		rows := make([][]float64, len(s.Distances))
		for x, row := range s.Distances {
			for _, d := range row {
				v := math.Inf(1)
				if d != "inf" {
					v, _ = rat(d).Float64()
				}
				rows[x] = append(rows[x], v)
			}
		}
		space = ok(query.NewMatrixSpace(rows))
	} else {
		space = ok(query.NewPathSpace(len(s.Values), s.Neighbors))
	}
	value := func(text string) query.Value {
		if s.Metric == "abs" {
			return query.RationalValue(rat(text))
		}
		return query.Name(text)
	}
	var values, span []query.Value
	for _, v := range s.Values {
		values = append(values, value(v))
	}
	for _, v := range s.Range {
		span = append(span, value(v))
	}
	metric := query.ValueMetric{Discrete: s.Metric == "discrete"}
	if rows, matrix := s.Metric.([]any); matrix {
		for _, row := range rows {
			var out []*big.Rat
			for _, d := range row.([]any) {
				out = append(out, rat(d.(string)))
			}
			metric.Rational = append(metric.Rational, out)
		}
	}
	q := ok(query.New("stated", space, values, span, metric))
	if s.Graphs != nil {
		g := ok(query.NewGraphs(context.Background(), s.Graphs.Nodes))
		counts := ok(g.Counts(s.Graphs.Count))
		for x, class := range s.Graphs.Classes {
			i := ok(g.Index(class))
			if v, _ := query.RationalOf(values[x]); v.Cmp(new(big.Rat).SetInt64(int64(counts[i]))) != 0 {
				panic(failed{errors.New("the counts are false")})
			}
		}
		if g.Size() != len(values) || !slices.Equal(slices.Compact(slices.Sorted(slices.Values(s.Graphs.Classes))), slices.Sorted(slices.Values(s.Graphs.Classes))) {
			panic(failed{errors.New("these are not all graphs")})
		}
	}
	return q
}

func (s stated) mechanism() mechanism.Mechanism {
	ctx, law := context.Background(), s.Mechanism.Law
	q := s.Mechanism.Query.query()
	switch law.Rule {
	case "purest":
		return ok(layers.NewPurest(ctx, q, law.Decay.epsilon()))
	case "layered":
		sets := layers.Sets{At: make([]map[int][]int, q.Size())}
		for x, given := range law.Initial {
			sets.At[x] = make(map[int][]int)
			for _, entry := range given {
				var i int
				var places []int
				ok(0, json.Unmarshal(entry[0], &i))
				ok(0, json.Unmarshal(entry[1], &places))
				sets.At[x][i] = places
			}
		}
		return ok(layers.NewGeneral(ctx, q, law.Decay.epsilon(), sets, layers.Closure))
	case "levels":
		var table []int32
		for _, row := range law.Levels {
			for _, level := range row {
				if level == nil {
					table = append(table, query.Unreached)
				} else {
					table = append(table, *level)
				}
			}
		}
		levels := ok(mechanism.NewLevels(ctx, q, table))
		return mechanism.NewLeveled("levels", levels, law.Unit.epsilon(), nil)
	case "ladder":
		return ok(mechanism.NewLadder(ctx, q, law.Eps.epsilon()))
	case "exponential":
		return ok(mechanism.NewExponential(ctx, q, law.Eps.epsilon()))
	case "laplace":
		return ok(mechanism.NewLaplace(ctx, q, law.Eps.epsilon()))
	case "geometric":
		return ok(mechanism.NewGeometric(ctx, q, law.Eps.epsilon()))
	case "table":
		rows := make([][]*big.Rat, len(law.Rows))
		for x, row := range law.Rows {
			rows[x] = rats(row)
		}
		return ok(mechanism.NewRationalTable(mechanism.Heading{Name: "table", Query: q}, rows, nil))
	}
	panic(failed{fmt.Errorf("the rule %q is not known", law.Rule)})
}
