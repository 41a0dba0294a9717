// Package inuse reports whether another program has files open.
package inuse
