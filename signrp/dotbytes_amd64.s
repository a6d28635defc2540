#include "textflag.h"

// Four coordinates of one vector, at row(AX), times their signs for 64 columns in Z24 to Z27.

#define ROW(row, a, b, c, d) \
	VPBROADCASTD (row)(AX*1), Z28; \
	VPDPBUSD     Z24, Z28, a; \
	VPDPBUSD     Z25, Z28, b; \
	VPDPBUSD     Z26, Z28, c; \
	VPDPBUSD     Z27, Z28, d

// Sixteen sums as numbers, times Z31, to off(DI).

#define PUT(off, sums, low) \
	VEXTRACTI64X4 $1, sums, Y29; \
	VCVTDQ2PD     low, Z28; \
	VCVTDQ2PD     Y29, Z29; \
	VMULPD        Z31, Z28, Z28; \
	VMULPD        Z31, Z29, Z29; \
	VMOVUPD       Z28, off(DI); \
	VMOVUPD       Z29, (off+64)(DI)

#define CLEAR(a, b, c, d) \
	VPXORD a, a, a; \
	VPXORD b, b, b; \
	VPXORD c, c, c; \
	VPXORD d, d, d

// func dotBytesVNNI(out *[6][64]float64, panel *[64][4]int8, rows *[6]*byte, quads int, factor float64)
TEXT ·dotBytesVNNI(SB), NOSPLIT, $0-40
	MOVQ         out+0(FP), DI
	MOVQ         panel+8(FP), SI
	MOVQ         rows+16(FP), BX
	MOVQ         quads+24(FP), CX
	VBROADCASTSD factor+32(FP), Z31
	MOVQ         (BX), R8
	MOVQ         8(BX), R9
	MOVQ         16(BX), R10
	MOVQ         24(BX), R11
	MOVQ         32(BX), R12
	MOVQ         40(BX), R13
	XORQ         AX, AX
	CLEAR(Z0, Z1, Z2, Z3)
	CLEAR(Z4, Z5, Z6, Z7)
	CLEAR(Z8, Z9, Z10, Z11)
	CLEAR(Z12, Z13, Z14, Z15)
	CLEAR(Z16, Z17, Z18, Z19)
	CLEAR(Z20, Z21, Z22, Z23)

quad:
	VMOVDQU32 (SI), Z24
	VMOVDQU32 64(SI), Z25
	VMOVDQU32 128(SI), Z26
	VMOVDQU32 192(SI), Z27
	ROW(R8, Z0, Z1, Z2, Z3)
	ROW(R9, Z4, Z5, Z6, Z7)
	ROW(R10, Z8, Z9, Z10, Z11)
	ROW(R11, Z12, Z13, Z14, Z15)
	ROW(R12, Z16, Z17, Z18, Z19)
	ROW(R13, Z20, Z21, Z22, Z23)
	ADDQ      $4, AX
	ADDQ      $256, SI
	DECQ      CX
	JNZ       quad

	PUT(0, Z0, Y0)
	PUT(128, Z1, Y1)
	PUT(256, Z2, Y2)
	PUT(384, Z3, Y3)
	PUT(512, Z4, Y4)
	PUT(640, Z5, Y5)
	PUT(768, Z6, Y6)
	PUT(896, Z7, Y7)
	PUT(1024, Z8, Y8)
	PUT(1152, Z9, Y9)
	PUT(1280, Z10, Y10)
	PUT(1408, Z11, Y11)
	PUT(1536, Z12, Y12)
	PUT(1664, Z13, Y13)
	PUT(1792, Z14, Y14)
	PUT(1920, Z15, Y15)
	PUT(2048, Z16, Y16)
	PUT(2176, Z17, Y17)
	PUT(2304, Z18, Y18)
	PUT(2432, Z19, Y19)
	PUT(2560, Z20, Y20)
	PUT(2688, Z21, Y21)
	PUT(2816, Z22, Y22)
	PUT(2944, Z23, Y23)
	VZEROUPPER
	RET
