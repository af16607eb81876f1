//go:build amd64 && !noasm

#include "textflag.h"

// One step multiplies 32 codes of the query (Y8, absolute values in Y9) with 32 of a row: the row takes the query's
// signs, unsigned times signed gives 16 sums of two products (at most 2*127*127 = 32,258, no saturation), and those
// become 8 sums of 32 bits. Y15 holds ones.

// func dotRowsAVX2(query, rows *int8, out *int32, stride, n int)
TEXT ·dotRowsAVX2(SB), NOSPLIT, $0-40
	MOVQ query+0(FP), SI
	MOVQ rows+8(FP), DI
	MOVQ out+16(FP), DX
	MOVQ stride+24(FP), CX
	MOVQ n+32(FP), BX

	VPCMPEQW Y15, Y15, Y15
	VPSRLW   $15, Y15, Y15

four:
	CMPQ BX, $4
	JLT  one

	// Rows at DI, R8, R9, R10.
	LEAQ  (DI)(CX*1), R8
	LEAQ  (R8)(CX*1), R9
	LEAQ  (R9)(CX*1), R10
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	XORQ  AX, AX

fourStep:
	VMOVDQU    (SI)(AX*1), Y8
	VPABSB     Y8, Y9
	VMOVDQU    (DI)(AX*1), Y4
	VMOVDQU    (R8)(AX*1), Y5
	VMOVDQU    (R9)(AX*1), Y6
	VMOVDQU    (R10)(AX*1), Y7
	VPSIGNB    Y8, Y4, Y4
	VPSIGNB    Y8, Y5, Y5
	VPSIGNB    Y8, Y6, Y6
	VPSIGNB    Y8, Y7, Y7
	VPMADDUBSW Y4, Y9, Y4
	VPMADDUBSW Y5, Y9, Y5
	VPMADDUBSW Y6, Y9, Y6
	VPMADDUBSW Y7, Y9, Y7
	VPMADDWD   Y15, Y4, Y4
	VPMADDWD   Y15, Y5, Y5
	VPMADDWD   Y15, Y6, Y6
	VPMADDWD   Y15, Y7, Y7
	VPADDD     Y4, Y0, Y0
	VPADDD     Y5, Y1, Y1
	VPADDD     Y6, Y2, Y2
	VPADDD     Y7, Y3, Y3
	ADDQ       $32, AX
	CMPQ       AX, CX
	JLT        fourStep

	// Eight lanes of four rows to four sums.
	VPHADDD      Y1, Y0, Y0
	VPHADDD      Y3, Y2, Y2
	VPHADDD      Y2, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDD       X1, X0, X0
	VMOVDQU      X0, (DX)
	LEAQ         (R10)(CX*1), DI
	ADDQ         $16, DX
	SUBQ         $4, BX
	JMP          four

one:
	TESTQ BX, BX
	JEQ   done
	VPXOR Y0, Y0, Y0
	XORQ  AX, AX

oneStep:
	VMOVDQU    (SI)(AX*1), Y8
	VPABSB     Y8, Y9
	VMOVDQU    (DI)(AX*1), Y4
	VPSIGNB    Y8, Y4, Y4
	VPMADDUBSW Y4, Y9, Y4
	VPMADDWD   Y15, Y4, Y4
	VPADDD     Y4, Y0, Y0
	ADDQ       $32, AX
	CMPQ       AX, CX
	JLT        oneStep

	VEXTRACTI128 $1, Y0, X1
	VPADDD       X1, X0, X0
	VPHADDD      X0, X0, X0
	VPHADDD      X0, X0, X0
	VMOVD        X0, (DX)
	ADDQ         CX, DI
	ADDQ         $4, DX
	DECQ         BX
	JMP          one

done:
	VZEROUPPER
	RET
