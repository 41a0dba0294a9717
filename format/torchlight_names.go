package format

// placeholder
func NameHash(name string) uint32                                     { return 0 }
func NameFinder(file string) (func(uint32) ([]string, string), error) { return nil, nil }
