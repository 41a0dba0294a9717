package viewer

import (
	"crypto/subtle"
	"net/http"
	"slices"
)

// policy lets the page load what the program itself serves, and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; media-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// ServeHTTP answers a request, if it comes from the page or from whoever has its address.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	origin := "http://" + r.Host
	site := r.Header.Get("Sec-Fetch-Site")
	switch {
	case !slices.Contains([]string{"127.0.0.1:" + s.port, "localhost:" + s.port, "[::1]:" + s.port}, r.Host):
		http.Error(w, "this page has another address", http.StatusForbidden) // a name that leads here: DNS rebinding
	case site != "" && site != "same-origin" && site != "none",
		r.Header.Get("Origin") != "" && r.Header.Get("Origin") != origin:
		http.Error(w, "another site asks", http.StatusForbidden)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "nothing can be changed here", http.StatusMethodNotAllowed)
	case r.URL.Path == "/" && r.URL.Query().Has("t"):
		if !s.knows(r.URL.Query().Get("t")) {
			http.Error(w, "the address is not whole: it has a token, which the program printed", http.StatusForbidden)
			return
		}
		http.SetCookie(w, &http.Cookie{Name: s.cookie(), Value: s.token, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
		http.Redirect(w, r, "/", http.StatusSeeOther)
	case !s.hasCookie(r):
		http.Error(w, "the page is opened by the address that the program printed", http.StatusForbidden)
	default:
		s.mux.ServeHTTP(w, r)
	}
}

// cookie is the name of the cookie with the token. Ports share their cookies, so it has the
// port.
func (s *Server) cookie() string { return "trowel-" + s.port }

func (s *Server) hasCookie(r *http.Request) bool {
	c, err := r.Cookie(s.cookie())
	return err == nil && s.knows(c.Value)
}

func (s *Server) knows(token string) bool {
	return subtle.ConstantTimeCompare([]byte(token), []byte(s.token)) == 1
}
