// Package floors has the test that packages stand on each other as docs/design.md says.
package floors
