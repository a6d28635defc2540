package repl

import (
	"context"
	"fmt"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/interval"
	"dpworkbench/records"
	"dpworkbench/script"
	"dpworkbench/verify"

	"go.starlark.net/starlark"
)

const ownSetup = "wrong = record_query(value=lambda x: max(x), distance=lambda x, r: len([v for v in x if v > r]))\n"

const verifyHelp = "ε of a mechanism is claimed, by a theorem; verify tests it, and the layers, on small universes."

func newVerification(c *script.Call) (any, error) {
	if k, ok := c.Value("x").(*script.Object); ok {
		if found, err := k.Ask(c, "verify"); found != nil || err != nil {
			return found, err
		}
	}
	c.Fail("x", c.Value("x"), "something with a finite case: a mechanism on a finite query or records, a query, discrete noise on the line, an XOR law, MVG design, private projection, strategy, program or privacy")
	return nil, nil
}

// recomputed returns a class's answer to verify, computed by a function of package verify.
func recomputed[T any](verified func(context.Context, T) (*verify.Report, error)) func(*script.Call, T) (any, error) {
	return func(c *script.Call, v T) (any, error) {
		r, err := verified(c.Context, v)
		return &recomputation{r, script.Made(c.Value("x")), ""}, err
	}
}

// smallUniverse returns the universe on which verify tests mechanisms on records.
func smallUniverse(c *script.Call) records.VerifyOptions {
	return records.VerifyOptions{Records: c.Int("records"), Values: c.Floats("values"), Nodes: c.Int("nodes")}
}

func verifyDesign(c *script.Call, d *design) (any, error) {
	report, pair, err := verify.MVG(c.Context, d)
	if err != nil {
		return nil, err
	}
	rows, _ := pair.Dims()
	at := script.ToValue(script.Each(lists.Of(rows, pair.RawRowView), func(row []float64) any { return row }))
	return &recomputation{report, script.Made(c.Value("x")), fmt.Sprintf("difference_sensitivity([%v])", at)}, nil
}

func verifyProgram(c *script.Call, p *scripted) (any, error) {
	r, err := verify.Account(c.Context, must(p.Account(c.Context)), caseOf(c, c.Value("x")))
	return &recomputation{r, script.Made(c.Value("x")), ""}, err
}

// recomputation is the result of verify for a value.
type recomputation struct {
	*verify.Report
	name, at string
}

var recomputationClass = &script.Class[*recomputation]{
	Name: "recomputation", Help: "The result of recomputing a small case with simple code.", Setup: "v = verify(purest(graphs(4).count(\"triangle\"), 1))\n",
	Show: func(r *recomputation) string {
		text := fmt.Sprintf("<%s: %d numbers recomputed in %d parts", r.Verdict(), r.Cases(), len(r.Parts))
		if line := r.Witness(r.name); line != "" {
			text += "; first disagreement: " + line
		}
		return text + ">"
	},
	Attrs: []script.Attr[*recomputation]{
		script.Get("verdict -> string", `"confirmed" if every part is, "refuted" if one is, else "undecided".`, "", func(r *recomputation) any { return string(r.Verdict()) }),
		script.Get("cases -> int", "The number of compared numbers.", "", func(r *recomputation) any { return r.Cases() }),
		script.Get("witness -> string?", "The first disagreement, as a line of script followed by # with its output and the recomputed value; None if there is none.", "", func(r *recomputation) any {
			return onlyIf(r.Witness(r.name) != "", r.Witness(r.name))
		}),
		script.Get("attained -> string?", "For an MVG design, the difference with the largest whitened norm, as a line of script.", "v = verify(mvg(box_sensitivity(1, 2, [3]), 1, 1e-5))\nprint(v.attained)", func(r *recomputation) any { return onlyIf(r.at != "", r.at) }),
		script.Do("table() -> table", "A table of what was recomputed, in how many cases, and the verdict.", "()", func(c *script.Call, r *recomputation) (any, error) {
			return newTable(c, "", []string{"property", "cases", "verdict"}, lists.Each(r.Parts, func(p *verify.Part) []any { return []any{p.Property, p.Cases, string(p.Verdict)} }), 6)
		}),
	},
}

// witnessLine writes the first disagreement of a verification of x: a call of x at that dataset, with the result after
// #. If x depends on functions of the script, the line repeats the call that found the witness.
func witnessLine(of, x starlark.Value, v *records.Verification) string {
	at, line, own := v.Disagreement()
	if line == "" {
		return ""
	}
	found := false
	name := script.MadeWith(x, func(call string, arguments map[string]starlark.Value) string {
		if found = found || call == "records" || call == "network_records"; call != "records" && call != "network_records" {
			return ""
		}
		data, neighbors := datasetValue(at), arguments["neighbors"]
		if at.Nodes > 0 {
			return fmt.Sprintf("network_records(%v, nodes=%d, neighbors=%v)", data.(starlark.Tuple)[1], at.Nodes, neighbors)
		}
		if names, ok := script.Elements(arguments["categories"]); ok {
			return fmt.Sprintf("records(%v, categories=%v, neighbors=%v)", script.List(at.Records, func(r float64) starlark.Value { return names[int(r)] }), arguments["categories"], neighbors)
		}
		values := v.Options.Values
		step := new(big.Rat).Sub(interval.Decimal(values[1]), interval.Decimal(values[0]))
		return fmt.Sprintf("records(%v, lo=%v, hi=%v, grid=%v, neighbors=%v)", data, values[0], values[len(values)-1], rationalValue(step), neighbors)
	})
	if !found {
		return script.Made(of) + ".witness"
	}
	if _, mechanism := script.Unwrap(x, recordMechanismClass); mechanism && !own {
		name += ".query"
	}
	return name + line
}

