//go:build !amd64 && !arm64

package sandbox

import "errors"

func filter(Limits) error { return errors.ErrUnsupported }

func hasSeccomp() bool { return false }
