package wording

import "regexp"

var (
	aside  = regexp.MustCompile("(?:[ ]?\\([^()`]*`trowel[^`]*`[^()]*\\)|[;:,] [^;:`]*`trowel[^`]*`[^;:.]*)")
	option = regexp.MustCompile(`(^|[^\w-])--([a-z][a-z0-9-]*)`)
)

// InPage rewords a text for a page in which nobody writes a command line: it drops advice about commands of Trowel, and names options
// without their dashes.
func InPage(text string) string {
	return option.ReplaceAllString(aside.ReplaceAllString(text, ""), `${1}the option “$2”`)
}
