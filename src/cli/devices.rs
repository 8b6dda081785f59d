//! `hark devices`: microphones and speakers with their rates and channels.

use super::Faults;
use crate::hearing::capture::input_devices;
use crate::speaking::device::output_devices;
use serde_json::json;

/// Lists them.
pub(super) fn run(as_json: bool) -> Result<(), Faults> {
    let inputs = input_devices().map_err(|fault| vec![fault])?;
    let outputs = output_devices().map_err(|fault| vec![fault])?;
    if as_json {
        println!("{}", json!({ "microphones": inputs, "speakers": outputs }));
        return Ok(());
    }
    Ok(())
}
