// Package layers builds layered mechanisms from set sequences (Wu et al., Sections 4 and 5): for each dataset x a
// sequence of layers R_0^x, R_1^x, … of the range. A value in layer i has probability e^{−i·decay}/α^x.
//
// On a finite query a layered [Mechanism] is integers: L^x(r) is the layer of r at x, the distance transform L^x(r) =
// min over datasets y and layers i of ⌈d̄(x, y)⌉ + i with r ∈ R̃_i^y. The constructors choose the sets: [NewPurest],
// [NewDeltaNeighborhood] and [NewBalls], [NewAtomic], [NewBasic], [NewGeneral] with a [Rule], and [NewGiven] for a
// table of layers. Every one of them claims 2·decay (Proposition 3). The purest mechanism at decay ε/2 is the inverse
// sensitivity mechanism of Asi and Duchi (2020), the δ-neighborhood mechanism its smooth form. [Mechanism.Migrate]
// moves a value into a layer, and [Mechanism.PredictMigration] predicts which datasets gain.
package layers
