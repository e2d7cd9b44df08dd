//! `POST /predict`: from a body to the queue, and from outputs to an answer.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Extension;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Response, StatusCode, header};
use tokio::sync::oneshot;

use crate::Problem;
use crate::app::App;
use crate::body::{self, Form};
use crate::body_reader;
use crate::connections::ConnectionSlot;
use crate::model::Arrays;
use crate::queue::{Answer, Closed, Failure, QueuedRequest};
use crate::rows;

/// A longer text is read and written beside the threads that serve connections.
const LONG: usize = 64 << 10;

/// What the log says of a request that ran, besides what it says of all.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ran {
    pub(crate) rows: usize,
    pub(crate) requests: usize,
    pub(crate) waited: Duration,
    pub(crate) ran: Duration,
}

/// Answers a prediction.
pub(crate) async fn predict(
    State(app): State<App>,
    Extension(place): Extension<Arc<ConnectionSlot>>,
    request: Request,
) -> Result<Response<Body>, Problem> {
    let (parts, body) = request.into_parts();
    let model = &*app.work.model;
    let forms = Form::of_request(&parts.headers, model).and_then(|form| {
        let answer = Form::of_answer(&parts.headers, model.outputs().len())?;
        Ok((form, answer))
    });
    let (form, answer_form) = match forms {
        Ok(forms) => forms,
        Err(problem) => {
            body_reader::linger(&parts.headers, body).await;
            return Err(problem);
        }
    };
    let options = &app.options;
    let read = body_reader::read(
        &parts.headers,
        body,
        options.max_body,
        &app.budget,
        options.read_timeout,
    );
    let read = read.await.inspect_err(|problem| {
        if problem.status() == StatusCode::SERVICE_UNAVAILABLE {
            app.work.metrics.rejected("memory");
        }
    })?;
    place.is_busy();
    let arrived = Instant::now();
    let deadline = arrived + options.timeout;
    let receiver = {
        let _arriving = app.work.queue.announce();
        let inputs = inputs(&app, form, &read).await?;
        enter(&app, inputs, arrived, deadline)?
    };
    let answer = tokio::time::timeout_at(deadline.into(), receiver).await;
    drop(read);
    let Answer {
        outputs,
        batch: (rows, requests),
        waited,
        ran,
    } = match answer {
        Ok(Ok(Ok(answer))) => answer,
        Ok(Ok(Err(failure))) => return Err(refusal(&app, failure)),
        Ok(Err(_)) => return Err(refusal(&app, Failure::Broken)),
        Err(_) => return Err(refusal(&app, Failure::Late)),
    };
    let n_bytes: usize = outputs.iter().map(|(_, array)| array.bytes().len()).sum();
    let text = beside(n_bytes, move || body::write(answer_form, &outputs)).await?;
    let mut response = Response::new(Body::from(text));
    let kind = HeaderValue::from_static(answer_form.kind());
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    let millis = |time: Duration| time.as_secs_f64() * 1000.0;
    let timing = format!(
        "queue;dur={:.3}, run;dur={:.3}",
        millis(waited),
        millis(ran)
    );
    if let Ok(timing) = HeaderValue::from_str(&timing) {
        response.headers_mut().insert("server-timing", timing);
    }
    response.extensions_mut().insert(Ran {
        rows,
        requests,
        waited,
        ran,
    });
    Ok(response)
}

/// Runs what takes long on a thread of its own kind.
async fn beside<T: Send + 'static>(
    length: usize,
    run: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    if length <= LONG {
        return run();
    }
    let ran = tokio::task::spawn_blocking(run).await;
    ran.unwrap_or_else(|_| Err(broken()))
}

async fn inputs(app: &App, form: Form, read: &body_reader::Read) -> Result<Arrays, Problem> {
    let bytes = read.bytes.clone();
    // A picture unpacks to more than it weighs.
    let length = match form {
        Form::Image => usize::MAX,
        _ => bytes.len(),
    };
    let app = app.clone();
    let scan = move || body::read(form, &bytes, &*app.work.model, &app.options.picture);
    beside(length, scan).await
}

/// Puts a request into the queue.
fn enter(
    app: &App,
    inputs: Arrays,
    arrived: Instant,
    deadline: Instant,
) -> Result<oneshot::Receiver<Result<Answer, Failure>>, Problem> {
    let (answer, receiver) = oneshot::channel();
    let rows = match app.found.joins {
        true => rows::count(&inputs).filter(|&n| n > 0),
        false => None,
    };
    let pushed = app.work.queue.push(QueuedRequest {
        inputs,
        rows,
        arrived,
        deadline,
        answer,
    });
    match pushed {
        Ok(()) => Ok(receiver),
        Err(Closed::Full) => {
            app.work.metrics.rejected("queue");
            let places = app.options.queue;
            let detail = format!("{places} requests wait for the model, as many as may");
            Err(Problem::busy(detail, 1))
        }
        Err(Closed::Stopping) => {
            app.work.metrics.rejected("stopping");
            Err(Problem::busy("the server is stopping", 5).closing())
        }
    }
}

fn broken() -> Problem {
    Problem::new(
        StatusCode::INTERNAL_SERVER_ERROR,
        "the engine broke off while it ran this request",
        "report the model and the request; the server goes on with others",
    )
}

fn refusal(app: &App, failure: Failure) -> Problem {
    match failure {
        Failure::Late => {
            app.work.metrics.rejected("late");
            let seconds = app.options.timeout.as_secs_f64();
            Problem::new(
                StatusCode::GATEWAY_TIMEOUT,
                format!("the request was not answered within {seconds} s"),
                "send fewer requests at once or fewer rows in each, or start the server with a longer --timeout",
            )
        }
        Failure::Memory(words) => Problem::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            words,
            "send fewer rows in a request",
        ),
        Failure::Refused(words) => Problem::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            format!("the model refused the request: {words}"),
            "send numbers and sizes that the model takes",
        ),
        Failure::Broken => broken(),
    }
}
