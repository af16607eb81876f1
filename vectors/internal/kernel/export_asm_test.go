//go:build amd64 && !noasm

package kernel

// NoAssembly says that this build has only the portable kernel.
const NoAssembly = false