// gapValue returns the witness of a wrong sensitivity.
func gapValue(g *records.Gap) any {
	if g == nil {
		return nil
	}
	out := map[string]any{"dataset": datasetValue(g.Dataset), "changes": onlyIf(g.Changes >= 0, g.Changes), "sensitivity": rationalValue(g.Bound)}
	if g.Neighbor == nil {
		out["largest_change"] = rationalValue(g.Other)
	} else {
		out["neighbor"], out["neighbor_sensitivity"] = datasetValue(*g.Neighbor), rationalValue(g.Other)
	}
	return out
}

var verificationClass = &script.Class[*records.Verification]{
	Name: "verification", Help: "The test of a query's layers, and of a mechanism based on them, on a small universe.", Setup: verificationSetup,
	Show: func(v *records.Verification) string {
		parts := "layers: " + v.Verdict
		if v.Verdict != "wrong" && v.Distance != nil {
			parts += ", though said to be exact"
		}
		for _, part := range [][2]string{{"local sensitivity", v.Local}, {"global sensitivity", v.Global}} {
			if part[1] != "" {
				parts += "; " + part[0] + ": " + part[1]
			}
		}
		return fmt.Sprintf("<%s; %s: smallest ε %s, claimed %s: %s; %s>", parts, v.Mechanism, evidence.FormatInterval(v.Smallest, 6), evidence.FormatNumber(v.Claimed, 6), v.Keeps, v.Scope)
	},
	Attrs: []script.Attr[*records.Verification]{
		script.Get("verdict -> string", `"confirmed" if every part is and the claim holds, "refuted" if a part is wrong, else "undecided".`, "", func(v *records.Verification) any { return string(v.Outcome()) }),
		script.Get("cases -> int", "The number of layers and of pairs of neighbors compared.", "", func(v *records.Verification) any { return v.Cases() }),
		script.Get("layers -> string", `The result for the layers on this universe: "exact" (the distances), "valid bound" (at most the distances, and differing by at most 1 between neighbors), or "wrong".`, "", func(v *records.Verification) any { return v.Verdict }),
		script.Get("local_sensitivity -> string?", `The result for I_t on this universe, at every t: "exact" (the largest change between neighbors one of which is within t changes), "valid bound" (at least that, and for a neighbor at t at most this dataset's at t + 1), or "wrong". None if the query has no local sensitivity.`, "", func(v *records.Verification) any { return onlyIf(v.Local != "", v.Local) }),
		script.Get("global_sensitivity -> string?", `The same for the global sensitivity.`, "", func(v *records.Verification) any { return onlyIf(v.Global != "", v.Global) }),
		script.Get("private -> bool", "Whether the claim is confirmed on this universe: the smallest ε is at most the claimed one, up to a relative 1e-9, and neither layers nor sensitivities are wrong.", "", func(v *records.Verification) any { return v.Keeps == evidence.Confirmed }),
		script.Get("smallest_epsilon -> evidence", "The smallest ε of the mechanism over all neighbors of this universe, in nats. An attribute. Exact or certified.", "", func(v *records.Verification) any { return v.Smallest }),
		script.Get("claimed_epsilon -> evidence", "The claimed ε of the mechanism, in nats. Claimed.", "", func(v *records.Verification) any { return v.Claimed }),
		script.Get("datasets -> int", "The number of datasets visited.", "", func(v *records.Verification) any { return v.Datasets }),
		script.Get("pairs -> int", "The number of neighboring pairs.", "", func(v *records.Verification) any { return v.Pairs }),
		script.Get("below -> tuple", "How many of the compared layers are below the distance, which is infinite for a value that no dataset has.", "", func(v *records.Verification) any { return script.Tuple{v.Strict, v.Compared} }),
		script.Get("witness -> dict?", `For layers that are wrong, or claimed to be exact and are not: a dict with "dataset" (a list of records, or (nodes, edges)), "value", "layer", and "distance" or "neighbor" and "neighbor_layer". For such a sensitivity: "dataset", "changes" (t, or None for the global one), "sensitivity", and "largest_change" or "neighbor" and "neighbor_sensitivity", which is I_{t−1} there. None otherwise.`, "", func(v *records.Verification) any {
			w := v.Lipschitz
			if w == nil || v.Distance != nil {
				w = v.Distance
			}
			if w == nil {
				return gapValue(v.Gap)
			}
			layer := func(t int) any { return onlyIf(t >= 0, t) }
			out := map[string]any{"dataset": datasetValue(w.Dataset), "value": rationalValue(w.Value), "layer": layer(w.Layer)}
			if w.Neighbor == nil {
				out["distance"] = layer(w.Other)
			} else {
				out["neighbor"], out["neighbor_layer"] = datasetValue(*w.Neighbor), layer(w.Other)
			}
			return out
		}),
		script.Do("line -> string?", "The first disagreement, as a line of script followed by # with its output and the recomputed value: a call of the query, or of the mechanism's layers, at that dataset. If x uses functions of your own, the line computes witness. None if there is no disagreement.", ownSetup+"print(verify(wrong, records=2, values=[0, 1, 2]).line)", func(c *script.Call, v *records.Verification) (any, error) {
			_, arguments := script.MadeBy(c.Self())
			line := witnessLine(c.Self(), arguments["x"], v)
			return onlyIf(line != "", line), nil
		}),
		script.Get("scope -> string", "What was tested, and on which universe.", "", func(v *records.Verification) any { return v.Scope }),
	},
}
