package viewer_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"trowel.example/internal/judge"
)

// browser starts a browser for a test: real Chromium, without a window.
func browser(t *testing.T, width, height int) context.Context {
	t.Helper()
	path := judge.Find(t, "chromium")
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.WindowSize(width, height), chromedp.WSURLReadTimeout(time.Minute))...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	return ctx
}

// screenshot keeps a picture of the page in the folder that TROWEL_SCREENSHOTS names.
func screenshot(ctx context.Context, t *testing.T, name string) {
	t.Helper()
	dir := os.Getenv("TROWEL_SCREENSHOTS")
	if dir == "" {
		return
	}
	var data []byte
	if err := chromedp.Run(ctx, chromedp.CaptureScreenshot(&data)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), data, 0o666); err != nil {
		t.Fatal(err)
	}
}
