"""`arena debug`: play a recorded match again under a debugger."""
