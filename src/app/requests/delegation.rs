//! Tasks that are handed to other programs: what these reach of the network, and news of them on their way to the turn machine.
//! What is to be said in the room waits until something may be said there unasked.

use crate::app::event_queue::EventQueue;
use hark_config::Config;
use hark_config::delegation::DelegationConfig;
use hark_config::tools::ToolsConfig;
use hark_core::delegation::TaskNews;
use hark_core::origin::Origin;
use hark_core::{Event, Fault, FaultKind};
use hark_delegation::{Delegation, Egress, TaskView, is_of_own_network};
use hark_home::unasked::Unasked;
use hark_net::reach::{NotReached, Reach, Reaching};
use hark_tools::web::Web;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;

/// How often it is looked whether something may be said again.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// Tasks of this node, as the configuration says.
///
/// # Errors
/// When there is no state folder, or this program does not know where it is.
pub fn open(config: &Config) -> Result<Delegation, Fault> {
    let forwarder = std::env::current_exe().map_err(|error| {
        let message = format!("the file of this program cannot be found: {error}");
        Fault::new(FaultKind::Failed, "delegation", message, "start hark by its absolute path")
    })?;
    let egress = Egress { forwarder, reach: reach(&config.delegation) };
    Ok(Delegation::new(&config.delegation, &config.paths.state_dir()?, Some(egress)))
}

/// Public addresses, decided as for web requests, and the hosts that the owner allows delegated programs.
fn reach(config: &DelegationConfig) -> Arc<dyn Reach> {
    let allowed: Arc<[String]> = config.allowed_hosts.iter().map(|host| host.trim().to_lowercase()).collect();
    let web = Web::new(&ToolsConfig {
        http_allow_private: false,
        http_allow_hosts: allowed.to_vec(),
        ..ToolsConfig::default()
    });
    Arc::new(move |host: &str, port: u16| -> Reaching {
        let is_allowed = is_listed(host, port, &allowed);
        let found = web.addresses(host, port);
        Box::pin(async move {
            let found = found.await?;
            let is_own = |address: &SocketAddr| is_of_own_network(address.ip());
            if is_allowed || !found.iter().any(is_own) { Ok(found) } else { Err(NotReached::Forbidden) }
        })
    })
}

/// Whether a host is on a list, with its port or without.
fn is_listed(host: &str, port: u16, hosts: &[String]) -> bool {
    let host = host.to_lowercase();
    let host = if host.contains(':') { format!("[{host}]") } else { host };
    let with_port = format!("{host}:{port}");
    hosts.iter().any(|listed| *listed == host || *listed == with_port)
}

/// Has the turn machine told what becomes of tasks from here on, and of what was left over at the last end.
pub(crate) fn follow(
    delegation: &Arc<Delegation>,
    event_queue: &Arc<EventQueue>,
    unasked: Arc<Unasked>,
    runtime: &Handle,
) {
    let (queue, runtime, tasks) = (Arc::clone(event_queue), runtime.clone(), Arc::downgrade(delegation));
    delegation.observe(Arc::new(move |task: &TaskView| {
        let news = task.news();
        let in_the_room = Origin::of_conversation(&news.conversation) == Origin::Voice;
        if !(news.state.is_news() && in_the_room && unasked.is_quiet()) {
            return push(&queue, news);
        }
        let (queue, unasked, tasks) = (queue.clone(), unasked.clone(), tasks.clone());
        runtime.spawn(async move {
            while unasked.is_quiet() {
                tokio::time::sleep(LOOK_EVERY).await;
            }
            // Whoever asked meanwhile may have answered or stopped it.
            let now = tasks.upgrade().and_then(|tasks| tasks.view()).map(|task| (task.id, task.state));
            if now == Some((news.task.clone(), news.state)) {
                push(&queue, news);
            }
        });
    }));
    delegation.tell_left_over();
}

fn push(event_queue: &EventQueue, news: TaskNews) {
    if let Err(full) = event_queue.push(Event::Delegation { news: Box::new(news) }) {
        tracing::error!("news of a task were not told: {full}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn programs_reach_the_internet_and_of_the_house_what_is_allowed() {
        let reach = reach(&DelegationConfig {
            allowed_hosts: vec!["127.0.0.1:11434".into(), "[FD00::1]".into()],
            ..DelegationConfig::default()
        });
        for (host, port) in [("127.0.0.1", 11434), ("fd00::1", 443), ("93.184.215.14", 443)] {
            assert_eq!(reach.addresses(host, port).await.unwrap()[0].port(), port, "{host}");
        }
        for (host, port) in [
            ("127.0.0.1", 1883),
            ("localhost", 11434),
            ("LOCALHOST", 1883),
            ("127.1", 1883),
            ("0x7f000001", 1883),
            ("2130706433", 1883),
            ("0.0.0.0", 1883),
            ("::1", 1883),
            ("::ffff:127.0.0.1", 1883),
            ("10.0.0.1", 443),
            ("192.168.1.1", 80),
            ("169.254.169.254", 80),
            ("fe80::1", 80),
            ("fd00::2", 443),
            ("64:ff9b::7f00:1", 1883),
            ("224.0.0.251", 5353),
            ("x@127.0.0.1", 1883),
        ] {
            assert_eq!(reach.addresses(host, port).await, Err(NotReached::Forbidden), "{host}:{port}");
        }
        assert!(reach.addresses("a/b", 80).await.is_err());
    }

    #[test]
    fn a_host_is_listed_as_it_is_written() {
        let hosts = ["gpu.local:11434".to_owned(), "nas.local".into(), "[fd00::1]:80".into()];
        for (host, port, is) in [
            ("GPU.local", 11434, true),
            ("gpu.local", 443, false),
            ("nas.local", 1, true),
            ("fd00::1", 80, true),
            ("fd00::1", 443, false),
            ("other.nas.local", 1, false),
        ] {
            assert_eq!(is_listed(host, port, &hosts), is, "{host}:{port}");
        }
    }
}
