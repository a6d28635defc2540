package certificate

import (
	"context"
	"regexp"

	"dpworkbench/evidence"
)

// Fact is a number that a line asks for, under the expression that made it.
type Fact struct {
	Call   string
	Number evidence.Number
}

// Refutation returns the certificate of a statement's refutation: a line that computes both sides and prints last whether
// the statement holds, which is false. What no checker computes by itself are the facts.
func Refutation(ctx context.Context, claim, says, line string, facts []Fact) (*File, error) {
	stated, proofs := list{}, list{}
	known := make(map[string]bool)
	for _, fact := range facts {
		call := spelled(fact.Call)
		if known[call] {
			continue
		}
		known[call] = true
		f, err := Of(ctx, fact.Number)
		if err != nil {
			return nil, err
		}
		stated = append(stated, object{"call": call, "statement": f.statement})
		proofs = append(proofs, f.proof)
	}
	return &File{
		Call:      "claim(" + quote(claim) + ").check()",
		statement: object{"kind": "refutation", "claim": claim, "says": says, "line": line, "facts": stated},
		proof:     object{"facts": proofs},
	}, nil
}

var named = regexp.MustCompile(`([(,] ?)[a-z_0-9]+=`)

// spelled returns an expression whose arguments stand without their names.
func spelled(call string) string { return named.ReplaceAllString(call, "$1") }
