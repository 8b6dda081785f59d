//! `app.*`: the programs of the desktop.

use super::{called, programs, wanted};
use crate::tools::args::Args;
use crate::tools::outcome::{Failure, Outcome, Prepared, blocking, blocking_work};
use crate::tools::services::Services;
use hark_desktop::apps::{App, Quit, Wanted, find, running};
use hark_desktop::screen::Display;
use hark_home::permission_gate::{Danger, QUIT};
use serde_json::{Value, json};
use std::sync::Arc;

/// `app.launch`.
pub fn launch(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    Ok(with_app(services, args, |display, app| {
        let title = app.launch(display)?;
        let mut detail = json!({"name": app.name});
        if let Some(title) = title.filter(|title| !title.is_empty()) {
            detail["title"] = json!(title);
        }
        Ok(Outcome::new(true, detail))
    }))
}

/// `app.quit`. With `force`, what it has not saved is lost, so that it is asked about.
pub fn quit(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let force = args.flag("force") == Some(true);
    let prepared = with_app(services, args, move |display, app| {
        let how = app.quit(display, force)?;
        Ok(Outcome::new(true, json!({"name": app.name, "terminated": how == Quit::Terminated})))
    });
    match prepared {
        Prepared::Work(work) if force => {
            let name = args.text("name").unwrap_or_default();
            let danger = Danger::new(QUIT, "app.quit", format!("program {name}"));
            let danger = danger.told("program", json!({"program": name}));
            Ok(Prepared::Gated(danger, work))
        }
        prepared => Ok(prepared),
    }
}

/// `app.is_running`.
pub fn is_running(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    Ok(with_app(services, args, |display, app| {
        Ok(Outcome::answer(json!({"name": app.name, "running": app.is_running(display)?})))
    }))
}

/// `app.activate`.
pub fn activate(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    Ok(with_app(services, args, |display, app| {
        let window = app.activate(display)?;
        Ok(Outcome::new(true, json!({"name": app.name, "title": called(&window)})))
    }))
}

/// `app.list`.
pub fn list(services: &Arc<Services>, _args: &Args) -> Result<Prepared, Failure> {
    let services = Arc::clone(services);
    Ok(blocking(move || {
        let running = running(&Display::open()?, &programs(&services)?)?;
        let names: Vec<&str> = running.iter().map(|app| app.name.as_str()).collect();
        let apps: Vec<Value> =
            running.iter().map(|app| json!({"name": app.name, "windows": app.windows})).collect();
        Ok(Outcome::answer(json!({"count": running.len(), "names": names, "apps": apps})))
    }))
}

fn with_app(
    services: &Arc<Services>,
    args: &Args,
    act: impl FnOnce(&Display, &App) -> Result<Outcome, Failure> + Send + 'static,
) -> Prepared {
    let (services, wanted) = (Arc::clone(services), wanted(args, "name"));
    Prepared::Work(blocking_work(move || {
        let (display, apps) = (Display::open()?, programs(&services)?);
        let wanted = wanted.unwrap_or_else(|| Wanted { name: String::new(), kind: None });
        act(&display, one(&display, &apps, &wanted)?)
    }))
}

/// The program that is meant; of several the only one that has a window.
fn one<'a>(display: &Display, apps: &'a [App], wanted: &Wanted) -> Result<&'a App, Failure> {
    let found = find(apps, wanted);
    let Err(error @ hark_desktop::apps::AppError::Ambiguous(names)) = &found else { return Ok(found?) };
    let windows = display.windows()?;
    let shown = |app: &&App| names.contains(&app.name) && windows.iter().any(|window| app.owns(window));
    let mut shown = apps.iter().filter(shown);
    match (shown.next(), shown.next()) {
        (Some(only), None) => Ok(only),
        _ => Err(error.clone().into()),
    }
}
