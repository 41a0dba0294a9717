package fleet

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"

	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/files/host"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/stores/server"
)

// envQueue is the environment variable with the address of the queue, used if no option names one. The address
// may contain a password.
const envQueue = "TROWEL_QUEUE"

// address is the address of the queue. It may contain a password and must not be printed.
type address struct {
	config *pgxpool.Config
	name   string // for messages
}

var errAddress = errors.New("is not a PostgreSQL address such as postgres://user@host/database")

// passwords matches a password in a connection string.
var passwords = regexp.MustCompile(`(?i)(^|[\s?&])(ssl)?password\s*=`)

// parseAddress returns the address of the queue: the value of --queue, which must not contain a password;
// otherwise the content of the file of --queue-file, otherwise the environment variable.
func parseAddress(given, file string) (*address, error) {
	text, from := given, "--queue"
	switch {
	case given != "" && file != "":
		return nil, errors.New("--queue and --queue-file name two queues: give one of them")
	case given != "":
		if hasPassword(given) {
			return nil, wording.Hint(errors.New("--queue contains a password, which all users of this machine could see"),
				"pass it by PGPASSWORD or PGPASSFILE, or the whole address by %s or --queue-file", envQueue)
		}
	case file != "":
		data, err := regular.ReadFile(file, effort.SmallFile)
		if err != nil {
			return nil, err
		}
		text, from = strings.TrimSpace(string(data)), file
	default:
		text, from = host.Env(envQueue), envQueue
	}
	if text == "" {
		return nil, wording.Hint(errors.New("no queue is given"), "such as --queue postgres://user@host/database, or by "+
			"%s or --queue-file", envQueue)
	}
	config, err := pgxpool.ParseConfig(text)
	if why := server.FileTrouble(err); err != nil && why != "" {
		return nil, fmt.Errorf("%s: %s", from, why)
	}
	if err != nil { // the error quotes the part it cannot parse, which may be the password
		return nil, fmt.Errorf("%s %w", from, errAddress)
	}
	config.MaxConns = 5
	config.ConnConfig.RuntimeParams["application_name"] = "trowel"
	c := config.ConnConfig
	return &address{config, fmt.Sprintf("the queue in %s at %s", c.Database, c.Host)}, nil
}

// hasPassword reports whether an address or another argument contains a password.
func hasPassword(text string) bool {
	if u, err := url.Parse(text); err == nil && u.Scheme != "" && u.Host+u.Path != "" {
		_, has := u.User.Password()
		for key := range u.Query() { // the decoded keys, not their spelling
			has = has || passwords.MatchString(key+"=")
		}
		return has || passwords.MatchString("?"+u.RawQuery)
	}
	if _, rest, ok := strings.Cut(text, "://"); ok { // the address cannot be parsed
		login, _, ok := strings.Cut(rest, "@")
		return ok && strings.Contains(login, ":")
	}
	return passwords.MatchString(text)
}
