// Package inuse tells whether another program has files open.
package inuse
