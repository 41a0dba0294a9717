package format

import (
	"path"
	"strings"
)

// litter are the names of files that editors, desktops and this program leave in folders while people work there.
var litter = []string{
	"*~", ".*.sw[a-p]", "4913", ".#*", "#*#", // Vim, Emacs and others: backups, swap files, tests of a folder, locks
	".~lock.*#", "~$*", ".*.kate-swp", ".goutputstream-*", // LibreOffice, Microsoft Office, Kate, GNOME
	".ds_store", "._*", ".directory", "thumbs.db", "desktop.ini", ".trash-*", // desktops
	".fuse_hidden*", ".nfs*", ".trowel-*", ".*.trowel-part",
}

// IsLitter reports whether a path has the name of a file that a program leaves there by itself, such as the swap file of
// an editor, or is in a folder with such a name.
func IsLitter(name string) bool {
	for elem := range strings.SplitSeq(strings.ToLower(name), "/") {
		for _, pattern := range litter {
			if ok, _ := path.Match(pattern, elem); ok {
				return true
			}
		}
	}
	return false
}
