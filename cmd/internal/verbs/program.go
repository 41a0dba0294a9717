package verbs

import (
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"trowel.example/cmd/internal/service"
	"trowel.example/internal/files/output"
	"trowel.example/internal/format"
)

// Args returns the arguments of the tool for a command line. If the tool is called by the name of a program
// that it replaces, that name is the verb.
func Args(games format.Games, line []string) []string {
	if len(line) == 0 {
		return nil
	}
	name := strings.TrimSuffix(filepath.Base(line[0]), ".exe")
	for _, g := range games {
		for _, p := range g.Programs {
			if p.Name == name {
				return append([]string{name}, line[1:]...)
			}
		}
	}
	return line[1:]
}

// programCommand makes the verb that replaces a program. All arguments after the verb have the meaning that the
// program gives them.
func programCommand(a *Tool, p *format.Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:                p.Name + " ARGUMENT...",
		Short:              p.Short,
		Long:               p.Long,
		DisableFlagParsing: true,
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		code := p.Run(cmd.Context(), &format.Call{Args: args, Out: a.out, Talk: cmd.ErrOrStderr(), Write: writeOver})
		switch code {
		case exitFine:
			return nil
		case exitFound:
			return errFound
		}
		return errQuiet
	}
	return needs(cmd, needOutput, needChanges)
}

// writeOver writes a file made from other files, replacing an existing file.
func writeOver(path string, from []string, write func(io.Writer) error) (err error) {
	out, err := output.New(path, output.Options{Replace: true, Others: func() fs.FileMode { return service.OthersOf(from) }})
	if err != nil {
		return err
	}
	defer out.Discard()
	part, err := out.Create("")
	if err == nil {
		err = write(part)
	}
	if err != nil {
		return err
	}
	err = out.Commit()
	var exists *output.ExistsError
	if errors.As(err, &exists) {
		return &output.KeptError{Path: path, Err: output.ErrKind}
	}
	return err
}
