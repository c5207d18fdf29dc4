//! Scenes in their short form.

use std::time::Duration;

use millpond_cloud::lambda::Summary;
use millpond_cloud::queue::Chaos;
use millpond_cloud::scene::{Scene, Setting, invoices, latency, storm};

fn setting() -> Setting {
    Setting::new(env!("CARGO_BIN_EXE_millpond-cloud-app"))
}

#[tokio::test]
async fn a_start_and_a_signal_lead_to_their_steps_and_most_of_the_time_is_not_ours() {
    let scene = Scene::open(setting()).await.expect("the scene is set");
    let latency = latency::measure(&scene, 5).await;
    println!("{latency}");
    let reports = scene.stack.reports();
    let worker = Summary::of(&reports["WorkerFunction"]);
    assert!(worker.cold >= 1 && worker.failed == 0, "{worker}");
    assert!(
        worker.peak_kb < 64 * 1024,
        "a worker stays below 64 MB: {worker}"
    );
    assert!(
        scene.stack.refused().is_empty(),
        "{:?}",
        scene.stack.refused()
    );
    for way in latency.start.iter().chain(&latency.resume) {
        assert!(way.ours + way.store <= way.whole, "{way:?}");
        assert!(
            way.store > Duration::ZERO && way.ours > Duration::ZERO,
            "{way:?}"
        );
    }
}

#[tokio::test]
async fn a_storm_of_calls_leaves_each_execution_done_once() {
    let mut setting = setting();
    setting.chaos = Chaos {
        seed: 1,
        copies: 3,
        shuffle: 30,
        lost_percent: 5,
    };
    let scene = Scene::open(setting).await.expect("the scene is set");
    let options = storm::Options {
        count: 40,
        by: storm::By::Api,
        kill_every: Some(Duration::from_secs(2)),
        patience: Duration::from_secs(300),
    };
    let outcome = storm::storm(&scene, &options).await;
    println!("{outcome}");
    assert_eq!(outcome.faults(), Vec::<String>::new());
}

#[tokio::test]
async fn a_storm_of_uploads_leaves_each_execution_done_once() {
    let mut setting = setting();
    setting.rules = Some(storm::RULES.to_owned());
    setting.chaos = Chaos {
        seed: 2,
        copies: 3,
        shuffle: 50,
        lost_percent: 2,
    };
    let scene = Scene::open(setting).await.expect("the scene is set");
    let options = storm::Options {
        count: 60,
        by: storm::By::Upload,
        kill_every: Some(Duration::from_secs(3)),
        patience: Duration::from_secs(400),
    };
    let outcome = storm::storm(&scene, &options).await;
    println!("{outcome}");
    assert_eq!(outcome.faults(), Vec::<String>::new());
}

#[tokio::test]
async fn the_invoices_of_the_example_go_through_and_no_process_lives_between_events() {
    let patience = Duration::from_secs(60);
    let mut setting = setting();
    setting.rules = Some(invoices::rules(patience));
    let scene = Scene::open(setting).await.expect("the scene is set");
    let outcome = invoices::play(&scene, patience, &mut |line| println!("{line}")).await;
    println!("{outcome}");
    assert_eq!(outcome.faults(), Vec::<String>::new());
}
