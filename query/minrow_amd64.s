#include "textflag.h"

// func minRowSSE2(row, other *uint64, pairs int)
//
// SSE2, which every amd64 has, compares sixteen bytes at once.
TEXT ·minRowSSE2(SB), NOSPLIT, $0-24
	MOVQ  row+0(FP), DI
	MOVQ  other+8(FP), SI
	MOVQ  pairs+16(FP), CX
	TESTQ CX, CX
	JZ    done

pair:
	MOVOU  (DI), X0
	MOVOU  (SI), X1
	PMINUB X1, X0
	MOVOU  X0, (DI)
	ADDQ   $16, DI
	ADDQ   $16, SI
	DECQ   CX
	JNZ    pair

done:
	RET
