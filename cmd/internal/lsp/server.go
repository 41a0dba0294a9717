// Package lsp is a language server: it answers editors about the text files of game folders, by the Language Server
// Protocol over two streams. It has no knowledge of specific games: their formats answer, see [format.Authoring].
package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/limits/parallel"
)

// ErrNoShutdown is the error of Serve if the editor ended the connection without a request to shut down.
var ErrNoShutdown = errors.New("the editor ended the connection without a request to shut down")

// maxText is the size in bytes of the largest text that is served. Larger ones are ignored while they are open.
const maxText = 32 << 20

// maxRunning is the number of requests that are answered at a time.
const maxRunning = 8

// Server answers one editor. Its state belongs to the goroutine of Serve, except where a comment names a lock.
type Server struct {
	service *service.Service
	docs    documents
	running sync.WaitGroup
	slots   chan struct{}

	writing sync.Mutex
	out     io.Writer
	failed  error // of writing

	mu      sync.Mutex
	cancels map[string]context.CancelFunc // of the requests that are being answered, by ID
	folders map[string]*folder            // by directory, or by path for a single file

	none map[string]time.Time // folders of no format, with the time of the examination

	started, down bool
	bytes         bool // positions count bytes of UTF-8, not units of UTF-16
	watches       bool // the editor can be asked to watch files
}

func newServer(s *service.Service, out io.Writer) *Server {
	return &Server{service: s, out: out, slots: make(chan struct{}, maxRunning), cancels: make(map[string]context.CancelFunc),
		folders: make(map[string]*folder), none: make(map[string]time.Time), docs: documents{byPath: make(map[string]*document)}}
}

