//go:build !js

package server

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"strings"
	"time"
)

// WhyTLS describes a failure of TLS in words, with advice, or returns "" for other errors. The advice for a certificate that is
// signed by an unknown authority is trust.
func WhyTLS(err error, trust string) string {
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	var record tls.RecordHeaderError
	var reply *net.OpError
	switch {
	case errors.As(err, &host):
		names := append([]string{}, host.Certificate.DNSNames...)
		for _, ip := range host.Certificate.IPAddresses {
			names = append(names, ip.String())
		}
		if len(names) == 0 {
			return fmt.Sprintf("the certificate of the server has no names of hosts, and %s is required", host.Host)
		}
		return fmt.Sprintf("the certificate of the server is for %s, not for %s: connect to a name that it has",
			strings.Join(names, ", "), host.Host)
	case errors.As(err, &unknown):
		return "the certificate of the server is signed by an authority that is not trusted here: " + trust
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired && time.Now().Before(invalid.Cert.NotBefore):
		return fmt.Sprintf("the certificate of the server is not valid before %s: check the clock", moment(invalid.Cert.NotBefore))
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return fmt.Sprintf("the certificate of the server expired on %s: renew it", moment(invalid.Cert.NotAfter))
	case errors.As(err, &invalid):
		return "the certificate of the server: " + strings.TrimPrefix(invalid.Error(), "x509: ")
	case errors.As(err, &record):
		return "the server answers without TLS"
	case errors.As(err, &reply) && reply.Op == "remote error": // an alert, whose type is not exported
		return "the server ended the TLS connection: " + strings.TrimPrefix(reply.Err.Error(), "tls: ")
	}
	return ""
}

func moment(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 MST") }

// FileTrouble describes why the file of a certificate or key that a connection string of PostgreSQL names cannot be used, or
// returns "" for other errors. Of the connection string it contains only the name of the file.
func FileTrouble(err error) string {
	var file *fs.PathError
	if errors.As(err, &file) {
		return fmt.Sprintf("%s: %v", file.Path, file.Err)
	}
	// pgx has no types for these errors; a test provokes each.
	for text, words := range map[string]string{
		"unable to add CA to cert pool": "the file of sslrootcert contains no certificate",
		`both "sslcert" and "sslkey"`:   "sslcert and sslkey are needed together",
		"failed to decode sslkey":       "the file of sslkey is not in the format PEM",
		"unable to load cert":           "the files of sslcert and sslkey contain no certificate with its key",
		"unable to find sslpassword":    "the key of sslkey is encrypted, and no sslpassword is given",
		"unable to decrypt key":         "the key of sslkey is encrypted with another password than sslpassword",
		"sslmode is invalid":            "sslmode must be disable, allow, prefer, require, verify-ca or verify-full",
	} {
		if err != nil && strings.Contains(err.Error(), text) {
			return words
		}
	}
	return ""
}
