-- npu-migrate in Neovim 0.11 or newer. Copy this file into ~/.config/nvim/plugin/.

vim.lsp.config("npu_migrate", {
  cmd = { "npu-migrate-lsp" },
  filetypes = { "python" },
  root_markers = { "pyproject.toml", "setup.py", ".git" },
  settings = {
    npuMigrate = {}, -- for example: { unsafeFixes = false }
  },
})
vim.lsp.enable("npu_migrate")

vim.api.nvim_create_user_command("NpuMigrateFixAll", function()
  vim.lsp.buf.code_action({
    context = { only = { "source.fixAll.npuMigrate" }, diagnostics = {} },
    apply = true,
  })
end, { desc = "Apply all safe fixes of npu-migrate in this file" })
