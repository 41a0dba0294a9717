package main

import (
	"context"
	"net/http"
	"runtime/debug"
	"strings"
	"sync"
	"syscall/js"

	_ "trowel.example/all"
	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/viewer"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/parallel"
)

// memoryLimit is the size in bytes of the memory above which unused memory is freed more eagerly.
const memoryLimit = 512 << 20

// page answers the requests of the page, which come from the script of the worker.
type page struct {
	send js.Value // of the script: see worker.js

	mu     sync.Mutex
	server *viewer.Server
	ends   map[int]context.CancelFunc // ends the answers to requests
}

func main() {
	debug.SetMemoryLimit(memoryLimit)
	p := &page{send: js.Global().Get("send"), ends: make(map[int]context.CancelFunc)}
	for name, do := range map[string]func(args []js.Value){"open": p.open, "ask": p.ask, "end": p.end} {
		js.Global().Set(name, js.FuncOf(func(_ js.Value, args []js.Value) any {
			do(args)
			return nil
		}))
	}
	p.send.Invoke(map[string]any{"ready": true})
	select {}
}

// open opens the files with the given paths, to edit them if the second argument is true. It is called once, before all requests.
func (p *page) open(args []js.Value) {
	var names []string
	for i := range args[0].Length() {
		names = append(names, args[0].Index(i).String())
	}
	edit := args[1].Bool()
	go func() {
		var err error
		if panicked := parallel.Catch(func() { err = p.start(names, edit) }); panicked != nil {
			err = panicked
		}
		answer := map[string]any{"opened": true}
		if err != nil {
			answer["error"] = strings.ReplaceAll(wording.InPage(wording.Text(err)), files, "")
		}
		p.send.Invoke(answer)
	}()
}

// files is the folder that contains the user's files.
const files = "/files/"

// changes is the file with the list of changes of the edited file.
const changes = "/edits/changes.json"

func (p *page) start(names []string, edit bool) error {
	s := service.New(format.Registered(), strings.NewReader(""), nil, new(wording.Aliases)).Quiet(func(wording.Note) {})
	if folder := strings.TrimSuffix(files, "/"); s.IsGame(folder) { // files of a world, without its folder
		names = []string{folder}
	}
	server, err := viewer.Open(context.Background(), s, names)
	if err == nil && edit {
		err = server.Edit(context.Background(), viewer.Edits{Keep: changes})
	}
	if err != nil {
		return err
	}
	server.Alone()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.server = server
	return nil
}

// ask answers a request: its number, its address, its method, its headers ([name, value]), and its body.
func (p *page) ask(args []js.Value) {
	id, address, method, body := args[0].Int(), args[1].String(), args[2].String(), args[4].String()
	header := make(http.Header)
	for i := range args[3].Length() {
		header.Set(args[3].Index(i).Index(0).String(), args[3].Index(i).Index(1).String())
	}
	ctx, cancel := context.WithCancel(context.Background())
	p.mu.Lock()
	server := p.server
	p.ends[id] = cancel
	p.mu.Unlock()
	go func() {
		defer p.finish(id)
		w := &answer{page: p, id: id, header: make(http.Header)}
		r, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
		if err == nil {
			r.Header = header
		}
		switch {
		case err != nil:
			http.Error(w, err.Error(), http.StatusBadRequest)
		case server == nil:
			http.Error(w, "no file is open", http.StatusNotFound)
		default:
			// A handler panics if it cannot complete its answer.
			w.broken = parallel.Catch(func() { server.Answer(w, r) }) != nil
		}
		w.flush(true)
	}()
}

// end ends the answer to a request, which the page no longer needs.
func (p *page) end(args []js.Value) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if cancel := p.ends[args[0].Int()]; cancel != nil {
		cancel()
	}
}

func (p *page) finish(id int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ends[id]()
	delete(p.ends, id)
}

// answer is the answer to a request. It is sent as one piece, or in pieces by a handler that flushes them.
type answer struct {
	page   *page
	id     int
	header http.Header
	status int
	sent   bool // the status and the header are sent
	broken bool // the answer remains incomplete
	data   []byte
}

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

// mostHeld is the number of bytes above which a piece of an answer is sent.
const mostHeld = 1 << 20

func (a *answer) Write(data []byte) (int, error) {
	a.data = append(a.data, data...)
	if len(a.data) >= mostHeld {
		a.flush(false)
	}
	return len(data), nil
}

func (a *answer) Flush() { a.flush(false) }

func (a *answer) flush(last bool) {
	message := map[string]any{"id": a.id, "last": last, "broken": a.broken}
	if !a.sent {
		a.WriteHeader(http.StatusOK)
		header := make(map[string]any)
		for name, values := range a.header {
			header[name] = strings.Join(values, ", ")
		}
		message["status"], message["header"] = a.status, header
		a.sent = true
	}
	if len(a.data) > 0 {
		array := js.Global().Get("Uint8Array").New(len(a.data))
		js.CopyBytesToJS(array, a.data)
		message["data"] = array
		a.data = a.data[:0]
	}
	a.page.send.Invoke(message)
}
