package worlddir

import (
	"errors"
	"fmt"

	"trowel.example/fault"
)

// inFile adds the name of the file to an error about its content.
func inFile(err error, name string) error {
	if e, ok := errors.AsType[*fault.TextError](err); ok && e.File == "" {
		named := *e
		named.File = name
		return &named
	}
	return fmt.Errorf("%s: %w", name, err)
}
