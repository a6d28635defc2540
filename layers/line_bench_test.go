package layers

import (
	"context"
	"fmt"
	"math/big"
	"testing"
)

func BenchmarkLineLayers(b *testing.B) {
	for k := range figure2 {
		for _, radius := range []string{"10", "2.0202020202020203"} {
			b.Run(fmt.Sprintf("V%d/radius=%s", k+1, radius), func(b *testing.B) {
				q := figureLine(b, k, new(big.Rat)).query
				r := rat(b, radius)
				b.ReportAllocs()
				for b.Loop() {
					if _, err := NewLineLayers(context.Background(), q, r); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
