package verbs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"trowel.example/cmd/internal/service"
	"trowel.example/internal/files/output"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/files/wholefile"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/parallel"
	"trowel.example/internal/text/words"
)

// asks answers the requests of a mod, which are files in a folder of the world. The mod has asked whether the player may; everything
// else about a request is checked here, because everybody who can write to the folder can make one.
type asks struct {
	*guard
	plan    *format.Plan
	options []format.Option // of the command that the plan is of
	dir     string
	next    time.Time // before which no request is read
}

const (
	askFile    = "request.json"
	answerFile = "answer.json"
	maxAsk     = 1 << 14 // bytes of a request
	maxPlaces  = 12      // places in an answer
	blockNodes = 4096    // nodes of a block, in which areas are counted
)

// askPause is the time between two requests. A test makes it shorter.
var askPause = time.Second

// ask is a request.
type ask struct {
	ID      string            `json:"id"`
	Do      string            `json:"do"` // list, rewind or undo
	By      string            `json:"by"` // a player
	Options map[string]string `json:"options"`
}

// answer is the answer to a request.
type answer struct {
	ID      string `json:"id"`
	Error   string `json:"error,omitempty"`
	Places  []any  `json:"places,omitempty"`  // of list: the largest ones
	More    int    `json:"more,omitempty"`    // of list: the number of the others
	Before  string `json:"before,omitempty"`  // of rewind: the snapshot of the world before
	Written bool   `json:"written,omitempty"` // the plan is in its place
}

// answer answers the request in the folder, if there is one.
func (a *asks) answer(ctx context.Context) {
	path := filepath.Join(a.dir, askFile)
	if time.Now().Before(a.next) || !service.Exists(path) {
		return
	}
	if info, err := os.Lstat(a.dir); err != nil || !info.IsDir() {
		a.next = time.Now().Add(guardDay)
		a.talk.Fail(fmt.Errorf("%s is not a folder: requests are not answered", a.dir))
		return
	}
	defer func() { a.next = time.Now().Add(askPause) }()
	data, err := readAsk(path)
	if removed := os.Remove(path); removed != nil && !errors.Is(removed, fs.ErrNotExist) {
		a.talk.Fail(fmt.Errorf("a request is not answered: %w", removed))
		return
	}
	var q ask
	if err == nil {
		q, err = parseAsk(data)
	}
	var is answer
	if err == nil {
		if p := parallel.Catch(func() { is, err = a.do(ctx, q) }); p != nil {
			err = service.Defect(p)
		}
	}
	if ctx.Err() != nil {
		return
	}
	is.ID = q.ID
	a.mu.Lock()
	if err != nil {
		a.state.refused++
	} else {
		a.state.answered++
	}
	a.mu.Unlock()
	if err != nil {
		// Players need not know where the repository is.
		is = answer{ID: q.ID, Error: words.OneLine(strings.TrimPrefix(a.talk.Plain(err.Error()), a.repo+": "))}
		a.talk.Fail(fmt.Errorf("request of %s refused: %w", words.Quoted(q.By), err))
	} else {
		line := q.By + ": " + q.Do
		for _, name := range slices.Sorted(maps.Keys(q.Options)) {
			line += " " + q.Options[name]
		}
		a.talk.Say("%s", line)
	}
	data, err = json.Marshal(is)
	if err == nil {
		err = wholefile.Write(filepath.Join(a.dir, answerFile), bytes.NewReader(data), 0o666)
	}
	if err != nil {
		a.talk.Fail(fmt.Errorf("the answer is not written: %w", err))
	}
}

func readAsk(path string) ([]byte, error) {
	f, _, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxAsk+1))
	if len(data) > maxAsk {
		return nil, fmt.Errorf("a request has at most %d bytes", maxAsk)
	}
	return data, err
}

var (
	askID = regexp.MustCompile(`^[0-9A-Za-z-]{1,40}$`)
	askBy = regexp.MustCompile(`^[0-9A-Za-z_.-]{1,40}$`)
)

