//go:build !js

package sealed

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"aead.dev/minisign"

	"trowel.example/internal/files/host"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/limits/effort"
)

// PasswordVariable is the variable of the environment with the password of the secret key.
const PasswordVariable = "TROWEL_SIGN_PASSWORD"

// SigningKey is a secret key.
type SigningKey struct{ key minisign.PrivateKey }

// ReadSigningKey reads a secret key from a file that minisign has made. It takes the password from the environment or asks the user.
func ReadSigningKey(name string) (*SigningKey, error) {
	data, err := regular.ReadFile(name, effort.SmallFile)
	if err != nil {
		return nil, err
	}
	// The errors of the module may contain bytes of the file.
	wrong := fmt.Errorf("%s: expected a secret key of minisign (minisign -G makes one)", name)
	if !minisign.IsEncrypted(data) {
		k := new(SigningKey)
		if k.key.UnmarshalText(data) != nil {
			return nil, wrong
		}
		return k, nil
	}
	password := host.Env(PasswordVariable)
	if password == "" {
		var has bool
		if password, has = host.Secret("password of " + name); !has {
			return nil, fmt.Errorf("%s: there is no terminal to ask for its password: set %s", name, PasswordVariable)
		}
	}
	key, err := minisign.DecryptKey(password, data)
	if err != nil {
		return nil, fmt.Errorf("%s: the password does not decrypt the key", name)
	}
	return &SigningKey{key}, nil
}

// Sign returns a signature of a message, as minisign writes it.
func (k *SigningKey) Sign(message []byte) string {
	return string(minisign.SignWithComments(k.key, message, "trowel", "signature from minisign secret key"))
}

// Trust is the public key of a signer.
type Trust struct{ key minisign.PublicKey }

// ParseTrust returns the public key in a text, or in the file that it names.
func ParseTrust(text string) (*Trust, error) {
	t := new(Trust)
	if t.key.UnmarshalText([]byte(text)) == nil {
		return t, nil
	}
	data, err := regular.ReadFile(text, effort.SmallFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err != nil || t.key.UnmarshalText([]byte(strings.TrimSpace(string(data)))) != nil {
		return nil, fmt.Errorf("%q: expected a public key of minisign (RW...), or a file with one", text)
	}
	return t, nil
}

// Errors of [Trust.Verify].
var (
	ErrUnsigned = errors.New("not signed")
	ErrOther    = errors.New("signed with another key")
	ErrWrong    = errors.New("the signature does not match: it was changed, or the signature belongs to something else")
)

// Verify returns an error unless the signature of a message was made with the secret key that belongs to the public one.
func (t *Trust) Verify(message []byte, signature string) error {
	var s minisign.Signature
	switch {
	case signature == "":
		return ErrUnsigned
	case s.UnmarshalText([]byte(signature)) != nil:
		return ErrWrong
	case s.KeyID != t.key.ID():
		return ErrOther
	case !minisign.Verify(t.key, message, []byte(signature)):
		return ErrWrong
	}
	if text, err := s.MarshalText(); err != nil || string(text) != signature { // some texts have the same bytes in base64
		return ErrWrong
	}
	return nil
}
