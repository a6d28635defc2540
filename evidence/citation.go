package evidence

// Citation is what a text that cites a number has to say about it.
type Citation struct {
	Kind   Kind
	Method string // how it was computed; "" where Source says it
	Source string // paper and equation, or what the number was computed from
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

// origin is the text of Origin.
func (c Citation) origin() string {
	text := c.Source
	switch {
	case c.Source == "":
		text = c.Method
	case c.Method != "":
		text += "; " + c.Method
	}
	if c.Caveat != "" {
		text += " [caveat: " + c.Caveat + "]"
	}
	return text
}

// WithCall returns the number with the call that made it, where it has none yet.
func WithCall[N Number](n N, call string) N {
	return with(n, func(_, known *string, _ *Statement) {
		if *known == "" {
			*known = call
		}
	})
}

// WithStatement returns the number as the answer to a statement.
func WithStatement[N Number](n N, s Statement) N {
	return with(n, func(_, _ *string, known *Statement) { *known = s })
}

// WithCaveat returns the number with a caveat.
func WithCaveat[N Number](n N, caveat string) N {
	return with(n, func(known, _ *string, _ *Statement) { *known = caveat })
}

// with returns a copy of a number whose caveat, call and statement have been set.
func with[N Number](number N, set func(caveat, call *string, s *Statement)) N {
	var out Number
	switch n := any(number).(type) {
	case Claimed:
		set(&n.Caveat, &n.Call, &n.Statement)
		out = n
	case Exact:
		set(&n.Caveat, &n.Call, &n.Statement)
		out = n
	case ExactLog:
		set(&n.Caveat, &n.Call, &n.Statement)
		out = n
	case Certified:
		set(&n.Caveat, &n.Call, &n.Statement)
		out = n
	case Estimated:
		set(&n.Caveat, &n.Call, &n.Statement)
		out = n
	case InputEpsilon:
		set(&n.Caveat, &n.Call, &n.Statement)
		out = n
	default: // no number
		return number
	}
	return out.(N)
}

// Citation implements Number.
func (c Claimed) Citation() Citation {
	return Citation{Kind: c.Kind(), Source: c.Source, Caveat: c.Caveat, Call: c.Call, Statement: c.Statement}
}

// Citation implements Number.
func (e Exact) Citation() Citation {
	return Citation{Kind: e.Kind(), Source: e.Source, Caveat: e.Caveat, Call: e.Call, Statement: e.Statement}
}

// Citation implements Number.
func (e ExactLog) Citation() Citation {
	return Citation{Kind: e.Kind(), Source: e.Source, Caveat: e.Caveat, Call: e.Call, Statement: e.Statement}
}

// Citation implements Number.
func (c Certified) Citation() Citation {
	return Citation{Kind: c.Kind(), Method: c.Method, Source: c.Source, Caveat: c.Caveat, Call: c.Call, Statement: c.Statement}
}

// Citation implements Number.
func (e Estimated) Citation() Citation {
	return Citation{Kind: e.Kind(), Source: e.Source, Caveat: e.Caveat, Call: e.Call, Statement: e.Statement}
}

// Citation implements Number.
func (g InputEpsilon) Citation() Citation {
	return Citation{Kind: g.Kind(), Source: "written as " + g.form(), Caveat: g.Caveat, Call: g.Call, Statement: g.Statement}
}

// Origin implements Number.
func (c Claimed) Origin() string { return c.Citation().origin() }

// Origin implements Number.
func (e Exact) Origin() string { return e.Citation().origin() }

// Origin implements Number.
func (e ExactLog) Origin() string { return e.Citation().origin() }

// Origin implements Number.
func (c Certified) Origin() string { return c.Citation().origin() }

// Origin implements Number.
func (e Estimated) Origin() string { return e.Citation().origin() }

// Origin implements Number.
func (g InputEpsilon) Origin() string { return g.Citation().origin() }

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
