package sealed_test

import (
	"crypto/rand"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"aead.dev/minisign"

	"trowel.example/internal/stores/sealed"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

// newKey writes a secret key without a password, and returns its file and the public key.
func newKey(t testing.TB) (file, public string) {
	t.Helper()
	pub, key, err := minisign.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	text, err := key.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "minisign.key")
	judge.Write(t, file, text)
	return file, pub.String()
}

// TestVerify tests that only the message and the signature of the signer are accepted.
func TestVerify(t *testing.T) {
	file, public := newKey(t)
	_, other := newKey(t)
	key, err := sealed.ReadSigningKey(file)
	if err != nil {
		t.Fatal(err)
	}
	trust, err := sealed.ParseTrust(public)
	if err != nil {
		t.Fatal(err)
	}
	stranger, err := sealed.ParseTrust(other)
	if err != nil {
		t.Fatal(err)
	}
	message := []byte("a root")
	signature := key.Sign(message)
	for _, c := range []struct {
		by      *sealed.Trust
		message string
		text    string
		want    error
	}{
		{trust, "a root", signature, nil}, {trust, "a Root", signature, sealed.ErrWrong}, {trust, "a root", "", sealed.ErrUnsigned},
		{stranger, "a root", signature, sealed.ErrOther}, {trust, "a root", signature[1:], sealed.ErrWrong},
		{trust, "a root", strings.Replace(signature, "trowel", "Trowel", 1), sealed.ErrWrong},
	} {
		if err := c.by.Verify([]byte(c.message), c.text); !errors.Is(err, c.want) {
			t.Errorf("%q with %.20q: %v", c.message, c.text, err)
		}
	}
	for i := range len(signature) {
		bad := []byte(signature)
		bad[i] ^= 1
		if err := trust.Verify(message, string(bad)); err == nil && i > strings.IndexByte(signature, '\n') {
			t.Errorf("a signature with another byte %d is accepted", i)
		}
	}
}

// TestKeyFiles tests the errors of files that are no keys, which reveal nothing of them.
func TestKeyFiles(t *testing.T) {
	tests.OnHost(t, nil)
	for _, text := range []string{"", "mysecret", "untrusted comment: x\nAAAA"} {
		file := filepath.Join(t.TempDir(), "key")
		judge.Write(t, file, []byte(text))
		if _, err := sealed.ReadSigningKey(file); err == nil || strings.Contains(err.Error(), "mysecret") {
			t.Errorf("%q: %v", text, err)
		}
		if _, err := sealed.ParseTrust(file); err == nil || strings.Contains(err.Error(), "mysecret") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestMinisign tests that keys of minisign with a password sign, and that minisign verifies the signature.
func TestMinisign(t *testing.T) {
	program := judge.Find(t, "minisign")
	dir := judge.Dir(t)
	cmd := exec.Command(program, "-G", "-p", "key.pub", "-s", "key.sec")
	cmd.Dir, cmd.Stdin = dir, strings.NewReader("secret\nsecret\n")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for password, fits := range map[string]bool{"secret": true, "": false} {
		tests.OnHost(t, map[string]string{"variable " + sealed.PasswordVariable: password})
		key, err := sealed.ReadSigningKey(filepath.Join(dir, "key.sec"))
		if (err == nil) != fits {
			t.Fatalf("%q: %v", password, err)
		}
		if !fits {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, "root"), []byte("a root"), 0o600); err != nil {
			t.Fatal(err)
		}
		judge.Write(t, filepath.Join(dir, "root.minisig"), []byte(key.Sign([]byte("a root"))))
		if out, err := judge.Run(t, dir, "minisign", "-V", "-p", "key.pub", "-m", "root"); err != nil {
			t.Errorf("%v: %s", err, out)
		}
		trust, err := sealed.ParseTrust(filepath.Join(dir, "key.pub"))
		if err != nil {
			t.Fatal(err)
		}
		if err := trust.Verify([]byte("a root"), key.Sign([]byte("a root"))); err != nil {
			t.Error(err)
		}
	}
}

func FuzzVerify(f *testing.F) {
	file, public := newKey(f)
	key, err := sealed.ReadSigningKey(file)
	if err != nil {
		f.Fatal(err)
	}
	trust, err := sealed.ParseTrust(public)
	if err != nil {
		f.Fatal(err)
	}
	message := []byte("a root")
	f.Add(message, key.Sign(message))
	f.Fuzz(func(t *testing.T, data []byte, signature string) {
		if trust.Verify(data, signature) == nil && string(data) != string(message) {
			t.Errorf("another message is accepted: %q", data)
		}
	})
}
