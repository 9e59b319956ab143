"""`arena export`: an entry as WebAssembly for web pages."""
