//go:build !race

package tests

// Raced reports whether the test runs with the race detector.
const Raced = false
