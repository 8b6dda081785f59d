//! SQLite on its own thread: timers, turns, migrations.
