// Mutants makes small mistakes in the code of the programs, one at a time, and runs the tests that should
// detect them.
//
// All runs draw the same mistakes: a place has a number that depends on its function, its text and the seed,
// and the places with the smallest numbers of each kind are drawn. A mutant therefore stays the same when other
// functions change.
package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
)

var kinds = []string{"condition", "bound", "constant", "statement"}

type pkg struct {
	Module                             struct{ Path, Dir string }
	ImportPath, Dir                    string
	GoFiles                            []string
	Imports, TestImports, XTestImports []string
}

// A mutant replaces the bytes from..to of a file.
type mutant struct {
	id, kind, function string
	pkg                *pkg
	file               string
	line, from, to     int
	text               string // the replacement
	order              uint64
}

func main() {
	log.SetFlags(0)
	seed := flag.Int("seed", 1, "draw by this number")
	count := flag.Int("n", 60, "draw this many mutants")
	in := flag.String("in", "", "draw from the packages whose paths end with one of these: paths with commas between them")
	only := flag.String("run", "", "run these mutants only: IDs with commas between them")
	list := flag.Bool("list", false, "print the mutants, and run no test")
	jobs := flag.Int("j", 2, "run this many mutants at once")
	timeout := flag.String("timeout", "15m", "the timeout of each package of tests, by which a mutant dies")
	flag.Parse()
	all := packages("./...")
	module := all[0].Module.Path
	programs := map[string]bool{}
	for _, p := range packages("-deps", module+"/cmd/...") {
		programs[p.ImportPath] = true
	}
	var found []*mutant
	moved := table(".ci/mutants.moved")
	for _, p := range all {
		if programs[p.ImportPath] && chosen(p, *in) {
			path := p.ImportPath
			if was := moved[strings.TrimPrefix(path, module+"/")]; was != "" {
				path = module + "/" + was
			}
			found = append(found, places(p, path, *seed)...)
		}
	}
	slices.SortFunc(found, func(a, b *mutant) int { return cmp.Compare(a.order, b.order) })
	equivalent := table(".ci/mutants.equivalent")
	tmp, err := os.MkdirTemp("", "mutants")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(tmp)
	r := &runner{all: all, tmp: tmp, timeout: *timeout}
	total, killed := map[string]int{}, map[string]int{}
	var lock sync.Mutex
	var group sync.WaitGroup
	free := make(chan bool, *jobs)
	for i, kind := range kinds {
		left := (*count + i) / len(kinds)
		for _, m := range found {
			if left == 0 {
				break
			}
			if m.kind != kind || !r.builds(m) {
				continue
			}
			left--
			if *only != "" && !slices.Contains(strings.Split(*only, ","), m.id) {
				continue
			}
			free <- true
			group.Go(func() {
				defer func() { <-free }()
				result := "drawn"
				if reason := equivalent[m.id]; reason != "" {
					result = "equivalent: " + reason
				} else if !*list {
					result = r.run(m)
				}
				lock.Lock()
				defer lock.Unlock()
				fmt.Printf("%s %-9s %s:%d %s: %s\n%s\n", m.id, m.kind, m.name(), m.line, m.function, result, m.diff())
				if equivalent[m.id] == "" {
					total[kind]++
					if strings.HasPrefix(result, "killed") {
						killed[kind]++
					}
				}
			})
		}
	}
	group.Wait()
	sum, dead := 0, 0
	for _, kind := range kinds {
		fmt.Printf("%-9s %d of %d killed\n", kind, killed[kind], total[kind])
		sum, dead = sum+total[kind], dead+killed[kind]
	}
	fmt.Printf("all       %d of %d killed, %d %%\n", dead, sum, 100*dead/max(sum, 1))
}

// chosen reports whether the path of a package ends with one of the given paths.
func chosen(p *pkg, in string) bool {
	return in == "" || slices.ContainsFunc(strings.Split(in, ","), func(end string) bool {
		return strings.HasSuffix(p.ImportPath, "/"+end)
	})
}

