package fleet

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/verbs"
	"trowel.example/cmd/internal/wording"
	"trowel.example/cmd/internal/work"
	"trowel.example/internal/files/scratch"
)

// planner predicts how long a work takes on workers.
type planner struct {
	tool    *verbs.Tool
	chosen  chosen
	workers []int
	max     int
	measure int
	dealt   bool
	json    bool

	description
	scratch  string
	measured int // number of parts
}

func planCommand(t *verbs.Tool) *cobra.Command {
	p := &planner{tool: t, chosen: chosen{newFigures(runtime.NumCPU()), make(map[string]bool)}}
	cmd := &cobra.Command{
		Use:   "plan [VERB ...]",
		Short: "Predict the time of a work on workers",
		Long: `Plan splits the work of a verb as workers do, does a few of its parts and merges these, in
temporary files, and simulates the whole: for each number of workers the time, what limits it, and
what would help. It needs no queue, and changes nothing.

Without a verb, or instead of measuring, it takes figures: --figures parts=3904,part=15s. Plan
prints the measured figures in this form, so that the same figures give the same prediction later.
It measures on this machine: other machines are assumed to be as fast. Tiles and tables that exist
are assumed to be missing.

` + aboutFigures() + `
Changes are doubled resources: twice the workers, or parts of twice or half the size. Those that
save a twentieth of the time are listed, and the first of them names the limit.

With --json it prints an object; docs/json.md describes it.`,
		Example: `  trowel jobs plan check /srv/worlds/main
  trowel jobs plan --workers 100 --figures parts=3904,part=15s,read=256M,source=500M,slow=0.05,mtbf=10h`,
	}
	flags := cmd.Flags()
	flags.SetInterspersed(false)
	flags.IntSliceVar(&p.workers, "workers", []int{1, 2, 4, 8, 16, 32, 64, 128}, "predict for these `numbers` of workers")
	flags.IntVar(&p.max, "max", runtime.NumCPU(), "assume that each worker runs `N` parts at once")
	flags.IntVar(&p.measure, "measure", 10, "measure `N` parts")
	flags.BoolVar(&p.dealt, "no-queue", false, `assume workers without a queue ("worker --part")`)
	flags.Var(&p.chosen, "figures", "assume `NAME=VALUE`, several with commas; see --help")
	flags.BoolVar(&p.json, "json", false, "print JSON")
	cmd.RunE = func(cmd *cobra.Command, words []string) error { return p.run(cmd.Context(), words, cmd.ErrOrStderr()) }
	return cmd
}

func (p *planner) run(ctx context.Context, words []string, stderr io.Writer) error {
	f := p.chosen.figures
	switch {
	case p.max < 1 || p.max > 1000:
		return errors.New("--max: expected a number from 1 to 1000")
	case p.measure < 1:
		return errors.New("--measure: expected a number above 0")
	case slices.ContainsFunc(p.workers, func(n int) bool { return n < 1 || n > 1e5 }) || len(p.workers) == 0:
		return errors.New("--workers: expected numbers from 1 to 100000")
	case len(words) == 0 && (f.parts == 0 || f.part == 0):
		return wording.Hint(errors.New("expected a verb to plan, or figures"), "such as `trowel jobs plan check world`, or "+
			"`trowel jobs plan --figures parts=3904,part=15s`")
	}
	if len(words) > 0 {
		if err := p.look(ctx, words, stderr); err != nil {
			return err
		}
	}
	if f.parts == 0 {
		p.tool.Say("this work has no parts")
		return nil
	}
	var all []*forecast
	for _, n := range p.workers {
		one, err := setup{*f, n, p.max, p.dealt}.forecast()
		err = cmp.Or(ctx.Err(), err)
		if err != nil {
			return err
		}
		all = append(all, one)
	}
	return p.print(all)
}

// look splits a work and measures some of its parts. Figures that the user gave stay.
func (p *planner) look(ctx context.Context, words []string, stderr io.Writer) (err error) {
	p.Version, p.Args = service.Program(), words
	if p.Dir, err = os.Getwd(); err != nil {
		return err
	}
	if err := p.tryArgs(ctx, p.tool, stderr); err != nil {
		return err
	}
	dir, remove, err := scratch.Make("trowel-plan-")
	if err != nil {
		return err
	}
	defer remove()
	p.scratch = dir
	program, err := os.Executable()
	if err != nil {
		return err
	}
	var parts []work.Part
	begin := time.Now()
	err = split{run: func(ctx context.Context, out io.Writer) error {
		return p.order(stepSplit).run(ctx, []string{program}, p.Dir, runtime.NumCPU(), out, nil)
	}}.Split(ctx, func(part work.Part) error {
		parts = append(parts, part)
		return nil
	})
	if err != nil {
		return err
	}
	p.assume("split", time.Since(begin).Seconds())
	p.assume("parts", float64(len(parts)))
	if p.chosen.given["part"] || len(parts) == 0 {
		return nil
	}
	return p.parts(ctx, []string{program}, parts)
}

// assume sets a figure, unless the user gave it.
func (p *planner) assume(name string, v float64) {
	i := slices.IndexFunc(allFigures, func(f figure) bool { return f.name == name })
	if !p.chosen.given[name] {
		*allFigures[i].at(p.chosen.figures) = v
	}
}

func (p *planner) order(s step) *order {
	return &order{Step: s, Plan: p.plan(), Trial: true, tool: p.tool, scratch: p.scratch}
}

