package kernel

// DotPortable is the twin of the assembly.
var DotPortable = dotPortable
