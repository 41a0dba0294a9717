package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"trowel.example/internal/testing/judge/chromium"
)

// ownPage is the folder of the page that needs no program (made by cmd/trowel-page). If it is set, the tests of view use this page, whose
// answers come from a worker, instead of the one that the program serves.
var ownPage = os.Getenv("TROWEL_PAGE")

// needsProgram skips a test of what only the program does.
func needsProgram(t *testing.T, what string) {
	t.Helper()
	if ownPage != "" {
		t.Skip("only the program does this: " + what)
	}
}

// published makes a folder for a web server with files, and returns the address of the viewer in it.
func published(t testing.TB, files ...string) string {
	t.Helper()
	if slices.ContainsFunc(files, func(arg string) bool { return strings.HasPrefix(arg, "-") }) {
		t.Skipf("only the program has the options in %q", files)
	}
	dir := filepath.Join(t.TempDir(), "www")
	run(t, slices.Concat([]string{"site", "-q", "--page", ownPage, "-o", dir}, files)...)
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(server.Close)
	return server.URL + "/view.html"
}

// turned puts the page of the worker into a hidden frame of the viewer, which is in a frame of that page for users, so that tests
// reach the viewer as the page of the window.
const turned = `delete Navigator.prototype.serviceWorker;
if (location.pathname.endsWith("/view.html")) {
	if (self !== top) stop();
	else {
		const frame = document.createElement("iframe");
		frame.hidden = true;
		frame.src = "index.html";
		addEventListener("DOMContentLoaded", () => document.documentElement.append(frame));
		const ready = new Promise((resolve) => {
			const look = setInterval(() => {
				if (!frame.contentDocument?.getElementById("view")?.src) return;
				clearInterval(look);
				resolve(frame.contentWindow.trowel);
			}, 5);
		});
		let asked = 0;
		window.trowel = {
			get: (...how) => fetch(...how),
			events() {
				const all = Object.assign(new EventTarget(), { close() {} });
				ready.then((program) => {
					const real = program.events();
					for (const name of ["hello", "compared", "findings", "gallery"]) {
						real.addEventListener(name, (e) => all.dispatchEvent(new MessageEvent(name, { data: e.data })));
					}
				});
				return all;
			},
			linked: () => true,
			missing() {},
		};
		window.fetch = async (address, how) => {
			const id = "worker " + ++asked;
			requests(JSON.stringify([id, String(new URL(address, location.href))]));
			try {
				const answer = await (await ready).get(address, how);
				const body = answer.body && await answer.arrayBuffer();
				return new Response(body, { status: answer.status, headers: answer.headers });
			} finally {
				requests(JSON.stringify([id]));
			}
		};
	}
}`

// behindWorker prepares a browser for the page of [published].
func behindWorker(p *chromium.Page) {
	p.Do(runtime.AddBinding(chromium.Requests), chromedp.ActionFunc(func(ctx context.Context) error {
		_, err := page.AddScriptToEvaluateOnNewDocument(turned).Do(ctx)
		return err
	}))
}
