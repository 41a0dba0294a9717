package output

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"trowel.example/internal/files/filelock"
	"trowel.example/internal/files/regular"
)

// Collection is a folder of many files that is updated: each run replaces only those files of earlier runs that have
// changed. Each file appears atomically. A log in the folder records the files, so that an interrupted run is resumed.
// The methods may be called concurrently, but not for the same name.
//
// The log is text: a header line, then for each file the line "? NAME" before it is written, and the line "KEY CONTENT
// SIZE NAME" when it is complete. A later line for a name replaces an earlier one; "- NAME" records that the file was
// removed. The notes of a file follow its size: "SIZE;NUMBER:COUNT,NUMBER:COUNT"; an earlier line "= NUMBER TEXT"
// defines the text of each number.
type Collection struct {
	path string
	root *os.Root
	work *workshop
	mode fs.FileMode

	mu    sync.Mutex
	log   *os.File
	made  map[string]*Piece
	aside map[string]asidePiece
	temps int
	texts []string // texts of notes in the log, by number
	known numbers
}

// asidePiece is a file that is not part of the collection.
type asidePiece struct {
	Piece
	path string // in the folder
}

// Piece describes a file of a collection.
type Piece struct {
	Key     Hash // hash of the inputs it was made from
	Content Hash // hash of its visible content
	Size    int64
	Notes   []Note
	seen    bool // requested or written in this run
	away    bool // adopted: another program puts it in its place
}

// Note is a line of text about a file, with a count. It is kept as long as the file.
type Note struct {
	Text  string
	Count int64
}

// Hash is the first half of a SHA-256 hash.
type Hash [16]byte

const (
	logName   = ".trowel-made"
	logHeader = "files that trowel made here, and rebuilds: do not edit\n"
)

