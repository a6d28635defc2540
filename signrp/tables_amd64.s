#include "textflag.h"

DATA signs<>+0(SB)/8, $0x8000000000000000
DATA signs<>+8(SB)/8, $0x8000000000000000
DATA signs<>+16(SB)/8, $0x8000000000000000
DATA signs<>+24(SB)/8, $0x8000000000000000
GLOBL signs<>(SB), RODATA|NOPTR, $32

// Four entries from off on: second plus −(a+b), a−b, b−a and a+b in Y4 to Y7.

#define ENTRIES(off, second) \
	VADDPD  Y4, second, Y12; \
	VADDPD  Y5, second, Y13; \
	VADDPD  Y6, second, Y14; \
	VADDPD  Y7, second, Y15; \
	VMOVUPD Y12, off(DI); \
	VMOVUPD Y13, (off+32)(DI); \
	VMOVUPD Y14, (off+64)(DI); \
	VMOVUPD Y15, (off+96)(DI)

// func fillFoursAVX2(t *fourTables, a, b, c, d *[64]float64)
TEXT ·fillFoursAVX2(SB), NOSPLIT, $0-40
	MOVQ t+0(FP), DI
	MOVQ a+8(FP), R8
	MOVQ b+16(FP), R9
	MOVQ c+24(FP), R10
	MOVQ d+32(FP), R11
	XORQ SI, SI

group:
	// Four coordinates of four vectors, turned: a coordinate a register.
	VMOVUPD    (R8)(SI*1), Y0
	VMOVUPD    (R9)(SI*1), Y1
	VMOVUPD    (R10)(SI*1), Y2
	VMOVUPD    (R11)(SI*1), Y3
	VUNPCKLPD  Y1, Y0, Y8
	VUNPCKHPD  Y1, Y0, Y9
	VUNPCKLPD  Y3, Y2, Y10
	VUNPCKHPD  Y3, Y2, Y11
	VPERM2F128 $0x20, Y10, Y8, Y0
	VPERM2F128 $0x20, Y11, Y9, Y1
	VPERM2F128 $0x31, Y10, Y8, Y2
	VPERM2F128 $0x31, Y11, Y9, Y3

	VMOVUPD signs<>(SB), Y15
	VADDPD  Y1, Y0, Y7
	VSUBPD  Y1, Y0, Y5
	VXORPD  Y15, Y7, Y4
	VXORPD  Y15, Y5, Y6
	VADDPD  Y3, Y2, Y11
	VSUBPD  Y3, Y2, Y9
	VXORPD  Y15, Y11, Y8
	VXORPD  Y15, Y9, Y10
	ENTRIES(0, Y8)
	ENTRIES(128, Y9)
	ENTRIES(256, Y10)
	ENTRIES(384, Y11)
	ADDQ $512, DI
	ADDQ $32, SI
	CMPQ SI, $512
	JLT  group
	VZEROUPPER
	RET

// The sum of the eight coordinates whose signs are byte n of AX.

#define EIGHT(n, sum) \
	RORXQ   $((8*(n)+59)&63), AX, R9; \
	RORXQ   $((8*(n)+63)&63), AX, R10; \
	ANDL    $0x1e0, R9; \
	ANDL    $0x1e0, R10; \
	VMOVUPD (1024*(n))(R8)(R9*1), sum; \
	VADDPD  (1024*(n)+512)(R8)(R10*1), sum, sum

#define HALF(n) \
	EIGHT(n, Y0); \
	EIGHT(n+1, Y1); \
	EIGHT(n+2, Y2); \
	EIGHT(n+3, Y3); \
	VADDPD Y1, Y0, Y0; \
	VADDPD Y3, Y2, Y2; \
	VADDPD Y2, Y0, Y0; \
	VADDPD Y0, Y4, Y4

// func addFoursAVX2(acc *[4]float64, words *uint64, k int, t *fourTables)
TEXT ·addFoursAVX2(SB), NOSPLIT, $0-32
	MOVQ acc+0(FP), DI
	MOVQ words+8(FP), SI
	MOVQ k+16(FP), DX
	MOVQ t+24(FP), R8

add:
	MOVQ    (SI), AX
	VMOVUPD (DI), Y4
	HALF(0)
	HALF(4)
	VMOVUPD Y4, (DI)
	ADDQ    $8, SI
	ADDQ    $32, DI
	DECQ    DX
	JNZ     add
	VZEROUPPER
	RET

