package world

import (
	"fmt"
	"iter"
	"strconv"
	"strings"
)

// LBM is the time at which the world first loaded a loading block modifier. The modifier runs once on each block that
// was saved before that time.
type LBM struct {
	Name string // such as "default:3dtorch"; a leading colon has no meaning
	Time uint32 // game time in seconds
}

// LBMs yields the loading block modifiers of env_meta.txt. An entry that is not "name~time" is yielded as an error,
// and the iteration continues.
func (s *Settings) LBMs() iter.Seq2[LBM, error] {
	return func(yield func(LBM, error) bool) {
		text, _ := s.Get("lbm_introduction_times")
		for entry := range strings.SplitSeq(text, ";") {
			if entry == "" {
				continue
			}
			name, when, ok := strings.Cut(entry, "~")
			t, err := strconv.ParseUint(when, 10, 32)
			if !ok || err != nil {
				err = fmt.Errorf("%.60q is not \"name~time\"", entry)
			}
			if !yield(LBM{name, uint32(t)}, err) {
				return
			}
		}
	}
}
