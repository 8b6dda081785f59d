//! What kind of request something is, as the intent classifier sees it, and what follows from the kind:
//! complexity, planning, agents, and the tier that bounds what may happen.

use super::fault::Fault;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The kinds of requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// Start a program.
    AppLaunch,
    /// End a program.
    AppQuit,
    /// Look something up on the web.
    WebSearch,
    /// Go to a page.
    WebNavigate,
    /// Do something on a page.
    WebInteract,
    /// Find files.
    FileSearch,
    /// Read a file.
    FileRead,
    /// The computer Hark runs on, and Hark itself.
    SystemControl,
    /// Answered from what is at hand: time, date, what Hark can do, arithmetic.
    Question,
    /// Greetings, thanks, small talk, yes and no.
    Conversation,
    /// Several steps that hang together.
    TaskComplex,
    /// Change something in the home.
    HomeControl,
    /// Ask how something in the home is.
    HomeQuery,
    /// Timers and alarms.
    Timer,
    /// Reminders and what is to happen later.
    Reminder,
    /// Shopping lists and to-dos.
    List,
    /// Music, television, volume.
    Media,
    /// The weather outside.
    Weather,
    /// What Hark should keep in mind.
    Memory,
    /// Nothing the house can do.
    OutOfScope,
}

impl Category {
    /// Every category.
    pub const ALL: [Self; 20] = [
        Self::AppLaunch,
        Self::AppQuit,
        Self::WebSearch,
        Self::WebNavigate,
        Self::WebInteract,
        Self::FileSearch,
        Self::FileRead,
        Self::SystemControl,
        Self::Question,
        Self::Conversation,
        Self::TaskComplex,
        Self::HomeControl,
        Self::HomeQuery,
        Self::Timer,
        Self::Reminder,
        Self::List,
        Self::Media,
        Self::Weather,
        Self::Memory,
        Self::OutOfScope,
    ];

    /// Its name in files and on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::AppLaunch => "app_launch",
            Self::AppQuit => "app_quit",
            Self::WebSearch => "web_search",
            Self::WebNavigate => "web_navigate",
            Self::WebInteract => "web_interact",
            Self::FileSearch => "file_search",
            Self::FileRead => "file_read",
            Self::SystemControl => "system_control",
            Self::Question => "question",
            Self::Conversation => "conversation",
            Self::TaskComplex => "task_complex",
            Self::HomeControl => "home_control",
            Self::HomeQuery => "home_query",
            Self::Timer => "timer",
            Self::Reminder => "reminder",
            Self::List => "list",
            Self::Media => "media",
            Self::Weather => "weather",
            Self::Memory => "memory",
            Self::OutOfScope => "out_of_scope",
        }
    }

    /// The category of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|category| category.name() == name)
    }

    /// The agents whose tools matter for it, by their names in the tool table; `*` is all of them.
    pub fn agents(self) -> &'static [&'static str] {
        match self {
            Self::AppLaunch | Self::AppQuit => &["app_lifecycle", "ui_automation"],
            Self::SystemControl => {
                &["system", "window_manager", "input", "screen_vision", "app_lifecycle", "ui_automation"]
            }
            Self::WebSearch => &["web"],
            Self::WebNavigate => &["browser", "web"],
            Self::WebInteract => &["browser", "ui_automation", "web"],
            Self::FileSearch | Self::FileRead => &["filesystem"],
            Self::Question => &["knowledge", "datetime", "calculate"],
            Self::Conversation | Self::OutOfScope => &[],
            Self::TaskComplex => &["*"],
            Self::HomeControl | Self::HomeQuery => &["home"],
            Self::Timer => &["timer"],
            Self::Reminder => &["reminder", "calendar"],
            Self::List => &["list"],
            Self::Media => &["media_control"],
            Self::Weather => &["weather"],
            Self::Memory => &["memory", "notes", "contacts"],
        }
    }

    /// What a request of this kind may do at most.
    pub fn tier(self) -> Tier {
        match self {
            Self::Conversation | Self::OutOfScope => Tier::Conversation,
            Self::Question | Self::HomeQuery | Self::Weather | Self::WebSearch => Tier::Inquiry,
            Self::FileSearch | Self::FileRead => Tier::Inquiry,
            _ => Tier::Action,
        }
    }
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Words of a request that fill a slot; words are counted from 0 in spoken form ("twenty percent" for "20%").
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SlotSpan {
    /// Name of the slot, or a tagger's tag for several.
    pub slot: String,
    /// First word.
    pub start: usize,
    /// Word after the last.
    pub end: usize,
}

