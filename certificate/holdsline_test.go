package certificate_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/repl"

	"go.starlark.net/syntax"
)

var positiveInfinity = math.Inf(1)

type statedRefutation struct {
	Claim, Line string
	Facts       []statedFact
}

type statedFact struct {
	Call      string
	Statement json.RawMessage
}

// refutationHolds has the workbench run the line, the last print's last argument alone, which is to be False, and
// write down its facts anew: they are to be those that are given, but for what their numbers are, and true.
func refutationHolds(s statedRefutation) error {
	ctx := context.Background()
	session := repl.NewSession()
	defer session.Close()
	var printed bytes.Buffer
	session.Stdout, session.Stderr = &printed, io.Discard
	if _, err := session.ExecScript(ctx, "line", lastArgument(s.Line)); err != nil {
		return fmt.Errorf("the line ends in %v", err)
	}
	if words := strings.Fields(printed.String()); len(words) == 0 || words[len(words)-1] != "False" {
		return fmt.Errorf("the line prints %q", printed.String())
	}
	if len(s.Facts) == 0 {
		return nil
	}
	outcome := &check.Outcome{Claim: "forged", Statement: "forged", Verdict: evidence.Refuted, Witness: &check.Witness{Script: s.Line}}
	text := must.Be(must.Be(repl.Refutation(ctx, outcome)).Encode("forged.json"))
	var anew struct{ Statement statedRefutation }
	must.Be(0, json.Unmarshal(text, &anew))
	facts := make(map[string]string)
	for _, fact := range anew.Statement.Facts {
		facts[fact.Call] = bare(fact.Statement)
	}
	for _, fact := range s.Facts {
		if other := facts[fact.Call]; other != bare(fact.Statement) {
			return fmt.Errorf("%s is to say %s", fact.Call, other)
		}
		if err := statementHolds(fact.Statement); err != nil {
			return fmt.Errorf("%s: %w", fact.Call, err)
		}
	}
	return nil
}

// lastArgument returns a line whose last print prints its last argument alone.
func lastArgument(line string) string {
	file := must.Be(syntax.LegacyFileOptions().Parse("line", line, 0))
	statement, _ := file.Stmts[len(file.Stmts)-1].(*syntax.ExprStmt)
	if statement == nil {
		return line
	}
	call, _ := statement.X.(*syntax.CallExpr)
	if call == nil || len(call.Args) == 0 {
		return line
	}
	first, _ := call.Args[0].Span()
	last, _ := call.Args[len(call.Args)-1].Span()
	of := []rune(line)
	return string(of[:first.Col-1]) + string(of[last.Col-1:])
}

// bare returns a statement without what its number is.
func bare(statement json.RawMessage) string {
	var s map[string]any
	must.Be(0, json.Unmarshal(statement, &s))
	delete(s, "is")
	return string(must.Be(json.Marshal(s)))
}
