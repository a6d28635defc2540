package repl

import "dpworkbench/script"

// pythonFace configures the Python package: which names it has, and its types.
var pythonFace = script.Python{
	Kinds: map[string]string{
		"dict": "Mapping[Any, Any]", "dataset": "Any", "prior": "Iterable[Exactly] | Mapping[Any, Exactly]", "radius": "Exactly", "distances": "Iterable[Iterable[Exactly]]",
		"point": "Iterable[Exactly] | Exactly", "points": "Iterable[Any]", "signs": "Iterable[Any]", "claim_id": "str", "dataset_name": "str", "sampler": "str",
		"private": "Any", "parts": "Any", "profile_epsilon": "Exactly", "dense": "Rows", "denses": "Iterable[Rows]", "symmetric": "Rows", "covariance": "Rows | Iterable[Number]",
		"bits": "Rows", "bit_matrices": "Iterable[Rows]", "blocks": "Mapping[Any, Rows]", "dataset_pairs": "Iterable[Any]", "events": "Any", "observations": "Any",
		"noise_method": "str", "labels": "Iterable[Any]", "class_names": "Iterable[int | str]", "gapped": "Iterable[Number | None]", "gapped_rows": "Rows | Iterable[Iterable[Number | None]]", "interval": "tuple[Number, Number]",
		"size": "tuple[Number, Number]", "series": "Any", "panels": "Mapping[Any, Any]", "table_rows": "Rows | Iterable[Iterable[Any]]",
	},
	Leave: []string{ // names that Python has itself, and commands of the prompt
		"abs", "float", "int", "max", "min", "round", "sum", "exit", "help", "reset", "save", "timed", "timeit", "who",
	},
	Native: map[string]script.Native{
		"evidence":   {Base: "EvidenceBase", Has: []string{"value", "kind", "lo", "hi", "source", "rational"}},
		"matrix":     {Base: "MatrixBase", Has: []string{"shape", "names", "dot", "trace", "diagonal", "max", "min", "sum", "mean", "t", "T", "rows"}},
		"ledger":     {Base: "SequenceBase"},
		"draw":       {Base: "AlgebraBase"},
		"symbol":     {Base: "AlgebraBase"},
		"power":      {Base: "AlgebraBase"},
		"table":      {Base: "TableBase"},
		"comparison": {Base: "ComparisonBase"},
		"line_plot":  {Base: "FigureBase"},
		"heatmap":    {Base: "FigureBase"},
		"report":     {Base: "FigureBase"},
	},
	Rules: map[string]string{"query": "mechanism", "record_query": "record_mechanism", "mechanism": "mechanism", "linear_query": "line_mechanism", "line_mechanism": "line_mechanism"},
}

// Python returns the vocabulary as a Python module, and its type stubs.
func (s *Session) Python() (source, stubs string, err error) { return s.PythonFace(pythonFace) }
