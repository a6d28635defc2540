package mvg

import (
	"fmt"
	"math/big"
	"slices"
)

// Filling is the problem that a water-filling solves.
type Filling struct {
	Eigenvalues []float64
	Weights     []float64 // of norm L1
	Budget      float64
	Norm        Norm

	level [2]*big.Rat
}

// FillingNumber is what is asked of a filling.
type FillingNumber int

// The optimum, half of it, and the level.
const (
	FillingOptimum FillingNumber = iota
	FillingInformation
	FillingLevel
)

// FillingStatement is answered by a number of a water-filling.
type FillingStatement struct {
	Filling *Filling
	Number  FillingNumber
}

// Says implements evidence.Statement.
func (s *FillingStatement) Says() string {
	name := [...]string{"the optimum", "the mutual information", "the level"}[s.Number]
	return fmt.Sprintf("%s of water-filling %d eigenvalues", name, len(s.Filling.Eigenvalues))
}

// Level returns numbers between which c − min w_i/λ_i is for norm L1, and ν for L2.
func (f *Filling) Level() (low, high *big.Rat) { return f.level[0], f.level[1] }

// stating gives the numbers of a filling the problem that they answer.
func (w *Waterfilling) stating(f Filling) *Waterfilling {
	f.Eigenvalues, f.Weights = slices.Clone(f.Eigenvalues), slices.Clone(f.Weights)
	f.level = [2]*big.Rat{exactly1(w.level.Lower()), exactly1(w.level.Upper())}
	w.Value.Statement = &FillingStatement{&f, FillingOptimum}
	w.KnownLevel.Statement = &FillingStatement{&f, FillingLevel}
	return w
}
