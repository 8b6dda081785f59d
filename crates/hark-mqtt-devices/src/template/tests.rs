//! Templates as devices publish them, and such as must be refused.

use super::*;

fn read(source: &str, payload: &str) -> Result<String, TemplateError> {
    Template::new(source)?.read(payload)
}

#[test]
fn value_templates_read_what_devices_send() {
    let state = r#"{"state":"ON","brightness":127,"occupancy":true,"temp":"21.46","none":null,"list":[1,2.5],
        "nested":{"a b":3},"Color":"255,128,0,0,0"}"#;
    let table: &[(&str, &str, &str)] = &[
        ("{{ value_json.state }}", state, "ON"),
        ("{{ value }}", "open", "open"),
        ("{{value_json['nested']['a b']}}", state, "3"),
        ("{{ value_json.occupancy }}", state, "True"),
        ("{{ value_json.none }}", state, "None"),
        ("{{ value_json.missing }}", state, ""),
        ("{{ value_json.brightness / 254 * 100 }}", state, "50.0"),
        ("{{ value_json.temp | float | round(1) }}", state, "21.5"),
        ("{{ value_json.temp | float | round }}", state, "21"),
        ("{{ value_json.temp | round(1) }}", state, "21.5"),
        ("{{ (value_json.brightness | int) // 2 }}", state, "63"),
        ("{{ value | int(7) }}", "bad", "7"),
        ("{{ value | int(default=7) }}", "bad", "7"),
        ("{{ value | float(0.0) }}", "bad", "0.0"),
        ("{{ value | int(base=16) }}", "ff", "255"),
        ("{{ value[1:3]|int(base=16) }},{{ value[3:5]|int(base=16) }}", "#10ff00", "16,255"),
        ("{{ value_json.missing | default('x') }}", state, "x"),
        ("{{ value_json.state | lower }}", state, "on"),
        ("{{ value_json.nested | tojson }}", state, r#"{"a b":3}"#),
        ("{% if value_json.state == 'ON' %} open {% else %} closed {% endif %}", state, "open"),
        ("{% if value_json.state is defined %}yes{% endif %}", state, "yes"),
        ("{% if 'x' in value_json and value_json.x %} a {% else %} b {% endif %}", state, "b"),
        ("{{value_json.Color.split(',')[0:3]|join(',')}}", state, "255,128,0"),
        ("{{ {'off':0, 'low':1}[value] | default('None') }}", "low", "1"),
        ("{{ {'off':0, 'low':1}[value] | default('None') }}", "?", "None"),
        ("{% set v = {none: none, 'heat': 'heating'} %}{{ v[value_json.m] }}", r#"{"m":"heat"}"#, "heating"),
        ("{{ value_json.nested.get('zz', 5) }}", state, "5"),
        ("{{ value.split()[0].upper() }}", "one two", "ONE"),
        ("{{ iif(value == 'a', 'A', 'B') }}", "b", "B"),
        ("{{ value | is_number }}", "12", "True"),
        ("{{ 'ON' if value_json.temp | float > 20 else 'OFF' }}", state, "ON"),
        ("{{ min(3, value_json.brightness) }}", state, "3"),
        ("{{ value_json.list | join('-') }}", state, "1-2.5"),
        ("{{ value_json.a | is_defined }}", "{}", ""),
        ("{{ 7 // 2 }} {{ 1.0 }} {{ 3 / 2 }}", "", "3 1.0 1.5"),
    ];
    for (source, payload, expected) in table {
        assert_eq!(read(source, payload).as_deref(), Ok(*expected), "{source}");
    }
}

#[test]
fn command_templates_write_what_devices_take() {
    let write =
        |source: &str, variables: &[(&str, Value)]| Template::new(source).unwrap().write(variables).unwrap();
    let rgb = [("red", Value::from(255)), ("green", Value::from(16)), ("blue", Value::from(0))];
    assert_eq!(write("{{ '#%02x%02x%02x' | format(red, green, blue) }}", &rgb), "#ff1000");
    assert_eq!(
        write("{ \"position\": {{ position }} }", &[("position", Value::from(40))]),
        "{ \"position\": 40 }"
    );
    assert_eq!(write("{{ {0:'off', 1:'low'}[value] | default('') }}", &[("value", Value::from(1))]), "low");
    assert_eq!(write("on{% if brightness is defined %},{{ brightness }}{% endif %}", &[]), "on");
    assert_eq!(write("{{ value | to_json }}", &[("value", Value::from("a\"b"))]), r#""a\"b""#);
}

#[test]
fn what_does_not_fit_is_an_error_with_its_reason() {
    for (source, payload) in [
        ("{{ value_json.a.b }}", "{}"),
        ("{{ value_json.a }}", "not json"),
        ("{{ value | int }}", "bad"),
        ("{{ value | nonsense }}", ""),
        ("{{ states('light.x') }}", ""),
        ("{% include 'x' %}", ""),
        ("{{ value", ""),
        ("{% for %}", ""),
    ] {
        let error = read(source, payload).expect_err(source);
        assert!(!error.to_string().is_empty(), "{source}");
    }
}

#[test]
fn bombs_cost_little() {
    let started = std::time::Instant::now();
    let big = "x".repeat(60_000);
    for (source, payload) in [
        ("{% for a in range(99999) %}{% for b in range(99999) %}x{% endfor %}{% endfor %}", ""),
        ("{% for a in range(9999) %}{{ value }}{% endfor %}", big.as_str()),
        ("{{ value.replace('x', value) }}", big.as_str()),
        ("{{ value | replace('x', value) }}", big.as_str()),
        ("{{ '%9999999d' | format(1) }}", ""),
        ("{{ '%*d' | format(99999999, 1) }}", ""),
        ("{{ value.join(range(99999)) }}", big.as_str()),
        ("{{ 'x' * 99999999 }}", ""),
    ] {
        assert!(read(source, payload).is_err(), "{source}");
    }
    assert!(matches!(read(&"x".repeat(5000), ""), Err(TemplateError::TooLong(5000))));
    let deep = format!("{{{{ {}1{} }}}}", "(".repeat(500), ")".repeat(500));
    assert!(read(&deep, "").is_err());
    assert!(read("{{ value_json }}", &"[".repeat(50_000)).is_ok_and(|text| text.is_empty()));
    assert!(started.elapsed() < std::time::Duration::from_secs(60), "{:?}", started.elapsed());
}

proptest::proptest! {
    #[test]
    fn nothing_makes_it_panic(source in "(\\PC|\\{\\{ value|\\}\\}|\\{% for|%\\}|\\|int|\\*|~){0,60}", payload in "\\PC{0,80}") {
        if let Ok(template) = Template::new(&source) {
            let _ = template.read(&payload);
        }
    }
}
