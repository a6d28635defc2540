package evidence

import "strings"

// Provenance says where a number comes from. All kinds of evidence embed it.
type Provenance struct {
	Source string // paper and equation, or what the number was computed from
	Method string // how it was computed; "" if Source says how
	Caveat string // what a reader must know before using it; "" for nothing
	Call   string // the script expression that computed it; "" if Go code did
	// Statement is the question that the number answers, or nil if that is not kept.
	Statement Statement
}

// Statement is the question that a number answers, such as the smallest ε of a mechanism. It refers to the objects that
// the number was computed from, so that package certificate can write a proof. Implementations are pointers.
type Statement interface {
	// Says returns the subject of the statement in words: "the smallest ε of purest(decay=1)".
	Says() string
}

// From returns the provenance of a number that comes from a source.
func From(source string) Provenance { return Provenance{Source: source} }

// By returns p with the method by which the number was computed.
func (p Provenance) By(method string) Provenance {
	p.Method = method
	return p
}

// Citation implements Number.
func (p Provenance) Citation() Provenance { return p }

// Origin implements Number.
func (p Provenance) Origin() string {
	text := p.Source
	switch {
	case p.Source == "":
		text = p.Method
	case p.Method != "":
		text += "; " + p.Method
	}
	if p.Caveat != "" {
		text += " [caveat: " + p.Caveat + "]"
	}
	return text
}

// WithCall returns n with the call that computed it, unless n already has a call.
func WithCall[N Number](n N, call string) N {
	return with(n, func(p *Provenance) {
		if p.Call == "" {
			p.Call = call
		}
	})
}

// WithStatement returns n as the answer to s.
func WithStatement[N Number](n N, s Statement) N {
	return with(n, func(p *Provenance) { p.Statement = s })
}

// WithCaveat returns n with a caveat.
func WithCaveat[N Number](n N, caveat string) N {
	return with(n, func(p *Provenance) { p.Caveat = caveat })
}

// WithSource returns n with more appended to its source.
func WithSource[N Number](n N, more string) N {
	return with(n, func(p *Provenance) { p.Source = strings.TrimPrefix(p.Source+"; "+more, "; ") })
}

// with returns a copy of number with its provenance changed by set. It returns nil, and types that only embed a
// number, unchanged.
func with[N Number](number N, set func(*Provenance)) N {
	n, ok := any(number).(interface {
		with(set func(*Provenance)) Number
	})
	if !ok {
		return number
	}
	if out, ok := n.with(set).(N); ok {
		return out
	}
	return number
}

func (c Claimed) with(set func(*Provenance)) Number      { set(&c.Provenance); return c }
func (e Exact) with(set func(*Provenance)) Number        { set(&e.Provenance); return e }
func (e ExactLog) with(set func(*Provenance)) Number     { set(&e.Provenance); return e }
func (m LogMultiple) with(set func(*Provenance)) Number  { set(&m.Provenance); return m }
func (c Certified) with(set func(*Provenance)) Number    { set(&c.Provenance); return c }
func (e Estimated) with(set func(*Provenance)) Number    { set(&e.Provenance); return e }
func (g InputEpsilon) with(set func(*Provenance)) Number { set(&g.Provenance); return g }

// Cite returns a citation of n in one line: its value, kind and bounds, then its source, method and call, then the
// strings of also, such as a version, separated by semicolons.
func Cite(n Number, also ...string) string {
	c := n.Citation()
	line := n.String()
	for _, part := range append([]string{c.Source, c.Method, c.Call}, also...) {
		if part != "" {
			line += "; " + part
		}
	}
	return line
}