// OpenCollection opens the collection at path, or creates the folder. Other files in the folder are an error, unless
// opts permit them.
func OpenCollection(path string, opts Options) (_ *Collection, err error) {
	if err := opts.NotRead(path); err != nil {
		return nil, err
	}
	recoverRuns(filepath.Dir(path))
	Step()
	if err := os.Mkdir(path, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	root, err := regular.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	c := &Collection{path: path, root: root, made: make(map[string]*Piece), mode: 0o666}
	defer func() {
		if err != nil {
			c.Close()
		}
	}()
	c.mode &= 0o600 | opts.others()
	switch info, err := root.Lstat(logName); {
	case err == nil && !info.Mode().IsRegular():
		return nil, &ExistsError{Path: filepath.Join(path, logName)}
	case errors.Is(err, fs.ErrNotExist) && !opts.Replace && !empty(path):
		return nil, &ExistsError{Path: path}
	}
	if c.log, err = root.OpenFile(logName, os.O_RDWR|os.O_CREATE|os.O_APPEND, c.mode); err != nil {
		return nil, err
	}
	if err := filelock.Try(c.log); errors.Is(err, filelock.ErrTaken) {
		return nil, fmt.Errorf("%s: another run writes to this folder", path)
	}
	if err := c.read(); err != nil {
		return nil, err
	}
	for _, text := range c.texts {
		c.known.add(text)
	}
	recoverRuns(path)
	c.work, err = newWorkshop(path)
	return c, err
}

// LookInto opens a collection for Piece, Read and Close only. The error is [fs.ErrNotExist] if there is no collection.
func LookInto(path string) (*Collection, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	c := &Collection{path: path, root: root, made: make(map[string]*Piece)}
	info, err := root.Lstat(logName)
	if err == nil && !info.Mode().IsRegular() {
		err = fs.ErrNotExist
	}
	if err == nil {
		var log *os.File
		if log, err = root.Open(logName); err == nil {
			defer log.Close()
			err = c.lines(log, func(string) error { return nil })
		}
	}
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return c, nil
}

// read reads the log. The last line may be incomplete.
func (c *Collection) read() error {
	return c.lines(c.log, func(rest string) error {
		if rest == "" {
			return errors.Join(c.log.Truncate(0), c.note(logHeader))
		}
		return c.note("\n")
	})
}

// lines processes the lines of a log. If the last line is incomplete, it calls torn with this line, or with "" if this
// is the header.
func (c *Collection) lines(log io.Reader, torn func(rest string) error) error {
	r := bufio.NewReaderSize(log, 1<<16)
	head, err := r.ReadString('\n')
	if err == io.EOF && strings.HasPrefix(logHeader, head) { // the first run was stopped while it wrote the header
		return torn("")
	}
	if head != logHeader {
		return fmt.Errorf("%s: not the log of a folder that trowel made", filepath.Join(c.path, logName))
	}
	for {
		line, err := r.ReadString('\n')
		if err == io.EOF {
			if line != "" {
				return torn(line)
			}
			return nil
		}
		if err != nil {
			return err
		}
		c.take(strings.TrimSuffix(line, "\n"))
	}
}

// take processes a line of the log. It ignores invalid lines.
func (c *Collection) take(line string) {
	if name, ok := strings.CutPrefix(line, "? "); ok && fs.ValidPath(name) {
		c.made[name] = new(Piece)
	} else if name, ok := strings.CutPrefix(line, "- "); ok {
		delete(c.made, name)
	} else if rest, ok := strings.CutPrefix(line, "= "); ok {
		number, text, _ := strings.Cut(rest, " ")
		if n, err := strconv.Atoi(number); err == nil && n >= 0 && n <= len(c.texts) {
			c.texts = append(c.texts[:n], text) // a line that was cut off is repeated
		}
	} else if parts := strings.SplitN(line, " ", 4); len(parts) == 4 && fs.ValidPath(parts[3]) {
		p := new(Piece)
		n1, err1 := hex.Decode(p.Key[:], []byte(parts[0])[:min(32, len(parts[0]))])
		n2, err2 := hex.Decode(p.Content[:], []byte(parts[1])[:min(32, len(parts[1]))])
		number, notes, _ := strings.Cut(parts[2], ";")
		size, err3 := strconv.ParseInt(number, 10, 64)
		if p.Size = size; !c.takeNotes(p, notes) {
			p = new(Piece) // it must be made again
		} else if err1 == nil && err2 == nil && err3 == nil && n1+n2 == 32 {
			c.made[parts[3]] = p
		}
	}
}

// takeNotes parses the notes of a file, and reports whether they are valid.
func (c *Collection) takeNotes(p *Piece, list string) bool {
	if list == "" {
		return true
	}
	for one := range strings.SplitSeq(list, ",") {
		number, times, _ := strings.Cut(one, ":")
		n, err := strconv.Atoi(number)
		count, err2 := strconv.ParseInt(times, 10, 64)
		if err != nil || err2 != nil || n < 0 || n >= len(c.texts) {
			return false
		}
		p.Notes = append(p.Notes, Note{c.texts[n], count})
	}
	return true
}

// numbers assigns numbers to the texts in a log.
type numbers struct {
	of   map[string]int
	next int
}

func (n *numbers) add(text string) (number int) {
	if n.of == nil {
		n.of = make(map[string]int)
	}
	number = n.next
	n.of[text] = number
	n.next++
	return number
}

// line returns the log line of a file, preceded by lines that define new texts.
func (n *numbers) line(name string, p *Piece) string {
	var texts, list strings.Builder
	for i, note := range p.Notes {
		number, ok := n.of[note.Text]
		if !ok {
			number = n.add(note.Text)
			fmt.Fprintf(&texts, "= %d %s\n", number, note.Text)
		}
		fmt.Fprintf(&list, "%c%d:%d", ";,"[min(i, 1)], number, note.Count)
	}
	return fmt.Sprintf("%s%x %x %d%s %s\n", texts.String(), p.Key, p.Content, p.Size, list.String(), name)
}

// note appends a line to the log.
func (c *Collection) note(line string) error {
	Step()
	_, err := c.log.WriteString(line)
	return err
}

// Piece returns the entry of a file that exists as it was written, and marks the file as seen.
func (c *Collection) Piece(name string) (Piece, bool) {
	c.mu.Lock()
	p := c.made[name]
	if p != nil {
		p.seen = true
	}
	aside, ok := c.aside[name]
	c.mu.Unlock()
	if ok {
		return aside.Piece, true
	}
	if p == nil {
		return Piece{}, false
	}
	if p.away {
		return *p, true
	}
	info, err := c.root.Lstat(name)
	return *p, err == nil && info.Mode().IsRegular() && info.Size() == p.Size
}

// Read returns the content of a file.
func (c *Collection) Read(name string) ([]byte, error) {
	c.mu.Lock()
	if aside, ok := c.aside[name]; ok {
		name = aside.path
	}
	c.mu.Unlock()
	return c.root.ReadFile(name)
}

// Aside stores a file for Piece and Read until Close, outside the collection.
func (c *Collection) Aside(name string, key, content Hash, data []byte) error {
	path, err := c.writeTemp(data)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.aside == nil {
		c.aside = make(map[string]asidePiece)
	}
	c.aside[name] = asidePiece{Piece{Key: key, Content: content, Size: int64(len(data))}, path}
	return nil
}

// writeTemp writes a temporary file of this run, and returns its path in the folder.
func (c *Collection) writeTemp(data []byte) (string, error) {
	c.mu.Lock()
	c.temps++
	temp := filepath.Base(c.work.dir) + "/" + strconv.Itoa(c.temps)
	c.mu.Unlock()
	Step()
	f, err := c.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, c.mode)
	if err == nil {
		Step()
		_, err = f.Write(data)
		err = errors.Join(err, f.Close())
	}
	return temp, err
}

