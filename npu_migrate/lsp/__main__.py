"""``python -m npu_migrate.lsp`` is the command ``npu-migrate-lsp``."""

from npu_migrate.lsp.command import main

main()
