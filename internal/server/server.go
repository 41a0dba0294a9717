// Package server has what all know of the database servers that worlds name: when one fails, and how
// connections are made. The clients are in package database, so that programs without worlds do not
// have them.
package server

import (
	"errors"
	"net"
	"time"
)

// ErrRemote means that a world names a server on another machine.
var ErrRemote = errors.New("a server on another machine, which is asked with --remote only")

// Application is what connections of this program to PostgreSQL are called.
const Application = "trowel"

// Timeout is how long a server has to answer at first.
const Timeout = 10 * time.Second

// Sealed is set in processes that work for others: the connection of a world may then name no
// file, be it on another machine. It would be read whatever folders the process may read, and what is in a
// file of passwords or keys would be shown to the server.
var Sealed bool

// ErrFiles means that a world names a file with passwords, keys or services.
var ErrFiles = errors.New("it names a file of this machine, which is not read here")

// Dial makes all connections. Tests put something else here.
var Dial = new(net.Dialer).DialContext

// Error is a server that did not do what it was asked. It says nothing about the
// world. Nor does its cause, which it therefore hides: that there is no socket to
// connect to must not be taken for a database that there is not.
type Error struct {
	Server string // such as "Redis at 127.0.0.1:6379"
	Why    string // in words that have nothing of a connection string
	Err    error
}

func (e *Error) Error() string { return e.Server + ": " + e.Why }

// Failed reports whether an error is that of a server.
func Failed(err error) bool {
	var e *Error
	return errors.As(err, &e)
}
