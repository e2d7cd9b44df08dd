//! Waiting for what a device does, in whatever way this thread can wait.

use std::cell::Cell;
use std::pin::Pin;
use std::rc::Rc;

/// Runs a future to its end before it returns: a thread sleeps, a page suspends (JSPI).
pub type BlockOn = fn(Pin<Box<dyn Future<Output = ()>>>);

/// [`BlockOn`] for a thread of its own.
#[cfg(not(target_arch = "wasm32"))]
pub fn block_on(future: Pin<Box<dyn Future<Output = ()>>>) {
    pollster::block_on(future);
}

/// What a future gives; nothing if it was not run to its end.
pub(crate) fn wait<T: 'static>(
    block_on: BlockOn,
    future: impl Future<Output = T> + 'static,
) -> Option<T> {
    let result = Rc::new(Cell::new(None));
    let given = result.clone();
    block_on(Box::pin(async move { given.set(Some(future.await)) }));
    result.take()
}

/// What a future gives within so many milliseconds, or the future.
#[cfg(target_arch = "wasm32")]
pub(crate) fn within<F: Future + Unpin + 'static>(
    block_on: BlockOn,
    mut future: F,
    millis: u32,
) -> Option<Result<F::Output, F>> {
    use std::future::poll_fn;
    use std::task::Poll;

    let mut timer = gloo_timers::future::TimeoutFuture::new(millis);
    wait(block_on, async move {
        let first = poll_fn(|cx| match Pin::new(&mut future).poll(cx) {
            Poll::Ready(given) => Poll::Ready(Some(given)),
            Poll::Pending => Pin::new(&mut timer).poll(cx).map(|()| None),
        });
        first.await.ok_or(future)
    })
}

/// Waits for so many milliseconds.
pub(crate) fn pause(block_on: BlockOn, millis: u32) {
    #[cfg(target_arch = "wasm32")]
    block_on(Box::pin(gloo_timers::future::TimeoutFuture::new(millis)));
    #[cfg(not(target_arch = "wasm32"))]
    {
        let _ = block_on;
        std::thread::sleep(std::time::Duration::from_millis(millis.into()));
    }
}
