//! The bit codes of all windows in memory, for the first pass of the vector search: 48 bytes a window with 384 numbers,
//! some 440 bytes a passage. Reading them from the disk for each question would take most of its time.

use crate::vectors::hamming;
use rusqlite::Connection;
use std::collections::{BTreeSet, BinaryHeap};

/// From here on two threads scan.
const PARALLEL_BYTES: usize = 4 << 20;

/// The codes of consecutive windows of a document; blocks never change, they come and go.
#[derive(Debug)]
struct Block {
    id: i64,
    first_window: i64,
    codes: Vec<u8>,
}

/// All blocks, as of one state of the index.
#[derive(Debug, Default)]
pub(crate) struct Codes {
    blocks: Vec<Block>,
    /// SQLite's `data_version` of that state.
    version: Option<i64>,
}

impl Codes {
    /// Loads what is new and drops what is gone. To be called in the transaction of the search.
    pub(crate) fn refresh(&mut self, db: &Connection) -> rusqlite::Result<()> {
        let version: i64 = db.pragma_query_value(None, "data_version", |row| row.get(0))?;
        if self.version == Some(version) {
            return Ok(());
        }
        self.version = None;
        // The index holds the ids without the codes.
        let sql = "SELECT id FROM code_blocks INDEXED BY code_blocks_of_document";
        let mut missing: BTreeSet<i64> =
            db.prepare_cached(sql)?.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
        self.blocks.retain(|block| missing.remove(&block.id));
        let mut load = db.prepare_cached("SELECT first_window, codes FROM code_blocks WHERE id = ?1")?;
        for id in missing {
            let block =
                load.query_row([id], |row| Ok(Block { id, first_window: row.get(0)?, codes: row.get(1)? }))?;
            self.blocks.push(block);
        }
        self.version = Some(version);
        Ok(())
    }

    /// The windows whose codes differ least from this one, in no order. A large index is scanned by two threads.
    pub(crate) fn nearest(&self, code: &[u8], count: usize) -> Vec<i64> {
        let bytes: usize = self.blocks.iter().map(|block| block.codes.len()).sum();
        if bytes < PARALLEL_BYTES {
            return scan(&self.blocks, code, count).into_iter().map(|(_, window)| window).collect();
        }
        let (one, other) = self.blocks.split_at(self.blocks.len() / 2);
        let mut both = std::thread::scope(|scope| {
            let other = std::thread::Builder::new()
                .name("hark-nearest".into())
                .spawn_scoped(scope, || scan(other, code, count))
                .map_err(|_| other);
            let mut all = scan(one, code, count);
            // Without a thread this one does it all.
            match other.map(|thread| thread.join()) {
                Ok(Ok(found)) => all.extend(found),
                Ok(Err(_)) => {}
                Err(other) => all.extend(scan(other, code, count)),
            }
            all
        });
        both.sort_unstable();
        both.into_iter().take(count).map(|(_, window)| window).collect()
    }
}

/// Distances and windows of the nearest, in no order.
fn scan(blocks: &[Block], code: &[u8], count: usize) -> Vec<(u32, i64)> {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("popcnt") {
        // SAFETY: the processor has the instruction, as was just found out.
        return unsafe { scan_with_popcnt(blocks, code, count) };
    }
    scan_any(blocks, code, count)
}

/// The same with the processor's instruction for counting bits, which the baseline of x86-64 lacks: it takes a quarter of
/// the time.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
fn scan_with_popcnt(blocks: &[Block], code: &[u8], count: usize) -> Vec<(u32, i64)> {
    scan_any(blocks, code, count)
}

#[inline(always)]
fn scan_any(blocks: &[Block], code: &[u8], count: usize) -> Vec<(u32, i64)> {
    let mut nearest: BinaryHeap<(u32, i64)> = BinaryHeap::with_capacity(count + 1);
    let mut farthest = u32::MAX;
    for block in blocks {
        for (window, other) in (block.first_window..).zip(block.codes.chunks_exact(code.len().max(1))) {
            let distance = hamming(code, other);
            if distance < farthest {
                nearest.push((distance, window));
                if nearest.len() > count {
                    nearest.pop();
                    farthest = nearest.peek().map_or(u32::MAX, |(distance, _)| *distance);
                }
            }
        }
    }
    nearest.into_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_are_found_by_one_thread_and_by_two() {
        let mut state = 12_345_u64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state.to_le_bytes()
        };
        let block = |id: i64, windows: i64, next: &mut dyn FnMut() -> [u8; 8]| Block {
            id,
            first_window: id * 10_000,
            codes: (0..windows).flat_map(|_| next()).collect(),
        };
        for (blocks, windows) in [(3, 50), (60, 9_000)] {
            let blocks: Vec<Block> = (0..blocks).map(|id| block(id, windows, &mut next)).collect();
            let codes = Codes { blocks, version: None };
            let code = next();
            let mut all: Vec<u32> = codes
                .blocks
                .iter()
                .flat_map(|b| b.codes.chunks(8))
                .map(|other| hamming(&code, other))
                .collect();
            all.sort_unstable();
            let distance = |window: i64| {
                let block = &codes.blocks[usize::try_from(window / 10_000).unwrap()];
                let at = usize::try_from(window % 10_000).unwrap() * 8;
                hamming(&code, &block.codes[at..at + 8])
            };
            let mut found: Vec<u32> = codes.nearest(&code, 20).into_iter().map(distance).collect();
            found.sort_unstable();
            assert_eq!(found, all[..20]);
        }
    }
}
