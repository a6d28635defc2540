package audit

import (
	"fmt"
	"strings"

	"dpworkbench/internal/parameter"
)

// Pair names two neighboring datasets.
type Pair [2]string

// mostForAll bounds the number of datasets for which all pairs are neighbors: 8 million pairs.
const mostForAll = 4096

// resolve returns the numbers of the pairs, each once; nil means all pairs.
func (s *names) resolve(neighbors []Pair) ([][2]int, error) {
	if len(s.labels) < 2 {
		return nil, parameter.Errorf("table_or_samples has %d datasets, want at least 2", len(s.labels))
	}
	var pairs [][2]int
	if neighbors == nil {
		if n := len(s.labels); n > mostForAll {
			return nil, parameter.Errorf("neighbors = all pairs of %d datasets, want at most %d datasets, or a list of pairs", n, mostForAll)
		}
		for x := range s.labels {
			for y := range x {
				pairs = append(pairs, [2]int{y, x})
			}
		}
		return pairs, nil
	}
	if len(neighbors) == 0 {
		return nil, parameter.Errorf(`neighbors is empty, want pairs of datasets or "all"`)
	}
	known := make(map[[2]int]bool)
	for i, p := range neighbors {
		var ids [2]int
		for j, name := range p {
			id, ok := s.find(name)
			if !ok {
				return nil, parameter.Errorf("neighbors[%d] names dataset %q, want one of %s", i, name, some(s.labels))
			}
			ids[j] = id
		}
		if ids[0] == ids[1] {
			return nil, parameter.Errorf("neighbors[%d] names %q twice, want two different datasets", i, p[0])
		}
		if known[ids] || known[[2]int{ids[1], ids[0]}] {
			continue
		}
		known[ids] = true
		pairs = append(pairs, ids)
	}
	return pairs, nil
}

// some returns a list of the first eight names, and the number of all if there are more.
func some(labels []string) string {
	const most = 8
	text := strings.Join(labels[:min(len(labels), most)], ", ")
	if len(labels) > most {
		text += fmt.Sprintf(", … (%d in all)", len(labels))
	}
	return text
}

// count returns a number with its noun: "1 pair" or "3 pairs".
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