impl SlotSpan {
    /// Whether a word is in one of some spans.
    pub fn any_has(spans: &[Self], word: usize) -> bool {
        spans.iter().any(|span| (span.start..span.end).contains(&word))
    }
}

/// Bounds what a request may set in motion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// Read-only tools, at most two calls.
    Conversation,
    /// Read-only tools, one cycle.
    Inquiry,
    /// Everything, under the guards.
    Action,
}

/// The least probability of an intent that is named beside the kind, and how many are named at most.
const LIKELY: f32 = 0.02;
const MAX_NEAR: usize = 3;

/// What the classifier says of a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Classification {
    /// The likeliest kind.
    pub category: Category,
    /// Calibrated probability of `category`, 0 ..= 1.
    pub confidence: f32,
    /// Whether it needs a plan.
    pub requires_planning: bool,
    /// 1 ..= 5.
    pub complexity: u8,
    /// Agents whose tools matter; `*` is all.
    pub suggested_agents: Vec<String>,
    /// What it may do at most.
    pub tier: Tier,
    /// The likeliest intents of all categories with their calibrated probabilities, best first, at
    /// most five. What is missing from 1 belongs to other intents and to requests without one.
    pub intents: Vec<(String, f32)>,
    /// The owner has said what these very words mean; then it is no guess, and the first intent is it.
    #[serde(default)]
    pub taught: bool,
    /// The words that fill slots, in order; `None` where no tagger is sure of them.
    #[serde(skip)]
    pub spans: Option<Vec<SlotSpan>>,
}

/// Single words, in lower case, that tell of several steps in a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StepWords {
    /// Those that join two steps: "and".
    pub joins: Vec<&'static str>,
    /// Those that order them: "before".
    pub order: Vec<&'static str>,
}

impl From<(Vec<&'static str>, Vec<&'static str>)> for StepWords {
    fn from((joins, order): (Vec<&'static str>, Vec<&'static str>)) -> Self {
        Self { joins, order }
    }
}

impl Classification {
    /// Completes what follows from text, the words of steps, category and its probability.
    pub fn new(
        text: &str,
        words: &StepWords,
        category: Category,
        confidence: f32,
        intents: Vec<(String, f32)>,
    ) -> Self {
        let complexity = complexity(text, words, category);
        let talk = matches!(category, Category::Question | Category::Conversation);
        Self {
            category,
            confidence,
            requires_planning: !(talk && complexity < 3),
            complexity,
            suggested_agents: category.agents().iter().map(|agent| (*agent).to_owned()).collect(),
            tier: category.tier(),
            intents,
            taught: false,
            spans: None,
        }
    }

    /// The kind and the nearest intents with their probabilities: `question (0.62); nearest: HassGetState 0.41, HassTurnOn
    /// 0.07`.
    pub fn described(&self) -> String {
        let near = self.intents.iter().filter(|(_, probability)| *probability >= LIKELY);
        let near: Vec<String> =
            near.map(|(name, probability)| format!("{name} {probability:.2}")).take(MAX_NEAR).collect();
        let kind = format!("{} ({:.2})", self.category, self.confidence);
        if near.is_empty() { kind } else { format!("{kind}; nearest: {}", near.join(", ")) }
    }

    /// What the owner has said these words mean: an intent, or a kind of request without one.
    pub fn taught(text: &str, words: &StepWords, category: Category, intent: Option<&str>) -> Self {
        let intents = intent.map(|intent| (intent.to_owned(), 1.0)).into_iter().collect();
        Self { taught: true, ..Self::new(text, words, category, 1.0, intents) }
    }
}

/// What is told of a request's kind beside its intent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Kind {
    /// As in [`Classification`].
    pub category: Category,
    /// Probability of the category, 0 ..= 1.
    pub category_confidence: f32,
    /// As in [`Classification`].
    pub requires_planning: bool,
    /// 1 ..= 5.
    pub complexity: u8,
    /// As in [`Classification`].
    pub suggested_agents: Vec<String>,
}

impl From<Classification> for Kind {
    fn from(found: Classification) -> Self {
        let Classification { category, confidence, requires_planning, complexity, suggested_agents, .. } =
            found;
        Self { category, category_confidence: confidence, requires_planning, complexity, suggested_agents }
    }
}

