package world

import (
	"fmt"
	"iter"
	"strconv"
	"strings"
)

// LBM says when the world first saw a loading block modifier: it runs once on
// each block that was saved before.
type LBM struct {
	Name string // such as "default:3dtorch"; a colon before it means the same
	Time uint32 // of the game, in seconds
}

// LBMs yields the loading block modifiers that env_meta.txt tells of. With an
// error, about an entry that is not "name~time", others follow.
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
