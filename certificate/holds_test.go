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
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/optimize"
	"dpworkbench/query"
)

// stated is what statements of finite mechanisms hold.
type stated struct {
	Kind      string
	Mechanism statedMechanism
	Query     statedQuery
	Eps       statedEpsilon
	Delta     string
	Objective string
	Dataset   *int
	Prior     []string
	Is        statedNumber
}

type statedMechanism struct {
	Name  string
	Query statedQuery
	Law   statedLaw
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
	Initial          statedInitial
	Levels           [][]*int32
	Rows             [][]string
}

// statedInitial are initial values, by datasets and layers.
type statedInitial [][][2]json.RawMessage

func (s statedInitial) sets() layers.Sets {
	sets := layers.Sets{At: make([]map[int][]int, len(s))}
	for x, given := range s {
		sets.At[x] = make(map[int][]int)
		for _, entry := range given {
			var i int
			var places []int
			must.Be(0, json.Unmarshal(entry[0], &i))
			must.Be(0, json.Unmarshal(entry[1], &places))
			sets.At[x][i] = places
		}
	}
	return sets
}

// failed carries what cannot be read out of the helpers below.
type failed struct{ err error }

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
	var file struct{ Statement json.RawMessage }
	must.Be(0, json.Unmarshal(text, &file))
	return statementHolds(file.Statement)
}

// statementHolds is holds of a statement.
func statementHolds(statement []byte) error {
	var s struct{ Kind string }
	must.Be(0, json.Unmarshal(statement, &s))
	truth := truths[s.Kind]
	if truth == nil {
		return fmt.Errorf("the kind %q is not known", s.Kind)
	}
	return truth(statement)
}

// truths are what says of the statements of a kind that they are false.
var truths map[string]func(statement []byte) error

func init() {
	truths = map[string]func(statement []byte) error{
		"smallest epsilon": reading(func(s stated) error {
			return s.Is.allows(must.Be(mechanism.Privacy(s.mechanism()).Epsilon(context.Background(), evidence.Delta{})))
		}),
		"delta": reading(func(s stated) error {
			return s.Is.allows(must.Be(mechanism.Privacy(s.mechanism()).Delta(context.Background(), s.Eps.epsilon())))
		}),
		"distortion":       reading(distortionHolds),
		"optimum":          reading(optimumHolds),
		"epsilon":          reading(epsilonHolds),
		"trade-off":        reading(tradeoffHolds),
		"composition":      reading(compositionHolds),
		"comparison":       reading(comparisonHolds),
		"layers":           reading(layersHold),
		"migration":        reading(layersHold),
		"universe":         reading(universeHolds),
		"bits epsilon":     reading(bitsHold),
		"bits normalizer":  reading(bitsHold),
		"bits flips":       reading(bitsHold),
		"gaussian delta":   reading(func(s statedGaussian) error { return s.Is.meets(deltaOfNormal(s.Eps, s.mu())) }),
		"gaussian epsilon": reading(func(s statedGaussian) error { return s.Is.meets(epsilonOfNormal(s.Delta, s.mu())) }),
		"gaussian sigma":   reading(sigmaHolds),
		"gaussian mu":      reading(muHolds),
		"mvg sensitivity":  reading(func(s statedDesign) error { return s.Is.meets(s.mu()) }),
		"mvg delta":        reading(func(s statedDesign) error { return s.Is.meets(deltaOfNormal(s.Eps, s.mu())) }),
		"mvg epsilon":      reading(func(s statedDesign) error { return s.Is.meets(epsilonOfNormal(s.Delta, s.mu())) }),
		"water-filling":    reading(fillingHolds),
		"rademacher":       reading(chanceHolds),
		"signs epsilon":    reading(signsHold),
		"refutation":       reading(refutationHolds),
		"program":          reading(programHolds),
	}
}

// reading returns what reads a statement and judges it.
func reading[S any](judge func(s S) error) func(statement []byte) error {
	return func(statement []byte) error {
		var s S
		must.Be(0, json.Unmarshal(statement, &s))
		return judge(s)
	}
}

func distortionHolds(s stated) error {
	if s.Dataset != nil {
		return s.Is.allows(mechanism.Distortion(s.mechanism(), *s.Dataset))
	}
	return s.Is.allows(must.Be(mechanism.ExpectedDistortion(context.Background(), s.mechanism(), rats(s.Prior))))
}

func optimumHolds(s stated) error {
	o := optimize.Options{Objective: optimize.Objective(s.Objective)}
	if o.Objective == optimize.Mean {
		o.Prior = rats(s.Prior)
	}
	d := rat(s.Delta)
	if d.Cmp(big.NewRat(1, 1)) == 0 { // no constraint is left, and f(x) itself costs nothing
		return s.Is.allows(evidence.Exact{Value: new(big.Rat)})
	}
	o.Delta = evidencetest.RationalDelta(d)
	m, err := optimize.NewOptimal(context.Background(), s.Query.query(), s.Eps.epsilon(), o)
	if m == nil {
		return err
	}
	return s.Is.allows(m.Optimum())
}

