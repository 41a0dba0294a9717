package sealed

import "errors"

var errProgram = errors.New("signatures need the program")

type (
	// Key is a secret key.
	SigningKey struct{}
	// Trust is the public key of a signer.
	Trust struct{}
)

func ReadSigningKey(string) (*SigningKey, error) { return nil, errProgram }

func (*SigningKey) Sign([]byte) string { return "" }

func ParseTrust(string) (*Trust, error) { return nil, errProgram }

func (*Trust) Verify([]byte, string) error { return errProgram }
