package verbs

import (
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"trowel.example/cmd/internal/sandbox"
	"trowel.example/cmd/internal/terminal"
	"trowel.example/internal/files/filelock"
	"trowel.example/internal/files/host"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/format"
)

// A need is what a verb keeps in the sandbox, beyond reading the files that the command line names.
type need string

const (
	needOutput   need = "output"
	needPlace    need = "place"
	needChanges  need = "changes"
	needAnyFile  need = "any file"
	needPager    need = "pager"
	needBrowser  need = "browser"
	needSocket   need = "socket"
	needPrograms need = "programs"
	needCommits  need = "commits"
	needAll      need = "no limits"
	needNothing  need = "nothing"
)

// needTexts describe the needs, for docs/sandbox.md.
var needTexts = map[need]string{
	needOutput: "writing to the folder of the output (`-o`, `--out-dir`, `--tiles`, `--html`); without these options, to the current folder " +
		"and the folders of the files",
	needPlace:    "with `--in-place`, `--into`, `--restore` or `--edit`, writing to the folders of the files",
	needChanges:  "writing to the folders of everything that the command line names",
	needAnyFile:  "reading all files: the editor names them later",
	needPager:    "the pager, started by a process outside",
	needBrowser:  "the browser, started by a process outside; the socket on which it listens",
	needSocket:   "the socket on which it listens",
	needPrograms: "starting git; reading all files, for git",
	needCommits:  "with `REV:PATH`, starting git; reading all files, for git",
	needAll:      "everything: the verb runs in no sandbox",
	needNothing:  "everything: it reads no file of the user, and starts faster without a sandbox",
}

// needsNote is the annotation of verbs with their needs.
const needsNote = "trowel_needs"

// needs declares what a verb needs. Verbs without a declaration only read.
func needs(cmd *cobra.Command, all ...need) *cobra.Command {
	var names []string
	for _, n := range all {
		names = append(names, string(n))
	}
	annotate(cmd, needsNote, strings.Join(names, ","))
	return cmd
}

// needsOf returns what a verb needs.
func needsOf(cmd *cobra.Command) []need {
	if cmd.Name() == cobra.ShellCompRequestCmd || cmd.Name() == cobra.ShellCompNoDescRequestCmd {
		return []need{needAnyFile, needPrograms} // trowel-fleet completes its verbs
	}
	var all []need
	for name := range strings.SplitSeq(cmd.Annotations[needsNote], ",") {
		all = append(all, need(name))
	}
	return all
}

func annotate(cmd *cobra.Command, note, text string) {
	if cmd.Annotations == nil {
		cmd.Annotations = make(map[string]string)
	}
	cmd.Annotations[note] = text
}

// Options of verbs that name what is written: the result, or more than that.
var (
	outputFlags = []string{"output", "out-dir", "tiles"}
	otherFlags  = []string{"backup", "into", "restore", "resume", "html"}
)

// placeFlags are the options that let a verb change its files.
var placeFlags = []string{"in-place", "into", "restore", "edit", "rekey", "fix"}

// confined is set by the main function of a program.
var confined struct {
	on     bool
	helper *sandbox.Helper // outside of the sandbox; nil: none
}

// Confine makes this process give up what its verb does not need, once the verb is known. Only the main function of a program calls it,
// first of all.
func Confine() {
	pager := new(terminal.PagerHelper)
	confined.on = true
	confined.helper = sandbox.Begin(sandbox.Handlers{
		"in-use":    func(path string) string { return filelock.UsedByOther(path, os.Getppid()) },
		"browser":   browse,
		"pager":     pager.Start,
		"pager-end": pager.End,
	})
}

// StartConfined starts a command, which is this program with the work of a verb, inside limits.
func (a *Tool) StartConfined(cmd *exec.Cmd, l sandbox.Limits) error {
	if !confined.on || sandbox.Off() {
		return cmd.Start()
	}
	return sandbox.Start(cmd, l, sandbox.Handlers{"in-use": func(path string) string { return filelock.UsedByOther(path, cmd.Process.Pid) }})
}

// Limits returns the limits of a verb with arguments, in a folder. If may is not nil, it returns an error about files of the user
// that the verb must not use.
func (a *Tool) Limits(words []string, dir string, may func(path string) error) sandbox.Limits {
	if !confined.on {
		return sandbox.Limits{}
	}
	t := newTool(a.Games, a.In, io.Discard, io.Discard)
	t.more = a.more
	cmd, _, err := rootCommand(t).Find(words)
	if err != nil {
		return sandbox.Limits{}
	}
	c := &confinement{Tool: a, set: cmd.Flags(), needs: needsOf(cmd), words: words, dir: dir, may: may, around: make(map[string]bool)}
	return c.limits()
}

// confine enters the sandbox for a verb.
func (a *Tool) confine(cmd *cobra.Command) {
	all := needsOf(cmd)
	if !a.main || sandbox.Off() || slices.Contains(all, needAll) || slices.Contains(all, needNothing) {
		return
	}
	l, again := sandbox.Limited()
	if !again {
		l = a.limits(cmd, all)
	}
	listens := slices.Contains(all, needBrowser) || slices.Contains(all, needSocket)
	sandbox.Enter(l, confined.helper, listens)
	if listens {
		a.settle = func() { sandbox.Settle(l) }
	}
	askOutside()
}

