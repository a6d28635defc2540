package learn

import (
	"context"
	"math"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/internal/memory"
	"dpworkbench/internal/parallel"
	"dpworkbench/internal/parameter"
)

// SVMOptions define the objective of FitSVM and when it stops.
type SVMOptions struct {
	C         float64 // the weight of the loss, positive
	Hinge     bool    // hinge loss max(0, 1 − m) of a margin m; its square otherwise
	Intercept bool    // append a feature 1, whose weight is penalised like the others
	Unit      bool    // divide samples by their lengths, also those to be predicted
	Gap       float64 // stop when the duality gap is at most this fraction of the objective
	Passes    int     // the maximum number of passes over the samples
}

// SVM is a linear support vector machine: one against the rest for each class, or a single machine for two classes. It
// is immutable.
type SVM struct {
	classes   int
	intercept bool
	unit      bool
	machines  []*machine
}

// machine is a classifier that separates a class, labelled +1, from the others, labelled −1.
type machine struct {
	weights   []float64 // of the features, and of the appended 1 if there is one
	objective evidence.Certified
	radius    float64 // an upper bound on the distance of the optimal weights
	passes    int
}

// FitSVM fits, for each class against the rest (for two classes once, class 1 being +1), the w that minimises
//
//	½‖w‖² + C Σ max(0, 1 − y_i⟨w, x_i⟩)^p,  p = 2, or 1 for Hinge,
//
// to samples x_i of classes 0 … classes − 1. The method is dual coordinate descent (Hsieh, Chang, Lin, Keerthi and
// Sundararajan, ICML 2008, Algorithm 1). Each pass visits the samples in a new random order from src. The final duality
// gap certifies the distance from the least objective, and its root the distance of the optimal w: see [SVM.Objective]
// and [SVM.Accuracy].
//
// It returns an error wrapping parameter.Err for shapes that do not fit, for numbers that are not finite or whose
// sums of squares overflow, for options out of range, and if a class has no sample. It returns ctx's error if that
// ends before the passes do.
func FitSVM(ctx context.Context, x [][]float64, y []int, classes int, o SVMOptions, src rand.Source) (*SVM, error) {
	n, d, err := checkSamples(x, len(y))
	if err != nil {
		return nil, err
	}
	if err := parameter.Positive("C", o.C); err != nil {
		return nil, err
	}
	if err := parameter.Positive("gap", o.Gap); err != nil {
		return nil, err
	}
	if o.Passes < 1 {
		return nil, parameter.Bad("passes", o.Passes, "at least 1")
	}
	if err := checkClasses(y, classes); err != nil {
		return nil, err
	}
	if o.Unit {
		if x, err = unitRows(x); err != nil {
			return nil, err
		}
	}
	if o.Intercept {
		d++
	}
	if err := memory.Need("the samples of a support vector machine", 8*float64(n)*float64(d)); err != nil {
		return nil, err
	}
	p := &samples{d: d, rows: make([]float64, 0, n*d), squares: make([]float64, n)}
	for i, row := range x {
		p.rows = append(p.rows, row...)
		if o.Intercept {
			p.rows = append(p.rows, 1)
		}
		p.squares[i] = inner(p.row(i), p.row(i))
		if !(p.squares[i]*o.C < 1e150) {
			return nil, parameter.Errorf("sample %d has the squared length %.3g, want at most %.3g for C = %g", i, p.squares[i], 1e150/o.C, o.C)
		}
	}
	m := &SVM{classes: classes, intercept: o.Intercept, unit: o.Unit, machines: make([]*machine, classes)}
	if classes == 2 {
		m.machines = m.machines[:1]
	}
	orders := make([]uint64, 2*len(m.machines)) // drawn in order before the machines run in parallel
	for i := range orders {
		orders[i] = src.Uint64()
	}
	report := parallel.Count(ctx, int64(len(m.machines)), "support vector machines")
	err = parallel.Each(ctx, len(m.machines), func(k int) error {
		positive := k
		if classes == 2 {
			positive = 1
		}
		signs := make([]float64, n)
		for i, class := range y {
			signs[i] = -1
			if class == positive {
				signs[i] = 1
			}
		}
		var err error
		m.machines[k], err = p.descend(ctx, signs, o, rand.New(rand.NewPCG(orders[2*k], orders[2*k+1])))
		report(1)
		return err
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// checkClasses requires classes 0 … classes − 1, each with a sample.
func checkClasses(y []int, classes int) error {
	if classes < 2 {
		return parameter.Bad("classes", classes, "at least 2")
	}
	seen := make(map[int]bool)
	for i, class := range y {
		if class < 0 || class >= classes {
			return parameter.Errorf("sample %d has class %d, want 0…%d", i, class, classes-1)
		}
		seen[class] = true
	}
	for class := range classes { // this loop ends early: there are at most as many classes as samples
		if !seen[class] {
			return parameter.Errorf("class %d has no sample, want at least one", class)
		}
	}
	return nil
}

// unitRows divides rows by their lengths. Zero rows stay zero.
func unitRows(x [][]float64) ([][]float64, error) {
	out := make([][]float64, len(x))
	for i, row := range x {
		size := math.Sqrt(inner(row, row))
		if math.IsInf(size, 1) {
			return nil, parameter.Errorf("the squared length of sample %d overflows float64", i)
		}
		out[i] = make([]float64, len(row))
		for j, v := range row {
			if size > 0 {
				out[i][j] = v / size
			}
		}
	}
	return out, nil
}

// samples are rows of d numbers with their squared lengths.
type samples struct {
	d       int
	rows    []float64
	squares []float64
}

func (p *samples) row(i int) []float64 { return p.rows[i*p.d:][:p.d:p.d] }

// inner returns an inner product as four partial sums, which gives the same result on every machine.
func inner(a, b []float64) float64 {
	var s0, s1, s2, s3 float64
	b = b[:len(a)]
	for len(a) >= 4 {
		s0 += float64(a[0] * b[0])
		s1 += float64(a[1] * b[1])
		s2 += float64(a[2] * b[2])
		s3 += float64(a[3] * b[3])
		a, b = a[4:], b[4:]
	}
	for i, v := range a {
		s0 += float64(v * b[i])
	}
	return (s0 + s1) + (s2 + s3)
}

// addTo adds c·row to w.
func addTo(w []float64, c float64, row []float64) {
	row = row[:len(w)]
	for i := range w {
		w[i] += float64(c * row[i])
	}
}

// descend runs dual coordinate descent for one machine. The dual is Σα − ½‖w(α)‖² − shift·½Σα², w(α) = Σ α_i y_i x_i,
// over 0 ≤ α_i ≤ most. The hinge loss has most = C and shift = 0, its square has no upper bound and shift = 1/2C.
func (p *samples) descend(ctx context.Context, signs []float64, o SVMOptions, rng *rand.Rand) (*machine, error) {
	n := len(signs)
	most, shift := o.C, 0.0
	if !o.Hinge {
		most, shift = math.Inf(1), 1/(2*o.C)
	}
	alpha, w, order := make([]float64, n), make([]float64, p.d), rng.Perm(n)
	for pass := 1; ; pass++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rng.Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, i := range order {
			curve := p.squares[i] + shift
			if curve == 0 { // a zero row under the hinge loss: its loss is 1 for every w
				alpha[i] = most
				continue
			}
			row := p.row(i)
			slope := signs[i]*inner(w, row) - 1 + shift*alpha[i]
			if alpha[i] == 0 && slope >= 0 || alpha[i] == most && slope <= 0 {
				continue
			}
			next := min(max(alpha[i]-slope/curve, 0), most)
			if step := (next - alpha[i]) * signs[i]; step != 0 {
				addTo(w, step, row)
				alpha[i] = next
			}
		}
		// The gap costs a pass, so it is computed only after 1, 2, 3, 4, 6, 9, … passes.
		if pass == o.Passes || pass < 4 || pass%max(1, pass/8) == 0 {
			m, err := p.certify(signs, alpha, o)
			if err != nil {
				return nil, err
			}
			if m.passes = pass; pass == o.Passes || m.objective.Hi-m.objective.Lo <= o.Gap*m.objective.Hi {
				return m, nil
			}
		}
	}
}
