package repl_test

import (
	"strings"
	"testing"
)

// What is no graph, no group and no fit is one clear error.
func TestNetworkRefusals(t *testing.T) {
	for src, want := range map[string]string{
		`network([(1, 1), (1, 2)], strict=True)`:         "edges[0] = (1, 1) is a loop",
		`network([(1, 2), (3, 4), (2, 1)], strict=True)`: "edges[2] = (2, 1) is edges[0] again",
		`network([])`:                                                     "edges name 0 nodes, want 1 to 32768",
		`bigclam(network([(1, 1)]), 1)`:                                   "the network has no edges, want at least one",
		`bigclam(network([(1, 2)]), 3)`:                                   "communities = 3, want 1 to 2, the number of nodes",
		`power_law(network([(1, 1)]).degrees)`:                            "the range of the fit contains 0 distinct values, want at least 2",
		`power_law([3, 3], x_min=3)`:                                      "the range of the fit contains 1 distinct values, want at least 2",
		`power_law([3, 4], x_min=3, x_max=3)`:                             "x_max = 3, want more than 3",
		`node_groups(network([(1, 2)]), [(3, "a")])`:                      "labels[0] names node 3, which is not in the network",
		`node_groups(network([(1, 2)]), [(1, "a"), (1, "b"), (1, "a")])`:  "labels[2] puts node 1 into group \"a\" twice",
		`node_groups(network([(1, 2)]), [(1, [2])])`:                      "labels[0] = (1, [2]), want a group that is a number or a string",
		`average_f1([[0]], [])`:                                           "truth has no communities, want at least one",
		`average_f1([[0, 0]], [[0]])`:                                     "found[0] has node 0 twice",
		`average_f1([[4]], [[0]], nodes=3)`:                               "found[0] contains 4, want nodes from 0 to 2",
		`average_f1([["a"]], [[0]])`:                                      "found[0][0] = \"a\", want the number of a node",
		`random_network(4)`:                                               "want either edges or probability",
		`random_network(4, edges=7)`:                                      "edges = 7, want 0 to 6, the pairs of 4 nodes",
		`degree_divergence(network([(1, 2)]), network([(1, 2), (2, 3)]))`: "released has 2 nodes, original 3, want the same number",
		`node_groups(network([(1, 2)]), [(3, "a")], outside="forget")`:    "outside",
		`bigclam(network([(1, 2)]), 1, background=2)`:                     "background = 2, want in [1e-12, 1)",
		`bigclam(random_network(9, edges=9), 2, tolerance=1)`:             "tolerance = 1, want in (0, 1)",
	} {
		if _, err := run(t, src); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", src, err, want)
		}
	}
}
