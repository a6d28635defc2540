package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"dpworkbench/internal/wholefile"
	"dpworkbench/repl"
	"dpworkbench/repl/notebook"

	"github.com/spf13/cobra"
)

// newKernelCommand returns the command "kernel" with its subcommand "install".
func newKernelCommand(o *options) *cobra.Command {
	kernel := &cobra.Command{
		Use:   "kernel",
		Short: "Run scripts in Jupyter notebooks",
		Long: `Run scripts in Jupyter notebooks. Install the kernel once with workbench kernel
install, then choose dpworkbench in a notebook. The kernel is part of the Python
package dpworkbench and needs the package ipykernel.

$WORKBENCH_SET holds NAME=VALUE words. Notebooks read them as args, as scripts
read the values of --set.`,
		Example: `  pip install './python[jupyter]'
  workbench kernel install
  WORKBENCH_SET="quick=1" jupyter nbconvert --to html --execute notebooks/ladder.ipynb`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	var prefix, python string
	var user bool
	install := &cobra.Command{
		Use:   "install",
		Short: "Install the Jupyter kernel",
		Long: `Install the Jupyter kernel, for this user or below a prefix such as /usr/local or
a virtual environment. The kernel runs in the Python of --python, which needs the
packages dpworkbench and ipykernel, and it computes with the program that installs
it. The kernel keeps the values of --data and --seed.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return installKernel(os.Executable, python, *o, user, prefix) },
	}
	install.Flags().BoolVar(&user, "user", false, "install for this user (the default)")
	install.Flags().StringVar(&prefix, "prefix", "", "install below PREFIX/share/jupyter")
	install.Flags().StringVar(&python, "python", "python3", "the Python that runs the kernel")
	install.MarkFlagsMutuallyExclusive("user", "prefix")
	kernel.AddCommand(install)
	return kernel
}

// installKernel installs a Jupyter kernel that runs this program.
func installKernel(executable func() (string, error), python string, o options, user bool, prefix string) error {
	binary, err := executable()
	if err != nil {
		return &failure{err}
	}
	if strings.Contains(binary, string(filepath.Separator)+"go-build") {
		return &failure{errors.New("go run deletes this binary when it ends: build one (go build -o DIR ./cmd/workbench) and install the kernel with it")}
	}
	if python, err = kernelPython(python); err != nil {
		return &failure{err}
	}
	return installBinary(binary, python, o, user, prefix)
}

// kernelPython returns the path of a Python that has the kernel's packages.
func kernelPython(python string) (string, error) {
	var said bytes.Buffer
	c := exec.Command(python, "-c", "import sys, ipykernel, dpworkbench.kernel; print(sys.executable)")
	c.Stderr = &said
	out, err := c.Output()
	if err == nil {
		return strings.TrimSpace(string(out)), nil
	}
	var ended *exec.ExitError
	if !errors.As(err, &ended) {
		return "", fmt.Errorf("--python = %q does not run: %w", python, err)
	}
	lines := strings.Split(strings.TrimSpace(said.String()), "\n")
	return "", fmt.Errorf("--python = %q lacks what the kernel needs (%s): in a checkout of the workbench, run %s -m pip install './python[jupyter]'", python, lines[len(lines)-1], python)
}

// installBinary installs a Jupyter kernel for a binary and a Python.
func installBinary(binary, python string, o options, user bool, prefix string) (err error) {
	dir := ""
	if prefix != "" && !user {
		if prefix, err = filepath.Abs(prefix); err != nil {
			return &failure{err}
		}
		dir = filepath.Join(prefix, "share", "jupyter")
	} else if dir, err = notebook.DataDir(); err != nil {
		return &failure{err}
	}
	var args []string
	if o.data != "" {
		data, err := filepath.Abs(o.data)
		if err != nil {
			return &failure{err}
		}
		args = append(args, "--data", data)
	}
	if o.seed != 0 {
		args = append(args, "--seed", fmt.Sprint(o.seed))
	}
	if dir, err = notebook.InstallKernel(dir, python, binary, args...); err != nil {
		return &failure{err}
	}
	fmt.Fprintln(stdout, "installed", dir)
	return nil
}

// setArg sets an entry of the script's args from a text of the form NAME=VALUE.
func setArg(s *repl.Session, assignment string) error {
	name, value, ok := strings.Cut(assignment, "=")
	if !ok || name == "" {
		return fmt.Errorf("%w: --set %s, want --set NAME=VALUE", errUsage, assignment)
	}
	s.SetArg(name, value)
	return nil
}

// newNotebookCommand returns the command "notebook".
func newNotebookCommand() *cobra.Command {
	var out, date string
	c := &cobra.Command{
		Use:   "notebook FILE.star",
		Short: "Write a script as a Jupyter notebook without outputs",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			source, err := readScript(args[0])
			if err != nil {
				return err
			}
			cells, err := notebook.Cells(args[0], source)
			if err != nil {
				return &failure{err}
			}
			data := notebook.Encode(cells, notebook.Info{Script: args[0], Date: date})
			if out == "" {
				out = strings.TrimSuffix(args[0], ".star") + ".ipynb"
			}
			return failureOf(wholefile.Write(out, data, 0o644))
		},
	}
	c.Flags().StringVar(&out, "out", "", "file to write (FILE.ipynb)")
	c.Flags().StringVar(&date, "date", "", "date to write into the notebook")
	return c
}
