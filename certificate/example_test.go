package certificate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"

	"dpworkbench/certificate"
	"dpworkbench/evidence"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// The smallest ε of a mechanism is written to a file that check.py verifies independently.
func ExampleOf() {
	ctx := context.Background()
	graphs, _ := query.NewGraphs(ctx, 3)
	triangles, _ := graphs.Count("triangle")
	ln2, _ := evidence.LogEpsilon("decay", big.NewRat(2, 1))
	m, _ := layers.NewPurest(ctx, triangles, ln2)
	smallest, _ := mechanism.Privacy(m).Epsilon(ctx, evidence.Delta{})
	file, err := certificate.Of(ctx, smallest)
	if err != nil {
		fmt.Println(err)
		return
	}
	text, _ := file.Encode("epsilon.json")
	var read struct{ Statement map[string]any }
	_ = json.Unmarshal(text, &read)
	fmt.Println(read.Statement["kind"], read.Statement["is"])
	// Output: smallest epsilon map[ln:2]
}
