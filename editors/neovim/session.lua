-- A session in Neovim without a screen: its own LSP client talks to `statewright lsp`, completes,
-- renames and applies a fix, and says what it sees. `tools/cli/tests/neovim.rs` runs it:
--   STATEWRIGHT=…/statewright nvim --headless -u NONE -i NONE -n guard.sw.json -c "luafile session.lua"

local function say(...)
  io.stdout:write(string.format(...), "\n")
end

local function fail(...)
  say("FAILED: " .. string.format(...))
  vim.cmd("cquit 1")
end

local function wait(what, condition)
  if not vim.wait(30000, condition, 20) then
    fail("waited in vain for %s", what)
  end
end

local function lines()
  return vim.api.nvim_buf_get_lines(0, 0, -1, false)
end

-- Puts the cursor behind the first place of a text, or at an offset from its start.
local function move_to(text, offset)
  for row, line in ipairs(lines()) do
    local at = line:find(text, 1, true)
    if at then
      vim.api.nvim_win_set_cursor(0, { row, at - 1 + (offset or #text) })
      return
    end
  end
  fail("no `%s` in the buffer", text)
end

local function show(text)
  for row, line in ipairs(lines()) do
    if line:find(text, 1, true) then
      say("  %2d | %s", row, line)
    end
  end
end

local id = vim.lsp.start_client({
  name = "statewright",
  cmd = { os.getenv("STATEWRIGHT"), "lsp" },
  root_dir = vim.fn.getcwd(),
})
vim.lsp.buf_attach_client(0, id)
local client
wait("the server", function()
  client = vim.lsp.get_client_by_id(id)
  return client and client.initialized
end)
say("Neovim %d.%d.%d and %s", vim.version().major, vim.version().minor, vim.version().patch, client.name)

local function ask(method, params)
  local answers, problem = vim.lsp.buf_request_sync(0, method, params, 30000)
  if not answers or not answers[id] or answers[id].err then
    fail("%s: %s", method, vim.inspect(problem or answers))
  end
  return answers[id].result
end

say("\n-- problems")
wait("problems", function() return #vim.diagnostic.get(0) > 0 end)
for _, problem in ipairs(vim.diagnostic.get(0)) do
  say("  %d:%d %s", problem.lnum + 1, problem.col + 1, (problem.message:gsub("\n", " / ")))
end

say("\n-- fix")
local problem = vim.diagnostic.get(0)[1]
vim.api.nvim_win_set_cursor(0, { problem.lnum + 1, problem.col })
local params = vim.lsp.util.make_range_params()
params.context = { diagnostics = {} }
local action = ask("textDocument/codeAction", params)[1]
say("  %s", action.title)
vim.lsp.util.apply_workspace_edit(action.edit, client.offset_encoding)
show('"on": "Calm"')
wait("no problems", function() return #vim.diagnostic.get(0) == 0 end)

say("\n-- completion, with half a file")
move_to('"to": "patrol"', #'"to": "patrol"' - 1)
vim.api.nvim_put({ ', pri' }, "c", true, true)
show('"on": "Calm"')
local offered = ask("textDocument/completion", vim.lsp.util.make_position_params())
for _, item in ipairs(offered.items) do
  say("  %s: %s", item.label, item.detail)
end
vim.lsp.util.apply_text_edits({ offered.items[1].textEdit }, vim.api.nvim_get_current_buf(), client.offset_encoding)
local line = vim.api.nvim_get_current_line()
vim.api.nvim_set_current_line((line:gsub('"priority": ', '"priority": 2')))
show('"on": "Calm"')
wait("no problems", function() return #vim.diagnostic.get(0) == 0 end)

say("\n-- hover")
move_to('"to": "fight"', 8)
say("  %s", (ask("textDocument/hover", vim.lsp.util.make_position_params()).contents.value:gsub("\n+", "\n  ")))

say("\n-- rename fight to brawl")
vim.lsp.buf.rename("brawl")
wait("the new name", function()
  return table.concat(lines(), "\n"):find('"brawl"', 1, true) ~= nil
end)
show("brawl")
show('"id"')
wait("no problems", function() return #vim.diagnostic.get(0) == 0 end)

vim.cmd("silent write")
say("\n-- written without problems")
vim.cmd("qall!")
