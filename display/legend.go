package display

import "fmt"

// legendEntry is a piece of a legend: the name of a series, or a later line of
// one. Positions are columns or points from the upper left corner, and lines.
type legendEntry[L int | float64] struct {
	x     L
	line  int
	k     int  // the series
	first bool // a sample of the series precedes the text
	text  string
}

// legend lays the names of the series out in lines of the given width, with a
// sample before each name and a gap after. It keeps to the given number of
// lines, and counts the series that found no room. A series without a name has
// no entry.
func legend[L int | float64](series []Series, width, sample, gap L, lines int, measure func(string) L) (out []legendEntry[L], used int) {
	var x L
	line := 0
	for k, s := range series {
		if s.Name == "" {
			continue
		}
		start := len(out)
		for i, text := range wrapAtMost(s.Name, 2, width-sample, measure) {
			w := sample + measure(text)
			if x > 0 && (x+w > width || i > 0) {
				x, line = 0, line+1
			}
			out = append(out, legendEntry[L]{x, line, k, i == 0, text})
			x += w + gap
		}
		if line >= lines {
			out = out[:start]
			rest := len(series) - k
			for len(out) > 0 && out[len(out)-1].line == lines-1 { // the last line is for the count
				if out[len(out)-1].first {
					rest++
				}
				out = out[:len(out)-1]
			}
			out = append(out, legendEntry[L]{0, lines - 1, -1, false, fmt.Sprintf("… and %d more", rest)})
			return out, lines
		}
	}
	if len(out) == 0 {
		return nil, 0
	}
	return out, line + 1
}
