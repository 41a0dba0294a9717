package verbs

import (
	"slices"

	"github.com/spf13/cobra"

	"trowel.example/cmd/internal/service"
)

// mainArgs returns the arguments of the tool. If the tool was started from the Windows Explorer, it shows its
// help, or opens the dropped files and folders in the browser.
func mainArgs(args []string, byMouse bool) (run []string, stay bool) {
	switch {
	case !byMouse:
		return args, false
	case len(args) == 0:
		return []string{"help"}, true
	case slices.ContainsFunc(args, func(name string) bool { return !service.Exists(name) }):
		return args, true // started from a shortcut with arguments
	}
	return append([]string{"view", "--"}, args...), true
}

func init() { cobra.MousetrapHelpText = "" } // cobra would refuse to run
