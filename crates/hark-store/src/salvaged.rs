//! What was saved of a damaged database, in numbers and in words.

use std::fmt;

/// What was saved of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saved {
    /// Its name.
    pub table: String,
    /// Rows that were saved.
    pub rows: u64,
    /// Everything in it could be read.
    pub is_whole: bool,
}

/// What was saved of a database.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Salvage {
    /// Of each table; none when it could not be read as a database at all.
    pub tables: Vec<Saved>,
}

impl Salvage {
    /// Whether there is anything more in the file that SQLite's own tools may read.
    pub fn is_database(&self) -> bool {
        !self.tables.is_empty()
    }
}

impl fmt::Display for Salvage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.is_database() {
            return f.write_str("nothing in it could be read");
        }
        let listed = |wanted: &dyn Fn(&&Saved) -> bool| {
            let names = self.tables.iter().filter(wanted);
            names.map(|saved| format!("{} {}", saved.table, saved.rows)).collect::<Vec<_>>().join(", ")
        };
        let whole = listed(&|saved| saved.is_whole && saved.rows > 0);
        let part = listed(&|saved| !saved.is_whole && saved.rows > 0);
        let lost = listed(&|saved| !saved.is_whole && saved.rows == 0);
        let parts = [("saved whole", whole), ("saved in part", part), ("not readable", lost)];
        let said: Vec<String> = parts
            .into_iter()
            .filter(|(_, names)| !names.is_empty())
            .map(|(what, names)| format!("{what}: {}", names.trim_end_matches(" 0").replace(" 0,", ",")))
            .collect();
        f.write_str(if said.is_empty() { "it held nothing" } else { "" })?;
        f.write_str(&said.join("; "))
    }
}
