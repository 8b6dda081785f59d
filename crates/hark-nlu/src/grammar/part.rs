//! Parts of requests that have templates of their own.

/// What a template says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Part {
    /// A request.
    Request,
    /// What has to be so: "the kettle is done", in a request "when the kettle is done".
    Condition,
    /// What is left out: "the fan", in a request "except the fan".
    Target,
    /// That somebody wants to be told: "let me know", in a request "let me know when the kettle is done".
    Notice,
    /// What means something behind another request only, and as all that is said: "off", "blue".
    Value,
}

impl Part {
    pub(super) const ALL: [Self; 5] =
        [Self::Request, Self::Condition, Self::Target, Self::Notice, Self::Value];

    /// What the templates of an intent say.
    pub(crate) fn of(intent: &str) -> Self {
        match intent {
            "HarkCondition" => Self::Condition,
            "HarkTarget" => Self::Target,
            "HarkNotice" => Self::Notice,
            "HarkValue" => Self::Value,
            _ => Self::Request,
        }
    }
}
