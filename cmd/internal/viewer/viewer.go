// Package viewer serves a web page that shows game files: pictures, the objects in them, texts, bytes and
// findings. The page and all its resources are embedded in the program. It is served on this machine only, to
// clients that have its token. No request can name a file of the disk or change a file.
//
// The package has no knowledge of specific games: it accesses files through [trowel.example/format].
package viewer

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"trowel.example/check"
	"trowel.example/cmd/internal/history"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/format"
)

// File is a file to show.
type File struct {
	Name string // display name, without the folders of the disk

	// Open opens the file as it is now. It may be called again while an earlier result is still open. The context
	// lasts until the server is closed.
	Open func(context.Context) (*Opened, error)

	// Stamp returns, quickly, a text that changes with the file, or "" while the file does not exist. If Stamp
	// is nil, the file is not watched.
	Stamp func() string

	// Plain replaces the paths of the disk in a message.
	Plain func(string) string

	// The properties that a gallery shows before the file is opened.
	Format   *format.Format // nil: unknown
	Size     int64          // bytes; -1 for a folder
	Modified time.Time
	Err      error // why the file cannot be opened

	State  *history.State // an earlier state; nil: the file as it is
	Edited bool           // the file is the result of changes: it is shown even if they removed something
}

// Opened is an open file.
type Opened struct {
	Format  *format.Format
	Source  *format.Source
	Job     func() *format.Job // returns a new job with the options that the user gave
	Notes   []string           // messages of opening the file
	Private bool               // the file is temporary: no other program writes to it
	Close   func() error

	// Check checks more than the file: the folder from which it was built. If Check is nil, only the file is
	// checked.
	Check func(context.Context, check.Sink) error
}

// Mode is the initial view of the page.
type Mode string

// Modes of the page.
const (
	One     Mode = "one"     // a single file
	Pair    Mode = "pair"    // two files to compare, the older one first
	Gallery Mode = "gallery" // any number of files, with a small picture of each
)

// Server serves the page.
type Server struct {
	mode     Mode
	gallery  gallery
	compared struct {
		mu   sync.Mutex
		list []*comparison // the last used at the end
	}

	life     context.Context // context of work that outlives a request
	end      context.CancelFunc
	token    string
	ticket   atomic.Pointer[string] // accepted once instead of the token
	port     string
	mux      *http.ServeMux
	opened   pool[*edition]
	scenes   pool[*scene]
	texts    pool[*document]
	tiles    tiles
	panels   panels
	slots    chan struct{} // one for each core, held while a part of a picture is drawn
	busy     atomic.Int64
	paused   atomic.Bool // nothing is opened
	alone    bool        // there is no command line
	events   hub
	edits    *session  // nil: nothing can be changed
	timeline *timeline // nil: there are no earlier states
	watch    sync.WaitGroup
}

// Alone prepares the server for a page without a command line: its messages give no advice about commands and options.
func (s *Server) Alone() { s.alone = true }

// worded returns a message in the words of the page.
func (s *Server) worded(message string) string {
	if s.alone {
		message = wording.InPage(message)
	}
	return message
}

// Numbers of unused objects that are kept open.
const (
	maxOpened = 4
	maxScenes = 6 // of all files
)

// New returns a server for some files.
func New(mode Mode, files []File) *Server {
	s := &Server{mode: mode, slots: make(chan struct{}, runtime.NumCPU())}
	s.gallery.init()
	s.life, s.end = context.WithCancel(context.Background()) // until Close
	s.opened.max, s.scenes.max, s.texts.max = maxOpened, maxScenes, maxTexts
	s.opened.life, s.scenes.life, s.texts.life = s.life, s.life, s.life
	s.panels.init(s.life)
	s.token = secret()
	for _, f := range files {
		s.add(f)
	}
	s.routes()
	return s
}

// secret returns 128 random bits as text.
func secret() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// Listen opens a port on this machine, any free one for 0, and returns the address of the page.
func (s *Server) Listen(port uint16) (net.Listener, string, error) {
	l, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return nil, "", err
	}
	_, s.port, err = net.SplitHostPort(l.Addr().String())
	return l, s.address(s.token), err
}

// Once returns an address of the page that is valid once. It is meant for command lines, which all users of a
// machine can read.
func (s *Server) Once() string {
	ticket := secret()
	s.ticket.Store(&ticket)
	return s.address(ticket)
}

func (s *Server) address(token string) string {
	return fmt.Sprintf("http://127.0.0.1:%s/?t=%s", s.port, token)
}

// Serve answers requests until ctx ends, then closes all files.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	h := &http.Server{
		Handler:                      http.HandlerFunc(s.Guard),
		DisableGeneralOptionsHandler: true,
		ReadHeaderTimeout:            10 * time.Second,
		IdleTimeout:                  2 * time.Minute,
		MaxHeaderBytes:               64 << 10,
		BaseContext:                  func(net.Listener) context.Context { return s.life },
		// About malformed requests, which do not concern the user.
		ErrorLog: log.New(io.Discard, "", 0),
	}
	stop := context.AfterFunc(ctx, func() {
		s.end()
		_ = h.Close()
	})
	defer stop()
	s.watch.Go(s.watchFiles)
	err := h.Serve(l)
	s.Close()
	if errors.Is(err, http.ErrServerClosed) && ctx.Err() != nil {
		return nil
	}
	return err
}

// Close cancels all work and closes all files. It returns when everything is closed.
func (s *Server) Close() {
	s.end()
	s.watch.Wait()
	s.texts.close()
	s.scenes.close()
	s.panels.close()
	s.opened.close()
	if s.edits != nil {
		s.edits.close()
	}
}
