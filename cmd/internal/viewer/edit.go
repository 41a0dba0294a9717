package viewer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/files/filelock"
	"trowel.example/internal/format"
	"trowel.example/internal/text/words"
)

// Edits describes how the page may change the file of a server.
type Edits struct {
	// Save changes the file on the disk by a script of operations, if the file has the given SHA-256, and returns a
	// message for the user. If Save is nil, the user downloads the new file.
	Save func(ctx context.Context, script string, digest [32]byte) (string, error)
	// Undo restores the file as it was before the last Save, and returns a message for the user.
	Undo func(ctx context.Context) (string, error)
	Keep string // the file on the disk that keeps the list of changes; "" if the list is not kept
}

// session is a list of changes of a file. The file on the disk stays unchanged until the user saves the list. The page
// shows the result of the list as a second file of the server.
type session struct {
	Edits
	server *Server
	opened *Opened // the file on the disk
	folder *folder // nil: the file is not a folder
	was    *file   // the file as it was
	is     *file   // the file with the changes

	saving    sync.Mutex // held while the list is saved
	replaying sync.Mutex // held while the list is applied; guards chain
	chain     []*state   // the file, and its state after each change that was applied

	mu       sync.Mutex
	base     *state
	digest   [32]byte // of the file
	list     []item
	last     int // the number of the last change
	undo     [][]item
	redo     [][]item
	revision int    // counts the changes of the list
	applied  int    // the revision of the result
	seen     int    // the revision whose result the page gets
	result   *state // the result
	saved    []item // the list that was saved last, while the file on the disk is the saved one
	offer    *kept  // the list of an earlier session, until the user accepts or discards it
	unkept   string // why the list is not kept
	holds    *filelock.Held
}

// item is a change in the list.
type item struct {
	*change
	off bool
}

// change is an operation, with its effect the last time it was applied.
type change struct {
	id    int
	words []string
	line  string // of a script
	title string // what the user did, in words; "" if the page does not name it

	mu     sync.Mutex
	effect effect
}

// effect is what an operation did.
type effect struct {
	Count   int      `json:"count"`
	Changes []string `json:"changes"` // at most maxEffects
	Notes   []string `json:"notes"`   // warnings and losses
	Error   string   `json:"error,omitempty"`
	region
}

const (
	maxEffects = 20
	maxListed  = 5_000    // changes in a list
	maxList    = 12 << 20 // bytes of all changes in a list
	maxUndo    = 1_000
)

// Edit lets the page change the file that the server shows, which must be one file that is kept in memory.
func (s *Server) Edit(ctx context.Context, e Edits) error {
	files := s.allFiles()
	if s.mode != One {
		return errors.New("only a single file can be edited")
	}
	f := files[0]
	o, now, err := f.read(ctx)
	if err != nil {
		return err
	}
	switch {
	case o.Private || o.Source.IsDir() && (e.Save == nil || o.Format.Editing == nil || o.Format.Editing.Preview == nil):
		err = wording.Hint(fmt.Errorf("%s: only files can be edited here, not folders", f.Name), "`trowel edit` changes it")
	case o.Format.Editing == nil:
		err = fmt.Errorf("%s: no operations exist for a %s", f.Name, o.Format.Title)
	case now.digest == [32]byte{} && !o.Source.IsDir():
		err = wording.Hint(fmt.Errorf("%s: files of more than %d MB cannot be edited here", f.Name, maxHeld>>20), "`trowel edit` changes it")
	}
	if err != nil {
		return errors.Join(err, o.Close())
	}
	base := new(state)
	n := &session{Edits: e, server: s, opened: o, was: f, base: base, result: base, digest: now.digest, chain: []*state{base}}
	if o.Source.IsDir() {
		n.folder, n.digest = new(folder), sha256.Sum256([]byte(secret()))
	} else if data, err := o.Source.ReadAll(); err != nil {
		return errors.Join(err, o.Close())
	} else {
		base.parts = map[string][]byte{"": data}
	}
	n.offer, n.unkept = n.recall()
	plain := f.Plain
	if s.timeline != nil {
		plain = func(message string) string { return s.timeline.plain(message, f.File) }
	}
	n.is = s.add(File{Name: f.Name + " (edited)", Plain: plain, Format: o.Format, Size: o.Source.Size, Edited: true,
		Open: n.open, Stamp: n.stamp})
	s.mode, s.edits = Pair, n
	return nil
}

