//! Information about this machine and its processes. Read only.

use std::time::Duration;
use sysinfo::{
    Components, CpuRefreshKind, Disks, MemoryRefreshKind, ProcessRefreshKind, ProcessesToUpdate, RefreshKind,
    System,
};

/// Between two looks at how busy processors are; less tells nothing.
const BETWEEN_LOOKS: Duration = sysinfo::MINIMUM_CPU_UPDATE_INTERVAL;
/// Temperatures that a sensor can have, °C; others are a sensor that is not there.
const LIKELY_CELSIUS: std::ops::RangeInclusive<f32> = -40.0..=150.0;

/// One running program. Its arguments are not told: they may hold secrets.
#[derive(Debug, Clone, PartialEq)]
pub struct ProcessInfo {
    /// Its number.
    pub pid: u32,
    /// Name of its program.
    pub name: String,
    /// Of one processor, now.
    pub cpu_percent: f32,
    /// Memory of its own and shared.
    pub memory_bytes: u64,
    /// Since it was started.
    pub seconds: u64,
}

/// A disk.
#[derive(Debug, Clone, PartialEq)]
pub struct DiskSpace {
    /// Where it is found.
    pub mount: String,
    /// All of it.
    pub total_bytes: u64,
    /// Not used yet.
    pub free_bytes: u64,
}

/// How this machine is.
#[derive(Debug, Clone, PartialEq)]
pub struct SystemInfo {
    /// Its name in the network.
    pub name: String,
    /// Such as `Linux (Debian GNU/Linux 13)`.
    pub system: String,
    /// Kind of processor.
    pub processor: String,
    /// How many.
    pub processors: usize,
    /// How busy they are together, now.
    pub cpu_percent: f32,
    /// Programs that wanted a processor, on average over the last minute.
    pub load: f64,
    /// All memory.
    pub memory_bytes: u64,
    /// What of it is used.
    pub memory_used_bytes: u64,
    /// Since it was switched on.
    pub uptime_seconds: u64,
    /// Its disks.
    pub disks: Vec<DiskSpace>,
    /// Name and °C of what has a sensor.
    pub temperatures: Vec<(String, f32)>,
}

/// Running programs whose name holds `filter`, the busiest first, then the largest. Takes two looks; waits in between.
pub fn processes(filter: Option<&str>) -> Vec<ProcessInfo> {
    let what = ProcessRefreshKind::nothing().with_cpu().with_memory().without_tasks();
    let mut system = System::new();
    system.refresh_processes_specifics(ProcessesToUpdate::All, true, what);
    std::thread::sleep(BETWEEN_LOOKS);
    system.refresh_processes_specifics(ProcessesToUpdate::All, true, what);
    let filter = filter.map(str::to_lowercase);
    let mut running: Vec<ProcessInfo> = system
        .processes()
        .values()
        .filter(|process| process.thread_kind().is_none())
        .map(|process| ProcessInfo {
            pid: process.pid().as_u32(),
            name: process.name().to_string_lossy().into_owned(),
            cpu_percent: process.cpu_usage(),
            memory_bytes: process.memory(),
            seconds: process.run_time(),
        })
        .filter(|one| filter.as_ref().is_none_or(|filter| one.name.to_lowercase().contains(filter)))
        .collect();
    running.sort_by(|a, b| b.cpu_percent.total_cmp(&a.cpu_percent).then(b.memory_bytes.cmp(&a.memory_bytes)));
    running
}

/// How this machine is. Takes two looks; waits in between.
pub fn system_info() -> SystemInfo {
    let what = RefreshKind::nothing()
        .with_cpu(CpuRefreshKind::nothing().with_cpu_usage())
        .with_memory(MemoryRefreshKind::nothing().with_ram());
    let mut system = System::new_with_specifics(what);
    std::thread::sleep(BETWEEN_LOOKS);
    system.refresh_cpu_usage();
    let text =
        |text: Option<String>| text.filter(|text| !text.is_empty()).unwrap_or_else(|| "unknown".into());
    SystemInfo {
        name: text(System::host_name()),
        system: text(System::long_os_version()),
        processor: text(system.cpus().first().map(|cpu| cpu.brand().trim().to_owned())),
        processors: system.cpus().len(),
        cpu_percent: system.global_cpu_usage(),
        load: System::load_average().one,
        memory_bytes: system.total_memory(),
        memory_used_bytes: system.used_memory(),
        uptime_seconds: System::uptime(),
        disks: disks(),
        temperatures: temperatures(),
    }
}

/// Disks that hold something, each once.
fn disks() -> Vec<DiskSpace> {
    let mut spaces: Vec<DiskSpace> = Vec::new();
    for disk in Disks::new_with_refreshed_list().list().iter().filter(|disk| disk.total_space() > 0) {
        let space = DiskSpace {
            mount: disk.mount_point().display().to_string(),
            total_bytes: disk.total_space(),
            free_bytes: disk.available_space(),
        };
        // One disk that is mounted at several places has the same numbers at all of them.
        let known = spaces
            .iter()
            .any(|one| (one.total_bytes, one.free_bytes) == (space.total_bytes, space.free_bytes));
        if !known {
            spaces.push(space);
        }
    }
    spaces
}

fn temperatures() -> Vec<(String, f32)> {
    let components = Components::new_with_refreshed_list();
    let told =
        components.list().iter().filter_map(|one| Some((one.label().trim().to_owned(), one.temperature()?)));
    told.filter(|(_, celsius)| LIKELY_CELSIUS.contains(celsius)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_very_program_is_found_by_its_name_alone() {
        let me = std::process::id();
        let all = processes(None);
        let mine = all.iter().find(|one| one.pid == me).expect("this program runs");
        assert!(mine.memory_bytes > 0);
        let some = processes(Some(&mine.name.to_uppercase()));
        assert!(some.iter().any(|one| one.pid == me));
        assert!(some.iter().all(|one| one.name.to_lowercase().contains(&mine.name.to_lowercase())));
        assert_eq!(processes(Some("no program has this name")), []);
    }

    #[test]
    fn the_machine_has_memory_and_processors() {
        let now = system_info();
        assert!(now.processors > 0 && now.memory_used_bytes > 0 && now.memory_used_bytes <= now.memory_bytes);
        assert!((0.0..=100.0).contains(&now.cpu_percent) && now.uptime_seconds > 0);
        assert!(now.disks.iter().all(|disk| disk.free_bytes <= disk.total_bytes));
        assert!(!now.name.is_empty() && !now.system.is_empty());
    }
}
