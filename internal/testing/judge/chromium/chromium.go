// Package chromium lets tests use a page as a person does: in a real Chromium browser without a window.
package chromium

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"trowel.example/internal/testing/judge"
)

// patience is the time limit of a step on a busy machine.
const patience = 4 * time.Minute

// Page is a page in a separate browser.
type Page struct {
	t   testing.TB
	ctx context.Context

	mu       sync.Mutex
	messages []string
	requests []string
	running  map[network.RequestID]string // addresses of requests without an answer yet
	rested   time.Time                    // time of the last answer
}

// Start starts a browser with a window of the given size in pixels. It skips the test if Chromium is not installed,
// unless judges are required.
func Start(t testing.TB, width, height int) *Page {
	t.Helper()
	path := judge.Find(t, "chromium")
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.WindowSize(width, height), chromedp.WSURLReadTimeout(patience),
		chromedp.Flag("enable-unsafe-swiftshader", true)) // WebGL without a graphics card
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	p := &Page{t: t, ctx: ctx, running: make(map[network.RequestID]string)}
	chromedp.ListenTarget(ctx, p.hear)
	p.Do(log.Enable(), network.Enable(), emulation.SetDeviceMetricsOverride(int64(width), int64(height), 1, false))
	return p
}

// endless are the addresses of requests that never end, or whose end another target of the browser learns.
var endless = regexp.MustCompile(`/(events|worker\.js)$`)

// Requests is the name of a binding by which a page reports requests that no server answers, such as those to a worker: it is
// called with [id, address] in JSON when one starts, and with [id] when it is answered.
const Requests = "requests"

// hear records an event of the browser.
func (p *Page) hear(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		text := []string{string(e.Type)}
		for _, arg := range e.Args {
			text = append(text, string(arg.Value)+arg.Description)
		}
		p.messages = append(p.messages, strings.Join(text, " "))
	case *runtime.EventExceptionThrown:
		p.messages = append(p.messages, e.ExceptionDetails.Error())
	case *log.EventEntryAdded:
		p.messages = append(p.messages, string(e.Entry.Source)+": "+e.Entry.Text+" "+e.Entry.URL)
	case *network.EventRequestWillBeSent:
		p.requests = append(p.requests, e.Request.URL)
		if e.Type != network.ResourceTypeDocument && !endless.MatchString(e.Request.URL) {
			p.running[e.RequestID] = e.Request.URL
		}
	case *runtime.EventBindingCalled:
		var call []string
		switch err := json.Unmarshal([]byte(e.Payload), &call); {
		case err != nil || e.Name != Requests || len(call) == 0:
		case len(call) == 1:
			p.answered(network.RequestID(call[0]))
		default:
			p.requests = append(p.requests, call[1])
			p.running[network.RequestID(call[0])] = call[1]
		}
	case *network.EventLoadingFinished:
		p.answered(e.RequestID)
	case *network.EventLoadingFailed:
		p.answered(e.RequestID)
	}
}

func (p *Page) answered(id network.RequestID) {
	delete(p.running, id)
	p.rested = time.Now()
}

// Rest waits until the page has sent no requests for a while and all answers have arrived.
func (p *Page) Rest() {
	p.t.Helper()
	for start := time.Now(); time.Since(start) < patience; time.Sleep(20 * time.Millisecond) {
		p.mu.Lock()
		quiet := len(p.running) == 0 && time.Since(p.rested) > 200*time.Millisecond
		p.mu.Unlock()
		if quiet {
			return
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.t.Fatalf("the page never rests: %q", slices.Collect(maps.Values(p.running)))
}

// Messages returns the messages on the console, including errors, and the browser's complaints, such as about content
// that the page's policy forbids.
func (p *Page) Messages() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.messages...)
}

// Requests returns the requested addresses.
func (p *Page) Requests() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.requests...)
}

// Forget clears the recorded messages and requests.
func (p *Page) Forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.messages, p.requests = nil, nil
}

// Do runs steps one after the other.
func (p *Page) Do(steps ...chromedp.Action) {
	p.t.Helper()
	ctx, cancel := context.WithTimeoutCause(p.ctx, patience, context.DeadlineExceeded)
	defer cancel()
	// The context of the browser is p.ctx, and the first step starts the browser.
	if chromedp.FromContext(p.ctx).Target == nil {
		if err := chromedp.Run(p.ctx); err != nil {
			p.t.Fatal(err)
		}
	}
	if err := chromedp.Run(ctx, steps...); err != nil {
		p.t.Helper()
		p.keep("failed")
		p.t.Fatalf("%v; console: %q", err, p.Messages())
	}
}

// Eval runs JavaScript, waits for its promise if it is one, and returns its value.
func Eval[T any](p *Page, code string) T {
	p.t.Helper()
	var v T
	p.Do(chromedp.Evaluate(code, &v, func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
	return v
}

// Wait waits until a JavaScript expression is true, also on a page that follows the present one.
func (p *Page) Wait(code string) {
	p.t.Helper()
	poll := chromedp.PollFunction("() => ("+code+")", nil, chromedp.WithPollingInterval(50*time.Millisecond),
		chromedp.WithPollingTimeout(patience))
	p.Do(chromedp.ActionFunc(func(ctx context.Context) error {
		for {
			err := poll.Do(ctx)
			if err == nil || !strings.Contains(err.Error(), "Cannot find context") || ctx.Err() != nil {
				return err
			}
			time.Sleep(50 * time.Millisecond) // the page was left
		}
	}))
}

// Press presses keys, such as "n" or kb.Enter of chromedp.
func (p *Page) Press(keys string) {
	p.t.Helper()
	p.Do(chromedp.KeyEvent(keys))
}

// Dark sets whether the user prefers a dark colour scheme.
func (p *Page) Dark(dark bool) {
	p.t.Helper()
	scheme := map[bool]string{true: "dark", false: "light"}[dark]
	p.Do(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}))
}

// Resize changes the size of the window.
func (p *Page) Resize(width, height int) {
	p.t.Helper()
	p.Do(emulation.SetDeviceMetricsOverride(int64(width), int64(height), 1, false))
}

// Picture returns a screenshot of the visible part, and saves it as NAME.png in the folder TROWEL_SCREENSHOTS, if this
// is set.
func (p *Page) Picture(name string) image.Image {
	p.t.Helper()
	m, err := png.Decode(bytes.NewReader(p.keep(name)))
	if err != nil {
		p.t.Fatal(err)
	}
	return m
}

func (p *Page) keep(name string) []byte {
	var data []byte
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if err := chromedp.Run(ctx, chromedp.CaptureScreenshot(&data)); err != nil {
		p.t.Logf("no picture %s: %v", name, err)
		return nil
	}
	if dir := os.Getenv("TROWEL_SCREENSHOTS"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, strings.ReplaceAll(p.t.Name(), "/", "_")+"_"+name+".png"), data, 0o666); err != nil {
			p.t.Error(err)
		}
	}
	return data
}

// Context returns the context of the page for chromedp.
func (p *Page) Context() context.Context { return p.ctx }
