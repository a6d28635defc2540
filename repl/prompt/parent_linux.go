package prompt

import (
	"bytes"
	"errors"
	"fmt"
	"os"
)

// parentOf returns the parent of a process.
func parentOf(pid int) (parent int, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	var state string
	behind := string(text)[bytes.LastIndexByte(text, ')')+1:] // the name of the program
	if n, _ := fmt.Sscan(behind, &state, &parent); n != 2 {
		return 0, errors.New("no parent is listed")
	}
	return parent, nil
}
