package cold

// Forget lets go of this process's view of the file, so that the system can drop its pages.
func (s *Shard) Forget() { s.file.AdviseDontNeed(0, s.file.Len()) }
