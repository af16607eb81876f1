//go:build arm64 && !noasm

#include "textflag.h"
#include "gather_arm64.h"

// Lanes 0 to 3 of rows 0 to 3 are V0 to V3, lanes 4 to 7 are V4 to V7.
#define CLEAR_LANES \
	CLEAR_FOUR; \
	VEOR V4.B16, V4.B16, V4.B16; \
	VEOR V5.B16, V5.B16, V5.B16; \
	VEOR V6.B16, V6.B16, V6.B16; \
	VEOR V7.B16, V7.B16, V7.B16

// SUM adds eight lanes (v and high, numbered n and h) in the order of sumLanes and stores the sum.
#define SUM(v, n, h, f, to) \
	FADD4(h, n, n); \
	VEXT  $8, v.B16, v.B16, V28.B16; \
	FADD4(28, n, n); \
	FADDP2(n, n); \
	FMOVS f, to

// EIGHT adds eight products of q0, q1 and r0, r1 to the lanes: two roundings, not one.
#define EIGHT(q0, q1, r0, r1, low, high) \
	FMUL4(q0, r0, r0); \
	FMUL4(q1, r1, r1); \
	FADD4(r0, low, low); \
	FADD4(r1, high, high)

#define F32_STEP(p, low, high) \
	VLD1.P 32(p), [V20.S4, V21.S4]; \
	EIGHT(16, 17, 20, 21, low, high)

// func dotF32NEON(query []float32, rows Rows, ids []uint32, out []float32)
TEXT ·dotF32NEON(SB), NOSPLIT, $0-104
	MOVD query_base+0(FP), R0
	MOVD query_len+8(FP), R1
	MOVD rows_Chunks_base+24(FP), R2
	MOVD rows_Stride+48(FP), R3
	MOVD ids_base+56(FP), R4
	MOVD ids_len+64(FP), R5
	MOVD out_base+80(FP), R6
	MOVD R5, R7

next:
	NEXT(four, one, done)

four:
	FOUR_ROWS
	CLEAR_LANES
	MOVD R0, R8
	MOVD R1, R9

fourStep:
	VLD1.P 32(R8), [V16.S4, V17.S4]
	F32_STEP(R10, 0, 4)
	F32_STEP(R11, 1, 5)
	F32_STEP(R12, 2, 6)
	F32_STEP(R13, 3, 7)
	SUBS   $8, R9
	BNE    fourStep

	SUM(V0, 0, 4, F0, 0(R6))
	SUM(V1, 1, 5, F1, 4(R6))
	SUM(V2, 2, 6, F2, 8(R6))
	SUM(V3, 3, 7, F3, 12(R6))
	STEP(4)
	B next

one:
	ROW(0, R10)
	CLEAR_LANES
	MOVD R0, R8
	MOVD R1, R9

oneStep:
	VLD1.P 32(R8), [V16.S4, V17.S4]
	F32_STEP(R10, 0, 4)
	SUBS   $8, R9
	BNE    oneStep

	SUM(V0, 0, 4, F0, 0(R6))
	STEP(1)
	CBNZ R5, one

done:
	RET

#define F16_STEP(p, low, high) \
	VLD1.P 32(p), [V24.H8, V25.H8]; \
	FCVTL(24, 20); \
	FCVTL2(24, 21); \
	FCVTL(25, 22); \
	FCVTL2(25, 23); \
	EIGHT(16, 17, 20, 21, low, high); \
	EIGHT(18, 19, 22, 23, low, high)

// func dotF16NEON(query []float32, rows Rows, ids []uint32, out []float32)
TEXT ·dotF16NEON(SB), NOSPLIT, $0-104
	MOVD query_base+0(FP), R0
	MOVD query_len+8(FP), R1
	MOVD rows_Chunks_base+24(FP), R2
	MOVD rows_Stride+48(FP), R3
	MOVD ids_base+56(FP), R4
	MOVD ids_len+64(FP), R5
	MOVD out_base+80(FP), R6
	MOVD R5, R7

next:
	NEXT(four, one, done)

four:
	FOUR_ROWS
	CLEAR_LANES
	MOVD R0, R8
	MOVD R1, R9

fourStep:
	VLD1.P 64(R8), [V16.S4, V17.S4, V18.S4, V19.S4]
	F16_STEP(R10, 0, 4)
	F16_STEP(R11, 1, 5)
	F16_STEP(R12, 2, 6)
	F16_STEP(R13, 3, 7)
	SUBS   $16, R9
	BNE    fourStep

	SUM(V0, 0, 4, F0, 0(R6))
	SUM(V1, 1, 5, F1, 4(R6))
	SUM(V2, 2, 6, F2, 8(R6))
	SUM(V3, 3, 7, F3, 12(R6))
	STEP(4)
	B next

one:
	ROW(0, R10)
	CLEAR_LANES
	MOVD R0, R8
	MOVD R1, R9

oneStep:
	VLD1.P 64(R8), [V16.S4, V17.S4, V18.S4, V19.S4]
	F16_STEP(R10, 0, 4)
	SUBS   $16, R9
	BNE    oneStep

	SUM(V0, 0, 4, F0, 0(R6))
	STEP(1)
	CBNZ R5, one

done:
	RET
