package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"dpworkbench/claims"
	"dpworkbench/internal/redact"
	"dpworkbench/internal/wholefile"
	"dpworkbench/repl"

	"github.com/spf13/cobra"
)

// newCertifyCommand returns workbench certify.
func newCertifyCommand(o *options) *cobra.Command {
	certify := &cobra.Command{
		Use:   "certify FILE... -o DIR",
		Short: "Write certificates of the numbers that scripts print",
		Long: `Run scripts as "workbench run" does, and write certificates of the numbers that
they print or hold in the global variable result. The certificates are the files
001.json, 002.json, … in DIR, and python3 certificate/check.py accepts or rejects
them without the workbench. The scripts' own output is omitted: one line for each
number names its certificate, or says why the number has none.`,
		Example: `  workbench certify mechanism.star -o certificates
  python3 certificate/check.py certificates/*.json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			o.silent = true
			return runScripts(*o, args)
		},
	}
	addScriptFlags(certify, o)
	certify.Flags().StringVarP(&o.certificates, "out", "o", "", "folder of the certificates")
	_ = certify.MarkFlagRequired("out") // fails only if there is no such flag
	return certify
}

// writeCertificates writes the certificates of the printed numbers and reports each of them.
func writeCertificates(ctx context.Context, k *repl.Certificates, dir string, tell io.Writer) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return &failure{err}
	}
	written, none := 0, 0
	err := k.Each(ctx, func(c repl.Certificate) error {
		if c.None != nil {
			none++
			fmt.Fprintf(tell, "none: %v\n", c.None)
			return nil
		}
		path := filepath.Join(dir, c.Name)
		if err := wholefile.Write(path, c.Text, 0o644); err != nil {
			return &failure{err}
		}
		written++
		fmt.Fprintf(tell, "%s: %s = %v\n", path, c.Number.Number().Citation().Statement.Says(), c.Number)
		return nil
	})
	if err == nil && (tell == io.Discard || written+none == 0) {
		fmt.Fprintf(os.Stderr, "wrote %d certificates to %s; numbers without one: %d\n", written, dir, none)
	}
	return err
}

// certifyClaims writes the certificate of each refutation that has one, and lists the others on standard error.
func certifyClaims(ctx context.Context, results []claims.Result, dir string) error {
	files, none, err := newLedger(results).certify(ctx)
	if err != nil {
		return err
	}
	for _, why := range none {
		fmt.Fprintln(os.Stderr, redact.Text(why.Error()))
	}
	if err := writeAll(dir, files); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "wrote certificates of %d refutations to %s; %d have none\n", len(files), dir, len(none))
	return nil
}
