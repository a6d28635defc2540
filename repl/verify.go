package repl

import (
	"fmt"

	"dpworkbench/evidence"
	"dpworkbench/records"
	"dpworkbench/script"
)

const verifyHelp = "ε of a mechanism is claimed, by a theorem; verify tests it, and the layers, on small universes."

func newVerification(c *script.Call) (any, error) {
	o := records.VerifyOptions{Records: c.Int("records"), Values: c.Floats("values"), Nodes: c.Int("nodes")}
	if m, ok := c.Arg("q").(records.Law); ok {
		return records.Verify(c.Context, m.Query(), m.Remake, o)
	}
	decay := c.Epsilon("decay")
	return records.Verify(c.Context, recordQueryClass.Arg(c, "q"), func(q *records.Query) (records.Law, error) { return records.NewPurest(q, decay) }, o)
}

// gapValue is a witness that a sensitivity is wrong.
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
	Name: "verification", Help: "What a small universe says of a query's layers and of a mechanism made of them.", Setup: verificationSetup,
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
		script.Get("layers -> string", `What the layers are on this universe: "exact", the distances; "valid bound", at most these, and those of neighbors differ by at most 1; or "wrong".`, "", func(v *records.Verification) any { return v.Verdict }),
		script.Get("local_sensitivity -> string?", `What I_t is on this universe, at every t: "exact", the largest change between neighbors of which one is within t changes; "valid bound", at least that, and a neighbor's at t at most this one at t + 1; or "wrong". None where the query has none.`, "", func(v *records.Verification) any { return onlyIf(v.Local != "", v.Local) }),
		script.Get("global_sensitivity -> string?", `The same of the global sensitivity.`, "", func(v *records.Verification) any { return onlyIf(v.Global != "", v.Global) }),
		script.Get("private -> bool", "Whether the claim is confirmed on this universe: the smallest ε is at most the claimed one, to a part of 10⁹ where both touch, and neither layers nor sensitivities are wrong.", "", func(v *records.Verification) any { return v.Keeps == evidence.Confirmed }),
		script.Get("smallest_epsilon -> evidence", "The smallest ε of the mechanism over all neighbors of this universe, in nats. An attribute. Exact or certified.", "", func(v *records.Verification) any { return v.Smallest }),
		script.Get("claimed_epsilon -> evidence", "What the mechanism claims, in nats. Claimed.", "", func(v *records.Verification) any { return v.Claimed }),
		script.Get("datasets -> int", "How many datasets were visited.", "", func(v *records.Verification) any { return v.Datasets }),
		script.Get("pairs -> int", "How many pairs of neighbors.", "", func(v *records.Verification) any { return v.Pairs }),
		script.Get("below -> tuple", "How many layers lie below the distance, which is infinite to a value that no dataset takes, of how many that were compared.", "", func(v *records.Verification) any { return script.Tuple{v.Strict, v.Compared} }),
		script.Get("witness -> dict?", `Where layers are wrong, or are not the distances though they are said to be: a dict with "dataset" (a list of records, or (nodes, edges)), "value", "layer", and "distance" or "neighbor" and "neighbor_layer". Where a sensitivity is so: "dataset", "changes" (t, None of the global one), "sensitivity", and "largest_change" or "neighbor" and "neighbor_sensitivity", I_{t−1} there. None elsewhere.`, "", func(v *records.Verification) any {
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
		script.Get("scope -> string", "What was tested, and what it is tested on.", "", func(v *records.Verification) any { return v.Scope }),
	},
}
