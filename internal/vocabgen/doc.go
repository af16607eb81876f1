// Command vocabgen writes model/vocabulary_gen.go: the type, the constants and the text forms of every closed
// vocabulary of the memory model. The vocabularies themselves are the table in table.go.
//
//	go generate ./model        from the module root
//
// The output is committed and is a function of the table alone.
package main
