package prompt

import (
	"bufio"
	"fmt"
	"io"
)

// plain reads inputs from a terminal that cannot move its cursor, or from a file.
type plain struct {
	in  *bufio.Scanner
	out io.Writer
}

// read returns one input: a statement, or a block up to a blank line. It drops a block that is incomplete at the end of
// the file.
func (p *plain) read() (string, error) {
	source := ""
	for first := true; ; first = false {
		mark := ">>> "
		if !first {
			mark = "... "
		}
		fmt.Fprint(p.out, mark)
		if !p.in.Scan() {
			fmt.Fprintln(p.out)
			if err := p.in.Err(); err != nil {
				return "", err
			}
			if !first {
				return "", errInterrupt
			}
			return "", io.EOF
		}
		if first {
			source = p.in.Text()
		} else {
			source += "\n" + p.in.Text()
		}
		if first && isMagic(source) || complete(source) {
			return source, nil
		}
	}
}

func (p *plain) Close() error { return nil }
