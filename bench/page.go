package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"regexp"
	"runtime"
	"strings"
	"time"
)

// page holds the contents of docs/performance.md.
type page struct {
	options
	missing []string
	limits  limits
	results []result
	points  []point
}

// machine describes the program and the processors.
func machine() string {
	model := "unknown processors"
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		if _, rest, ok := bytes.Cut(text, []byte("model name")); ok {
			line, _, _ := strings.Cut(string(rest), "\n")
			model = strings.Trim(line, " \t:")
		}
	}
	return fmt.Sprintf("%d processors (%s), %s on %s, %s", runtime.GOMAXPROCS(0), model, runtime.GOOS, runtime.GOARCH, runtime.Version())
}

func (p *page) markdown(machine string, at time.Time) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# Performance\n")
	line("Written by `bash bench/run` on %s, not by hand. README, the other pages and the changelog state no speeds. %s.", at.UTC().Format("2006-01-02"), machine)
	line("The workbench and its peers ran in alternation, each in a separate process. Times are medians, with the least and the most in parentheses. Ratios say how many times as fast as the peer the workbench is.")
	line("Only the workbench's numbers are exact or certified. A peer's are floats, which differ from ours by no more than the rows in `bench/` allow.\n")
	line("## What this machine can do\n")
	line("| | in a second |\n|---|---|")
	line("| memory moved by a copy, read and written | %s bytes |", short(p.limits.bytes))
	line("| standard normal numbers, kept in the cache | %s |", short(p.limits.normals))
	line("| multiply-adds (%s) | %s |", p.limits.productsBy, short(p.limits.products))
	line("\nThe column *of the limit* names the limit above that the work comes closest to, from Go, and the fraction of it that is reached. It is above 1 if the work avoids part of what the limit counts, and empty if branches, locks or the disk bound the speed.\n")
	line("## Beside peers\n")
	line("| row | work | from Go | from a script | peer | its time | times as fast: Go, script | asked | of the limit | rounds |")
	line("|---|---|---|---|---|---|---|---|---|---|")
	for _, r := range p.results {
		for _, row := range r.cells(p.limits) {
			line("| %s |", strings.Join(row, " | "))
		}
	}
	line("\n*From a script* is the same work in the script language, with the time that its values add. `bash bench/run NAME` measures one row.")
	p.accuracy(line)
	p.errors(line)
	if len(p.missing) > 0 {
		line("\nCould not be installed: %s.", strings.Join(p.missing, "; "))
	}
	if len(p.points) > 0 {
		line("\n## Over size\n")
		line("`bench/series.csv` has the same work at other sizes; `notebooks/performance.star` draws it with the exponent that fits beside the one expected.")
	}
	return b.String()
}

// accuracy writes the answers of all accountants for the rows whose true value was computed independently.
func (p *page) accuracy(line func(format string, args ...any)) {
	begun := false
	for _, r := range p.results {
		if r.truth == 0 || r.size != r.n {
			continue
		}
		if !begun {
			line("\n## What accountants say\n\nOurs is the upper end of what is proven; a number below the true one promises too much. " +
				"The saddle-point accountant (Alghamdi and others 2023) is in no package index, so it has no row.\n")
			line("| row | who | says | the true number | off by |\n|---|---|---|---|---|")
		}
		begun = true
		for _, t := range append([]*times{r.ours}, r.peers...) {
			says, off := t.text(), ""
			if t.absent == "" {
				says, off = fmt.Sprintf("%.7g", t.value), fmt.Sprintf("%+.1e", t.value/r.truth-1)
			}
			line("| `%s` | %s | %s | %.7g | %s |", r.name, t.label, says, r.truth, off)
		}
	}
}

