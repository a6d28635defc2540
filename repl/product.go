package repl

import (
	"fmt"
	"math/big"

	"dpworkbench/mechanism"
	"dpworkbench/query"
	"dpworkbench/script"
)

// newProduct returns a product of queries, or of mechanisms and their queries.
func newProduct(c *script.Call) (any, error) {
	var queries []*query.Query
	var ms []mechanism.Mechanism
	parts := c.List("parts")
	if len(parts) == 1 {
		if inner, ok := script.Elements(parts[0]); ok {
			parts = inner
		}
	}
	for i, v := range parts {
		if q, ok := script.Unwrap(v, queryClass); ok && ms == nil {
			queries = append(queries, q)
			continue
		}
		m, ok := script.Unwrap(v, mechanismClass)
		if !ok || len(ms) != len(queries) {
			c.Fail(fmt.Sprintf("parts[%d]", i), v, "queries alone, or mechanisms on finite queries alone")
		}
		ms, queries = append(ms, m), append(queries, m.Query())
	}
	q, err := query.Product(c.Context, queries, query.Norm(c.Text("norm")), c.Rationals("weights"))
	if err != nil || ms == nil {
		return q, err
	}
	return mechanism.Product(c.Context, q, ms)
}

// squaredLoss is (f(x) − r)², for numbers.
func squaredLoss(q *query.Query) mechanism.UtilityLoss {
	return func(x, r int) (*big.Rat, error) { return query.SquaredError(q, q.ValueIndex(x), r) }
}

// expectedLoss reads a loss and returns its mean.
func expectedLoss(c *script.Call, m mechanism.Mechanism) (any, error) {
	q := m.Query()
	loss := squaredLoss(q)
	if c.Arg("loss") != "squared" {
		of := c.Callable("loss")
		loss = func(x, r int) (*big.Rat, error) {
			key := script.ToValue(called(q.Space(), x))
			v := scriptValue(q.Range()[r])
			return c.RationalOf(fmt.Sprintf("loss(%s, %s)", script.Brief(key), script.Brief(v)), must(of(key, v))), nil
		}
	}
	if c.Given("x") {
		return mechanism.ExpectedLoss(m, dataset(c, "x", m), loss)
	}
	return mechanism.MeanLoss(c.Context, m, loss, priorOf(c, q))
}

// withLoss returns the query with the call's loss in place of its value metric.
func withLoss(c *script.Call, q *query.Query) (any, error) {
	rows, ok := c.Arg("loss").([][]*big.Rat)
	if !ok {
		values := script.List(q.Range(), scriptValue)
		of := func(i, j int) *big.Rat { return must(query.SquaredError(q, i, j)) }
		if c.Arg("loss") != "squared" {
			f := c.Callable("loss")
			of = func(i, j int) *big.Rat {
				return c.RationalOf(fmt.Sprintf("loss(%s, %s)", script.Brief(values.Index(i)), script.Brief(values.Index(j))), must(f(values.Index(i), values.Index(j))))
			}
		}
		rows = make([][]*big.Rat, len(q.Range()))
		for i := range rows {
			rows[i] = make([]*big.Rat, len(rows))
			for j := range rows {
				rows[i][j] = of(i, j)
			}
		}
	}
	return q.WithLoss(q.Name()+" under a loss", rows)
}
