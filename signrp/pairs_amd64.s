#include "textflag.h"

// Both routines use SSE2 alone, which every amd64 has.

#define ENTRY(off) \
	MOVUPD off(SI), X1; \
	ADDPD  X0, X1; \
	MOVUPD X1, off(DI)

// func fillPairs(table *[256][2]float64, low, high *[16][2]float64)
TEXT ·fillPairs(SB), NOSPLIT, $0-24
	MOVQ table+0(FP), DI
	MOVQ low+8(FP), SI
	MOVQ high+16(FP), DX
	MOVQ $16, CX

fill:
	MOVUPD (DX), X0
	ENTRY(0)
	ENTRY(16)
	ENTRY(32)
	ENTRY(48)
	ENTRY(64)
	ENTRY(80)
	ENTRY(96)
	ENTRY(112)
	ENTRY(128)
	ENTRY(144)
	ENTRY(160)
	ENTRY(176)
	ENTRY(192)
	ENTRY(208)
	ENTRY(224)
	ENTRY(240)
	ADDQ   $16, DX
	ADDQ   $256, DI
	DECQ   CX
	JNZ    fill
	RET

// func addPairsSSE2(acc *[2]float64, words *uint64, k int, shift uint, t *pairTables)
TEXT ·addPairsSSE2(SB), NOSPLIT, $0-40
	MOVQ acc+0(FP), DI
	MOVQ words+8(FP), SI
	MOVQ k+16(FP), DX
	MOVQ shift+24(FP), CX
	MOVQ t+32(FP), R8

add:
	MOVQ   (SI), AX
	SHRQ   CX, AX
	MOVQ   AX, R9
	MOVQ   AX, R10
	MOVQ   AX, R11
	SHLQ   $4, R9
	SHRQ   $4, R10
	SHRQ   $12, R11
	SHRQ   $20, AX
	ANDQ   $0xff0, R9
	ANDQ   $0xff0, R10
	ANDQ   $0xff0, R11
	ANDQ   $0xff0, AX
	MOVUPD (R8)(R9*1), X0
	MOVUPD 4096(R8)(R10*1), X1
	MOVUPD 8192(R8)(R11*1), X2
	MOVUPD 12288(R8)(AX*1), X3
	MOVUPD (DI), X4
	ADDPD  X1, X0
	ADDPD  X3, X2
	ADDPD  X2, X0
	ADDPD  X0, X4
	MOVUPD X4, (DI)
	ADDQ   $8, SI
	ADDQ   $16, DI
	DECQ   DX
	JNZ    add
	RET
