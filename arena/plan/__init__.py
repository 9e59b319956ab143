"""Who meets whom, and under which conditions: settings, schedule, formats, openings."""
