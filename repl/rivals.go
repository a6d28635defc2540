package repl

import (
	"context"
	"fmt"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/mechanism"
	"dpworkbench/optimize"
	"dpworkbench/privacy"
	"dpworkbench/reproductions/networks"
	"dpworkbench/script"
	"dpworkbench/xor"

	"go.starlark.net/starlark"
)

const rivalSetup = "g = network([(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (4, 5)])\n"

// rivalBuiltins returns the mechanisms that the XOR paper compares with.
func rivalBuiltins() []script.Builtin {
	return []script.Builtin{
		script.Func("pygmalion(eps: epsilon, degree_bound: int[1..32767]=None, partitions: int[0..30]=None, all_tuples: bool=False, smooth: bool=True) -> graph_rival",
			"Pygmalion (Sala et al. 2011): a graph made of a noisy dK-2 series, the number of edges for each tuple of degrees. Noise is for 4D + 1, D the largest degree of the part of the range of degrees that the tuple is in. What the paper's text, not at hand, leaves open: degree_bound is a public D: an edge is left out that is not among the first D of both its ends (without it D is the largest degree of the graph itself); partitions is how often the range is halved, 0 for one part, without it until each degree stands alone; all_tuples=True puts noise on every tuple of degrees up to degree_bound or the number of nodes less one, otherwise on those that occur in the graph alone, as its public implementations do; smooth is isotonic regression in the order of the true numbers, of the latter alone. Nodes of what is released are numbered at random. eps in nats; claimed for graphs that differ in one edge.",
			rivalSetup+"r = pygmalion(1)\nprint(r, r.simulate(g, seed=1))", func(c *script.Call) (any, error) {
				return rivalOf(networks.NewPygmalion(c.Epsilon("eps"), networks.PygmalionOptions{
					DegreeBound: c.Int("degree_bound"), AllTuples: c.Bool("all_tuples"), Rough: !c.Bool("smooth"),
					Partitions: c.Int("partitions"), Whole: c.Given("partitions") && c.Int("partitions") == 0,
				}))
			}),
		script.Func("pbcn(eps: epsilon, clusters: int[1..32768]=10, noisy_clusters: bool=False, own_degrees: bool=False, sensitivity: int[1..32768]=2, decoys: int[0..32768]=0) -> graph_rival",
			"PBCN (Huang et al. 2020), as the XOR paper describes it; its text was not at hand. Nodes are clustered by degree (k-means), degrees get noise for a sensitivity of 2 and become their cluster's mean, the graph is made by Havel's theorem, decoys are noise nodes. noisy_clusters=True makes the clusters of the noisy degrees, own_degrees=True leaves them out. eps in nats; claimed for graphs that differ in one edge.",
			rivalSetup+"r = pbcn(1, clusters=2)\nprint(r, r.simulate(g, seed=1))", func(c *script.Call) (any, error) {
				return rivalOf(networks.NewPBCN(c.Epsilon("eps"), networks.PBCNOptions{Clusters: c.Int("clusters"), NoisyClusters: c.Bool("noisy_clusters"), OwnDegrees: c.Bool("own_degrees"), Sensitivity: c.Int("sensitivity"), Decoys: c.Int("decoys")}))
			}),
		script.Func(`ldpgen(eps: epsilon, initial: int[1..32768]=2, groups: int[1..32768]=20, share: rational="1/2") -> graph_rival`,
			"LDPGen (Qin et al. 2017): every node reports noisy counts of its neighbors in initial random groups, with share of eps; nodes are clustered by them (k-means) into groups, and report again for these, with the rest; edges are drawn by the Chung–Lu rule. The paper's own rule for groups was not at hand. eps in nats; claimed for local edges: two lists of neighbors that differ in one bit. An edge is in two lists.",
			rivalSetup+"r = ldpgen(1, groups=2)\nprint(r, r.simulate(g, seed=1))\nprint(r.measured(6).smallest_epsilon, r.measured(6, neighbors=\"edge local\").smallest_epsilon)", func(c *script.Call) (any, error) {
				return rivalOf(networks.NewLDPGen(c.Epsilon("eps"), networks.LDPGenOptions{Initial: c.Int("initial"), Groups: c.Int("groups"), Share: c.Rational("share")}))
			}),
		script.Func(`approx_deg(eps: epsilon, degree_bound: int[1..32767]=None, statistic: "histogram"|"sequence"="histogram") -> degree_rival`,
			"ApproxDeg, of which footnote 8 of the XOR paper says that it controls the sensitivity by a constraint and post-processes: degrees, moved to degree_bound where they are larger (√N rounded up without one), as a histogram with noise for a sensitivity of 4, negative numbers moved to 0 and the rest scaled; statistic=\"sequence\" is the sorted degrees with noise for 2 and isotonic regression (Hay et al. 2009). It releases degrees, not a graph. eps in nats; claimed for graphs that differ in one edge.",
			rivalSetup+"print(approx_deg(5).simulate(g, seed=1))", func(c *script.Call) (any, error) {
				return networks.NewApproxDeg(c.Epsilon("eps"), networks.ApproxDegOptions{DegreeBound: c.Int("degree_bound"), Sequence: c.Text("statistic") == "sequence"})
			}),
		script.Func("dpcd(eps: epsilon, communities: int[1..32768], sensitivity: number=2) -> community_rival",
			"DPCD, of which the XOR paper says that it perturbs the objective of community detection by independent Laplace noise: bigclam's likelihood with n_u·F_u added for every node, entries of n_u of scale sensitivity/eps. The rest of the noise's scale was not at hand. It releases communities, not a graph. eps in nats; claimed for graphs that differ in one edge; see claim(\"xor.rivals.dpcd\").",
			rivalSetup+"print(dpcd(5, 2).simulate(g, seed=1))", func(c *script.Call) (any, error) {
				return networks.NewDPCD(c.Epsilon("eps"), c.Int("communities"), networks.DPCDOptions{Sensitivity: c.Float("sensitivity")})
			}),
		script.Func("equal_privacy(family: function, eps: epsilon) -> dict",
			"The parameter at which something is as private as wanted: family(e), e a float, gives anything with a privacy, as lambda e: ldpgen(e).measured(6). A dict with \"parameter\" e and \"smallest_epsilon\", evidence whose upper end is at most eps and at most 1e-9 less; else an error. The smallest ε must grow with e.",
			"print(equal_privacy(lambda e: ldpgen(e).measured(6), 1))", func(c *script.Call) (any, error) {
				family := c.Callable("family")
				a, at, err := optimize.CalibrateCurve(c.Context, func(e evidence.Epsilon) (*privacy.Account, error) {
					v := must(family(starlark.Float(e.Value())))
					k, ok := v.(script.Keeper)
					if !ok {
						return nil, fmt.Errorf("family(%g) = %s, want something with a privacy", e.Value(), script.Brief(v))
					}
					return accountOf(c, k)
				}, func(a *privacy.Account) (evidence.Number, error) { return a.Epsilon(c.Context, evidence.Delta{}) }, c.Epsilon("eps"))
				if err != nil {
					return nil, err
				}
				return map[string]any{"parameter": at.Value(), "smallest_epsilon": must(a.Epsilon(c.Context, evidence.Delta{}))}, nil
			}),
	}
}

