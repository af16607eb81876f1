package kernel

// u4Offset is what the code 0 of four bits stands for: code c is the number c - 8.
const u4Offset = 8

// PackU4 writes codes, numbers from -8 to 7, into a row of RowBytes(len(codes), BlockU4) bytes, which is the length of
// dst at least. Each block of 64 codes takes 32 bytes: byte j has number j of the block + 8 in its low half and number
// 32+j + 8 in its high half, so that a kernel needs no shuffle. Padding has the code 8, which is the number 0. It
// panics when dst is too short.
func PackU4(dst []byte, codes []int8) {
	if len(dst) < RowBytes(len(codes), BlockU4) {
		panic("kernel: no room for all codes")
	}
	for from := 0; from < len(codes); from += BlockU4 {
		var block [BlockU4]int8
		copy(block[:], codes[from:])
		packed := dst[from/2:][:blockBytes]
		for j := range packed {
			packed[j] = nibble(block[j]) | nibble(block[j+blockBytes])<<4
		}
	}
}

func nibble(code int8) byte { return byte(code+u4Offset) & 15 }

// UnpackU4 reads len(codes) numbers of a row that PackU4 wrote.
func UnpackU4(codes []int8, row []byte) {
	for i := range codes {
		j := i % BlockU4
		b := row[i/BlockU4*blockBytes+j%blockBytes] >> (j / blockBytes * 4)
		codes[i] = int8(b&15) - u4Offset
	}
}

// BiasU4 returns 8 * the sum of the query's codes: what DotU4 takes off.
func BiasU4(query []int8) int32 {
	var sum int32
	for _, q := range query {
		sum += int32(q)
	}
	return u4Offset * sum
}
