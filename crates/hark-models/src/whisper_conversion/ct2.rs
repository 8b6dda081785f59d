//! Reads CTranslate2's `model.bin`: which variables there are and where their numbers stand.

use super::ConversionError;
use half::f16;
use std::collections::HashMap;
use std::io::{BufReader, ErrorKind, Read, Seek, SeekFrom};

/// Versions of the format that are read; earlier ones store types in another way.
const VERSIONS: std::ops::RangeInclusive<u32> = 4..=6;
/// What CTranslate2 calls a Whisper model.
const WHISPER: &str = "WhisperSpec";
/// Most dimensions of a variable.
const MAX_RANK: u8 = 4;

/// How the numbers of a variable are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Storage {
    F32,
    F16,
    /// Quantised or whole numbers, by CTranslate2's number of the type and their size.
    Other(u8, u64),
}

impl Storage {
    fn of(kind: u8) -> Option<Self> {
        Some(match kind {
            0 => Self::F32,
            1 => Self::Other(kind, 1),
            2 => Self::Other(kind, 2),
            3 => Self::Other(kind, 4),
            4 => Self::F16,
            5 => Self::Other(kind, 2),
            _ => return None,
        })
    }

    fn bytes(self) -> u64 {
        match self {
            Self::F32 => 4,
            Self::F16 => 2,
            Self::Other(_, bytes) => bytes,
        }
    }
}

#[derive(Debug)]
struct Variable {
    dimensions: Vec<u32>,
    storage: Storage,
    offset: u64,
}

/// The variables of a model; their numbers stay in the file until they are asked for.
#[derive(Debug)]
pub(super) struct Variables<R> {
    reader: R,
    by_name: HashMap<String, Variable>,
}

impl<R: Read + Seek> Variables<R> {
    /// Reads the table of variables.
    pub(super) fn read(mut reader: R) -> Result<Self, ConversionError> {
        let size = reader.seek(SeekFrom::End(0)).map_err(ConversionError::Read)?;
        reader.rewind().map_err(ConversionError::Read)?;
        let mut walker = Walker { reader: BufReader::new(&mut reader), at: 0, size };
        let by_name = walker.variables()?;
        Ok(Self { reader, by_name })
    }

    /// The sizes of a variable, from the outermost one.
    pub(super) fn dimensions(&self, name: &str) -> Option<&[u32]> {
        self.by_name.get(name).map(|variable| variable.dimensions.as_slice())
    }

    fn variable(&self, name: &str) -> Result<&Variable, ConversionError> {
        self.by_name.get(name).ok_or_else(|| ConversionError::Model(format!("`{name}` is not there")))
    }

    /// Passes where there is a variable with these sizes and 16 or 32 bit numbers.
    pub(super) fn require(&self, name: &str, dimensions: &[u32]) -> Result<(), ConversionError> {
        let variable = self.variable(name)?;
        if variable.dimensions != dimensions {
            let found = &variable.dimensions;
            return Err(ConversionError::Model(format!("`{name}` is {found:?}, not {dimensions:?}")));
        }
        match variable.storage {
            Storage::F32 | Storage::F16 => Ok(()),
            Storage::Other(kind, _) => Err(ConversionError::Model(format!(
                "`{name}` is quantised (type {kind}); only 16 and 32 bit numbers can be converted"
            ))),
        }
    }

    /// `count` numbers of a variable from the one at `from` on.
    pub(super) fn numbers(
        &mut self,
        name: &str,
        from: u64,
        count: usize,
    ) -> Result<impl ExactSizeIterator<Item = f32>, ConversionError> {
        let &Variable { storage, offset, .. } = self.variable(name)?;
        let (is_full, width) = (storage == Storage::F32, storage.bytes());
        self.reader.seek(SeekFrom::Start(offset + from * width)).map_err(ConversionError::Read)?;
        let mut bytes = vec![0; count * width as usize];
        self.reader.read_exact(&mut bytes).map_err(ConversionError::Read)?;
        Ok((0..count).map(move |index| {
            let at = index * width as usize;
            match is_full {
                true => f32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]),
                false => f16::from_le_bytes([bytes[at], bytes[at + 1]]).to_f32(),
            }
        }))
    }
}

