//go:build noasm || !(amd64 || arm64)

package kernel

// NoAssembly says that this build has only the portable kernels.
const NoAssembly = true