// parseAsk parses a request. Of one that is not accepted, it returns the ID if that is one.
func parseAsk(data []byte) (q ask, err error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err = d.Decode(&q); err == nil && d.More() {
		err = errors.New("the request has data after its end")
	}
	switch {
	case err != nil:
		err = fmt.Errorf("the request is not as the mod writes it: %w", err)
	case !askID.MatchString(q.ID):
		return ask{}, errors.New("the request has no ID")
	case !askBy.MatchString(q.By):
		q.By, err = "", errors.New("the request has no name of a player")
	case q.Do != "list" && q.Do != "rewind" && q.Do != "undo":
		err = fmt.Errorf("%q is not an allowed request", q.Do)
	}
	if !askID.MatchString(q.ID) {
		q.ID = ""
	}
	return q, err
}

// do does what a request asks for.
func (a *asks) do(ctx context.Context, q ask) (is answer, err error) {
	allowed := []string{"moment", "box"}
	if q.Do == "list" {
		allowed = []string{"moment", "area", "min-nodes"}
	}
	for name := range q.Options {
		if !slices.Contains(allowed, name) {
			return is, fmt.Errorf("%s: a request cannot have the option %q", q.Do, name)
		}
	}
	box, n := q.Options["box"], volume(q.Options["box"])
	if q.Do == "list" { // the blocks around a box, of which several may contain parts of it
		box = q.Options["area"]
		n = volume(box) * blockNodes / 8
	}
	if n < 1 || n > a.Most {
		return is, fmt.Errorf("expected a box of at most %s nodes, not %q (--most-nodes)", words.Thousands(int64(a.Most)), box)
	}
	if q.Options["moment"] == "" {
		return is, errors.New("the request names no moment")
	}
	if q.Do == "rewind" {
		if is.Before, err = a.snapshot(ctx); err != nil {
			return is, fmt.Errorf("nothing is put back, because the current state of the world could not be backed up first: %w", err)
		}
	}
	err = a.withRepo(ctx, func(r *service.File) error {
		w, err := a.Find(ctx, a.world)
		if err != nil {
			return err
		}
		defer w.Close()
		if q.Do == "list" {
			return a.list(ctx, q, r, w, &is)
		}
		job, err := a.askJob(r.Format, a.options, q)
		if err != nil {
			return err
		}
		is.Written = true
		return a.write(ctx, job, r, w)
	})
	return is, err
}

// askJob returns a job with the options of a request.
func (a *asks) askJob(f *format.Format, options []format.Option, q ask) (*format.Job, error) {
	job := a.Job(f, options...)
	job.OnDone = nil
	for name, value := range q.Options {
		i := slices.IndexFunc(options, func(o format.Option) bool { return o.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("unknown option %q", name)
		}
		if err := options[i].Check(value); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		job.Values[name] = value
	}
	return job, nil
}

func (a *asks) list(ctx context.Context, q ask, r, w *service.File, is *answer) error {
	job, err := a.askJob(r.Format, r.OptionsFor(format.ForCompare), q)
	if err != nil {
		return err
	}
	_, err = r.Compare(ctx, job, format.Side{Source: r.Source}, format.Side{Source: w.Source}, func(change any) error {
		if len(is.Places) < maxPlaces {
			is.Places = append(is.Places, change)
		} else {
			is.More++
		}
		return nil
	})
	return err
}

// write writes the plan: it is complete, or not there.
func (a *asks) write(ctx context.Context, job *format.Job, r, w *service.File) error {
	out, err := output.New(filepath.Join(a.world, a.plan.Name), output.Options{Replace: true, Reads: r.Reads,
		Others: func() fs.FileMode { return service.OthersOf(r.ShownPaths()) }})
	if err != nil {
		return err
	}
	defer out.Discard()
	if err := a.plan.Write(ctx, job, r.Source, w.Source, out); err != nil {
		return err
	}
	return out.Commit()
}

// volume returns the number of nodes in a box x1,y1,z1:x2,y2,z2, or 0 if it is not one.
func volume(box string) int {
	var at [2][3]int
	corners := strings.Split(box, ":")
	if len(corners) != 2 {
		return 0
	}
	for i, c := range corners {
		numbers := strings.Split(c, ",")
		if len(numbers) != 3 {
			return 0
		}
		for k, text := range numbers {
			n, err := strconv.ParseInt(text, 10, 17)
			if err != nil {
				return 0
			}
			at[i][k] = int(n)
		}
	}
	n := 1
	for k := range 3 {
		n *= max(at[0][k], at[1][k]) - min(at[0][k], at[1][k]) + 1
	}
	return n
}
