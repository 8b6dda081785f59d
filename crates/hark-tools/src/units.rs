//! Converting between units of measurement. The factors are those of the International System and, for what is measured
//! otherwise, of NIST Special Publication 811 (US customary units).

/// What a unit measures, and how many of the base unit of that it is.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Unit {
    id: &'static str,
    quantity: &'static str,
    factor: f64,
    /// What is added before the factor: degrees do not begin at nothing.
    offset: f64,
}

const fn unit(id: &'static str, quantity: &'static str, factor: f64) -> Unit {
    Unit { id, quantity, factor, offset: 0.0 }
}

const UNITS: &[Unit] = &[
    unit("millimetre", "length", 0.001),
    unit("centimetre", "length", 0.01),
    unit("metre", "length", 1.0),
    unit("kilometre", "length", 1000.0),
    unit("inch", "length", 0.0254),
    unit("foot", "length", 0.3048),
    unit("yard", "length", 0.9144),
    unit("mile", "length", 1609.344),
    unit("milligram", "mass", 1e-6),
    unit("gram", "mass", 0.001),
    unit("kilogram", "mass", 1.0),
    unit("tonne", "mass", 1000.0),
    unit("ounce", "mass", 0.028_349_523_125),
    unit("pound", "mass", 0.453_592_37),
    unit("stone", "mass", 6.350_293_18),
    unit("millilitre", "volume", 0.001),
    unit("centilitre", "volume", 0.01),
    unit("decilitre", "volume", 0.1),
    unit("litre", "volume", 1.0),
    unit("teaspoon", "volume", 0.004_928_921_593_75),
    unit("tablespoon", "volume", 0.014_786_764_781_25),
    unit("fluid_ounce", "volume", 0.029_573_529_562_5),
    unit("cup", "volume", 0.236_588_236_5),
    unit("pint", "volume", 0.473_176_473),
    unit("quart", "volume", 0.946_352_946),
    unit("gallon", "volume", 3.785_411_784),
    unit("second", "time", 1.0),
    unit("minute", "time", 60.0),
    unit("hour", "time", 3600.0),
    unit("day", "time", 86_400.0),
    unit("week", "time", 604_800.0),
    unit("metre_per_second", "speed", 1.0),
    unit("kilometre_per_hour", "speed", 1.0 / 3.6),
    unit("mile_per_hour", "speed", 0.447_04),
    unit("knot", "speed", 1852.0 / 3600.0),
    unit("square_metre", "area", 1.0),
    unit("square_foot", "area", 0.092_903_04),
    unit("hectare", "area", 10_000.0),
    unit("acre", "area", 4_046.856_422_4),
    unit("celsius", "temperature", 1.0),
    Unit { id: "fahrenheit", quantity: "temperature", factor: 5.0 / 9.0, offset: -32.0 },
    Unit { id: "kelvin", quantity: "temperature", factor: 1.0, offset: -273.15 },
    unit("kilojoule", "energy", 1.0),
    unit("kilocalorie", "energy", 4.184),
    unit("kilowatt_hour", "energy", 3600.0),
];

/// Why something cannot be converted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConvertError {
    /// There is no such unit.
    #[error("{0} is not a known unit")]
    Unknown(String),
    /// They measure different things.
    #[error("{from} and {to} do not measure the same")]
    Different { from: String, to: String },
}

/// So many of one unit in another.
///
/// # Errors
/// When a unit is not known, or they measure different things.
pub fn convert(value: f64, from: &str, to: &str) -> Result<f64, ConvertError> {
    let find = |id: &str| {
        UNITS.iter().find(|unit| unit.id == id).copied().ok_or_else(|| ConvertError::Unknown(plain(id)))
    };
    let (from, to) = (find(from)?, find(to)?);
    if from.quantity != to.quantity {
        return Err(ConvertError::Different { from: plain(from.id), to: plain(to.id) });
    }
    Ok((value + from.offset) * from.factor / to.factor - to.offset)
}

fn plain(id: &str) -> String {
    id.replace('_', " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_values_come_out() {
        for (value, from, to, expected) in [
            (1.0, "litre", "cup", 4.226_752_8),
            (5.0, "mile", "kilometre", 8.046_72),
            (100.0, "celsius", "fahrenheit", 212.0),
            (-40.0, "fahrenheit", "celsius", -40.0),
            (0.0, "celsius", "kelvin", 273.15),
            (2.0, "pound", "gram", 907.184_74),
            (1.0, "week", "hour", 168.0),
        ] {
            let found = convert(value, from, to).unwrap();
            assert!((found - expected).abs() < 1e-6, "{value} {from}: {found}");
        }
        assert!(convert(1.0, "litre", "metre").is_err() && convert(1.0, "ell", "metre").is_err());
    }

    proptest! {
        #[test]
        fn there_and_back_is_the_same(value in -1e6..1e6f64, from in 0..UNITS.len(), to in 0..UNITS.len()) {
            let (from, to) = (UNITS[from].id, UNITS[to].id);
            if let Ok(there) = convert(value, from, to) {
                let back = convert(there, to, from).unwrap();
                prop_assert!((back - value).abs() <= 1e-6 * value.abs().max(1.0), "{back}");
            }
        }
    }
}
