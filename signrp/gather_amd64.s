#include "textflag.h"

// All routines use SSE2 alone, which every amd64 has.

DATA one<>+0(SB)/8, $0x3FF0000000000000
DATA one<>+8(SB)/8, $0x3FF0000000000000
GLOBL one<>(SB), RODATA|NOPTR, $16
DATA unsigned<>+0(SB)/8, $0x7FFFFFFFFFFFFFFF
DATA unsigned<>+8(SB)/8, $0x7FFFFFFFFFFFFFFF
GLOBL unsigned<>(SB), RODATA|NOPTR, $16

// The top bit of 1 − |v|, as whole numbers, tells v outside: see allWithinGo.

#define OUTSIDE(off, size, rest) \
	MOVOU off(SI), size; \
	PAND  X7, size; \
	MOVOU X6, rest; \
	PSUBQ size, rest

// func outsideSSE2(u *float64, eights int) uint64
TEXT ·outsideSSE2(SB), NOSPLIT, $0-24
	MOVQ  u+0(FP), SI
	MOVQ  eights+8(FP), CX
	MOVOU one<>(SB), X6
	MOVOU unsigned<>(SB), X7
	PXOR  X4, X4
	PXOR  X5, X5
	TESTQ CX, CX
	JZ    done

eight:
	OUTSIDE(0, X0, X8)
	OUTSIDE(16, X1, X9)
	OUTSIDE(32, X2, X10)
	OUTSIDE(48, X3, X11)
	POR  X9, X8
	POR  X11, X10
	POR  X8, X4
	POR  X10, X5
	ADDQ $64, SI
	DECQ CX
	JNZ  eight

done:
	POR      X5, X4
	MOVMSKPD X4, AX
	MOVQ     AX, ret+16(FP)
	RET

// Two bins from bin 'bin' on: their first slots in a, their second in b.

#define TWO(bin, a, b, c) \
	MOVL   4*bin+0(DX), R8; \
	MOVL   4*bin+4(DX), R9; \
	MOVL   4*bin+0(R14), R10; \
	MOVL   4*bin+4(R14), R11; \
	MOVSD  (SI)(R8*8), a; \
	MOVHPD (SI)(R9*8), a; \
	MOVSD  (SI)(R10*8), b; \
	MOVHPD (SI)(R11*8), b; \
	MOVUPD 8*bin(BX), c; \
	MULPD  c, a; \
	MOVUPD 8*bin(AX), c; \
	MULPD  c, b; \
	ADDPD  b, a; \
	MOVUPD 8*bin(DI), c; \
	ADDPD  c, a; \
	MOVUPD a, 8*bin(DI)

// func gatherSSE2(x, u *float64, from *uint32, weight *float64, k int, nextX, nextU *float64)
TEXT ·gatherSSE2(SB), NOSPLIT, $0-56
	MOVQ x+0(FP), DI
	MOVQ u+8(FP), SI
	MOVQ from+16(FP), DX
	MOVQ weight+24(FP), BX
	MOVQ k+32(FP), CX
	MOVQ nextX+40(FP), R13
	MOVQ nextU+48(FP), R12
	LEAQ (DX)(CX*4), R14
	LEAQ (BX)(CX*8), AX
	SHRQ $2, CX

four:
	PREFETCHT0 (R12)
	TWO(0, X0, X1, X2)
	PREFETCHT0 (R13)
	TWO(2, X3, X4, X5)
	ADDQ $16, DX
	ADDQ $16, R14
	ADDQ $32, BX
	ADDQ $32, AX
	ADDQ $32, DI
	ADDQ $64, R12
	ADDQ $32, R13
	DECQ CX
	JNZ  four
	RET

// func fromBytesSSE2(u *float64, data *byte, fours int)
TEXT ·fromBytesSSE2(SB), NOSPLIT, $0-24
	MOVQ u+0(FP), DI
	MOVQ data+8(FP), SI
	MOVQ fours+16(FP), CX
	PXOR X7, X7

widen:
	MOVL      (SI), X0
	PUNPCKLBW X7, X0
	PUNPCKLWL X7, X0
	CVTPL2PD  X0, X1
	PSHUFD    $0x0E, X0, X0
	CVTPL2PD  X0, X2
	MOVUPD    X1, (DI)
	MOVUPD    X2, 16(DI)
	ADDQ      $4, SI
	ADDQ      $32, DI
	DECQ      CX
	JNZ       widen
	RET
