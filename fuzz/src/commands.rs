//! Commands of the protocol, as the page sends them: any text is a command or an error that says why not.

use glowgrad_session::protocol::Command;
use serde_json::Value;

/// Reads `data` as JSON of a command.
pub fn hold(data: &[u8]) -> String {
    let text = String::from_utf8_lossy(data);
    match serde_json::from_str::<Command>(&text) {
        Ok(command) => {
            let json = serde_json::to_string(&command).expect("a command has a JSON form");
            let again: Command = serde_json::from_str(&json).expect("its JSON can be read");
            let written: Value = serde_json::from_str(&json).expect("its JSON can be read");
            if command == Command::Stop {
                assert_eq!(written["type"], "stop");
            } else {
                assert!(written["id"].is_u64(), "{json}");
            }
            // A decimal number may be read as a neighbour of the nearest.
            assert!(
                again == command || matches!(command, Command::Call { .. }),
                "{json}"
            );
            written["type"].to_string()
        }
        Err(error) => {
            let why = error.to_string();
            assert!(!why.is_empty());
            why
        }
    }
}