// rivalOf converts a rival to the type of its class.
func rivalOf[R networks.Rival](r R, err error) (networks.Rival, error) { return r, err }

// drawnGraph draws a graph from a rival.
func drawnGraph(c *script.Call, r networks.Rival, src rand.Source) (any, error) {
	out, err := r.Release(c.Context, networkClass.Arg(c, "graph").bits, src)
	if err != nil {
		return nil, err
	}
	return networkClass.Of(c, &network{bits: out}), nil
}

var graphRivalClass = &script.Class[networks.Rival]{
	Name: "graph_rival", Help: "A mechanism that releases a graph, one of those that the XOR paper compares its own with.", Setup: rivalSetup + "r = ldpgen(1, groups=2)\n",
	Show: func(r networks.Rival) string { return "<" + r.Name() + ">" },
	Attrs: append(rivalAttrs(func(r networks.Rival) networks.Guarantee { return r.Guarantee() }, func(r networks.Rival) string { return r.Name() }),
		script.Do("truncated(graph: network) -> int", "How many nodes have a degree above the rival's bound, and lose what is beyond; 0 where there is none.", "print(pygmalion(1, degree_bound=2).truncated(network([(0, 1), (0, 2), (0, 3)])))", func(c *script.Call, r networks.Rival) (any, error) {
			return r.Truncated(networkClass.Arg(c, "graph").bits)
		}),
		script.Do("simulate(graph: network, seed: seed=0) -> network", "What it would release, simulated from a seed: for research.", "(g, seed=1)", func(c *script.Call, r networks.Rival) (any, error) {
			return drawnGraph(c, r, c.Source("seed"))
		}),
		script.Do("release(graph: network, seed: seed=None) -> released|network", "Draws a graph from the operating system's generator with exactly the noise of the rival. The record says what really holds, for graphs that differ in one edge: the smallest ε of what is measured, inf where there is none, and not what is claimed."+seedHelp, rivalSetup+"r = ldpgen(1, groups=2)\nprint(r.release(g).record[\"epsilon\"])", func(c *script.Call, r networks.Rival) (any, error) {
			nodes := networkClass.Arg(c, "graph").nodes()
			return release(c, r.Name(), func(src rand.Source) (any, error) {
				if src == nil {
					src = xor.NewCryptoSource()
				}
				return drawnGraph(c, r, src)
			}, func(c *script.Call) (record, error) {
				k := record{parameters: map[string]any{"claimed_epsilon": r.Guarantee().Epsilon, "nodes": nodes}, neighbors: "graphs that differ in one edge", draws: 1, delta: starlark.MakeInt(0), grid: starlark.None}
				a, err := r.Measured(c.Context, nodes, networks.Edge)
				if err != nil {
					return k, err
				}
				k.epsilon, err = a.Epsilon(c.Context, evidence.Delta{})
				return k, err
			})
		}),
		script.Do(`measured(nodes: int[2..32768], neighbors: "edge"|"edge local"="edge") -> privacy`, "The privacy of what is measured of all graphs with so many nodes, of which whatever is released is made: noisy counts, each moved to its range. True for neighbors that differ in one edge, by visiting all graphs with up to 6 nodes where the number of nodes matters; an upper bound for what is released.", rivalSetup+"r = ldpgen(1, groups=2)\nprint(r.measured(4).smallest_epsilon, r.claimed_epsilon)", func(c *script.Call, r networks.Rival) (any, error) {
			return r.Measured(c.Context, c.Int("nodes"), networks.Relation(c.Text("neighbors")))
		}),
		script.Do("law(nodes: int[2..4]) -> mechanism", "The law of the released graph at every graph on so many numbered nodes, a finite mechanism: dataset k joins the i-th pair of nodes, in the order (0, 1), (0, 2), …, where bit i of k is 1. Its smallest ε is what a release really costs, for neighbors that differ in one edge. Of pbcn without decoys, and of ldpgen with at most two groups in each round.", "(2)", func(c *script.Call, r networks.Rival) (any, error) {
			if r, ok := r.(interface {
				Law(ctx context.Context, nodes int) (mechanism.Mechanism, error)
			}); ok {
				return r.Law(c.Context, c.Int("nodes"))
			}
			return nil, fmt.Errorf("the law of the graphs that %s releases is not enumerated: use r.released_epsilon(nodes), r.measured(nodes) or audit(…) of samples", r.Name())
		}),
		script.Do("released_epsilon(nodes: int[2..6]) -> evidence", "The smallest ε of the released graph itself, for all graphs on so many numbered nodes that differ in one edge, from the chances of every graph that can come out: of pbcn without decoys on up to 6 nodes, of ldpgen with at most two groups in each round on up to 5, nodes dealt to the initial groups by number, of pygmalion with all_tuples=True on up to 4. With noise on the tuples that occur alone it is inf on any number.", "print(pbcn(ln(4), noisy_clusters=True).released_epsilon(2))", func(c *script.Call, r networks.Rival) (any, error) {
			if r, ok := r.(releasing); ok {
				return r.ReleasedEpsilon(c.Context, c.Int("nodes"))
			}
			return nil, fmt.Errorf("the law of the graphs that %s releases is not enumerated: use r.measured(nodes) or audit(…) of samples", r.Name())
		}),
	),
}

