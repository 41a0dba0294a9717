package wording

import (
	"errors"

	"golang.org/x/sys/windows"
)

// openElsewhere reports whether the usual cause of an error is a file that another program has open.
func openElsewhere(err error) bool {
	for _, code := range []error{windows.ERROR_ACCESS_DENIED, windows.ERROR_SHARING_VIOLATION,
		windows.ERROR_LOCK_VIOLATION, windows.ERROR_USER_MAPPED_FILE} {
		if errors.Is(err, code) {
			return true
		}
	}
	return false
}
