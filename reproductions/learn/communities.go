package learn

import (
	"dpworkbench/internal/parameter"
)

// AverageF1 returns how well found communities match true ones: the mean over the found
// of the best F₁ score against a true one, and the mean over the true of the best
// against a found one, averaged (Yang and Leskovec, WSDM 2013, Section 5). Communities
// are sets of nodes of a graph and may overlap. It is 0 where nothing was found. It
// returns an error wrapping parameter.Err where there are no true communities, one is
// empty, or a node is none of the graph's or twice in one.
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

// checkSets wants sets of nodes, none empty.
func checkSets(name string, nodes int, sets [][]int) error {
	seen := make(map[int]int) // node → 1 + the last set that has it: numbers may be far beyond how many nodes there are
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
