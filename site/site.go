// Package site writes the static web site on which the workbench runs in a browser: a playground, and pages whose
// scripts can be run. The program is compiled to WebAssembly from the same packages; wasm/ has its main function,
// static/ the scripts of the pages and web/ the playground's editor, which is bundled by npm and esbuild.
package site

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"dpworkbench/internal/wholefile"
)

// Options are what a site is built from.
type Options struct {
	Root      string            // root folder of a checkout
	Dir       string            // where the site is written
	Reference map[string]string // the pages of the manual in HTML, by file name
	Fast      bool              // compress less, in seconds instead of minutes
	Progress  io.Writer         // gets a line for each step
}

// programs are the two builds of the program, with their build tags. The one without the checks of claims is a fifth
// smaller.
var programs = []struct{ name, tags string }{{"core", "noclaims"}, {"ledger", ""}}

// Build writes the site. It needs Go and npm. It returns an error wrapping errTool if one of them is missing or fails.
func Build(ctx context.Context, o Options) error {
	if _, err := os.Stat(filepath.Join(o.Root, "site", "static", "index.html")); err != nil {
		return fmt.Errorf("%s is not the root of a checkout of the workbench: run site there", o.Root)
	}
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return err
	}
	steps := []struct {
		what string
		do   func() error
	}{
		{"pages", func() error { return o.pages() }},
		{"editor (npm, esbuild)", func() error { return o.editor(ctx) }},
		{"program for WebAssembly", func() error { return o.programs(ctx) }},
		{"compressed program", func() error { return o.compress(ctx) }},
	}
	for _, s := range steps {
		fmt.Fprintln(o.Progress, "site:", s.what)
		if err := s.do(); err != nil {
			return err
		}
	}
	return nil
}

// errTool is wrapped by the error of a tool that is missing or fails.
var errTool = errors.New("building the site failed")

// run runs a tool in a folder of the checkout.
func (o Options) run(ctx context.Context, folder string, env []string, name string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = filepath.Join(o.Root, folder)
	c.Env = append(os.Environ(), env...)
	var out, complaints bytes.Buffer
	c.Stdout, c.Stderr = &out, &complaints
	if err := c.Run(); err != nil {
		line := strings.Join(append([]string{name}, args...), " ")
		return "", fmt.Errorf("%w: %s: %w\n%s", errTool, line, err, strings.TrimSpace(complaints.String()))
	}
	return strings.TrimSpace(out.String()), nil
}

// programs compiles the program.
func (o Options) programs(ctx context.Context) error {
	root, err := o.run(ctx, ".", nil, "go", "env", "GOROOT")
	if err != nil {
		return err
	}
	if err := o.copy(filepath.Join(root, "lib", "wasm", "wasm_exec.js"), "wasm_exec.js"); err != nil {
		return err
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return err
	}
	for _, p := range programs {
		out := filepath.Join(dir, p.name+".wasm")
		_, err := o.run(ctx, ".", []string{"GOOS=js", "GOARCH=wasm"},
			"go", "build", "-trimpath", "-tags", p.tags, "-ldflags", "-s -w", "-o", out, "./site/wasm")
		if err != nil {
			return err
		}
	}
	return nil
}

// compress replaces each program by two compressed files: one for hosts that send the brotli header, and one that pages
// unpack themselves.
func (o Options) compress(ctx context.Context) error {
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return err
	}
	level := "best"
	if o.Fast {
		level = "fast"
	}
	for _, p := range programs {
		path := filepath.Join(dir, p.name+".wasm")
		if _, err := o.run(ctx, "site/web", nil, "node", "compress.mjs", level, path); err != nil {
			return err
		}
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return nil
}

// editor bundles the playground's script with its editor, and copies the other scripts.
func (o Options) editor(ctx context.Context) error {
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return err
	}
	if _, err := o.run(ctx, "site/web", nil, "npm", "ci", "--no-audit", "--no-fund"); err != nil {
		return err
	}
	out := "--outfile=" + filepath.Join(dir, "app.js")
	if _, err = o.run(ctx, "site/web", nil, "npm", "run", "--silent", "bundle", "--", out); err != nil {
		return err
	}
	return o.licences()
}

// licences collects the licences of the packages in app.js.
func (o Options) licences() error {
	var all []byte
	for _, scope := range []string{"@codemirror", "@lezer", "@marijn", "."} {
		files, err := filepath.Glob(filepath.Join(o.Root, "site", "web", "node_modules", scope, "*", "LICENSE"))
		if err != nil {
			return err
		}
		for _, file := range files {
			name := filepath.ToSlash(filepath.Join(scope, filepath.Base(filepath.Dir(file))))
			if scope == "." && !slices.Contains([]string{"crelt", "style-mod", "w3c-keyname"}, name) {
				continue
			}
			data, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			all = fmt.Appendf(all, "%s\n\n%s\n\n", name, bytes.TrimSpace(data))
		}
	}
	return o.write("licences.txt", all)
}

// copy copies a file into the site.
func (o Options) copy(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return o.write(to, data)
}

// write writes a file of the site.
func (o Options) write(name string, data []byte) error {
	path := filepath.Join(o.Dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return wholefile.Write(path, data, 0o644)
}

// pages writes everything that needs no compiler.
func (o Options) pages() error {
	static := filepath.Join(o.Root, "site", "static")
	entries, err := os.ReadDir(static)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := o.copy(filepath.Join(static, e.Name()), e.Name()); err != nil {
			return err
		}
	}
	return errors.Join(o.reference(), o.documents(), o.gallery(), o.figures())
}

// figures copies the pictures that documents show.
func (o Options) figures() error {
	root := filepath.Join(o.Root, "notebooks", "figures")
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		return o.copy(path, "notebooks/figures/"+d.Name())
	})
}
