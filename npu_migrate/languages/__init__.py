"""The languages that people are told things in.

English is the source: findings are made, kept and fingerprinted in English, and what is told to people is
translated at the very end. So a rule knows nothing of languages, and neither does the cache.

`choosing` says which language is wanted, `language` gives it. A language is a folder here:

- ``messages.po`` has each sentence of the source as a template, such as ``{name} needs {missing}``, with what
  it is in the language. ``messages.mo`` is the same, compiled: `catalogue` reads it with `gettext` of the
  standard library. `sentences` finds the template that an English sentence was made of, and translates what
  was filled in the same way.
- ``rules/NPU101.md`` and so on are the pages of the rules, and ``summaries.toml`` has their summaries.

What has no translation stays English. `tests/languages/` holds the catalogue to the source: nothing is
missing, nothing is left over, the placeholders are the same, and what is compiled is what is written.
``python tests/languages/update.py`` takes new sentences into the catalogues and compiles them, with Babel.
"""
