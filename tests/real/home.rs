//! The home the recordings speak of, as a small template set.

use super::toy::Toy;

const UNITS: &str = "one|two|three|four|five|six|seven|eight|nine";
const TEENS: &str = "ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen";
const TENS: &str = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety";

pub fn toy_home() -> Toy {
    let lists = [
        ("n", format!("{UNITS}|{TEENS}|({TENS}) [{UNITS}]")),
        ("area", "kitchen|office|living room|bedroom|bathroom|hallway|garage|basement|garden".to_owned()),
        (
            "light",
            "basement light|standing light|lamp|desk lamp|ceiling light|reading light|night light".to_owned(),
        ),
        ("thing", "fan|kettle|coffee machine|heater|television|radio|christmas tree|humidifier".to_owned()),
        ("color", "red|green|blue|yellow|white|orange|purple|pink|turquoise|warm white".to_owned()),
        ("cover", "windows|blinds|curtains|shutters|garage door|window|blind|curtain".to_owned()),
        ("lock", "front door|back door|garage door".to_owned()),
        ("timer", "pizza|egg|tea|pasta|laundry".to_owned()),
    ];
    Toy::new(
        &lists,
        &[
            "[please] (turn|switch) (on|off) [all] [of] [the] [{area}] (light|lights) [in the {area}] [please]",
            "[please] (turn|switch) (on|off) [the] ({light}|{thing}) [please]",
            "[please] (turn|switch) [the] ({light}|{thing}|{area} lights) (on|off)",
            "(turn|switch) (on|off) (everything|all lights|all the lights) [in the {area}]",
            "set [the] ({light}|{area} light|{area} lights) to ({color}|{n} percent)",
            "(make|turn) [the] ({light}|{area} lights) {color}",
            "(dim|brighten) [the] ({light}|{area} lights) [to {n} percent]",
            "(open|close) [all] [of] [the] [{area}] {cover} [in the {area}]",
            "set [the] [{area}] {cover} to {n} percent",
            "(lock|unlock) [the] {lock}",
            "is the {lock} (locked|open|closed|unlocked)",
            "are [any|all] [of] [the] (lights|windows|doors) (on|off|open|closed) [in the {area}]",
            "(what is|what's) the temperature [in the {area}|outside]",
            "set the (temperature|thermostat) [in the {area}] to {n} [degrees]",
            "(what time is it|what's the time|what is the time)",
            "(what's|what is) the date [today]",
            "what day is it [today]",
            "(what's|what is) the weather [like] [today]",
            "(set|start) a [{n} (minute|minutes|second|seconds|hour|hours)] [{timer}] timer",
            "(set|start) a [{timer}] timer for {n} (minute|minutes|second|seconds|hour|hours)",
            "(set|start) a [{timer}] timer for {n} (minute|minutes) and {n} (second|seconds)",
            "(cancel|stop|pause|resume|unpause) [the|my] [{timer}|{n} (minute|minutes)] timer",
            "(cancel all|cancel all the|cancel all of the) timers",
            "how (much|long) [time] is left on [the|my] [{timer}] timer",
            "(add|remove) {n} (minute|minutes) (to|from) [the|my] [{timer}] timer",
            "(turn|set) [the] volume (up|down|to {n} [percent])",
            "(nevermind|never mind|stop|cancel|yes|no|yes please|do it|mute|repeat that)",
            "(how are you|thank you|thanks|hello|good morning|good night|who are you)",
        ],
    )
}
