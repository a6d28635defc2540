package repl

import (
	"cmp"
	"fmt"
	"math"

	"dpworkbench/internal/lists"
	"dpworkbench/reproductions/learn"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// communityBuiltins returns the built-ins that find communities in networks and fit their degrees.
func communityBuiltins() []script.Builtin {
	return []script.Builtin{
		script.Func("power_law(values: ints, x_min: int[1..]=None, x_max: int[2..]=None) -> power_law",
			"A discrete power law p(k) ∝ k^-exponent, k ≥ x_min, fitted to values, such as degrees, by maximum likelihood with Hurwitz's ζ. By default x_min is the value whose fit has the least Kolmogorov–Smirnov distance (Clauset, Shalizi and Newman 2009). x_max restricts the law to x_min, …, x_max. Zeros are ignored. It is an error if fewer than two different values are in the range.",
			"g = network([(0, 1), (1, 2), (2, 0), (2, 3), (2, 4), (4, 5)])\nf = power_law(g.degrees)\nprint(f.exponent, f.x_min, f.distance)", func(c *script.Call) (any, error) {
				return learn.FitPowerLaw(c.Context, c.Ints("values"), learn.PowerLawOptions{Min: c.Int("x_min"), Max: c.Int("x_max")})
			}),
		script.Func("bigclam(network: network, communities: int[1..], seed: seed=0, background: positive=None, tolerance: positive=0.0001, sweeps: int[1..]=100) -> bigclam",
			"Overlapping communities by BIGCLAM (Yang and Leskovec, WSDM 2013): nodes u and v are joined with probability 1 - exp(-F_u·F_v), F ≥ 0 with a column for each community, fitted by block coordinate gradient ascent. It starts from the neighborhoods of least conductance, of nodes with degree at least 5, none of which is another's neighbor; if they are too few, further neighborhoods are drawn with seed. background is the probability of an edge between nodes without a common community, by default 1/nodes as in the authors' program. The ascent ends if a sweep over all nodes gains less than the fraction tolerance of the log-likelihood, or after sweeps sweeps.",
			"clique = lambda nodes: [(u, v) for u in nodes for v in nodes if u < v]\ng = network(clique(range(7)) + clique(range(7, 13)) + [(6, 7)])\nb = bigclam(g, 2)\nprint(b.communities())", func(c *script.Call) (any, error) {
				opts := learn.BigclamOptions{Tolerance: c.Float("tolerance"), MostSweeps: c.Int("sweeps"), Background: c.Float("background")}
				return learn.FitBigclam(c.Context, networkClass.Arg(c, "network").bits.Rows(), c.Int("communities"), opts, c.Source("seed"))
			}),
		script.Func("average_f1(found: node_sets, truth: node_sets, nodes: int[1..]=None) -> number",
			"The average F₁ score of found communities against true ones, each a list of nodes: half the mean over the found of the best F₁ score with a true one, plus half the mean over the true of the best with a found one (Yang and Leskovec 2013). Nodes are numbers from 0, and less than nodes if that is given. The score is 0 if nothing was found.",
			"print(average_f1([[0, 1, 2], [3, 4]], [[0, 1], [2, 3, 4]]))", func(c *script.Call) (any, error) {
				return learn.AverageF1(cmp.Or(c.Int("nodes"), math.MaxInt), c.Arg("found").([][]int), c.Arg("truth").([][]int))
			}),
		script.Func(`node_groups(network: network, labels: list, outside: "refuse"|"drop"="refuse") -> list`,
			`The groups of a network's nodes according to labels, in the form of average_f1: a list of lists of node numbers, in the order of first occurrence. labels is a list of pairs (old number of the node, group), such as dataset("email-Eu-core-labels"); a group is a number or a string, and a node may have several. A label for an unknown node is an error, or is dropped; empty groups are omitted.`,
			`g = network([(5, 7), (7, 9)])
print(node_groups(g, [(5, "a"), (7, "a"), (9, "b")]))`, nodeGroups),
	}
}

// nodeGroups implements node_groups.
func nodeGroups(c *script.Call) (any, error) {
	number := make(map[int]int)
	for i, name := range networkClass.Arg(c, "network").nodeNames() {
		number[name] = i
	}
	var groups [][]int
	place := starlark.NewDict(0)
	seen := make(map[[2]int]bool)
	for i, label := range c.List("labels") {
		where := fmt.Sprintf("labels[%d]", i)
		pair := elements(c, where, label, "a pair (node, group)", 2)
		name, ok := script.ToInt(pair[0])
		if !ok {
			c.Fail(where, label, "a pair (node, group) with a whole number for the node")
		}
		switch pair[1].(type) {
		case starlark.Int, starlark.String:
		default:
			c.Fail(where, label, "a pair (node, group) with a whole number or a string for the group")
		}
		v, ok := number[name]
		if !ok {
			if c.Text("outside") == "drop" {
				continue
			}
			return nil, fmt.Errorf("%s names node %d, which is not in the network; outside=\"drop\" ignores such labels", where, name)
		}
		at, known, err := place.Get(pair[1])
		stop(err)
		if !known {
			at = starlark.MakeInt(len(groups))
			stop(place.SetKey(pair[1], at))
			groups = append(groups, nil)
		}
		g, _ := script.ToInt(at)
		if seen[[2]int{g, v}] {
			return nil, fmt.Errorf("%s puts node %d into group %v twice", where, name, pair[1])
		}
		seen[[2]int{g, v}] = true
		groups[g] = append(groups[g], v)
	}
	return nodeSets(groups), nil
}

// nodeSets returns a list of lists of nodes.
func nodeSets(sets [][]int) any { return script.Each(sets, func(set []int) any { return set }) }

// communityKinds returns the parameter kinds of communityBuiltins.
func communityKinds() []script.Kind {
	return []script.Kind{script.KindOfList("node_sets", func(c *script.Call, name string, v starlark.Value) []int {
		return script.ListOf(c, name, v, func(name string, v starlark.Value) int {
			n, ok := script.ToInt(v)
			if !ok {
				c.Fail(name, v, "the number of a node")
			}
			return n
		})
	})}
}

var powerLawClass = &script.Class[*learn.PowerLaw]{
	Name: "power_law", Help: "A discrete power law fitted to values.", Setup: "f = power_law([1, 1, 1, 2, 2, 3, 5, 1, 2, 9])\n",
	Show: func(f *learn.PowerLaw) string {
		return fmt.Sprintf("<power law with exponent %.6g from %d on, fitted to %d values>", f.Exponent, f.Min, f.Tail)
	},
	Attrs: []script.Attr[*learn.PowerLaw]{
		script.Get("exponent -> number", "The maximum likelihood estimate of the exponent.", "", func(f *learn.PowerLaw) any { return f.Exponent }),
		script.Get("standard_error -> number", "The exponent's standard error, from the curvature of the likelihood. It ignores the choice of x_min.", "", func(f *learn.PowerLaw) any { return f.StandardError }),
		script.Get("x_min -> int", "The least value of the law.", "", func(f *learn.PowerLaw) any { return f.Min }),
		script.Get("x_max -> int?", "The largest value of the law, or None.", "", func(f *learn.PowerLaw) any { return onlyIf(f.Max > 0, f.Max) }),
		script.Get("distance -> number", "The Kolmogorov–Smirnov distance between the law and the values from x_min to x_max.", "", func(f *learn.PowerLaw) any { return f.Distance }),
		script.Get("tail -> int", "The number of values in the range.", "", func(f *learn.PowerLaw) any { return f.Tail }),
		script.Get("log_likelihood -> number", "The log-likelihood of the values from x_min to x_max.", "", func(f *learn.PowerLaw) any { return f.LogLikelihood }),
	},
}

var bigclamClass = &script.Class[*learn.Bigclam]{
	Name: "bigclam", Help: "Overlapping communities of a network, fitted by BIGCLAM.",
	Setup: "clique = lambda nodes: [(u, v) for u in nodes for v in nodes if u < v]\nb = bigclam(network(clique(range(6)) + clique(range(6, 12))), 2)\n",
	Show: func(b *learn.Bigclam) string {
		return fmt.Sprintf("<BIGCLAM with %d communities on %d nodes, %d sweeps>", b.Communities, b.Nodes, b.Sweeps)
	},
	Attrs: []script.Attr[*learn.Bigclam]{
		script.Do("communities(threshold: positive=None) -> list", "The nodes of each community whose affiliation exceeds the threshold, a list of lists without empty communities. The default is the attribute threshold.", "()", func(c *script.Call, b *learn.Bigclam) (any, error) {
			return nodeSets(b.Members(cmp.Or(c.Float("threshold"), b.Threshold))), nil
		}),
		script.Get("threshold -> number", "√(-ln(1 - density)): two nodes with this affiliation to a single common community are joined with the probability of a random pair.", "", func(b *learn.Bigclam) any { return b.Threshold }),
		script.Get("affiliations -> matrix", "F, a row for each node and a column for each community.", "", func(b *learn.Bigclam) any {
			rows := lists.Of(b.Nodes, func(u int) []float64 { return b.Affiliations[u*b.Communities : (u+1)*b.Communities] })
			return script.NewMatrix(rows)
		}),
		script.Get("log_likelihood -> number", "The log-likelihood of the network, background included.", "", func(b *learn.Bigclam) any { return b.LogLikelihood }),
		script.Get("sweeps -> int", "Sweeps over all nodes.", "", func(b *learn.Bigclam) any { return b.Sweeps }),
		script.Get("converged -> bool", "Whether the last sweep gained less than the tolerance.", "", func(b *learn.Bigclam) any { return b.Converged }),
	},
}
