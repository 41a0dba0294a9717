-- Settings of Neovim (0.7 or later) for `trowel lsp`. Copy this file to ~/.config/nvim/lua/trowel.lua, and add to
-- init.lua:
--
--   require('trowel').setup {}                                  -- or, with the game's own files:
--   require('trowel').setup { base = '~/torchlight2/PAKS' }

local M = {}

-- The texts of mods and maps. Names are compared without case.
local extensions = { 'dat', 'layout', 'template', 'hie', 'animation', 'imageset', 'material', 'rules', 'json', 'cfg', 'txt' }

-- Folders of a mod have a MOD.DAT in some case, those of a map a map.json. Other texts are not sent to the server,
-- except rules of automappers.
local function belongs(name)
  if name:lower():match('%.rules$') then
    return true
  end
  local dir = vim.fn.fnamemodify(name, ':h')
  while true do
    for _, entry in ipairs(vim.fn.readdir(dir, function(e) return e:lower() == 'mod.dat' or e == 'map.json' end)) do
      if entry then
        return true
      end
    end
    local parent = vim.fn.fnamemodify(dir, ':h')
    if parent == dir then
      return false
    end
    dir = parent
  end
end

function M.setup(options)
  options = options or {}
  local cmd = options.cmd or { 'trowel', 'lsp' }
  if options.base then
    vim.list_extend(cmd, { '--base', vim.fn.expand(options.base) })
  end
  local client
  local patterns = {}
  for _, e in ipairs(extensions) do
    vim.list_extend(patterns, { '*.' .. e, '*.' .. e:upper() })
  end
  vim.api.nvim_create_autocmd({ 'BufReadPost', 'BufNewFile' }, {
    pattern = patterns,
    callback = function(event)
      local name = vim.api.nvim_buf_get_name(event.buf)
      if vim.bo[event.buf].buftype ~= '' or not belongs(name) then
        return
      end
      if not client or vim.lsp.client_is_stopped(client) then
        client = vim.lsp.start_client { name = 'trowel', cmd = cmd, on_attach = options.on_attach }
      end
      if client then
        vim.lsp.buf_attach_client(event.buf, client)
      end
    end,
  })
end

return M
