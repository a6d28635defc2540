//go:build !amd64

package signrp

const hasVNNI = false

func dotBytes(out *dotRows, panel []panelQuad, rows *[dotVectors]*byte, factor float64) {
	dotBytesGo(out, panel, rows, factor)
}
