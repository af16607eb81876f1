//go:build (amd64 || arm64) && !noasm

package kernel

// NoAssembly says that this build has only the portable kernels.
const NoAssembly = false
