package verbs

import "fmt"

// gone has what replaces the words of earlier versions: verbs and operations, options after their verb, and verbs of jobs.
var gone = map[string]string{
	"check --kinds":           "`trowel explain`",
	"jobs plan":               "`trowel jobs status ID`, which prints the rate and the time left",
	"mount":                   "`trowel extract FILE PATH...` and `trowel apply`",
	"open":                    "`trowel extract FILE`",
	"remove-unused-envelopes": "`remove-unused --envelopes`",
	"remove-unused-images":    "`remove-unused --images`",
	"remove-unused-sounds":    "`remove-unused --sounds`",
	"sql":                     "`trowel census DIR --views`",
}

// GoneError returns the error for a word of an earlier version; nil for any other word.
func GoneError(word string) error {
	if use := gone[word]; use != "" {
		return fmt.Errorf("`%s` is gone: use %s", word, use)
	}
	return nil
}