// open opens the file with the changes.
func (n *session) open(context.Context) (*Opened, error) {
	if n.folder != nil {
		return n.openFolder()
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return &Opened{Format: n.opened.Format, Source: n.source(n.result), Job: n.opened.Job, Private: true,
		Close: func() error { return nil }}, nil
}

// stamp returns a text that changes with the result.
func (n *session) stamp() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return strconv.Itoa(n.applied + 1)
}

// parse returns the change that the words of a line describe: an operation with its arguments and options.
func (n *session) parse(line []string) (*change, error) {
	if _, err := n.step(line); err != nil {
		return nil, err
	}
	for _, word := range line {
		if strings.ContainsAny(word, "\n\r\x00") {
			return nil, problem{http.StatusBadRequest, "an operation is one line of a script"}
		}
	}
	return &change{words: line, line: words.QuotedFor("linux", line...),
		effect: effect{Changes: []string{}, Notes: []string{}}}, nil // scripts are quoted in one way on all systems
}

// step returns the only operation of words.
func (n *session) step(words []string) (step format.Step, err error) {
	steps, err := n.opened.steps(words, n.opened.Job())
	if err != nil {
		return step, problem{http.StatusBadRequest, err.Error()}
	}
	if len(steps) != 1 {
		return step, problem{http.StatusBadRequest, "expected one operation"}
	}
	return steps[0], nil
}

func (o *Opened) steps(words []string, job *format.Job) ([]format.Step, error) {
	return format.ParseSteps(job, o.Format.Editing.Commands, words)
}

// editRequest is a request to change the list.
type editRequest struct {
	Revision int      `json:"revision"` // of the list that the user has seen
	Do       string   `json:"do"`
	ID       int      `json:"id"` // of a change
	Words    []string `json:"words"`
	Title    string   `json:"title"` // what the user did, in words
	To       int      `json:"to"`    // the new position in the list
	Off      bool     `json:"off"`
	Soon     bool     `json:"soon"`  // the answer does not wait until the list is applied
	State    int      `json:"state"` // the earlier state from which a box is put back
	Box      string   `json:"box"`
}

var (
	errOther = problem{http.StatusConflict, "the list has changed in another window: look at it again"}
	errOffer = problem{http.StatusConflict, "there is a list of an earlier session: continue or discard it first"}
)

// do changes the list.
func (n *session) do(ctx context.Context, r editRequest) error {
	var made *change
	if r.Do == "put-back" {
		words, err := n.server.putBack(r.State, r.Box)
		if err != nil {
			return err
		}
		r.Do, r.Words = "add", words
	}
	if r.Do == "add" || r.Do == "change" {
		err := n.resolve(ctx, r.Words)
		if err != nil {
			return err
		}
		if made, err = n.parse(r.Words); err != nil {
			return err
		}
		if len(r.Title) > maxShown {
			return problem{http.StatusBadRequest, fmt.Sprintf("the title of a change has at most %d bytes", maxShown)}
		}
		made.title = r.Title
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case r.Revision != n.revision:
		return errOther
	case n.offer != nil && r.Do != "continue" && r.Do != "discard":
		return errOffer
	}
	list := slices.Clone(n.list)
	i := slices.IndexFunc(list, func(e item) bool { return e.id == r.ID })
	if slices.Contains([]string{"change", "switch", "move", "remove"}, r.Do) && i < 0 {
		return problem{http.StatusNotFound, "no such change in the list"}
	}
	switch r.Do {
	case "add":
		list = append(list, n.number(made))
	case "change":
		off := list[i].off
		list[i] = n.number(made)
		list[i].off = off
	case "switch":
		list[i].off = r.Off
	case "move":
		one := list[i]
		list = slices.Delete(list, i, i+1)
		list = slices.Insert(list, min(max(r.To, 0), len(list)), one)
	case "remove":
		list = slices.Delete(list, i, i+1)
	case "clear":
		list = nil
	case "undo", "redo":
		return n.back(r.Do)
	case "continue", "discard":
		return n.decide(r.Do == "continue")
	default:
		return problem{http.StatusBadRequest, "expected add, change, switch, move, remove, clear, undo, redo, continue or discard"}
	}
	return n.set(list)
}

