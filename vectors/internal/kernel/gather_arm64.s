//go:build arm64 && !noasm

#include "textflag.h"
#include "gather_arm64.h"

// I8_LONG adds 32 products of V16, V17 and a row to acc. The largest 16-bit sum of two products is 2*127*127 = 32,258.
#define I8_LONG(p, acc) \
	VLD1.P 32(p), [V20.B16, V21.B16]; \
	SMULL(16, 20, 22); \
	SMULL(17, 21, 23); \
	SMLAL2(16, 20, 22); \
	SMLAL2(17, 21, 23); \
	SADALP(22, acc); \
	SADALP(23, acc)

// func dotI8NEON(query []int8, rows Rows, ids []uint32, out []int32)
TEXT ·dotI8NEON(SB), NOSPLIT, $0-104
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
	CLEAR_FOUR
	MOVD R0, R8
	MOVD R1, R9

fourStep:
	VLD1.P 32(R8), [V16.B16, V17.B16]
	I8_LONG(R10, 0)
	I8_LONG(R11, 1)
	I8_LONG(R12, 2)
	I8_LONG(R13, 3)
	SUBS   $32, R9
	BNE    fourStep

	INTS
	VST1 [V0.S4], (R6)
	STEP(4)
	B    next

one:
	ROW(0, R10)
	VEOR V0.B16, V0.B16, V0.B16
	MOVD R0, R8
	MOVD R1, R9

oneStep:
	VLD1.P 32(R8), [V16.B16, V17.B16]
	I8_LONG(R10, 0)
	SUBS   $32, R9
	BNE    oneStep

	VADDV V0.S4, V0
	FMOVS F0, (R6)
	STEP(1)
	CBNZ  R5, one

done:
	RET

// I8_DOT is I8_LONG in one instruction for 16 codes.
#define I8_DOT(p, acc) \
	VLD1.P 32(p), [V20.B16, V21.B16]; \
	SDOT(16, 20, acc); \
	SDOT(17, 21, acc)

// func dotI8SDOT(query []int8, rows Rows, ids []uint32, out []int32)
TEXT ·dotI8SDOT(SB), NOSPLIT, $0-104
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
	CLEAR_FOUR
	MOVD R0, R8
	MOVD R1, R9

fourStep:
	VLD1.P 32(R8), [V16.B16, V17.B16]
	I8_DOT(R10, 0)
	I8_DOT(R11, 1)
	I8_DOT(R12, 2)
	I8_DOT(R13, 3)
	SUBS   $32, R9
	BNE    fourStep

	INTS
	VST1 [V0.S4], (R6)
	STEP(4)
	B    next

one:
	ROW(0, R10)
	VEOR V0.B16, V0.B16, V0.B16
	MOVD R0, R8
	MOVD R1, R9

oneStep:
	VLD1.P 32(R8), [V16.B16, V17.B16]
	I8_DOT(R10, 0)
	SUBS   $32, R9
	BNE    oneStep

	VADDV V0.S4, V0
	FMOVS F0, (R6)
	STEP(1)
	CBNZ  R5, one

done:
	RET

// V30 masks low halves, V31 holds the bias.

// U4_CODES loads 64 codes of a row to V20, V21 (low halves) and V22, V23 (high halves).
#define U4_CODES(p) \
	VLD1.P 32(p), [V20.B16, V21.B16]; \
	VUSHR  $4, V20.B16, V22.B16; \
	VUSHR  $4, V21.B16, V23.B16; \
	VAND   V30.B16, V20.B16, V20.B16; \
	VAND   V30.B16, V21.B16, V21.B16

// U4_LONG adds 64 products of V16 to V19 and a row to acc. The largest 16-bit sum of eight is 8*15*127 = 15,240.
#define U4_LONG(p, acc) \
	U4_CODES(p); \
	SMULL(16, 20, 24); \
	SMLAL2(16, 20, 24); \
	SMLAL(17, 21, 24); \
	SMLAL2(17, 21, 24); \
	SMLAL(18, 22, 24); \
	SMLAL2(18, 22, 24); \
	SMLAL(19, 23, 24); \
	SMLAL2(19, 23, 24); \
	SADALP(24, acc)