// askOutside lets the helper find programs that have files open: a process in the sandbox does not see the files of others.
func askOutside() {
	if sandbox.Inside() && confined.helper != nil {
		filelock.FindUser = func(path string) string {
			by, _ := confined.helper.Ask("in-use", path)
			return by
		}
	}
}

// Settle gives up the system calls that a child does not need which [Tool.StartConfined] has started.
func (a *Tool) Settle(l sandbox.Limits) {
	if confined.on {
		sandbox.Settle(l)
		askOutside()
	}
}

// limits returns the limits of the verb of this process, and starts the helper that it needs outside of them.
func (a *Tool) limits(cmd *cobra.Command, all []need) sandbox.Limits {
	c := &confinement{Tool: a, set: cmd.Flags(), needs: all, words: a.Args, around: make(map[string]bool)}
	if self, err := os.Executable(); err == nil && cmd.Name() == "site" {
		c.l.Read = append(c.l.Read, filepath.Dir(filepath.Dir(self))) // the page is next to the program
	}
	paged := c.has(needPager) && a.screen.Terminal && a.talk.Terminal
	if paged || c.has(needBrowser) && !c.given("no-open") || slices.ContainsFunc(a.Args, isFolder) {
		confined.helper = sandbox.StartHelper(paged)
	}
	return c.limits()
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// confinement computes the limits of a verb from the words of a command line.
type confinement struct {
	*Tool
	set     *pflag.FlagSet // the options of the verb, parsed; those of a child only as words
	needs   []need
	words   []string
	dir     string                  // the folder of relative paths; "": the current one
	may     func(path string) error // see [Tool.Limits]
	l       sandbox.Limits
	around  map[string]bool // folders that games were asked about
	visited int             // files and folders that were searched for worlds on servers
}

func (c *confinement) has(n need) bool { return slices.Contains(c.needs, n) }

// given reports whether an option is among the words.
func (c *confinement) given(names ...string) bool {
	return slices.ContainsFunc(c.words, func(word string) bool {
		name, _, _ := strings.Cut(word, "=")
		return strings.HasPrefix(name, "--") && slices.Contains(names, name[2:])
	})
}

// at returns the path that a name of the command line has.
func (c *confinement) at(name string) string {
	if c.dir == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(c.dir, name)
}

// limits returns the limits. What any of the words names is read.
func (c *confinement) limits() sandbox.Limits {
	c.l.Write = append(c.l.Write, os.TempDir())
	c.l.Programs = c.has(needPrograms) || c.given("git") || c.has(needCommits) && slices.ContainsFunc(c.words, isCommitted)
	c.l.Network = c.values(func(o format.Option) bool { return o.Server }) != nil
	var paths []string
	for _, word := range c.words {
		for _, name := range pathsIn(word) {
			if strings.Contains(name, "://") {
				if c.IsElsewhere(name) {
					c.l.Network, c.l.Programs = true, true // a program may return the credentials
				}
				continue
			}
			paths = append(paths, c.at(name))
		}
	}
	for _, path := range paths {
		c.reads(path)
	}
	c.outputs(paths)
	if dir := host.StateFolder(); dir != "" && c.given("edit") {
		dir = filepath.Join(dir, "trowel")
		_ = os.MkdirAll(dir, 0o700)
		c.l.Write = append(c.l.Write, dir)
	}
	if c.has(needAnyFile) || c.l.Network || c.given("script", "edit") {
		c.l.Read = append(c.l.Read, "/")
	}
	return c.l
}

// outputs allows to write what the verb writes: to the places that options name, or else to the usual ones.
func (c *confinement) outputs(paths []string) {
	made := c.flags(outputFlags)
	for _, name := range slices.Concat(made, c.flags(otherFlags), c.values(func(o format.Option) bool { return o.Output })) {
		c.writes(c.at(name))
	}
	place := c.has(needChanges) || c.has(needPlace) && c.given(placeFlags...)
	if c.has(needOutput) && made == nil && !place { // the usual name is here, or next to the source
		c.l.Write = append(c.l.Write, c.at("."))
		place = true
	}
	for _, path := range paths {
		if _, err := os.Lstat(path); place && (err == nil || c.has(needChanges)) {
			c.writes(path)
		}
	}
}

// flags returns the values that options of the verb have.
func (c *confinement) flags(names []string) (values []string) {
	for _, name := range names {
		if f := c.set.Lookup(name); f != nil && f.Changed && f.Value.String() != "-" {
			values = append(values, f.Value.String())
		}
	}
	return values
}

// pathsIn returns what in a word of the command line may be a path: the word itself, and parts of it.
func pathsIn(word string) []string {
	names := []string{word}
	for _, sep := range []string{"=", ",", "\n", ":"} {
		for _, name := range names {
			if before, after, ok := strings.Cut(name, sep); ok {
				names = append(names, before, after)
			}
		}
	}
	if len(word) > 2 && word[0] == '-' && word[1] != '-' {
		names = append(names, word[2:]) // -oFILE
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == "" || name == "-" })
}