// number gives a change a number.
func (n *session) number(c *change) item {
	n.last++
	c.id = n.last
	return item{change: c}
}

// set replaces the list, which can be undone.
func (n *session) set(list []item) error {
	size := 0
	for _, e := range list {
		size += len(e.line)
	}
	if len(list) > maxListed || size > maxList {
		return problem{http.StatusRequestEntityTooLarge,
			fmt.Sprintf("the list has at most %d changes and %d MB: save it first", maxListed, maxList>>20)}
	}
	n.undo, n.redo = append(n.undo, n.list), nil
	if len(n.undo) > maxUndo {
		n.undo = slices.Delete(n.undo, 0, 1)
	}
	n.list = list
	n.revised()
	return nil
}

// back undoes the last change of the list, or redoes it.
func (n *session) back(how string) error {
	from, to := &n.undo, &n.redo
	if how == "redo" {
		from, to = to, from
	}
	last := len(*from) - 1
	if last < 0 {
		return problem{http.StatusConflict, "there is nothing to " + how}
	}
	*to = append(*to, n.list)
	n.list = (*from)[last]
	*from = (*from)[:last]
	n.revised()
	return nil
}

// revised keeps the new list.
func (n *session) revised() {
	n.revision++
	n.keep()
}

// decide accepts or discards the list of an earlier session.
func (n *session) decide(accept bool) error {
	if n.offer == nil {
		return problem{http.StatusConflict, "there is no list of an earlier session"}
	}
	var list []item
	for _, k := range n.offer.Changes {
		if !accept {
			break
		}
		c, err := n.parse(k.Words)
		if err != nil {
			return err
		}
		c.title = k.Title
		e := n.number(c)
		e.off = k.Off
		list = append(list, e)
	}
	n.offer = nil
	return n.set(list)
}

// script returns the lines of a script with the changes that are on, and the same as words of one command. It returns an error
// if they cannot be saved.
func (n *session) script() (lines, words []string, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, e := range n.list {
		if e.off {
			continue
		}
		if fault := e.last().Error; fault != "" {
			return nil, nil, problem{http.StatusConflict, fmt.Sprintf("%s: %s: change it, or switch it off", e.words[0], fault)}
		}
		if len(lines) > 0 {
			words = append(words, "then")
		}
		lines, words = append(lines, e.line), append(words, e.words...)
	}
	switch {
	case len(lines) == 0:
		return nil, nil, problem{http.StatusConflict, "the list has no changes"}
	case n.applied != n.revision:
		return nil, nil, problem{http.StatusConflict, "the changes are still being applied"}
	}
	return lines, words, nil
}

// last returns the effect of a change the last time it was applied.
func (c *change) last() effect {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.effect
}

