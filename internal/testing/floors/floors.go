// Package floors tests that the imports of packages follow the layers described in docs/design.md.
package floors
