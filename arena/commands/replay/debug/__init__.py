"""`arena debug`: replay a recorded match in a debugger."""