// reads allows to read what is at a path: a folder, or a file with its folder, which has files that belong to it.
func (c *confinement) reads(path string) {
	info, err := os.Stat(path)
	if c.may != nil && c.may(path) != nil {
		return
	}
	if err != nil {
		c.l.List = append(c.l.List, filepath.Dir(path)) // similar names, for advice
		return
	}
	for _, path := range withTarget(path) {
		if c.l.Read = append(c.l.Read, path); info.Mode().IsRegular() {
			c.l.Read = append(c.l.Read, filepath.Dir(path))
		}
	}
	if info.IsDir() {
		for _, target := range regular.LinkTargets(path, 2) {
			c.l.Read = append(c.l.Read, target, target+"-wal", target+"-shm", target+"-journal")
		}
		c.servers(path)
	}
	at := path
	if !info.IsDir() {
		at = filepath.Dir(path)
	}
	if c.around[at] {
		return
	}
	c.around[at] = true
	for _, g := range c.Games {
		if g.Around != nil {
			c.l.Read = append(c.l.Read, g.Around(path)...)
		}
	}
}

// withTarget returns a path and, if it has links, the path that they lead to.
func withTarget(path string) []string {
	if real, err := filepath.EvalSymlinks(path); err == nil && real != filepath.Clean(path) {
		return []string{path, real}
	}
	return []string{path}
}

// maxSearched is the maximum number of files that are searched for worlds on servers. With more, the verb keeps the network.
const maxSearched = 10_000

// servers allows the network if a folder, or one in it, has its data on a server.
func (c *confinement) servers(dir string) {
	onServer := func(dir string) bool {
		return slices.ContainsFunc(c.Games, func(g *format.Game) bool { return g.Servers != nil && g.Servers(dir) })
	}
	if c.l.Network = c.l.Network || onServer(dir); c.l.Network || c.IsGame(dir) {
		return
	}
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if c.visited++; c.visited > maxSearched || err == nil && e.IsDir() && onServer(path) {
			c.l.Network = true
			return fs.SkipAll
		}
		return nil
	})
}

// values returns the values of options of formats and their operations that match want. The options of operations are no flags of
// the verb, so they are found among the words.
func (c *confinement) values(want func(format.Option) bool) (values []string) {
	names := make(map[string]bool)
	for _, f := range c.Formats {
		options := slices.Clone(f.Options)
		for _, k := range f.Conversions {
			options = append(options, k.Options...)
		}
		if f.Merging != nil {
			options = append(options, f.Merging.Options...)
		}
		if f.Editing != nil {
			options = append(options, f.Editing.Options...)
			for _, k := range f.Editing.Commands {
				options = append(options, k.Options...)
			}
		}
		for _, o := range options {
			names["--"+o.Name] = names["--"+o.Name] || want(o)
		}
	}
	for i, word := range c.words {
		name, value, ok := strings.Cut(word, "=")
		if !names[name] {
			continue
		}
		if !ok && i+1 < len(c.words) {
			value = c.words[i+1]
		}
		values = append(values, value)
	}
	return values
}

// writes allows to change what is or will be at a path, and to write next to it.
func (c *confinement) writes(path string) {
	if c.IsElsewhere(path) || c.may != nil && c.may(path) != nil {
		return
	}
	for _, path := range withTarget(path) {
		info, err := os.Stat(path)
		if err == nil {
			c.l.Write = append(c.l.Write, path)
		}
		if err == nil && !info.IsDir() && !info.Mode().IsRegular() {
			continue // a pipe or a device: nothing is written next to it
		}
		if full, err := filepath.Abs(path); err == nil {
			path = full // the folder of "." is the one above
		}
		c.l.Write = append(c.l.Write, sandbox.Existing(filepath.Dir(path)))
		if isFolder(path) {
			for _, target := range regular.LinkTargets(path, 1) { // a database on another disk
				c.l.Write = append(c.l.Write, target, filepath.Dir(target))
			}
		}
	}
}

// denied adds a hint to an error that the sandbox has probably caused.
func denied(err error) string {
	if !sandbox.Denied(err) {
		return ""
	}
	return "the sandbox may have caused this (docs/sandbox.md): " + sandbox.Variable + "=off runs without it"
}

// outsidePager is the pager that a helper starts.
type outsidePager struct{ *sandbox.Helper }

func (o outsidePager) StartPager() (io.WriteCloser, error) {
	failed, err := o.Ask("pager", "")
	if err == nil && failed != "" {
		err = errors.New(failed)
	}
	return o.Input, err
}

func (o outsidePager) WaitForPager() { _, _ = o.Ask("pager-end", "") }

// browse opens the page of view in the user's browser. The answer is the text of an error, or "".
func browse(address string) string {
	if u, err := url.Parse(address); err != nil || u.Scheme != "http" || u.Hostname() != "127.0.0.1" {
		return "not an address of view"
	}
	c, err := browserCommand(address)
	if err == nil {
		err = c.Run()
	}
	if err != nil {
		return "xdg-open: " + err.Error()
	}
	return ""
}
