package world

import (
	"context"
	"errors"
	"fmt"
	"math"
)

var authTables = tables{
	sqlite: []string{
		"CREATE TABLE IF NOT EXISTS auth (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE NOT NULL, password TEXT " +
			"NOT NULL, last_login INTEGER NOT NULL DEFAULT 0)",
		"CREATE TABLE IF NOT EXISTS user_privileges (id INTEGER, privilege TEXT, PRIMARY KEY (id, privilege), CONSTRAINT " +
			"fk_id FOREIGN KEY (id) REFERENCES auth (id) ON DELETE CASCADE)",
	},
	postgres: []string{
		"CREATE TABLE IF NOT EXISTS auth (id SERIAL, name TEXT UNIQUE, password TEXT, last_login INT NOT NULL DEFAULT 0, PRIMARY KEY (id))",
		"CREATE TABLE IF NOT EXISTS user_privileges (id INT, privilege TEXT, PRIMARY KEY (id, privilege), CONSTRAINT " +
			"fk_id FOREIGN KEY (id) REFERENCES auth (id) ON DELETE CASCADE)",
	},
}

var accountRows = rowsOf[*Account]{
	names: func(db *sqlDB) string {
		if !db.has("auth") {
			return ""
		}
		return "SELECT name FROM auth ORDER BY id"
	},
	get: func(ctx context.Context, db *sqlDB, name string) (*Account, error) {
		_, a, err := getAccount(ctx, db, name)
		return a, err
	},
	put:    putAccount,
	delete: deleteAccount,
}

func getAccount(ctx context.Context, db *sqlDB, name string) (id int64, a *Account, err error) {
	if !db.has("auth") {
		return 0, nil, ErrNotFound
	}
	path := fmt.Sprintf("auth[%q]", name)
	err = db.query(ctx, path, "SELECT id, password, last_login FROM auth WHERE name = $1", []any{name}, func(r *row) error {
		if a == nil {
			id = r.int(0, "id", math.MinInt64, math.MaxInt64)
			a = &Account{Name: name, Password: Verifier(r.text(1, "password")), LastLogin: r.int(2, "last_login", math.MinInt64, math.MaxInt64)}
		}
		return nil
	})
	if err == nil && a == nil {
		err = ErrNotFound
	}
	if err == nil && db.has("user_privileges") {
		err = db.query(ctx, path, "SELECT privilege FROM user_privileges WHERE id = $1", []any{id}, func(r *row) error {
			a.Privileges = append(a.Privileges, r.text(0, "privilege"))
			return nil
		})
	}
	if err != nil {
		return 0, nil, err
	}
	return id, a, nil
}

func putAccount(ctx context.Context, db *sqlDB, a *Account) error {
	path := fmt.Sprintf("auth[%q]", a.Name)
	id, was, err := getAccount(ctx, db, a.Name)
	switch {
	case err == nil && was.Equal(a):
		return nil
	case err == nil:
		err = db.exec(ctx, path, "UPDATE auth SET password = $1, last_login = $2 WHERE id = $3", string(a.Password), a.LastLogin, id)
	case errors.Is(err, ErrNotFound):
		err = db.exec(ctx, path, "INSERT INTO auth (name, password, last_login) VALUES ($1, $2, $3)", a.Name, string(a.Password), a.LastLogin)
		if err == nil {
			id, _, err = getAccount(ctx, db, a.Name)
		}
	}
	if err != nil {
		return err
	}
	if err := db.exec(ctx, path, "DELETE FROM user_privileges WHERE id = $1", id); err != nil {
		return err
	}
	seen := make(map[string]bool)
	for _, p := range a.Privileges {
		if seen[p] {
			continue
		}
		seen[p] = true
		if err := db.exec(ctx, path, "INSERT INTO user_privileges (id, privilege) VALUES ($1, $2)", id, p); err != nil {
			return err
		}
	}
	return nil
}

func deleteAccount(ctx context.Context, db *sqlDB, name string) error {
	id, _, err := getAccount(ctx, db, name)
	if err != nil {
		return err
	}
	return errors.Join(db.exec(ctx, "user_privileges", "DELETE FROM user_privileges WHERE id = $1", id),
		db.exec(ctx, "auth", "DELETE FROM auth WHERE id = $1", id))
}
