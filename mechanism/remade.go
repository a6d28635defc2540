package mechanism

import (
	"context"

	"dpworkbench/evidence"
)

// Recipe makes a mechanism again, from its query.
type Recipe func(ctx context.Context) (Mechanism, error)

// Remade is a statement about a mechanism that is made again when it is asked for: numbers would keep the tables of their
// mechanisms otherwise.
type Remade struct {
	says   string
	recipe Recipe
	about  func(m Mechanism) evidence.Statement
}

// Says implements evidence.Statement.
func (r *Remade) Says() string { return r.says }

// Statement returns the statement itself.
func (r *Remade) Statement(ctx context.Context) (evidence.Statement, error) {
	m, err := r.recipe(ctx)
	if err != nil {
		return nil, err
	}
	return r.about(m), nil
}

// stating returns a number as the answer to a statement about m.
func stating[N evidence.Number](n N, m Mechanism, about func(m Mechanism) evidence.Statement) N {
	if r, ok := m.(interface{ Recipe() Recipe }); ok {
		if recipe := r.Recipe(); recipe != nil {
			return evidence.Stating(n, &Remade{about(m).Says(), recipe, about})
		}
	}
	return evidence.Stating(n, about(m))
}

// Recipe returns how the mechanism is made again; nil where its levels are its own.
func (m *Leveled) Recipe() Recipe { return m.definition.recipe(m.q) }

// Recipe returns how the mechanism is made again; nil where its table is its own.
func (t *Table) Recipe() Recipe { return t.definition.recipe(t.q) }

// StatedEpsilon returns a number as the smallest ε of the named mechanism that a recipe makes.
func StatedEpsilon[N evidence.Number](n N, name string, recipe Recipe) N {
	return evidence.Stating(n, &Remade{smallestOf(name), recipe, func(m Mechanism) evidence.Statement { return &EpsilonStatement{m} }})
}
