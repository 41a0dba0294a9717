package lsp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/cmd/internal/lsp"
	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/format"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

// asServer is the variable with which a test program is the server.
const asServer = "TROWEL_TEST_LSP"

func TestMain(m *testing.M) {
	if os.Getenv(asServer) == "" {
		os.Exit(m.Run())
	}
	tests.AsProgram()
	s := service.New(format.Registered(), strings.NewReader(""), quiet{}, new(wording.Aliases))
	if err := lsp.Serve(context.Background(), s, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

// neovim runs a script in Neovim with the settings of contrib, and returns what it passes to the function report.
func neovim(t *testing.T, script string, files ...string) map[string]any {
	t.Helper()
	path := judge.Neovim(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	contrib, err := filepath.Abs("../../../contrib/neovim")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	result := filepath.Join(dir, "result.json")
	lead := fmt.Sprintf(`package.path = %q .. '/?.lua;' .. package.path
require('trowel').setup { cmd = { %q } }
local files = vim.fn.json_decode(%q)
local out = vim.empty_dict()
local function report(name, value) out[name] = value end
local function wait(what, is) if not vim.wait(30000, is, 20) then error('no ' .. what) end end
local function open(name)
  vim.cmd('edit ' .. vim.fn.fnameescape(name))
  wait('client', function()
    local clients = vim.tbl_values(vim.lsp.buf_get_clients(0))
    return #clients > 0 and clients[1].initialized
  end)
  return vim.api.nvim_get_current_buf()
end
local function ask(method, params)
  local answers = vim.lsp.buf_request_sync(0, 'textDocument/' .. method, params, 30000)
  for _, a in pairs(answers or {}) do
    if a.error then error(method .. ': ' .. a.error.message) end
    return a.result
  end
end
local function at(pattern)
  vim.api.nvim_win_set_cursor(0, {1, 0})
  assert(vim.fn.search(pattern) > 0, 'no ' .. pattern)
  return vim.lsp.util.make_position_params(0, 'utf-16')
end
local ok, failure = xpcall(function()
`, contrib, self, jsonOf(files))
	end := fmt.Sprintf(`
end, debug.traceback)
if not ok then out.failure = failure end
local f = io.open(%q, 'w')
f:write(vim.fn.json_encode(out))
f:close()
for _, c in ipairs(vim.lsp.get_active_clients()) do c.stop() end
vim.wait(10000, function() return #vim.lsp.get_active_clients() == 0 end, 20)
vim.cmd('qall!')
`, result)
	name := filepath.Join(dir, "script.lua")
	if err := os.WriteFile(name, []byte(lead+script+end), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "--headless", "-u", "NONE", "-i", "NONE", "-n", "-c", "luafile "+name)
	cmd.Env = append(os.Environ(), asServer+"=1", "HOME="+dir, "XDG_STATE_HOME="+dir, "XDG_CACHE_HOME="+dir, "XDG_DATA_HOME="+dir)
	said, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	data, err := os.ReadFile(result)
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	var out map[string]any
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	if out["failure"] != nil {
		t.Fatalf("%v\n%s", out["failure"], said)
	}
	return out
}

func jsonOf(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// TestNeovimMod edits a mod in Neovim: the file keeps its encoding.
func TestNeovimMod(t *testing.T) {
	ring, _, _ := ember(t)
	out := neovim(t, `
local buf = open(files[1])
report('encoding', vim.bo.fileencoding .. ' ' .. tostring(vim.bo.bomb) .. ' ' .. vim.bo.fileformat)
local line = vim.fn.search('<INTEGER>LEVEL:')
vim.fn.setline(line, '\t<INTEGER>LEVEL:é𝄞')
wait('problem', function() return #vim.diagnostic.get(buf) > 0 end)
local d = vim.diagnostic.get(buf)[1]
report('problem', string.format('%d:%d-%d:%d %s', d.lnum, d.col, d.end_lnum, d.end_col, d.message))
vim.fn.setline(line, '\t<INTEGER>LEVEL:8')
wait('correction', function() return #vim.diagnostic.get(buf) == 0 end)
report('hover', ask('hover', at('EMBER_GLOW')).contents.value)
report('completion', #ask('completion', at('EMBER_GLOW')).items)
report('definitions', #ask('definition', at('EMBER_GLOW')))
vim.fn.setline(line, '\t<INTEGER>LEVEL:9')
vim.cmd('silent wall')
`, ring)
	if out["encoding"] != "utf-16le true dos" || out["problem"] != `6:16-6:22 expected a value of type INTEGER, found "é𝄞"` ||
		!strings.Contains(fmt.Sprint(out["hover"]), "mentioned in 4 places") || out["completion"].(float64) < 1 || out["definitions"] != 1.0 {
		t.Errorf("%v", out)
	}
	data, err := os.ReadFile(ring)
	if err != nil || !bytes.HasPrefix(data, []byte{0xff, 0xfe, '[', 0}) || !strings.Contains(readText(t, ring), "<INTEGER>LEVEL:9\r\n") {
		t.Errorf("%v, %q", err, readText(t, ring))
	}
}

// TestNeovimMap edits a map in Neovim.
func TestNeovimMap(t *testing.T) {
	dir := copySample(t, "burrow")
	settings, layer := filepath.Join(dir, "settings.cfg"), filepath.Join(dir, "groups", "Depths", "Wall.json")
	out := neovim(t, `
local buf = open(files[1])
vim.fn.setline(1, 'sv_team 9')
wait('problem', function() return #vim.diagnostic.get(buf) > 0 end)
report('problem', vim.diagnostic.get(buf)[1].message)
vim.fn.setline(1, 'sv_team 3')
wait('correction', function() return #vim.diagnostic.get(buf) == 0 end)
vim.cmd('silent write')
open(files[2])
report('definitions', #ask('definition', at('burrow"')))
`, settings, layer)
	if !strings.Contains(fmt.Sprint(out["problem"]), "from 0 to 3") || out["definitions"] != 1.0 {
		t.Errorf("%v", out)
	}
	c := start(t, `{}`, nil)
	u := c.openFile(filepath.Join(dir, "map.json"))
	c.waitProblems(u, func(list []problem) bool { return len(list) == 0 })
}

// TestNeovimCorpus opens sources of a real mod in Neovim.
func TestNeovimCorpus(t *testing.T) {
	tests.LongOnly(t, "it needs real files")
	dir := filepath.Join(tests.Corpus(t, "torchlight"), "xyvian__Commando_Testing", "HEAD", "media", "skills")
	var files []string
	for _, name := range []string{"Airstrike/airstrike.dat", "Airstrike/airstrike.layout", "implodegrenade/implodegrenade.dat"} {
		files = append(files, filepath.Join(dir, filepath.FromSlash(name)))
	}
	out := neovim(t, `
local n = 0
for _, name in ipairs(files) do
  open(name)
  assert(ask('hover', at('NAME:')), 'no hover in ' .. name)
  n = n + #(ask('completion', at('<STRING>NAME')).items)
end
report('completions', n)
report('definitions', #ask('definition', at('media/')))
`, files...)
	if out["completions"].(float64) < 20 {
		t.Errorf("%v", out)
	}
}
