package claims

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
	"sync"

	"dpworkbench/claims/check"
	"dpworkbench/internal/parameter"
)

// coverageText lists every statement of the texts: its first lines describe the format.
//
//go:embed coverage.txt
var coverageText string

// Text is one of the texts that the ledger covers.
type Text struct {
	Key, Name string
	Places    []Place
}

// Place is a statement of a text: its place, what it says, and either the ids of the claims that judge it or the
// reason why there are none.
type Place struct {
	Place, Says string
	Rows        []string
	LeftOut     check.Unchecked // if there are no Rows
}

// Coverage returns the texts with all their statements.
var Coverage = sync.OnceValue(func() []Text { return check.Must(readCoverage(coverageText)) })

func readCoverage(text string) (out []Text, err error) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		parts := strings.SplitN(line, " | ", 3)
		if len(parts) == 1 {
			key, name, ok := strings.Cut(line, ": ")
			if !ok {
				return nil, parameter.Errorf("coverage: %q is neither a text nor a statement of one", line)
			}
			out = append(out, Text{Key: key, Name: name})
			continue
		}
		if len(parts) != 3 || out == nil {
			return nil, parameter.Errorf("coverage: the line %q needs three parts, after the line of a text", line)
		}
		t := &out[len(out)-1]
		p := Place{Place: parts[0], Says: parts[1]}
		if reason, left := strings.CutPrefix(parts[2], "= "); left {
			reason, more, _ := strings.Cut(reason, "; ")
			if !slices.Contains(check.Reasons(), check.Reason(reason)) {
				return nil, parameter.Bad("reason", reason, "one of check.Reasons, for %q", line)
			}
			p.LeftOut = check.Unchecked{Place: p.Place, Says: p.Says, Reason: check.Reason(reason), More: more}
		} else {
			for _, id := range strings.Split(parts[2], ", ") {
				if id != t.Key {
					id = t.Key + "." + id
				}
				p.Rows = append(p.Rows, id)
			}
		}
		t.Places = append(t.Places, p)
	}
	return out, nil
}

// Counts returns the number of statements of a text, the number that claims judge, and the number left out for each
// reason.
func (t Text) Counts() (judged int, leftOut map[check.Reason]int) {
	leftOut = make(map[check.Reason]int)
	for _, p := range t.Places {
		if p.Rows != nil {
			judged++
		} else {
			leftOut[p.LeftOut.Reason]++
		}
	}
	return judged, leftOut
}

// LeftOut returns the reasons for which statements of a text are left out, the most frequent first.
func (t Text) LeftOut() []check.Reason {
	_, leftOut := t.Counts()
	reasons := slices.Sorted(maps.Keys(leftOut))
	slices.SortStableFunc(reasons, func(a, b check.Reason) int { return leftOut[b] - leftOut[a] })
	return reasons
}

// leftOut returns the statements of a paper that have no claim.
func leftOut(p *check.Paper) (out []check.Unchecked) {
	for _, t := range Coverage() {
		for _, at := range t.Places {
			if t.Key == p.Key && at.Rows == nil {
				at.LeftOut.Paper = p.Name
				out = append(out, at.LeftOut)
			}
		}
	}
	return out
}
