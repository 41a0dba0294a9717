package fleet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/verbs"
	"trowel.example/cmd/internal/wording"
	"trowel.example/cmd/internal/work"
	"trowel.example/internal/format"
	"trowel.example/internal/testing/tests"
	_ "trowel.example/minetest"
	_ "trowel.example/teeworlds"
)

// envProgram makes the test program run as the tool.
const envProgram = "TROWEL_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(envProgram) != "" {
		tests.AsProgram()
		os.Exit(verbs.Main(format.Registered(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr, Verbs, toyVerbs, censusVerb))
	}
	os.Exit(m.Run())
}

// toyVerbs returns a verb that is controlled by files in a folder and records its actions there.
func toyVerbs(t *verbs.Tool) []*cobra.Command {
	y := &toy{out: t}
	cmd := &cobra.Command{Use: "toy PARTS FOLDER", Args: verbs.Number(2, 2)}
	verbs.AsWork(cmd)
	cmd.Flags().String("limit", "", "an option that submit has, too")
	cmd.Flags().StringP("output", "o", "", "a file to write")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		y.parts, _ = strconv.Atoi(args[0])
		y.dir = args[1]
		if y.parts == 0 {
			return errors.New("expected a number of parts")
		}
		if err := t.Perform(cmd.Context(), work.Of(y)); err != nil {
			return err
		}
		t.Say("took %d records", y.taken)
		if y.taken%2 == 1 {
			return verbs.Exit(1)
		}
		return nil
	}
	return []*cobra.Command{cmd}
}

type toy struct {
	out   *verbs.Tool
	parts int
	dir   string
	taken int
}

func (y *toy) has(name string) bool {
	_, err := os.Stat(filepath.Join(y.dir, name))
	return err == nil
}

// note appends a line to a file.
func (y *toy) note(name, line string) {
	f, err := os.OpenFile(filepath.Join(y.dir, name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err == nil {
		fmt.Fprintln(f, line)
		f.Close()
	}
}

// hold waits until a file is removed, and records that it waits.
func (y *toy) hold(name, record string) {
	if y.has(name) {
		y.note(record, strconv.Itoa(os.Getpid()))
	}
	for y.has(name) {
		time.Sleep(20 * time.Millisecond)
	}
}

func (y *toy) Split(_ context.Context, _ bool, yield func(work.Part) error) error {
	y.hold("hold-split", "splitting")
	for i := range y.parts {
		if i == y.parts/2 && y.has("slow-split") {
			y.note("splitting", strconv.Itoa(os.Getpid()))
			time.Sleep(300 * time.Millisecond)
		}
		if err := yield(work.Part{Name: fmt.Sprintf("%05d", i), File: strconv.Itoa(i)}); err != nil {
			return err
		}
	}
	return nil
}

func (y *toy) Do(ctx context.Context, p work.Part, put func(int) error) error {
	y.note("did", p.Name)
	y.hold("hold-"+p.Name, "holds")
	n, _ := strconv.Atoi(p.File)
	for i := range n%7 + 1 {
		if err := put(n*10 + i); err != nil {
			return err
		}
	}
	switch {
	case y.has("fail-" + p.Name):
		return errors.New("fails as requested")
	case y.has("refuse-" + p.Name):
		return wording.Hint(fmt.Errorf("a part: %w", service.ErrRefused), "ask somebody")
	case y.has("large-" + p.Name):
		data := make([]byte, 300<<20)
		for i := range data {
			data[i] = byte(i)
		}
		y.note("large", strconv.Itoa(int(data[len(data)-1])))
	case y.has("panic-" + p.Name):
		panic("as requested")
	case y.has("hang-" + p.Name):
		y.note("hangs", strconv.Itoa(os.Getpid()))
		time.Sleep(time.Hour)
	case y.has("slow"):
		time.Sleep(30 * time.Millisecond)
	}
	return nil
}

func (y *toy) Take(_ context.Context, p work.Part, r int) error {
	y.taken++
	_, err := fmt.Fprintln(y.out.Out(), p.Name, strings.Repeat("x", r%5), r)
	return err
}
