package check

import (
	"bufio"
	"errors"
	"io"
	"maps"
	"net/textproto"
	"slices"
	"strings"
	"sync"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
)

// Paper is a source of statements, read from a file by [ReadPaper]. Most are papers.
type Paper struct {
	Key       string // first part of its claims' ids
	Name      string // as in Claim.Paper
	Citation  string
	Figure    string  // subject of its figure in the ledger, "" for no figure
	Claims    []Claim // without their checks
	Causes    []Cause
	Unchecked []Unchecked // not read from the file: package claims has one list for all papers
}

// Checks maps claim ids to checkers.
type Checks map[string]Checker

// Checked returns the paper's claims, each with its check. Every claim must have exactly one check, and every check a
// claim.
func (p *Paper) Checked(parts ...Checks) ([]Claim, error) {
	checks := make(Checks)
	for _, part := range parts {
		for id, checker := range part {
			if checks[id] != nil {
				return nil, parameter.Errorf("%s: the claim %s has two checks", p.Key, id)
			}
			checks[id] = checker
		}
	}
	out := slices.Clone(p.Claims)
	for i, c := range out {
		if out[i].Checker = checks[c.ID]; out[i].Checker == nil {
			return nil, parameter.Errorf("%s: the claim %s has no check, or is listed twice", p.Key, c.ID)
		}
		delete(checks, c.ID)
	}
	for _, id := range slices.Sorted(maps.Keys(checks)) {
		return nil, parameter.Errorf("%s: the check %s has no claim", p.Key, id)
	}
	return out, nil
}

// Embedded returns a function that parses a paper's file at the first call. It panics if the file, which is part of
// the program, has an error.
func Embedded(text string) func() *Paper {
	return sync.OnceValue(func() *Paper { return Must(ReadPaper(text)) })
}

// ReadPaper parses a paper's file. The file consists of blocks separated by empty lines: first the paper, then claims
// and causes. The lines of a block have the form "Field: text". A line that begins with a space continues the
// previous one.
//
// A block of a claim needs Claim (its id), Place, Statement, Recorded and Proof. These fields are optional:
//
//   - Covers: the numbered statements that it covers, separated by commas, or "none";
//   - Beyond and Inferred ("yes"), Hypotheses, Words and At (the quotation and its place), Remark, Severity,
//     Readings, Holds, Study, Cause, Corrected;
//   - Replace and By (the erratum), Proof-At, Family, Rests-On, Serves;
//   - Instead and Compute, for statements outside the papers;
//   - for an explanatory counterexample Script and, for each part, Telling ("name: value").
//
// [Claim] and [Entry] explain them.
func ReadPaper(text string) (*Paper, error) {
	p := &Paper{}
	for lines := textproto.NewReader(bufio.NewReader(strings.NewReader(text))); ; {
		block, err := lines.ReadMIMEHeader()
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, parameter.Errorf("after %d claims of %q: %v", len(p.Claims), p.Name, err)
		}
		if len(block) > 0 {
			if err := p.add(block); err != nil {
				return nil, err
			}
		}
		if err != nil {
			return p, nil
		}
	}
}

// add reads a block and adds its claim or cause to p, or sets the fields that describe the paper.
func (p *Paper) add(block textproto.MIMEHeader) error {
	switch {
	case block["Claim"] != nil:
		c, err := readClaim(block)
		c.Paper = p.Name
		p.Claims = append(p.Claims, c)
		return err
	case block["Cause"] != nil:
		k := Cause{Paper: p.Name}
		err := fill(block, map[string]*string{"Cause": &k.ID, "Title": &k.Title, "Text": &k.Text}, "Cause", "Title", "Text")
		p.Causes = append(p.Causes, k)
		return err
	}
	return fill(block, map[string]*string{"Paper": &p.Name, "Key": &p.Key, "Citation": &p.Citation, "Figure": &p.Figure}, "Paper", "Key", "Citation")
}

// readClaim reads a claim's block.
func readClaim(block textproto.MIMEHeader) (Claim, error) {
	var c Claim
	var e Entry
	var covers, beyond, inferred, restsOn, serves string
	var telling Witness
	for _, field := range block["Telling"] {
		name, value, _ := strings.Cut(field, ": ")
		telling.Fields = append(telling.Fields, Field{name, value})
	}
	delete(block, "Telling")
	err := fill(block, map[string]*string{
		"Claim": &c.ID, "Place": &c.Place, "Covers": &covers, "Beyond": &beyond, "Inferred": &inferred, "Statement": &c.Statement, "Hypotheses": &c.Hypotheses,
		"Corrected": &c.Corrected, "Recorded": (*string)(&c.Recorded), "Remark": &c.Remark,
		"Words": &e.Quote.Words, "At": &e.Quote.At, "Severity": (*string)(&e.Severity), "Readings": &e.Readings, "Holds": &e.Holds, "Study": &e.Study, "Cause": &e.Cause,
		"Replace": &e.Erratum.Replace, "By": &e.Erratum.By, "Proof": (*string)(&e.Proof.Kind), "Proof-At": &e.Proof.At, "Family": (*string)(&e.Family),
		"Rests-On": &restsOn, "Serves": &serves, "Script": &telling.Script, "Instead": &e.Instead, "Compute": &e.Compute,
	}, "Claim", "Place", "Statement", "Recorded", "Proof")
	c.Beyond, c.Inferred = beyond != "", inferred != ""
	if c.Covers = list(covers); covers == "none" {
		c.Covers = []string{}
	}
	e.RestsOn, e.Serves = list(restsOn), list(serves)
	if telling.Fields != nil || telling.Script != "" {
		e.Telling = &telling
	}
	c.Entry = e
	return c, err
}

// list splits a comma-separated list. It returns nil for an empty one.
func list(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ", ")
}

// allowed lists the permitted texts of some fields.
var allowed = map[string][]string{
	"Beyond":   {"yes"},
	"Inferred": {"yes"},
	"Recorded": {string(evidence.Confirmed), string(evidence.Refuted), string(evidence.Undecided)},
	"Remark":   Remarks(),
	"Severity": texts(append(Severities(), Outside, NotABound)...),
	"Proof":    texts(Valid, Repaired, Gap, Ours, Known, None),
	"Family":   texts(Finite, OnGrid),
}

func texts[T ~string](values ...T) (out []string) {
	for _, v := range values {
		out = append(out, string(v))
	}
	return out
}

// fill copies a block's fields to their places. The first needed field names the block in errors. It returns
// an error if a needed field is missing, or if a field is unknown, repeated, empty or not one of the allowed
// texts.
func fill(block textproto.MIMEHeader, places map[string]*string, needed ...string) error {
	name := needed[0] + " " + block.Get(needed[0])
	for _, field := range needed {
		if block.Get(field) == "" {
			return parameter.Errorf("%s: the field %s is missing", name, field)
		}
	}
	for _, field := range slices.Sorted(maps.Keys(block)) {
		texts := block[field]
		switch {
		case places[field] == nil:
			return parameter.Errorf("%s: no field is named %s; the fields are %s", name, field, strings.Join(slices.Sorted(maps.Keys(places)), ", "))
		case len(texts) > 1:
			return parameter.Errorf("%s: the field %s is given %d times, want once", name, field, len(texts))
		case texts[0] == "":
			return parameter.Errorf("%s: the field %s is empty", name, field)
		case allowed[field] != nil && !slices.Contains(allowed[field], texts[0]):
			return parameter.Errorf("%s: %s = %q, want one of %s", name, field, texts[0], strings.Join(allowed[field], "; "))
		}
		*places[field] = texts[0]
	}
	return nil
}