struct Walker<R> {
    reader: BufReader<R>,
    at: u64,
    size: u64,
}

impl<R: Read + Seek> Walker<R> {
    fn variables(&mut self) -> Result<HashMap<String, Variable>, ConversionError> {
        let version = self.u32("the version")?;
        if !VERSIONS.contains(&version) {
            return Err(self.wrong(format!("version {version} of the format; 4 to 6 are known")));
        }
        let spec = self.text("the kind of model")?;
        if spec != WHISPER {
            return Err(self.wrong(format!("it is a {spec:?}, not a {WHISPER}")));
        }
        self.u32("the revision")?;
        let mut found = HashMap::new();
        for _ in 0..self.u32("the number of variables")? {
            let name = self.text("the name of a variable")?;
            let variable = self.variable(&name)?;
            found.insert(name, variable);
        }
        for _ in 0..self.u32("the number of other names")? {
            let (alias, name) = (self.text("another name")?, self.text("the name of a variable")?);
            let Some(variable) = found.get(&name) else {
                return Err(self.wrong(format!("{alias:?} stands for {name:?}, which is not there")));
            };
            let Variable { dimensions, storage, offset } = variable;
            let same = Variable { dimensions: dimensions.clone(), storage: *storage, offset: *offset };
            found.insert(alias, same);
        }
        if self.at != self.size {
            return Err(self.wrong(format!("{} bytes follow the end", self.size - self.at)));
        }
        Ok(found)
    }

    fn variable(&mut self, name: &str) -> Result<Variable, ConversionError> {
        let rank = self.u8("the number of dimensions")?;
        if rank > MAX_RANK {
            return Err(self.wrong(format!("{name:?} has {rank} dimensions")));
        }
        let dimensions = (0..rank).map(|_| self.u32("a dimension")).collect::<Result<Vec<_>, _>>()?;
        let kind = self.u8("the type of a variable")?;
        let bytes = u64::from(self.u32("the length of a variable")?);
        let Some(storage) = Storage::of(kind) else {
            return Err(self.wrong(format!("{name:?} is of an unknown type ({kind})")));
        };
        let elements = dimensions.iter().try_fold(1u64, |all, size| all.checked_mul((*size).into()));
        if elements.and_then(|elements| elements.checked_mul(storage.bytes())) != Some(bytes) {
            return Err(self.wrong(format!("{name:?} of the size {dimensions:?} cannot have {bytes} bytes")));
        }
        let offset = self.at;
        if bytes > self.size - self.at {
            return Err(self.wrong(format!("it ends within {name:?}, at {} bytes", self.size)));
        }
        // Below the length of a file, which an i64 holds.
        self.reader.seek_relative(bytes as i64).map_err(ConversionError::Read)?;
        self.at += bytes;
        Ok(Variable { dimensions, storage, offset })
    }

    fn exactly<const N: usize>(&mut self, what: &str) -> Result<[u8; N], ConversionError> {
        let mut bytes = [0; N];
        self.fill(&mut bytes, what)?;
        Ok(bytes)
    }

    fn fill(&mut self, bytes: &mut [u8], what: &str) -> Result<(), ConversionError> {
        self.reader.read_exact(bytes).map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => self.wrong(format!("it ends where {what} should be")),
            _ => ConversionError::Read(error),
        })?;
        self.at += bytes.len() as u64;
        Ok(())
    }

    fn u8(&mut self, what: &str) -> Result<u8, ConversionError> {
        self.exactly(what).map(u8::from_le_bytes)
    }

    fn u32(&mut self, what: &str) -> Result<u32, ConversionError> {
        self.exactly(what).map(u32::from_le_bytes)
    }

    /// A text with its length before it and a NUL at its end.
    fn text(&mut self, what: &str) -> Result<String, ConversionError> {
        let length = u16::from_le_bytes(self.exactly(what)?);
        let mut bytes = vec![0; length.into()];
        self.fill(&mut bytes, what)?;
        if bytes.last() == Some(&0) {
            bytes.pop();
        }
        String::from_utf8(bytes).map_err(|_| self.wrong(format!("{what} is no text")))
    }

    fn wrong(&self, why: String) -> ConversionError {
        ConversionError::Form { at: self.at, why }
    }
}
