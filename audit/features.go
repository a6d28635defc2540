package audit

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// feature is a function of an output. Its values are compared as outputs are. Differential privacy is closed under
// post-processing, so a lower bound on the ε of a feature is also one for the mechanism.
type feature struct {
	name string
	of   func(label string) string
}

// without is the value of a feature at outputs that do not have it.
const without = "none"

// mostItems bounds the items of a tuple that have features of their own.
const mostItems = 8

// features returns the features of the outputs. Numbers with fractions have a lowest bit (Mironov 2012, Haney and
// others 2022), unless they are grouped. Tuples have their length, the number of distinct items, their sum, the first
// items, and the differences of adjacent ones. Outputs that were drawn only in the testing part are ignored.
func (d *drawn) features(grouped bool) []feature {
	fractions, items := false, 0
	for i := range d.known() {
		label := d.labels[i]
		parts, tuple := itemsOf(label)
		if tuple {
			items = max(items, len(parts))
		} else {
			parts = []string{label}
		}
		for _, v := range numbersOf(parts) {
			fractions = fractions || v != math.Trunc(v)
		}
	}
	var all []feature
	add := func(name string, of func(items []string) string) {
		all = append(all, feature{name, func(label string) string {
			if parts, ok := itemsOf(label); ok {
				return of(parts)
			}
			return without
		}})
	}
	if fractions && !grouped {
		all = append(all, feature{"lowest bit (log2)", lowestBit})
	}
	if items == 0 {
		return all
	}
	add("number of items", func(items []string) string { return strconv.Itoa(len(items)) })
	add("number of different items", func(items []string) string {
		var different names
		for _, item := range items {
			different.id(item)
		}
		return strconv.Itoa(len(different.labels))
	})
	add("sum of items", func(items []string) string {
		sum := 0.0
		for _, v := range numbersOf(items) {
			sum += v
		}
		return spelled(sum)
	})
	for i := range min(items, mostItems) {
		add(fmt.Sprint("item ", i+1), func(items []string) string {
			if i < len(items) {
				return items[i]
			}
			return without
		})
		if i == 0 {
			continue
		}
		add(fmt.Sprintf("item %d - item %d", i+1, i), func(items []string) string {
			if i < len(items) {
				if pair := numbersOf(items[i-1 : i+1]); len(pair) == 2 {
					return spelled(pair[1] - pair[0])
				}
			}
			return without
		})
	}
	return all
}

// mapped returns the draws of a feature.
func (d *drawn) mapped(ctx context.Context, f feature) (*drawn, error) {
	var values names
	place := make([]int, len(d.labels))
	for i, label := range d.labels {
		if i%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		place[i] = values.id(f.of(label))
	}
	m := newDrawn(values.labels, moved(d.tallies, place))
	m.feature = f.name
	return m, nil
}

// lowestBit returns the exponent of the lowest set bit of a float64, or the smallest exponent of the numbers of a
// tuple. Zero has none.
func lowestBit(label string) string {
	items, ok := itemsOf(label)
	if !ok {
		items = []string{label}
	}
	least := math.MaxInt
	for _, v := range numbersOf(items) {
		if v != 0 && !math.IsInf(v, 0) {
			_, exp := math.Frexp(v)
			exp = max(exp, -1021) // exponent of the least normal number
			least = min(least, exp-53+bits.TrailingZeros64(uint64(math.Abs(math.Ldexp(v, 53-exp)))))
		}
	}
	if least == math.MaxInt {
		return without
	}
	return strconv.Itoa(least)
}

// numbersOf returns the items that are numbers.
func numbersOf(items []string) (numbers []float64) {
	for _, item := range items {
		if _, ok := parseNumeral(item); ok {
			v, _ := strconv.ParseFloat(item, 64) // ±Inf beyond its range
			numbers = append(numbers, v)
		}
	}
	return numbers
}

func spelled(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// itemsOf splits a tuple in the spelling of Tuple or of a Python list. ok is false for any other output.
func itemsOf(label string) (items []string, ok bool) {
	n := len(label)
	if n < 2 || !(label[0] == '(' && label[n-1] == ')' || label[0] == '[' && label[n-1] == ']') {
		return nil, false
	}
	inner := label[1 : n-1]
	depth, start, quote := 0, 0, byte(0)
	for i := 0; i < len(inner); i++ {
		switch c := inner[i]; {
		case quote != 0 && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '(' || c == '[':
			depth++
		case c == ')' || c == ']':
			if depth--; depth < 0 {
				return nil, false
			}
		case c == ',' && depth == 0:
			items = append(items, strings.TrimSpace(inner[start:i]))
			start = i + 1
		}
	}
	if depth != 0 || quote != 0 {
		return nil, false
	}
	if last := strings.TrimSpace(inner[start:]); last != "" { // Python's (1,)
		items = append(items, last)
	}
	return items, true
}