// parts does some of the parts, evenly distributed over all, and merges them.
func (p *planner) parts(ctx context.Context, program []string, all []work.Part) error {
	store := work.Folder(filepath.Join(p.scratch, "some"))
	k := min(p.measure, len(all))
	var some []work.Part
	var sum, cpu, read float64
	whole := p.plan()
	times := make([]float64, k)
	for i := range k {
		some = append(some, all[(2*i+1)*len(all)/(2*k)])
		some[i].Apart = whole.IsMany(len(all))
		o := p.order(stepPart)
		o.Part, o.Store = some[i], string(store)
		begin := time.Now()
		if err := store.Add(ctx, work.ResultName(o.Part), func(to io.Writer) error {
			return o.run(ctx, program, p.Dir, max(1, runtime.NumCPU()/p.max), to, nil)
		}); err != nil {
			if refused, ok := errors.AsType[*childError](err); ok && refused.code == exitRefused {
				return wording.Hint(err, "give the time of a part: --figures part=5s")
			}
			return fmt.Errorf("part %s: %w", o.Part.Name, err)
		}
		times[i] = time.Since(begin).Seconds()
		sum, cpu, read = sum+times[i], cpu+o.used.cpu.Seconds(), read+float64(o.used.read)
		p.tool.Progress("parts", i+1, k)
	}
	n := float64(k)
	p.measured = k
	p.assume("part", sum/n)
	p.assume("cpu", cpu/n)
	p.assume("spread", spreadOf(times))
	if !p.chosen.given["parts"] && !p.chosen.given["spread"] { // each part is like the measured one next to it
		sizes := make([]float64, len(all))
		for i := range sizes {
			sizes[i] = times[i*k/len(all)]
		}
		p.chosen.sizes = sizes
	}
	empty, own, err := p.merged(ctx, program, nil, work.Folder(filepath.Join(p.scratch, "none")))
	p.assume("read", max(0, read/n-float64(own))) // without what each process reads, such as its own program
	var of float64
	if err == nil {
		of, _, err = p.merged(ctx, program, some, store)
	}
	if err != nil {
		p.tool.Warn("", "merging some of the parts failed, and counts as no time: "+err.Error())
	} else {
		p.assume("start", empty)
		p.assume("merge", empty+max(0, of-empty)/n*float64(len(all)))
	}
	if sum > 1.3*cpu {
		p.tool.Say("%.0f %% of the time of a part is waiting: for its files, or for other programs on this machine", 100*(1-cpu/sum))
	}
	return nil
}

// merged merges some parts as if they were the whole work, and returns the seconds, and the bytes that the process read.
func (p *planner) merged(ctx context.Context, program []string, some []work.Part, store work.Folder) (
	seconds float64, read int64, err error,
) {
	plan := p.plan()
	if len(some) > 0 && some[0].Apart {
		plan.Many = -1
	}
	_, err = work.Begin(ctx, split{run: func(_ context.Context, out io.Writer) error {
		enc := json.NewEncoder(out)
		for _, part := range some {
			if err := enc.Encode(part); err != nil {
				return err
			}
		}
		return nil
	}}, plan, store)
	if err != nil {
		return 0, 0, err
	}
	o := p.order(stepMerge)
	temp, err := os.MkdirTemp(p.scratch, "")
	if err != nil {
		return 0, 0, err
	}
	o.Store, o.Output = string(store), filepath.Join(temp, outputName)
	begin := time.Now()
	_, err = new(worker).output(ctx, string(store), temp, func(out, talk io.Writer) error {
		return o.run(ctx, program, p.Dir, runtime.NumCPU(), out, talk)
	})
	return time.Since(begin).Seconds(), o.used.read, err
}

// spreadOf returns the standard deviation of the logarithms.
func spreadOf(times []float64) float64 {
	var sum, squares float64
	for _, t := range times {
		sum += math.Log(t)
	}
	for _, t := range times {
		d := math.Log(t) - sum/float64(len(times))
		squares += d * d
	}
	return math.Sqrt(squares / float64(len(times)))
}

// print prints the forecasts.
func (p *planner) print(all []*forecast) error {
	f := p.chosen.figures
	if p.json {
		values := make(map[string]float64)
		for _, one := range allFigures {
			values[one.name] = *one.at(f)
		}
		return p.tool.PrintJSON(struct {
			Verb     []string           `json:"verb"`
			Measured int                `json:"measured"`
			Figures  map[string]float64 `json:"figures"`
			Plans    []*forecast        `json:"plans"`
		}{append([]string{}, p.Args...), p.measured, values, all})
	}
	if p.measured > 0 {
		fmt.Fprintf(p.tool.Out(), "measured: %s of %d\nfigures: %s\n\n", wording.Count(p.measured, "part"), int(f.parts), f.work())
	}
	late := slices.ContainsFunc(all, func(one *forecast) bool { return one.Late != one.Seconds })
	w := tabwriter.NewWriter(p.tool.Out(), 0, 0, 2, ' ', 0)
	row := func(cells ...string) {
		if !late {
			cells = slices.Delete(cells, 2, 3)
		}
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	row("workers", "time", "1 in 20", "merge", "busy", "reads", "limit", "what would help")
	for _, one := range all {
		var helps []string
		for _, h := range one.Helps[:min(3, len(one.Helps))] {
			helps = append(helps, h.Change+" ("+inSeconds(h.Seconds)+")")
		}
		if one.GivenUp > 0 {
			helps = append(helps, wording.Count(one.GivenUp, "part")+" given up")
		}
		reads := "-"
		if one.Reads > 0 {
			reads = volume.format(one.Reads) + "B/s"
		}
		row(fmt.Sprint(one.Workers), inSeconds(one.Seconds), inSeconds(one.Late), inSeconds(one.Merge), fmt.Sprintf("%.0f %%", 100*one.Busy),
			reads, or(one.Limit), or(strings.Join(helps, ", ")))
	}
	return w.Flush()
}

// or returns a cell of a table that is not empty.
func or(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
