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

// listedParent reads what the system says of a process (proc(5)): its number, the name
// of its program in brackets, its state and its parent.
func listedParent(stat string) (parent int, err error) {
	var state string
	behind := stat[strings.LastIndexByte(stat, ')')+1:] // the name may hold anything
	if _, err := fmt.Sscan(behind, &state, &parent); err != nil {
		return 0, fmt.Errorf("no parent is listed: %w", err)
	}
	return parent, nil
}
