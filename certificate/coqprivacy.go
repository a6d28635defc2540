package certificate

import (
	"context"
	"fmt"
	"math/big"
	"strings"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/mechanism"
	"dpworkbench/optimize"
)

// CoqClaim returns the Coq file of the verdict on a claim: that m is (ε, δ)-differentially private, or that it is not.
// It returns an error wrapping evidence.ErrParameter if e^ε is not rational, or where Coq returns one.
func CoqClaim(ctx context.Context, m mechanism.Mechanism, eps evidence.Epsilon, delta evidence.Delta) (*CoqFile, evidence.Verdict, error) {
	w, err := coqRatio(eps)
	if err != nil {
		return nil, "", err
	}
	c, err := newCoqMechanism(ctx, m)
	if err != nil {
		return nil, "", err
	}
	at, err := c.excess(ctx, w)
	if err != nil {
		return nil, "", err
	}
	private, rule := "Workbench.Mechanism.dp q "+coqRational(w)+" m", "apply Workbench.Checks.dp_"
	if !delta.IsZero() {
		private, rule = "Workbench.Mechanism.dp_delta q "+coqRational(w)+" "+coqRational(delta.Rat())+" m", "apply Workbench.Checks.dp_delta_"
	}
	if at.by.Cmp(delta.Rat()) <= 0 {
		f := c.file("%s is %s.", m.Name(), coqPrivate(eps, delta))
		f.prove("%s", rule+"sound", private)
		return f, evidence.Confirmed, nil
	}
	var event []string
	for r, p := range c.laws[at.x] {
		if p.Cmp(new(big.Rat).Mul(w, c.laws[at.y][r])) > 0 {
			event = append(event, fmt.Sprint(r))
		}
	}
	f := c.file("%s is not %s: an event is too likely at dataset %d beside dataset %d.", m.Name(), coqPrivate(eps, delta), at.x, at.y)
	witness := fmt.Sprintf("refuted with (x := %d%%nat) (y := %d%%nat) (S := [%s]%%nat)", at.x, at.y, strings.Join(event, "; "))
	f.prove("~ %s", rule+witness, private)
	return f, evidence.Refuted, nil
}

// coqPrivate returns the words for (ε, δ)-differential privacy.
func coqPrivate(eps evidence.Epsilon, delta evidence.Delta) string {
	if delta.IsZero() {
		return fmt.Sprintf("%s-differentially private", eps)
	}
	return fmt.Sprintf("(%s, %s)-differentially private", eps, optimize.Brief(delta))
}

// coqRatio returns e^ε if it is rational, and an error otherwise.
func coqRatio(eps evidence.Epsilon) (*big.Rat, error) {
	if w, ok := eps.Exp(); ok {
		return w, nil
	}
	return nil, parameter.Bad("eps", eps, "the logarithm of a rational number for a Coq file")
}
