package viewer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"trowel.example/check"
	"trowel.example/cmd/internal/treediff"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/parallel"
)

const (
	maxLines    = 1000 // hits of a search
	maxHits     = 5000 // hits of a query
	maxLineText = 500  // bytes shown of a line
	streamEvery = 200 * time.Millisecond
)

// stream is an answer in lines of JSON, sent as they are found: {"hit": ...}, {"progress": number of items
// searched}, and at the end {"end": {...}} or {"error": message}. The time is not limited: the stream ends with
// the request.
type stream struct {
	w    *json.Encoder
	out  *http.ResponseController
	last time.Time
}

// errEnough ends a search that has found as many hits as are shown.
var errEnough = errors.New("enough")

func (t *stream) send(name string, value any) error {
	err := t.w.Encode(map[string]any{name: value})
	if err == nil && time.Since(t.last) > streamEvery {
		t.last = time.Now()
		err = t.out.Flush()
	}
	return err
}

// progress sends the progress from time to time.
func (t *stream) progress(n int) error {
	if time.Since(t.last) > streamEvery {
		return t.send("progress", n)
	}
	return nil
}

// stream makes a handler of a function that searches a file.
func (s *Server) stream(find func(ctx context.Context, e *edition, r *http.Request) (func(*stream) error, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var run func(*stream) error
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		defer context.AfterFunc(s.life, cancel)()
		e, release, err := s.editionOf(r)
		if err == nil {
			defer release()
			run, err = find(ctx, e, r)
		}
		if err != nil {
			s.fail(w, r, err)
			return
		}
		w.Header().Set("Content-Type", "application/x-ndjson")
		t := &stream{w: json.NewEncoder(w), out: http.NewResponseController(w), last: time.Now()}
		if p := parallel.Catch(func() { err = run(t) }); p != nil {
			err = defect(p)
		}
		if err != nil && ctx.Err() == nil {
			_ = t.send("error", e.of.failure(err))
		}
	}
}

// lineHit is a matching line.
type lineHit struct {
	Path string `json:"path"`
	Line int    `json:"line"`
	Text string `json:"text"`
	At   place  `json:"at"`
}

// searchText searches the lines of the tree. Parameters: q, a regular expression, or a literal text with fixed;
// i ignores case. The end has the number of files searched and the files that could not be searched.
func searchText(ctx context.Context, e *edition, r *http.Request) (func(*stream) error, error) {
	q := r.URL.Query()
	pattern, err := treediff.Pattern(q.Get("q"), q.Has("fixed"), q.Has("i"), format.Registered())
	if err != nil {
		return nil, problem{http.StatusBadRequest, err.Error()}
	}
	fsys, err := e.files(ctx)
	if err != nil {
		return nil, err
	}
	return func(t *stream) error {
		view, release := e.viewOf(ctx, r)
		defer release()
		files, hits, failed := 0, 0, []string{}
		err := treediff.EachFile(ctx, fsys, func(f treediff.File) error {
			e.of.server.giveWay(ctx)
			lines, err := f.Search(pattern)
			if err != nil && len(failed) < maxNotes {
				failed = append(failed, e.of.failure(err))
			}
			for _, l := range lines {
				if hits++; hits > maxLines {
					return errEnough
				}
				if err := t.send("hit", lineHit{f.Name, l.Line, cut(l.Text, maxLineText),
					placeIn(ctx, view, check.Line{Path: f.Name, Line: l.Line})}); err != nil {
					return err
				}
			}
			files++
			return t.progress(files)
		})
		return t.end(err, map[string]any{"files": files, "hits": min(hits, maxLines), "failed": failed})
	}, nil
}

// end sends the end of the stream, which states whether there are more hits.
func (t *stream) end(err error, summary map[string]any) error {
	summary["more"] = errors.Is(err, errEnough)
	if err != nil && !errors.Is(err, errEnough) {
		return err
	}
	return t.send("end", summary)
}