// packages lists packages of both modules.
func packages(args ...string) (list []*pkg) {
	root, err := os.Getwd()
	if err != nil {
		log.Fatal(err)
	}
	seen := make(map[string]bool)
	for _, module := range []string{".", "cmd/trowel-fleet"} {
		out, err := exec.Command("go", append([]string{"-C", module, "list",
			"-json=Module,ImportPath,Dir,GoFiles,Imports,TestImports,XTestImports"}, args...)...).Output()
		if err != nil {
			log.Fatal(err)
		}
		for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
			p := new(pkg)
			if err := d.Decode(p); err != nil {
				log.Fatal(err)
			}
			if strings.HasPrefix(p.Dir, root) && !seen[p.ImportPath] {
				seen[p.ImportPath] = true
				list = append(list, p)
			}
		}
	}
	return list
}

// table reads a file of lines, each with a key, such as the ID of a mutant, and its value, such as a reason.
func table(name string) map[string]string {
	data, err := os.ReadFile(name)
	if err != nil {
		log.Fatal(err)
	}
	all := map[string]string{}
	for line := range strings.Lines(string(data)) {
		if id, reason, ok := strings.Cut(strings.TrimSpace(line), " "); ok && id != "#" {
			all[id] = reason
		}
	}
	return all
}

// places returns the possible mutants of a package, which had the given path when they were first drawn.
func places(p *pkg, path string, seed int) (list []*mutant) {
	for _, name := range p.GoFiles {
		file := filepath.Join(p.Dir, name)
		src, err := os.ReadFile(file)
		if err != nil {
			log.Fatal(err)
		}
		fset := token.NewFileSet()
		tree, err := parser.ParseFile(fset, file, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			log.Fatal(err)
		}
		if ast.IsGenerated(tree) {
			continue
		}
		for _, d := range tree.Decls {
			if g, ok := d.(*ast.GenDecl); ok && (g.Tok == token.IMPORT || g.Tok == token.TYPE) {
				continue
			}
			function, seen := declared(d), map[string]int{}
			add := func(kind string, n ast.Node, text string) {
				from, to := fset.Position(n.Pos()), fset.Position(n.End())
				m := &mutant{kind: kind, function: function, pkg: p, file: file, line: from.Line, from: from.Offset, to: to.Offset, text: text}
				key := fmt.Sprintf("%s %s %s %s %s", path, function, kind, src[m.from:m.to], text)
				seen[key]++
				sum := sha256.Sum256(fmt.Appendf(nil, "%d %s %d", seed, key, seen[key]))
				m.order, m.id = binary.BigEndian.Uint64(sum[:]), fmt.Sprintf("%x", sum[8:12])
				list = append(list, m)
			}
			ast.Inspect(d, func(n ast.Node) bool { return visit(n, add) })
		}
	}
	return list
}

// visit adds the mutants of a node, without those of its children.
func visit(n ast.Node, add func(kind string, n ast.Node, text string)) bool {
	switch n := n.(type) {
	case *ast.IfStmt:
		add("condition", n.Cond, "!("+show(n.Cond)+")")
	case *ast.ForStmt:
		if n.Cond != nil {
			add("condition", n.Cond, "!("+show(n.Cond)+")")
		}
	case *ast.BinaryExpr:
		moved := map[token.Token]token.Token{token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR}
		if op, ok := moved[n.Op]; ok {
			add("bound", n, show(&ast.BinaryExpr{X: n.X, Op: op, Y: n.Y}))
		}
	case *ast.BasicLit:
		if v, err := strconv.ParseUint(n.Value, 0, 63); n.Kind == token.INT && err == nil {
			add("constant", n, fmt.Sprint(v+1))
			if v > 0 {
				add("constant", n, fmt.Sprint(v-1))
			}
		}
	case *ast.BlockStmt:
		dropped(n.List, add)
	case *ast.CaseClause:
		dropped(n.Body, add)
	case *ast.CommClause:
		dropped(n.Body, add)
	}
	return true
}

func dropped(list []ast.Stmt, add func(kind string, n ast.Node, text string)) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt, *ast.IncDecStmt, *ast.DeferStmt, *ast.BranchStmt:
			add("statement", s, "")
		case *ast.AssignStmt:
			if s.Tok != token.DEFINE {
				add("statement", s, "")
			}
		}
	}
}

func declared(d ast.Decl) string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv != nil {
			return show(d.Recv.List[0].Type) + "." + d.Name.Name
		}
		return d.Name.Name
	case *ast.GenDecl:
		for _, s := range d.Specs {
			if v, ok := s.(*ast.ValueSpec); ok {
				return v.Names[0].Name
			}
		}
	}
	return ""
}

func show(n ast.Node) string {
	var b strings.Builder
	if err := printer.Fprint(&b, token.NewFileSet(), n); err != nil {
		log.Fatal(err)
	}
	return b.String()
}

