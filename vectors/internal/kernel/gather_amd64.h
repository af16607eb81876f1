// What the gather kernels share. Registers: SI query, CX its length, R11 chunk table, R12 stride, R13 next id, DX next
// sum, BX rows left, AX place in the rows; DI, R8, R9, R10 the rows.

// ROW sets reg to the address of the row whose id lies at off bytes from R13.
#define ROW(off, reg) \
	MOVL    off(R13), AX; \
	MOVWLZX AX, reg; \
	SHRL    $16, AX; \
	IMULQ   R12, reg; \
	ADDQ    (R11)(AX*8), reg

#define FOUR_ROWS \
	ROW(0, DI); \
	ROW(4, R8); \
	ROW(8, R9); \
	ROW(12, R10)

// REWIND steps back so that the last one to three rows are done as four, some of them again: R15 is the number of all
// rows, of which there are at least four.
#define REWIND(single) \
	CMPQ R15, $4; \
	JLT  single; \
	LEAQ -4(BX), AX; \
	LEAQ (R13)(AX*4), R13; \
	LEAQ (DX)(AX*4), DX; \
	MOVQ $4, BX

// INTS turns eight lanes of four rows (Y0 to Y3) into four sums in X0.
#define INTS \
	VPHADDD      Y1, Y0, Y0; \
	VPHADDD      Y3, Y2, Y2; \
	VPHADDD      Y2, Y0, Y0; \
	VEXTRACTI128 $1, Y0, X1; \
	VPADDD       X1, X0, X0

// INT turns eight lanes of Y0 into one sum in X0.
#define INT \
	VEXTRACTI128 $1, Y0, X1; \
	VPADDD       X1, X0, X0; \
	VPHADDD      X0, X0, X0; \
	VPHADDD      X0, X0, X0

// FLOAT adds eight lanes of y (whose low half is x) in the order of sumLanes, and stores the sum.
#define FLOAT(y, x, t, to) \
	VEXTRACTF128 $1, y, t; \
	VADDPS       t, x, x; \
	VPSHUFD      $0x0e, x, t; \
	VADDPS       t, x, x; \
	VMOVSHDUP    x, t; \
	VADDSS       t, x, x; \
	VMOVSS       x, to
