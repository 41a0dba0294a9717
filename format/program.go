package format

import (
	"context"
	"io"
)

// Program is a program of other people that the tool can stand in for: a verb with the command
// line of that program. The tool behaves so, too, where it is called by its name.
type Program struct {
	Name  string // of the program, and of the verb
	Short string // what it does, in a line
	Long  string // what differs from the program
	// Run does what the program does with these arguments, and returns its exit code.
	Run func(context.Context, *Call) int
}

// Call is what a [Program] is called with.
type Call struct {
	Args []string // without the name
	Out  io.Writer
	Talk io.Writer // standard error
	// Write makes a file, or replaces one, once write has made all of it. If write fails
	// nothing has happened. It is as secret as the files from which it is made.
	Write func(path string, from []string, write func(io.Writer) error) error
}
