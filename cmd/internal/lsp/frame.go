package lsp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"trowel.example/internal/text/strictjson"
)

// Limits of messages in bytes.
const (
	maxMessage = 64 << 20
	maxHeader  = 4 << 10
)

// readMessage reads the content of the next message. The error is io.EOF at the end of the input. After any other error
// the input cannot be read further, because the beginning of the next message is unknown.
func readMessage(in *bufio.Reader) ([]byte, error) {
	size := -1
	for total := 0; ; {
		line, err := in.ReadSlice('\n')
		if total += len(line); total > maxHeader || errors.Is(err, bufio.ErrBufferFull) {
			return nil, fmt.Errorf("a header of more than %d bytes", maxHeader)
		}
		if err == io.EOF && total > 0 {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, err
		}
		field := strings.TrimRight(string(line), "\r\n")
		if field == "" {
			break
		}
		name, value, ok := strings.Cut(field, ":")
		if !ok {
			return nil, fmt.Errorf("the header %q has no colon", field)
		}
		if !strings.EqualFold(strings.TrimSpace(name), "Content-Length") {
			continue
		}
		if size, err = strconv.Atoi(strings.TrimSpace(value)); err != nil || size < 0 || size > maxMessage {
			return nil, fmt.Errorf("the header %q: expected a length of at most %d", field, maxMessage)
		}
	}
	if size < 0 {
		return nil, errors.New("a header without Content-Length")
	}
	var content bytes.Buffer // grows with what arrives, whatever the header states
	if n, err := io.CopyN(&content, in, int64(size)); err != nil {
		return nil, fmt.Errorf("%d of %d bytes of a message: %w", n, size, io.ErrUnexpectedEOF)
	}
	return content.Bytes(), nil
}

// writeMessage writes a message with its header.
func writeMessage(out io.Writer, m *message) error {
	m.Version = "2.0"
	content, err := strictjson.Marshal(m, "")
	if err == nil {
		_, err = fmt.Fprintf(out, "Content-Length: %d\r\n\r\n%s", len(content), content)
	}
	return err
}

// message is a request (with ID and method), a notification (without ID) or a response (without method).
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
	Error   *failure        `json:"error,omitempty"`
}

// null is the result of a request that finds nothing.
var null = json.RawMessage("null")

// failure is the error of a request.
type failure struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (f *failure) Error() string { return f.Message }

// Codes of failures, as in JSON-RPC and the protocol.
const (
	codeParse        = -32700
	codeInvalid      = -32600
	codeMethod       = -32601
	codeParams       = -32602
	codeInternal     = -32603
	codeNotReady     = -32002
	codeCancelled    = -32800
	codeRequestFails = -32803
)

// decode reads the parameters of a method.
func decode(params json.RawMessage, v any) error {
	if len(params) == 0 {
		params = json.RawMessage("{}")
	}
	if err := json.Unmarshal(params, v); err != nil {
		return &failure{codeParams, err.Error()}
	}
	return nil
}
