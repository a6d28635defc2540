package check

import "dpworkbench/evidence"

// Entry is what a referee and an author need of a claim beside its verdict.
type Entry struct {
	Quote    Quote    // the paper's words; none where it does not make the statement
	Severity Severity // of a refutation; Slack or ProofGap may stand with a confirmation
	Holds    string   // the range where a refuted statement still holds; "" for none worth naming
	Cause    string   // the id of the Cause of a refutation
	Proof    Proof
	Family   Kind     // what the bounded instances are, where there are some
	RestsOn  []string // ids of the claims that the paper's argument for this one uses
	Serves   []string // words of the vocabulary whose promise rests on it
	Erratum  Erratum
	Telling  *Witness // a counterexample that tells more than the smallest one
}

// Quote is a short passage of the paper and where it stands; … stands for what is left
// out.
type Quote struct{ Words, At string }

// Severity says what a refutation means to whoever relies on the statement.
type Severity string

// From what a copy editor mends to what a reader pays for.
const (
	Misprint        Severity = "misprint"
	Slack           Severity = "slack"                    // safe, and not sharp
	ProofGap        Severity = "proof gap, result stands" // a step of a proof fails, what it is for does not
	ConclusionFalse Severity = "conclusion false"
	Unsafe          Severity = "unsafe" // who relies on it leaks more than told
)

// Severities lists them, the worst first.
func Severities() []Severity { return []Severity{Unsafe, ConclusionFalse, ProofGap, Slack, Misprint} }

// Remarks are what a verdict leaves unsaid, as columns of the ledger.
func Remarks() []string {
	return []string{"not reproducible", "reproduced", "reversed", "ambiguous", "vacuous", "loose", "misprint"}
}

// Cause is one error that makes statements false.
type Cause struct{ ID, Paper, Title, Text string }

// Erratum replaces words of the paper by others: it adds where Replace is empty, and
// deletes where By is.
type Erratum struct{ Replace, By string }

// String returns the instruction.
func (e Erratum) String() string {
	switch {
	case e == Erratum{}:
		return ""
	case e.Replace == "":
		return "Add: " + e.By
	case e.By == "":
		return "Delete: " + e.Replace
	}
	return "Replace: " + e.Replace + " — by: " + e.By
}

// Proof says what stands behind a confirmation beyond instances.
type Proof struct {
	Kind ProofKind
	At   string // in docs/proofs: "xor.md#theorem-2"; "" for Known and None
}

// ProofKind says whose proof it is and how it fares.
type ProofKind string

// What a reading line by line finds.
const (
	Valid    ProofKind = "the paper's proof, checked"
	Repaired ProofKind = "the paper's proof, repaired"
	Gap      ProofKind = "the paper's proof, gap named"
	Ours     ProofKind = "our proof"
	Known    ProofKind = "a known theorem, not proved here"
	None     ProofKind = "no proof known here"
)

// Kind says what the bounded instances of a statement are.
type Kind string

// A statement's bounded instances.
const (
	Finite Kind = "finite family visited whole" // all of finitely many up to a size
	OnGrid Kind = "grid"                        // points of a continuum
)

// Method is a way in which a verdict was reached.
type Method string

// Of the ways that are no proof and no family.
const (
	Counterexample Method = "counterexample"
	Exhaustive     Method = "exhaustive" // the stated range is finite and visited whole
	Random         Method = "random"
	Shown          Method = "numbers, which decide nothing"
)

// Methods returns the ways in which a verdict was reached, the strongest first.
func (c Claim) Methods(o *Outcome) (out []Method) {
	switch o.Verdict {
	case evidence.Refuted:
		return []Method{Counterexample}
	case evidence.Undecided:
		return []Method{Shown}
	}
	if kind := c.Entry.Proof.Kind; kind == Valid || kind == Repaired || kind == Ours {
		out = append(out, Method(kind))
	}
	switch {
	case o.Visited.Whole:
		out = append(out, Exhaustive)
	case o.Visited.Family > 0:
		out = append(out, Method(c.Entry.Family))
	}
	if o.Visited.Drawn > 0 {
		out = append(out, Random)
	}
	return out
}

// Unjudged is a statement that has no claim, and why.
type Unjudged struct {
	Paper, Place, Says string
	Reason             Reason
	More               string // what the reason does not say
}

// Reason says why a statement is not judged.
type Reason string

// The reasons.
const (
	Defines    Reason = "a definition: nothing to hold or fail"
	Opinion    Reason = "an opinion or a motive"
	Vague      Reason = "too vague to fail"
	OtherWork  Reason = "a statement of another work, not at hand"
	NeedsData  Reason = "data or a setting that the paper does not give"
	Cost       Reason = "a cost of computing, which depends on the implementation"
	Elsewhere  Reason = "judged under another name"
	NotAtHand  Reason = "its text is not at hand"
	NotYetHere Reason = "not judged yet"
)
