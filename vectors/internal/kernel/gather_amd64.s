//go:build amd64 && !noasm

#include "textflag.h"
#include "gather_amd64.h"

// I8 multiplies the 32 codes of a row at p with the query as dot_amd64.s does, and adds to acc.
#define I8(p, t, acc) \
	VMOVDQU    (p)(AX*1), t; \
	VPSIGNB    Y8, t, t; \
	VPMADDUBSW t, Y9, t; \
	VPMADDWD   Y15, t, t; \
	VPADDD     t, acc, acc

// func dotI8AVX2(query []int8, rows Rows, ids []uint32, out []int32)
TEXT ·dotI8AVX2(SB), NOSPLIT, $0-104
	MOVQ     query_base+0(FP), SI
	MOVQ     query_len+8(FP), CX
	MOVQ     rows_Chunks_base+24(FP), R11
	MOVQ     rows_Stride+48(FP), R12
	MOVQ     ids_base+56(FP), R13
	MOVQ     ids_len+64(FP), BX
	MOVQ     out_base+80(FP), DX
	MOVQ     BX, R15
	VPCMPEQW Y15, Y15, Y15
	VPSRLW   $15, Y15, Y15

next:
	CMPQ  BX, $4
	JGE   four
	TESTQ BX, BX
	JEQ   done
	REWIND(one)

four:
	FOUR_ROWS
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	XORQ  AX, AX

fourStep:
	VMOVDQU (SI)(AX*1), Y8
	VPABSB  Y8, Y9
	I8(DI, Y4, Y0)
	I8(R8, Y5, Y1)
	I8(R9, Y6, Y2)
	I8(R10, Y7, Y3)
	ADDQ    $32, AX
	CMPQ    AX, CX
	JLT     fourStep

	INTS
	VMOVDQU X0, (DX)
	ADDQ    $16, R13
	ADDQ    $16, DX
	SUBQ    $4, BX
	JMP     next

one:
	ROW(0, DI)
	VPXOR Y0, Y0, Y0
	XORQ  AX, AX

oneStep:
	VMOVDQU (SI)(AX*1), Y8
	VPABSB  Y8, Y9
	I8(DI, Y4, Y0)
	ADDQ    $32, AX
	CMPQ    AX, CX
	JLT     oneStep

	INT
	VMOVD X0, (DX)
	ADDQ  $4, R13
	ADDQ  $4, DX
	DECQ  BX
	JNE   one

done:
	VZEROUPPER
	RET

// U4 multiplies the 64 codes of a row at p with the query (Y8 and Y9) and adds to acc: unsigned code times signed
// query; the largest 16-bit sum of four products is 4*15*127 = 7,620. Y14 masks low halves.
#define U4(p, t, u, acc) \
	VMOVDQU    (p)(AX*1), t; \
	VPSRLW     $4, t, u; \
	VPAND      Y14, t, t; \
	VPAND      Y14, u, u; \
	VPMADDUBSW Y8, t, t; \
	VPMADDUBSW Y9, u, u; \
	VPADDW     t, u, u; \
	VPMADDWD   Y15, u, u; \
	VPADDD     u, acc, acc

// func dotU4AVX2(query []int8, bias int32, rows Rows, ids []uint32, out []int32)
TEXT ·dotU4AVX2(SB), NOSPLIT, $0-112
	MOVQ         query_base+0(FP), SI
	MOVQ         query_len+8(FP), CX
	MOVL         bias+24(FP), AX
	VMOVD        AX, X13
	VPBROADCASTD X13, X13
	MOVQ         rows_Chunks_base+32(FP), R11
	MOVQ         rows_Stride+56(FP), R12
	MOVQ         ids_base+64(FP), R13
	MOVQ         ids_len+72(FP), BX
	MOVQ         out_base+88(FP), DX
	MOVQ         BX, R15
	SHRQ         $1, CX
	VPCMPEQW     Y15, Y15, Y15
	VPSRLW       $15, Y15, Y15
	VPCMPEQW     Y14, Y14, Y14
	VPSRLW       $12, Y14, Y14
	VPACKUSWB    Y14, Y14, Y14

next:
	CMPQ  BX, $4
	JGE   four
	TESTQ BX, BX
	JEQ   done
	REWIND(one)

four:
	FOUR_ROWS
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	XORQ  AX, AX

fourStep:
	VMOVDQU (SI)(AX*2), Y8
	VMOVDQU 32(SI)(AX*2), Y9
	U4(DI, Y4, Y5, Y0)
	U4(R8, Y6, Y7, Y1)
	U4(R9, Y10, Y11, Y2)
	U4(R10, Y4, Y5, Y3)
	ADDQ    $32, AX
	CMPQ    AX, CX
	JLT     fourStep

	INTS
	VPSUBD  X13, X0, X0
	VMOVDQU X0, (DX)
	ADDQ    $16, R13
	ADDQ    $16, DX
	SUBQ    $4, BX
	JMP     next

one:
	ROW(0, DI)
	VPXOR Y0, Y0, Y0
	XORQ  AX, AX

oneStep:
	VMOVDQU (SI)(AX*2), Y8
	VMOVDQU 32(SI)(AX*2), Y9
	U4(DI, Y4, Y5, Y0)
	ADDQ    $32, AX
	CMPQ    AX, CX
	JLT     oneStep

	INT
	VPSUBD X13, X0, X0
	VMOVD  X0, (DX)
	ADDQ   $4, R13
	ADDQ   $4, DX
	DECQ   BX
	JNE    one

done:
	VZEROUPPER
	RET
