"""Plan a tournament: settings, entries, formats, schedule, openings."""
