#include "textflag.h"

DATA one<>+0(SB)/8, $0x3FF0000000000000
GLOBL one<>(SB), RODATA|NOPTR, $8
DATA unsigned<>+0(SB)/8, $0x7FFFFFFFFFFFFFFF
GLOBL unsigned<>(SB), RODATA|NOPTR, $8

// The top bit of 1 − |v|, as whole numbers, tells v outside: see allWithinGo.

#define OUTSIDE(off, size, rest) \
	VPAND  off(SI), Y7, size; \
	VPSUBQ size, Y6, rest

// func outsideAVX2(u *float64, sixteens int) uint64
TEXT ·outsideAVX2(SB), NOSPLIT, $0-24
	MOVQ         u+0(FP), SI
	MOVQ         sixteens+8(FP), CX
	VPBROADCASTQ one<>(SB), Y6
	VPBROADCASTQ unsigned<>(SB), Y7
	VPXOR        Y4, Y4, Y4
	VPXOR        Y5, Y5, Y5
	TESTQ        CX, CX
	JZ           done

sixteen:
	OUTSIDE(0, Y0, Y8)
	OUTSIDE(32, Y1, Y9)
	OUTSIDE(64, Y2, Y10)
	OUTSIDE(96, Y3, Y11)
	VPOR Y9, Y8, Y8
	VPOR Y11, Y10, Y10
	VPOR Y8, Y4, Y4
	VPOR Y10, Y5, Y5
	ADDQ $128, SI
	DECQ CX
	JNZ  sixteen

done:
	VPOR      Y5, Y4, Y4
	VMOVMSKPD Y4, AX
	MOVQ      AX, ret+16(FP)
	VZEROUPPER
	RET

// One slot of four bins, weighed; low is the lower half of sums.

#define FOUR(from, weight, low, high, sums) \
	MOVQ        (from), R8; \
	MOVQ        8(from), R10; \
	MOVL        R8, R9; \
	MOVL        R10, R11; \
	SHRQ        $32, R8; \
	SHRQ        $32, R10; \
	VMOVSD      (SI)(R9*8), low; \
	VMOVSD      (SI)(R11*8), high; \
	VMOVHPD     (SI)(R8*8), low, low; \
	VMOVHPD     (SI)(R10*8), high, high; \
	VINSERTF128 $1, high, sums, sums; \
	VMULPD      (weight), sums, sums

// The second slots of k bins lie behind their first, four bins a turn.

#define BOTH \
	LEAQ (DX)(CX*4), R14; \
	LEAQ (BX)(CX*8), AX; \
	SHRQ $2, CX

#define NEXT \
	ADDQ $16, DX; \
	ADDQ $16, R14; \
	ADDQ $32, BX; \
	ADDQ $32, AX; \
	ADDQ $32, DI; \
	ADDQ $64, R12

// func gatherAVX2(x, u *float64, from *uint32, weight *float64, k int, nextX, nextU *float64)
TEXT ·gatherAVX2(SB), NOSPLIT, $0-56
	MOVQ x+0(FP), DI
	MOVQ u+8(FP), SI
	MOVQ from+16(FP), DX
	MOVQ weight+24(FP), BX
	MOVQ k+32(FP), CX
	MOVQ nextX+40(FP), R13
	MOVQ nextU+48(FP), R12
	BOTH

four:
	PREFETCHT0 (R12)
	FOUR(DX, BX, X0, X1, Y0)
	PREFETCHT0 (R13)
	FOUR(R14, AX, X2, X3, Y2)
	VADDPD  Y2, Y0, Y0
	VADDPD  (DI), Y0, Y0
	VMOVUPD Y0, (DI)
	NEXT
	ADDQ    $32, R13
	DECQ    CX
	JNZ     four
	VZEROUPPER
	RET

// func streamAVX2(x, u *float64, from *uint32, weight *float64, k int, nextU *float64)
TEXT ·streamAVX2(SB), NOSPLIT, $0-48
	MOVQ   x+0(FP), DI
	MOVQ   u+8(FP), SI
	MOVQ   from+16(FP), DX
	MOVQ   weight+24(FP), BX
	MOVQ   k+32(FP), CX
	MOVQ   nextU+40(FP), R12
	BOTH
	VXORPD Y4, Y4, Y4

fourStreamed:
	PREFETCHT0 (R12)
	FOUR(DX, BX, X0, X1, Y0)
	FOUR(R14, AX, X2, X3, Y2)
	VADDPD   Y2, Y0, Y0
	VADDPD   Y4, Y0, Y0
	VMOVNTPD Y0, (DI)
	NEXT
	DECQ     CX
	JNZ      fourStreamed
	SFENCE
	VZEROUPPER
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