// statedNumber is what a number is.
type statedNumber struct{ Equal, Ln, Lo, Hi string }

// allows returns an error where a number is certainly not what is stated.
func (s statedNumber) allows(n evidence.Number) error {
	switch n := n.(type) {
	case evidence.Exact:
		if s.Equal != "" && n.Value.Cmp(rat(s.Equal)) != 0 {
			return fmt.Errorf("it is %v", n)
		}
	case evidence.ExactLog:
		if s.Ln != "" && n.Argument.Cmp(rat(s.Ln)) != 0 {
			return fmt.Errorf("it is %v", n)
		}
	}
	return s.meets(evidence.Enclosure(n))
}

// meets is allows of what is known to lie in an interval.
func (s statedNumber) meets(known interval.Interval) error {
	var low, high interval.Interval
	switch {
	case s.Equal != "":
		low, high = interval.Rat(rat(s.Equal)), interval.Rat(rat(s.Equal))
	case s.Ln != "":
		low = interval.Rat(rat(s.Ln)).Log()
		high = low
	default:
		if low = interval.Float(math.Inf(1)); s.Lo != "inf" {
			low = interval.Rat(rat(s.Lo))
		}
		if high = interval.Float(math.Inf(1)); s.Hi != "inf" {
			high = interval.Rat(rat(s.Hi))
		}
	}
	if known.Less(low) || high.Less(known) {
		return fmt.Errorf("it is %v", known)
	}
	return nil
}

// rat reads a number of a certificate.
func rat(text string) *big.Rat {
	if over, power, dyadic := strings.Cut(text, "*2^"); dyadic {
		q := rat(over)
		e := must.Be(strconv.Atoi(power))
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
		return must.Be(evidence.RationalEpsilon("eps", rat(e.Rational)))
	}
	base := must.Be(evidence.LogEpsilon("eps", rat(e.Ln)))
	if e.Times == "" {
		return base
	}
	times := rat(e.Times)
	return base.Ratio(times.Num().Int64(), times.Denom().Int64())
}

func (s statedQuery) query() *query.Query {
	var space *query.Space
	if s.Distances != nil {
		rows := make([][]*big.Rat, len(s.Distances)) // nil for infinite
		for x, row := range s.Distances {
			for _, d := range row {
				var v *big.Rat
				if d != "inf" {
					v = rat(d)
				}
				rows[x] = append(rows[x], v)
			}
		}
		space = must.Be(query.NewRationalSpace(context.Background(), rows))
	} else {
		space = must.Be(query.NewPathSpace(len(s.Values), s.Neighbors))
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
	q := must.Be(query.New("stated", space, values, span, metric))
	if s.Graphs != nil {
		g := must.Be(query.NewGraphs(context.Background(), s.Graphs.Nodes))
		counts := must.Be(g.Counts(s.Graphs.Count))
		for x, class := range s.Graphs.Classes {
			i := must.Be(g.Index(class))
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

func (s stated) mechanism() mechanism.Mechanism { return s.Mechanism.mechanism() }

func (s statedMechanism) mechanism() mechanism.Mechanism {
	ctx, law := context.Background(), s.Law
	q := s.Query.query()
	switch law.Rule {
	case "purest":
		return must.Be(layers.NewPurest(ctx, q, law.Decay.epsilon()))
	case "layered":
		return must.Be(layers.NewGeneral(ctx, q, law.Decay.epsilon(), law.Initial.sets(), layers.Closure))
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
		levels := must.Be(mechanism.NewLayerTable(ctx, q, table))
		return mechanism.NewLayered("levels", levels, law.Unit.epsilon(), nil)
	case "ladder":
		return must.Be(mechanism.NewLadder(ctx, q, law.Eps.epsilon()))
	case "exponential":
		return must.Be(mechanism.NewExponential(ctx, q, law.Eps.epsilon()))
	case "laplace":
		return must.Be(mechanism.NewLaplace(ctx, q, law.Eps.epsilon()))
	case "geometric":
		return must.Be(mechanism.NewGeometric(ctx, q, law.Eps.epsilon()))
	case "table":
		rows := make([][]*big.Rat, len(law.Rows))
		for x, row := range law.Rows {
			rows[x] = rats(row)
		}
		return must.Be(mechanism.NewRationalTable(mechanism.Info{Name: "table", Query: q}, rows, nil))
	}
	panic(failed{fmt.Errorf("the rule %q is not known", law.Rule)})
}