// foundThing is a hit of a query.
type foundThing struct {
	Path   string `json:"path"`
	At     *place `json:"at,omitempty"`
	Fields []fact `json:"fields"`
}

// findThings runs a query. The parameter q contains its words.
func findThings(ctx context.Context, e *edition, r *http.Request) (func(*stream) error, error) {
	if e.Format.Finder == nil {
		return nil, problem{http.StatusNotFound, "a " + e.Format.Title + " has no queries"}
	}
	words, err := splitWords(r.URL.Query().Get("q"))
	var steps []format.Step
	if err == nil {
		steps, err = format.ParseSteps(e.job(nil), e.Format.Finder.Commands, words)
	}
	if err == nil && len(steps) != 1 {
		err = errors.New("expected one query")
	}
	if err == nil {
		err = noFiles(steps[0])
	}
	if err != nil {
		return nil, problem{http.StatusBadRequest, err.Error()}
	}
	return func(t *stream) error {
		view, release := e.viewOf(ctx, r)
		defer release()
		hits, seen := 0, 0
		waiting := batch{stream: t}
		job := e.job(nil)
		job.OnProgress = func(_ string, done, _ int) {
			seen = done
			e.of.server.giveWay(ctx)
		}
		err := e.Format.Finder.Find(ctx, job, e.Source, steps[0], func(h format.Hit) error {
			if hits++; hits > maxHits {
				return errEnough
			}
			one := foundThing{Path: h.Path, Fields: facts(h.Fields)}
			if h.At != nil {
				p := placeIn(ctx, view, h.At)
				one.At = &p
			}
			return waiting.add(ctx, e, one)
		})
		if sent := waiting.send(ctx, e); sent != nil && (err == nil || errors.Is(err, errEnough)) {
			err = sent
		}
		return t.end(err, map[string]any{"hits": min(hits, maxHits), "files": seen})
	}, nil
}

// batch collects hits for a short time, so that their lines are located together.
type batch struct {
	*stream
	hits []foundThing
}

const batchHits = 200

func (b *batch) add(ctx context.Context, e *edition, one foundThing) error {
	if b.hits = append(b.hits, one); len(b.hits) < batchHits && time.Since(b.last) < streamEvery {
		return nil
	}
	return b.send(ctx, e)
}

func (b *batch) send(ctx context.Context, e *edition) error {
	places := make([]check.Place, len(b.hits))
	for i, one := range b.hits {
		if places[i] = check.File(one.Path); one.At != nil {
			places[i] = one.At.At
		}
	}
	lines, err := e.locate(ctx, places, func(string) bool { return true })
	if err != nil {
		return err
	}
	for i, one := range b.hits {
		if one.At == nil && lines[i].Path != "" {
			one.At = &place{Text: one.Path, At: places[i]}
		}
		if one.At != nil {
			one.At.setLine(lines[i])
		}
		if err := b.stream.send("hit", one); err != nil {
			return err
		}
	}
	b.hits = nil
	return nil
}

// noFiles returns an error if a query names a file of the disk.
func noFiles(step format.Step) error {
	for _, o := range append(step.Args[:len(step.Args):len(step.Args)], step.Options...) {
		if v, given := step.Job.Values[o.Name]; o.Input && given && v != o.Default {
			return fmt.Errorf("%s: no file can be named here", o.Name)
		}
	}
	return nil
}

// splitWords splits text that the user typed into words, as a shell does: quoted text is one word, and \
// escapes the next character, except between ' and '.
func splitWords(text string) (words []string, err error) {
	var word strings.Builder
	quote, escaped, begun := rune(0), false, false
	for _, r := range text {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, begun = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, begun = r, true
		case r == ' ' || r == '\t' || r == '\n':
			if begun {
				words = append(words, word.String())
				word.Reset()
				begun = false
			}
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	switch {
	case quote != 0:
		return nil, fmt.Errorf("a %c is not closed", quote)
	case escaped:
		return nil, errors.New(`nothing follows \`)
	case begun:
		words = append(words, word.String())
	}
	return words, nil
}
