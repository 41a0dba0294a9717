// Package wording puts errors and messages into words: their text for users, advice, and the known name that an
// unknown word was probably meant to be.
package wording

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"trowel.example/fault"
	"trowel.example/internal/files/output"
	"trowel.example/internal/format"
	"trowel.example/internal/text/words"
)

// adviceForNames returns advice for errors about several names.
func adviceForNames(list []*fault.NameError) string {
	var lines []string
	for _, e := range list {
		line := adviceForName(e)
		if len(list) > 1 && line != e.Advice && line != "" {
			line = words.Quoted(e.Name) + ": " + line
		}
		if line != "" && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return "--allow-nothing accepts names that are in none of the files"
	}
	return strings.Join(lines, "; ")
}

// adviceForName returns advice for an error about a name, or "".
func adviceForName(e *fault.NameError) string {
	near, few := NearName(e), slices.Compact(slices.Sorted(slices.Values(e.Names)))
	switch {
	case near != "" && e.Advice != "":
		return fmt.Sprintf("did you mean %s? %s", words.Quoted(near), e.Advice)
	case near != "":
		return fmt.Sprintf("did you mean %s?", words.Quoted(near))
	case e.Advice == "" && 0 < len(few) && len(few) <= 8:
		return "there is " + strings.Join(few, ", ")
	}
	return e.Advice
}

// patterned are the kinds of parts of which * selects all.
var patterned = []string{"layer", "group", "image", "sound", "envelope", "quad layer"}

// NearName returns the existing name that the user probably meant, or "".
func NearName(e *fault.NameError) string {
	if name := strings.ToLower(e.Name); (name == "all" || name == "everything") && slices.Contains(patterned, e.Kind) {
		return "*"
	}
	return NearFolded(e.Name, e.Names)
}

// Text returns the text of an error for users, on one line. Names of system calls are left out. On Windows,
// access denied usually means that the file is open elsewhere.
func Text(err error) string {
	text := err.Error()
	walkErrors(err, func(e error) {
		plain := ""
		switch e := e.(type) {
		case *fs.PathError:
			if isCall(e.Op) {
				plain = e.Path + ": " + e.Err.Error()
			}
		case *os.LinkError:
			if isCall(e.Op) {
				plain = e.Old + ": " + e.Err.Error()
			}
		case *os.SyscallError:
			if isCall(e.Syscall) {
				plain = e.Err.Error()
			}
		}
		if plain != "" {
			text = strings.Replace(text, e.Error(), plain, 1)
		}
	})
	text = words.Portable(text)
	if openElsewhere(err) {
		text += " (another program may have it open)"
	}
	return words.OneLine(text)
}

// isCall reports whether the operation of an error is the name of a system call. On Windows, such names begin
// with a capital.
func isCall(op string) bool {
	return op == "open" || strings.HasSuffix(op, "stat") || op != "" && op[0] >= 'A' && op[0] <= 'Z'
}

// walkErrors calls do for an error and all errors that it wraps.
func walkErrors(err error, do func(error)) {
	do(err)
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		if inner := e.Unwrap(); inner != nil {
			walkErrors(inner, do)
		}
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			walkErrors(inner, do)
		}
	}
}

// Hinted is an error with advice.
type Hinted struct {
	error
	advice string
}

func (h *Hinted) Unwrap() error { return h.error }

// Hint adds advice for the user to err.
func Hint(err error, format string, args ...any) error {
	return &Hinted{err, fmt.Sprintf(format, args...)}
}

// Advice returns advice about an error, or "". The advice mentions only options that the verb has; if has is
// nil, all options.
func Advice(err error, has func(letter string) bool) string {
	if has == nil {
		has = func(string) bool { return true }
	}
	var h *Hinted
	var exists *output.ExistsError
	var kept *output.KeptError
	var word *format.WordError
	names := fault.NameErrors(err)
	switch {
	case errors.As(err, &h):
		return h.advice
	case len(names) > 0:
		return adviceForNames(names)
	case errors.As(err, &word):
		if near := NearFolded(word.Word, word.Names); near != "" {
			return "did you mean " + words.Quoted(near) + "?"
		}
		return ""
	case errors.Is(err, output.ErrMeanwhile), errors.Is(err, output.ErrBusy):
		return "run the command again"
	case errors.As(err, &exists) && exists.Replaceable && has("f"):
		return "use -f to replace it"
	case (errors.As(err, &exists) || errors.As(err, &kept) || errors.Is(err, output.ErrRead)) && has("o"):
		return "choose another name with -o"
	case errors.Is(err, format.ErrUnknown):
		return "`trowel formats` lists the supported formats"
	case errors.Is(err, format.ErrNoTree):
		return "name a game file, or a folder made by `trowel extract`"
	}
	return ""
}

// Named returns the error with the name of its file, if the name is missing.
func Named(err error, name string) error {
	if err == nil {
		return nil
	}
	var inside *fault.Error
	var path *fs.PathError
	switch text := err.Error(); {
	case strings.HasPrefix(text, name+":"), strings.HasPrefix(text, name+"/"):
		return err
	case errors.As(err, &inside) && inside.File == "":
		return fault.InFile(err, name)
	case errors.As(err, &path) && strings.HasPrefix(path.Path, name):
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// Count returns a count with its unit: "1 file", "2 files".
func Count(n int, one string) string {
	return words.Thousands(int64(n)) + " " + words.Plural(int64(n), one)
}
