package sandbox

import "golang.org/x/sys/unix"

// namedCalls are older forms of calls that the filter denies.
var namedCalls = []uint32{unix.SYS_CHMOD, unix.SYS_CHOWN, unix.SYS_LCHOWN, unix.SYS_UTIME, unix.SYS_UTIMES, unix.SYS_FUTIMESAT}

// openCall is the older form of openat.
const openCall = unix.SYS_OPEN
