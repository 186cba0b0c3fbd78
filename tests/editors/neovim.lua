-- What the scenarios of test_neovim.py do in Neovim.

local editor = {}

local PATIENCE = 120000 -- milliseconds

--- Wait until `condition` holds; an error that names `what` if it never does.
function editor.wait(what, condition)
  assert(vim.wait(PATIENCE, condition, 20), "waited in vain: " .. what)
end

--- Show a file, opening it if it is not open yet.
function editor.show(path)
  vim.cmd.edit(vim.fn.fnameescape(path))
end

--- The findings of the file that is shown, as "line: code", in order.
function editor.findings()
  local found = vim.diagnostic.get(0)
  table.sort(found, function(one, other)
    return one.lnum < other.lnum or (one.lnum == other.lnum and one.col < other.col)
  end)
  return vim.tbl_map(function(one)
    return (one.lnum + 1) .. ": " .. one.code
  end, found)
end

--- Wait until the file that is shown has exactly these findings.
function editor.expect(wanted)
  local text = vim.inspect(wanted)
  local ok = vim.wait(PATIENCE, function()
    return vim.inspect(editor.findings()) == text
  end, 20)
  assert(ok, "expected " .. text .. ", found " .. vim.inspect(editor.findings()))
end

--- The text that a finding is about, from its first line.
function editor.marked(code)
  for _, one in ipairs(vim.diagnostic.get(0)) do
    if one.code == code then
      local line = vim.api.nvim_buf_get_lines(0, one.lnum, one.lnum + 1, true)[1]
      return line:sub(one.col + 1, one.end_lnum == one.lnum and one.end_col or -1)
    end
  end
end

--- Wait until `change` has changed a text that is open.
local function changing(what, change)
  local before = {}
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    before[buffer] = vim.api.nvim_buf_get_changedtick(buffer)
  end
  change()
  editor.wait(what, function()
    for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
      if before[buffer] ~= vim.api.nvim_buf_get_changedtick(buffer) then
        return true
      end
    end
  end)
end

--- Apply the action of that title, as from a menu, at the first finding with that code.
function editor.apply(code, title)
  for _, one in ipairs(vim.diagnostic.get(0)) do
    if one.code == code then
      vim.api.nvim_win_set_cursor(0, { one.lnum + 1, one.col })
      return changing(title, function()
        vim.lsp.buf.code_action({
          apply = true,
          filter = function(action)
            return action.title == title
          end,
        })
      end)
    end
  end
  error("no finding " .. code)
end

--- Apply all safe fixes.
function editor.fix_all()
  changing("NpuMigrateFixAll", function()
    vim.cmd("NpuMigrateFixAll")
  end)
end

--- The process of the language server.
function editor.server()
  local children = vim.api.nvim_get_proc_children(vim.fn.getpid())
  assert(#children == 1, "one server expected, found " .. #children)
  return children[1]
end

--- Run a scenario; Neovim ends, with exit code 1 and the reason if it failed.
return function(scenario)
  local ok, message = xpcall(scenario, debug.traceback, editor)
  if not ok then
    io.stderr:write(message .. "\n")
    vim.cmd("cquit 1")
  end
  vim.cmd("qall!")
end
