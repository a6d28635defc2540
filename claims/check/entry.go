package check

import "dpworkbench/evidence"

// Entry holds further information about a claim, for referees and authors.
type Entry struct {
	Quote    Quote    // the paper's words; empty if it does not make the statement
	Severity Severity // of a statement with a counterexample to its words; Slack can also accompany a confirmation
	Readings string   // the charitable readings that were tried, and how each fails
	Holds    string   // the range in which a refuted statement holds; "" if not worth naming
	Study    string   // the command that recomputes the stored study on which the row rests; "" if a check computes the row
	Cause    string   // the id of the Cause of a refutation
	Proof    Proof
	Family   Kind     // what the bounded instances are, if there are any
	RestsOn  []string // ids of the claims that the paper's argument for this one uses
	Serves   []string // functions of the script language whose guarantee rests on the claim
	Erratum  Erratum
	Instead  string   // what to use instead of the statement, for statements outside the papers
	Compute  string   // a line of script that computes the number in question, for statements outside the papers
	Telling  *Witness // a counterexample that explains more than the smallest one
}

// Quote is a short passage of the paper and its place; … marks omissions.
type Quote struct{ Words, At string }

// Severity is the kind of an error in a statement, and its consequence for users of the statement.
type Severity string

// In increasing order of severity. Only the last three refute the statement.
const (
	Slack             Severity = "slack"              // true or safe, but not tight
	ProofGap          Severity = "proof gap"          // a step of a proof fails; the result has a row of its own
	Misprint          Severity = "misprint"           // the text around it shows what is meant
	HypothesisMissing Severity = "hypothesis missing" // true with a natural hypothesis that the proof uses
	False             Severity = "false as stated"
	Unsafe            Severity = "false as stated and unsafe" // users of the statement leak more than it says
)

// Severities of uses of a statement. They refute nothing: the statement is true, but people use it for more than it
// says.
const (
	Outside   Severity = "outside its hypothesis" // used where its hypotheses do not hold, and false there
	NotABound Severity = "not a bound"            // an estimate that is used as a bound
)

// Severities lists the severities of statements, worst first. It leaves out those of uses, Outside and NotABound.
func Severities() []Severity {
	return []Severity{Unsafe, False, HypothesisMissing, Misprint, ProofGap, Slack}
}

// Refutes reports whether a statement with this severity counts as refuted.
func (s Severity) Refutes() bool { return s == Unsafe || s == False || s == HypothesisMissing }

// Standing is the group in which the ledger counts a row: its recorded severity, or its verdict.
type Standing string

// Stored is the standing of a row whose evidence is a stored study. Checks read the study and do not rerun it.
const Stored Standing = "recorded"

// Standings lists the standings, in the order of the headline.
func Standings() (out []Standing) {
	out = append(out, Standing(evidence.Confirmed))
	for _, s := range Severities() {
		out = append(out, Standing(s))
	}
	return append(out, Stored, Standing(evidence.Undecided))
}

// Standing returns the group in which the ledger counts the claim with this outcome. If the verdict is not the
// recorded one, the group is the verdict.
func (c Claim) Standing(v evidence.Verdict) Standing {
	switch {
	case v != c.Recorded:
	case c.Entry.Study != "":
		return Stored
	case c.Entry.Severity != "":
		return Standing(c.Entry.Severity)
	}
	return Standing(v)
}

// FieldStandings lists the standings of statements outside the papers, the most reliable first.
func FieldStandings() []Standing {
	return []Standing{Standing(evidence.Confirmed), Standing(Slack), Standing(Outside), Standing(NotABound),
		Standing(HypothesisMissing), Standing(False), Standing(Unsafe), Stored, Standing(evidence.Undecided)}
}

// Remarks lists the remarks that can accompany a verdict, as columns of the ledger.
func Remarks() []string {
	return []string{"not reproducible", "reproduced", "reversed", "ambiguous", "vacuous", "loose", "misprint"}
}

// Cause is an error of a paper that makes statements false.
type Cause struct{ ID, Paper, Title, Text string }

// Erratum replaces words of the paper. It inserts By if Replace is empty, and deletes Replace if By is empty.
type Erratum struct{ Replace, By string }

// String returns the erratum as an instruction, such as "Add: m ≥ 2".
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

// Proof is the support of a confirmation beyond instances.
type Proof struct {
	Kind ProofKind
	At   string // in docs/proofs: "xor.md#theorem-2"; "" for Known and None
}

// ProofKind says who gave a proof, and its status.
type ProofKind string

// The results of reading a proof line by line.
const (
	Valid    ProofKind = "the paper's proof, checked"
	Repaired ProofKind = "the paper's proof, repaired"
	Gap      ProofKind = "the paper's proof, gap named"
	Ours     ProofKind = "our proof"
	Known    ProofKind = "a known theorem, not proved here"
	None     ProofKind = "no proof known here"
)

// Kind is the kind of a statement's bounded instances.
type Kind string

// A statement's bounded instances.
const (
	Finite Kind = "finite family visited whole" // all of finitely many up to a size
	OnGrid Kind = "grid"                        // points of a continuum
)

// Method is a way in which a verdict was reached.
type Method string

// The other methods.
const (
	Counterexample Method = "counterexample"
	Exhaustive     Method = "exhaustive" // the stated range is finite and visited whole
	Random         Method = "random"
	Shown          Method = "numbers, which decide nothing"
)

// Methods returns the methods that support a verdict, the strongest first.
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

// Unchecked is a statement without a claim, and the reason.
type Unchecked struct {
	Paper, Place, Says string
	Reason             Reason
	More               string // further explanation
}

// Reason says why a statement is not checked.
type Reason string

// The reasons.
const (
	Defines   Reason = "a definition, neither true nor false"
	Opinion   Reason = "an opinion or a motive"
	Vague     Reason = "too vague to test"
	OtherWork Reason = "a statement of another work, not at hand"
	NeedsData Reason = "data or a setting that the paper does not give"
	Cost      Reason = "a cost of computing, which depends on the implementation"
	NotAtHand Reason = "its text is not at hand"
	Plain     Reason = "true by the definitions alone"
	Slip      Reason = "a slip of notation that changes no result"
)

// Reasons lists the reasons.
func Reasons() []Reason {
	return []Reason{Defines, Opinion, Vague, OtherWork, NeedsData, Cost, NotAtHand, Plain, Slip}
}
