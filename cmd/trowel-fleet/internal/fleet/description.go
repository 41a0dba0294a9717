package fleet

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/riverqueue/river"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/work"
	"trowel.example/internal/files/host"
	"trowel.example/internal/text/words"
)

// description is a submitted work.
type description struct {
	Version  string   `json:"version"` // version of the program; workers must have the same
	Dir      string   `json:"dir"`     // base of relative paths
	Args     []string `json:"args"`    // the verb and its arguments
	Results  string   `json:"results"` // a folder or the URL of a bucket
	Limit    int      `json:"limit"`   // maximum duration of a part in seconds
	Attempts int      `json:"attempts"`
	Priority int      `json:"priority"` // 1 to 4; 1 is the highest
}

const (
	maxLimit    = 24 * time.Hour
	maxAttempts = 1000
)

// id returns the ID of a work. It depends on the arguments, the folder and the version of the program.
func (d *description) id() string {
	data, _ := json.Marshal([]any{d.Version, d.Dir, d.Args})
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

// The ID of a repeated work ends with a number.
var idName = regexp.MustCompile(`^[0-9a-f]{16}(-[1-9][0-9]{0,5})?$`)

func validID(id string) bool { return idName.MatchString(id) }

var errHostile = errors.New("not a job of this program")

// check returns an error about a description that this program cannot have written: everyone with write access
// to the queue can write anything.
func (d *description) check() error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%w: "+format, append([]any{errHostile}, args...)...)
	}
	switch {
	case d.Version != service.Program():
		return bad("submitted by version %.50q, and this is %s", d.Version, service.Program())
	case len(d.Args) == 0 || d.Args[0] == "" || strings.HasPrefix(d.Args[0], "-"):
		return bad("expected a verb as its first word")
	case d.Dir == "" || strings.ContainsRune(d.Dir, 0):
		return bad("no folder given")
	case d.Results == "":
		return bad("no place given for results")
	case d.Limit < 1 || d.Limit > int(maxLimit/time.Second):
		return bad("a limit of %s", words.Count(d.Limit, "second"))
	}
	for _, word := range d.Args {
		if strings.ContainsRune(word, 0) {
			return bad("a word contains a zero byte")
		}
	}
	return nil
}

// envMany sets a smaller [work.Many] for tests.
const envMany = "TROWEL_TEST_MANY"

func (d *description) plan() work.Plan {
	many, _ := strconv.Atoi(host.Env(envMany))
	return work.Plan{Version: d.Version, Dir: d.Dir, Args: d.Args, Many: many}
}

// title returns the command line for display.
func (d *description) title() string { return words.Cut(strings.Join(d.Args, " "), 200) }

// The jobs of a work: one splits it, one for each part does the part, and one merges the results.
type (
	splitJob struct {
		Work string `json:"work"`
	}
	partJob struct {
		Work  string    `json:"work"`
		Limit int       `json:"limit"` // limit of the description, used when the job is rescued
		Part  work.Part `json:"part"`
	}
	mergeJob struct {
		Work string `json:"work"`
	}
)

func (splitJob) Kind() string { return "trowel_split" }
func (partJob) Kind() string  { return "trowel_part" }
func (mergeJob) Kind() string { return "trowel_merge" }

func (j splitJob) work() string { return j.Work }
func (j mergeJob) work() string { return j.Work }

var _, _, _ river.JobArgs = splitJob{}, partJob{}, mergeJob{}

// limit returns the maximum duration of the part.
func (p *partJob) limit() time.Duration {
	return time.Duration(min(max(p.Limit, 1), int(maxLimit/time.Second))) * time.Second
}

// check returns an error about a part that this program cannot have written.
func (p *partJob) check() error {
	switch {
	case !validID(p.Work):
		return fmt.Errorf("%w: %.50q is not a valid ID of a job", errHostile, p.Work)
	case !p.Part.Valid():
		return fmt.Errorf("%w: %.50q is not a valid name of a part", errHostile, p.Part.Name)
	case strings.ContainsRune(p.Part.File, 0):
		return fmt.Errorf("%w: the name of a file contains a zero byte", errHostile)
	}
	return nil
}

// queueName returns the name of the River queue for a version of the program. Workers of other versions do not
// read from it.
func queueName(version string) string {
	sum := sha256.Sum256([]byte(version))
	return "trowel_" + hex.EncodeToString(sum[:8])
}
