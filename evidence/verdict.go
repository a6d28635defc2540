package evidence

// Verdict is the outcome of checking a statement.
type Verdict string

// A statement is Confirmed within a scope, Refuted by a witness, or Undecided.
// An estimate can refute a statement, never confirm it.
const (
	Confirmed Verdict = "confirmed"
	Refuted   Verdict = "refuted"
	Undecided Verdict = "undecided"
)
