package evidence

// Provenance is what all numbers have beside their value: where they come from.
type Provenance struct {
	Source string // paper and equation, or what the number was computed from
	Method string // how it was computed; "" where Source says it
	Caveat string // what a reader must know before using it; "" for nothing
	Call   string // the expression that made it, as a script writes it; "" from Go
	// Statement is what the number answers; nil where it is not kept.
	Statement Statement
}

// Statement is what a number answers, such as the smallest ε of a mechanism, held by reference to what it was
// computed from. Package certificate writes statements down with their proofs. Implementations are pointers.
type Statement interface {
	// Says returns the statement's subject in words: "the smallest ε of purest(decay=1)".
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

// WithCall returns the number with the call that made it, where it has none yet.
func WithCall[N Number](n N, call string) N {
	return with(n, func(p *Provenance) {
		if p.Call == "" {
			p.Call = call
		}
	})
}

// WithStatement returns the number as the answer to a statement.
func WithStatement[N Number](n N, s Statement) N {
	return with(n, func(p *Provenance) { p.Statement = s })
}

// WithCaveat returns the number with a caveat.
func WithCaveat[N Number](n N, caveat string) N {
	return with(n, func(p *Provenance) { p.Caveat = caveat })
}

// with returns a copy of a number whose provenance has been set; nil, and what only embeds a number, as it is.
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
func (c Certified) with(set func(*Provenance)) Number    { set(&c.Provenance); return c }
func (e Estimated) with(set func(*Provenance)) Number    { set(&e.Provenance); return e }
func (g InputEpsilon) with(set func(*Provenance)) Number { set(&g.Provenance); return g }

// Cite returns the line with which a text cites a number: its value and how it is known
// with its ends, source, method and call, and what else is given, such as a version,
// parted by semicolons.
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