func (m *mutant) name() string {
	root, _ := os.Getwd()
	rel, _ := filepath.Rel(root, m.file)
	return filepath.ToSlash(rel)
}

// mutated returns the file with the mistake.
func (m *mutant) mutated() []byte {
	src, err := os.ReadFile(m.file)
	if err != nil {
		log.Fatal(err)
	}
	return slices.Concat(src[:m.from], []byte(m.text), src[m.to:])
}

// diff returns the changed lines.
func (m *mutant) diff() string {
	src, err := os.ReadFile(m.file)
	if err != nil {
		log.Fatal(err)
	}
	begin := bytes.LastIndexByte(src[:m.from], '\n') + 1
	end := m.to
	if i := bytes.IndexByte(src[m.to:], '\n'); i >= 0 {
		end += i
	}
	lines := func(sign, text string) string { return sign + strings.ReplaceAll(text, "\n", "\n"+sign) }
	return lines("-", string(src[begin:end])) + "\n" + lines("+", string(src[begin:m.from])+m.text+string(src[m.to:end]))
}

type runner struct {
	all          []*pkg
	tmp, timeout string
	sound        sync.Map // func() bool by import path
}

// passes reports whether the tests of a package pass without a mistake. Otherwise they cannot detect any.
func (r *runner) passes(p *pkg) bool {
	once, _ := r.sound.LoadOrStore(p.ImportPath, sync.OnceValue(func() bool {
		return exec.Command("go", "-C", p.Module.Dir, "test", "-vet=off", "-failfast", "-timeout", r.timeout, p.ImportPath).Run() == nil
	}))
	return once.(func() bool)()
}

// command runs go in the module of a package, with the mistake in place.
func (r *runner) command(m *mutant, p *pkg, args ...string) (string, error) {
	file, overlay := filepath.Join(r.tmp, m.id+".go"), filepath.Join(r.tmp, m.id+".json")
	text, err := json.Marshal(map[string]any{"Replace": map[string]string{m.file: file}})
	if err != nil {
		log.Fatal(err)
	}
	for name, data := range map[string][]byte{file: m.mutated(), overlay: text} {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			log.Fatal(err)
		}
	}
	words := slices.Concat([]string{"-C", p.Module.Dir, args[0], "-overlay", overlay}, args[1:], []string{p.ImportPath})
	out, err := exec.Command("go", words...).CombinedOutput()
	return string(out), err
}

func (r *runner) builds(m *mutant) bool {
	_, err := r.command(m, m.pkg, "build", "-o", os.DevNull)
	return err == nil
}

// run runs the tests of the package and of the packages that import it, until one fails.
func (r *runner) run(m *mutant) string {
	tested := []*pkg{m.pkg}
	for _, p := range r.all {
		if p != m.pkg && slices.Contains(slices.Concat(p.Imports, p.TestImports, p.XTestImports), m.pkg.ImportPath) {
			tested = append(tested, p)
		}
	}
	// The nearest packages first: they detect most mutants.
	slices.SortStableFunc(tested, func(a, b *pkg) int {
		return cmp.Compare(distance(m.pkg.ImportPath, a.ImportPath), distance(m.pkg.ImportPath, b.ImportPath))
	})
	for _, p := range tested {
		out, err := r.command(m, p, "test", "-vet=off", "-count=1", "-failfast", "-timeout", r.timeout)
		if err == nil || !r.passes(p) {
			continue
		}
		why := "a panic or a timeout"
		for line := range strings.Lines(out) {
			if name, ok := strings.CutPrefix(line, "--- FAIL: "); ok {
				why, _, _ = strings.Cut(name, " ")
				break
			}
			if strings.Contains(line, "panic: test timed out") {
				why = "a timeout"
				break
			}
		}
		if strings.Contains(out, "[build failed]") || strings.Contains(out, "[setup failed]") {
			why = "the build"
		}
		return "killed by " + p.ImportPath + ", " + why
	}
	return fmt.Sprintf("SURVIVED %d packages", len(tested))
}

// distance returns the number of steps between two packages in the tree of folders.
func distance(a, b string) int {
	x, y := strings.Split(a, "/"), strings.Split(b, "/")
	same := 0
	for same < min(len(x), len(y)) && x[same] == y[same] {
		same++
	}
	return len(x) + len(y) - 2*same
}
