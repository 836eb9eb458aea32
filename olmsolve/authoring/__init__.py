"""Work on catalogs: checks, composing them from others, templates."""
