package parallel

import (
	"fmt"
	"path"
	"runtime"
	"strings"
)

// Panic is a panic that was caught, to be passed on to code that can report its context.
type Panic struct {
	Value any
	Where []string // places in this module that led to it, innermost first: "load.go:33"
}

// Catch calls do and returns its panic, or nil.
func Catch(do func()) (caught *Panic) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case *Panic:
			caught = v // from another goroutine
		default:
			caught = &Panic{v, where()}
		}
	}()
	do()
	return nil
}

// Throw panics again if p is not nil.
func (p *Panic) Throw() {
	if p != nil {
		panic(p)
	}
}

func (p *Panic) Error() string {
	text := fmt.Sprint(p.Value)
	if len(p.Where) > 0 {
		text += " (" + strings.Join(p.Where, ", ") + ")"
	}
	return text
}

// where returns the innermost places of this module on the stack of a panic.
func where() []string {
	const enough = 4
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	var places []string
	for panicked := false; len(places) < enough; {
		f, more := frames.Next()
		switch {
		case strings.HasPrefix(f.Function, "runtime."):
			panicked = panicked || f.Function == "runtime.gopanic"
		case panicked && strings.HasPrefix(f.Function, module):
			places = append(places, fmt.Sprintf("%s:%d", path.Base(f.File), f.Line))
		}
		if !more {
			break
		}
	}
	return places
}

// module is the prefix of the names of all functions in this module.
var module = func() string {
	pc, _, _, _ := runtime.Caller(0)
	name := runtime.FuncForPC(pc).Name()
	root, _, _ := strings.Cut(name, "/")
	return root + "/"
}()
