package world

import (
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"math/big"
	"strings"
)

// A current verifier is "#1#salt#verifier", of SRP-6a with SHA-256 and the 2048-bit group of RFC 5054, appendix A:
//
//	x = SHA-256(salt | SHA-256(lower case name ":" password))
//	verifier = g^x mod N, without leading zero bytes
//
// Both fields are base64 without padding. Before 0.4.13, a verifier is the SHA-1 of name and password, in the same
// base64.

const srpPrefix = "#1#"

var (
	srpN, _ = new(big.Int).SetString("ac6bdb41324a9a9bf166de5e1389582faf72b6651987ee07fc3192943db56050"+
		"a37329cbb4a099ed8193e0757767a13dd52312ab4b03310dcd7f48a9da04fd50"+
		"e8083969edb767b0cf6095179a163ab3661a05fbd5faaae82918a9962f0b93b8"+
		"55f97993ec975eeaa80d740adbf4ff747359d041d5c33ea71d281e446b14773b"+
		"ca97b43a23fb801676bd207a436c6481f1d2b9078717461a5b9d32e688f87748"+
		"544523b524b0d57d5ea77a2775d2ecfa032cfbdbf52fb3786160279004e57ae6"+
		"af874e7303ce53299ccc041c7bc308d82a5698f3a8d0c38271ae35f8e9dbfbb6"+
		"94b5c803d89f7ae435de236d525f54759b65e372fcd68ef20fa7111f9e4aff73", 16)
	srpG = big.NewInt(2)
)

// maxVerifier is longer, in bytes, than any verifier of the engine.
const maxVerifier = 512

var errVerifier = errors.New("a verifier of an unknown kind")

// saltSize is the size of the engine's salts, in bytes.
const saltSize = 16

// NewVerifier returns a verifier of the password, with a random salt, for the account with the given name. It returns
// "" if the password is "".
func NewVerifier(name, password string) Verifier {
	if password == "" {
		return ""
	}
	salt := make([]byte, saltSize)
	rand.Read(salt) // never fails
	return srpVerifier(name, password, salt)
}

// LegacyVerifier returns a verifier as it was before 0.4.13. All engines accept it.
func LegacyVerifier(name, password string) Verifier {
	if password == "" {
		return ""
	}
	sum := sha1.Sum([]byte(name + password))
	return Verifier(base64.RawStdEncoding.EncodeToString(sum[:]))
}

func srpVerifier(name, password string, salt []byte) Verifier {
	return Verifier(srpPrefix + base64.RawStdEncoding.EncodeToString(salt) + "#" +
		base64.RawStdEncoding.EncodeToString(srpKey(name, password, salt)))
}

// srpKey returns g^x mod N.
func srpKey(name, password string, salt []byte) []byte {
	inner := sha256.Sum256([]byte(lowerASCII(name) + ":" + password))
	outer := sha256.Sum256(append(salt[:len(salt):len(salt)], inner[:]...))
	x := new(big.Int).SetBytes(outer[:])
	return x.Exp(srpG, x, srpN).Bytes()
}

// lowerASCII converts to lower case as the engine does: byte by byte, and ASCII only.
func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// validBase64 reports whether the engine accepts s as base64.
func validBase64(s string) bool {
	s = strings.TrimRight(s, "=")
	return s != "" && len(s) <= maxVerifier && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") == ""
}

// decodeSRP decodes the salt and the key of a verifier.
func (v Verifier) decodeSRP() (salt, key []byte, err error) {
	parts := strings.Split(string(v), "#")
	if len(parts) != 4 || parts[0] != "" || parts[1] != "1" || !validBase64(parts[2]) || !validBase64(parts[3]) {
		return nil, nil, errVerifier
	}
	salt, err1 := base64.RawStdEncoding.DecodeString(strings.TrimRight(parts[2], "="))
	key, err2 := base64.RawStdEncoding.DecodeString(strings.TrimRight(parts[3], "="))
	if err1 != nil || err2 != nil {
		return nil, nil, errVerifier
	}
	return salt, key, nil
}

// CheckPassword reports whether the engine would accept the password. An account without a password accepts only "".
func CheckPassword(a *Account, password string) bool {
	switch a.Password.Kind() {
	case "none":
		return password == ""
	case "sha1":
		want := LegacyVerifier(a.Name, password)
		return subtle.ConstantTimeCompare([]byte(want), []byte(strings.TrimRight(string(a.Password), "="))) == 1
	case "srp":
		salt, key, err := a.Password.decodeSRP()
		return err == nil && subtle.ConstantTimeCompare(srpKey(a.Name, password, salt), key) == 1
	}
	return false
}
