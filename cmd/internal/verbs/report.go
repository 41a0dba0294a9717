package verbs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/terminal"
	"trowel.example/cmd/internal/wording"
	"trowel.example/fault"
	"trowel.example/internal/files/output"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/parallel"
	"trowel.example/internal/text/words"
)

// reportHelp explains --dry-run and --json. Several verbs use it.
const reportHelp = `With --dry-run all work is done but nothing is written: the names and sizes of the output are
printed. With --json it prints an array of {file, format, output, dryRun, made, warnings, losses,
error}, one for each FILE: made is an array of {path, size}, the others of {path, message}, and
error is present only if the work on the file failed and nothing was written.`

// writing is one run of a verb that writes files.
type writing struct {
	*Tool
	jsonOption
	DryRun bool `option:"dry-run" help:"print what would be written, and write nothing"`

	strict bool       // unreadable data prevents writing, unless -k is given
	keep   keepOption // only for verbs that are strict

	list    terminal.Array
	several bool     // the run has several files
	first   []string // arrays in the JSON of a file before "made", such as findings
	found   bool     // some file has findings, or lacks what was asked for
}

// sections returns the names of the arrays in the JSON of a file, in order.
func (w *writing) sections() []string {
	return append(slices.Clip(w.first), "made")
}

// keepOption is the option of verbs that make a file from another file. The rule for -k is the same for all verbs: see [report.whole].
type keepOption struct {
	KeepGoing bool `option:"keep-going,k" help:"write the readable data of damaged files; the exit code is 1"`
}

// keepHelp explains -k.
const keepHelp = `For a cut or damaged file nothing is written unless -k is given: then all readable data is written,
the missing parts are reported, and the exit code is 1.`

// each calls do for each file. An error of one file does not stop the others.
func (w *writing) each(ctx context.Context, names []string, do func(name string, r *report) error) error {
	w.list, w.several = terminal.Array{W: w.out}, len(names) > 1
	failed := false
	for _, name := range names {
		r := &report{writing: w, file: name, sections: w.sections(), before: w.Lost.Load()}
		var err error
		if p := parallel.Catch(func() { err = do(name, r) }); p != nil {
			err = wording.Named(service.Defect(p), name)
		}
		if ended := r.end(err); ended != nil {
			return ended
		}
		switch {
		case err == nil:
		case errors.Is(err, errFound):
			w.found = true
		case len(names) == 1 || ctx.Err() != nil:
			return errors.Join(err, w.end())
		default:
			w.talk.Fail(err)
			_, lacks := errors.AsType[lackingError](err)
			w.found, failed = w.found || lacks, failed || !lacks
		}
	}
	switch err := w.end(); {
	case err != nil:
		return err
	case failed:
		return errQuiet
	case w.found:
		return errFound
	}
	return nil
}

func (w *writing) end() error {
	if w.AsJSON {
		return w.list.End()
	}
	return nil
}

// report collects and prints the results of writing the output of one file.
type report struct {
	*writing
	file, format, output string
	held                 *output.Held // lock of the file that is changed in place
	merged               []string     // all inputs, if file is not the only one

	sections []string // arrays of the JSON not closed yet; the first one is open
	items    int      // number of elements in the open array
	begun    bool
	extra    terminal.Object // additional JSON members of some verbs
	made     int             // number of files
	bytes    int64

	mu       sync.Mutex
	warnings []message
	losses   []message
	broken   map[string]bool // files with lost data
	before   int64           // losses before this report
}

type message struct {
	Path    string `json:"path"`
	Message string `json:"message"`
}

