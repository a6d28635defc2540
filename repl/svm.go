package repl

import (
	"fmt"
	"slices"
	"strings"

	"dpworkbench/reproductions/learn"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// svm is a fitted classifier and the names of its classes.
type svm struct {
	*learn.SVM
	names  []starlark.Value
	number map[string]int // the index of a class by its script text
}

const svmSetup = "m = linear_svm([[0], [1], [3], [4]], [\"low\", \"low\", \"high\", \"high\"])\n"

// svmBuiltins returns linear classifiers.
func svmBuiltins() []script.Builtin {
	return []script.Builtin{
		script.Func(`linear_svm(x: matrix, y: class_names, c: positive=1, loss: "squared_hinge"|"hinge"="squared_hinge", intercept: bool=True, unit: bool=False, gap: positive=1e-8, passes: int[1..1000000]=10000, seed: seed=0) -> svm`,
			`A linear support vector machine for the rows of x and their classes in y, numbers or strings: the w that minimises ½‖w‖² + c·Σ max(0, 1 − ±⟨w, x_i⟩)^p, p = 1 for loss "hinge" and 2 for its square, for each class against the rest, and once for two classes. intercept appends a feature 1, whose weight is penalised like the others. unit divides every row, also those to be classified, by its length. The model is that of scikit-learn's LinearSVC, fitted by dual coordinate descent until the duality gap is at most the fraction gap of the objective, or for passes passes. The gap certifies the results. seed determines the order of the rows. A model fitted to released features is as private as they are. Source: Hsieh, Chang, Lin, Keerthi and Sundararajan, ICML 2008.`,
			svmSetup+"print(m.objective, m.accuracy([[0.5], [3.5]], [\"low\", \"high\"]))", fitSVM),
	}
}

// svmKinds returns the kinds of class labels.
func svmKinds() []script.Kind {
	return []script.Kind{script.KindOf("class_names", func(c *script.Call, name string, v starlark.Value) []starlark.Value {
		list, ok := script.Elements(v)
		if !ok {
			c.Fail(name, v, "a list of numbers or strings")
		}
		for i, class := range list {
			switch class.(type) {
			case starlark.Int, starlark.String:
			default:
				c.Fail(fmt.Sprintf("%s[%d]", name, i), class, "a whole number or a string")
			}
		}
		return list
	})}
}

func fitSVM(c *script.Call) (any, error) {
	labels := c.Arg("y").([]starlark.Value)
	m := &svm{number: make(map[string]int)}
	for _, v := range labels {
		if _, known := m.number[v.String()]; !known {
			m.number[v.String()] = 0
			m.names = append(m.names, v)
		}
	}
	slices.SortFunc(m.names, func(a, b starlark.Value) int {
		x, wholeA := a.(starlark.Int)
		y, wholeB := b.(starlark.Int)
		switch {
		case wholeA && wholeB:
			return x.BigInt().Cmp(y.BigInt())
		case wholeA:
			return -1
		case wholeB:
			return 1
		}
		return strings.Compare(string(a.(starlark.String)), string(b.(starlark.String)))
	})
	if len(m.names) < 2 {
		c.Stop("y has %d classes, want at least 2", len(m.names))
	}
	for k, v := range m.names {
		m.number[v.String()] = k
	}
	var err error
	m.SVM, err = learn.FitSVM(c.Context, c.Rows("x"), m.numbers(labels), len(m.names), learn.SVMOptions{
		C: c.Float("c"), Hinge: c.Text("loss") == "hinge", Intercept: c.Bool("intercept"), Unit: c.Bool("unit"), Gap: c.Float("gap"), Passes: c.Int("passes"),
	}, c.Source("seed"))
	return m, err
}

// numbers returns the indices of classes, −1 for a class that was not fitted.
func (m *svm) numbers(labels []starlark.Value) []int {
	out := make([]int, len(labels))
	for i, v := range labels {
		out[i] = -1
		if k, known := m.number[v.String()]; known {
			out[i] = k
		}
	}
	return out
}

var svmClass = &script.Class[*svm]{
	Name: "svm", Help: "A fitted linear support vector machine.", Setup: svmSetup,
	Show: func(m *svm) string {
		return fmt.Sprintf("<linear support vector machine for %d classes on %d features>", m.Classes(), m.Features())
	},
	Attrs: []script.Attr[*svm]{
		script.Get("classes -> list", "The classes in ascending order. Of two classes, the second has positive scores.", "", func(m *svm) any { return starlark.NewList(slices.Clone(m.names)) }),
		script.Get("weights -> list", "The fitted weights: a list for each class, or one list for two classes. The intercept's weight is last.", "", func(m *svm) any { return script.Each(m.Weights(), func(w []float64) any { return w }) }),
		script.Get("objective -> evidence", "The least value of the objective, summed over the classes, between the dual value and the objective at the fitted weights. Certified.", "", func(m *svm) any { return m.Objective() }),
		script.Get("radius -> number", "An upper bound on the distance between the fitted and the optimal weights of any class: the root of the duality gap, rounded up.", svmSetup+"print(m.radius < 0.01)", func(m *svm) any { return m.Radius() }),
		script.Get("passes -> int", "The largest number of passes over the rows that a class needed.", svmSetup+"print(m.passes <= 10000)", func(m *svm) any { return m.Passes() }),
		script.Do("predict(x: matrix) -> list", "The class of each row of x according to the fitted weights.", "([[0.5], [3.5]])", func(c *script.Call, m *svm) (any, error) {
			found, err := m.Predict(c.Rows("x"))
			if err != nil {
				return nil, err
			}
			return script.List(found, func(k int) starlark.Value { return m.names[k] }), nil
		}),
		script.Do("accuracy(x: matrix, y: class_names) -> evidence", "The fraction of rows of x to which the optimal weights give their class in y. A row counts in the lower end if all weights within the duality gap's radius give that class, and in the upper end if some do. Certified.", "([[0.5], [3.5]], [\"low\", \"high\"])", func(c *script.Call, m *svm) (any, error) {
			best, _, err := m.Accuracy(c.Rows("x"), m.numbers(c.Arg("y").([]starlark.Value)))
			return best, err
		}),
		script.Do("score(x: matrix, y: class_names) -> number", "The fraction of rows of x to which the fitted weights give their class in y.", "([[0.5], [3.5]], [\"low\", \"low\"])", func(c *script.Call, m *svm) (any, error) {
			_, found, err := m.Accuracy(c.Rows("x"), m.numbers(c.Arg("y").([]starlark.Value)))
			return found, err
		}),
	},
}
