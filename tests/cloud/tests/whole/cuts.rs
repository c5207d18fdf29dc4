//! Case 9: a worker that is cut off at each of its requests.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use millpond::client::App;
use millpond_cloud::proxy::Injection;
use millpond_cloud::queue::event;
use millpond_cloud::scene::Scene;
use serde_json::json;

use crate::hand::{PATIENCE, begun, hasty, mail, notification};

const STEPS: [&str; 5] = ["first", "second", "third", "fourth", "fifth"];

/// Hands an execution to the worker, which is cut off at a request; whether it made that request.
async fn cut(scene: &Scene, eid: &str, at: u64, injection: Injection) -> bool {
    let keys = mail(scene, eid).await;
    let [key] = keys.as_slice() else {
        panic!("{eid} has no start in its mailbox: {keys:?}");
    };
    let worker = scene.stack.function("WorkerFunction").clone();
    let proxy = scene.stack.proxy("WorkerFunction");
    let arn = &scene.stack.queue("DefaultQueue").arn;
    let victim = worker.clone();
    proxy.cut(at, injection, move || {
        let killed = victim.kill_one(0);
        killed.expect("who asks is there");
    });
    let batch = [notification(scene, 0, key)];
    let ended = worker.invoke(event(arn, &batch).to_string()).await;
    let met = !proxy.heal();
    assert_eq!(
        ended.is_err(),
        met && injection.is_death(),
        "{injection:?} at {at}: {ended:?}"
    );
    met
}

/// What an execution's attempts have done, by the ledger.
fn effects(scene: &Scene, tag: &str) -> Vec<(String, u32)> {
    let of = |note: millpond_cloud::scene::Note| {
        let (whose, attempt) = note.tag.split_once('#')?;
        let attempt = attempt.parse().expect("it is a number");
        (whose == tag).then_some((note.step, attempt))
    };
    scene.notes().into_iter().filter_map(of).collect()
}

#[tokio::test]
async fn case09_a_worker_cut_off_at_each_of_its_requests_leaves_no_effect_unrecorded_and_none_twice()
 {
    let mut setting = hasty();
    setting.timeout = Duration::from_secs(20);
    setting.visibility = Duration::from_secs(25);
    setting.held = true;
    setting.instances = 1;
    let scene = Scene::open(setting).await.expect("the scene is set");
    let engine = scene.engine(App::new()).await;
    let mut all = BTreeMap::new();
    let mut cuts = BTreeMap::new();
    for injection in Injection::ALL {
        for at in 0.. {
            let tag = format!("{injection:?}-{at}");
            let eid = scene.start("five", &tag, json!(tag)).await;
            let met = cut(&scene, &eid, at, injection).await;
            // At the instant of its death: what has had an effect is on record.
            let begun = begun(&engine, &eid).await;
            for effect in effects(&scene, &tag) {
                assert!(
                    begun.contains(&effect),
                    "{tag}: {effect:?} is not in {begun:?}"
                );
            }
            all.insert(tag, (eid, injection));
            if !met {
                break;
            }
            *cuts.entry(injection).or_insert(0) += 1;
        }
    }
    println!("{cuts:?}");
    assert!(
        cuts.values().all(|count| *count >= 10),
        "a run of five steps makes more requests: {cuts:?}"
    );

    scene.release();
    let sweeping = scene.sweeping();
    let rest = scene.rest(all.len(), PATIENCE).await;
    drop(sweeping);
    assert!(
        rest.iter().all(|each| each.status == "completed"),
        "{rest:?}"
    );
    let (mut unknown, mut again) = (0, 0);
    for (tag, (eid, injection)) in &all {
        let (begun, effects) = (begun(&engine, eid).await, effects(&scene, tag));
        let once = BTreeSet::from_iter(&effects);
        assert_eq!(
            once.len(),
            effects.len(),
            "{tag}: an attempt had its effect twice"
        );
        assert_eq!(
            BTreeSet::from_iter(&begun).len(),
            begun.len(),
            "{tag}: {begun:?}"
        );
        assert!(
            effects.iter().all(|effect| begun.contains(effect)),
            "{tag}: {effects:?}"
        );
        // Who died once lost one attempt at most, and it had had its effect, or had not.
        let lost = begun.len() - effects.len();
        assert!(
            lost <= usize::from(injection.is_death()),
            "{tag}: {begun:?}, {effects:?}"
        );
        let of = |step: &str| begun.iter().filter(|(name, _)| name == step).count();
        assert!(STEPS.iter().all(|step| of(step) >= 1), "{tag}: {begun:?}");
        again += begun.len() - STEPS.len();
        assert_eq!(
            of("third"),
            1,
            "{tag}: what must not run twice was begun again"
        );
        let reply = scene.get(&format!("/executions/{eid}/result")).await;
        let known = reply.body["value"].as_bool().expect("it is yes or no");
        let ran = effects.iter().any(|(step, _)| step == "third");
        assert!(ran || !known, "{tag}: it is reported to have run");
        unknown += usize::from(!known);
    }
    println!(
        "{} executions, {again} attempts made again, {unknown} unknown",
        all.len()
    );
    assert!(again > 0 && unknown > 0, "attempts were cut off, too");
    assert_eq!(scene.dead_letters().await, 0);
    assert!(
        scene.stack.refused().is_empty(),
        "{:?}",
        scene.stack.refused()
    );
}
