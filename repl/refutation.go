package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"dpworkbench/certificate"
	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/internal/version"
	"dpworkbench/mechanism"
	"dpworkbench/script"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// understood are the built-ins and attributes that a checker of refutations computes from their definitions.
var understood = strings.Fields(`finite_query finite_mechanism general basic discretize ln
	len range sum min max abs zip all any sorted int float print
	math.sqrt math.exp math.log math.pow math.atan math.sin math.cos math.ceil math.floor
	query.size query.distance query.neighbors
	gram_sensitivity
	bernoulli bernoulli_uniform bernoulli.theta bernoulli.pi bernoulli.size bernoulli.exponent bernoulli.scaled bernoulli.marginals
	mechanism.layer mechanism.layers mechanism.is_basic mechanism.initial_values mechanism.reconstruct`)

// Refutation returns the certificate of a refutation. It runs the refutation's line of script to learn the facts that
// no checker computes. It returns an error wrapping evidence.ErrParameter if the outcome is not a refutation, or the
// line needs something that has no certificate.
func Refutation(ctx context.Context, v *check.Outcome) (*certificate.File, error) {
	if v.Verdict != evidence.Refuted || v.Witness == nil || v.Claim == "" {
		return nil, parameter.Errorf("no certificate of %s: only refutations of listed claims have one", v)
	}
	if what := v.Witness.Approximates; what != "" {
		return nil, parameter.Errorf("no certificate of the refutation of %s: a sum in its script replaces %s", v.Claim, what)
	}
	line, err := lastPrinted(v.Witness.Script)
	if err != nil {
		return nil, err
	}
	s := NewSession()
	defer s.Close()
	s.Stdout, s.Stderr, s.WholeCalls = io.Discard, io.Discard, true
	var facts []certificate.Fact
	var refused error
	s.Seen = func(c *script.Call, made starlark.Value) {
		e, number := made.(*script.Evidence)
		switch {
		case !number:
			if refused == nil && script.Made(made) == "" && !slices.Contains(understood, c.Name) {
				refused = parameter.Errorf("certificates do not support the result of %s", c.Name)
			}
		case strings.Contains(e.Number().Citation().Call, ").law("):
			refused = parameter.Errorf("%s: certificates do not support laws of graphs that a rival mechanism releases", e.Number().Citation().Call)
		case native(e.Number()), c.Name == "p_plus_printed" && strings.Contains(e.Number().Citation().Call, `kind="rademacher"`):
		default:
			facts = append(facts, certificate.Fact{Call: e.Number().Citation().Call, Number: e.Number()})
		}
	}
	if _, err := s.ExecScript(ctx, v.Claim, line); err != nil {
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

// lastPrinted returns the line with only the last argument of its final print.
func lastPrinted(line string) (string, error) {
	f, err := syntax.LegacyFileOptions().Parse("", line, 0)
	if err != nil {
		return "", err
	}
	if last, ok := f.Stmts[len(f.Stmts)-1].(*syntax.ExprStmt); ok {
		if call, ok := last.X.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			column := func(p syntax.Position) int { return int(p.Col) - 1 }
			begin, _ := call.Args[0].Span()
			from, _ := call.Args[len(call.Args)-1].Span()
			runes := []rune(line)
			return string(runes[:column(begin)]) + string(runes[column(from):]), nil
		}
	}
	return line, nil
}

// native reports whether a checker of refutations computes the number itself.
func native(n evidence.Number) bool {
	if _, given := n.(evidence.InputEpsilon); given {
		return true
	}
	c := n.Citation()
	_, finite := c.Statement.(*mechanism.EpsilonStatement)
	_, remade := c.Statement.(*mechanism.RebuiltStatement)
	return finite || remade || strings.HasPrefix(c.Call, "bernoulli") || strings.HasPrefix(c.Call, "gram_sensitivity(")
}
