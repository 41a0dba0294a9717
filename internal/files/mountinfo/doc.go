// Package mountinfo lists what is mounted on a Linux system.
package mountinfo
