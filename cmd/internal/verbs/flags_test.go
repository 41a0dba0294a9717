package verbs

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

type innerOptions struct {
	Name  string   `option:"name" help:"hidden by the option of the outer struct"`
	Paths []string `option:"path,p,input" help:"a {file}"`
}

type boundOptions struct {
	Name   string        `option:"name,n" default:"ann" choices:"ann|bob" help:"the {name}"`
	Force  bool          `option:"force,f" help:"replace"`
	Most   int           `option:"most" help:"at most {N}"`
	Rate   float64       `option:"fps" default:"25" help:"pictures in a second"`
	Every  time.Duration `option:"every" default:"30m0s" help:"the {time}"`
	Kinds  []string      `option:"allow,commas" help:"the {kinds}"`
	Within Period        `option:"within" help:"a {time}"`
	innerOptions
	*cobra.Command // nil
}

// TestBind tests the values and the declarations of flags that fields declare.
func TestBind(t *testing.T) {
	defaults := boundOptions{Name: "ann", Most: 7, Rate: 25, Every: 30 * time.Minute}
	for line, change := range map[string]func(*boundOptions){
		"":                            func(*boundOptions) {},
		"-n bob":                      func(o *boundOptions) { o.Name = "bob" },
		"--name other -f":             func(o *boundOptions) { o.Name, o.Force = "other", true },
		"--most 8 --fps 0.5":          func(o *boundOptions) { o.Most, o.Rate = 8, 0.5 },
		"--every 1h --within 2d":      func(o *boundOptions) { o.Every, o.Within = time.Hour, Period{days: 2} },
		"--allow a,b --allow c":       func(o *boundOptions) { o.Kinds = []string{"a", "b", "c"} },
		"-p a,b --path c --force=1":   func(o *boundOptions) { o.Paths, o.Force = []string{"a,b", "c"}, true },
		"--name= --most -1 --every 0": func(o *boundOptions) { o.Name, o.Most, o.Every = "", -1, 0 },
	} {
		got, want := boundOptions{Most: 7}, defaults
		cmd := new(cobra.Command)
		Bind(newTool(nil, nil, nil, nil), cmd, &got)
		change(&want)
		if err := cmd.ParseFlags(strings.Fields(line)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v; want %+v", line, got, err, want)
		}
	}
	cmd := new(cobra.Command)
	Bind(newTool(nil, nil, nil, nil), cmd, &boundOptions{Most: 7})
	var list []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		_, input := f.Annotations[inputNote]
		list = append(list, fmt.Sprintf("%s %s %s %s input=%v: %s", f.Name, f.Shorthand, f.Value.Type(), f.DefValue, input, f.Usage))
	})
	if got, want := strings.Join(list, "\n"), strings.TrimSpace(`
allow  stringSlice [] input=false: the `+"`kinds`"+`
every  duration 30m0s input=false: the `+"`time`"+`
force f bool false input=false: replace
fps  float64 25 input=false: pictures in a second
most  int 7 input=false: at most `+"`N`"+`
name n string ann input=false: the `+"`name`"+`
path p stringArray [] input=true: a `+"`file`"+`
within  time  input=false: a `+"`time`"); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// TestBindCompletes tests that choices are offered while the shell completes a command line.
func TestBindCompletes(t *testing.T) {
	a, cmd := newTool(nil, nil, nil, nil), new(cobra.Command)
	a.Args = []string{cobra.ShellCompRequestCmd, "x"}
	Bind(a, cmd, new(boundOptions))
	complete, ok := cmd.GetFlagCompletionFunc("name")
	if !ok {
		t.Fatal("no completion")
	}
	if got, files := complete(cmd, nil, ""); !reflect.DeepEqual(got, offers{"ann", "bob"}) || files != cobra.ShellCompDirectiveNoFileComp {
		t.Error(got, files)
	}
	if _, ok := cmd.GetFlagCompletionFunc("path"); ok {
		t.Error("an option without choices has a completion")
	}
}

func TestBindErrors(t *testing.T) {
	for want, own := range map[string]any{
		`.A: unknown mark "comma"`: &struct {
			A string `option:"a,comma" help:"x"`
		}{},
		`.A: unknown mark "ff"`: &struct {
			A string `option:"a,f,ff" help:"x"`
		}{},
		".A: unknown tag hepl": &struct {
			A string `option:"a" hepl:"x"`
		}{},
	} {
		err := func() (err any) {
			defer func() { err = recover() }()
			Bind(nil, new(cobra.Command), own)
			return nil
		}()
		if !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