// errors writes how far the error of each side's strategies is from the optimum, and the processor time.
func (p *page) errors(line func(format string, args ...any)) {
	begun := false
	for _, r := range p.results {
		if r.optimum == 0 || r.size != r.n {
			continue
		}
		if !begun {
			line("\n## Errors of strategies\n\nThe optimum is the lower end of the certified least error of any strategy; " +
				"jax_privacy compiles anew in each run.\n")
			line("| row | who | error | the optimum | above it | processor time |\n|---|---|---|---|---|---|")
		}
		begun = true
		for _, t := range append([]*times{r.ours}, r.peers...) {
			says, over, took := t.text(), "", ""
			if t.absent == "" {
				says, over = fmt.Sprintf("%.9g", t.value), fmt.Sprintf("%.4f %%", 100*(t.value/r.optimum-1))
				if v := quantile(t.processors, .5); v > 0 {
					took = duration(v)
				}
			}
			line("| `%s` | %s | %s | %.9g | %s | %s |", r.name, t.label, says, r.optimum, over, took)
		}
	}
}

// cells returns the table's rows of a comparison, one for each peer. Cells that the peers share are in the first row
// only.
func (r result) cells(l limits) (rows [][]string) {
	work := r.work
	if strings.Contains(work, "%") {
		work = fmt.Sprintf(work, r.size)
	}
	script := "–"
	if r.script != nil {
		script = r.script.text()
		if more := r.script.median() - r.ours.median(); more > 0 {
			script += ", " + duration(more) + " more"
		}
	}
	ours, reached := r.ours.text(), ""
	if r.needs != nil && len(r.ours.seconds) > 0 {
		reached = l.reached(r.needs(r.size), r.ours.median())
	}
	if r.memory && r.ours.bytes > 0 {
		ours += fmt.Sprintf(", %.3g MB", r.ours.bytes/1e6)
	}
	head := []string{"`" + r.name + "`", work, ours, script}
	tail := []string{r.asked, reached, fmt.Sprint(len(r.ours.seconds))}
	for i := range max(1, len(r.peers)) {
		if i > 0 {
			head, tail = []string{head[0], "", "", ""}, []string{"", "", ""}
		}
		peer, its, ratio := "–", "", ""
		if i < len(r.peers) {
			t := r.peers[i]
			peer, its, ratio = t.label, t.text(), faster(t, r.ours)
			if r.script != nil && ratio != "" {
				ratio += ", " + faster(t, r.script)
			}
		}
		rows = append(rows, append(append(head[:4:4], peer, its, ratio), tail...))
	}
	return rows
}

// faster returns how many times faster our side is than the peer.
func faster(peer, ours *times) string {
	if len(peer.seconds) == 0 || len(ours.seconds) == 0 {
		return ""
	}
	return short(peer.median()/ours.median()) + "×"
}

func (t *times) text() string {
	if t.absent != "" {
		return strings.ReplaceAll(paths.ReplaceAllString(t.absent, "…"), "|", "/")
	}
	unit, factor := unitOf(t.median())
	in := func(x float64) string { return short(x * factor) }
	return fmt.Sprintf("%s %s (%s–%s)", in(t.median()), unit, in(quantile(t.seconds, 0)), in(quantile(t.seconds, 1)))
}

// paths matches file paths of this machine, which must not be published.
var paths = regexp.MustCompile(`\S*/\S*/\S*`)

func duration(seconds float64) string {
	unit, factor := unitOf(seconds)
	return short(seconds*factor) + " " + unit
}

func unitOf(seconds float64) (unit string, factor float64) {
	switch {
	case seconds < 1e-6:
		return "ns", 1e9
	case seconds < 1e-3:
		return "µs", 1e6
	case seconds < 1:
		return "ms", 1e3
	}
	return "s", 1
}

// short formats a number with three digits.
func short(x float64) string {
	if x >= 1e5 {
		return fmt.Sprintf("%.2e", x)
	}
	digits := max(0, 2-int(math.Floor(math.Log10(max(x, 1e-300)))))
	return fmt.Sprintf("%.*f", min(digits, 6), x)
}
