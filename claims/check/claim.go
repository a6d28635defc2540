package check

import (
	"context"
	"fmt"
	"math/big"
	"strings"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
)

// Claim is a statement, most often of a paper, together with its recorded verdict and the check that judges
// it.
type Claim struct {
	ID         string   // paper and number: "analytic.theorem1"
	Paper      string   // "Analytic Theory", "MVG", "XOR", "Sign projections"
	Place      string   // place of the statement in its paper: "Theorem 1"
	Covers     []string // the numbered statements it covers, {Place} if nil: "Theorem 2", "Lemma 1"
	Statement  string   // in our own words
	Hypotheses string   // assumptions of the statement
	Corrected  string   // a correct statement, if the published one is false
	Recorded   evidence.Verdict
	Remark     string // "loose", "vacuous", "ambiguous", "not reproducible", "reproduced", "reversed", "misprint", or ""

	// Beyond marks a statement that the paper does not make: an open question of its own, a consequence outside its
	// hypotheses, or the content of a work that was not available.
	Beyond bool

	// Inferred marks a statement whose own text was not at hand: it is inferred from its proof and its uses.
	Inferred bool

	Entry   Entry
	Checker Checker
}

// Outcome is the result of a check.
type Outcome struct {
	Claim     string // the claim's id; "" if the check was run without a claim
	Statement string
	Verdict   evidence.Verdict
	Scope     string // visited instances: "exhaustive: <family>" or "N instances"; "proved" if they imply all others
	Range     string // the family visited, in words; [Surveyed] adds at how many of its instances the statement fails
	Visited   Visited
	Remark    string
	Instances int      // visited instances, of the family and random, at which the statement could fail
	Witness   *Witness // the counterexample that refutes the statement; nil if it is not refuted
	Exception *Witness // smallest counterexample to a stronger reading: see [TakenFor]
	Evidence  []Item
	Corrected *Outcome // outcome of the corrected statement; nil if there is none
}

// Visited counts the instances of a check at which its statement could fail.
type Visited struct {
	Family, Drawn int
	Whole         bool // the stated range is finite, and the family covers it
}

// Item is a labelled number of an outcome's evidence.
type Item struct {
	Label  string
	Number evidence.Number
}

// Witness describes an instance at which a statement fails.
type Witness struct {
	Fields []Field // in reading order
	// Script is a script line that computes both sides from the instance alone and prints them, and finally whether
	// the statement holds there: False.
	Script string
	// Approximates names the quantity, such as an integral, that a sum of the script approximates. It is ""
	// if the script computes both sides exactly.
	Approximates string
}

// Field is one named part of a witness, in words.
type Field struct{ Name, Value string }

// Named returns fields from alternating names and values. A rational number that is an integer has no denominator.
func Named(namesAndValues ...any) []Field {
	out := make([]Field, len(namesAndValues)/2)
	for i := range out {
		name, value := namesAndValues[2*i].(string), namesAndValues[2*i+1]
		if r, ok := value.(*big.Rat); ok {
			value = r.RatString()
		}
		out[i] = Field{name, fmt.Sprint(value)}
	}
	return out
}

// NewWitness returns a witness whose script is written by [Script].
func NewWitness(fields []Field, vars Vars, statements ...string) *Witness {
	return &Witness{Fields: fields, Script: Script(vars, statements...)}
}

// Run holds the parameters of a check.
type Run struct {
	Budget int    // instances to draw at random beyond the enumerated family
	Seed   uint64 // seed of the random instances
}

// Covered returns the numbered statements of its paper that the claim judges.
func (c Claim) Covered() []string {
	if c.Covers != nil {
		return c.Covers
	}
	return []string{c.Place}
}

// DefaultBudget is the default number of random instances of a check.
const DefaultBudget = 200

// Check runs the claim's checker. It adds the claim's id and statement to the outcome, and the claim's remark
// if the checker returns none. Errors begin with the id.
func (c Claim) Check(ctx context.Context, run Run) (Outcome, error) {
	if run.Budget < 0 {
		return Outcome{}, parameter.Errorf("budget = %d instances, want at least 0", run.Budget)
	}
	var out Outcome
	if err := Try(func() { out = Must(c.Checker(ctx, run)) }); err != nil {
		return Outcome{}, fmt.Errorf("%s: %w", c.ID, err)
	}
	if out.Remark == "" {
		out.Remark = c.Remark
	}
	out.Claim, out.Statement = c.ID, c.Statement
	return out, nil
}

// Key returns the paper's key in ids: "analytic" for "analytic.lemma1".
func (c Claim) Key() string {
	key, _, _ := strings.Cut(c.ID, ".")
	return key
}
