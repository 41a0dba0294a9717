//go:build !js

// Package database connects to the database servers that worlds name: Redis and PostgreSQL.
//
// A world.mt may come from anywhere, and may name any server. So only servers on this machine are contacted unless the
// user allows others: a server on another machine learns who reads the world, and receives the passwords that the user
// has stored for it.
package database

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"net/url"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/gomodule/redigo/redis"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"trowel.example/fault"
	"trowel.example/internal/stores/server"
	"trowel.example/internal/text/words"
)

// patience is the time limit for a reply of Redis, such as the names of several million blocks.
const patience = 5 * time.Minute

// Wrap adds the name of the server to an error of a client. Errors about missing or incompatible tables, and about
// data found in tables, are reported as errors of the world.
func Wrap(name string, err error) error {
	var inside *fault.Error
	var reply *pgconn.PgError
	switch {
	case err == nil, errors.Is(err, context.Canceled), errors.As(err, &inside), errors.Is(err, fs.ErrExist), server.Failed(err):
		return err
	case errors.As(err, &reply) && strings.HasPrefix(reply.Code, "42"): // syntax_error_or_access_rule_violation
		return fmt.Errorf("%s: %s", name, reply.Message)
	}
	return &server.Error{Server: name, Why: why(err), Err: err}
}

// why describes a server error without quoting the connection string: in a damaged connection string the password can
// be anywhere.
func why(err error) string {
	var reply *pgconn.PgError
	var system syscall.Errno
	var name *net.DNSError
	var timeout net.Error
	text := ""
	tls := server.WhyTLS(err, "sslrootcert names the file with the certificate of the authority")
	switch {
	case tls != "":
		return tls
	case strings.Contains(err.Error(), "server refused TLS connection"): // pgconn has no type for this; a test provokes it
		return "the server has no TLS, which sslmode requires"
	case errors.Is(err, errNotRedis):
		return "the server does not answer as Redis does; if it expects TLS: this is not supported for Redis, so connect through a tunnel"
	case errors.As(err, &reply) && (reply.Code == "53100" || reply.Code == "53200"): // disk_full, out_of_memory
		return "no space left on the server: " + reply.Message
	case errors.As(err, &reply):
		return "the server reports: " + reply.Message
	case isReply(err, &text) && (strings.HasPrefix(text, "OOM ") || strings.HasPrefix(text, "MISCONF ")):
		return "no space left on the server: " + text
	case text != "":
		return "the server reports: " + text
	case errors.As(err, &name):
		return "unknown host"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return fmt.Sprintf("no answer within %s", words.Count(int(server.Timeout.Seconds()), "second"))
	case errors.As(err, &system):
		return "no connection: " + system.Error()
	}
	return "the connection has ended"
}

// isReply reports whether an error is a reply of Redis, and stores its text.
func isReply(err error, text *string) bool {
	if reply, ok := errors.AsType[redis.Error](err); ok {
		*text = reply.Error()
	}
	return *text != ""
}

// remote returns an error about a setting of world.mt.
func remote(setting string) error {
	return &fault.Error{File: "world.mt", Path: setting, Offset: -1, Err: server.ErrRemote}
}

// here returns the addresses of a host if it is this machine. Only the name itself is checked: the answer of a name
// server could be any address.
func here(host string) ([]string, bool) {
	if strings.EqualFold(host, "localhost") {
		return []string{"127.0.0.1", "::1"}, true
	}
	ip, err := netip.ParseAddr(host)
	if err != nil || ip.Zone() != "" || !ip.Unmap().IsLoopback() {
		return nil, false
	}
	return []string{host}, true
}

// dialHere connects to this machine only, whatever address a client passes.
func dialHere(ctx context.Context, network, address string) (net.Conn, error) {
	if network == "unix" {
		return server.Dial(ctx, network, address)
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	all, ok := here(host)
	if !ok {
		return nil, server.ErrRemote
	}
	for _, ip := range all {
		var conn net.Conn
		if conn, err = server.Dial(ctx, network, net.JoinHostPort(ip, port)); err == nil {
			return conn, nil
		}
	}
	return nil, err
}

var errNotRedis = errors.New("not Redis, or Redis with TLS")

// Redis returns a pool of connections to a Redis server at an address, a host or the path of a socket, and the name of
// the server for messages. It opens no connection. If anywhere is set, the server may be on another machine.
func Redis(address string, port int, password string, anywhere bool) (pool *redis.Pool, name string, err error) {
	if port == 0 {
		port = 6379
	}
	network, name := "tcp", net.JoinHostPort(strings.Trim(address, "[]"), strconv.Itoa(port))
	if strings.Contains(address, "://") {
		return nil, "", &fault.Error{File: "world.mt", Path: "redis_address", Offset: -1, Got: "a URL", Err: fault.ErrFormat,
			Want: "a host, or the path of a socket; a connection with TLS (rediss://) needs a tunnel"}
	}
	if strings.Contains(address, "/") {
		network, name = "unix", address
	} else if _, local := here(strings.Trim(address, "[]")); !local && !anywhere {
		return nil, "", remote("redis_address")
	}
	dial := dialHere
	if anywhere {
		dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			return server.Dial(ctx, network, address)
		}
	}
	return &redis.Pool{
		MaxIdle: runtime.GOMAXPROCS(0),
		DialContext: func(ctx context.Context) (redis.Conn, error) {
			ctx, cancel := context.WithTimeout(ctx, server.Timeout)
			defer cancel()
			conn, err := redis.DialContext(ctx, network, name, redis.DialContextFunc(dial), redis.DialPassword(password),
				redis.DialReadTimeout(patience), redis.DialWriteTimeout(patience))
			if err != nil {
				return nil, err
			}
			// A server that expects TLS ends the connection at the first command.
			_, err = redis.DoWithTimeout(conn, server.Timeout, "PING")
			if _, is := errors.AsType[redis.Error](err); err == nil || is {
				return conn, nil
			}
			_ = conn.Close()
			if wait, ok := errors.AsType[net.Error](err); !ok || !wait.Timeout() {
				err = errNotRedis
			}
			return nil, err
		},
	}, name, nil
}

