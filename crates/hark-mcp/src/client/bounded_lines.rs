//! A stream of lines of which none is longer than allowed: what sends a longer one is an error, and does not fill memory.

use std::io::{Error, ErrorKind, Result};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, ReadBuf};

/// See the module.
pub(super) struct BoundedLines<R> {
    from: R,
    most: usize,
    /// Bytes since the last line break.
    line: usize,
}

impl<R> BoundedLines<R> {
    /// Lines of `from` of at most `most` bytes.
    pub(super) fn new(from: R, most: usize) -> Self {
        Self { from, most, line: 0 }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for BoundedLines<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        let before = into.filled().len();
        ready!(Pin::new(&mut self.from).poll_read(context, into))?;
        let read = &into.filled()[before..];
        self.line = match read.iter().rposition(|byte| *byte == b'\n') {
            Some(at) => read.len() - at - 1,
            None => self.line + read.len(),
        };
        if self.line > self.most {
            let message = format!("a message is longer than {} bytes", self.most);
            return Poll::Ready(Err(Error::new(ErrorKind::InvalidData, message)));
        }
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt;

    #[tokio::test]
    async fn a_line_that_is_too_long_is_an_error_and_many_short_ones_are_not() {
        let mut text = String::new();
        let short = "1234567\n".repeat(100);
        BoundedLines::new(short.as_bytes(), 10).read_to_string(&mut text).await.unwrap();
        assert_eq!(text, short);
        let long = format!("{short}12345678901");
        let error = BoundedLines::new(long.as_bytes(), 10).read_to_string(&mut text).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData);
    }
}
