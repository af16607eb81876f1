package kernel

import "sync/atomic"

func dotI8Portable(query []int8, rows Rows, ids []uint32, out []int32) {
	for i, id := range ids {
		out[i] = dotPortable(query, rowOf[int8](rows, id, len(query)))
	}
}

func dotU4Portable(query []int8, bias int32, rows Rows, ids []uint32, out []int32) {
	for i, id := range ids {
		out[i] = dotPackedPortable(query, rowOf[byte](rows, id, len(query)/2)) - bias
	}
}

// dotPackedPortable multiplies with codes 0 to 15, as PackU4 lays them out.
func dotPackedPortable(query []int8, row []byte) int32 {
	var s0, s1, s2, s3 int32
	for len(query) >= BlockU4 && len(row) >= blockBytes {
		low, high := query[:blockBytes], query[blockBytes:BlockU4]
		for r := row[:blockBytes]; len(r) >= 2 && len(low) >= 2 && len(high) >= 2; r, low, high = r[2:], low[2:], high[2:] {
			s0 += int32(low[0]) * int32(r[0]&15)
			s1 += int32(high[0]) * int32(r[0]>>4)
			s2 += int32(low[1]) * int32(r[1]&15)
			s3 += int32(high[1]) * int32(r[1]>>4)
		}
		query, row = query[BlockU4:], row[blockBytes:]
	}
	return s0 + s1 + s2 + s3
}

func dotF16Portable(query []float32, rows Rows, ids []uint32, out []float32) {
	for i, id := range ids {
		out[i] = dotHalvesPortable(query, rowOf[uint16](rows, id, len(query)))
	}
}

func dotHalvesPortable(query []float32, row []uint16) float32 {
	var s0, s1, s2, s3, s4, s5, s6, s7 float32
	for len(query) >= 8 && len(row) >= 8 {
		s0 += float32(query[0] * F16ToFloat32(row[0])) // the conversion forbids fusing
		s1 += float32(query[1] * F16ToFloat32(row[1]))
		s2 += float32(query[2] * F16ToFloat32(row[2]))
		s3 += float32(query[3] * F16ToFloat32(row[3]))
		s4 += float32(query[4] * F16ToFloat32(row[4]))
		s5 += float32(query[5] * F16ToFloat32(row[5]))
		s6 += float32(query[6] * F16ToFloat32(row[6]))
		s7 += float32(query[7] * F16ToFloat32(row[7]))
		query, row = query[8:], row[8:]
	}
	return sumLanes(s0, s1, s2, s3, s4, s5, s6, s7)
}

func dotF32Portable(query []float32, rows Rows, ids []uint32, out []float32) {
	for i, id := range ids {
		out[i] = dotFloatsPortable(query, rowOf[float32](rows, id, len(query)))
	}
}

func dotFloatsPortable(query, row []float32) float32 {
	var s0, s1, s2, s3, s4, s5, s6, s7 float32
	for len(query) >= 8 && len(row) >= 8 {
		s0 += float32(query[0] * row[0]) // the conversion forbids fusing
		s1 += float32(query[1] * row[1])
		s2 += float32(query[2] * row[2])
		s3 += float32(query[3] * row[3])
		s4 += float32(query[4] * row[4])
		s5 += float32(query[5] * row[5])
		s6 += float32(query[6] * row[6])
		s7 += float32(query[7] * row[7])
		query, row = query[8:], row[8:]
	}
	return sumLanes(s0, s1, s2, s3, s4, s5, s6, s7)
}

// sumLanes adds the eight sums of a float kernel in the order that K1 fixes.
func sumLanes(s0, s1, s2, s3, s4, s5, s6, s7 float32) float32 {
	a, b, c, d := s0+s4, s1+s5, s2+s6, s3+s7
	return (a + c) + (b + d)
}

func filterPortable(links []uint32, visited []uint8, epoch uint8, _ Rows, out []uint32) int {
	n := 0
	for i := range links {
		id := atomic.LoadUint32(&links[i])
		if id == Sentinel {
			break
		}
		if int(id) < len(visited) && visited[id] != epoch {
			visited[id] = epoch
			out[n] = id
			n++
		}
	}
	return n
}
