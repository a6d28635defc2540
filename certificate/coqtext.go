package certificate

import (
	"fmt"
	"math/big"
	"strings"
	"unicode"

	"dpworkbench/internal/redact"
)

// coqComment returns s in a form that is safe inside a comment. It removes delimiters of comments and strings, and
// control and formatting characters, which could make the comment look like code.
func coqComment(s string) string {
	s = strings.Map(func(r rune) rune {
		if r != '\n' && (unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r)) {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(redact.Text(s), "?"))
	return strings.NewReplacer("(*", "( *", "*)", "* )", `"`, "'").Replace(s)
}

// coqRational formats a number as an argument in Coq.
func coqRational(q *big.Rat) string {
	switch {
	case q.IsInt() && q.Sign() >= 0:
		return q.Num().String()
	case q.IsInt():
		return "(" + q.Num().String() + ")"
	}
	return fmt.Sprintf("(%s # %s)", q.Num(), q.Denom())
}

// coqRow formats numbers as numerators over their common denominator.
func coqRow(row []*big.Rat) string {
	den := big.NewInt(1)
	for _, q := range row {
		den = lcm(den, q.Denom())
	}
	return coqRowOver(den, row)
}

func coqRowOver(den *big.Int, row []*big.Rat) string {
	nums := make([]string, len(row))
	for i, q := range row {
		n := new(big.Int).Quo(den, q.Denom())
		nums[i] = n.Mul(n, q.Num()).String()
	}
	return fmt.Sprintf("Workbench.Mechanism.row %s [%s]", den, strings.Join(nums, "; "))
}

func lcm(a, b *big.Int) *big.Int {
	gcd := new(big.Int).GCD(nil, nil, a, b)
	return gcd.Mul(a, gcd.Quo(b, gcd))
}

// wrap joins parts into lines of about lineWidth bytes. It indents all lines but the first.
func wrap(parts []string, separator string, indent int) string {
	var b strings.Builder
	length := 0
	for i, part := range parts {
		if i > 0 {
			b.WriteString(strings.TrimRight(separator, " "))
			if length+len(part) > lineWidth {
				fmt.Fprintf(&b, "\n%*s", indent, "")
				length = 0
			} else {
				b.WriteByte(' ')
			}
		}
		b.WriteString(part)
		length += len(part) + len(separator)
	}
	return b.String()
}

// lineWidth is the width in bytes at which wrap breaks lines.
const lineWidth = 100
