//! The sequence: start, work, kill, continue, decide, wait, verify.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use millpond::client::{ErrorKind, Start};
use millpond::domain::Status;

use super::case::{Case, PayStep, Plan};
use super::place::Place;
use super::pond::Pond;
use super::processes::{WorkerProcess, command};
use super::report::{Claim, Killed, Report, Row};
use super::{Options, Trouble, prices};
use crate::bank::{Bank, Payment};
use crate::file::{self, Line};
use crate::workflow::{APPROVAL, InvoiceApprovalInput, Terms, Verdict, invoice_approval};

/// The worker is killed once the bank has booked this many payments.
const BOOKED_BEFORE_KILL: usize = 8;
/// Timeout of every wait.
const PATIENCE: Duration = Duration::from_secs(90);

/// Runs the demo; `report` receives its progress.
pub(super) fn play(options: &Options, report: &dyn Fn(String)) -> Result<Report, Trouble> {
    let began = Instant::now();
    let lines = file::read(options.file.as_deref())?;
    let place = Place::find(options)?;
    let terms = Terms {
        patience_ms: options.patience.saturating_mul(1000),
        ..Terms::default()
    };
    let pond = Pond::create(&place)?;
    let bank = Bank::new(&place.ledger);
    report(format!("pond    {}", place.bucket()));
    report(format!("ledger  {}", place.ledger.display()));

    let (cases, _) = start_all(&pond, &lines, &terms)?;
    report(format!(
        "{} lines started {} executions: {} repeat an invoice",
        lines.len(),
        cases.len(),
        lines.len() - cases.len()
    ));
    let (_, fresh_again) = start_all(&pond, &lines, &terms)?;
    report(format!("the same lines again started {fresh_again}"));

    let mut worker = WorkerProcess::start(&place, "worker-1")?;
    let pid = worker.id();
    until("the first payments", &mut worker, || {
        Ok(bank.payments()?.len() >= BOOKED_BEFORE_KILL)
    })?;
    worker.kill()?;
    let killed = look_after_kill(&pond, &cases, &bank)?;
    report(format!(
        "killed worker {pid}: {} payments in the ledger; {} in flight, {} of these in the ledger too",
        killed.booked, killed.in_flight, killed.booked_in_flight
    ));

    let decided = decide(&place, &cases)?;
    report(format!("sent {decided} decisions while no worker ran"));
    let mut worker = WorkerProcess::start(&place, "worker-2")?;
    report(format!("worker {} goes on", worker.id()));
    let mut open: Vec<&Case> = cases.iter().collect();
    until("the last execution", &mut worker, || {
        let mut still = Vec::new();
        for case in open.drain(..) {
            match pond.runtime.block_on(pond.engine.status(case.eid)) {
                Ok(status) if status.is_terminal() => {}
                // A store that does not respond now may respond at the next poll.
                Err(error) if error.kind() != ErrorKind::Storage => return Err(error.into()),
                Ok(_) | Err(_) => still.push(case),
            }
        }
        open = still;
        Ok(open.is_empty())
    })?;
    worker.kill()?;

    let rows = outcomes(&pond, &cases)?;
    let shown = cases.iter().find(|case| case.plan == Plan::Approve);
    let show = match shown {
        Some(case) => command(&place, &["show", &case.eid.to_string()])?,
        None => String::new(),
    };
    // This process pays only what it measures, into a ledger of its own.
    Bank::settle_on(place.logs.join("prices.csv"));
    let prices = prices::measure(&pond)?;
    let payments = bank.payments()?;
    let claims = vec![
        Claim::new(
            "starting everything again started nothing",
            fresh_again == 0,
            format!("{fresh_again} executions were started twice"),
        ),
        Claim::new(
            "the kill hit payments on their way",
            killed.in_flight > 0,
            format!("{} payments in flight", killed.in_flight),
        ),
        ledger_holds_each_once(&rows, &payments),
        amounts_are_exact(&cases, &payments),
        outcomes_are_as_planned(&rows),
        Claim::new(
            "no operation costs more than its price",
            prices.iter().all(prices::Price::is_kept),
            format!("{} operations measured", prices.len()),
        ),
    ];
    Ok(Report {
        pond: place.bucket(),
        ledger: place.ledger,
        lines: lines.len(),
        executions: cases.len(),
        seconds: began.elapsed().as_secs_f64(),
        killed,
        repeated_attempts: rows
            .iter()
            .map(|row| row.pay_attempts.saturating_sub(1))
            .sum(),
        refused_by_bank: rows.iter().filter(|row| row.told_later).count(),
        ledger_lines: payments.len(),
        rows,
        prices,
        claims,
        show,
    })
}

/// Starts one execution per line, and returns how many of them were new.
fn start_all(pond: &Pond, lines: &[Line], terms: &Terms) -> Result<(Vec<Case>, usize), Trouble> {
    let (mut cases, mut fresh, mut asked) = (BTreeMap::new(), 0, 0);
    for line in lines {
        let input = InvoiceApprovalInput {
            row: line.row.clone(),
            terms: Some(terms.clone()),
        };
        let start = Start::of::<invoice_approval>(&input).key(line.key());
        let started = pond.runtime.block_on(pond.engine.start(start))?;
        fresh += usize::from(started.fresh);
        cases.entry(started.eid).or_insert_with(|| Case {
            key: line.key(),
            eid: started.eid,
            plan: Plan::of(line, terms, &mut asked),
            line: line.clone(),
        });
    }
    let mut cases: Vec<Case> = cases.into_values().collect();
    cases.sort_by_key(|case| case.line.line);
    Ok((cases, fresh))
}

