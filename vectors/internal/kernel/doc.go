// Package kernel multiplies vectors: one query against many rows, and finds which neighbours of a node are new.
//
// Kernels is one implementation of all routines; Best gives the fastest that runs here: AVX2 and F16C on amd64, NEON
// with or without SDOT on arm64, portable Go elsewhere, under the build tag noasm, and as the twin that the assembly is
// tested against. Rows says where rows lie: in chunks of 65,536, addressed by id, so that one call serves all neighbours
// of a node. DotRows multiplies rows that lie one after the other.
//
//	form  a row                                             query      answer
//	I8    codes -127 to 127, a byte each                    int8       sum of products, exact
//	U4    codes -8 to 7, two to a byte (PackU4)             int8       sum of products, exact
//	F16   IEEE 754 binary16, little-endian                  float32    in the order below
//	F32   IEEE 754 binary32                                 float32    in the order below
//
// Promises:
//
//   - K1: every implementation gives the same bits. Sums of codes are integers and never saturate, as long as no code
//     is -128. Sums of floats have one order: lane l (0 to 7) adds the products of components l, l+8, l+16 ...
//     from +0 upward, each product rounded to float32 and each sum again (never a fused multiply-add, which Go could not match
//     at a bearable price); then lanes l and l+4 are added, then l and l+2, then 0 and 1. Inputs are finite; a NaN gives a
//     NaN of any sign and payload.
//   - K2: a kernel reads whole blocks of 32 bytes of each row (RowBytes) and of the query (Pad) and nothing else, at any
//     alignment. Queries are zero from dim on to the end of the block, and so are rows.
//   - K3: nothing is allocated or kept.
//
// DotFloat multiplies in float64, where the product of two float32 is exact, and sums in one fixed order; a fused
// multiply-add then rounds as a multiplication and an addition do, so here, too, processors agree.
//
// What the assembly reads is invisible to the race detector; run the race detector with the tag noasm to see all of it.
// An id beyond the rows is memory that is not ours: the assembly does not check ids.
package kernel
