package mechanism

import (
	"context"

	"dpworkbench/evidence"
)

// Builder builds a mechanism from its query.
type Builder func(ctx context.Context) (Mechanism, error)

// RebuiltStatement is a statement about a mechanism that is built again on demand. A number that carries it does
// not keep the mechanism's tables in memory.
type RebuiltStatement struct {
	says    string
	builder Builder
	about   func(m Mechanism) evidence.Statement
}

// Says implements evidence.Statement.
func (r *RebuiltStatement) Says() string { return r.says }

// Statement builds the mechanism and returns the statement about it.
func (r *RebuiltStatement) Statement(ctx context.Context) (evidence.Statement, error) {
	m, err := r.builder(ctx)
	if err != nil {
		return nil, err
	}
	return r.about(m), nil
}

// withStatement attaches a statement about m to a number.
func withStatement[N evidence.Number](n N, m Mechanism, about func(m Mechanism) evidence.Statement) N {
	if r, ok := m.(interface{ Builder() Builder }); ok {
		if builder := r.Builder(); builder != nil {
			return evidence.WithStatement(n, &RebuiltStatement{about(m).Says(), builder, about})
		}
	}
	return evidence.WithStatement(n, about(m))
}

// Builder returns a function that builds the mechanism, or nil if no definition determines its layers.
func (m *Layered) Builder() Builder { return m.definition.builder(m.q) }

// Builder returns a function that builds the mechanism, or nil if no definition determines its table.
func (t *Table) Builder() Builder { return t.definition.builder(t.q) }

// WithEpsilonStatement attaches to n the statement that it is the smallest ε of the named mechanism.
func WithEpsilonStatement[N evidence.Number](n N, name string, builder Builder) N {
	return evidence.WithStatement(n, &RebuiltStatement{smallestEpsilonOf(name), builder, func(m Mechanism) evidence.Statement { return &EpsilonStatement{m} }})
}
