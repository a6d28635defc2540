package records_test

import (
	"errors"
	"fmt"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/records"
)

// A predicate that says the same of every value leaves the count where it is, but for the number of records. What it says of
// values that nobody asked stays open, and is the same at all datasets.
func TestConstantPredicates(t *testing.T) {
	eps := must.For(evidence.NewEpsilon("eps", 1))(t)
	is := func(what bool) func(*big.Rat) (bool, error) {
		return func(*big.Rat) (bool, error) { return what, nil }
	}
	for _, neighbors := range []records.Neighbors{records.Replace, records.AddRemove} {
		at := func(grid *big.Rat, hi int64) *records.Records {
			return must.For(records.New([]float64{0, 2}, records.Options{Lo: rat(0, 1), Hi: rat(hi, 1), Grid: grid, Neighbors: neighbors}))(t)
		}
		fails := func(v *big.Rat) (bool, error) {
			return false, map[bool]error{true: errors.New("fails")}[v.Cmp(rat(2, 1)) > 0]
		}
		for name, c := range map[string]struct {
			r     *records.Records
			which func(*big.Rat) (bool, error)
			want  string // the layers of 0, 1 and 2, I_1, whether that, Δ and layers are exact
		}{
			"none":            {at(rat(1, 1), 3), is(false), "[0 -1 -1] 0/1 true certified true"},
			"all":             {at(rat(1, 1), 3), is(true), map[records.Neighbors]string{records.Replace: "[-1 -1 0] 0/1 true certified true", records.AddRemove: "[-1 1 0] 1/1 true exact true"}[neighbors]},
			"some":            {at(rat(1, 1), 3), func(v *big.Rat) (bool, error) { return v.Cmp(rat(1, 1)) == 0, nil }, "[0 1 2] 1/1 true exact true"},
			"none, no grid":   {at(nil, 3), is(false), "[0 1 2] 1/1 false certified false"},
			"none, fine grid": {at(rat(1, 1<<20), 3), is(false), "[0 1 2] 1/1 false certified false"},
			"a third":         {at(nil, 3), func(v *big.Rat) (bool, error) { return v.Cmp(rat(1, 1)) > 0 && v.Cmp(rat(10, 9)) < 0, nil }, "[0 1 2] 1/1 true exact true"},
			"one in 2^60":     {at(nil, 1<<60), func(v *big.Rat) (bool, error) { return v.Cmp(rat(2, 1)) == 0, nil }, "[1 0 1] 1/1 false certified false"},
			"failing":         {at(rat(1, 1), 3), fails, "[0 1 2] 1/1 false certified false"},
		} {
			q := must.For(c.r.Count(c.which))(t)
			var layers []int
			for v := range int64(3) {
				layers = append(layers, must.For(q.Layer(rat(v, 1)))(t))
			}
			if have := fmt.Sprintf("%v %v %v %v %v", layers, must.For(q.Local(1))(t), q.LocalIsExact(1), must.For(q.GlobalSensitivity())(t).Kind(), q.Exact()); have != c.want {
				t.Errorf("%s under %s: %s, want %s", name, neighbors, have, c.want)
			}
			if name == "failing" || name == "one in 2^60" {
				continue
			}
			for what, of := range map[string]func(q *records.Query) (records.Law, error){"purest": purest, "ladder": func(q *records.Query) (records.Law, error) { return records.NewLadder(q, eps) }, "smooth": func(q *records.Query) (records.Law, error) { return mechanisms["smooth"](q, eps) }} {
				v := must.For(records.Verify(ctx, q, of, records.VerifyOptions{Records: 4, Values: []float64{0, 1, 2}}))(t)
				if v.Keeps != evidence.Confirmed || what == "purest" && v.Verdict != "exact" || v.Verdict == "wrong" || v.Local != "exact" || v.Gap != nil {
					t.Errorf("%s of %s under %s: layers %s, local sensitivities %s, %v, %s", what, name, neighbors, v.Verdict, v.Local, v.Gap, v.Keeps)
				}
				if m := must.For(of(q))(t); c.want[:10] == "[0 -1 -1] " && must.For(m.Distortion(ctx))(t).Float() != 0 {
					t.Errorf("%s of %s under %s does not always answer 0", what, name, neighbors)
				}
			}
		}
	}
}
