package worlddir

import (
	"fmt"

	"trowel.example/fault"
	"trowel.example/minetest/world"
)

// accountForm is the file of an account.
type accountForm struct {
	Password   string  `json:"password"`              // the kind of verifier: none, sha1, srp or unknown
	Verifier   *value  `json:"verifier,omitempty"`    // what the engine stores instead of the password
	New        *value  `json:"newPassword,omitempty"` // a password to set; never written
	Privileges []value `json:"privileges"`
	LastLogin  int64   `json:"lastLogin"` // seconds since 1970; -1 for never
}

func accountFormOf(a *world.Account, verifiers bool) *accountForm {
	f := &accountForm{Password: a.Password.Kind(), Privileges: []value{}, LastLogin: a.LastLogin}
	if verifiers && a.Password != "" {
		v := value(a.Password)
		f.Verifier = &v
	}
	for _, p := range a.Privileges {
		f.Privileges = append(f.Privileges, value(p))
	}
	return f
}

// account returns the account. Without a verifier or a new password in the file, the account gets the verifier kept,
// if there is one.
func (f *accountForm) account(name string, kept *value) (*world.Account, error) {
	a := &world.Account{Name: name, LastLogin: f.LastLogin}
	for _, p := range f.Privileges {
		a.Privileges = append(a.Privileges, string(p))
	}
	if f.New != nil {
		a.Password = world.NewVerifier(name, string(*f.New))
		return a, nil
	}
	v := f.Verifier
	if v == nil {
		v = kept
	}
	if f.Password != "none" && v != nil {
		a.Password = world.Verifier(*v)
	}
	if kind := a.Password.Kind(); kind != f.Password {
		return nil, &fault.TextError{Msg: fmt.Sprintf("the new password is %q, but its verifier is %q; set another "+
			"verifier with a field \"verifier\", or \"none\" for no password", f.Password, kind)}
	}
	return a, nil
}