// func dotU4NEON(query []int8, bias int32, rows Rows, ids []uint32, out []int32)
TEXT ·dotU4NEON(SB), NOSPLIT, $0-112
	MOVD query_base+0(FP), R0
	MOVD query_len+8(FP), R1
	MOVW bias+24(FP), R14
	MOVD rows_Chunks_base+32(FP), R2
	MOVD rows_Stride+56(FP), R3
	MOVD ids_base+64(FP), R4
	MOVD ids_len+72(FP), R5
	MOVD out_base+88(FP), R6
	MOVD R5, R7
	VDUP R14, V31.S4
	MOVD $15, R14
	VDUP R14, V30.B16

next:
	NEXT(four, one, done)

four:
	FOUR_ROWS
	CLEAR_FOUR
	MOVD R0, R8
	MOVD R1, R9

fourStep:
	VLD1.P 64(R8), [V16.B16, V17.B16, V18.B16, V19.B16]
	U4_LONG(R10, 0)
	U4_LONG(R11, 1)
	U4_LONG(R12, 2)
	U4_LONG(R13, 3)
	SUBS   $64, R9
	BNE    fourStep

	INTS
	VSUB V31.S4, V0.S4, V0.S4
	VST1 [V0.S4], (R6)
	STEP(4)
	B    next

one:
	ROW(0, R10)
	VEOR V0.B16, V0.B16, V0.B16
	MOVD R0, R8
	MOVD R1, R9

oneStep:
	VLD1.P 64(R8), [V16.B16, V17.B16, V18.B16, V19.B16]
	U4_LONG(R10, 0)
	SUBS   $64, R9
	BNE    oneStep

	VADDV V0.S4, V0
	VSUB  V31.S4, V0.S4, V0.S4
	FMOVS F0, (R6)
	STEP(1)
	CBNZ  R5, one

done:
	RET

// U4_DOT is U4_LONG in one instruction for 16 codes.
#define U4_DOT(p, acc) \
	U4_CODES(p); \
	SDOT(16, 20, acc); \
	SDOT(17, 21, acc); \
	SDOT(18, 22, acc); \
	SDOT(19, 23, acc)

// func dotU4SDOT(query []int8, bias int32, rows Rows, ids []uint32, out []int32)
TEXT ·dotU4SDOT(SB), NOSPLIT, $0-112
	MOVD query_base+0(FP), R0
	MOVD query_len+8(FP), R1
	MOVW bias+24(FP), R14
	MOVD rows_Chunks_base+32(FP), R2
	MOVD rows_Stride+56(FP), R3
	MOVD ids_base+64(FP), R4
	MOVD ids_len+72(FP), R5
	MOVD out_base+88(FP), R6
	MOVD R5, R7
	VDUP R14, V31.S4
	MOVD $15, R14
	VDUP R14, V30.B16

next:
	NEXT(four, one, done)

four:
	FOUR_ROWS
	CLEAR_FOUR
	MOVD R0, R8
	MOVD R1, R9

fourStep:
	VLD1.P 64(R8), [V16.B16, V17.B16, V18.B16, V19.B16]
	U4_DOT(R10, 0)
	U4_DOT(R11, 1)
	U4_DOT(R12, 2)
	U4_DOT(R13, 3)
	SUBS   $64, R9
	BNE    fourStep

	INTS
	VSUB V31.S4, V0.S4, V0.S4
	VST1 [V0.S4], (R6)
	STEP(4)
	B    next

one:
	ROW(0, R10)
	VEOR V0.B16, V0.B16, V0.B16
	MOVD R0, R8
	MOVD R1, R9

oneStep:
	VLD1.P 64(R8), [V16.B16, V17.B16, V18.B16, V19.B16]
	U4_DOT(R10, 0)
	SUBS   $64, R9
	BNE    oneStep

	VADDV V0.S4, V0
	VSUB  V31.S4, V0.S4, V0.S4
	FMOVS F0, (R6)
	STEP(1)
	CBNZ  R5, one

done:
	RET
