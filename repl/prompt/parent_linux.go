package prompt

import (
	"fmt"
	"os"
	"strings"
)

// parentOf returns the parent of a process.
func parentOf(pid int) (parent int, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	return listedParent(string(text))
}

// listedParent parses a line of proc(5): process number, program name in brackets, state and parent.
func listedParent(stat string) (parent int, err error) {
	var state string
	behind := stat[strings.LastIndexByte(stat, ')')+1:] // the name may contain any character
	if _, err := fmt.Sscan(behind, &state, &parent); err != nil {
		return 0, fmt.Errorf("the parent process is unknown: %w", err)
	}
	return parent, nil
}
