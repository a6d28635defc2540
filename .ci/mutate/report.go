package main

import (
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
)

// readProofs reads the files equivalents*.txt: a mutant's key, then its proof on
// lines that begin with a tab; lines that begin with # are comments.
func readProofs(files fs.FS) (map[string]string, error) {
	proofs := map[string]string{}
	names, err := fs.Glob(files, "*.txt")
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

// report prints the survivors and a table, by rooms and by kinds, and reports
// whether enough were killed everywhere and few enough are said to be equivalent.
func report(w io.Writer, mutants []*mutant, least float64) bool {
	for _, m := range mutants {
		if m.outcome == survived {
			fmt.Fprintf(w, "survived %s:%d %s\n\t%d tests come by it\n", m.file, m.line, m.key, m.reached)
		}
	}
	ok := true
	all := &tally{name: "all"}
	table := func(title string, of func(*mutant) string) {
		var rows []*tally
		for _, m := range mutants {
			i := slices.IndexFunc(rows, func(t *tally) bool { return t.name == of(m) })
			if i < 0 {
				i, rows = len(rows), append(rows, &tally{name: of(m)})
			}
			rows[i].count[m.outcome]++
		}
		fmt.Fprintf(w, "\n| %s | mutants | killed | survived | equivalent | not tried | killed, percent |\n|---|---|---|---|---|---|---|\n", title)
		for _, t := range rows {
			t.print(w)
		}
		if title == "room" {
			for _, t := range rows {
				ok = ok && t.share() >= least
			}
		}
	}
	table("room", func(m *mutant) string { return m.room })
	table("kind", func(m *mutant) string { return m.kind })
	for _, m := range mutants {
		all.count[m.outcome]++
	}
	all.print(w)
	tried := all.count[killed] + all.count[survived] + all.count[equivalent]
	return ok && 10*all.count[equivalent] <= tried
}

func (t *tally) print(w io.Writer) {
	c := t.count
	fmt.Fprintf(w, "| %s | %d | %d | %d | %d | %d | %.0f |\n", t.name, c[killed]+c[survived]+c[equivalent]+c[untried],
		c[killed], c[survived], c[equivalent], c[untried], t.share())
}
