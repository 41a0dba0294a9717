package words

import (
	"strings"
	"sync"
	"syscall"
)

// systemWords replaces the words of Windows, in its language, by those of other systems.
var systemWords = sync.OnceValue(func() *strings.Replacer {
	var pairs []string
	for _, w := range []struct {
		code syscall.Errno
		text string
	}{
		{syscall.ERROR_FILE_NOT_FOUND, "no such file or directory"},
		{syscall.ERROR_PATH_NOT_FOUND, "no such file or directory"},
		{53, "no such file or directory"}, // ERROR_BAD_NETPATH
		{67, "no such file or directory"}, // ERROR_BAD_NET_NAME
		{syscall.ERROR_ACCESS_DENIED, "permission denied"},
		{19, "read-only file system"}, // ERROR_WRITE_PROTECT
		{32, "the file is in use"},    // ERROR_SHARING_VIOLATION
		{33, "the file is in use"},    // ERROR_LOCK_VIOLATION
		{syscall.ERROR_FILE_EXISTS, "file exists"},
		{syscall.ERROR_ALREADY_EXISTS, "file exists"},
		{39, "no space left on device"},  // ERROR_HANDLE_DISK_FULL
		{112, "no space left on device"}, // ERROR_DISK_FULL
		{syscall.ERROR_BROKEN_PIPE, "broken pipe"},
		{232, "broken pipe"},        // ERROR_NO_DATA
		{123, "invalid file name"},  // ERROR_INVALID_NAME
		{161, "invalid file name"},  // ERROR_BAD_PATHNAME
		{206, "file name too long"}, // ERROR_FILENAME_EXCED_RANGE
		{syscall.ERROR_DIR_NOT_EMPTY, "directory not empty"},
		{267, "not a directory"}, // ERROR_DIRECTORY
		{10054, "connection reset by peer"},
		{10060, "connection timed out"},
		{10061, "connection refused"},
	} {
		if text := w.code.Error(); text != "" && text != w.text {
			pairs = append(pairs, text, w.text)
		}
	}
	return strings.NewReplacer(pairs...)
})

// Portable replaces the words of the system for failures, such as "The system cannot find the file specified.", by those
// that other systems use, so that messages are the same everywhere.
func Portable(text string) string { return systemWords().Replace(text) }
