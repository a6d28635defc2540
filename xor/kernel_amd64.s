#include "textflag.h"

// CLASS leads to the class whose number is in k: where it starts goes to at, as a
// pointer's distance, and its length to CX. The first class starts at 0.

#define CLASS(k, at, first) \
	XORQ  at, at; \
	MOVQ  (R8)(k*8), CX; \
	TESTQ k, k; \
	JZ    first; \
	MOVQ  -8(R8)(k*8), at; \
first: \
	SUBQ  at, CX; \
	SHLQ  $3, at

// Four weights of a class, and one.

#define WEIGH(at, w, sum) \
	VMULPD  (DX)(at*1), Y15, w; \
	VMULPD  (SI)(at*1), w, w; \
	VMOVUPD w, (DI)(at*1); \
	VADDPD  w, sum, sum; \
	ADDQ    $32, at

#define WEIGHONE(at, sum) \
	VMULSD (DX)(at*1), X15, X0; \
	VMULSD (SI)(at*1), X0, X0; \
	VMOVSD X0, (DI)(at*1); \
	VADDSD X0, sum, sum; \
	ADDQ   $8, at

// (a0 + a1) + (a2 + a3), with a0 and a1 in sum, a2 and a3 in top.

#define TOTAL(sum, top, k) \
	VHADDPD   top, sum, sum; \
	VUNPCKHPD sum, sum, top; \
	VADDSD    top, sum, sum; \
	VMOVSD    sum, (R9)(k*8)

// func advanceAVX2(dst, src, ratio *float64, c float64, ends *int, classes int, sums *float64)
TEXT ·advanceAVX2(SB), NOSPLIT, $0-56
	MOVQ         dst+0(FP), DI
	MOVQ         src+8(FP), SI
	MOVQ         ratio+16(FP), DX
	VBROADCASTSD c+24(FP), Y15
	MOVQ         ends+32(FP), R8
	MOVQ         classes+40(FP), R11
	MOVQ         sums+48(FP), R9
	XORQ         R10, R10
	DECQ         R11

two:
	CMPQ R10, R11
	JGE  one
	CLASS(R11, R13, lastfirst)
	CLASS(R10, R12, first)
	VXORPD Y8, Y8, Y8
	VXORPD Y9, Y9, Y9
	SUBQ $4, CX
	JLT  tworest

twofours:
	WEIGH(R12, Y0, Y8)
	WEIGH(R13, Y1, Y9)
	SUBQ $4, CX
	JGE  twofours

tworest:
	VEXTRACTF128 $1, Y8, X10
	VEXTRACTF128 $1, Y9, X11
	ADDQ $4, CX
	JZ   twodone

twoones:
	WEIGHONE(R12, X8)
	WEIGHONE(R13, X9)
	DECQ CX
	JNZ  twoones

twodone:
	TOTAL(X8, X10, R10)
	TOTAL(X9, X11, R11)
	INCQ R10
	DECQ R11
	JMP  two

one:
	JGT  done
	CLASS(R10, R12, middlefirst)
	VXORPD Y8, Y8, Y8
	SUBQ $4, CX
	JLT  onerest

onefours:
	WEIGH(R12, Y0, Y8)
	SUBQ $4, CX
	JGE  onefours

onerest:
	VEXTRACTF128 $1, Y8, X10
	ADDQ $4, CX
	JZ   onedone

oneones:
	WEIGHONE(R12, X8)
	DECQ CX
	JNZ  oneones

onedone:
	TOTAL(X8, X10, R10)

done:
	VZEROUPPER
	RET

// Products of four entries of a class with those of three vectors, added two by two: the
// sums of even and odd places are in a, b and c.

#define DOT(at, a, b, c) \
	VMOVUPD      (SI)(at*1), Y0; \
	VMULPD       (DX)(at*1), Y0, Y1; \
	VMULPD       (DI)(at*1), Y0, Y2; \
	VMULPD       (BX)(at*1), Y0, Y3; \
	VEXTRACTF128 $1, Y1, X4; \
	VEXTRACTF128 $1, Y2, X5; \
	VEXTRACTF128 $1, Y3, X6; \
	VADDPD       X1, a, a; \
	VADDPD       X2, b, b; \
	VADDPD       X3, c, c; \
	VADDPD       X4, a, a; \
	VADDPD       X5, b, b; \
	VADDPD       X6, c, c; \
	ADDQ         $32, at

// Two entries, and one, of which the other place is 0.

#define DOTPART(move, at, a, b, c, bytes) \
	move   (SI)(at*1), X0; \
	move   (DX)(at*1), X1; \
	move   (DI)(at*1), X2; \
	move   (BX)(at*1), X3; \
	VMULPD X0, X1, X1; \
	VMULPD X0, X2, X2; \
	VMULPD X0, X3, X3; \
	VADDPD X1, a, a; \
	VADDPD X2, b, b; \
	VADDPD X3, c, c; \
	ADDQ   $bytes, at

#define BOTH(sum, into, k) \
	VHADDPD sum, sum, sum; \
	VMOVSD  sum, (into)(k*8)

#define NONE(a, b, c) \
	VXORPD a, a, a; \
	VXORPD b, b, b; \
	VXORPD c, c, c

// func dot3AVX2(src, x, y, z *float64, ends *int, classes int, a, b, c *float64)
TEXT ·dot3AVX2(SB), NOSPLIT, $0-72
	MOVQ src+0(FP), SI
	MOVQ x+8(FP), DX
	MOVQ y+16(FP), DI
	MOVQ z+24(FP), BX
	MOVQ ends+32(FP), R8
	MOVQ classes+40(FP), R11
	MOVQ a+48(FP), R9
	MOVQ b+56(FP), AX
	MOVQ c+64(FP), R15
	XORQ R10, R10
	DECQ R11

two:
	CMPQ R10, R11
	JGE  one
	CLASS(R11, R13, lastfirst)
	CLASS(R10, R12, first)
	NONE(X8, X9, X10)
	NONE(X11, X12, X13)
	SUBQ $4, CX
	JLT  tworest

twofours:
	DOT(R12, X8, X9, X10)
	DOT(R13, X11, X12, X13)
	SUBQ $4, CX
	JGE  twofours

tworest:
	BTQ $1, CX
	JCC twolast
	DOTPART(VMOVUPD, R12, X8, X9, X10, 16)
	DOTPART(VMOVUPD, R13, X11, X12, X13, 16)

twolast:
	BTQ $0, CX
	JCC twodone
	DOTPART(VMOVSD, R12, X8, X9, X10, 8)
	DOTPART(VMOVSD, R13, X11, X12, X13, 8)

twodone:
	BOTH(X8, R9, R10)
	BOTH(X9, AX, R10)
	BOTH(X10, R15, R10)
	BOTH(X11, R9, R11)
	BOTH(X12, AX, R11)
	BOTH(X13, R15, R11)
	INCQ R10
	DECQ R11
	JMP  two

one:
	JGT  done
	CLASS(R10, R12, middlefirst)
	NONE(X8, X9, X10)
	SUBQ $4, CX
	JLT  onerest

onefours:
	DOT(R12, X8, X9, X10)
	SUBQ $4, CX
	JGE  onefours

onerest:
	BTQ $1, CX
	JCC onelast
	DOTPART(VMOVUPD, R12, X8, X9, X10, 16)

onelast:
	BTQ $0, CX
	JCC onedone
	DOTPART(VMOVSD, R12, X8, X9, X10, 8)

onedone:
	BOTH(X8, R9, R10)
	BOTH(X9, AX, R10)
	BOTH(X10, R15, R10)

done:
	VZEROUPPER
	RET
