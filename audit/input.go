package audit

import (
	"strconv"
	"strings"

	"dpworkbench/internal/parameter"
)

// Input is the content of a file or a script value: a table of laws, or samples; the other is nil.
type Input struct {
	Table   *Table
	Samples *Samples
}

// Cell is an output at a dataset with its probability, or its number of draws.
type Cell struct {
	Dataset, Output string
	Number          string // as ParseNumber takes it
	Exact           bool   // the number is exact, however many digits it has
}

// NewInput returns samples if the numbers are counts: all are integers, none is marked Exact and one exceeds 1.
// Otherwise it returns a table. It returns an error wrapping ErrParameter for a number that is neither.
func NewInput(cells []Cell) (*Input, error) {
	whole, above := true, false
	counts := make([]int64, len(cells))
	for i, c := range cells {
		n, err := strconv.ParseInt(c.Number, 10, 64)
		whole, above, counts[i] = whole && err == nil && !c.Exact, above || n > 1, n
	}
	if whole && above {
		s := new(Samples)
		for i, c := range cells {
			if err := s.Add(c.Dataset, c.Output, counts[i]); err != nil {
				return nil, err
			}
		}
		return &Input{Samples: s}, nil
	}
	t := new(Table)
	for _, c := range cells {
		p, rounded, err := ParseNumber(c.Number)
		if err != nil {
			return nil, parameter.Errorf("dataset %s, output %s: %s", clip(c.Dataset), clip(c.Output), err)
		}
		if err := t.add(c.Dataset, c.Output, p, rounded && !c.Exact); err != nil {
			return nil, err
		}
	}
	return &Input{Table: t}, nil
}

// Tuple spells an output that has several parts.
func Tuple(parts []string) string { return "(" + strings.Join(parts, ", ") + ")" }

const wantColumns = `a header "dataset,output,probability", "dataset,output,count" or "dataset,output"`
