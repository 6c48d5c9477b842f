"""Parts that several pages share; everything that shows document text goes through `untrusted_text`."""
