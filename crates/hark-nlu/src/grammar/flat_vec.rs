//! Many short lists in one piece of memory. A home's sentences are nearly a hundred thousand places with a word or two
//! after each; as vectors they took 19 MB, which stayed in memory while nobody spoke.

/// Lists by their number, from 0 in the order in which they were added.
#[derive(Debug)]
pub struct FlatVec<T> {
    items: Vec<T>,
    /// Where each list ends in `items`.
    ends: Vec<u32>,
}

impl<T> Default for FlatVec<T> {
    fn default() -> Self {
        Self { items: Vec::new(), ends: Vec::new() }
    }
}

impl<T> FlatVec<T> {
    /// Adds a list.
    pub fn add(&mut self, row: impl IntoIterator<Item = T>) {
        self.items.extend(row);
        self.ends.push(self.items.len() as u32);
    }

    /// The list of a number; empty where there is none.
    pub fn of(&self, row: u32) -> &[T] {
        let row = row as usize;
        let Some(end) = self.ends.get(row) else { return &[] };
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.items[start as usize..*end as usize]
    }

    /// Everything in them, in order.
    pub fn items(&self) -> &[T] {
        &self.items
    }

    /// Gives back the room for more.
    pub fn shrink_to_fit(&mut self) {
        self.items.shrink_to_fit();
        self.ends.shrink_to_fit();
    }
}

/// The same where most lists are empty: only the others take room.
#[derive(Debug)]
pub struct SparseFlatVec<T> {
    /// The numbers of the lists that are not empty, sorted.
    numbers: Vec<u32>,
    /// The same as bits, since most are asked for in vain.
    present: Vec<u64>,
    rows: FlatVec<T>,
}

impl<T> Default for SparseFlatVec<T> {
    fn default() -> Self {
        Self { numbers: Vec::new(), present: Vec::new(), rows: FlatVec::default() }
    }
}

impl<T> SparseFlatVec<T> {
    /// Adds the list of a number greater than all before, unless it is empty.
    pub fn add(&mut self, number: u32, row: impl IntoIterator<Item = T>) {
        let mut row = row.into_iter().peekable();
        if row.peek().is_some() {
            let (block, bit) = Self::place(number);
            self.present.resize(block + 1, 0);
            self.present[block] |= bit;
            self.numbers.push(number);
            self.rows.add(row);
        }
    }

    /// The list of a number; empty where there is none.
    pub fn of(&self, number: u32) -> &[T] {
        let (block, bit) = Self::place(number);
        if self.present.get(block).is_none_or(|bits| bits & bit == 0) {
            return &[];
        }
        self.numbers.binary_search(&number).map_or(&[], |row| self.rows.of(row as u32))
    }

    /// Everything in them, in order.
    pub fn items(&self) -> &[T] {
        self.rows.items()
    }

    fn place(number: u32) -> (usize, u64) {
        ((number / u64::BITS) as usize, 1 << (number % u64::BITS))
    }

    /// Gives back the room for more.
    pub fn shrink_to_fit(&mut self) {
        self.numbers.shrink_to_fit();
        self.present.shrink_to_fit();
        self.rows.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_found_by_their_numbers() {
        let mut rows = FlatVec::default();
        rows.add([1, 2]);
        rows.add([]);
        rows.add([3]);
        rows.shrink_to_fit();
        assert_eq!((0..4).map(|row| rows.of(row)).collect::<Vec<_>>(), [&[1, 2][..], &[], &[3], &[]]);
        assert_eq!(rows.items(), [1, 2, 3]);
    }

    #[test]
    fn empty_lists_take_no_room() {
        let mut rows = SparseFlatVec::default();
        rows.add(3, [1, 2]);
        rows.add(4, []);
        rows.add(7, [3]);
        rows.shrink_to_fit();
        assert_eq!([2, 3, 4, 7, 8].map(|number| rows.of(number)), [&[][..], &[1, 2], &[], &[3], &[]]);
        assert_eq!(rows.numbers.len(), 2);
    }
}
