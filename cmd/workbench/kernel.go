package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"dpworkbench/internal/version"
	"dpworkbench/repl"
	"dpworkbench/repl/kernel"

	"github.com/spf13/cobra"
)

// newKernelCommand returns "kernel" and "kernel install".
func newKernelCommand(o *options) *cobra.Command {
	var file, prefix string
	var user bool
	serve := &cobra.Command{
		Use:   "kernel -f FILE",
		Short: "Serve notebooks: the kernel that Jupyter starts",
		Long: `Serve notebooks: the kernel that Jupyter starts. Install it once with
workbench kernel install, then choose dpworkbench in a notebook.

$WORKBENCH_SET holds NAME=VALUE words that notebooks read as args, as scripts
do what --set gives them.`,
		Example: `  workbench kernel install
  WORKBENCH_SET="quick=1" jupyter nbconvert --to html --execute notebooks/ladder.ipynb`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if file == "" {
				return fmt.Errorf("%w: kernel -f FILE, or kernel install", errUsage)
			}
			return serveKernel(*o, file)
		},
	}
	serve.Flags().StringVarP(&file, "file", "f", "", "connection file, as Jupyter writes it")
	install := &cobra.Command{
		Use:   "install",
		Short: "Tell Jupyter of the kernel",
		Long: `Tell Jupyter of the kernel: for this user, or below a prefix such as /usr/local
or a virtual environment. --data and --seed are kept for the kernel.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return installKernel(os.Executable, *o, user, prefix) },
	}
	install.Flags().BoolVar(&user, "user", false, "for this user (the default)")
	install.Flags().StringVar(&prefix, "prefix", "", "below PREFIX/share/jupyter")
	install.MarkFlagsMutuallyExclusive("user", "prefix")
	serve.AddCommand(install)
	return serve
}

func serveKernel(o options, file string) error {
	c, err := kernel.ReadConnection(file)
	if err != nil {
		return &failure{err}
	}
	s := newSession(o)
	for _, assignment := range strings.Fields(os.Getenv("WORKBENCH_SET")) {
		if err := setArg(s, assignment); err != nil {
			return err
		}
	}
	k, err := kernel.New(s.Session, c, kernel.Options{
		Version: version.Text(),
		Log:     func(err error) { fmt.Fprintln(os.Stderr, "workbench kernel:", err) },
	})
	if err != nil {
		return &failure{err}
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	go func() {
		for range interrupts {
			k.Interrupt()
		}
	}()
	if os.Getenv("JPY_PARENT_PID") != "" {
		go stopWithParent(k)
	}
	if err := k.Serve(ctx); err != nil {
		return &failure{err}
	}
	return nil
}

// stopWithParent ends a kernel whose client has gone without a word.
func stopWithParent(k *kernel.Kernel) {
	parent := os.Getppid()
	for range time.Tick(time.Second) {
		if os.Getppid() != parent {
			k.Stop()
			return
		}
	}
}

// installKernel tells Jupyter of the kernel that this process is.
func installKernel(executable func() (string, error), o options, user bool, prefix string) error {
	binary, err := executable()
	if err != nil {
		return &failure{err}
	}
	if strings.Contains(binary, string(filepath.Separator)+"go-build") {
		return &failure{errors.New("this binary goes away when it ends: build one first (go build -o DIR ./cmd/workbench) and install with that")}
	}
	return installBinary(binary, o, user, prefix)
}

// installBinary tells Jupyter of a kernel that a binary is.
func installBinary(binary string, o options, user bool, prefix string) (err error) {
	dir := ""
	if prefix != "" && !user {
		if prefix, err = filepath.Abs(prefix); err != nil {
			return &failure{err}
		}
		dir = filepath.Join(prefix, "share", "jupyter")
	} else if dir, err = kernel.DataDir(); err != nil {
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
	if dir, err = kernel.Install(dir, binary, args...); err != nil {
		return &failure{err}
	}
	fmt.Fprintln(stdout, "installed", dir)
	return nil
}

// setArg sets args by a word of the form NAME=VALUE.
func setArg(s *repl.Session, assignment string) error {
	name, value, ok := strings.Cut(assignment, "=")
	if !ok || name == "" {
		return fmt.Errorf("%w: --set %s, want --set NAME=VALUE", errUsage, assignment)
	}
	s.SetArg(name, value)
	return nil
}