// save saves the list and begins a new one.
func (n *session) save(ctx context.Context, revision int) (string, error) {
	n.saving.Lock()
	defer n.saving.Unlock()
	lines, _, err := n.script()
	if err != nil {
		return "", err
	}
	n.mu.Lock()
	digest, seen := n.digest, n.revision == revision
	n.mu.Unlock()
	if !seen {
		return "", errOther
	}
	script := strings.Join(lines, "\n") + "\n"
	n.mu.Lock()
	list := n.list
	n.mu.Unlock()
	var message string
	if n.folder != nil {
		message, err = n.changeFolder(ctx, nil, func(ctx context.Context) (string, error) { return n.Save(ctx, script, [32]byte{}) })
	} else {
		message, err = n.changeFile(ctx, nil, func(ctx context.Context) (string, error) { return n.Save(ctx, script, digest) })
	}
	if err == nil {
		n.mu.Lock()
		n.saved = list
		n.mu.Unlock()
	}
	return message, err
}

// unsave restores the file as it was before it was saved last. The list is again what was saved, and what was added since.
func (n *session) unsave(ctx context.Context, revision int) (string, error) {
	n.saving.Lock()
	defer n.saving.Unlock()
	if n.folder == nil {
		o, now, err := n.was.read(ctx)
		if err != nil {
			return "", err
		}
		_ = o.Close()
		if hex.EncodeToString(now.digest[:]) != n.hash() {
			return "", problem{http.StatusConflict, "the file has changed since it was saved: its backup stays next to it"}
		}
	}
	n.mu.Lock()
	list, seen := slices.Concat(n.saved, n.list), n.revision == revision
	none := n.saved == nil || n.Undo == nil
	n.mu.Unlock()
	switch {
	case none:
		return "", problem{http.StatusConflict, "nothing was saved here that can be undone"}
	case !seen:
		return "", errOther
	}
	change := n.changeFile
	if n.folder != nil {
		change = n.changeFolder
	}
	return change(ctx, list, n.Undo)
}

// changeFile changes the file on the disk and begins a list for the new content.
func (n *session) changeFile(ctx context.Context, list []item, change func(context.Context) (string, error)) (string, error) {
	message, err := change(ctx)
	if err != nil {
		return "", problem{http.StatusConflict, err.Error()}
	}
	if err := n.reread(ctx, &list); err != nil {
		return "", fmt.Errorf("%s; but the new file cannot be read: %w", message, err)
	}
	return message, nil
}

// begin replaces the list, so that nothing can be undone. It is called with mu locked.
func (n *session) begin(list []item) {
	n.list, n.undo, n.redo, n.saved = list, nil, nil, nil
}

// reread reads the file again, and begins a list or, if list is nil, applies the current one to the file.
func (n *session) reread(ctx context.Context, list *[]item) error {
	if n.folder != nil {
		return n.rereadFolder(ctx)
	}
	o, now, err := n.was.read(ctx)
	if err != nil {
		return err
	}
	data, err := o.Source.ReadAll()
	if err == nil && now.digest == [32]byte{} {
		err = fmt.Errorf("%s: files of more than %d MB cannot be edited here", n.was.Name, maxHeld>>20)
	}
	if err != nil {
		_ = o.Close()
		return err
	}
	n.replaying.Lock()
	n.mu.Lock()
	old := n.opened
	n.opened, n.base, n.digest = o, &state{parts: map[string][]byte{"": data}}, now.digest
	n.chain = []*state{n.base}
	if n.saved = nil; list != nil {
		n.begin(*list)
	}
	n.revised()
	n.mu.Unlock()
	n.replaying.Unlock()
	_ = old.Close()
	err = n.wait(ctx, n.settle())
	n.was.look()
	return err
}

// hash returns the hash of the file to which the list applies.
func (n *session) hash() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return hex.EncodeToString(n.digest[:])
}

// outdated reports whether the file on the disk is another than the one to which the list applies.
func (n *session) outdated() bool {
	n.was.mu.Lock()
	now, broken := n.was.shown.digest, n.was.broken
	n.was.mu.Unlock()
	n.mu.Lock()
	defer n.mu.Unlock()
	return broken != "" || now != [32]byte{} && now != n.digest
}

// close closes the file, once.
func (n *session) close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	_ = n.opened.Close()
	n.holds.Release()
	if n.folder != nil {
		n.folder.close()
	}
}
