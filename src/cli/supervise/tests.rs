//! Workers that finish, stop when asked, do not stop, or panic.

use super::*;
use coarsen::base::control::Budget;

fn limits(milliseconds: Option<u64>) -> Limits {
    Limits {
        budget: Budget::default(),
        operations: None,
        prover: Default::default(),
        time: milliseconds.map(Duration::from_millis),
        memory: None,
        disk: None,
        depth: 256,
    }
}

fn run<T: Send + 'static>(
    limits: &Limits,
    interrupts: &Interrupts,
    job: impl FnOnce(&Control) -> T + Send + 'static,
) -> Ended<T> {
    let control = Arc::new(Control::default());
    supervise(job, &control, limits, interrupts, &mut Progress::Silent)
}

fn until_stopped(control: &Control) -> Stop {
    loop {
        if let Err(stop) = control.check() {
            return stop;
        }
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn results_come_back_at_once() {
    let ended = run(&limits(None), &Interrupts::default(), |_| 7);
    assert!(matches!(ended, Ended::Done(7)));
}

#[test]
fn a_worker_that_listens_returns_its_partial_result() {
    let ended = run(&limits(Some(20)), &Interrupts::default(), until_stopped);
    assert!(matches!(ended, Ended::Done(Stop::Time)), "{ended:?}");
    let pressed = Interrupts::default();
    pressed.0.store(true, Ordering::SeqCst);
    let ended = run(&limits(None), &pressed, until_stopped);
    assert!(matches!(ended, Ended::Done(Stop::Interrupt)), "{ended:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn memory_is_watched() {
    let limits = Limits {
        memory: Some(1),
        ..limits(None)
    };
    let ended = run(&limits, &Interrupts::default(), until_stopped);
    assert!(matches!(ended, Ended::Done(Stop::Memory)), "{ended:?}");
}

#[test]
fn a_worker_that_does_not_listen_is_left_behind() {
    let started = Instant::now();
    let ended = run(&limits(Some(20)), &Interrupts::default(), |_| {
        thread::sleep(Duration::from_secs(3));
    });
    assert!(matches!(ended, Ended::Abandoned(Stop::Time)), "{ended:?}");
    assert!(started.elapsed() < Duration::from_millis(2500));
}

#[test]
fn a_panic_is_told_apart() {
    let ended: Ended<()> = run(&limits(None), &Interrupts::default(), |_| {
        panic!("on purpose, in a test")
    });
    assert!(
        matches!(ended, Ended::Broken(Broken::Panicked)),
        "{ended:?}"
    );
}

#[test]
fn the_stack_is_deep() {
    fn down(n: usize) -> usize {
        let frame = std::hint::black_box([n; 256]);
        if n == 0 { 0 } else { 1 + down(frame[0] - 1) }
    }
    let ended = run(&limits(None), &Interrupts::default(), |_| down(50_000));
    assert!(matches!(ended, Ended::Done(50_000)), "{ended:?}");
}
