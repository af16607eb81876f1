//go:build amd64 && !noasm

#include "textflag.h"
#include "gather_amd64.h"

// HALVES multiplies eight halves of a row, at off bytes from its place, with q and adds to acc: two roundings, not one.
#define HALVES(off, p, q, t, acc) \
	VCVTPH2PS off(p)(AX*1), t; \
	VMULPS    q, t, t; \
	VADDPS    t, acc, acc

// func dotF16AVX2(query []float32, rows Rows, ids []uint32, out []float32)
TEXT ·dotF16AVX2(SB), NOSPLIT, $0-104
	MOVQ query_base+0(FP), SI
	MOVQ query_len+8(FP), CX
	MOVQ rows_Chunks_base+24(FP), R11
	MOVQ rows_Stride+48(FP), R12
	MOVQ ids_base+56(FP), R13
	MOVQ ids_len+64(FP), BX
	MOVQ out_base+80(FP), DX
	MOVQ BX, R15
	SHLQ $1, CX

next:
	CMPQ  BX, $4
	JGE   four
	TESTQ BX, BX
	JEQ   done
	REWIND(one)

four:
	FOUR_ROWS
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	XORQ   AX, AX

fourStep:
	VMOVUPS (SI)(AX*2), Y8
	VMOVUPS 32(SI)(AX*2), Y9
	HALVES(0, DI, Y8, Y4, Y0)
	HALVES(0, R8, Y8, Y5, Y1)
	HALVES(0, R9, Y8, Y6, Y2)
	HALVES(0, R10, Y8, Y7, Y3)
	HALVES(16, DI, Y9, Y4, Y0)
	HALVES(16, R8, Y9, Y5, Y1)
	HALVES(16, R9, Y9, Y6, Y2)
	HALVES(16, R10, Y9, Y7, Y3)
	ADDQ    $32, AX
	CMPQ    AX, CX
	JLT     fourStep

	FLOAT(Y0, X0, X4, (DX))
	FLOAT(Y1, X1, X5, 4(DX))
	FLOAT(Y2, X2, X6, 8(DX))
	FLOAT(Y3, X3, X7, 12(DX))
	ADDQ $16, R13
	ADDQ $16, DX
	SUBQ $4, BX
	JMP  next

one:
	ROW(0, DI)
	VXORPS Y0, Y0, Y0
	XORQ   AX, AX

oneStep:
	VMOVUPS (SI)(AX*2), Y8
	VMOVUPS 32(SI)(AX*2), Y9
	HALVES(0, DI, Y8, Y4, Y0)
	HALVES(16, DI, Y9, Y5, Y0)
	ADDQ    $32, AX
	CMPQ    AX, CX
	JLT     oneStep

	FLOAT(Y0, X0, X4, (DX))
	ADDQ $4, R13
	ADDQ $4, DX
	DECQ BX
	JNE  one

done:
	VZEROUPPER
	RET

// FLOATS multiplies eight floats of a row with the query (Y8) and adds to acc.
#define FLOATS(p, t, acc) \
	VMULPS (p)(AX*1), Y8, t; \
	VADDPS t, acc, acc

// func dotF32AVX2(query []float32, rows Rows, ids []uint32, out []float32)
TEXT ·dotF32AVX2(SB), NOSPLIT, $0-104
	MOVQ query_base+0(FP), SI
	MOVQ query_len+8(FP), CX
	MOVQ rows_Chunks_base+24(FP), R11
	MOVQ rows_Stride+48(FP), R12
	MOVQ ids_base+56(FP), R13
	MOVQ ids_len+64(FP), BX
	MOVQ out_base+80(FP), DX
	MOVQ BX, R15
	SHLQ $2, CX

next:
	CMPQ  BX, $4
	JGE   four
	TESTQ BX, BX
	JEQ   done
	REWIND(one)

four:
	FOUR_ROWS
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	XORQ   AX, AX

fourStep:
	VMOVUPS (SI)(AX*1), Y8
	FLOATS(DI, Y4, Y0)
	FLOATS(R8, Y5, Y1)
	FLOATS(R9, Y6, Y2)
	FLOATS(R10, Y7, Y3)
	ADDQ    $32, AX
	CMPQ    AX, CX
	JLT     fourStep

	FLOAT(Y0, X0, X4, (DX))
	FLOAT(Y1, X1, X5, 4(DX))
	FLOAT(Y2, X2, X6, 8(DX))
	FLOAT(Y3, X3, X7, 12(DX))
	ADDQ $16, R13
	ADDQ $16, DX
	SUBQ $4, BX
	JMP  next

one:
	ROW(0, DI)
	VXORPS Y0, Y0, Y0
	XORQ   AX, AX

oneStep:
	VMOVUPS (SI)(AX*1), Y8
	FLOATS(DI, Y4, Y0)
	ADDQ    $32, AX
	CMPQ    AX, CX
	JLT     oneStep

	FLOAT(Y0, X0, X4, (DX))
	ADDQ $4, R13
	ADDQ $4, DX
	DECQ BX
	JNE  one

done:
	VZEROUPPER
	RET
