package certificate

import (
	"context"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/mvg"

	"gonum.org/v1/gonum/mat"
)

// mostOrder bounds the order of a covariance with off-diagonal entries that a checker accepts. mostWhitening bounds the
// multiplications with which it whitens a list of differences.
const (
	mostOrder     = 256
	mostWhitening = 20_000_000
)

// whitened states a number of a design, and proves it by bounds on its largest whitened difference.
func whitened(d *mvg.Design, kind string, at object) prover {
	return func(ctx context.Context, n evidence.Number) (statement, proof object, err error) {
		sigma, err := covarianceOf("sigma", d.Sigma())
		if err != nil {
			return nil, nil, err
		}
		psi, err := covarianceOf("psi", d.Psi())
		if err != nil {
			return nil, nil, err
		}
		set, err := differencesOf(ctx, d)
		if err != nil {
			return nil, nil, err
		}
		known, err := d.Proof()
		if err != nil {
			return nil, nil, parameter.Errorf("no certificate of %s: %w", n, err)
		}
		statement = object{"kind": kind, "differences": set, "sigma": sigma, "psi": psi, "is": is(n)}
		for key, value := range at {
			statement[key] = value
		}
		proof = object{}
		for key, ends := range map[string][][2]*big.Rat{"sigma": known.Sigma, "psi": known.Psi} {
			if ends != nil {
				proof[key] = listOf(ends, func(e [2]*big.Rat) list { return rationals(e[:]) })
			}
		}
		if known.Signs != nil {
			proof["signs"], proof["diagonal"] = ints(known.Signs), rationals(known.Dominating)
		}
		return statement, proof, nil
	}
}

// covarianceOf encodes a covariance, in a short form if possible.
func covarianceOf(name string, c mvg.Covariance) (object, error) {
	diagonal, ok := c.Diagonal()
	switch {
	case c.IsIsotropic():
		return object{"order": c.Order(), "variance": float(diagonal[0])}, nil
	case ok:
		return object{"diagonal": floats(diagonal)}, nil
	case c.Order() > mostOrder:
		return nil, parameter.Errorf("no certificate of a design whose %s is of order %d and not diagonal: certificates allow orders up to %d", name, c.Order(), mostOrder)
	}
	return object{"matrix": matrixOf(c.Matrix())}, nil
}

// differencesOf encodes the sensitivity set of a design.
func differencesOf(ctx context.Context, d *mvg.Design) (object, error) {
	switch s := d.Sensitivity().(type) {
	case mvg.Ball:
		return object{"ball": float(s.S2())}, nil
	case mvg.Box:
		return object{"box": floats(s.HalfWidths())}, nil
	case mvg.Gram:
		neighbors := "unbounded"
		if s.Replaces() {
			neighbors = "bounded"
		}
		return object{"gram": object{"row_norm": float(s.RowNorm()), "scale": float(s.Scale()), "neighbors": neighbors}}, nil
	case mvg.Differences:
		of := s.List()
		m, n := s.Shape()
		each := 2
		if _, ok := d.Sigma().Diagonal(); !ok {
			each += m - 1
		}
		if _, ok := d.Psi().Diagonal(); !ok {
			each += n - 1
		}
		work := len(of) * m * n * each
		if work > mostWhitening {
			return nil, parameter.Errorf("no certificate of a design with %d differences of size %d×%d: whitening them takes %d products, and certificates allow %d", len(of), m, n, work, mostWhitening)
		}
		matrices := make(list, len(of))
		for i, a := range of {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			matrices[i] = matrixOf(a)
		}
		return object{"list": matrices}, nil
	}
	return nil, parameter.Errorf("no certificate of a design for %s", d.Sensitivity().Describe())
}

// matrixOf encodes the rows of a matrix of float64s.
func matrixOf(a mat.Matrix) list {
	m, _ := a.Dims()
	rows := make(list, m)
	for i := range rows {
		rows[i] = floats(mat.Row(nil, i, a))
	}
	return rows
}

// filling proves a number about a water-filling by the water level.
func filling(s *mvg.FillingStatement) prover {
	return func(_ context.Context, n evidence.Number) (statement, proof object, err error) {
		f := s.Filling
		number := map[mvg.FillingNumber]string{mvg.FillingOptimum: "optimum", mvg.FillingInformation: "information", mvg.FillingLevel: "level"}[s.Number]
		norm := map[mvg.Norm]string{mvg.L1: "l1", mvg.L2: "l2"}[f.Norm]
		statement = object{
			"kind": "water-filling", "number": number, "eigenvalues": floats(f.Eigenvalues), "budget": float(f.Budget), "norm": norm, "is": is(n),
		}
		if f.Weights != nil {
			statement["weights"] = floats(f.Weights)
		}
		if s.Number == mvg.FillingLevel {
			return statement, object{}, nil
		}
		low, high := f.Level()
		return statement, object{"level": list{rational(low), rational(high)}}, nil
	}
}
