package display

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// tick is a mark on an axis; a minor tick has no label.
type tick struct {
	value float64
	label string
}

// ticks returns at most `most` labelled ticks within the axis, ascending, with
// minor ticks between decades where minor is set: at the centres of cells, where
// these are few enough, and at round values elsewhere.
func (a axis) ticks(most int, minor bool) []tick {
	if n := len(a.centers); n > 0 && n <= most {
		out := make([]tick, n)
		for i, v := range a.centers {
			out[i] = tick{v, Number(v, 4)}
		}
		return out
	}
	if a.log {
		if t := a.logTicks(most, minor); t != nil {
			return t
		}
	}
	return a.linearTicks(most)
}

func (a axis) linearTicks(most int) []tick {
	span := a.hi/2 - a.lo/2
	raw := span / float64(max(most, 1)) * 2
	if !(raw > 0) || math.IsInf(raw, 0) {
		return nil
	}
	power := math.Floor(math.Log10(raw))
	for ; ; power++ {
		for _, m := range []float64{1, 2, 5} {
			step := m * math.Pow(10, power)
			first, last := math.Ceil(a.lo/step-1e-9), math.Floor(a.hi/step+1e-9)
			if !(last-first+1 <= float64(most)) { // too many, or a step that is rounded to 0
				continue
			}
			if max(math.Abs(first), math.Abs(last))*max(m, 2) >= 1<<53 { // the step is below the precision of k: k++ would not advance
				continue
			}
			var out []tick
			for k := first; k <= last; k++ {
				out = append(out, tick{value: scaled(k*m, int(power)) + 0}) // + 0 turns -0 into 0
			}
			label(out, int(power))
			return out
		}
	}
}

// scaled returns k·10^power, rounded once.
func scaled(k float64, power int) float64 {
	v, _ := strconv.ParseFloat(strconv.FormatFloat(k, 'f', 0, 64)+"e"+strconv.Itoa(power), 64) // infinite with a range error, the only possible one
	return v
}

// powers formats the labels of ticks for a page: 2e-6 becomes 2·10 with a raised −6. If a label of a logarithmic axis
// has this form, all labels from 1000 on and below 0.01 have it too.
func (a axis) powers(ticks []tick) []tick {
	far := a.log && slices.ContainsFunc(ticks, func(t tick) bool { return strings.Contains(t.label, "e") })
	for i, t := range ticks {
		if t.label != "" && far && (t.value >= 1000 || t.value < 0.01) {
			t.label = strconv.FormatFloat(t.value, 'e', -1, 64)
		}
		mantissa, exponent, scientific := strings.Cut(t.label, "e")
		if !scientific {
			continue
		}
		power, _ := strconv.Atoi(exponent)
		if mantissa += "·"; mantissa == "1·" {
			mantissa = ""
		}
		ticks[i].label = mantissa + "10^{" + strings.Replace(strconv.Itoa(power), "-", "−", 1) + "}"
	}
	return ticks
}

// label writes the labels of ticks whose last significant digit stands at
// 10^power: all with the same number of decimals, or all scientific.
func label(ticks []tick, power int) {
	largest := 0.0
	for _, t := range ticks {
		largest = max(largest, math.Abs(t.value))
	}
	plain := largest < 1e6 && power >= -5
	for i, t := range ticks {
		if plain {
			ticks[i].label = strconv.FormatFloat(t.value, 'f', max(0, -power), 64)
			continue
		}
		digits := 1
		if t.value != 0 {
			digits = max(1, int(math.Floor(math.Log10(math.Abs(t.value))))-power+1)
		}
		ticks[i].label = Number(t.value, digits)
	}
}

// logTicks returns ticks at powers of ten, with 2 and 5 between them if they fit, or nil if the axis spans too
// little.
func (a axis) logTicks(most int, minor bool) []tick {
	lo, hi := math.Log10(a.lo), math.Log10(a.hi)
	if hi-lo < 1 {
		return nil
	}
	const slack = 1e-9
	first, last := int(math.Floor(lo)), int(math.Ceil(hi))
	within := func(v float64) bool { l := math.Log10(v); return l >= lo-slack && l <= hi+slack }
	collect := func(mantissas []float64, every int) []tick {
		var out []tick
		for p := first; p <= last; p++ {
			if p%every != 0 {
				continue
			}
			for _, m := range mantissas {
				if v := scaled(m, p); v > 0 && !math.IsInf(v, 0) && within(v) {
					out = append(out, tick{v, Number(v, 1)})
				}
			}
		}
		return out
	}
	for _, mantissas := range [][]float64{{1, 2, 5}, {1, 3}, {1}} {
		out := collect(mantissas, 1)
		if len(out) > most {
			continue
		}
		if len(out) < 2 {
			return nil
		}
		if minor && len(mantissas) == 1 {
			return a.withMinor(out, first, last, within)
		}
		return out
	}
	for every := 2; ; every++ {
		if out := collect([]float64{1}, every); len(out) <= most {
			return out
		}
	}
}

// withMinor merges the unlabelled ticks 2…9 of each decade into the major ones.
func (a axis) withMinor(major []tick, first, last int, within func(float64) bool) []tick {
	if last-first > 8 {
		return major
	}
	var out []tick
	k := 0
	for p := first; p <= last; p++ {
		for m := 1.0; m < 10; m++ {
			v := scaled(m, p)
			switch {
			case k < len(major) && major[k].value == v:
				out = append(out, major[k])
				k++
			case within(v):
				out = append(out, tick{value: v})
			}
		}
	}
	return out
}

// fit returns as many ticks as fit: labels have the given width, are centred on their ticks along an axis of the
// given length, and stay gap apart. All three have one unit, points on paper and columns in a terminal.
func (a axis) fit(length, gap float64, most int, minor bool, width func(string) float64) []tick {
	for ; most > 1; most-- {
		ticks := a.ticks(most, minor)
		end, ok := math.Inf(-1), true
		for _, t := range ticks {
			if t.label == "" {
				continue
			}
			middle, half := a.at(t.value)*length, width(t.label)/2
			if middle-half < end+gap {
				ok = false
				break
			}
			end = middle + half
		}
		if ok {
			return ticks
		}
	}
	return a.ticks(1, false)
}
