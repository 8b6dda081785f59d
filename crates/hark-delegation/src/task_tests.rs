//! Tasks of programs that behave as the real ones do on their command line, in a real sandbox.

use super::*;
use hark_config::delegation::{DelegateProgram, SandboxKind};
use std::fs;
use std::os::unix::fs::PermissionsExt;

const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/delegates/program.py");

/// A house with the three programs, and what its observer was told.
struct House {
    folder: tempfile::TempDir,
    config: DelegationConfig,
    told: Arc<Mutex<Vec<TaskView>>>,
}

impl House {
    /// None where there is no bubblewrap.
    fn new() -> Option<Self> {
        let can = std::process::Command::new("bwrap")
            .args(["--unshare-all", "--ro-bind", "/", "/", "/bin/true"])
            .stderr(std::process::Stdio::null())
            .status();
        if !can.is_ok_and(|status| status.success()) {
            println!("skipped: bubblewrap is not installed, or may make no sandbox here");
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let config = DelegationConfig {
            workspaces: folder.path().join("work").display().to_string(),
            ..DelegationConfig::default()
        };
        let mut house = Self { folder, config, told: Arc::default() };
        fs::create_dir(house.at("work")).unwrap();
        fs::create_dir(house.at("programs")).unwrap();
        for name in ["claude", "gemini", "codex"] {
            let path = house.at(&format!("programs/{name}"));
            fs::copy(PROGRAM, &path).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        let program = |name: &str| house.at(&format!("programs/{name}")).display().to_string();
        let programs = [program("claude"), program("gemini"), program("codex")];
        [house.config.claude_program, house.config.gemini_program, house.config.codex_program] = programs;
        Some(house)
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.at("work/scratch").join(name)).unwrap_or_default()
    }

    fn open(&self) -> Arc<Delegation> {
        let delegation = Arc::new(Delegation::new(&self.config, &self.at("state"), None));
        let told = Arc::clone(&self.told);
        delegation.observe(Arc::new(move |task| told.lock().unwrap().push(task.clone())));
        delegation
    }
}

fn goal(goal: &str) -> Requested {
    Requested {
        goal: goal.into(),
        to: None,
        workspace: None,
        conversation: "voice".into(),
        language: "en".into(),
    }
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap().block_on(work)
}

/// The task when it runs no more.
async fn settled(delegation: &Delegation) -> TaskView {
    for _ in 0..1200 {
        let task = delegation.view().unwrap();
        if task.state != TaskState::Running {
            return task;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("still running: {:?}", delegation.view());
}

#[test]
fn each_program_works_and_what_it_changed_is_seen_on_the_disk() {
    let Some(mut house) = House::new() else { return };
    for (program, title) in [
        (DelegateProgram::Claude, "Claude Code"),
        (DelegateProgram::Gemini, "Gemini"),
        (DelegateProgram::Codex, "Codex"),
    ] {
        house.config.program = program;
        let delegation = house.open();
        assert_eq!(delegation.ready(), Ok(()));
        let task = block_on(async {
            let begun = delegation.begin(goal("write a script that says hello")).unwrap();
            assert_eq!((begun.state, begun.program.as_str()), (TaskState::Running, title));
            settled(&delegation).await
        });
        assert_eq!((task.state, task.error.as_str()), (TaskState::Done, ""), "{title}");
        assert_eq!(task.summary, "It prints hello.");
        assert_eq!(
            (task.changes.added, task.changes.files.as_slice()),
            (1, ["hello.sh".to_owned()].as_slice())
        );
        assert_eq!(house.read("hello.sh"), "echo hello\n");
        assert_eq!(
            fs::read_to_string(house.at("state/delegation/login")).unwrap(),
            "kept",
            "its home is its own"
        );
        fs::remove_file(house.at("work/scratch/hello.sh")).unwrap();
        let told = std::mem::take(&mut *house.told.lock().unwrap());
        let states: Vec<TaskState> = told.iter().map(|task| task.state).collect();
        assert_eq!((states.first(), states.last()), (Some(&TaskState::Running), Some(&TaskState::Done)));
    }
}

#[test]
fn a_question_waits_for_its_answer_also_over_a_restart() {
    let Some(mut house) = House::new() else { return };
    for program in [DelegateProgram::Claude, DelegateProgram::Gemini, DelegateProgram::Codex] {
        house.config.program = program;
        let delegation = house.open();
        let asking = block_on(async {
            delegation.begin(goal("write a web server")).unwrap();
            settled(&delegation).await
        });
        assert_eq!(
            (asking.state, asking.question.as_str()),
            (TaskState::Asking, "Which port shall it listen on?")
        );
        drop(delegation);
        house.told.lock().unwrap().clear();
        let delegation = house.open();
        delegation.tell_left_over();
        assert_eq!(house.told.lock().unwrap().first().map(|task| task.state), Some(TaskState::Asking));
        let done = block_on(async {
            assert!(matches!(delegation.begin(goal("another")), Err(DelegationError::Busy(_))));
            delegation.answer("8080").unwrap();
            settled(&delegation).await
        });
        assert_eq!((done.state, house.read("port.txt").as_str()), (TaskState::Done, "8080"), "{done:?}");
        assert_eq!(done.summary, "I wrote the port 8080 into port.txt.");
        assert_eq!(delegation.answer("again").unwrap_err(), DelegationError::NoTask);
    }
}

#[test]
fn a_task_that_is_stopped_leaves_nothing_running() {
    let Some(house) = House::new() else { return };
    let delegation = house.open();
    let stopped = block_on(async {
        delegation.begin(goal("take long")).unwrap();
        for _ in 0..400 {
            if !house.read("begun.txt").is_empty() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        assert_eq!(delegation.answer("x").unwrap_err(), DelegationError::AsksNothing);
        delegation.stop().await.unwrap()
    });
    assert_eq!((stopped.state, stopped.changes.added), (TaskState::Stopped, 1));
    let path = house.at("programs/claude").display().to_string();
    let all = std::process::Command::new("ps").args(["-eo", "args"]).output().unwrap();
    let all = String::from_utf8_lossy(&all.stdout).into_owned();
    assert!(!all.lines().any(|line| line.contains(&path)), "{all}");
    assert_eq!(block_on(delegation.stop()).unwrap_err(), DelegationError::NoTask);
}

#[test]
fn what_goes_wrong_is_told() {
    let Some(mut house) = House::new() else { return };
    let delegation = house.open();
    for (words, error) in [
        ("break", "it ended with exit code 134: Segmentation fault: no memory"),
        ("refuse", "Credit balance is too low"),
        ("never be quiet", "it said more than is read"),
    ] {
        let task = block_on(async {
            delegation.begin(goal(words)).unwrap();
            settled(&delegation).await
        });
        assert_eq!((task.state, task.error.as_str()), (TaskState::Failed, error));
    }
    fs::set_permissions(house.at("programs/claude"), fs::Permissions::from_mode(0o644)).unwrap();
    let task = block_on(async {
        delegation.begin(goal("hello")).unwrap();
        settled(&delegation).await
    });
    assert!(task.error.contains("Permission denied"), "{}", task.error);
    fs::remove_file(house.at("programs/claude")).unwrap();
    let missing = delegation.plan(&goal("hello")).unwrap_err();
    assert_eq!(missing.to_string(), "Claude Code is not installed here");
    assert!(missing.fix().starts_with("npm install -g @anthropic-ai/claude-code"), "{}", missing.fix());
    assert_eq!(delegation.ready(), Ok(()), "two are left");
    house.config.workspaces.clear();
    assert_eq!(house.open().ready(), Err(DelegationError::NoWorkspaces));
}

#[test]
fn megabytes_are_read_and_not_kept() {
    let Some(mut house) = House::new() else { return };
    for (program, end) in
        [(DelegateProgram::Claude, "I said it all."), (DelegateProgram::Gemini, " la la I said it all.")]
    {
        house.config.program = program;
        let delegation = house.open();
        let task = block_on(async {
            delegation.begin(goal("talk a lot")).unwrap();
            settled(&delegation).await
        });
        assert_eq!(task.state, TaskState::Done, "{}", task.error);
        assert!(task.words.ends_with(end), "{}", task.words);
    }
    assert!(house.told.lock().unwrap().len() < 60, "reports are seldom");
}

#[test]
fn it_does_not_leave_its_workspace() {
    let Some(mut house) = House::new() else { return };
    fs::write(house.at("secret"), "s3cret").unwrap();
    for name in ["other", "scratch"] {
        fs::create_dir_all(house.at("work").join(name)).unwrap();
    }
    let outside = [
        house.at("secret").display().to_string(),
        house.at("work/other/new").display().to_string(),
        "../other/new".into(),
        "/etc/shadow".into(),
        "/root/.bashrc".into(),
        "/usr/new".into(),
        house.at("state/delegation.json").display().to_string(),
        "/proc/1/root/etc/shadow".into(),
    ];
    let delegation = house.open();
    let task = block_on(async {
        let look = format!("look around at {}", outside.join(" and "));
        // The paths name another workspace.
        delegation.begin(Requested { workspace: Some("scratch".into()), ..goal(&look) }).unwrap();
        settled(&delegation).await
    });
    assert_eq!(task.state, TaskState::Done, "{}", task.error);
    let found = house.read("found.txt");
    assert_eq!(found.lines().count(), outside.len(), "{found}");
    assert!(!found.contains("reached") && !found.contains("HARK_"), "{found}");
    assert!(!house.at("work/other/new").exists());
    // The key of the one program, and of no other.
    house.config.claude_key_file = house.at("secret").display().to_string();
    let delegation = house.open();
    block_on(async {
        delegation.begin(goal("use your key")).unwrap();
        settled(&delegation).await
    });
    assert_eq!(house.read("keys.txt"), "ANTHROPIC_API_KEY");
}

#[test]
fn it_has_a_network_of_its_own() {
    let Some(house) = House::new() else { return };
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    server.set_nonblocking(true).unwrap();
    fs::create_dir(house.at("work/scratch")).unwrap();
    let attempt = format!("direct {}", server.local_addr().unwrap());
    fs::write(house.at("work/scratch/attempts.txt"), format!("{attempt}\ndirect 192.0.2.1:80")).unwrap();
    let delegation = house.open();
    let task = block_on(async {
        delegation.begin(goal("find a way out")).unwrap();
        settled(&delegation).await
    });
    assert_eq!(task.state, TaskState::Done, "{}", task.error);
    assert_eq!(
        house.read("ways.txt"),
        format!("{attempt}: Connection refused\ndirect 192.0.2.1:80: Network is unreachable")
    );
    assert!(server.accept().is_err());
}

#[test]
fn what_ran_when_hark_ended_is_interrupted_and_told_once() {
    let Some(house) = House::new() else { return };
    let delegation = house.open();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    runtime.block_on(async {
        delegation.begin(goal("take long")).unwrap();
        delegation.end().await;
    });
    house.told.lock().unwrap().clear();
    let delegation = house.open();
    assert_eq!(delegation.view().unwrap().state, TaskState::Interrupted);
    delegation.tell_left_over();
    house.open().tell_left_over();
    let told: Vec<TaskState> = house.told.lock().unwrap().iter().map(|task| task.state).collect();
    assert_eq!(told, [TaskState::Interrupted]);
}

#[test]
fn a_chosen_workspace_stays_chosen() {
    let Some(house) = House::new() else { return };
    let delegation = house.open();
    assert_eq!(delegation.chosen(), "scratch");
    assert_eq!(delegation.create("My Website").unwrap(), "my-website");
    assert_eq!(house.open().chosen(), "my-website");
    fs::create_dir(house.at("work/other")).unwrap();
    assert_eq!(delegation.choose("other").unwrap(), "other");
    fs::remove_dir(house.at("work/other")).unwrap();
    assert_eq!(house.open().chosen(), "scratch");
    let plan = delegation.plan(&Requested {
        to: Some("Codex".into()),
        workspace: Some("website".into()),
        ..goal("x")
    });
    assert_eq!(plan.unwrap(), ("Codex".into(), "my-website".into()));
    let unknown = delegation.plan(&Requested { to: Some("Eliza".into()), ..goal("x") });
    assert_eq!(unknown.unwrap_err(), DelegationError::UnknownProgram("eliza".into()));
}

#[test]
fn the_doctor_tries_the_sandbox() {
    let Some(mut house) = House::new() else { return };
    let said = block_on(house.open().examined()).unwrap();
    assert!(said.starts_with("Claude Code, Gemini, Codex in bubblewrap, 0 workspaces in "), "{said}");
    house.config.sandbox = SandboxKind::Podman;
    assert_eq!(block_on(house.open().examined()), Err(DelegationError::NoContainer));
}
