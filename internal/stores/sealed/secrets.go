//go:build !js

package sealed

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"filippo.io/age"

	"trowel.example/internal/files/host"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/stores/storage"
)

// Variables of the environment with the secrets of the user.
const (
	VariableFile   = "TROWEL_KEY_FILE"   // the path of a file of identities
	variablePhrase = "TROWEL_PASSPHRASE" // the passphrase
)

// HasSecret reports whether the environment names a secret of the user.
func HasSecret() bool { return host.Env(VariableFile) != "" || host.Env(variablePhrase) != "" }

// identities returns the identities of the user, or that of the passphrase. It asks the user for a passphrase that the
// environment lacks.
func identities(store storage.Store, phrase bool) ([]age.Identity, error) {
	if phrase {
		text := host.Env(variablePhrase)
		if text == "" && host.Env(VariableFile) != "" {
			return nil, nil // the user has chosen another secret
		}
		if text == "" {
			var err error
			if text, err = ask("passphrase of " + store.Path("")); err != nil {
				return nil, err
			}
		}
		id, err := age.NewScryptIdentity(text)
		if err != nil {
			return nil, err
		}
		id.SetMaxWorkFactor(workFactor)
		return []age.Identity{id}, nil
	}
	name := host.Env(VariableFile)
	if name == "" {
		return nil, nil
	}
	data, err := regular.ReadFile(name, effort.SmallFile)
	if err != nil {
		return nil, err
	}
	ids, err := age.ParseIdentities(strings.NewReader(string(data)))
	if err != nil {
		// The error of age may contain a line of the file.
		return nil, fmt.Errorf("%s: expected identities of age, one on each line (AGE-SECRET-KEY-1...), as age-keygen writes them", name)
	}
	return ids, nil
}

// ask asks the user for a secret.
func ask(what string) (string, error) {
	text, has := host.Secret(what)
	switch {
	case !has:
		return "", fmt.Errorf("%s: there is no terminal to ask for it: set %s", what, variablePhrase)
	case text == "":
		return "", fmt.Errorf("%s: no passphrase was entered", what)
	}
	return text, nil
}

// Readers are those who can read a store.
type Readers struct {
	Recipients []string // of age: age1...; or files with one on each line
	Passphrase bool     // everyone who has the passphrase, which the user enters or the environment contains
}

// Empty reports whether there are no readers.
func (r Readers) Empty() bool { return len(r.Recipients) == 0 && !r.Passphrase }

// groups returns the recipients of each file with the key: age has a passphrase in a file of its own.
func (r Readers) groups(s storage.Store) (groups [][]age.Recipient, err error) {
	var all []age.Recipient
	for _, text := range r.Recipients {
		list, err := age.ParseRecipients(strings.NewReader(text))
		if err != nil {
			if list, err = recipientsIn(text); err != nil {
				return nil, err
			}
		}
		all = append(all, list...)
	}
	if len(all) > 0 {
		groups = append(groups, all)
	}
	if r.Passphrase {
		text := host.Env(variablePhrase)
		if text == "" {
			if text, err = ask("new passphrase of " + s.Path("")); err != nil {
				return nil, err
			}
			again, err := ask("the same passphrase again")
			if err != nil {
				return nil, err
			}
			if again != text {
				return nil, errors.New("the two passphrases differ")
			}
		}
		to, err := age.NewScryptRecipient(text)
		if err != nil {
			return nil, err
		}
		to.SetWorkFactor(workFactor)
		groups = append(groups, []age.Recipient{to})
	}
	if len(groups) == 0 {
		return nil, errors.New("expected a recipient or a passphrase")
	}
	return groups, nil
}

// recipientsIn reads a file of recipients.
func recipientsIn(name string) ([]age.Recipient, error) {
	expected := fmt.Errorf("%q: expected a recipient of age (age1...), or a file with one on each line", name)
	if strings.HasPrefix(strings.ToUpper(name), "AGE-SECRET-KEY-") {
		return nil, errors.New("expected a recipient of age (age1...), not a secret key: keep that in a file (age-keygen -y FILE " +
			"prints the recipient)")
	}
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		return nil, expected
	}
	data, err := regular.ReadFile(name, effort.SmallFile)
	if err != nil {
		return nil, err
	}
	list, err := age.ParseRecipients(strings.NewReader(string(data)))
	if err != nil {
		return nil, expected
	}
	return list, nil
}
