"""The language server: findings and fixes in an editor, while a script is being written."""