// releasing is a rival whose outputs can be enumerated on a few nodes.
type releasing interface {
	ReleasedEpsilon(ctx context.Context, n int) (evidence.Number, error)
}

var degreeRivalClass = &script.Class[*networks.ApproxDeg]{
	Name: "degree_rival", Help: "A mechanism that releases degrees.", Setup: rivalSetup + "r = approx_deg(2)\n",
	Show: func(r *networks.ApproxDeg) string { return "<" + r.Name() + ">" },
	Attrs: append(rivalAttrs((*networks.ApproxDeg).Guarantee, (*networks.ApproxDeg).Name),
		script.Do("truncated(graph: network) -> int", "How many nodes have a degree above the bound, and count as having that.", "(g)", func(c *script.Call, r *networks.ApproxDeg) (any, error) {
			return r.Truncated(networkClass.Arg(c, "graph").bits)
		}),
		script.Do("simulate(graph: network, seed: seed=0) -> list", "The degrees it would release, ascending, one for each node; simulated from a seed: for research.", "(g, seed=1)", func(c *script.Call, r *networks.ApproxDeg) (any, error) {
			return r.Degrees(c.Context, networkClass.Arg(c, "graph").bits, c.Source("seed"))
		}),
		script.Do(`measured(nodes: int[2..32768], neighbors: "edge"|"edge local"="edge") -> privacy`, "The privacy of what is measured of all graphs with so many nodes, for neighbors that differ in one edge: by visiting all with up to 6 nodes, from the sensitivity beyond.", rivalSetup+"r = approx_deg(2)\nprint(r.measured(4).smallest_epsilon)", func(c *script.Call, r *networks.ApproxDeg) (any, error) {
			return r.Measured(c.Context, c.Int("nodes"), networks.Relation(c.Text("neighbors")))
		}),
		script.Do("released_epsilon(nodes: int[2..6]) -> evidence", "The smallest ε of the released degrees themselves, of a histogram, for all graphs on so many nodes that differ in one edge: from the chances of all lists of degrees that can come out.", "(3)", func(c *script.Call, r *networks.ApproxDeg) (any, error) {
			return r.ReleasedEpsilon(c.Context, c.Int("nodes"))
		}),
	),
}

