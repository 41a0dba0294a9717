package parallel

import (
	"fmt"
	"path"
	"runtime"
	"strings"
)

// Panic is a panic that was caught, on its way to whoever can say what it was about.
type Panic struct {
	Value any
	Where []string // the places in this module that led to it, innermost first: "load.go:33"
}

// Catch calls do and returns how it panicked, or nil.
func Catch(do func()) (caught *Panic) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case *Panic:
			caught = v // it has come from another goroutine
		default:
			caught = &Panic{v, where()}
		}
	}()
	do()
	return nil
}

// Throw continues with the panic, if there was one.
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

// where returns the innermost places of this module on a stack that panics.
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

// module is what the names of the functions of this module begin with.
var module = func() string {
	pc, _, _, _ := runtime.Caller(0)
	name := runtime.FuncForPC(pc).Name()
	root, _, _ := strings.Cut(name, "/")
	return root + "/"
}()
