package check

import (
	"fmt"
	"strings"

	"dpworkbench/evidence"
)

// String returns the claim with its statement, hypotheses, recorded verdict and correction.
func (c Claim) String() string {
	text := fmt.Sprintf("%s (%s, %s): %s", c.ID, c.Paper, c.Place, c.Statement)
	if c.Hypotheses != "" {
		text += "\n  hypotheses: " + c.Hypotheses
	}
	text += "\n  recorded verdict: " + string(c.Recorded)
	if s := c.Standing(c.Recorded); s != Standing(c.Recorded) {
		text += ", counted as: " + string(s)
	}
	if c.Inferred {
		text += "\n  inferred: its own text was not at hand"
	}
	if c.Entry.Study != "" {
		text += "\n  the study anew: " + c.Entry.Study
	}
	if c.Corrected != "" {
		text += "\n  corrected: " + c.Corrected
	}
	return text
}

// Reach describes the scope of the verdict. For a refutation it says how many instances the search visited
// until the counterexample.
func (o *Outcome) Reach() string {
	switch {
	case o.Verdict != evidence.Refuted:
		return o.Scope
	case o.Instances == 1:
		return "at the first instance"
	}
	return fmt.Sprintf("at instance %d of the search", o.Instances)
}

// String returns the verdict, the witness with its script, the evidence, and the outcome of the corrected
// statement.
func (o *Outcome) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s)", o.Verdict, o.Reach())
	if o.Remark != "" {
		b.WriteString(", " + o.Remark)
	}
	for _, w := range []*Witness{o.Witness, o.Exception} {
		if w == nil {
			continue
		}
		for _, f := range w.Fields {
			fmt.Fprintf(&b, "\n  %s: %s", f.Name, f.Value)
		}
		if w.Script != "" {
			b.WriteString("\n  replay: " + w.Script)
		}
	}
	for _, e := range o.Evidence {
		b.WriteString("\n  " + e.Label + ": " + e.Text())
	}
	if o.Corrected != nil {
		b.WriteString("\n  corrected statement: " + strings.ReplaceAll(o.Corrected.String(), "\n", "\n  "))
	}
	return b.String()
}

// Text formats the item's number. An exact integer has no decimal point.
func (e Item) Text() string {
	if n, ok := e.Number.(evidence.Exact); ok && n.Value.IsInt() {
		return n.Value.RatString() + " (exact)"
	}
	return e.Number.String()
}

// Listing returns one line for each claim, with its recorded standing, grouped by paper.
func Listing(all []Claim) string {
	wide, stands := 0, 0
	for _, k := range all {
		wide, stands = max(wide, len(k.ID)), max(stands, len(k.Standing(k.Recorded)))
	}
	var b strings.Builder
	paper := ""
	for _, k := range all {
		if k.Paper != paper {
			paper = k.Paper
			b.WriteString("\n" + paper)
		}
		verdict := string(k.Standing(k.Recorded))
		if k.Remark != "" && k.Remark != verdict {
			verdict += " (" + k.Remark + ")"
		}
		fmt.Fprintf(&b, "\n  %-*s  %-*s  %s", wide, k.ID, stands, verdict, k.Place)
		if k.Beyond {
			b.WriteString(" (beyond the paper)")
		}
	}
	return strings.TrimPrefix(b.String(), "\n")
}
