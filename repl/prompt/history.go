package prompt

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"dpworkbench/internal/redact"
	"dpworkbench/internal/wholefile"
)

// maxHistory is the number of inputs kept in the file.
const maxHistory = 5000

// history holds earlier inputs, oldest first. In its file each input is a JSON string on one line, so a block remains a
// single entry.
type history struct {
	file   string // "" for no file
	inputs []string
}

// openHistory reads a file of inputs. It ignores what it cannot read.
func openHistory(file string) *history {
	h := &history{file: file}
	if file == "" {
		return h
	}
	f, err := os.Open(file)
	if err != nil {
		return h
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var text string
		if _ = json.Unmarshal(in.Bytes(), &text); text != "" { // a line that is not an input leaves text empty
			h.inputs = append(h.inputs, text)
		}
	}
	if len(h.inputs) > maxHistory*5/4 { // rewrite it now and then, not every time
		h.inputs = h.inputs[len(h.inputs)-maxHistory:]
		h.rewrite()
	}
	return h
}

// rewrite replaces the file by the current inputs, atomically.
func (h *history) rewrite() {
	var b strings.Builder
	for _, text := range h.inputs {
		b.Write(entry(text))
	}
	_ = wholefile.Write(h.file, []byte(b.String()), 0o600) // a full disk loses history, not work
}

// entry returns an input as a line of the file, without passwords.
func entry(text string) []byte {
	line, _ := json.Marshal(strings.Join(redact.Lines(strings.Split(text, "\n")), "\n")) // cannot fail: a string
	return append(line, '\n')
}

// recalled reports whether text is a block of the history. Such a block needs no blank line to end it.
func (h *history) recalled(text string) bool {
	text = strings.TrimRight(text, " \n")
	if !strings.Contains(text, "\n") {
		return false
	}
	for i := len(h.inputs) - 1; i >= 0; i-- {
		if h.inputs[i] == text {
			return true
		}
	}
	return false
}

// Write adds an input. It implements the editor's interface for histories.
func (h *history) Write(text string) (int, error) {
	text = strings.TrimRight(text, " \n")
	h.inputs = append(h.inputs, text)
	if h.file == "" {
		return len(h.inputs), nil
	}
	f, err := os.OpenFile(h.file, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return len(h.inputs), nil // a full disk loses history, not work
	}
	defer f.Close()
	_, _ = f.Write(entry(text)) // a full disk loses history, not work
	return len(h.inputs), nil
}

// GetLine returns the input at an index.
func (h *history) GetLine(i int) (string, error) {
	if i < 0 || i >= len(h.inputs) {
		return "", fmt.Errorf("history has no input %d", i)
	}
	return h.inputs[i], nil
}

// Len returns the number of inputs.
func (h *history) Len() int { return len(h.inputs) }

// Dump returns the inputs.
func (h *history) Dump() any { return h.inputs }
