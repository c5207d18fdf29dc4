//! The retention, killed while it works.

use std::time::Duration;

use millpond_cloud::scene::{Scene, Setting};
use serde_json::json;

const PATIENCE: Duration = Duration::from_secs(300);
const FINISHED: usize = 30;
/// Passes that are killed; then they may end.
const CUT: u64 = 15;

#[tokio::test]
async fn case24_a_retention_that_is_killed_makes_progress_and_touches_nothing_live() {
    let setting = Setting::new(env!("CARGO_BIN_EXE_millpond-cloud-app"));
    let scene = Scene::open(setting).await.expect("the scene is set");
    for number in 0..FINISHED {
        let tag = format!("done-{number}");
        scene.start("three", &tag, json!(tag)).await;
    }
    let mut live = Vec::new();
    for number in 0..3 {
        let tag = format!("live-{number}");
        live.push(scene.start("approval", &tag, json!(tag)).await);
    }
    let all = scene.rest(FINISHED + live.len(), PATIENCE).await;
    let finished: Vec<_> = all
        .iter()
        .filter(|each| each.status == "completed")
        .collect();
    assert_eq!(finished.len(), FINISHED);

    let retention = scene.stack.function("RetentionFunction");
    let (mut kills, mut archived) = (0, 0);
    for pass in 0_u64.. {
        assert!(
            pass < 60,
            "{archived} of {FINISHED} are archived after {pass} passes"
        );
        // Later in each pass, so that it is cut at other places.
        let cut = async {
            if pass >= CUT {
                return None;
            }
            tokio::time::sleep(Duration::from_millis(100 + pass * 97 % 900)).await;
            retention.kill_one(pass)
        };
        let (passed, killed) = tokio::join!(scene.retain(), cut);
        kills += u64::from(killed.is_some() && passed.is_err());
        let all = scene.executions().await;
        let now = all.iter().filter(|each| each.archived).count();
        assert!(now >= archived, "what is archived stays so");
        archived = now;
        // Whatever was cut, each answers.
        let one = finished[usize::try_from(pass).expect("it is small") % FINISHED];
        let result = scene.get(&format!("/executions/{}/result", one.eid)).await;
        assert!(result.body["value"].is_string(), "{result:?}");
        let waiting = all.iter().filter(|each| live.contains(&each.eid));
        assert!(
            waiting.clone().all(|each| each.status == "suspended") && waiting.count() == live.len()
        );
        if archived == FINISHED && passed.is_ok() {
            break;
        }
    }
    println!("{archived} archived, {kills} passes killed");
    assert!(kills > 0, "no pass was cut");
    for eid in &live {
        scene.signal(eid, "go", &json!("on")).await;
    }
    for eid in &live {
        let path = format!("/executions/{eid}/result");
        let ended = async || scene.get(&path).await.body["value"] == "on";
        scene.until("it ends", PATIENCE, ended).await;
    }
    assert!(
        scene.stack.refused().is_empty(),
        "{:?}",
        scene.stack.refused()
    );
}
