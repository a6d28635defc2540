package certificate

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/mechanism"
)

// format is the name and the version of the file format.
const format = "dpworkbench certificate 1"

// File is a certificate.
type File struct {
	Version      string // version of the program
	Call, Script string // origin of the number; "" if unknown
	statement    object
	proof        object
}

// prover encodes the statement that a number answers, and its proof.
type prover func(ctx context.Context, n evidence.Number) (statement, proof object, err error)

// Of returns the certificate of a number. It returns an error wrapping evidence.ErrParameter if the number has no
// certificate: it is claimed or estimated, its statement is unknown, or its method has no proof in this format.
func Of(ctx context.Context, n evidence.Number) (*File, error) {
	s, err := statementOf(ctx, n)
	if err != nil {
		return nil, err
	}
	write := proverOf(s)
	if write == nil {
		return nil, refusal(n, s.Says()+" is not supported")
	}
	statement, proof, err := write(ctx, n)
	if err != nil {
		return nil, err
	}
	return &File{Call: n.Citation().Call, statement: statement, proof: proof}, nil
}

// statementOf returns the statement that a number answers, if it can be proved.
func statementOf(ctx context.Context, n evidence.Number) (evidence.Statement, error) {
	if err := evidence.Check(n); err != nil {
		return nil, err
	}
	switch n.Kind() {
	case evidence.KindClaimed:
		return nil, refusal(n, "a claimed number has no proof")
	case evidence.KindEstimated:
		return nil, refusal(n, "an estimate has no proof")
	}
	switch s := n.Citation().Statement.(type) {
	case nil:
	case *mechanism.RebuiltStatement:
		return s.Statement(ctx)
	default:
		return s, nil
	}
	return nil, refusal(n, "certificates do not support its method, "+n.Origin())
}

// refusal returns the error for a number without a certificate.
func refusal(n evidence.Number, why string) error {
	return parameter.Errorf("no certificate of %s: %s", n, why)
}

// Write writes the certificate.
func (f *File) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	made := object{}
	for key, text := range map[string]string{"call": f.Call, "script": f.Script} {
		if text != "" {
			made[key] = text
		}
	}
	sum := sha256.Sum256(canonical(nil, f.statement))
	fmt.Fprintf(b, "{\"format\": %s,\n \"version\": %s,\n \"made\": %s,\n \"statement\": ", quote(format), quote(f.Version), canonical(nil, made))
	layout(b, f.statement, 1)
	fmt.Fprintf(b, ",\n \"sha256\": %s,\n \"proof\": ", quote(hex.EncodeToString(sum[:])))
	layout(b, f.proof, 1)
	b.WriteString("}\n")
	return b.Flush()
}

// Encode returns the file's content, compressed if the name ends in .gz.
func (f *File) Encode(name string) ([]byte, error) {
	var out bytes.Buffer
	if !strings.HasSuffix(name, ".gz") {
		err := f.Write(&out)
		return out.Bytes(), err
	}
	z, _ := gzip.NewWriterLevel(&out, gzip.BestCompression) // the level is valid
	err := errors.Join(f.Write(z), z.Close())
	return out.Bytes(), err
}

// Fact is a number that a refutation's script line uses, with the expression that computed it.
type Fact struct {
	Call   string
	Number evidence.Number
}

// Refutation returns the certificate that a claimed statement is false. The script line computes both sides and finally
// prints whether the statement holds, which is false. facts are the numbers that a checker cannot compute itself.
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

// spelled returns an expression without the names of its arguments.
func spelled(call string) string { return named.ReplaceAllString(call, "$1") }