/// The state of the bucket and the bank after the kill.
fn look_after_kill(pond: &Pond, cases: &[Case], bank: &Bank) -> Result<Killed, Trouble> {
    let booked = bank.payments()?;
    let mut killed = Killed {
        booked: booked.len(),
        ..Killed::default()
    };
    for case in cases {
        let tree = pond.runtime.block_on(pond.engine.frames(case.eid))?;
        if PayStep::of(&tree).in_flight {
            killed.in_flight += 1;
            let number = case.line.row.number.as_deref().map(str::trim);
            let is_booked = booked.iter().any(|p| Some(p.number.as_str()) == number);
            killed.booked_in_flight += usize::from(is_booked);
        }
    }
    Ok(killed)
}

/// Approves and rejects as an operator would: one command each.
fn decide(place: &Place, cases: &[Case]) -> Result<usize, Trouble> {
    let mut decided = 0;
    for case in cases {
        let word = match case.plan {
            Plan::Approve => r#"{"approve": true, "by": "Ada Żółkiewska"}"#,
            Plan::Reject => r#"{"approve": false, "by": "Grace Ødegård"}"#,
            Plan::Invalid | Plan::Pay | Plan::Ignore => continue,
        };
        command(place, &["signal", &case.eid.to_string(), APPROVAL, word])?;
        decided += 1;
    }
    Ok(decided)
}

fn outcomes(pond: &Pond, cases: &[Case]) -> Result<Vec<Row>, Trouble> {
    let mut rows = Vec::new();
    for case in cases {
        let (eid, engine) = (case.eid, &pond.engine);
        let status = pond.runtime.block_on(engine.status(eid))?;
        let outcome = pond.runtime.block_on(engine.result(eid, Duration::ZERO))?;
        let verdict: Verdict = outcome.get().map_err(|failure| Trouble::Failed {
            key: case.key.clone(),
            failure,
        })?;
        let tree = pond.runtime.block_on(engine.frames(eid))?;
        let told_later = match &verdict {
            Verdict::Paid { receipt, .. } => receipt.told_to_attempt > receipt.paid_by_attempt,
            _ => false,
        };
        rows.push(Row {
            line: case.line.line,
            eid,
            number: case.line.row.number.clone().unwrap_or_default(),
            supplier: case.line.row.supplier.clone().unwrap_or_default(),
            amount_cents: case.line.row.amount_cents.clone().unwrap_or_default(),
            currency: case.line.row.currency.clone().unwrap_or_default(),
            as_planned: status == Status::Completed && case.plan.is_met_by(&verdict),
            pay_attempts: PayStep::of(&tree).attempts,
            told_later,
            verdict,
        });
    }
    Ok(rows)
}

fn ledger_holds_each_once(rows: &[Row], payments: &[Payment]) -> Claim {
    let mut by_key: BTreeMap<&str, usize> = BTreeMap::new();
    let mut by_number: BTreeMap<&str, usize> = BTreeMap::new();
    for payment in payments {
        *by_key.entry(&payment.key).or_default() += 1;
        *by_number.entry(&payment.number).or_default() += 1;
    }
    let paid: Vec<_> = rows
        .iter()
        .filter_map(|row| match &row.verdict {
            Verdict::Paid { receipt, .. } => Some((row.number.as_str(), receipt.key.as_str())),
            _ => None,
        })
        .collect();
    let once = by_key.values().chain(by_number.values()).all(|n| *n == 1);
    let same = paid.len() == payments.len()
        && paid
            .iter()
            .all(|(number, key)| by_number.contains_key(number) && by_key.contains_key(key));
    Claim::new(
        "each paid invoice is in the ledger once, and no other is",
        once && same,
        format!(
            "{} lines, {} keys, {} paid",
            payments.len(),
            by_key.len(),
            paid.len()
        ),
    )
}

fn amounts_are_exact(cases: &[Case], payments: &[Payment]) -> Claim {
    let exact = payments.iter().all(|payment| {
        cases.iter().any(|case| {
            case.line.row.check().is_ok_and(|invoice| {
                invoice.number == payment.number
                    && invoice.amount_cents == payment.amount_cents
                    && invoice.currency == payment.currency
                    && invoice.supplier == payment.supplier
            })
        })
    });
    let largest = payments.iter().map(|p| p.amount_cents).max().unwrap_or(0);
    let detail = format!("the largest is {largest} cents");
    Claim::new(
        "the ledger's amounts and names are those of the file",
        exact,
        detail,
    )
}

fn outcomes_are_as_planned(rows: &[Row]) -> Claim {
    let odd: Vec<String> = rows
        .iter()
        .filter(|row| !row.as_planned)
        .map(|row| format!("line {}", row.line))
        .collect();
    let detail = if odd.is_empty() {
        format!("{} executions", rows.len())
    } else {
        odd.join(", ")
    };
    Claim::new(
        "every execution ended, as its line and its approver require",
        odd.is_empty(),
        detail,
    )
}

/// Polls until `done`; fails if a worker dies meanwhile.
fn until(
    what: &'static str,
    worker: &mut WorkerProcess,
    mut done: impl FnMut() -> Result<bool, Trouble>,
) -> Result<(), Trouble> {
    let end = Instant::now() + PATIENCE;
    while !done()? {
        worker.check_alive()?;
        if Instant::now() > end {
            return Err(Trouble::Late { what });
        }
        std::thread::sleep(Duration::from_millis(4));
    }
    Ok(())
}
