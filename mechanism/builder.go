package mechanism

import (
	"context"

	"dpworkbench/evidence"
)

// Builder makes a mechanism again, from its query.
type Builder func(ctx context.Context) (Mechanism, error)

// RebuiltStatement is a statement about a mechanism that is made again when it is asked for: numbers would keep the tables of their
// mechanisms otherwise.
type RebuiltStatement struct {
	says   string
	recipe Builder
	about  func(m Mechanism) evidence.Statement
}

// Says implements evidence.Statement.
func (r *RebuiltStatement) Says() string { return r.says }

// Statement returns the statement itself.
func (r *RebuiltStatement) Statement(ctx context.Context) (evidence.Statement, error) {
	m, err := r.recipe(ctx)
	if err != nil {
		return nil, err
	}
	return r.about(m), nil
}

// stating returns a number as the answer to a statement about m.
func withStatement[N evidence.Number](n N, m Mechanism, about func(m Mechanism) evidence.Statement) N {
	if r, ok := m.(interface{ Builder() Builder }); ok {
		if recipe := r.Builder(); recipe != nil {
			return evidence.WithStatement(n, &RebuiltStatement{about(m).Says(), recipe, about})
		}
	}
	return evidence.WithStatement(n, about(m))
}

// Builder returns how the mechanism is made again; nil where its levels are its own.
func (m *Layered) Builder() Builder { return m.definition.recipe(m.q) }

// Builder returns how the mechanism is made again; nil where its table is its own.
func (t *Table) Builder() Builder { return t.definition.recipe(t.q) }

// WithEpsilonStatement returns a number as the smallest ε of the named mechanism that a recipe makes.
func WithEpsilonStatement[N evidence.Number](n N, name string, recipe Builder) N {
	return evidence.WithStatement(n, &RebuiltStatement{smallestEpsilonOf(name), recipe, func(m Mechanism) evidence.Statement { return &EpsilonStatement{m} }})
}