// func fillBytesAVX2(t *byteTables, columns *[64][16]uint16)
TEXT ·fillBytesAVX2(SB), NOSPLIT, $0-16
	MOVQ  t+0(FP), DI
	MOVQ  columns+8(FP), SI
	MOVQ  $16, CX
	VPXOR Y0, Y0, Y0

bytes:
	VMOVDQU (SI), Y1
	VMOVDQU 32(SI), Y2
	VMOVDQU 64(SI), Y4
	VMOVDQU 96(SI), Y8
	VPADDW  Y1, Y2, Y3
	VPADDW  Y1, Y4, Y5
	VPADDW  Y2, Y4, Y6
	VPADDW  Y3, Y4, Y7
	VMOVDQU Y0, (DI)
	VMOVDQU Y1, 32(DI)
	VMOVDQU Y2, 64(DI)
	VMOVDQU Y3, 96(DI)
	VMOVDQU Y4, 128(DI)
	VMOVDQU Y5, 160(DI)
	VMOVDQU Y6, 192(DI)
	VMOVDQU Y7, 224(DI)
	VPADDW  Y8, Y1, Y1
	VPADDW  Y8, Y2, Y2
	VPADDW  Y8, Y3, Y3
	VPADDW  Y8, Y4, Y4
	VPADDW  Y8, Y5, Y5
	VPADDW  Y8, Y6, Y6
	VPADDW  Y8, Y7, Y7
	VMOVDQU Y8, 256(DI)
	VMOVDQU Y1, 288(DI)
	VMOVDQU Y2, 320(DI)
	VMOVDQU Y3, 352(DI)
	VMOVDQU Y4, 384(DI)
	VMOVDQU Y5, 416(DI)
	VMOVDQU Y6, 448(DI)
	VMOVDQU Y7, 480(DI)
	ADDQ    $128, SI
	ADDQ    $512, DI
	DECQ    CX
	JNZ     bytes
	VZEROUPPER
	RET

// The eight coordinates whose bits are byte n of AX, added to two sums.

#define TWOGROUPS(n, low, high) \
	RORXQ  $((8*(n)+59)&63), AX, R9; \
	RORXQ  $((8*(n)+63)&63), AX, R10; \
	ANDL   $0x1e0, R9; \
	ANDL   $0x1e0, R10; \
	VPADDW (1024*(n))(R8)(R9*1), low, low; \
	VPADDW (1024*(n)+512)(R8)(R10*1), high, high

// func addBytesAVX2(acc *[16]uint16, words *uint64, k int, t *byteTables)
TEXT ·addBytesAVX2(SB), NOSPLIT, $0-32
	MOVQ acc+0(FP), DI
	MOVQ words+8(FP), SI
	MOVQ k+16(FP), DX
	MOVQ t+24(FP), R8

word:
	MOVQ    (SI), AX
	VMOVDQU (DI), Y0
	VPXOR   Y1, Y1, Y1
	TWOGROUPS(0, Y0, Y1)
	TWOGROUPS(1, Y0, Y1)
	TWOGROUPS(2, Y0, Y1)
	TWOGROUPS(3, Y0, Y1)
	TWOGROUPS(4, Y0, Y1)
	TWOGROUPS(5, Y0, Y1)
	TWOGROUPS(6, Y0, Y1)
	TWOGROUPS(7, Y0, Y1)
	VPADDW  Y1, Y0, Y0
	VMOVDQU Y0, (DI)
	ADDQ    $8, SI
	ADDQ    $32, DI
	DECQ    DX
	JNZ     word
	VZEROUPPER
	RET

// func widenAVX2(wide *[16]int32, acc *[16]uint16, k int)
TEXT ·widenAVX2(SB), NOSPLIT, $0-24
	MOVQ  wide+0(FP), DI
	MOVQ  acc+8(FP), SI
	MOVQ  k+16(FP), CX
	VPXOR Y2, Y2, Y2

wider:
	VPMOVZXWD (SI), Y0
	VPMOVZXWD 16(SI), Y1
	VMOVDQU   Y2, (SI)
	VPADDD    (DI), Y0, Y0
	VPADDD    32(DI), Y1, Y1
	VMOVDQU   Y0, (DI)
	VMOVDQU   Y1, 32(DI)
	ADDQ      $32, SI
	ADDQ      $64, DI
	DECQ      CX
	JNZ       wider
	VZEROUPPER
	RET
