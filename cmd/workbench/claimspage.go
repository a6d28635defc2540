package main

import (
	"os"
	"path/filepath"
	"strings"
)

// pageLinks makes the links of a page relative to its folder.
type pageLinks struct {
	folder string // the page's folder; "" for docs of this repository
	Some   bool   // the page lists only some of the claims
}

// pageAt returns the links of a page written to a file.
func pageAt(file string, some bool) pageLinks {
	folder := filepath.Dir(file)
	if _, err := os.Stat(filepath.Join(folder, "..", "notebooks", "figures")); err == nil && filepath.Base(folder) == "docs" {
		folder = ""
	}
	return pageLinks{folder, some}
}

// To returns the link from the page to a file of the repository, or "" if the page is not in the repository.
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

// Link returns a Markdown link, or the words alone if there is no target.
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

// claimTerms explains the terms of the results, for the page and for help.
const claimTerms = `A check tries a bounded family of instances, smallest first, and then random instances. It does not use the recorded
counterexamples.

Each row has one standing:

- confirmed: no instance in the range tried contradicts the statement; the method says what else supports it.
- false as stated and unsafe: there is a counterexample, and a mechanism that relies on the statement leaks more than it says.
- false as stated: there is a counterexample under every reading that the paper's words allow.
- hypothesis missing: false as worded, true with a natural hypothesis that the proof uses and the statement omits.
- misprint: a typographical error; the context shows what is meant.
- proof gap: a step of a proof fails; the statement that it proves has a row of its own.
- slack: true or safe, but not sharp.
- recorded: from a stored study, which these checks read and do not rerun; the row names the command that reruns it.
- undecided: the statement is too vague to be checked, or only sampling could support it.

Only the second, third and fourth count as refuted. Other terms:

- beyond the paper: the paper does not make the statement; it is not counted among the paper's own.
- inferred: the text of the statement was not available; it is inferred from its proof and from references to it.
- method: a proof, the paper's or ours (docs/proofs); exhaustive, if the stated range is finite and all of it is tried;
  finite family visited whole, if all instances up to a size are; grid, for points of a continuum; random.
- certificate: python3 certificate/check.py FILE checks the refutation without the workbench.
`
