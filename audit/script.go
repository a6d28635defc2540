package audit

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// A script that reproduces a witness uses only the event: the event's indicator is a mechanism with the two outputs
// below, and has the same loss.
const inside, outside = "E", "not E"

// tableScript returns a line of script that audits the indicator of the event.
func tableScript(w *Witness, l *loss, claim Claim) string {
	law := func(p *big.Rat) string {
		if p.Cmp(one) > 0 { // rounded probabilities
			p = one
		}
		rest := new(big.Rat).Sub(one, p)
		return fmt.Sprintf("{%q: %q, %q: %q}", inside, p.RatString(), outside, rest.RatString())
	}
	return call(w, law(l.p), law(l.q), claim, "")
}

// call returns the line of a script that audits a mechanism on two datasets.
func call(w *Witness, first, second string, claim Claim, more string) string {
	x, y := literal(w.First), literal(w.Second)
	eps := claim.Epsilon.String()
	if e, ok := claim.Epsilon.Exp(); ok {
		eps = "ln(" + strconv.Quote(e.RatString()) + ")"
	} else if claim.Epsilon.IsExact() {
		eps = strconv.FormatFloat(claim.Epsilon.Value(), 'g', -1, 64)
	} else if q, ok := claim.Epsilon.Rational(); ok {
		if eps = claim.Epsilon.Text(); strings.Contains(eps, "/") {
			eps = strconv.Quote(q.RatString())
		}
	}
	delta := ""
	if !claim.Delta.IsZero() {
		delta = ", " + numberText(claim.Delta.Rat())
	}
	return fmt.Sprintf("audit({%s: %s, %s: %s}, [(%s, %s)], %s%s%s)", x, first, y, second, x, y, eps, delta, more)
}

// literal formats a name as a literal of the script language.
func literal(name string) string {
	if _, err := strconv.ParseInt(name, 10, 64); err == nil {
		if _, ok := parseNumeral(name); ok {
			return name
		}
	}
	return strconv.Quote(name)
}

// numberText returns the shortest decimal that equals a rational, or the quoted fraction if no float64 prints as such a
// decimal.
func numberText(q *big.Rat) string {
	v, _ := q.Float64()
	if text := strconv.FormatFloat(v, 'g', -1, 64); sameNumber(text, q) {
		return text
	}
	return strconv.Quote(q.RatString())
}

func sameNumber(text string, q *big.Rat) bool {
	p, ok := new(big.Rat).SetString(text)
	return ok && p.Cmp(q) == 0
}

// String lists the outputs of the event, or gives its bound.
func (e Event) String() string {
	subject := "outputs "
	if e.Feature != "" {
		subject = "outputs whose " + e.Feature + " is "
	}
	if e.Bound != "" {
		return subject + e.Bound
	}
	const most = 8
	shown := slices.Clone(e.Outputs[:min(len(e.Outputs), most)])
	text := "{" + strings.Join(shown, ", ")
	if n := len(e.Outputs); n > most {
		text += fmt.Sprintf(", … (%d outputs)", n)
	}
	if e.Feature != "" {
		text = subject + "in " + text
	}
	return text + "}"
}

// samplesScript returns a script line that bounds this event only, from its counts, at the level that it had among
// all tests. One event of one pair is tested in both directions, so two tests need no correction.
func samplesScript(w *Witness, b *bounds, claim Claim, alpha float64, tests int) string {
	seen := func(c, n int64) string { return fmt.Sprintf("{%q: %d, %q: %d}", inside, c, outside, n-c) }
	more := fmt.Sprintf(", events=[%q]", inside)
	if confidence := 1 - alpha*2/float64(tests); confidence != DefaultConfidence {
		more += ", confidence=" + strconv.FormatFloat(confidence, 'g', -1, 64)
	}
	return call(w, seen(b.p, b.m), seen(b.q, b.n), claim, more)
}
