//! A session: any commands in a row, each answered by events with its id, the last of which is `Done`.
//!
//! The cells that run are ours (`SOURCES`): any numbers and names come in the commands that inspect, pin,
//! call and choose. Running a learner's text is left to the other targets.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::OnceLock;

use glowgrad_session::protocol::{Command, Event};
use glowgrad_session::{Platform, Session};

use super::thread::Thread;

/// As in a native session.
const STACK_BYTES: usize = 256 << 20;

/// What a cell or a check runs, by the length of the text that was sent.
const SOURCES: [&str; 5] = [
    "import glowgrad as torch\nx = torch.ones(3, requires_grad=True)\ny = (x * 2).sum()\ny.backward()\n",
    "def first(x): return x\ndef total(x): return x.sum()\ndef bad(x): return 'text'\n",
    "from glowgrad import lab\nlab.plot(loss=1.0)\nlab.histogram(torch.rand(5))\n",
    "1 / 0",
    "def check_x():\n    \"\"\"x is there.\"\"\"\n    expect(x is None, False)\n",
];

/// A place whose clock moves when it is looked at.
#[derive(Default)]
struct FuzzPlatform {
    millis: Cell<f64>,
}

impl Platform for FuzzPlatform {
    fn now_millis(&self) -> f64 {
        self.millis.set(self.millis.get() + 5.0);
        self.millis.get()
    }

    fn should_stop(&self) -> bool {
        false
    }

    fn sleep(&self, _: f64) {}
}

/// A session and what it said since the last command.
struct Talk {
    session: Session,
    events: Rc<RefCell<Vec<Event>>>,
}

impl Talk {
    fn new() -> Talk {
        let events: Rc<RefCell<Vec<Event>>> = Rc::default();
        let heard = events.clone();
        let emit = Rc::new(move |event| heard.borrow_mut().push(event));
        let session = Session::new(Rc::new(FuzzPlatform::default()), emit);
        assert!(matches!(
            events.borrow()[..],
            [Event::Ready { .. }, Event::Devices { .. }]
        ));
        Talk { session, events }
    }
}

/// Reads each line of `data` as a command, and has a session obey it; gives what was answered.
pub fn hold(data: &[u8]) -> String {
    static THREAD: OnceLock<Thread> = OnceLock::new();
    THREAD
        .get_or_init(|| Thread::start(STACK_BYTES, Talk::new, obey))
        .give(data)
}

fn obey(talk: &mut Talk, data: &[u8]) -> String {
    let mut said = String::new();
    for line in String::from_utf8_lossy(data).lines() {
        let Ok(mut command) = serde_json::from_str::<Command>(line) else {
            continue;
        };
        let source = |text: &mut String| *text = SOURCES[text.len() % SOURCES.len()].to_owned();
        match &mut command {
            Command::RunCell { source: text, .. } => source(text),
            Command::Check {
                source: text,
                checks,
                ..
            } => {
                source(text);
                source(checks);
            }
            _ => {}
        }
        let id = id_of(&command);
        talk.events.borrow_mut().clear();
        talk.session.handle(command.clone());
        let events = talk.events.borrow();
        for event in events.iter() {
            let json = serde_json::to_value(event).expect("an event has a JSON form");
            if !matches!(event, Event::Devices { .. }) {
                assert_eq!(json["id"], id, "{command:?} was answered with {json}");
            }
            said.push_str(json["type"].as_str().unwrap_or_default());
        }
        let Some(Event::Done { ok, .. }) = events.last() else {
            assert!(
                command == Command::Stop,
                "{command:?} was answered with {events:?}"
            );
            continue;
        };
        let errors = events.iter().filter_map(|event| match event {
            Event::Error { error, .. } => Some(error),
            _ => None,
        });
        let errors: Vec<_> = errors.collect();
        assert_eq!(errors.is_empty(), *ok, "{command:?}: {events:?}");
        for error in errors {
            assert!(
                !error.kind.is_empty() && !error.message.is_empty(),
                "{command:?}: {error:?}"
            );
            said.push_str(&error.message);
        }
    }
    said
}

fn id_of(command: &Command) -> u64 {
    let json = serde_json::to_value(command).expect("a command has a JSON form");
    json["id"].as_u64().unwrap_or_default()
}
