package check

import "dpworkbench/evidence"

// Entry holds further information about a claim, for referees and authors.
type Entry struct {
	Quote    Quote    // the paper's words; empty if it does not make the statement
	Severity Severity // kind of error in the statement or its use; "" for none
	Readings string   // the charitable readings that were tried, and how each fails
	Holds    string   // the range in which a refuted statement holds; "" if none is given
	Study    string   // command that recomputes the stored study on which the verdict rests; "" for no study
	Cause    string   // id of the [Cause] that makes the statement false; "" for none
	Proof    Proof
	Family   Kind     // kind of the bounded instances; "" if there are none
	RestsOn  []string // ids of the claims that the paper's argument for this one uses
	Serves   []string // functions of the script language whose guarantee rests on the claim
	Erratum  Erratum
	Instead  string   // what to use instead of the statement, for statements outside the papers
	Compute  string   // a line of script that computes the number in question, for statements outside the papers
	Telling  *Witness // a counterexample that explains more than the smallest one; nil for none
}

// Quote is a short passage of the paper and its place; … marks omissions.
type Quote struct{ Words, At string }

// Severity is the kind of an error in a statement or in its use. The kinds differ in their consequence for
// users of the statement.
type Severity string

// The severities of statements, in increasing order. The ledger counts only the last three
// as refutations.
const (
	Slack             Severity = "slack"              // true or safe, but not tight
	ProofGap          Severity = "proof gap"          // a step of the proof fails; the result has a row of its own
	Misprint          Severity = "misprint"           // false as printed, but the text around it shows what is meant
	HypothesisMissing Severity = "hypothesis missing" // true under an unstated natural hypothesis that the proof uses
	False             Severity = "false as stated"
	Unsafe            Severity = "false as stated and unsafe" // users of the statement leak more than it says
)

// The severities of the use of a statement. The statement is true, so they do not refute it, but it is used
// for more than it says.
const (
	Outside   Severity = "outside its hypothesis" // used where its hypotheses do not hold, and false there
	NotABound Severity = "not a bound"            // an estimate that is used as a bound
)

// Severities lists the severities of statements, worst first. It leaves out the severities of uses, [Outside]
// and [NotABound].
func Severities() []Severity {
	return []Severity{Unsafe, False, HypothesisMissing, Misprint, ProofGap, Slack}
}

// Refutes reports whether the ledger counts a refuted statement with this severity as a refutation.
func (s Severity) Refutes() bool { return s == Unsafe || s == False || s == HypothesisMissing }

// Standing is the group in which the ledger counts a row: its recorded severity, or its verdict.
type Standing string

// Stored is the standing of a row whose evidence is a stored study. Checks read the study and do not rerun it.
const Stored Standing = "recorded"

// Standings lists the standings in the order in which the ledger's headline counts them.
func Standings() (out []Standing) {
	out = append(out, Standing(evidence.Confirmed))
	for _, s := range Severities() {
		out = append(out, Standing(s))
	}
	return append(out, Stored, Standing(evidence.Undecided))
}

// Standing returns the group in which the ledger counts the claim, given the verdict of its check. If that is
// not the recorded verdict, the group is the verdict itself.
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

// FieldStandings lists the standings of statements outside the papers: first the most reliable down to the
// unsafe, then [Stored] and undecided.
func FieldStandings() []Standing {
	return []Standing{Standing(evidence.Confirmed), Standing(Slack), Standing(Outside), Standing(NotABound),
		Standing(HypothesisMissing), Standing(False), Standing(Unsafe), Stored, Standing(evidence.Undecided)}
}

// Remarks lists the remarks that can accompany a verdict, as columns of the ledger.
func Remarks() []string {
	return []string{"not reproducible", "reproduced", "reversed", "ambiguous", "vacuous", "loose", "misprint"}
}

// Cause is an error in a paper that makes one or more of its statements false.
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

// Proof says whether a statement is proved, beyond the instances that its check visits.
type Proof struct {
	Kind ProofKind
	At   string // section of docs/proofs: "xor.md#theorem-2"; "" for [Known] and [None]
}

// ProofKind says whose proof a statement has, and whether that proof is sound.
type ProofKind string

// The kinds of proofs. [Valid], [Repaired] and [Gap] are the results of reading the paper's proof line by
// line.
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

// The kinds of bounded instances.
const (
	Finite Kind = "finite family visited whole" // every instance up to some size
	OnGrid Kind = "grid"                        // chosen points of a continuum
)

// Method is a way in which a verdict was reached. A [ProofKind] and a [Kind] also serve as methods of a
// confirmation.
type Method string

// The methods that are neither a ProofKind nor a Kind.
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

// Unchecked is a statement that has no claim, with the reason.
type Unchecked struct {
	Paper, Place, Says string
	Reason             Reason
	More               string // further explanation
}

// Reason says why a statement is not checked.
type Reason string

// The reasons why a statement is not checked.
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

// Reasons lists all reasons, in the order above.
func Reasons() []Reason {
	return []Reason{Defines, Opinion, Vague, OtherWork, NeedsData, Cost, NotAtHand, Plain, Slip}
}