/// How involved a request is, 1 ..= 5: one more above ten words, one more for a word that joins steps, two
/// more for an order of events; a complex task has at least 3.
pub fn complexity(text: &str, words: &StepWords, category: Category) -> u8 {
    let lower = text.to_lowercase();
    let said: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric() && c != '\'').collect();
    let has = |wanted: &[&str]| said.iter().any(|word| wanted.contains(word));
    let mut complexity = 1;
    if text.split_whitespace().count() > 10 {
        complexity += 1;
    }
    if has(&words.joins) {
        complexity += 1;
    }
    if has(&words.order) {
        complexity += 2;
    }
    if category == Category::TaskComplex {
        complexity = complexity.max(3);
    }
    complexity.min(5)
}

/// The words of a text as they are compared, each with its meaning in that text: numbers of length 1.
pub type WordVectors = Vec<(String, Vec<f32>)>;

/// How likely a text is a statement, 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Statement {
    /// It asks for nothing.
    pub asks_nothing: f32,
    /// It asks for nothing and tells something worth to be kept.
    pub worth_keeping: f32,
}

/// Tells what kind of request a text is. Implemented by `hark-nlu`.
pub trait Classify: Send {
    /// Classifies a request, written or spoken; takes 1 to 5 ms.
    ///
    /// # Errors
    /// When the encoder fails; the request can still be tried by other means.
    fn classify(&mut self, text: &str) -> Result<Classification, Fault>;

    /// The meaning of a text as numbers of length 1: the product of two is the likeness of the texts.
    ///
    /// # Errors
    /// As [`Classify::classify`].
    fn embed(&mut self, text: &str) -> Result<Vec<f32>, Fault>;

    /// The meaning of each word of a text; of a long one those at its beginning.
    ///
    /// # Errors
    /// As [`Classify::classify`].
    fn embed_words(&mut self, text: &str) -> Result<WordVectors, Fault>;

    /// How likely a text is a statement; `None` where that was not learned.
    ///
    /// # Errors
    /// As [`Classify::classify`].
    fn statement(&mut self, text: &str) -> Result<Option<Statement>, Fault>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_the_same_on_the_wire() {
        for category in Category::ALL {
            assert_eq!(Category::named(category.name()), Some(category));
            assert_eq!(serde_json::to_value(category).unwrap(), category.name());
        }
        assert_eq!(Category::named("nothing"), None);
    }

    #[test]
    fn what_was_nearly_meant_is_told_with_how_likely_it_was() {
        let near =
            vec![("HassTurnOn".to_owned(), 0.3), ("HassTurnOff".to_owned(), 0.125), ("X".to_owned(), 0.01)];
        let found = Classification::new("x", &words(), Category::OutOfScope, 0.5, near);
        assert_eq!(found.described(), "out_of_scope (0.50); nearest: HassTurnOn 0.30, HassTurnOff 0.12");
        let none = Classification::new("x", &words(), Category::Question, 1.0, Vec::new());
        assert_eq!(none.described(), "question (1.00)");
    }

    fn words() -> StepWords {
        (vec!["and", "then"], vec!["after", "before", "first", "next"]).into()
    }

    #[test]
    fn complexity_follows_the_rules() {
        use Category::{HomeControl, Question, TaskComplex};
        let complexity = |text: &str, category| complexity(text, &words(), category);
        assert_eq!(complexity("turn on the light", HomeControl), 1);
        assert_eq!(complexity("turn on the light and the fan", HomeControl), 2);
        assert_eq!(complexity("first turn on the light then the fan", HomeControl), 4);
        let long = "please turn on the light in the kitchen and before that lock the door";
        assert_eq!(complexity(long, HomeControl), 5);
        assert_eq!(complexity("sandy thenar nextdoor", Question), 1);
        assert_eq!(complexity("do it", TaskComplex), 3);
        assert_eq!(complexity("First, this", Question), 3);
    }

    #[test]
    fn only_short_talk_goes_without_a_plan() {
        let of = |text: &str, category| Classification::new(text, &words(), category, 1.0, Vec::new());
        assert!(!of("hello", Category::Conversation).requires_planning);
        assert!(!of("what time is it", Category::Question).requires_planning);
        assert!(of("first tell me the time", Category::Question).requires_planning);
        assert!(of("lights on", Category::HomeControl).requires_planning);
        assert_eq!(of("x", Category::TaskComplex).suggested_agents, ["*"]);
    }

    #[test]
    fn what_changes_something_is_an_action() {
        assert_eq!(Category::HomeControl.tier(), Tier::Action);
        assert_eq!(Category::HomeQuery.tier(), Tier::Inquiry);
        assert_eq!(Category::OutOfScope.tier(), Tier::Conversation);
    }
}
