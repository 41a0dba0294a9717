package format

import (
	"context"
	"io"
)

// Program is a program of another project whose command line the tool accepts under the command of the same name, and
// also if the tool itself is started under that name.
type Program struct {
	Name  string // name of the program and of the command
	Short string // what it does, in one line
	Long  string // differences from the original program
	// Run behaves like the program with these arguments, and returns its exit code.
	Run func(context.Context, *Call) int
}

// Call is a call of a [Program].
type Call struct {
	Args []string // arguments without the program's name
	Out  io.Writer
	Talk io.Writer // standard error
	// Write creates or replaces a file, after write has produced all of its content. If write fails, nothing is
	// changed. The file is readable only by users who can read the files in from.
	Write func(path string, from []string, write func(io.Writer) error) error
}
