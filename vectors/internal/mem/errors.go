package mem

import "errors"

var (
	// ErrRowsMax says that a table would outgrow the number of rows it was made for.
	ErrRowsMax = errors.New("more rows than the table was made for")
	// ErrSize says that a file does not have the size it should have.
	ErrSize = errors.New("size of the file")
	// ErrFault says that mapped bytes could not be read: the file was cut meanwhile, or its disk failed.
	ErrFault = errors.New("mapped file cannot be read")
)
