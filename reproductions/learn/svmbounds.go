package learn

import (
	"math"

	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
)

const unit = interval.Unit

// length returns an upper bound of ‖v‖. Squares that underflow add at most the root of their number times 2⁻¹⁰⁷⁴.
func length(v []float64) float64 { return (math.Sqrt(inner(v, v)) + 1e-150) * (1 + roundings(len(v))) }

// roundings bounds the relative error of n successive roundings, and of a few more in the bound's own computation.
func roundings(n int) float64 {
	e := float64(n+8) * unit
	return e / (1 - 2*e)
}

// certify computes weights from dual variables, and bounds from the duality gap.
//
// The float64 weights w differ from w(α) = Σ α_i y_i x_i by at most e, from n products and sums each. The dual at α is
// a lower bound of the least objective, and the objective at w an upper bound, both with the errors of their sums. The
// objective exceeds its minimum by at least ½‖w − w*‖², and the dual is below its maximum by at least ½‖w(α) − w*‖². So
// the gap is at least (‖w − w*‖ − e)² if ‖w − w*‖ > e, and ‖w − w*‖ is at most the root of the gap plus e.
func (p *samples) certify(signs, alpha []float64, o SVMOptions) (*machine, error) {
	n := len(signs)
	w, size := make([]float64, p.d), make([]float64, p.d)
	sum, squares := 0.0, 0.0
	for i, a := range alpha {
		if a == 0 {
			continue
		}
		row := p.row(i)
		addTo(w, a*signs[i], row)
		for j, v := range row {
			size[j] += math.Abs(a * v)
		}
		sum += a
		squares += a * a
	}
	off := roundings(n+2) * length(size) * (1 + roundings(n))
	long := length(w)
	half := (long + off) * (long + off) / 2 * (1 + roundings(4))
	dual := sum*(1-roundings(n)) - half
	if !o.Hinge {
		dual -= squares / (4 * o.C) * (1 + roundings(n))
	}
	dual -= math.Abs(dual) * roundings(2)

	losses := 0.0
	for i, s := range signs {
		around := roundings(p.d) * (1 + long*(math.Sqrt(p.squares[i])+1e-150)*(1+roundings(p.d)))
		loss := 1 - s*inner(w, p.row(i)) + around
		if loss > 0 {
			if !o.Hinge {
				loss *= loss
			}
			losses += loss
		}
	}
	primal := (long*long/2 + o.C*losses) * (1 + roundings(n+4))
	if math.IsNaN(primal) || math.IsInf(primal, 0) || math.IsNaN(dual) {
		return nil, parameter.Errorf("the samples are too large: the objective of the support vector machine overflows float64")
	}
	dual = max(dual, 0) // the objective is not negative
	return &machine{
		weights:   w,
		objective: evidence.Certified{Lo: min(dual, primal), Hi: primal, Provenance: evidence.From("dual coordinate descent (Hsieh et al. 2008)").By("duality gap, float64 with its error bounds")},
		radius:    (math.Sqrt(max(0, primal-dual)) + off) * (1 + roundings(4)),
	}, nil
}

// Weights returns the weights of each class, or only those of the second of two classes. They are the weights of the
// features, followed by that of the intercept if there is one.
func (m *SVM) Weights() [][]float64 {
	return lists.Of(len(m.machines), func(k int) []float64 { return append([]float64(nil), m.machines[k].weights...) })
}

// Features returns the number of features of a sample.
func (m *SVM) Features() int {
	if d := len(m.machines[0].weights); !m.intercept {
		return d
	}
	return len(m.machines[0].weights) - 1
}

// Classes returns the number of classes.
func (m *SVM) Classes() int { return m.classes }

// Passes returns the largest number of passes of a machine.
func (m *SVM) Passes() int {
	most := 0
	for _, one := range m.machines {
		most = max(most, one.passes)
	}
	return most
}

// Objective encloses the least value of the objective, summed over the machines. The upper end is at least the
// objective at the fitted weights.
func (m *SVM) Objective() evidence.Certified {
	out := m.machines[0].objective
	for _, one := range m.machines[1:] {
		out.Lo += one.objective.Lo
		out.Hi += one.objective.Hi
	}
	slack := roundings(len(m.machines))
	out.Lo, out.Hi = out.Lo*(1-slack), out.Hi*(1+slack)
	return out
}