// Serve answers the messages of in on out until the editor ends the connection, or ctx ends.
func Serve(ctx context.Context, s *service.Service, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	srv := newServer(s, out)
	defer srv.close()
	defer srv.running.Wait()
	defer cancel()

	type input struct {
		content []byte
		err     error
	}
	messages := make(chan input)
	go func() { // ends with the input, or with the program: a read of a pipe cannot be cancelled
		reader := bufio.NewReaderSize(in, maxHeader)
		for {
			content, err := readMessage(reader)
			select {
			case messages <- input{content, err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case m := <-messages:
			switch {
			case m.err == io.EOF && srv.down:
				return nil
			case m.err == io.EOF:
				return ErrNoShutdown
			case m.err != nil:
				return fmt.Errorf("the input is not a message of the Language Server Protocol: %w", m.err)
			}
			if srv.handle(ctx, m.content) {
				if !srv.down {
					return ErrNoShutdown
				}
				return nil
			}
			if err := srv.writeError(); err != nil {
				return err
			}
		}
	}
}

// close releases all folders.
func (s *Server) close() {
	for _, f := range s.folders {
		f.close()
	}
}

func (s *Server) writeError() error {
	s.writing.Lock()
	defer s.writing.Unlock()
	return s.failed
}

// send writes a message.
func (s *Server) send(m *message) {
	s.writing.Lock()
	defer s.writing.Unlock()
	if s.failed == nil {
		s.failed = writeMessage(s.out, m)
	}
}

// notify sends a notification.
func (s *Server) notify(method string, params any) {
	data, err := json.Marshal(params)
	if err != nil {
		return // the parameters are types of this package, which can be encoded
	}
	s.send(&message{Method: method, Params: data})
}

// Types of messages that the editor logs.
const (
	logWarning = 2
	logInfo    = 3
)

// log sends a line for the log of the editor.
func (s *Server) log(kind int, format string, args ...any) {
	s.notify("window/logMessage", map[string]any{"type": kind, "message": fmt.Sprintf(format, args...)})
}

// reply answers a request.
func (s *Server) reply(id json.RawMessage, result any, err error) {
	m := &message{ID: id, Result: result}
	if result == nil {
		m.Result = null
	}
	if err != nil {
		m.Result = nil
		if m.Error, _ = err.(*failure); m.Error == nil {
			m.Error = &failure{codeRequestFails, wording.Text(err)}
		}
		if errors.Is(err, context.Canceled) {
			m.Error = &failure{codeCancelled, "the request was cancelled"}
		}
	}
	s.send(m)
}

// handle processes a message and reports whether it ends the connection.
func (s *Server) handle(ctx context.Context, content []byte) (exit bool) {
	var m message
	if err := json.Unmarshal(content, &m); err != nil {
		s.reply(null, nil, &failure{codeParse, err.Error()})
		return false
	}
	isRequest := len(m.ID) > 0 && string(m.ID) != "null"
	switch {
	case m.Method == "" && isRequest:
		return false // a response to a request of the server
	case m.Method == "":
		s.reply(null, nil, &failure{codeInvalid, "a message without a method"})
	case m.Method == "exit":
		return true
	case isRequest:
		s.request(ctx, m)
	case s.started:
		if err := s.notification(ctx, m); err != nil {
			s.log(logWarning, "%s: %v", m.Method, err)
		}
	}
	return false
}

// request answers a request, most of them while further messages are read.
func (s *Server) request(ctx context.Context, m message) {
	switch {
	case m.Method == "initialize" && s.started:
		s.reply(m.ID, nil, &failure{codeInvalid, "the server is initialized already"})
		return
	case m.Method == "initialize":
		result, err := s.initialize(m.Params)
		s.reply(m.ID, result, err)
		return
	case !s.started:
		s.reply(m.ID, nil, &failure{codeNotReady, "expected initialize first"})
		return
	case s.down:
		s.reply(m.ID, nil, &failure{codeInvalid, "the server is shut down"})
		return
	case m.Method == "shutdown":
		s.down = true
		s.reply(m.ID, nil, nil)
		return
	}
	answer := questions[m.Method]
	if answer == nil {
		s.reply(m.ID, nil, &failure{codeMethod, "unknown method " + m.Method})
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	id := string(m.ID)
	s.mu.Lock()
	s.cancels[id] = cancel
	s.mu.Unlock()
	s.running.Go(func() {
		defer func() {
			s.mu.Lock()
			delete(s.cancels, id)
			s.mu.Unlock()
			cancel()
		}()
		select {
		case s.slots <- struct{}{}:
			defer func() { <-s.slots }()
		case <-ctx.Done():
			s.reply(m.ID, nil, ctx.Err())
			return
		}
		var result any
		var err error
		if p := parallel.Catch(func() { result, err = answer(s, ctx, m.Params) }); p != nil {
			err = &failure{codeInternal, service.Defect(p).Error()}
		}
		if err == nil && ctx.Err() != nil {
			err = ctx.Err()
		}
		s.reply(m.ID, result, err)
	})
}

// initialize returns what the server can do.
func (s *Server) initialize(params json.RawMessage) (any, error) {
	var p initializeParams
	if err := decode(params, &p); err != nil {
		return nil, err
	}
	s.started = true
	s.bytes = slices.Contains(p.Capabilities.General.Encodings, "utf-8")
	s.watches = p.Capabilities.Workspace.Watching.Dynamic
	type object = map[string]any
	units := "utf-16"
	if s.bytes {
		units = "utf-8"
	}
	return object{
		"capabilities": object{
			"positionEncoding":   units,
			"textDocumentSync":   object{"openClose": true, "change": 2, "save": object{}},
			"completionProvider": object{"triggerCharacters": []string{"<", ">", ":", "/", "\\", "\"", " "}},
			"hoverProvider":      true, "definitionProvider": true,
		},
		"serverInfo": object{"name": "trowel", "version": service.Version()},
	}, nil
}

// notification processes a notification. It ignores unknown ones, as the protocol requires for some of them.
func (s *Server) notification(ctx context.Context, m message) error {
	switch m.Method {
	case "initialized":
		s.watch()
	case "$/cancelRequest":
		var p struct{ ID json.RawMessage }
		if err := decode(m.Params, &p); err != nil {
			return err
		}
		s.mu.Lock()
		cancel := s.cancels[string(p.ID)]
		s.mu.Unlock()
		if cancel != nil {
			cancel()
		}
	case "textDocument/didOpen":
		return s.didOpen(ctx, m.Params)
	case "textDocument/didChange":
		return s.didChange(m.Params)
	case "textDocument/didSave":
		return s.didSave(m.Params)
	case "textDocument/didClose":
		return s.didClose(m.Params)
	case "workspace/didChangeWatchedFiles":
		return s.didChangeFiles(m.Params)
	}
	return nil
}

// watch asks the editor to report changes of files that are not open.
func (s *Server) watch() {
	if !s.watches {
		return
	}
	type object = map[string]any
	params, err := json.Marshal(object{"registrations": []object{{"id": "files", "method": "workspace/didChangeWatchedFiles",
		"registerOptions": object{"watchers": []object{{"globPattern": "**/*"}}}}}})
	if err == nil {
		s.send(&message{ID: json.RawMessage(`"watch"`), Method: "client/registerCapability", Params: params})
	}
}

func (s *Server) didOpen(ctx context.Context, params json.RawMessage) error {
	var p openParams
	if err := decode(params, &p); err != nil {
		return err
	}
	name := pathOf(p.Document.URI)
	if name == "" {
		return nil // a text without a file
	}
	if len(p.Document.Text) > maxText {
		return fmt.Errorf("%s: larger than %d bytes", name, maxText)
	}
	s.docs.put(name, &document{uri: p.Document.URI, path: name, version: p.Document.Version,
		text: newText(strings.ToValidUTF8(p.Document.Text, "\ufffd")), encoding: encodingOnDisk(name), opened: time.Now()})
	f, err := s.folderOf(ctx, name)
	if err != nil || f == nil {
		return err
	}
	f.changed(name)
	f.checkOnce()
	return nil
}

// encodingOnDisk returns the encoding of a file, or that of a new file.
func encodingOnDisk(name string) encoding {
	f, err := os.Open(name)
	if err != nil {
		return encoding{units: 1}
	}
	defer f.Close()
	head := make([]byte, 4)
	n, _ := io.ReadFull(f, head)
	return encodingOf(head[:n])
}

func (s *Server) didChange(params json.RawMessage) error {
	var p changeParams
	if err := decode(params, &p); err != nil {
		return err
	}
	name := pathOf(p.Document.URI)
	doc := s.docs.get(name)
	if doc == nil {
		return nil
	}
	next := *doc
	for _, c := range p.Changes {
		c.Text = strings.ToValidUTF8(c.Text, "\ufffd")
		if next.text = next.text.edit(c, s.bytes); len(next.text.string) > maxText {
			s.docs.put(name, nil)
			return fmt.Errorf("%s: larger than %d bytes now", name, maxText)
		}
	}
	if p.Document.Version != nil {
		next.version = *p.Document.Version
	}
	s.docs.put(name, &next)
	if f := s.knownFolder(name); f != nil {
		f.changed(name)
	}
	return nil
}

func (s *Server) didSave(params json.RawMessage) error {
	var p documentParams
	if err := decode(params, &p); err != nil {
		return err
	}
	name := pathOf(p.Document.URI)
	if doc := s.docs.get(name); doc != nil {
		next := *doc
		next.encoding = encodingOnDisk(name)
		s.docs.put(name, &next)
	}
	if f := s.knownFolder(name); f != nil {
		f.changed(name)
		f.checkAll()
	}
	return nil
}

func (s *Server) didClose(params json.RawMessage) error {
	var p documentParams
	if err := decode(params, &p); err != nil {
		return err
	}
	name := pathOf(p.Document.URI)
	doc := s.docs.get(name)
	if doc == nil {
		return nil
	}
	s.docs.put(name, nil)
	if f := s.knownFolder(name); f != nil {
		f.changed(name) // what is on disk counts again
		if f.textOf(f.name(name)).string != doc.text.string {
			f.checkAll()
		}
	}
	return nil
}

func (s *Server) didChangeFiles(params json.RawMessage) error {
	var p watchedParams
	if err := decode(params, &p); err != nil {
		return err
	}
	for _, c := range p.Changes {
		if name := pathOf(c.URI); name != "" && s.docs.get(name) == nil {
			if f := s.knownFolder(name); f != nil {
				f.checkAll() // reads the names and times of all files
			}
		}
	}
	return nil
}
