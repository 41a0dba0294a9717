package viewer

import (
	"crypto/subtle"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"
)

// policy allows the page to load only resources that the program itself serves.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; media-src " +
	"'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Guard answers a request of this machine if it comes from the page or has the token of the page.
func (s *Server) Guard(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	for name, value := range map[string]string{
		"Content-Security-Policy":      policy,
		"X-Content-Type-Options":       "nosniff",
		"Cross-Origin-Resource-Policy": "same-origin",
		"Cross-Origin-Opener-Policy":   "same-origin",
		"Referrer-Policy":              "no-referrer",
		"Cache-Control":                "no-store",
	} {
		h.Set(name, value)
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(2 * limit)) // for slow readers
	query := r.URL.Query()
	switch {
	case !slices.Contains([]string{"127.0.0.1:" + s.port, "localhost:" + s.port, "[::1]:" + s.port}, r.Host):
		// A foreign name that resolves to this machine: DNS rebinding.
		http.Error(w, "the page has a different address", http.StatusForbidden)
	case !allAllowed(r.Header["Sec-Fetch-Site"], "same-origin", "none"), !allAllowed(r.Header["Origin"], "http://"+r.Host):
		http.Error(w, "the request comes from another site", http.StatusForbidden)
	case r.Method != http.MethodGet && r.Method != http.MethodHead && !s.mayPost(r):
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "nothing can be changed here", http.StatusMethodNotAllowed)
	case r.URL.Path == "/" && query.Has("t"):
		if token := query.Get("t"); !s.isToken(token) && !(r.Method == http.MethodGet && s.redeems(token)) {
			http.Error(w, "the address is incomplete, or belongs to a run that has ended: use the printed address", http.StatusForbidden)
			return
		}
		http.SetCookie(w, &http.Cookie{Name: s.cookie(), Value: s.token, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
		http.Redirect(w, r, "/", http.StatusSeeOther) // removes the token from the address bar
	case !slices.ContainsFunc(r.CookiesNamed(s.cookie()), func(c *http.Cookie) bool { return s.isToken(c.Value) }):
		http.Error(w, "open the page with the address that the program printed", http.StatusForbidden)
	case r.URL.Path == "/", strings.HasPrefix(r.URL.Path, "/page/"):
		s.handle(s.servePage)(w, r)
	default:
		s.Answer(w, r)
	}
}

// Answer answers a request about the files, from any client. The page itself is in [PageFiles].
func (s *Server) Answer(w http.ResponseWriter, r *http.Request) {
	switch {
	case path.Clean(r.URL.Path) != r.URL.Path: // the mux would redirect the request
		http.NotFound(w, r)
	case s.busy.Add(1) > maxRequests:
		s.busy.Add(-1)
		http.Error(w, "too many requests at a time", http.StatusServiceUnavailable)
	default:
		defer s.busy.Add(-1)
		s.mux.ServeHTTP(w, r)
	}
}

// maxRequests is the maximum number of concurrent requests.
const maxRequests = 512

// allAllowed reports whether all values of a header are allowed.
func allAllowed(values []string, allowed ...string) bool {
	return !slices.ContainsFunc(values, func(v string) bool { return !slices.Contains(allowed, v) })
}

// cookie returns the name of the cookie with the token. Cookies are shared between ports, so the name contains
// the port.
func (s *Server) cookie() string { return "trowel-" + s.port }

func (s *Server) isToken(token string) bool { return same(token, s.token) }

// redeems reports whether a text is the ticket. The ticket is valid once.
func (s *Server) redeems(text string) bool {
	ticket := s.ticket.Load()
	return ticket != nil && same(text, *ticket) && s.ticket.CompareAndSwap(ticket, nil)
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
