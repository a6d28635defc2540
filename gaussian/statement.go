package gaussian

import (
	"fmt"

	"dpworkbench/evidence"
)

// DeltaStatement states the least δ of noise with standard deviation Sigma on a query of the given L2 sensitivity.
type DeltaStatement struct {
	Eps                evidence.Epsilon
	Sigma, Sensitivity float64
}

// EpsilonStatement states the least ε ≥ 0 of noise with standard deviation Sigma on a query of the given L2
// sensitivity.
type EpsilonStatement struct {
	Delta              evidence.Delta
	Sigma, Sensitivity float64
}

// SigmaStatement states the least standard deviation that makes a query of the given L2 sensitivity (ε, δ)-private.
type SigmaStatement struct {
	Eps         evidence.Epsilon
	Delta       evidence.Delta
	Sensitivity float64
}

// MuStatement states the largest ratio of sensitivity to standard deviation that is (ε, δ)-private.
type MuStatement struct {
	Eps   evidence.Epsilon
	Delta evidence.Delta
}

// Says implements evidence.Statement.
func (s *DeltaStatement) Says() string {
	return fmt.Sprintf("δ at ε = %s of Gaussian noise, σ = %g, sensitivity %g", s.Eps, s.Sigma, s.Sensitivity)
}

// Says implements evidence.Statement.
func (s *EpsilonStatement) Says() string {
	return fmt.Sprintf("ε at δ = %s of Gaussian noise, σ = %g, sensitivity %g", s.Delta, s.Sigma, s.Sensitivity)
}

// Says implements evidence.Statement.
func (s *SigmaStatement) Says() string {
	return fmt.Sprintf("the least σ of Gaussian noise at ε = %s, δ = %s, sensitivity %g", s.Eps, s.Delta, s.Sensitivity)
}

// Says implements evidence.Statement.
func (s *MuStatement) Says() string {
	return fmt.Sprintf("the largest μ of Gaussian noise at ε = %s, δ = %s", s.Eps, s.Delta)
}
