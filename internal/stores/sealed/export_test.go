package sealed

func init() { workFactor = 8 }

// Forget forgets the keys of earlier tests.
func Forget() { unlocked.Clear() }
