//! Scenes on the emulated cloud, in their long form: `localstack/e2e` and by hand.

#[cfg(unix)]
mod driver {
    use std::path::PathBuf;
    use std::process::ExitCode;
    use std::time::Duration;

    use clap::Parser;
    use millpond_cloud::lambda::Summary;
    use millpond_cloud::queue::Chaos;
    use millpond_cloud::scene::{Scene, Setting, archiving, inbox, invoices, latency, storm};

    /// Runs an application on the emulated cloud
    #[derive(Debug, Parser)]
    struct Options {
        /// The application: one that has the workflows of the scenes
        #[arg(long, value_name = "FILE")]
        binary: Option<PathBuf>,
        /// Instances of each function at most
        #[arg(long, default_value_t = 4)]
        instances: usize,
        #[command(subcommand)]
        scene: What,
    }

    #[derive(Debug, clap::Subcommand)]
    enum What {
        /// The invoices of the example: upload, starter, worker, API, sweeper, retention
        Invoices {
            /// How long an approval is waited for, in seconds
            #[arg(long, default_value_t = 60)]
            patience: u64,
        },
        /// Cold starts of the sweeper, one after the other, and their memory
        Cold {
            /// How many
            #[arg(long, default_value_t = 30)]
            count: usize,
        },
        /// From a call of the API to the step it leads to, and whose time that is
        Latency {
            /// How many executions
            #[arg(long, default_value_t = 50)]
            count: usize,
        },
        /// Finished executions, archived by a retention that is killed at random
        Retention {
            /// How many
            #[arg(long, default_value_t = 10_000)]
            count: usize,
            /// The mean time until it is killed, in seconds
            #[arg(long, default_value_t = 5.0)]
            kill_every: f64,
            /// Where the draws begin
            #[arg(long, default_value_t = 1)]
            seed: u64,
            /// How long the archiving may take, in seconds
            #[arg(long, default_value_t = 3600)]
            patience: u64,
        },
        /// Uploads whose events come one to three times, in any order; nobody runs what they start
        Uploads {
            /// How many
            #[arg(long, default_value_t = 10_000)]
            count: usize,
            /// Where the draws begin
            #[arg(long, default_value_t = 1)]
            seed: u64,
            /// How long it may take after the last upload, in seconds
            #[arg(long, default_value_t = 3600)]
            patience: u64,
        },
        /// Everything at once, events doubled, shuffled and lost, workers killed
        Storm {
            /// How many executions
            #[arg(long, default_value_t = 2000)]
            count: usize,
            /// Start them by the API, not by uploads
            #[arg(long)]
            api: bool,
            /// How often a worker is killed, in seconds; 0: never
            #[arg(long, default_value_t = 3.0)]
            kill_every: f64,
            /// How often a message is delivered at most
            #[arg(long, default_value_t = 3)]
            copies: u64,
            /// How many of a hundred notifications are lost
            #[arg(long, default_value_t = 2)]
            lost: u64,
            /// Where the draws begin
            #[arg(long, default_value_t = 1)]
            seed: u64,
            /// How long it may take, in seconds
            #[arg(long, default_value_t = 1800)]
            patience: u64,
        },
    }

    #[tokio::main]
    pub(crate) async fn main() -> ExitCode {
        let options = Options::parse();
        let binary = options.binary.unwrap_or_else(beside);
        let mut setting = Setting::new(binary);
        setting.instances = options.instances;
        if let What::Storm {
            copies, lost, seed, ..
        } = options.scene
        {
            setting.chaos = Chaos {
                seed,
                copies,
                shuffle: 50,
                lost_percent: lost,
            };
        }
        if let What::Uploads { seed, .. } = options.scene {
            setting.chaos = Chaos {
                seed,
                copies: 3,
                shuffle: 200,
                // Of mail: nobody runs what is started.
                lost_percent: 100,
            };
        }
        // What is made past the functions is nothing for the worker.
        setting.held = matches!(options.scene, What::Retention { .. });
        setting.rules = match options.scene {
            What::Invoices { patience } => Some(invoices::rules(Duration::from_secs(patience))),
            What::Storm { api: false, .. } => Some(storm::RULES.to_owned()),
            What::Uploads { .. } => Some(inbox::RULE.to_owned()),
            What::Storm { api: true, .. }
            | What::Latency { .. }
            | What::Cold { .. }
            | What::Retention { .. } => None,
        };
        let scene = match Scene::open(setting).await {
            Ok(scene) => scene,
            Err(error) => {
                eprintln!(
                    "the scene cannot be set: {error}: {:?}",
                    std::error::Error::source(&error)
                );
                return ExitCode::FAILURE;
            }
        };
        match options.scene {
            What::Invoices { patience } => {
                let mut print = |line: String| println!("{line}");
                let patience = Duration::from_secs(patience);
                let outcome = invoices::play(&scene, patience, &mut print).await;
                println!("{outcome}");
                for (name, reports) in scene.stack.reports() {
                    println!(
                        "{name}: {}; {}",
                        Summary::of(&reports),
                        scene.stack.proxy(&name).counts()
                    );
                }
                report(&outcome.faults())
            }
            What::Cold { count } => {
                for _ in 0..count {
                    if let Err(failure) = scene.sweep().await {
                        eprintln!("the sweeper does not answer: {failure}");
                        return ExitCode::FAILURE;
                    }
                    scene.calm(Duration::from_secs(10)).await;
                    scene.stack.retire().await;
                }
                let reports = scene.stack.function("SweeperFunction").reports();
                println!("SweeperFunction: {}", Summary::of(&reports));
                ExitCode::SUCCESS
            }
            What::Latency { count } => {
                print!("{}", latency::measure(&scene, count).await);
                for (name, reports) in scene.stack.reports() {
                    println!("{name}: {}", Summary::of(&reports));
                }
                ExitCode::SUCCESS
            }
            What::Retention {
                count,
                kill_every,
                seed,
                patience,
            } => {
                let options = archiving::Options {
                    count,
                    kill_every: Duration::from_secs_f64(kill_every),
                    seed,
                    patience: Duration::from_secs(patience),
                };
                let mut print = |line: String| println!("{line}");
                let outcome = archiving::archive(&scene, &options, &mut print).await;
                print!("{outcome}");
                report(&outcome.faults())
            }
            What::Uploads {
                count, patience, ..
            } => {
                let patience = Duration::from_secs(patience);
                let outcome = inbox::receive(&scene, count, patience).await;
                print!("{outcome}");
                report(&outcome.faults())
            }
            What::Storm {
                count,
                api,
                kill_every,
                patience,
                ..
            } => {
                let options = storm::Options {
                    count,
                    by: if api {
                        storm::By::Api
                    } else {
                        storm::By::Upload
                    },
                    kill_every: (kill_every > 0.0).then(|| Duration::from_secs_f64(kill_every)),
                    patience: Duration::from_secs(patience),
                };
                let outcome = storm::storm(&scene, &options).await;
                print!("{outcome}");
                report(&outcome.faults())
            }
        }
    }

    fn report(faults: &[String]) -> ExitCode {
        for fault in faults {
            println!("WRONG: {fault}");
        }
        if !faults.is_empty() {
            return ExitCode::FAILURE;
        }
        println!("everything holds");
        ExitCode::SUCCESS
    }

    /// The application that is built beside this one.
    fn beside() -> PathBuf {
        let own = std::env::current_exe().expect("this process has an executable");
        own.with_file_name("millpond-cloud-app")
    }
}

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    driver::main()
}

#[cfg(not(unix))]
fn main() {}
