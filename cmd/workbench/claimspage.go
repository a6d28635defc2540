package main

import (
	"os"
	"path/filepath"
	"strings"
)

// pageLinks says where a page stands: what it links is reached from its folder.
type pageLinks struct {
	folder string // the page's own; "" for docs of this repository
	Some   bool   // of the claims
}

// pageAt returns the links of a page written to a file.
func pageAt(file string, some bool) pageLinks {
	folder := filepath.Dir(file)
	if _, err := os.Stat(filepath.Join(folder, "..", "notebooks", "figures")); err == nil && filepath.Base(folder) == "docs" {
		folder = ""
	}
	return pageLinks{folder, some}
}

// To returns how the page reaches a file of the repository, "" where it cannot: the
// folder at hand is not in it.
func (l pageLinks) To(file string) string {
	if l.folder == "" {
		return "../" + file
	}
	if _, err := os.Stat(file); err != nil {
		return ""
	}
	from, errFrom := filepath.Abs(l.folder)
	at, errAt := filepath.Abs(file)
	if errFrom != nil || errAt != nil {
		return ""
	}
	path, err := filepath.Rel(from, at)
	if err != nil {
		return ""
	}
	return filepath.ToSlash(path)
}

// Link writes a link of Markdown, or the words alone where there is nothing to link.
func (l pageLinks) Link(words, file string) string {
	file, part, _ := strings.Cut(file, "#")
	path := l.To(file)
	if path == "" {
		return words
	}
	if part != "" {
		path += "#" + part
	}
	return "[" + words + "](" + path + ")"
}

// claimTerms says what the words of the ledger mean, for the page and for help.
const claimTerms = `A check visits a bounded family of instances, smallest first, then random instances; it knows no recorded counterexample.

- confirmed: no instance in the stated scope contradicts the statement; the method says what else supports it.
- refuted: there is a counterexample, made as simple as the search could make it.
- undecided: the statement does not determine a check, or sampling alone could support it.
- beyond the paper: the paper does not make the statement; it is not counted among the paper's own.
- severity: misprint; slack, safe and not sharp; proof gap, result stands; conclusion false; unsafe, who relies on it leaks more than told.
- method: a proof, the paper's or ours (docs/proofs); exhaustive, the stated range is finite and visited whole; finite family visited whole,
  all instances up to a size; grid, points of a continuum; random.
- certificate: python3 certificate/check.py FILE checks the refutation without the workbench.
`
