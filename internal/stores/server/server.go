// Package server contains shared declarations about the database servers that worlds name: their errors, and how
// connections are made. The clients are in package database, so that programs without worlds do not link them.
package server

import (
	"errors"
	"net"
	"time"
)

// ErrRemote means that a world names a server on another machine.
var ErrRemote = errors.New("a server on another machine, which requires --remote")

// ErrProgram means that a world is on a server, to which a page in a browser cannot connect.
var ErrProgram = errors.New("a page in a browser cannot connect to servers: use the trowel program")

// Application is the application name of this program's connections to PostgreSQL.
const Application = "trowel"

// Timeout is the time limit for the first answer of a server.
const Timeout = 10 * time.Second

// Sealed is set in processes that work for others: the connection of a world must then not name a file, even if remote
// servers are allowed. Otherwise the process would read the file whatever folders it may read, and show the contents
// of a file with passwords or keys to the server.
var Sealed bool

// ErrFiles means that a world names a file with passwords, keys or services.
var ErrFiles = errors.New("the name is a file of this machine, which is not read here")

// Dial makes all connections. Tests replace it.
var Dial = new(net.Dialer).DialContext

// Error reports that a server failed. It says little about the world. It hides its cause, so that, for example, a
// missing socket is not mistaken for a missing database.
type Error struct {
	Server string // such as "Redis at 127.0.0.1:6379"
	Why    string // without parts of a connection string
	Err    error
}

func (e *Error) Error() string { return e.Server + ": " + e.Why }

// Failed reports whether err is an [Error] of a server.
func Failed(err error) bool {
	var e *Error
	return errors.As(err, &e)
}
