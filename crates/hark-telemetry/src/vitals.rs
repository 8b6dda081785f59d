//! How this process and its machine are: memory, processor time and warmth, as the kernel tells them.

use std::path::Path;

/// Resident memory in bytes; `None` where the system does not tell (other than Linux).
pub fn resident_bytes() -> Option<u64> {
    resident_of(&std::fs::read_to_string("/proc/self/status").ok()?)
}

/// From the lines of /proc/<pid>/status, proc(5).
fn resident_of(status: &str) -> Option<u64> {
    let kilobytes = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = kilobytes.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// How warm the processor is, in degrees Celsius; `None` where nothing tells.
pub fn cpu_celsius() -> Option<f32> {
    warmest(Path::new("/sys/class/thermal"), "thermal_zone", "type", "temp")
        .or_else(|| warmest(Path::new("/sys/class/hwmon"), "hwmon", "name", "temp1_input"))
}

/// The warmest of the sensors in a folder whose kind is that of a processor (kernel documentation, thermal/sysfs-api
/// and hwmon/sysfs-interface): each has a folder that begins with `prefix`, with its kind and thousandths of degrees.
fn warmest(folder: &Path, prefix: &str, kind: &str, value: &str) -> Option<f32> {
    /// How the kinds of processor sensors begin: boards with ARM, Intel, AMD.
    const PROCESSORS: [&str; 8] =
        ["cpu", "soc", "x86_pkg_temp", "coretemp", "k10temp", "zenpower", "bigcore", "littlecore"];
    let sensors = std::fs::read_dir(folder).ok()?.filter_map(Result::ok).filter(|sensor| {
        sensor.file_name().to_string_lossy().starts_with(prefix)
            && std::fs::read_to_string(sensor.path().join(kind)).is_ok_and(|kind| {
                PROCESSORS.iter().any(|begin| kind.trim().to_lowercase().starts_with(begin))
            })
    });
    let degrees = sensors.filter_map(|sensor| {
        let thousandths: f32 =
            std::fs::read_to_string(sensor.path().join(value)).ok()?.trim().parse().ok()?;
        Some(thousandths / 1000.0).filter(|degrees| (-50.0..=150.0).contains(degrees))
    });
    degrees.reduce(f32::max)
}

/// Lowers the priority of the calling thread for good: it gets processor time that is left over. `by` is
/// 1 (a little) to 19 (all others).
pub fn stand_back(by: u8) {
    #[cfg(target_os = "linux")]
    {
        unsafe extern "C" {
            fn nice(by: std::ffi::c_int) -> std::ffi::c_int;
        }
        // SAFETY: it only changes the priority of the calling thread (nice(2) on Linux), and being nicer
        // is always allowed.
        unsafe { nice(by.into()) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = by;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_lines_are_understood() {
        assert_eq!(resident_of("Name:\thark\nVmRSS:\t   12276 kB\nThreads:\t9\n"), Some(12_276 * 1024));
        assert_eq!(resident_of("Name:\thark\n"), None);
        assert_eq!(resident_of("VmRSS:\t lots kB\n"), None);
    }

    #[test]
    fn the_warmest_processor_sensor_counts_and_no_other() {
        let dir = tempfile::TempDir::new().unwrap();
        let zone = |number: u8, kind: &str, value: &str| {
            let zone = dir.path().join(format!("thermal_zone{number}"));
            std::fs::create_dir(&zone).unwrap();
            std::fs::write(zone.join("type"), format!("{kind}\n")).unwrap();
            std::fs::write(zone.join("temp"), format!("{value}\n")).unwrap();
        };
        let degrees = || warmest(dir.path(), "thermal_zone", "type", "temp");
        zone(0, "battery", "99000");
        assert_eq!(degrees(), None);
        zone(1, "cpu-thermal", "48312");
        assert_eq!(degrees(), Some(48.312));
        zone(2, "soc_thermal", "51000");
        zone(3, "cpu1-thermal", "broken");
        zone(4, "cpu2-thermal", "2000000");
        assert_eq!(degrees(), Some(51.0));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_has_some_memory() {
        assert!((1 << 20..1 << 40).contains(&resident_bytes().unwrap()));
    }
}
