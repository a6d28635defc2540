package repl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"dpworkbench/certificate"
	"dpworkbench/evidence"
	"dpworkbench/internal/version"
	"dpworkbench/mechanism"
	"dpworkbench/script"
)

// certificateBuiltins returns the built-ins that write certificates.
func certificateBuiltins() []script.Builtin {
	return []script.Builtin{script.Func("certify(x: value, path: string, eps: epsilon0=None, delta: delta0=0) -> none",
		"Writes a certificate of a number, or of a claim's refutation, to a .json or .json.gz file, atomically: the full statement and its proof. x may also be a universe of graphs on at most 6 nodes (all graphs, their symmetries and their neighbors), a layered mechanism (the layer of every value), a result of m.migrate (the layers before and after), of compare (which is better at each dataset) or of p.private of a program (for which ε its laws are private). python3 certificate/check.py FILE accepts or rejects the file without the workbench; docs/certificates.md explains the format. If the path ends in .v, the file is a Coq theorem about a finite mechanism with rational probabilities: its smallest ε, its δ or distortion, or an exact optimum. For a mechanism with eps, the logarithm of a rational, and delta, the theorem states whether it is (eps, delta)-differentially private. A claimed or estimated number, or one whose method has no certificate, is an error.",
		"m = purest(graphs(4).count(\"triangle\"), ln(2))\ncertify(m.smallest_epsilon, \"epsilon.json\")\nprint(read_json(\"epsilon.json\")[\"statement\"][\"is\"])\ncertify(m, \"claim.v\", eps=ln(2))",
		func(c *script.Call) (any, error) {
			path := c.Text("path")
			lower := strings.ToLower(path)
			if strings.HasSuffix(lower, ".v") {
				return nil, c.SaveFile(path, theorem(c))
			}
			if !strings.HasSuffix(lower, ".json") && !strings.HasSuffix(lower, ".json.gz") {
				c.Fail("path", c.Value("path"), "one that ends in .json, .json.gz or .v")
			}
			if c.Given("eps") || c.Spelled("delta") {
				c.Stop("eps and delta are given, want them only with a mechanism and a path that ends in .v")
			}
			var text []byte
			switch x := c.Value("x").(type) {
			case *script.Evidence:
				text = must(certified(c.Context, x, path))
			default:
				if v, ok := script.Unwrap(x, verdictClass); ok {
					text = must(must(Refutation(c.Context, v)).Encode(path))
					break
				}
				k, ok := x.(*script.Object)
				if !ok || !certificate.Known(subject(k)) {
					c.Fail("x", x, "a number with its evidence, such as m.smallest_epsilon, a verdict, a universe of graphs, a layered mechanism, a comparison or a decision")
				}
				f := must(certificate.About(c.Context, subject(k)))
				f.Version = version.Text()
				text = must(f.Encode(path))
			}
			return nil, c.SaveFile(path, text)
		})}
}

// theorem returns the Coq file that a call of certify writes.
func theorem(c *script.Call) []byte {
	var f *certificate.CoqFile
	var m mechanism.Mechanism
	if k, ok := c.Value("x").(*script.Object); ok {
		m, _ = subject(k).(mechanism.Mechanism)
	}
	e, isNumber := c.Value("x").(*script.Evidence)
	switch {
	case isNumber && (c.Given("eps") || c.Spelled("delta")):
		c.Stop("eps and delta are given with a number, want them only with a mechanism")
	case isNumber:
		f = must(certificate.Coq(c.Context, e.Number()))
		f.Script = e.Script()
	case m != nil && c.Given("eps"):
		var err error
		f, _, err = certificate.CoqClaim(c.Context, m, c.Epsilon("eps"), c.Delta("delta"))
		stop(err)
	case m != nil:
		c.Stop("eps is missing: the theorem says whether the mechanism is (eps, delta)-differentially private")
	default:
		c.Fail("x", c.Value("x"), "a number with its evidence, such as m.smallest_epsilon, or a mechanism")
	}
	f.Version = version.Text()
	var text bytes.Buffer
	stop(f.Write(&text))
	return text.Bytes()
}

// subject returns the Go value that certificates are made from.
func subject(v *script.Object) any {
	if x, ok := v.Inner().(interface{ certifiable() any }); ok {
		return x.certifiable()
	}
	return v.Inner()
}

// certified returns the certificate of a number as a file.
func certified(ctx context.Context, e *script.Evidence, path string) ([]byte, error) {
	f, err := certificate.Of(ctx, e.Number())
	if err != nil {
		return nil, err
	}
	f.Version, f.Script = version.Text(), e.Script()
	return f.Encode(path)
}

// Certificates makes the certificates of the numbers that scripts print.
type Certificates struct {
	guard   sync.Mutex // workers print concurrently
	numbers []*script.Evidence
	seen    map[*script.Evidence]bool
}

// Certify starts recording the numbers that a session's scripts print.
func (s *Session) Certify() *Certificates {
	out := &Certificates{seen: make(map[*script.Evidence]bool)}
	s.OnShown = func(e *script.Evidence) {
		out.guard.Lock()
		defer out.guard.Unlock()
		if !out.seen[e] {
			out.seen[e] = true
			out.numbers = append(out.numbers, e)
		}
	}
	return out
}

// Certificate is the certificate of a printed number.
type Certificate struct {
	Number *script.Evidence
	Name   string // the file name; "" if there is no certificate
	Text   []byte
	None   error // why there is no certificate
}

// Each calls f with the certificate of every number, in the order in which they were printed. Duplicates are left out.
// It returns the first error of f or of the context.
func (k *Certificates) Each(ctx context.Context, f func(Certificate) error) error {
	known := make(map[string]bool)
	for _, e := range k.numbers {
		c := Certificate{Number: e, Name: fmt.Sprintf("%03d.json", len(known)+1)}
		c.Text, c.None = certified(ctx, e, c.Name)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case c.None != nil && !errors.Is(c.None, evidence.ErrParameter):
			return c.None
		case c.None != nil:
			c.Name = ""
		case known[string(c.Text)]:
			continue
		default:
			known[string(c.Text)] = true
		}
		if err := f(c); err != nil {
			return err
		}
	}
	return nil
}
