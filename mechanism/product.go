package mechanism

import (
	"context"
	"encoding/binary"
	"math/big"
	"slices"
	"strings"

	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/query"
)

// Product returns the composition of independent mechanisms as one mechanism for the product of their queries, x ↦
// (M₁(x), …, Mₙ(x)) (Wu et al., Proposition 1). Its claimed ε is the sum of the claims of ms.
//
// It returns an error wrapping evidence.ErrParameter unless the factors of q are the queries of ms, in order.
func Product(ctx context.Context, q *query.Query, ms []Mechanism) (*Table, error) {
	parts := q.Parts()
	if len(parts) != len(ms) || len(ms) == 0 {
		return nil, parameter.Errorf("%d mechanisms for %d queries, want one mechanism per query", len(ms), len(parts))
	}
	names := make([]string, len(ms))
	for k, m := range ms {
		if !m.Query().SharesOutputs(parts[k]) {
			return nil, parameter.Errorf("mechanisms[%d] answers %s, want the product's %s", k, m.Query().Name(), parts[k].Name())
		}
		names[k] = m.Name()
	}
	size := len(q.Range())
	at := lists.Of(size, func(r int) []int { return q.FactorIndices(r) })
	class, of := make([]int32, q.Size()), []int{} // of[row] is a dataset with that row
	index := make(map[string]int32)
	for x := range class {
		var key []byte
		for _, m := range ms {
			key = binary.LittleEndian.AppendUint32(key, uint32(m.Class(x)))
		}
		id, ok := index[string(key)]
		if !ok {
			id = int32(len(of))
			index[string(key)] = id
			of = append(of, x)
		}
		class[x] = id
	}
	rows := make([][]evidence.RatOrInterval, len(of))
	for i, x := range of {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rows[i] = slices.Repeat([]evidence.RatOrInterval{evidence.ExactRat(big.NewRat(1, 1))}, size)
		for r := range size {
			for k, m := range ms {
				p := probability(m, x, at[r][k])
				if p.Rational != nil {
					p = evidence.ExactRat(p.Rational)
				}
				rows[i][r] = rows[i][r].Mul(p)
			}
		}
	}
	return newAmountTable(Info{"product(" + strings.Join(names, ", ") + ")", q, sumOfClaims(ms)}, rows, func(row, r int) interval.Interval {
		sum := interval.Int(0)
		for k, m := range ms {
			sum = sum.Add(m.EncloseLog(of[row], at[r][k]))
		}
		return sum
	}, class)
}

// sumOfClaims returns the guarantee of Proposition 1.
func sumOfClaims(ms []Mechanism) evidence.Number {
	const source = "Wu et al., Proposition 1: the sum of the claims"
	total, exact := evidence.Epsilon{}, true
	sum := 0.0
	for _, m := range ms {
		c, ok := m.ClaimedEpsilon().(evidence.Claimed)
		sum += m.ClaimedEpsilon().Float()
		if exact = exact && ok && !c.Epsilon.IsZero(); exact {
			total, exact = total.Add(c.Epsilon)
		}
	}
	if exact {
		return Claim(total, source)
	}
	return evidence.Claimed{Value: sum, Provenance: evidence.From(source)}
}
