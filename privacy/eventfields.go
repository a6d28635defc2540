package privacy

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"dpworkbench/internal/decimal"
	"dpworkbench/internal/parameter"
)

// eventFields lists the supported classes of dp_accounting's events (version 0.6.0, dp_event.py), without "DpEvent",
// and their fields in order.
var eventFields = map[string][]string{
	"NoOp": {}, "NonPrivate": {},
	"Gaussian": {"noise_multiplier"}, "Laplace": {"noise_multiplier"}, "DiscreteLaplace": {"noise_parameter", "sensitivity"},
	"RandomizedResponse": {"noise_parameter", "num_buckets"}, "ZC": {"rho", "xi"},
	"MixtureOfGaussians":          {"standard_deviation", "sensitivities", "sampling_probs"},
	"TruncatedSubsampledGaussian": {"dataset_size", "sampling_probability", "truncated_batch_size", "noise_multiplier"},
	"Composed":                    {"events"}, "SelfComposed": {"event", "count"},
	"PoissonSampled":            {"sampling_probability", "event"},
	"SampledWithoutReplacement": {"source_dataset_size", "sample_size", "event"},
}

// event is an event of dp_accounting.
type event struct {
	class  string
	values map[string]any
}

// readEvent returns the event that a JSON value describes.
func readEvent(v any) (*event, error) {
	e := &event{values: map[string]any{}}
	list, _ := v.([]any)
	if x, ok := v.(map[string]any); ok {
		e.class, _ = x["class_name"].(string)
		for name, value := range x {
			if name != "class_name" && name != "module_name" {
				e.values[name] = value
			}
		}
	} else if len(list) > 1 {
		e.class, _ = list[1].(string)
		list = list[2:]
	}
	short, ok := strings.CutSuffix(e.class, "DpEvent")
	fields, known := eventFields[short]
	switch {
	case e.class == "":
		return nil, parameter.Errorf("event has no class name, want a dict with \"class_name\", or a list of the module's name, the class's name and the values")
	case !ok || !known:
		names := slices.Sorted(maps.Keys(eventFields))
		return nil, parameter.Errorf("class %q is not supported, want one of %sDpEvent", e.class, strings.Join(names, "DpEvent, "))
	case len(list) > len(fields):
		return nil, parameter.Errorf("%s has %d values, want %d", e.class, len(list), len(fields))
	}
	for i, value := range list {
		e.values[fields[i]] = value
	}
	if _, given := e.values["xi"]; short == "ZC" && !given {
		e.values["xi"] = json.Number("0")
	}
	for _, name := range fields {
		if _, given := e.values[name]; !given {
			return nil, parameter.Errorf("%s has no %s, want the fields %s", e.class, name, strings.Join(fields, ", "))
		}
	}
	if len(e.values) > len(fields) {
		return nil, parameter.Errorf("%s has a field that is not one of %q", e.class, fields)
	}
	return e, nil
}

// numberOf converts the JSON value of a field, which must be a number from 0 to most.
func (e *event) numberOf(name string, v any, most *big.Rat) (*big.Rat, error) {
	text, _ := v.(json.Number)
	q, ok := decimal.Rational(string(text))
	if !ok || q.Sign() < 0 || q.Sign() > 0 && q.Cmp(tiniest) < 0 || q.Cmp(most) > 0 {
		return nil, parameter.Bad(e.class+" "+name, fmt.Sprint(v), "a number from 0 to %s", shortRat(most))
	}
	return q, nil
}

// number returns the value of a field that is a number from 0 to most.
func (e *event) number(name string, most *big.Rat) (*big.Rat, error) {
	return e.numberOf(name, e.values[name], most)
}

// whole returns the value of a field that is an integer from least to most.
func (e *event) whole(name string, least, most int64) (int64, error) {
	q, err := e.number(name, largest)
	if err != nil || !q.IsInt() || q.Cmp(big.NewRat(least, 1)) < 0 || q.Cmp(big.NewRat(most, 1)) > 0 {
		return 0, parameter.Bad(e.class+" "+name, fmt.Sprint(e.values[name]), "a whole number from %d to %d", least, most)
	}
	return q.Num().Int64(), nil
}

// numbers returns the value of a field that is a list of numbers from 0 to most.
func (e *event) numbers(name string, most *big.Rat) ([]*big.Rat, error) {
	list, ok := e.values[name].([]any)
	if !ok || len(list) == 0 {
		return nil, parameter.Bad(e.class+" "+name, fmt.Sprint(e.values[name]), "a list of numbers")
	}
	out := make([]*big.Rat, len(list))
	for i, v := range list {
		q, err := e.numberOf(name, v, most)
		if err != nil {
			return nil, err
		}
		out[i] = q
	}
	return out, nil
}
