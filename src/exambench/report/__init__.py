"""Results for people and for programs: tables, figures, pages."""
