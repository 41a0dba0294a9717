// Package viewer serves a page on which a person looks at game files: their pictures, what is
// where in them, their texts and bytes, and what is wrong with them. The page and all that it
// loads is in the program. It is served on this machine only, to whoever has its token, and
// nothing that a request says can name a file of the disk or change one.
//
// It knows no game: all that it shows comes through [trowel.example/format].
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
	"trowel.example/format"
)

// File is a file to be looked at.
type File struct {
	Name string // for people, without the folders of the disk

	// Open opens it as it is now. It may be called again while an older one is still open.
	Open func(context.Context) (*Opened, error)

	// Stamp returns a text that changes when the file does, and is quick; "" while it is not
	// there. Nil: the file is not watched.
	Stamp func() string

	// Plain takes the paths of the disk out of a message.
	Plain func(string) string

	// What a gallery tells of a file that nobody has opened yet.
	Format   *format.Format // nil: nobody knows
	Size     int64          // bytes; -1 for a folder
	Modified time.Time
	Err      error // why it cannot be opened
}

// Opened is a file that is open.
type Opened struct {
	Format  *format.Format
	Source  *format.Source
	Job     func() *format.Job // with the values of the options that the user gave; a new one each time
	Notes   []string           // what was said while it was opened
	Private bool               // it was made for this run: nobody else writes it
	Close   func() error

	// Check reports what is wrong with what the user named, if that is more than what is wrong
	// with the file: a folder that the file was built from. Nil: it is not.
	Check func(context.Context, check.Sink) error
}

// Mode is what the page shows first.
type Mode string

// Modes of the page.
const (
	One     Mode = "one"     // a file
	Pair    Mode = "pair"    // two files, the first older, to be compared
	Gallery Mode = "gallery" // any number, with a small picture of each
)

// Server serves the page.
type Server struct {
	mode     Mode
	gallery  gallery
	compared struct {
		mu   sync.Mutex
		list []*comparison // the last used at the end
	}

	life   context.Context // of all work that outlives a request
	end    context.CancelFunc
	token  string
	ticket atomic.Pointer[string] // is taken for the token once
	port   string
	mux    *http.ServeMux
	opened pool[*edition]
	scenes pool[*scene]
	texts  pool[*document]
	tiles  tiles
	panels panels
	slots  chan struct{} // one for each core: that many parts of pictures are drawn at a time
	busy   atomic.Int64
	events hub
	watch  sync.WaitGroup
}

// What is kept open, besides what is in use.
const (
	maxOpened = 4
	maxScenes = 6 // of all files
)

// New returns a server of some files.
func New(mode Mode, files []File) *Server {
	s := &Server{mode: mode, slots: make(chan struct{}, runtime.NumCPU())}
	s.gallery.init()
	s.life, s.end = context.WithCancel(context.Background())
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

// secret returns 128 random bits.
func secret() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	return hex.EncodeToString(b[:])
}

// Listen opens a port of this machine and returns the address of the page.
func (s *Server) Listen() (net.Listener, string, error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, "", err
	}
	_, s.port, err = net.SplitHostPort(l.Addr().String())
	return l, s.address(s.token), err
}

// Once returns an address of the page that opens it once. It is for command lines, which all
// users of a machine can read.
func (s *Server) Once() string {
	ticket := secret()
	s.ticket.Store(&ticket)
	return s.address(ticket)
}

func (s *Server) address(token string) string {
	return fmt.Sprintf("http://127.0.0.1:%s/?t=%s", s.port, token)
}

// Serve answers requests until ctx ends, and closes all files then.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	h := &http.Server{
		Handler:                      s,
		DisableGeneralOptionsHandler: true,
		ReadHeaderTimeout:            10 * time.Second,
		IdleTimeout:                  2 * time.Minute,
		MaxHeaderBytes:               64 << 10,
		BaseContext:                  func(net.Listener) context.Context { return s.life },
		ErrorLog:                     log.New(io.Discard, "", 0), // of odd requests, which are none of the user's
	}
	stop := context.AfterFunc(ctx, func() {
		s.end()
		_ = h.Close()
	})
	defer stop()
	s.watch.Go(s.watchFiles)
	s.watch.Go(s.gather)
	err := h.Serve(l)
	s.Close()
	if errors.Is(err, http.ErrServerClosed) && ctx.Err() != nil {
		return nil
	}
	return err
}

// Close ends all work and closes all files. It returns when that is done.
func (s *Server) Close() {
	s.end()
	s.watch.Wait()
	s.texts.close()
	s.scenes.close()
	s.panels.close()
	s.opened.close()
}
