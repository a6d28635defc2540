package signrp

import "golang.org/x/sys/cpu"

// hasVNNI says that the processor multiplies 64 bytes by signed bytes at once.
var hasVNNI = cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VNNI

// dotBytes is dotBytesGo; panel must not be empty.
func dotBytes(out *dotRows, panel []panelQuad, rows *[dotVectors]*byte, factor float64) {
	dotBytesVNNI(out, &panel[0], rows, len(panel), factor)
}

//go:noescape
func dotBytesVNNI(out *dotRows, panel *panelQuad, rows *[dotVectors]*byte, quads int, factor float64)
