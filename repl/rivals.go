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
			"Pygmalion (Sala et al. 2011): a graph generated from a noisy dK-2 series, the number of edges for each pair of degrees. The noise is for sensitivity 4D + 1, where D is the largest degree in the pair's part of the range of degrees. The paper's full text was not available, so these choices are options. degree_bound is a public D: an edge is dropped unless it is among the first D of both its ends; by default D is the largest degree of the graph itself. partitions is the number of times the range is halved, 0 for one part; by default each degree is a part. all_tuples=True adds noise to every pair of degrees up to degree_bound, or the number of nodes less one; otherwise only to pairs that occur in the graph, as in public implementations. smooth applies isotonic regression in the order of the true numbers, for pairs that occur. Nodes of the released graph are numbered at random. eps in nats; claimed for graphs that differ in one edge.",
			rivalSetup+"r = pygmalion(1)\nprint(r, r.simulate(g, seed=1))", func(c *script.Call) (any, error) {
				return rivalOf(networks.NewPygmalion(c.Epsilon("eps"), networks.PygmalionOptions{
					DegreeBound: c.Int("degree_bound"), AllTuples: c.Bool("all_tuples"), Rough: !c.Bool("smooth"),
					Partitions: c.Int("partitions"), Whole: c.Given("partitions") && c.Int("partitions") == 0,
				}))
			}),
		script.Func("pbcn(eps: epsilon, clusters: int[1..32768]=10, noisy_clusters: bool=False, own_degrees: bool=False, sensitivity: int[1..32768]=2, decoys: int[0..32768]=0) -> graph_rival",
			"PBCN (Huang et al. 2020), as described in the XOR paper; its own text was not available. Nodes are clustered by degree (k-means), noise for a sensitivity of 2 is added to the degrees, which are replaced by their cluster's mean, and the graph is built by Havel's theorem. decoys is the number of noise nodes. noisy_clusters=True clusters the noisy degrees, own_degrees=True skips the clusters. eps in nats; claimed for graphs that differ in one edge.",
			rivalSetup+"r = pbcn(1, clusters=2)\nprint(r, r.simulate(g, seed=1))", func(c *script.Call) (any, error) {
				return rivalOf(networks.NewPBCN(c.Epsilon("eps"), networks.PBCNOptions{Clusters: c.Int("clusters"), NoisyClusters: c.Bool("noisy_clusters"), OwnDegrees: c.Bool("own_degrees"), Sensitivity: c.Int("sensitivity"), Decoys: c.Int("decoys")}))
			}),
		script.Func(`ldpgen(eps: epsilon, initial: int[1..32768]=2, groups: int[1..32768]=20, share: rational="1/2") -> graph_rival`,
			"LDPGen (Qin et al. 2017): every node reports noisy counts of its neighbors in initial random groups, with the fraction share of eps. Nodes are clustered by these reports (k-means) into groups and report again for them with the rest of eps. Edges are drawn by the Chung–Lu rule. The paper's own rule for groups was not available. eps in nats; claimed for local edges: two lists of neighbors that differ in one bit. An edge is in two lists.",
			rivalSetup+"r = ldpgen(1, groups=2)\nprint(r, r.simulate(g, seed=1))\nprint(r.measured(6).smallest_epsilon, r.measured(6, neighbors=\"edge local\").smallest_epsilon)", func(c *script.Call) (any, error) {
				return rivalOf(networks.NewLDPGen(c.Epsilon("eps"), networks.LDPGenOptions{Initial: c.Int("initial"), Groups: c.Int("groups"), Share: c.Rational("share")}))
			}),
		script.Func(`approx_deg(eps: epsilon, degree_bound: int[1..32767]=None, statistic: "histogram"|"sequence"="histogram") -> degree_rival`,
			"ApproxDeg, as described in footnote 8 of the XOR paper: sensitivity control by a constraint, and post-processing. Degrees above degree_bound (by default √N rounded up) are reduced to it. Their histogram gets noise for a sensitivity of 4, negative counts become 0, and the counts are rescaled. statistic=\"sequence\" releases the sorted degrees with noise for 2 and isotonic regression (Hay et al. 2009). It releases degrees, not a graph. eps in nats; claimed for graphs that differ in one edge.",
			rivalSetup+"print(approx_deg(5).simulate(g, seed=1))", func(c *script.Call) (any, error) {
				return networks.NewApproxDeg(c.Epsilon("eps"), networks.ApproxDegOptions{DegreeBound: c.Int("degree_bound"), Sequence: c.Text("statistic") == "sequence"})
			}),
		script.Func("dpcd(eps: epsilon, communities: int[1..32768], sensitivity: number=2) -> community_rival",
			"DPCD, described in the XOR paper as perturbing the objective of community detection by independent Laplace noise: bigclam's likelihood plus n_u·F_u for every node, where the entries of n_u have scale sensitivity/eps. The paper does not state the sensitivity. It releases communities, not a graph. eps in nats; claimed for graphs that differ in one edge; see claim(\"xor.rivals.dpcd\").",
			rivalSetup+"print(dpcd(5, 2).simulate(g, seed=1))", func(c *script.Call) (any, error) {
				return networks.NewDPCD(c.Epsilon("eps"), c.Int("communities"), networks.DPCDOptions{Sensitivity: c.Float("sensitivity")})
			}),
		script.Func("equal_privacy(family: function, eps: epsilon) -> dict",
			"The parameter e at which family(e) has the smallest ε eps. family is a function of a float that returns anything with a privacy, such as lambda e: ldpgen(e).measured(6), and whose smallest ε increases with e. It returns a dict with \"parameter\" and \"smallest_epsilon\", evidence whose upper end is at most eps and at least eps − 1e-9; otherwise it is an error.",
			"print(equal_privacy(lambda e: ldpgen(e).measured(6), 1))", func(c *script.Call) (any, error) {
				family := c.Callable("family")
				a, at, err := optimize.CalibrateCurve(c.Context, func(e evidence.Epsilon) (*privacy.Account, error) {
					v := must(family(starlark.Float(e.Value())))
					k, ok := v.(*script.Object)
					if !ok {
						return nil, fmt.Errorf("family(%g) = %s, want a mechanism, design, law or release", e.Value(), script.Brief(v))
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
	Name: "graph_rival", Help: "A mechanism that releases a graph, with which the XOR paper compares its own.", Setup: rivalSetup + "r = ldpgen(1, groups=2)\n",
	Show: func(r networks.Rival) string { return "<" + r.Name() + ">" },
	Attrs: append(rivalAttrs(func(r networks.Rival) networks.Guarantee { return r.Guarantee() }, func(r networks.Rival) string { return r.Name() }),
		script.Do("truncated(graph: network) -> int", "The number of nodes with a degree above the mechanism's bound, which lose edges; 0 without a bound.", "print(pygmalion(1, degree_bound=2).truncated(network([(0, 1), (0, 2), (0, 3)])))", func(c *script.Call, r networks.Rival) (any, error) {
			return r.Truncated(networkClass.Arg(c, "graph").bits)
		}),
		script.Do("simulate(graph: network, seed: seed=0) -> network", "A simulated release from a seed, for research only.", "(g, seed=1)", func(c *script.Call, r networks.Rival) (any, error) {
			return drawnGraph(c, r, c.Source("seed"))
		}),
		script.Do("release(graph: network, seed: seed=None) -> released|network", "Draws a graph from the operating system's generator with exactly the noise of the mechanism. The record states the actual privacy for graphs that differ in one edge, not the claim: the smallest ε of the noisy measurements, inf if there is none."+seedHelp, rivalSetup+"r = ldpgen(1, groups=2)\nprint(r.release(g).record[\"epsilon\"])", func(c *script.Call, r networks.Rival) (any, error) {
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
		script.Do(`measured(nodes: int[2..32768], neighbors: "edge"|"edge local"="edge") -> privacy`, "The privacy of the noisy measurements over all graphs with the given number of nodes: counts, each clipped to its range, from which the release is computed. It is for neighbors that differ in one edge. If the number of nodes matters, it enumerates all graphs with up to 6 nodes. It is an upper bound for the release.", rivalSetup+"r = ldpgen(1, groups=2)\nprint(r.measured(4).smallest_epsilon, r.claimed_epsilon)", func(c *script.Call, r networks.Rival) (any, error) {
			return r.Measured(c.Context, c.Int("nodes"), networks.Relation(c.Text("neighbors")))
		}),
		script.Do("law(nodes: int[2..4]) -> mechanism", "The law of the released graph at every graph on the given number of numbered nodes, as a finite mechanism. In dataset k the i-th pair of nodes, in the order (0, 1), (0, 2), …, is an edge if bit i of k is 1. Its smallest ε is the actual privacy of a release, for neighbors that differ in one edge. Available for pbcn without decoys, and for ldpgen with at most two groups in each round.", "(2)", func(c *script.Call, r networks.Rival) (any, error) {
			if r, ok := r.(interface {
				Law(ctx context.Context, nodes int) (mechanism.Mechanism, error)
			}); ok {
				return r.Law(c.Context, c.Int("nodes"))
			}
			return nil, fmt.Errorf("the law of the graphs that %s releases is not enumerated: use r.released_epsilon(nodes), r.measured(nodes) or audit(…) of samples", r.Name())
		}),
		script.Do("released_epsilon(nodes: int[2..6]) -> evidence", "The smallest ε of the released graph itself, over all graphs on the given number of numbered nodes that differ in one edge, from the probabilities of all output graphs. Available for pbcn without decoys on up to 6 nodes, for ldpgen with at most two groups in each round on up to 5 nodes, assigned to the initial groups by number, and for pygmalion with all_tuples=True on up to 4. For pygmalion with noise only on pairs that occur it is inf.", "print(pbcn(ln(4), noisy_clusters=True).released_epsilon(2))", func(c *script.Call, r networks.Rival) (any, error) {
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
		script.Do("truncated(graph: network) -> int", "The number of nodes with a degree above the bound, which is reduced to the bound.", "(g)", func(c *script.Call, r *networks.ApproxDeg) (any, error) {
			return r.Truncated(networkClass.Arg(c, "graph").bits)
		}),
		script.Do("simulate(graph: network, seed: seed=0) -> list", "Simulated released degrees, ascending, one for each node, from a seed, for research only.", "(g, seed=1)", func(c *script.Call, r *networks.ApproxDeg) (any, error) {
			return r.Degrees(c.Context, networkClass.Arg(c, "graph").bits, c.Source("seed"))
		}),
		script.Do(`measured(nodes: int[2..32768], neighbors: "edge"|"edge local"="edge") -> privacy`, "The privacy of the noisy measurement over all graphs with the given number of nodes, for neighbors that differ in one edge: by enumerating all graphs with up to 6 nodes, and from the sensitivity beyond that.", rivalSetup+"r = approx_deg(2)\nprint(r.measured(4).smallest_epsilon)", func(c *script.Call, r *networks.ApproxDeg) (any, error) {
			return r.Measured(c.Context, c.Int("nodes"), networks.Relation(c.Text("neighbors")))
		}),
		script.Do("released_epsilon(nodes: int[2..6]) -> evidence", "The smallest ε of the released degrees themselves, for statistic=\"histogram\", over all graphs on the given number of nodes that differ in one edge, from the probabilities of all possible lists of degrees.", "(3)", func(c *script.Call, r *networks.ApproxDeg) (any, error) {
			return r.ReleasedEpsilon(c.Context, c.Int("nodes"))
		}),
	),
}

var communityRivalClass = &script.Class[*networks.DPCD]{
	Name: "community_rival", Help: "A mechanism that releases communities of a graph.", Setup: rivalSetup + "r = dpcd(2, 2)\n",
	Show: func(r *networks.DPCD) string { return "<" + r.Name() + ">" },
	Attrs: append(rivalAttrs((*networks.DPCD).Guarantee, (*networks.DPCD).Name),
		script.Do("simulate(graph: network, seed: seed=0) -> list", "Simulated released communities, lists of nodes, from a seed, for research only.", "(g, seed=1)", func(c *script.Call, r *networks.DPCD) (any, error) {
			return nodeSets(must(r.Communities(c.Context, networkClass.Arg(c, "graph").bits, c.Source("seed")))), nil
		}),
	),
}

// rivalAttrs returns the attributes of every rival.
func rivalAttrs[R any](of func(r R) networks.Guarantee, name func(r R) string) []script.Attr[R] {
	return []script.Attr[R]{
		script.Get("name -> string", "The mechanism's name with its options.", "", func(r R) any { return name(r) }),
		script.Get("claimed_epsilon -> evidence", "The claim of its paper, in nats, for the paper's neighbors.", "", func(r R) any { return of(r).Epsilon }),
		script.Get("neighbors -> string", `The neighbors that the claim is for: "edge", graphs that differ in one edge, or "edge local", lists of neighbors of one node that differ in one bit.`, "", func(r R) any { return string(of(r).Neighbors) }),
	}
}