// Radius returns an upper bound, valid for every machine, on the distance of its weights from the optimal weights.
func (m *SVM) Radius() float64 {
	most := 0.0
	for _, one := range m.machines {
		most = max(most, one.radius)
	}
	return most
}

// score returns ⟨w, x⟩ for one machine, and a bound on how far the optimal weights' score may differ.
func (m *SVM) score(k int, x []float64) (value, off float64) {
	one := m.machines[k]
	value, size := inner(one.weights[:len(x)], x), length(x)
	if m.intercept {
		value += one.weights[len(x)]
		size = math.Sqrt(size*size+1) * (1 + roundings(2))
	}
	return value, size*(one.radius+roundings(len(x)+2)*length(one.weights))*(1+roundings(4)) + 1e-300
}

// Predict returns the class of each row: the class with the largest score, or the first of several such classes. Of two
// classes it is the second if the score is positive. It returns an error wrapping parameter.Err if a row has a wrong
// length or is not finite.
func (m *SVM) Predict(x [][]float64) ([]int, error) {
	x, err := m.prepared(x)
	if err != nil {
		return nil, err
	}
	out := lists.Of(len(x), func(i int) int { return m.class(x[i]) })
	return out, nil
}

// class returns the class of one prepared row.
func (m *SVM) class(row []float64) int {
	first, _ := m.score(0, row)
	if m.classes == 2 {
		if first > 0 {
			return 1
		}
		return 0
	}
	out := 0
	for k := 1; k < m.classes; k++ {
		if s, _ := m.score(k, row); s > first {
			out, first = k, s
		}
	}
	return out
}

// Accuracy encloses the fraction of rows to which the optimal weights give their class in y. A row counts in the lower
// end if all weights within the radius give its class, and in the upper end if some do. correct is the fraction for the
// fitted weights. Errors are those of Predict, and one for a wrong number of classes.
func (m *SVM) Accuracy(x [][]float64, y []int) (best evidence.Certified, correct float64, err error) {
	if x, err = m.prepared(x); err != nil {
		return evidence.Certified{}, 0, err
	}
	if len(y) != len(x) {
		return evidence.Certified{}, 0, parameter.Errorf("%d labels for %d samples, want one for each sample", len(y), len(x))
	}
	sure, possible, right := 0, 0, 0
	for i, row := range x {
		if m.class(row) == y[i] {
			right++
		}
		always, ever := m.judge(row, y[i])
		if always {
			sure++
		}
		if ever {
			possible++
		}
	}
	n := float64(len(x))
	out := m.machines[0].objective
	out.Lo, out.Hi = float64(sure)/n*(1-unit), min(1, float64(possible)/n*(1+2*unit))
	if sure == possible {
		out.Lo, out.Hi = float64(right)/n, float64(right)/n
	}
	out.Method = "rows whose class no weights within the duality gap change; " + out.Method
	return out, float64(right) / n, nil
}

// judge reports whether all weights within the radius give a row its class, and whether some may.
func (m *SVM) judge(row []float64, class int) (always, ever bool) {
	if class < 0 || class >= m.classes {
		return false, false
	}
	if m.classes == 2 {
		s, off := m.score(0, row)
		if class == 0 {
			s = -s
		}
		return s > off, s >= -off
	}
	own, off := m.score(class, row)
	always, ever = true, true
	for k := range m.machines {
		if k == class {
			continue
		}
		s, slack := m.score(k, row)
		always = always && own-s > off+slack
		ever = ever && own-s >= -(off+slack)
	}
	return always, ever
}

// prepared checks rows, and divides them by their lengths if the fit did.
func (m *SVM) prepared(x [][]float64) ([][]float64, error) {
	_, d, err := checkSamples(x, len(x))
	if err != nil {
		return nil, err
	}
	if d != m.Features() {
		return nil, parameter.Errorf("samples have %d features, want %d as those of the fit", d, m.Features())
	}
	if m.unit {
		return unitRows(x)
	}
	for i, row := range x {
		if !(inner(row, row) < 1e150) {
			return nil, parameter.Errorf("the squared length of sample %d overflows float64", i)
		}
	}
	return x, nil
}
