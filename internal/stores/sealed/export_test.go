package sealed

func init() { workFactor = 8 }
