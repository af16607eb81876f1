package vectors

// Read is LoadFile without a file.
var Read = read
