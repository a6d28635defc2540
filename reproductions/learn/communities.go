package learn

import (
	"dpworkbench/internal/parameter"
)

// AverageF1 compares found communities with true ones. It is the average of two means: the mean over found communities
// of the best F₁ score with a true community, and the mean over true communities of the best F₁ score with a found one
// (Yang and Leskovec, WSDM 2013, Section 5). Communities are sets of nodes and may overlap. The result is 0 if nothing
// was found. It returns an error wrapping parameter.Err if there are no true communities, one is empty, or a node is
// not in the graph or twice in a community.
func AverageF1(nodes int, found, truth [][]int) (float64, error) {
	if len(truth) == 0 {
		return 0, parameter.Errorf("truth has no communities, want at least one")
	}
	for _, c := range []struct {
		name string
		sets [][]int
	}{{"found", found}, {"truth", truth}} {
		if err := checkSets(c.name, nodes, c.sets); err != nil {
			return 0, err
		}
	}
	if len(found) == 0 {
		return 0, nil
	}
	of := make(map[int][]int) // the true communities of every node
	for t, set := range truth {
		for _, v := range set {
			of[v] = append(of[v], t)
		}
	}
	var there, back float64
	best, common := make([]float64, len(truth)), make([]int, len(truth))
	for _, set := range found {
		clear(common)
		for _, v := range set {
			for _, t := range of[v] {
				common[t]++
			}
		}
		most := 0.0
		for t, k := range common {
			f := 2 * float64(k) / float64(len(set)+len(truth[t])) // 2·precision·recall/(precision + recall)
			most, best[t] = max(most, f), max(best[t], f)
		}
		there += most
	}
	for _, f := range best {
		back += f
	}
	return (there/float64(len(found)) + back/float64(len(truth))) / 2, nil
}

// checkSets requires nonempty sets of nodes.
func checkSets(name string, nodes int, sets [][]int) error {
	seen := make(map[int]int) // node → 1 + the last set with it; a map, because node numbers may be far larger than the number of nodes
	for i, set := range sets {
		if len(set) == 0 {
			return parameter.Errorf("%s[%d] is empty, want at least one node", name, i)
		}
		for _, v := range set {
			if v < 0 || v >= nodes {
				return parameter.Errorf("%s[%d] contains %d, want nodes from 0 to %d", name, i, v, nodes-1)
			}
			if seen[v] == i+1 {
				return parameter.Errorf("%s[%d] has node %d twice", name, i, v)
			}
			seen[v] = i + 1
		}
	}
	return nil
}
