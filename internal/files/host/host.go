// Package host contains all of the program's access to its environment: variables, the home folder, folders with
// installed games, programs. Tests replace it.
package host

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"sync/atomic"
)

// A Question asks the host for a Variable, a Folder or a Program by name, or for something without a name: the Home
// folder, the Machine's name or the User's name.
type Question struct{ Kind, Name string }

// The kinds of questions.
const (
	Variable = "variable"
	Home     = "home folder"
	Folder   = "folder"
	Program  = "program"
	Machine  = "name of the machine"
	User     = "name of the user"
	Entry    = "entry" // a secret that the user types, by the words that ask for it
)

func (q Question) String() string {
	if q.Name == "" {
		return q.Kind
	}
	return q.Kind + " " + q.Name
}

// An Answer answers a question, and reports whether the host has the requested thing.
type Answer func(Question) (string, bool)

var current atomic.Pointer[Answer]

func init() { current.Store(new(Answer(System))) }

// Replace sets the function that answers all questions, and returns the previous one.
func Replace(a Answer) (before Answer) { return *current.Swap(&a) }

// System answers questions for the actual host.
func System(q Question) (answer string, has bool) {
	var err error
	switch q.Kind {
	case Variable:
		return os.LookupEnv(q.Name)
	case Folder:
		return q.Name, true
	case Home:
		answer, err = os.UserHomeDir()
	case Program:
		answer, err = exec.LookPath(q.Name)
	case Machine:
		answer, err = os.Hostname()
	case User:
		var u *user.User
		if u, err = user.Current(); err == nil {
			answer = u.Username
		}
	case Entry:
		answer, err = enter(q.Name)
	default:
		panic(fmt.Sprintf("host: no kind of question: %q", q.Kind))
	}
	return answer, err == nil
}

// Nothing answers questions for a host that has nothing.
func Nothing(Question) (string, bool) { return "", false }

func lookUp(kind, name string) (string, bool) { return (*current.Load())(Question{kind, name}) }

func text(kind string) string {
	answer, _ := lookUp(kind, "")
	return answer
}

// LookupEnv returns the value of a variable, and reports whether the variable is set.
func LookupEnv(name string) (string, bool) { return lookUp(Variable, name) }

// Env returns the value of a variable, "" if the variable is not set.
func Env(name string) string {
	value, _ := lookUp(Variable, name)
	return value
}

// Secret asks the user for a secret on the terminal. It reports whether there is a terminal.
func Secret(what string) (string, bool) { return lookUp(Entry, what) }

// HomeFolder returns the home folder of the user, "" if there is none.
func HomeFolder() string { return text(Home) }

// MachineName returns the name of the machine, "" if it has none.
func MachineName() string { return text(Machine) }

// UserName returns the name of the user, "" if it is unknown.
func UserName() string { return text(User) }

// Folders returns the paths that the program may read. The paths are those where systems install games, and need not
// exist.
func Folders(paths ...string) []string {
	var list []string
	for _, path := range paths {
		if path, has := lookUp(Folder, path); has {
			list = append(list, path)
		}
	}
	return list
}

// FindProgram returns the path of a program, as exec.LookPath does.
func FindProgram(name string) (string, error) {
	if path, has := lookUp(Program, name); has {
		return path, nil
	}
	return "", &exec.Error{Name: name, Err: exec.ErrNotFound}
}

// Command is exec.CommandContext for a program that FindProgram finds. If there is none, running the command fails.
func Command(ctx context.Context, name string, args ...string) *exec.Cmd {
	path, err := FindProgram(name)
	if err != nil {
		return &exec.Cmd{Path: name, Args: append([]string{name}, args...), Err: err}
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Args[0] = name
	return cmd
}
