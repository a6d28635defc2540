package main

import (
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"slices"
	"strings"
)

// readProofs reads equivalents/, a file for each room: a mutant's key, then its proof on
// lines that begin with a tab; lines that begin with # are comments.
func readProofs(files fs.FS) (map[string]string, error) {
	proofs := map[string]string{}
	names, err := fs.Glob(files, "equivalents/*.txt")
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		key := ""
		for i, line := range strings.Split(string(text), "\n") {
			switch {
			case strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#"):
			case strings.HasPrefix(line, "\t") && key != "":
				proofs[key] += strings.TrimSpace(line) + " "
			case strings.HasPrefix(line, "\t"):
				return nil, fmt.Errorf("%s:%d: a proof without a mutant", name, i+1)
			default:
				key = line
				proofs[key] = ""
			}
		}
	}
	for key, proof := range proofs {
		if proof == "" {
			return nil, fmt.Errorf("%q has no proof", key)
		}
	}
	return proofs, err
}

// tally counts the outcomes of a room.
type tally struct {
	name  string
	count [equivalent + 1]int
}

// share returns the percentage of mutants killed among those that a test can notice.
func (t *tally) share() float64 {
	if n := t.count[killed] + t.count[survived]; n > 0 {
		return 100 * float64(t.count[killed]) / float64(n)
	}
	return 100
}

// proven are the rooms whose numbers are certified, and what their tests must
// kill; others is for every other room.
var proven = regexp.MustCompile(`^(evidence|interval|gaussian|mechanism|layers|continuous|optimize|audit|xor|mvg|ehmc|privacy|internal/(convolve|lp|symmetric|definite|elementary|planes|draw))$`)

const (
	leastProven = 95 // percent
	leastOthers = 85
)

// report prints the survivors and tables by rooms, by kinds and in all, and reports
// whether enough were killed, and few enough are said to be equivalent.
func report(w io.Writer, mutants []*mutant) bool {
	for _, m := range mutants {
		if m.outcome == survived {
			fmt.Fprintf(w, "survived %s:%d %s\n\t%d tests come by it\n", m.file, m.line, m.key, m.reached)
		}
	}
	const certified, others = "certified rooms", "other rooms"
	all := func(*mutant) string { return "all" }
	group := func(m *mutant) string {
		if proven.MatchString(m.room) {
			return certified
		}
		return others
	}
	ok := true
	for _, part := range []struct {
		title string
		of    func(*mutant) string
	}{
		{"room", func(m *mutant) string { return m.room }}, {"kind", func(m *mutant) string { return m.kind }}, {"together", group}, {"", all},
	} {
		fmt.Fprintf(w, "\n| %s | mutants | killed | survived | equivalent | not tried | killed, percent |\n|---|---:|---:|---:|---:|---:|---:|\n", part.title)
		for _, t := range tallies(mutants, part.of) {
			t.print(w)
			switch t.name {
			case certified:
				ok = ok && t.share() >= leastProven
			case others:
				ok = ok && t.share() >= leastOthers
			case "all":
				ok = ok && 10*t.count[equivalent] <= t.count[killed]+t.count[survived]+t.count[equivalent]
			}
		}
	}
	return ok
}

// tallies counts the outcomes by what of says of a mutant, in the order of first
// mention.
func tallies(mutants []*mutant, of func(*mutant) string) (rows []*tally) {
	for _, m := range mutants {
		i := slices.IndexFunc(rows, func(t *tally) bool { return t.name == of(m) })
		if i < 0 {
			i, rows = len(rows), append(rows, &tally{name: of(m)})
		}
		rows[i].count[m.outcome]++
	}
	return rows
}

func (t *tally) print(w io.Writer) {
	c := t.count
	fmt.Fprintf(w, "| %s | %d | %d | %d | %d | %d | %.0f |\n", t.name, c[killed]+c[survived]+c[equivalent]+c[untried],
		c[killed], c[survived], c[equivalent], c[untried], t.share())
}
