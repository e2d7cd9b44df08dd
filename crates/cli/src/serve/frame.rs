//! Frames on the pipes between the server and a session's process: a kind, a length, and that many bytes.
//!
//! Commands are the page's own JSON text, events are CBOR; the server passes both on and reads neither
//! more than it must. The kind says what the server has to know of an event.

use std::io::{self, Read, Write};

use tokio::io::{AsyncRead, AsyncReadExt};

/// What a frame carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A command, on its way to the session.
    Command,
    /// The session's first event.
    Ready,
    /// What can compute.
    Devices,
    /// An event that the server passes on.
    Event,
    /// The last event of a command that went well.
    Done,
    /// The last event of a command that failed.
    Failed,
}

const KINDS: [Kind; 6] = [
    Kind::Command,
    Kind::Ready,
    Kind::Devices,
    Kind::Event,
    Kind::Done,
    Kind::Failed,
];

/// A kind, and a length of four bytes.
const HEAD: usize = 5;

/// The frame as bytes.
pub(crate) fn frame(kind: Kind, payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEAD + payload.len());
    bytes.push(kind as u8);
    // No event and no command has four gigabytes: what does not fit ends the stream at its reader.
    let length = u32::try_from(payload.len()).unwrap_or(u32::MAX);
    bytes.extend(length.to_le_bytes());
    bytes.extend(payload);
    bytes
}

/// Writes a frame, and lets it out.
pub(crate) fn write(out: &mut impl Write, kind: Kind, payload: &[u8]) -> io::Result<()> {
    out.write_all(&frame(kind, payload))?;
    out.flush()
}

/// Reads a frame; an error where the stream ends, also within a frame.
pub(crate) fn read(from: &mut impl Read) -> io::Result<(Kind, Vec<u8>)> {
    let mut head = [0; HEAD];
    from.read_exact(&mut head)?;
    let (kind, length) = parse(head)?;
    // Room is made as bytes come, not as a head promises.
    let mut payload = Vec::new();
    from.take(length).read_to_end(&mut payload)?;
    whole(kind, payload, length)
}

/// As [`read`], without a thread that waits.
pub(crate) async fn receive(from: &mut (impl AsyncRead + Unpin)) -> io::Result<(Kind, Vec<u8>)> {
    let mut head = [0; HEAD];
    from.read_exact(&mut head).await?;
    let (kind, length) = parse(head)?;
    let mut payload = Vec::new();
    from.take(length).read_to_end(&mut payload).await?;
    whole(kind, payload, length)
}

fn parse(head: [u8; HEAD]) -> io::Result<(Kind, u64)> {
    let [kind, length @ ..] = head;
    let known = KINDS.get(usize::from(kind)).copied();
    let kind = known.ok_or_else(|| io::Error::other(format!("frame: unknown kind {kind}")))?;
    Ok((kind, u32::from_le_bytes(length).into()))
}

fn whole(kind: Kind, payload: Vec<u8>, length: u64) -> io::Result<(Kind, Vec<u8>)> {
    if payload.len() as u64 == length {
        Ok((kind, payload))
    } else {
        Err(io::ErrorKind::UnexpectedEof.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_arrive_as_they_were_sent_and_a_broken_one_is_an_error() {
        let mut bytes = Vec::new();
        for (kind, text) in KINDS.into_iter().zip(["", "a", "{}", "\0", "é", "b"]) {
            write(&mut bytes, kind, text.as_bytes()).unwrap();
        }
        let mut rest = &bytes[..];
        for (kind, text) in KINDS.into_iter().zip(["", "a", "{}", "\0", "é", "b"]) {
            assert_eq!(read(&mut rest).unwrap(), (kind, text.as_bytes().to_vec()));
        }
        assert!(read(&mut rest).is_err());
        for broken in [
            &b"\x09\0\0\0\0"[..],
            b"\x01\xff\xff\xff\xffabc",
            b"\x01\x01",
        ] {
            assert!(read(&mut &broken[..]).is_err(), "{broken:?}");
        }
    }
}
