package notebook

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"dpworkbench/internal/wholefile"
)

//go:embed logo.svg
var logo []byte

// SpecName is the folder name of the kernel's specification.
const SpecName = "dpworkbench"

// DataDir returns where Jupyter looks for the user's kernels: $JUPYTER_DATA_DIR,
// or the folder that Jupyter documents for the system.
func DataDir() (string, error) {
	if dir := os.Getenv("JUPYTER_DATA_DIR"); dir != "" {
		return dir, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	switch runtime.GOOS {
	case "darwin":
		return filepath.Join(home, "Library", "Jupyter"), nil
	case "windows":
		return filepath.Join(os.Getenv("APPDATA"), "jupyter"), nil
	}
	if dir := os.Getenv("XDG_DATA_HOME"); dir != "" {
		return filepath.Join(dir, "jupyter"), nil
	}
	return filepath.Join(home, ".local", "share", "jupyter"), nil
}

// InstallKernel writes the specification of the kernel below a data folder of Jupyter, and returns its folder. The
// interpreter python must have the package dpworkbench, which runs cells with binary. args follow the connection file.
// Modules come from that Python alone, never from a notebook's folder.
func InstallKernel(dataDir, python, binary string, args ...string) (string, error) {
	dir := filepath.Join(dataDir, "kernels", SpecName)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	spec, _ := json.MarshalIndent(map[string]any{ // cannot fail: strings only
		"argv":           append([]string{python, "-m", "dpworkbench.kernel", "-f", "{connection_file}"}, args...),
		"env":            map[string]string{"DPWORKBENCH_BINARY": binary, "PYTHONSAFEPATH": "1"},
		"display_name":   "dpworkbench",
		"language":       "starlark",
		"interrupt_mode": "signal",
		"metadata":       map[string]any{"debugger": false},
	}, "", "  ")
	for name, data := range map[string][]byte{"kernel.json": append(spec, '\n'), "logo-svg.svg": logo} {
		if err := wholefile.Write(filepath.Join(dir, name), data, 0o644); err != nil {
			return "", fmt.Errorf("installing the kernel: %w", err)
		}
	}
	return dir, nil
}
