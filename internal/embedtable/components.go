package main

import "math"

// powerStepsMax bounds the power iteration; the leading components of word vectors settle within some dozens of steps.
const powerStepsMax = 10_000

// removeCommon subtracts from every row the mean of the first n rows, and then each row's share of their k leading
// principal components. Products are converted before they are added, so that no processor fuses the two.
func removeCommon(rows [][]float64, n, k int) {
	subtractMean(rows, n)
	cov := covariance(rows[:n])
	for range k {
		value, axis := leading(cov)
		deflate(cov, value, axis)
		for _, row := range rows {
			project(row, axis)
		}
	}
}

func subtractMean(rows [][]float64, n int) {
	mean := make([]float64, dim)
	for _, row := range rows[:n] {
		for i, x := range row {
			mean[i] += x
		}
	}
	for _, row := range rows {
		for i := range row {
			row[i] -= mean[i] / float64(n)
		}
	}
}

func covariance(rows [][]float64) [][]float64 {
	cov := make([][]float64, dim)
	for i := range cov {
		cov[i] = make([]float64, dim)
	}
	for _, row := range rows {
		for i, x := range row {
			for j, y := range row {
				cov[i][j] += float64(x * y)
			}
		}
	}
	return cov
}

// leading returns the largest eigenvalue of the symmetric matrix m and its eigenvector of length 1.
func leading(m [][]float64) (value float64, axis []float64) {
	axis = make([]float64, dim)
	for i := range axis {
		axis[i] = 1 / float64(i+1) // no axis of symmetry, so not at right angles to the answer
	}
	unit(axis)
	for range powerStepsMax {
		next := times(m, axis)
		value = unit(next)
		moved := 0.0
		for i := range next {
			moved = max(moved, math.Abs(next[i]-axis[i]))
		}
		axis = next
		if moved < 1e-14 {
			break
		}
	}
	return value, axis
}

func times(m [][]float64, v []float64) []float64 {
	out := make([]float64, len(v))
	for i := range m {
		out[i] = dot(m[i], v)
	}
	return out
}

// unit scales v to length 1 and returns its former length.
func unit(v []float64) float64 {
	length := math.Sqrt(dot(v, v))
	for i := range v {
		v[i] /= length
	}
	return length
}

// deflate takes the component (value, axis) out of the symmetric matrix m.
func deflate(m [][]float64, value float64, axis []float64) {
	for i := range m {
		for j := range m[i] {
			m[i][j] -= float64(value * float64(axis[i]*axis[j]))
		}
	}
}

// project takes v's share of axis (length 1) out of v.
func project(v, axis []float64) {
	share := dot(v, axis)
	for i := range v {
		v[i] -= float64(share * axis[i])
	}
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i, x := range a {
		sum += float64(x * b[i])
	}
	return sum
}
