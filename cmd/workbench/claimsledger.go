package main

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"dpworkbench/claims"
	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/repl"
)

// ledger holds the results of a run over claims for the templates of the folder ledger.
type ledger struct {
	Results []shown
	Links   pageLinks
	Full    bool // with everything that the checks found
}

// shown is a result with the file name of its certificate, if it has one.
type shown struct {
	claims.Result
	Certificate   string
	NoCertificate string // the reason why a refutation has none
}

func newLedger(results []claims.Result) *ledger {
	l := &ledger{}
	for _, r := range results {
		l.Results = append(l.Results, shown{Result: r})
	}
	return l
}

// certify sets the names of the refutations' certificates. It returns the certificate files, and an error for each
// refutation without a certificate.
func (l *ledger) certify(ctx context.Context) (files map[string]string, none []error, err error) {
	files = make(map[string]string)
	for i := range l.Results {
		r := &l.Results[i]
		if r.Outcome.Verdict != evidence.Refuted {
			continue
		}
		f, err := repl.Refutation(ctx, &r.Outcome)
		if errors.Is(err, evidence.ErrParameter) {
			none, r.NoCertificate = append(none, err), err.Error()
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		f.Version = "" // so that every build writes the same file
		r.Certificate = r.Claim.ID + ".json"
		text, err := f.Encode(r.Certificate)
		if err != nil {
			return nil, nil, err
		}
		files[r.Certificate] = string(text)
	}
	return files, none, nil
}

// Total returns the number of all claims.
func (l *ledger) Total() int { return len(claims.All()) }

// Run returns the run that produced the results.
func (l *ledger) Run() check.Run {
	if len(l.Results) == 0 {
		return check.Run{}
	}
	return l.Results[0].Run
}

// Wide returns the length of the longest id.
func (l *ledger) Wide() (wide int) {
	for _, r := range l.Results {
		wide = max(wide, len(r.Claim.ID))
	}
	return wide
}

func (l *ledger) Tally() claimsTally { return tallied(l.Results) }

// Field returns the results for statements outside the papers.
func (l *ledger) Field() field {
	return field{having(l.Results, func(r shown) bool { return r.Claim.Key() == "field" })}
}

// field holds the results for statements outside the papers.
type field struct{ Results []shown }

// By returns the results with the standing s.
func (f field) By(s check.Standing) []shown {
	return having(f.Results, func(r shown) bool { return r.Standing() == s })
}

// Differ counts the verdicts that differ from the recorded ones.
func (f field) Differ() int {
	return len(having(f.Results, func(r shown) bool { return !r.AsRecorded() }))
}

// Parts returns the results by paper, in the order of claims.
func (l *ledger) Parts() (out []part) {
	for _, p := range append(claims.Papers(), claims.FieldPaper()) {
		if of := having(l.Results, func(r shown) bool { return r.Claim.Key() == p.Key }); of != nil {
			out = append(out, part{p, of})
		}
	}
	return out
}

// Filters returns the columns by which the HTML page filters rows, with their values.
func (l *ledger) Filters() (out []filter) {
	for _, c := range []struct {
		name string
		of   func(r shown) []string
	}{
		{"paper", func(r shown) []string { return []string{r.Claim.Paper} }},
		{"standing", func(r shown) []string { return []string{string(r.Standing())} }},
		{"remark", func(r shown) []string { return []string{r.Outcome.Remark} }},
		{"cause", func(r shown) []string { return []string{r.Cause()} }},
		{"method", shown.Methods},
	} {
		f := filter{Name: c.name}
		for _, r := range l.Results {
			for _, v := range c.of(r) {
				if v != "" && !slices.Contains(f.Values, v) {
					f.Values = append(f.Values, v)
				}
			}
		}
		out = append(out, f)
	}
	return out
}

type filter struct {
	Name   string
	Values []string
}

// Unchecked returns the statements of all papers that have no claim.
func (l *ledger) Unchecked() []check.Unchecked { return claims.Unchecked() }

// claimsTally counts the papers' statements by standing, statements beyond them, and verdicts that differ from the
// recorded ones.
type claimsTally struct {
	Stated, Beyond, Differ int
	By                     map[check.Standing]int
}

func tallied(results []shown) claimsTally {
	t := claimsTally{By: map[check.Standing]int{}}
	for _, r := range results {
		if r.Claim.Key() == "field" { // not a statement of a paper
			continue
		}
		if !r.AsRecorded() {
			t.Differ++
		}
		if r.Claim.Beyond {
			t.Beyond++
			continue
		}
		t.Stated++
		t.By[r.Standing()]++
	}
	return t
}

// Of returns the number of statements with the standing s.
func (t claimsTally) Of(s check.Standing) int { return t.By[s] }

// Refuted counts the statements that are false: unsafe, as stated, or without a hypothesis.
func (t claimsTally) Refuted() (n int) {
	for s, k := range t.By {
		if check.Severity(s).Refutes() || s == check.Standing(evidence.Refuted) {
			n += k
		}
	}
	return n
}

// part holds the results for one paper.
type part struct {
	Paper   claims.Paper
	Results []shown
}

func (p part) Tally() claimsTally { return tallied(p.Results) }

// OfRemark counts the paper's statements with the given remark.
func (p part) OfRemark(remark string) int {
	return len(having(p.Results, func(r shown) bool { return !r.Claim.Beyond && r.Outcome.Remark == remark }))
}

// Of returns the results with the verdict v. Results of a stored study count as undecided.
func (p part) Of(v evidence.Verdict) []shown {
	return having(p.Results, func(r shown) bool { return r.Outcome.Verdict == v })
}

// Standing returns the paper's statements that have one of the given standings.
func (p part) Standing(of ...check.Standing) []shown {
	return having(p.Results, func(r shown) bool { return !r.Claim.Beyond && slices.Contains(of, r.Standing()) })
}

// Worst returns the refuted statements by severity, the most severe first. Statements of equal severity keep their
// order.
func (p part) Worst() []shown {
	out, order := p.Of(evidence.Refuted), check.Severities()
	slices.SortStableFunc(out, func(a, b shown) int {
		return cmp.Compare(slices.Index(order, a.Claim.Entry.Severity), slices.Index(order, b.Claim.Entry.Severity))
	})
	return out
}

// Errata returns the number of the paper's statements that have an erratum.
func (p part) Errata() int {
	return len(having(p.Worst(), func(r shown) bool { return !r.Claim.Beyond }))
}

// ByCause groups the refutations by cause, the most frequent cause first.
func (p part) ByCause() (out []caused) {
	for _, c := range p.Paper.Causes {
		if of := having(p.Of(evidence.Refuted), func(r shown) bool { return r.Claim.Entry.Cause == c.ID }); of != nil {
			out = append(out, caused{c, of})
		}
	}
	slices.SortStableFunc(out, func(a, b caused) int { return len(b.Results) - len(a.Results) })
	return out
}

// Caused returns the refutations that have a cause, in the order of ByCause.
func (p part) Caused() (out []shown) {
	for _, c := range p.ByCause() {
		out = append(out, c.Results...)
	}
	return out
}

type caused struct {
	Cause   check.Cause
	Results []shown
}

// having returns the results for which property reports true, or nil.
func having(results []shown, property func(r shown) bool) (out []shown) {
	for _, r := range results {
		if property(r) {
			out = append(out, r)
		}
	}
	return out
}

// Standing returns the standing under which the row is counted.
func (r shown) Standing() check.Standing { return r.Claim.Standing(r.Outcome.Verdict) }

// Remarks returns the remarks on the row.
func (r shown) Remarks() string {
	var out []string
	if r.Outcome.Remark != "" && r.Outcome.Remark != string(r.Claim.Entry.Severity) {
		out = append(out, r.Outcome.Remark)
	}
	if r.Claim.Inferred {
		out = append(out, "inferred")
	}
	return strings.Join(out, ", ")
}

// Methods returns the methods by which the verdict was reached, in words.
func (r shown) Methods() []string { return methodsOf(r.Result) }

func methodsOf(r claims.Result) []string {
	out := []string{}
	for _, m := range r.Claim.Methods(&r.Outcome) {
		out = append(out, string(m))
	}
	return out
}

// Known returns how the verdict was established, with its remark and the note on a missing proof.
func (r shown) Known() string {
	method := strings.Join(r.Methods(), "; ")
	if r.Outcome.Remark != "" {
		method += "; " + r.Outcome.Remark
	}
	if k := r.Claim.Entry.Proof.Kind; k == check.None || k == check.Known {
		method += "; " + string(k)
	}
	return method
}

// Cause returns the title of the refutation's cause.
func (r shown) Cause() string {
	for _, c := range claims.Causes() {
		if c.ID == r.Claim.Entry.Cause {
			return c.Title
		}
	}
	return ""
}

// Downstream returns the claims that depend on this one.
func (r shown) Downstream() []string { return claims.Downstream(claims.All(), r.Claim.ID) }
func (r shown) Words() []string      { return claims.Words(claims.All(), r.Claim.ID) }

// Witnesses returns the smallest counterexamples to the statement and to a stronger reading of it (check.TakenFor),
// where there are any.
func (r shown) Witnesses() []*check.Witness {
	return slices.DeleteFunc([]*check.Witness{r.Outcome.Witness, r.Outcome.Exception}, func(w *check.Witness) bool { return w == nil })
}

// Scripts returns the lines of script that show the counterexamples.
func (r shown) Scripts() (out []string) {
	for _, w := range append(r.Witnesses(), r.Claim.Entry.Telling) {
		if w != nil {
			out = append(out, w.Script)
		}
	}
	return out
}