var communityRivalClass = &script.Class[*networks.DPCD]{
	Name: "community_rival", Help: "A mechanism that releases communities of a graph.", Setup: rivalSetup + "r = dpcd(2, 2)\n",
	Show: func(r *networks.DPCD) string { return "<" + r.Name() + ">" },
	Attrs: append(rivalAttrs((*networks.DPCD).Guarantee, (*networks.DPCD).Name),
		script.Do("simulate(graph: network, seed: seed=0) -> list", "The communities it would release, lists of nodes; simulated from a seed: for research.", "(g, seed=1)", func(c *script.Call, r *networks.DPCD) (any, error) {
			return nodeSets(must(r.Communities(c.Context, networkClass.Arg(c, "graph").bits, c.Source("seed")))), nil
		}),
	),
}

// rivalAttrs returns the attributes of every rival.
func rivalAttrs[R any](of func(r R) networks.Guarantee, name func(r R) string) []script.Attr[R] {
	return []script.Attr[R]{
		script.Get("name -> string", "Which rival it is, with its options.", "", func(r R) any { return name(r) }),
		script.Get("claimed_epsilon -> evidence", "What its paper claims, in nats, for its own neighbors.", "", func(r R) any { return of(r).Epsilon }),
		script.Get("neighbors -> string", `The neighbors that the claim is for: "edge", graphs that differ in one edge, or "edge local", lists of neighbors of one node that differ in one bit.`, "", func(r R) any { return string(of(r).Neighbors) }),
	}
}
