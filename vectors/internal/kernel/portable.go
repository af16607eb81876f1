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
	var low, high int32
	for len(query) >= BlockU4 && len(row) >= blockBytes {
		q, r := query[:BlockU4], row[:blockBytes]
		for j, b := range r {
			low += int32(q[j]) * int32(b&15)
			high += int32(q[j+blockBytes]) * int32(b>>4)
		}
		query, row = query[BlockU4:], row[blockBytes:]
	}
	return low + high
}

func dotF16Portable(query []float32, rows Rows, ids []uint32, out []float32) {
	for i, id := range ids {
		out[i] = dotHalvesPortable(query, rowOf[uint16](rows, id, len(query)))
	}
}

func dotHalvesPortable(query []float32, row []uint16) float32 {
	var s lanes
	for len(query) >= 8 && len(row) >= 8 {
		q, r := query[:8], row[:8]
		for l := range s {
			s[l] += float32(q[l] * F16ToFloat32(r[l])) // the conversion forbids fusing
		}
		query, row = query[8:], row[8:]
	}
	return s.sum()
}

func dotF32Portable(query []float32, rows Rows, ids []uint32, out []float32) {
	for i, id := range ids {
		out[i] = dotFloatsPortable(query, rowOf[float32](rows, id, len(query)))
	}
}

func dotFloatsPortable(query, row []float32) float32 {
	var s lanes
	for len(query) >= 8 && len(row) >= 8 {
		q, r := query[:8], row[:8]
		for l := range s {
			s[l] += float32(q[l] * r[l])
		}
		query, row = query[8:], row[8:]
	}
	return s.sum()
}

// lanes are the eight sums of a float kernel; lane l has the products of components l, l+8, l+16 and so on.
type lanes [8]float32

func (s *lanes) sum() float32 {
	a, b := s[0]+s[4], s[1]+s[5]
	c, d := s[2]+s[6], s[3]+s[7]
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