// watch makes the report store the warnings and losses of a job.
func (r *report) watch(job *format.Job) *format.Job {
	if r.several {
		r.About(job, r.file)
	}
	warned, missed, lost := job.OnWarn, job.OnMiss, job.OnLose
	job.OnLose = func(path string) {
		r.damaged(path)
		lost(path)
	}
	job.OnWarn = func(path, text string) {
		r.mu.Lock()
		r.warnings = append(r.warnings, message{r.talk.Plain(path), r.talk.Plain(text)})
		r.mu.Unlock()
		warned(path, text)
	}
	job.OnMiss = func(path, text string) {
		r.lose(path, text)
		missed(path, text)
	}
	job.Temporary = job.Temporary || r.DryRun
	return job
}

// whole returns an error if data that should be in the file could not be read, unless the user accepts that.
// The losses are already reported. Each verb that writes calls whole before it commits its output.
func (r *report) whole() error {
	if !r.strict || r.keep.KeepGoing || r.Lost.Load() == r.before {
		return nil
	}
	var names []string
	for _, name := range r.merged {
		if r.broken[name] && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	subject := r.file + ": is"
	switch len(names) {
	case 0:
	case 1:
		subject = names[0] + ": is"
	default:
		subject = strings.Join(names, " and ") + " are"
	}
	return wording.Hint(fmt.Errorf("%s incomplete or damaged: nothing was written", subject), "-k writes the readable data")
}

// damaged records that data of a file is lost.
func (r *report) damaged(path string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.broken == nil {
		r.broken = make(map[string]bool)
	}
	r.broken[r.talk.Plain(path)] = true
}

func (r *report) lose(path, text string) {
	r.mu.Lock()
	r.losses = append(r.losses, message{r.talk.Plain(path), r.talk.Plain(text)})
	r.mu.Unlock()
}

// add reports a file that was made.
func (r *report) add(path string, size int64) error {
	r.made++
	r.bytes += size
	switch {
	case r.AsJSON:
		return r.item("made", terminal.Object{{"path", path}, {"size", size}})
	case r.DryRun:
		_, err := fmt.Fprintf(r.out, "%10d  %s\n", size, words.Printable(path))
		return err
	}
	return nil
}

// addAll reports all files of an output.
func (r *report) addAll(out *output.Output) error {
	list, err := out.Made()
	for _, m := range list {
		if err == nil {
			err = r.add(r.userPath(m.Path), m.Size)
		}
	}
	return err
}

// userPath returns the user's name for a path of the output.
func (r *report) userPath(path string) string {
	if rest, ok := strings.CutPrefix(path, r.Written(r.output)); ok {
		return r.output + rest
	}
	return path
}

// item prints an element of an array of the JSON. It first prints everything up to that array.
func (r *report) item(section string, v any) error {
	if err := r.open(section); err != nil {
		return err
	}
	data, err := terminal.Compact(v)
	if r.items++; r.items > 1 {
		data = append([]byte(","), data...)
	}
	_, written := r.out.Write(data)
	return errors.Join(err, written)
}

// open prints the JSON up to the start of an array.
func (r *report) open(section string) error {
	if !r.begun {
		r.begun = true
		head, err := terminal.Compact(terminal.Object{{"file", r.file}, {"format", r.format}, {"output", r.output}, {"dryRun", r.DryRun}})
		if err == nil {
			err = r.list.AddRaw(fmt.Appendf(head[:len(head)-1], ",%q:[", r.sections[0]))
		}
		if err != nil {
			return err
		}
	}
	for r.sections[0] != section {
		r.sections, r.items = r.sections[1:], 0
		if _, err := fmt.Fprintf(r.out, "],%q:[", r.sections[0]); err != nil {
			return err
		}
	}
	return nil
}

// end prints the rest of the JSON.
func (r *report) end(failure error) error {
	if !r.AsJSON {
		return nil
	}
	if err := r.open("made"); err != nil {
		return err
	}
	rest := append(r.extra, terminal.Object{{"warnings", append([]message{}, r.warnings...)}, {"losses", append([]message{}, r.losses...)}}...)
	if failure != nil && !errors.Is(failure, errFound) {
		rest = append(rest, terminal.Member{"error", r.talk.Plain(wording.Text(failure))})
	}
	tail, err := terminal.Compact(rest)
	if err == nil {
		_, err = fmt.Fprintf(r.out, "],%s", tail[1:])
	}
	return err
}

// write calls build to write an output and commits the output; "-" is standard output.
func (r *report) write(ctx context.Context, name string, opts output.Options, build func(format.Output) error) error {
	if r.output = name; name == "-" && r.AsJSON {
		return errors.New("standard output cannot take both the file and --json")
	}
	out, err := output.Stream(r.out), error(nil)
	switch {
	case name != "-" && r.Handover != nil && r.Handover.Output == nil:
		out = output.Stream(io.Discard)
	case name != "-":
		out, err = output.New(r.Written(name), opts)
	}
	if err == nil {
		err = r.commit(ctx, name, out, build)
	}
	if err != nil || r.DryRun {
		return err
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() && out.Replaced() {
		r.talk.Say("replaced %s%c: the old one was kept until the new one was complete", filepath.Clean(name), filepath.Separator)
	}
	return nil
}

// merge is write for an output that is merged into an existing folder.
func (r *report) merge(ctx context.Context, name string, opts output.Options, build func(format.Output) error) error {
	r.output = filepath.Clean(name)
	out, err := output.Into(r.Written(name), opts)
	if err != nil {
		return err
	}
	return r.commit(ctx, r.output, out, build)
}

// commit calls build to write an output, and commits the output.
func (r *report) commit(ctx context.Context, name string, out *output.Output, build func(format.Output) error) error {
	defer out.Discard()
	err := build(r.Named(out, name))
	if err == nil {
		err = errors.Join(ctx.Err(), r.whole())
	}
	if err == nil {
		err = r.addAll(out)
	}
	if err != nil || r.DryRun {
		return err
	}
	defer context.AfterFunc(ctx, out.Interrupt)()
	if err := out.Commit(); err != nil {
		return cmp.Or(ctx.Err(), err)
	}
	if kept, changed := out.Kept(); changed {
		r.foreign(name, strings.Join(kept, ", "))
	}
	return nil
}

// resume is write for an output that continues where an earlier run stopped.
func (r *report) resume(ctx context.Context, name string, opts output.Options, build func(format.Output) error) error {
	if r.DryRun {
		return r.write(ctx, name, opts, func(out format.Output) error { return build(notKept{out}) })
	}
	r.output = name
	out, err := output.Resume(r.Written(name), opts)
	if err == nil {
		defer out.Discard()
		err = build(out)
	}
	if errors.Is(err, fault.ErrLost) && r.strict && !r.keep.KeepGoing {
		err = wording.Hint(err, "the same command with -k completes it")
	}
	if err == nil {
		err = out.Commit()
	}
	if err == nil && r.AsJSON {
		err = r.addAll(out)
	}
	return err
}

// notKept is an output that is discarded.
type notKept struct{ format.Output }

func (o notKept) KeptDir() (string, error) { return o.Dir() }

// printDone prints what was done or, in a dry run, what would have been done.
func (r *report) printDone(done, would string, format string, args ...any) {
	_ = r.out.Flush()
	if !r.DryRun {
		r.talk.Say("%s "+format, append([]any{done}, args...)...)
		return
	}
	r.talk.Say("would %s "+format+"; nothing was written", append([]any{would}, args...)...)
}

// sayMade prints that a file or folder was made.
func (r *report) sayMade(done, would, name string, folder bool) {
	if folder {
		r.printDone(done, would, "%s%c", filepath.Clean(name), filepath.Separator)
	} else {
		r.printDone(done, would, "%s, %s bytes", name, words.Thousands(r.bytes))
	}
}

// hintRedirected prints a hint if the user redirects standard output to a file but -o names no output.
func (r *report) hintRedirected(named bool) {
	if !named && r.screen.File && !r.AsJSON && !r.several {
		r.talk.Say("hint: nothing goes to standard output; `-o -` writes the file there")
	}
}
