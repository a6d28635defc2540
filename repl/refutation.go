package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"dpworkbench/certificate"
	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/internal/version"
	"dpworkbench/mechanism"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// understood are the built-ins that a checker of refutations knows by their definitions.
var understood = []string{
	"finite_query", "finite_mechanism", "general", "basic", "discretize", "ln",
	"len", "range", "sum", "min", "max", "abs", "zip", "all", "any", "sorted", "int", "float", "print",
}

// Refutation returns the certificate of a refutation by its line of script, which it runs to learn the facts that no
// checker computes by itself. It returns an error wrapping evidence.ErrParameter where the outcome is no refutation, or the line
// asks for what has no certificate.
func Refutation(ctx context.Context, v *check.Outcome) (*certificate.File, error) {
	if v.Verdict != evidence.Refuted || v.Witness == nil || v.Claim == "" {
		return nil, parameter.Errorf("no certificate of %s: only refutations of the ledger's claims have one", v)
	}
	s := NewSession()
	defer s.Close()
	s.Stdout, s.Stderr = io.Discard, io.Discard
	var facts []certificate.Fact
	var refused error
	s.Seen = func(c *script.Call, made starlark.Value) {
		e, number := made.(*script.Evidence)
		switch {
		case !number:
			if refused == nil && script.Made(made) == "" && !slices.Contains(understood, c.Name) {
				refused = parameter.Errorf("%s makes what no certificate holds", c.Name)
			}
		case native(e.Number()):
		default:
			facts = append(facts, certificate.Fact{Call: e.Number().Citation().Call, Number: e.Number()})
		}
	}
	if _, err := s.ExecScript(ctx, v.Claim, v.Witness.Script); err != nil {
		return nil, err
	}
	if refused != nil {
		return nil, fmt.Errorf("no certificate of the refutation of %s: %w", v.Claim, refused)
	}
	f, err := certificate.Refutation(ctx, v.Claim, v.Statement, v.Witness.Script, facts)
	if err != nil && errors.Is(err, evidence.ErrParameter) {
		err = fmt.Errorf("no certificate of the refutation of %s: %w", v.Claim, err)
	}
	if err != nil {
		return nil, err
	}
	f.Version = version.Text()
	return f, nil
}

// native reports whether a checker of refutations computes the number by itself.
func native(n evidence.Number) bool {
	if _, given := n.(evidence.Given); given {
		return true
	}
	_, ok := n.Citation().Statement.(*mechanism.EpsilonStatement)
	return ok
}