// All returns the entries of all files that exist as they were written, by name.
func (c *Collection) All() map[string]Piece {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := make(map[string]Piece, len(c.made))
	for name, p := range c.made {
		all[name] = *p
	}
	return all
}

// Rekey records that a file is still up to date although its inputs have changed.
func (c *Collection) Rekey(name string, key Hash, notes ...Note) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.made[name]
	p.Key, p.Notes = key, notes
	return c.note(c.known.line(name, p))
}

// Put writes a new file, or replaces one of an earlier run.
func (c *Collection) Put(name string, key, content Hash, data []byte, notes ...Note) error {
	c.mu.Lock()
	p, ours := c.made[name]
	c.mu.Unlock()
	if _, err := c.root.Lstat(name); err == nil && !ours {
		return &ExistsError{Path: filepath.Join(c.path, filepath.FromSlash(name))}
	}
	temp, err := c.writeTemp(data)
	if err != nil {
		return err
	}
	c.mu.Lock()
	if !ours {
		p = new(Piece)
		c.made[name] = p
	}
	err = c.note("? " + name + "\n")
	c.mu.Unlock()
	if err != nil {
		return err
	}
	if dir := path.Dir(name); dir != "." {
		Step()
		if err := c.root.MkdirAll(dir, 0o777); err != nil {
			return err
		}
	}
	Step()
	if err := c.root.Rename(temp, name); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	*p = Piece{Key: key, Content: content, Size: int64(len(data)), Notes: notes, seen: true}
	return c.note(c.known.line(name, p))
}

// Adopt records a new file that another program puts in its place after this run. It cannot be read in this run.
func (c *Collection) Adopt(name string, key, content Hash, size int64, notes ...Note) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := &Piece{Key: key, Content: content, Size: size, Notes: notes, seen: true, away: true}
	c.made[name] = p
	return c.note(c.known.line(name, p))
}

// Remove removes a file of an earlier run.
func (c *Collection) Remove(name string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.made[name] == nil {
		return nil
	}
	Step()
	if err := c.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	delete(c.made, name)
	return c.note("- " + name + "\n")
}

// Unseen returns the names of files of earlier runs that were neither requested nor written in this run.
func (c *Collection) Unseen() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var names []string
	for name, p := range c.made {
		if !p.seen {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Finish flushes all files to disk, and rewrites the log without superseded lines.
func (c *Collection) Finish() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	names := make([]string, 0, len(c.made))
	for name := range c.made {
		names = append(names, name)
	}
	slices.Sort(names)
	temp := c.work.path("log")
	Step()
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, c.mode)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<16)
	_, _ = w.WriteString(logHeader)
	var known numbers
	for _, name := range names {
		_, _ = w.WriteString(known.line(name, c.made[name]))
	}
	if err := errors.Join(w.Flush(), f.Close()); err != nil { // reports earlier write errors as well
		return err
	}
	Step()
	if err := syncAll(c.path); err != nil {
		return err
	}
	if onWindows { // an open file cannot be replaced there
		c.log.Close()
	}
	Step()
	if err := os.Rename(temp, filepath.Join(c.path, logName)); err != nil {
		return err
	}
	syncDir(c.path)
	return nil
}

// Close ends the work. Written files are kept.
func (c *Collection) Close() error {
	if c.work != nil {
		c.work.close()
	}
	if c.log != nil {
		c.log.Close()
	}
	return c.root.Close()
}

// Sync flushes all files in a folder to disk.
func Sync(path string) error { return syncAll(path) }
