package mechanism

import (
	"context"
	"fmt"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/query"
)

// maxResponses bounds the values of randomized response. All pairs of datasets are neighbors.
const maxResponses = 1 << 10

// NewRandomizedResponse returns k-ary randomized response (Kairouz, Oh and Viswanath 2014) of one person's value: it
// outputs the value x with probability e^ε/(e^ε + k − 1), and each other value with probability 1/(e^ε + k − 1). It
// answers the identity on 0 … k − 1 with the discrete metric, where all datasets are neighbors. Its claimed guarantee
// is ε.
//
// It returns an error wrapping evidence.ErrParameter unless 2 ≤ k ≤ 1024 and ε is positive, and the context's error.
func NewRandomizedResponse(ctx context.Context, k int, eps evidence.Epsilon) (*Layered, error) {
	if k < 2 || k > maxResponses {
		return nil, parameter.Bad("k", k, "2…%d", maxResponses)
	}
	if err := eps.Positive("eps"); err != nil {
		return nil, err
	}
	var edges [][2]int
	values, layer := make([]query.Value, k), make([]int32, k*k)
	for x := range k {
		values[x] = query.RationalValue(big.NewRat(int64(x), 1))
		for r := range k {
			if r != x {
				layer[x*k+r] = 1
			}
			if r < x {
				edges = append(edges, [2]int{r, x})
			}
		}
	}
	space, err := query.NewPathSpace(k, edges)
	if err != nil {
		return nil, err
	}
	q, err := query.New("identity", space, values, values, query.ValueMetric{Discrete: true})
	if err != nil {
		return nil, err
	}
	layers, err := NewLayerTable(ctx, q, layer)
	if err != nil {
		return nil, err
	}
	return NewLayered(fmt.Sprintf("krr(k=%d, eps=%v)", k, eps), layers, eps, Claim(eps, "Kairouz, Oh and Viswanath 2014, randomized response")), nil
}
