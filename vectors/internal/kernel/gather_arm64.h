// What the gather kernels share. Registers: R0 query, R1 its components, R2 chunk table, R3 stride, R4 next id, R5 rows
// left, R6 next sum, R7 all rows; R8 place in the query, R9 components left, R10 to R13 the places in the rows.

// Instructions that Go's assembler does not know; m, n and d are numbers of registers.
#define SDOT(m, n, d) WORD $(0x4e809400 | m<<16 | n<<5 | d)       // d.4S += four products of n.16B and m.16B
#define SMULL(m, n, d) WORD $(0x0e20c000 | m<<16 | n<<5 | d)      // d.8H = n.8B * m.8B
#define SMLAL(m, n, d) WORD $(0x0e208000 | m<<16 | n<<5 | d)      // d.8H += n.8B * m.8B
#define SMLAL2(m, n, d) WORD $(0x4e208000 | m<<16 | n<<5 | d)     // d.8H += the high halves
#define SADALP(n, d) WORD $(0x4e606800 | n<<5 | d)                // d.4S += pairs of n.8H
#define FMUL4(m, n, d) WORD $(0x6e20dc00 | m<<16 | n<<5 | d)      // d.4S = n.4S * m.4S
#define FADD4(m, n, d) WORD $(0x4e20d400 | m<<16 | n<<5 | d)      // d.4S = n.4S + m.4S
#define FADDP2(n, d) WORD $(0x7e30d800 | n<<5 | d)                // d.S = n.S[0] + n.S[1]
#define FCVTL(n, d) WORD $(0x0e217800 | n<<5 | d)                 // d.4S = the low four halves of n
#define FCVTL2(n, d) WORD $(0x4e217800 | n<<5 | d)                // d.4S = the high four halves of n

// ROW sets reg to the address of the row whose id lies at off bytes from R4.
#define ROW(off, reg) \
	MOVWU off(R4), R14; \
	LSR   $16, R14, R15; \
	AND   $0xffff, R14, R14; \
	MOVD  (R2)(R15<<3), R15; \
	MADD  R3, R15, R14, reg

#define FOUR_ROWS \
	ROW(0, R10); \
	ROW(4, R11); \
	ROW(8, R12); \
	ROW(12, R13)

// NEXT goes on with four rows, one, or none. The last one to three of four or more are done as four, some of them
// again.
#define NEXT(four, one, done) \
	CMP $4, R5; \
	BGE four; \
	CBZ R5, done; \
	CMP $4, R7; \
	BLT one; \
	SUB $4, R5, R14; \
	ADD R14<<2, R4, R4; \
	ADD R14<<2, R6, R6; \
	MOVD $4, R5

// STEP goes on by some rows.
#define STEP(rows) \
	ADD $(4*rows), R4; \
	ADD $(4*rows), R6; \
	SUB $rows, R5

#define CLEAR_FOUR \
	VEOR V0.B16, V0.B16, V0.B16; \
	VEOR V1.B16, V1.B16, V1.B16; \
	VEOR V2.B16, V2.B16, V2.B16; \
	VEOR V3.B16, V3.B16, V3.B16

// INTS turns four lanes of four rows (V0 to V3) into four sums in V0.
#define INTS \
	VADDP V1.S4, V0.S4, V0.S4; \
	VADDP V3.S4, V2.S4, V2.S4; \
	VADDP V2.S4, V0.S4, V0.S4
