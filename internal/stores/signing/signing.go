//go:build !js

// Package signing signs messages with keys of minisign (jedisct1.github.io/minisign), and verifies the signatures.
package signing

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

// Variable is the variable of the environment with the password of the secret key.
const Variable = "TROWEL_SIGN_PASSWORD"

// Key is a secret key.
type Key struct{ key minisign.PrivateKey }

// ReadKey reads a secret key from a file that minisign has made. It takes the password from the environment or asks the user.
func ReadKey(name string) (*Key, error) {
	data, err := regular.ReadFile(name, effort.SmallFile)
	if err != nil {
		return nil, err
	}
	// The errors of the module may contain bytes of the file.
	wrong := fmt.Errorf("%s: expected a secret key of minisign (minisign -G makes one)", name)
	if !minisign.IsEncrypted(data) {
		k := new(Key)
		if k.key.UnmarshalText(data) != nil {
			return nil, wrong
		}
		return k, nil
	}
	password := host.Env(Variable)
	if password == "" {
		var has bool
		if password, has = host.Secret("password of " + name); !has {
			return nil, fmt.Errorf("%s: there is no terminal to ask for its password: set %s", name, Variable)
		}
	}
	key, err := minisign.DecryptKey(password, data)
	if err != nil {
		return nil, fmt.Errorf("%s: the password does not decrypt the key", name)
	}
	return &Key{key}, nil
}

// Sign returns a signature of a message, as minisign writes it.
func (k *Key) Sign(message []byte) string {
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
	ErrNone  = errors.New("not signed")
	ErrOther = errors.New("signed with another key")
	ErrWrong = errors.New("the signature does not match: it was changed, or the signature belongs to something else")
)

// Verify returns an error unless the signature of a message was made with the secret key that belongs to the public one.
func (t *Trust) Verify(message []byte, signature string) error {
	var s minisign.Signature
	switch {
	case signature == "":
		return ErrNone
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