// plainKeys lists the keys of connection strings that only describe the server and the session: none of them makes the
// client read a file of the user.
var plainKeys = []string{"host", "port", "database", "user", "password", "sslmode", "connect_timeout",
	"application_name", "client_encoding", "options", "target_session_attrs"}

// Postgres returns the configuration for a PostgreSQL connection string, which is the value of a setting in world.mt.
// If anywhere is set, the server may be on another machine, and the user's stored credentials are used: PGPASSWORD and
// the files with passwords, services and keys.
func Postgres(connString, setting string, anywhere bool) (*pgx.ConnConfig, error) {
	c, err := parsePostgres(connString, setting, anywhere)
	if err != nil {
		return nil, err
	}
	if c.ConnectTimeout == 0 || c.ConnectTimeout > server.Timeout {
		c.ConnectTimeout = server.Timeout
	}
	dial := dialHere
	if anywhere {
		dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			return server.Dial(ctx, network, address)
		}
	} else {
		for _, host := range hosts(c) {
			if _, local := here(host); !local && !isSocket(host) {
				return nil, remote(setting)
			}
		}
		c.LookupFunc = func(_ context.Context, host string) ([]string, error) {
			if all, ok := here(host); ok {
				return all, nil
			}
			return nil, server.ErrRemote
		}
	}
	c.DialFunc = pgconn.DialFunc(dial)
	c.RuntimeParams["application_name"] = server.Application
	return c, nil
}

// isSocket reports whether a host is the folder of a Unix socket.
func isSocket(host string) bool {
	network, _ := pgconn.NetworkAddress(host, 0)
	return network == "unix"
}

func hosts(c *pgx.ConnConfig) []string {
	all := []string{c.Host}
	for _, f := range c.Fallbacks {
		all = append(all, f.Host)
	}
	return all
}

func parsePostgres(connString, setting string, anywhere bool) (*pgx.ConnConfig, error) {
	malformed := &fault.Error{File: "world.mt", Path: setting, Offset: -1, Want: "a PostgreSQL connection string",
		Got: "an invalid connection string", Err: fault.ErrFormat}
	if strings.TrimSpace(connString) == "" {
		malformed.Got = "nothing"
		return nil, malformed
	}
	parse := func(keys []string) (*pgx.ConnConfig, error) {
		var o pgx.ParseConfigOptions
		o.ConnStringAllowedKeys = keys
		return pgx.ParseConfigWithOptions(connString, o)
	}
	if anywhere {
		keys := plainKeys
		if !server.Sealed {
			keys = nil
		}
		c, err := parse(keys)
		switch {
		case err != nil && strings.Contains(err.Error(), "ConnStringAllowedKeys"):
			return nil, &fault.Error{File: "world.mt", Path: setting, Offset: -1, Err: server.ErrFiles}
		case err != nil:
			if why := server.FileTrouble(err); why != "" && !server.Sealed {
				malformed.Want, malformed.Got = "files and settings for TLS that can be used", why
			}
			return nil, malformed
		}
		return c, nil
	}
	c, err := parse(plainKeys)
	if err != nil {
		// pgx has no type for this error, but the text contains the option's name; a test checks this.
		if strings.Contains(err.Error(), "ConnStringAllowedKeys") {
			return nil, remote(setting)
		}
		return nil, malformed
	}
	if !occursIn(c.Password, connString) {
		c.Password = "" // it comes from the user's stored credentials
	}
	if c.TLSConfig != nil {
		c.TLSConfig.Certificates = nil
	}
	for _, f := range c.Fallbacks {
		if f.TLSConfig != nil {
			f.TLSConfig.Certificates = nil
		}
	}
	return c, nil
}

// occursIn reports whether a value occurs in a connection string, in either of its formats.
func occursIn(value, connString string) bool {
	bare := strings.NewReplacer(`\\`, `\`, `\`, "").Replace(connString)
	inURL, _ := url.PathUnescape(connString)
	inQuery, _ := url.QueryUnescape(connString)
	return slices.ContainsFunc([]string{connString, bare, inURL, inQuery}, func(text string) bool { return strings.Contains(text, value) })
}

// PostgresPlace returns a text that is equal for connections to the same database, and "" for a connection that may
// lead to several.
func PostgresPlace(c *pgx.ConnConfig) string {
	for _, f := range c.Fallbacks {
		if f.Host != c.Host || f.Port != c.Port {
			return ""
		}
	}
	return fmt.Sprintf("%s:%d/%s", c.Host, c.Port, c.Database)
}

// PostgresName returns the name of a PostgreSQL database for messages. It omits text that does not look like a host:
// in a damaged connection string the password may be anywhere.
func PostgresName(c *pgx.ConnConfig) string {
	list := slices.Compact(hosts(c))
	if slices.ContainsFunc(list, func(host string) bool { return !isSocket(host) && strings.ContainsAny(host, " ='\"@%&?") }) {
		return "PostgreSQL"
	}
	return fmt.Sprintf("PostgreSQL database %q on %s", c.Database, strings.Join(list, ", "))
}
