package host

import "runtime"

// Advice returns the first text where there is a command line, and the second in a page that needs no program.
func Advice(program, page string) string { return adviceOn(runtime.GOOS, program, page) }

func adviceOn(system, program, page string) string {
	if system == "js" {
		return page
	}
	return program
}
