package study

import (
	"database/sql/driver"
	"fmt"
	"math"
	"strconv"

	"github.com/c-bata/goptuna"
)

// Rows of the database may be corrupt: text in a numeric column, which SQLite allows, a choice that is not among the
// choices, or a complete trial without a value. The damage is limited to its trial, which counts as failed. The reason
// of the failure names the damage.

// number is the value of a numeric cell of a table, NaN if its content is not a number.
type number struct {
	v      float64
	damage string // invalid content of the cell; "" means none
}

// GormDataType implements gorm's schema.GormDataTypeInterface.
func (number) GormDataType() string { return "float" }

// Value implements driver.Valuer.
func (n number) Value() (driver.Value, error) { return n.v, nil }

// Scan implements sql.Scanner. It accepts any content, and records in damage what is not a finite number.
func (n *number) Scan(v any) error {
	*n = number{v: math.NaN()}
	text := ""
	switch v := v.(type) {
	case float64:
		n.v = v
	case float32:
		n.v = float64(v)
	case int64:
		n.v = float64(v)
	case nil:
		n.damage = "nothing"
		return nil
	case []byte:
		text = string(v)
	case string:
		text = v
	default:
		n.damage = fmt.Sprintf("a %T", v)
		return nil
	}
	if text != "" || math.IsNaN(n.v) {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			n.damage = fmt.Sprintf("the text %.40q", text)
			return nil
		}
		n.v = f
	}
	if math.IsNaN(n.v) || math.IsInf(n.v, 0) {
		n.damage = fmt.Sprint(n.v)
	}
	return nil
}

// value returns the value in a trial's row. If there is none, it is damaged.
func (r trialRow) value() number {
	if r.Value == nil {
		return number{damage: "nothing"}
	}
	return *r.Value
}

// damaged describes the damage of a row; "" means none.
func (r trialRow) damaged() string {
	if v := r.value(); r.State == complete && v.damage != "" {
		return "its value is " + v.damage
	}
	for what, m := range map[string]*moment{"start": r.Start, "end": r.Complete} {
		if m != nil && m.damage != "" {
			return "its " + what + " is " + m.damage
		}
	}
	return ""
}

// read adds a parameter to a trial, and describes its damage, if any.
func (p paramRow) read(t *goptuna.FrozenTrial) string {
	d, err := goptuna.JSONToDistribution([]byte(p.Distribution))
	if err != nil {
		return fmt.Sprintf("the range of its parameter %q is the text %.40q", p.Name, p.Distribution)
	}
	return p.put(t, d)
}

// put adds a parameter with the distribution d to a trial, and describes its damage, if any.
func (p paramRow) put(t *goptuna.FrozenTrial, d any) string {
	switch {
	case p.Value.damage != "":
		return fmt.Sprintf("its parameter %q is %s", p.Name, p.Value.damage)
	case !holds(d, p.Value.v):
		return fmt.Sprintf("its parameter %q is %v, which is not in its range %.80s", p.Name, p.Value.v, p.Distribution)
	}
	external, err := goptuna.ToExternalRepresentation(d, p.Value.v)
	if err != nil {
		return fmt.Sprintf("its parameter %q has the range %.80s", p.Name, p.Distribution)
	}
	t.Distributions[p.Name], t.InternalParams[p.Name], t.Params[p.Name] = d, p.Value.v, external
	return ""
}

// holds reports whether an internal value is within a distribution's range, including goptuna's own kinds of
// distributions.
func holds(distribution any, v float64) bool {
	switch d := distribution.(type) {
	case goptuna.UniformDistribution:
		return d.Low <= v && v <= d.High
	case goptuna.LogUniformDistribution:
		return 0 < d.Low && d.Low <= v && v <= d.High
	case goptuna.IntUniformDistribution:
		return float64(d.Low) <= v && v <= float64(d.High)
	case goptuna.StepIntUniformDistribution:
		return float64(d.Low) <= v && v <= float64(d.High)
	case goptuna.DiscreteUniformDistribution:
		return d.Low <= v && v <= d.High && d.Q > 0
	case goptuna.CategoricalDistribution:
		return 0 <= v && v < float64(len(d.Choices)) && v == math.Trunc(v)
	}
	return false
}
