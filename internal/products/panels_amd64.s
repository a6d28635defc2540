#include "textflag.h"

// One row of a tile: its eight numbers are low and high, at is that of a. The rows
// of a are 256 numbers apart.

#define ROW(at, low, high) \
	VBROADCASTSD at, Y12; \
	VMULPD       Y8, Y12, Y13; \
	VMULPD       Y9, Y12, Y14; \
	VADDPD       Y13, low, low; \
	VADDPD       Y14, high, high

#define STEP(off) \
	VMOVUPD (8*off)(BX), Y8; \
	VMOVUPD (8*off+32)(BX), Y9; \
	ROW(off(SI), Y0, Y1); \
	ROW((off+2048)(SI), Y2, Y3); \
	ROW((off+4096)(SI), Y4, Y5); \
	ROW((off+6144)(SI), Y6, Y7)

// func addTile(c *float64, stride int, rows, panel *float64, depth int)
TEXT ·addTile(SB), NOSPLIT, $0-40
	MOVQ c+0(FP), DI
	MOVQ stride+8(FP), R8
	MOVQ rows+16(FP), SI
	MOVQ panel+24(FP), BX
	MOVQ depth+32(FP), CX
	SHLQ $3, R8
	LEAQ (R8)(R8*2), R10

	VMOVUPD (DI), Y0
	VMOVUPD 32(DI), Y1
	VMOVUPD (DI)(R8*1), Y2
	VMOVUPD 32(DI)(R8*1), Y3
	VMOVUPD (DI)(R8*2), Y4
	VMOVUPD 32(DI)(R8*2), Y5
	VMOVUPD (DI)(R10*1), Y6
	VMOVUPD 32(DI)(R10*1), Y7

	SUBQ $2, CX
	JLT  last

two:
	STEP(0)
	STEP(8)
	ADDQ $16, SI
	ADDQ $128, BX
	SUBQ $2, CX
	JGE  two

last:
	ADDQ $1, CX
	JLT  done
	STEP(0)

done:
	VMOVUPD Y0, (DI)
	VMOVUPD Y1, 32(DI)
	VMOVUPD Y2, (DI)(R8*1)
	VMOVUPD Y3, 32(DI)(R8*1)
	VMOVUPD Y4, (DI)(R8*2)
	VMOVUPD Y5, 32(DI)(R8*2)
	VMOVUPD Y6, (DI)(R10*1)
	VMOVUPD Y7, 32(DI)(R10*1)
	VZEROUPPER
	RET
