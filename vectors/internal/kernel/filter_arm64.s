//go:build arm64 && !noasm

#include "textflag.h"
#include "go_asm.h"

// FETCH asks for the lines of the rows whose ids lie at R4, R5 of them (at least one): R2 chunk table, R3 stride, of
// which the first fetchBytes count. Lines are taken as 64 bytes; where they are longer, some are asked for twice.
#define FETCH(row, line) \
	MOVD    $const_fetchBytes, R12; \
	CMP     R12, R3; \
	CSEL    LO, R3, R12, R12; \
row: \
	MOVWU.P 4(R4), R14; \
	LSR     $16, R14, R15; \
	AND     $0xffff, R14, R14; \
	MOVD    (R2)(R15<<3), R15; \
	MADD    R3, R15, R14, R10; \
	ADD     R12, R10, R11; \
	AND     $~63, R10, R10; \
line: \
	PRFM    (R10), PLDL1KEEP; \
	ADD     $64, R10; \
	CMP     R11, R10; \
	BLO     line; \
	SUBS    $1, R5; \
	BNE     row

// As on amd64: no branch on the outcome, then the prefetch.
//
// func filterPrefetchARM64(links []uint32, visited []uint8, epoch uint8, rows Rows, out []uint32) int
TEXT ·filterPrefetchARM64(SB), NOSPLIT, $0-120
	MOVD  links_base+0(FP), R0
	MOVD  links_len+8(FP), R1
	MOVD  visited_base+24(FP), R6
	MOVD  visited_len+32(FP), R7
	MOVBU epoch+48(FP), R8
	MOVD  out_base+88(FP), R4
	MOVD  R4, R9
	ADD   R1<<2, R0, R1
	MOVD  $0xFFFFFFFF, R12

test:
	MOVWU.P 4(R0), R14
	CMP     R12, R14
	BEQ     tested
	CMP     R7, R14
	BHS     skip          // a link to a node that is younger than the search: rare
	MOVW    R14, (R9)
	MOVBU   (R6)(R14), R15
	MOVB    R8, (R6)(R14)
	CMP     R8, R15
	CSET    NE, R15
	ADD     R15<<2, R9, R9

skip:
	CMP R1, R0
	BLO test

tested:
	SUB  R4, R9, R5
	LSR  $2, R5, R5
	MOVD R5, ret+112(FP)
	CBZ  R5, done
	MOVD rows_Chunks_base+56(FP), R2
	MOVD rows_Stride+80(FP), R3
	FETCH(row, line)

done:
	RET

// func prefetchARM64(rows Rows, ids []uint32)
TEXT ·prefetchARM64(SB), NOSPLIT, $0-56
	MOVD rows_Chunks_base+0(FP), R2
	MOVD rows_Stride+24(FP), R3
	MOVD ids_base+32(FP), R4
	MOVD ids_len+40(FP), R5
	FETCH(row, line)
	RET
