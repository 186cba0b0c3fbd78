"""How text is changed: intents from the rules become edits on the original text."""
