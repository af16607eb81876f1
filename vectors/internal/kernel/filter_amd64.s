//go:build amd64 && !noasm

#include "textflag.h"
#include "go_asm.h"

// FETCH asks for the lines of the rows whose ids lie at R13, BX of them (at least one): R11 chunk table, R12 stride, of
// which the first fetchBytes count. Lines start at multiples of 64, whatever the row does. It uses AX, DI, R8 and R9.
#define FETCH(row, line) \
	MOVQ       $const_fetchBytes, R9; \
	CMPQ       R12, R9; \
	CMOVQCS    R12, R9; \
row: \
	MOVL       (R13), AX; \
	MOVWLZX    AX, DI; \
	SHRL       $16, AX; \
	IMULQ      R12, DI; \
	ADDQ       (R11)(AX*8), DI; \
	LEAQ       (DI)(R9*1), R8; \
	ANDQ       $-64, DI; \
line: \
	PREFETCHT0 (DI); \
	ADDQ       $64, DI; \
	CMPQ       DI, R8; \
	JLO        line; \
	ADDQ       $4, R13; \
	DECQ       BX; \
	JNE        row

// First all links are tested without a branch on the outcome, which no predictor can guess: every id is stored, and the
// place in out moves on if it was new. Then the lines of the new ones are asked for.
//
// func filterPrefetchAMD64(links []uint32, visited []uint8, epoch uint8, rows Rows, out []uint32) int
TEXT ·filterPrefetchAMD64(SB), NOSPLIT, $0-120
	MOVQ    links_base+0(FP), SI
	MOVQ    links_len+8(FP), CX
	MOVQ    visited_base+24(FP), DI
	MOVQ    visited_len+32(FP), R9
	MOVBLZX epoch+48(FP), R10
	MOVQ    out_base+88(FP), DX
	LEAQ    (SI)(CX*4), CX
	XORQ    BX, BX

test:
	MOVL  (SI), AX
	CMPL  AX, $-1
	JEQ   tested
	CMPQ  AX, R9
	JHS   skip          // a link to a node that is younger than the search: rare
	MOVL  AX, (DX)(BX*4)
	XORL  R8, R8
	CMPB  R10, (DI)(AX*1)
	SETNE R8
	MOVB  R10, (DI)(AX*1)
	ADDQ  R8, BX

skip:
	ADDQ $4, SI
	CMPQ SI, CX
	JLO  test

tested:
	MOVQ  BX, ret+112(FP)
	TESTQ BX, BX
	JEQ   done
	MOVQ  rows_Chunks_base+56(FP), R11
	MOVQ  rows_Stride+80(FP), R12
	MOVQ  DX, R13
	FETCH(row, line)

done:
	RET

// func prefetchAMD64(rows Rows, ids []uint32)
TEXT ·prefetchAMD64(SB), NOSPLIT, $0-56
	MOVQ rows_Chunks_base+0(FP), R11
	MOVQ rows_Stride+24(FP), R12
	MOVQ ids_base+32(FP), R13
	MOVQ ids_len+40(FP), BX
	FETCH(row, line)
	RET
