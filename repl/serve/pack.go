package serve

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/memory"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// few is the length from which lists of numbers are written as bytes. Shorter lists are smaller as text.
const few = 8

// maxDepth bounds nested lists. The client has the same bound.
const maxDepth = 500

// packer encodes values as JSON and binary data.
type packer struct {
	server *server
	text   []byte
	data   []byte
	held   []int64 // the numbers of the values in the text, once for each reference
}

// forget drops the references of a frame that could not be sent.
func (p *packer) forget() {
	for _, n := range p.held {
		p.server.handles.drop(n, 1)
	}
	p.held = nil
}

// frame returns the encoded frame.
func (p *packer) frame(k kind, number uint32) frame {
	return frame{kind: k, number: number, text: p.text, data: p.data}
}

// raw appends JSON unchanged.
func (p *packer) raw(text string) *packer {
	p.text = append(p.text, text...)
	return p
}

func (p *packer) quoted(text string) *packer {
	b, _ := json.Marshal(text) // cannot fail: a string
	p.text = append(p.text, b...)
	return p
}

func (p *packer) int(n int64) *packer {
	p.text = strconv.AppendInt(p.text, n, 10)
	return p
}

// float writes a number so that it is read as a float.
func (p *packer) float(x float64) *packer {
	switch {
	case math.IsNaN(x):
		return p.raw(`{"$x":"nan"}`)
	case math.IsInf(x, 0):
		return p.raw(map[bool]string{true: `{"$x":"inf"}`, false: `{"$x":"-inf"}`}[x > 0])
	}
	start := len(p.text)
	p.text = strconv.AppendFloat(p.text, x, 'g', -1, 64)
	if !bytes.ContainsAny(p.text[start:], ".e") {
		p.text = append(p.text, ".0"...)
	}
	return p
}

func (p *packer) whole(n starlark.Int) *packer {
	if v, ok := n.Int64(); ok {
		return p.int(v)
	}
	return p.raw(`{"$n":"`).raw(n.BigInt().Text(16)).raw(`"}`)
}

// bytes writes the position of n bytes of binary data and appends these bytes, which put sets.
func (p *packer) bytes(n int, put func(b []byte)) *packer {
	p.raw(`,"at":`).int(int64(len(p.data))).raw("}")
	start := len(p.data)
	p.data = slices.Grow(p.data, (n+7)/8*8)[:start+(n+7)/8*8]
	put(p.data[start : start+n])
	return p
}

// value writes a value; depth counts the collections around it.
func (p *packer) value(v starlark.Value, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("values are nested more than %d deep", maxDepth)
	}
	switch v := v.(type) {
	case nil, starlark.NoneType:
		p.raw("null")
	case starlark.Bool:
		p.raw(strconv.FormatBool(bool(v)))
	case starlark.Int:
		p.whole(v)
	case starlark.Float:
		p.float(float64(v))
	case starlark.String:
		p.quoted(string(v))
	case starlark.Bytes:
		p.raw(`{"$y":`).int(int64(len(v))).bytes(len(v), func(b []byte) { copy(b, v) })
	case *script.Evidence:
		p.evidence(v)
	case *script.Matrix:
		return p.matrix(v)
	case *function:
		p.raw(`{"$p":`).int(int64(v.id)).raw("}")
	case *starlark.List:
		return p.list(v, depth)
	case starlark.Tuple:
		return p.items(`{"$t":`, v, depth, "}")
	case *starlark.Set:
		items, _ := script.Elements(v)
		return p.items(`{"$s":`, items, depth, "}")
	case *starlark.Dict:
		var flat []starlark.Value
		for _, item := range v.Items() {
			flat = append(flat, item[0], item[1])
		}
		return p.items(`{"$d":`, flat, depth, "}")
	case script.Inspectable:
		p.handle(v).raw("}")
	case starlark.Callable:
		p.handle(v).raw(`,"name":`).quoted(v.Name()).raw("}")
	case starlark.Iterable: // a range
		items, ok := script.Elements(v)
		if !ok {
			p.handle(v).raw("}")
			return nil
		}
		return p.list(starlark.NewList(items), depth)
	default:
		p.handle(v).raw("}")
	}
	return nil
}

// handle writes the beginning of a reference to a value. The caller writes the end.
func (p *packer) handle(v starlark.Value) *packer {
	n := p.server.handles.hold(v)
	p.held = append(p.held, n)
	return p.raw(`{"$h":`).int(n).raw(`,"type":`).quoted(v.Type())
}

// evidence writes a number with its most used attributes. Its text and its fraction are omitted because they are large.
func (p *packer) evidence(e *script.Evidence) {
	n := e.Number()
	lo, hi := n.Bounds()
	p.handle(e).raw(`,"value":`).float(e.Float()).raw(`,"lo":`).float(lo).raw(`,"hi":`).float(hi)
	p.raw(`,"kind":`).quoted(string(n.Kind())).raw(`,"source":`).quoted(n.Origin())
	if side := evidence.SideOf(n); side != evidence.Neither {
		p.raw(`,"side":`).quoted(side.String())
	}
	p.raw("}")
}

func (p *packer) matrix(m *script.Matrix) error {
	rows, names := m.Data()
	columns := 0
	if len(rows) > 0 {
		columns = len(rows[0])
	}
	if err := memory.Need("the matrix", 8*float64(len(rows))*float64(columns)); err != nil {
		return err
	}
	p.raw(`{"$m":[`).int(int64(len(rows))).raw(",").int(int64(columns)).raw("]")
	if names != nil {
		b, _ := json.Marshal(names) // cannot fail: strings only
		p.raw(`,"names":`).raw(string(b))
	}
	p.bytes(8*len(rows)*columns, func(b []byte) {
		for _, row := range rows {
			putFloats(b, row)
			b = b[8*len(row):]
		}
	})
	return nil
}

func putFloats(b []byte, xs []float64) {
	for i, x := range xs {
		binary.LittleEndian.PutUint64(b[8*i:], math.Float64bits(x))
	}
}

// list writes a list. Lists of floats alone, or of small ints alone, are written as bytes.
func (p *packer) list(l *starlark.List, depth int) error {
	n := l.Len()
	if n >= few {
		if each(l, func(v starlark.Value) bool { _, ok := v.(starlark.Float); return ok }) {
			p.raw(`{"$f":`).int(int64(n)).bytes(8*n, func(b []byte) {
				for i := range n {
					binary.LittleEndian.PutUint64(b[8*i:], math.Float64bits(float64(l.Index(i).(starlark.Float))))
				}
			})
			return nil
		}
		small := func(v starlark.Value) bool {
			i, ok := v.(starlark.Int)
			if ok {
				_, ok = i.Int64()
			}
			return ok
		}
		if each(l, small) {
			p.raw(`{"$i":`).int(int64(n)).bytes(8*n, func(b []byte) {
				for i := range n {
					x, _ := l.Index(i).(starlark.Int).Int64()
					binary.LittleEndian.PutUint64(b[8*i:], uint64(x))
				}
			})
			return nil
		}
	}
	items := lists.Of(n, func(i int) starlark.Value { return l.Index(i) })
	return p.items("", items, depth, "")
}

func each(l *starlark.List, is func(starlark.Value) bool) bool {
	for i := range l.Len() {
		if !is(l.Index(i)) {
			return false
		}
	}
	return true
}

func (p *packer) items(before string, items []starlark.Value, depth int, after string) error {
	p.raw(before).raw("[")
	for i, v := range items {
		if i > 0 {
			p.raw(",")
		}
		if err := p.value(v, depth+1); err != nil {
			return err
		}
	}
	p.raw("]").raw(after)
	return nil
}
