package certificate

import (
	"context"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/signrp"
)

// mostEntries bounds the number of entries of a projection that a checker accepts.
const mostEntries = 1 << 20

// signsEpsilon states the smallest ε of flipped signs and their projection. The proof is empty: a checker computes ε.
func signsEpsilon(s *signrp.EpsilonStatement) prover {
	return func(_ context.Context, n evidence.Number) (statement, proof object, err error) {
		w := s.Of.Projection()
		if w.P()*w.K() > mostEntries {
			return nil, nil, parameter.Errorf("no certificate of %s: a projection of %d×%d entries, and certificates allow %d", n, w.P(), w.K(), mostEntries)
		}
		rows, err := w.Matrix()
		if err != nil {
			return nil, nil, err
		}
		rule, shared := s.Flips()
		statement = object{
			"kind": "signs epsilon", "projection": projectionOf(rows), "rule": string(rule), "beta": rational(interval.Decimal(s.Of.Beta())), "eps": epsilon(s.Eps()), "is": is(n),
		}
		if shared > 0 {
			statement["shared"] = shared
		}
		if s.U != nil {
			statement["u"] = decimals(s.U)
		}
		if s.V != nil {
			statement["v"] = decimals(s.V)
		}
		return statement, object{}, nil
	}
}

// projectionOf encodes the rows of a projection. If all entries are 1, −1 and 0, each is one character.
func projectionOf(rows [][]float64) object {
	short, numbers := make(list, len(rows)), make(list, len(rows))
	plain := true
	for i, row := range rows {
		line := make([]byte, len(row))
		for j, v := range row {
			switch v {
			case 1:
				line[j] = '+'
			case -1:
				line[j] = '-'
			case 0:
				line[j] = '0'
			default:
				plain = false
			}
		}
		short[i], numbers[i] = string(line), floats(row)
	}
	if plain {
		return object{"signs": short}
	}
	return object{"rows": numbers}
}
