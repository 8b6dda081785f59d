//! The operations that set Hark up: what `hark setup` does in a terminal. All but the choices are for the operator: they
//! write the configuration, sound, or reach addresses of the network.

use super::operation::{Operation, Success, WITH_BODY, reads};
use crate::setup::{self, models, training};
use axum::routing::{delete, get, post};

/// All there are.
pub(super) static OPERATIONS: [Operation; 16] = [
    Operation {
        handler: || get(setup::choices),
        ..reads(
            "/api/v1/setup",
            "setup",
            "What can be chosen from: languages, voices that are here, wake words, rooms; texts to try them with.",
            Success::Object(|schemas| schemas.subschema_for::<setup::objects::Choices>()),
        )
    },
    Operation {
        method: "post",
        body: Some(|schemas| schemas.subschema_for::<setup::objects::SearchRequest>()),
        refusals: &WITH_BODY,
        handler: || post(setup::find),
        ..reads(
            "/api/v1/setup/search",
            "setup_search",
            "Looks around in the network. Names are text of other machines. For the operator only.",
            Success::Object(|schemas| schemas.subschema_for::<setup::objects::Found>()),
        )
    },
    Operation {
        method: "post",
        body: Some(|schemas| schemas.subschema_for::<setup::objects::SoundTestRequest>()),
        refusals: &WITH_BODY,
        handler: || post(setup::try_sound),
        ..reads(
            "/api/v1/setup/sound",
            "setup_sound",
            "Tries a device by ear: two tones on a speaker; four seconds of a microphone, played back on the configured speaker. What does not work about it is told in the answer. For the operator only.",
            Success::Object(|schemas| schemas.subschema_for::<setup::objects::SoundTested>()),
        )
    },
    Operation {
        method: "post",
        refusals: &[500, 503],
        handler: || post(setup::try_wake_word),
        ..reads(
            "/api/v1/setup/wake",
            "setup_wake",
            "Waits until the wake word was heard twice at the microphone of this node, 20 seconds at most. For the operator only.",
            Success::Object(|schemas| schemas.subschema_for::<setup::objects::WakeTried>()),
        )
    },
    Operation {
        refusals: &[],
        handler: || get(training::state),
        ..reads(
            "/api/v1/wake/training",
            "wake_training",
            "How the training of a wake word stands; when it is done, what was counted.",
            Success::Object(|schemas| schemas.subschema_for::<training::Training>()),
        )
    },
    Operation {
        method: "post",
        body: Some(|schemas| schemas.subschema_for::<training::TrainRequest>()),
        refusals: &WITH_BODY,
        handler: || post(training::start),
        ..reads(
            "/api/v1/wake/training",
            "train_wake_word",
            "Begins to train a wake word from the voices that are installed, as `hark wake train` does; one at a time. For the operator only.",
            Success::Object(|schemas| schemas.subschema_for::<training::Training>()),
        )
    },
    Operation {
        method: "delete",
        refusals: &[],
        handler: || delete(training::cancel),
        ..reads(
            "/api/v1/wake/training",
            "cancel_wake_training",
            "Ends the training that goes on. For the operator only.",
            Success::Object(|schemas| schemas.subschema_for::<training::Training>()),
        )
    },
    Operation {
        refusals: &[500],
        handler: || get(models::list),
        ..reads(
            "/api/v1/models",
            "models",
            "Models and native libraries as `hark models list` prints them: what is here, how large it is, under which licence; and how the pull stands.",
            Success::Object(|schemas| schemas.subschema_for::<models::Models>()),
        )
    },
    Operation {
        refusals: &[],
        handler: || get(models::pull_state),
        ..reads(
            "/api/v1/models/pull",
            "model_pull",
            "How the pull of models stands: how many bytes of which model are here, or why it did not work.",
            Success::Object(|schemas| schemas.subschema_for::<models::Pull>()),
        )
    },
    Operation {
        method: "post",
        body: Some(|schemas| schemas.subschema_for::<models::PullRequest>()),
        refusals: &WITH_BODY,
        handler: || post(models::pull),
        ..reads(
            "/api/v1/models/pull",
            "pull_models",
            "Begins to bring models, as `hark models pull` does; one pull at a time. Goes on without whoever asked for it. What was begun before is gone on with, and a file gets its name only when it is whole and checked. For the operator only.",
            Success::Object(|schemas| schemas.subschema_for::<models::Pull>()),
        )
    },
    Operation {
        method: "delete",
        refusals: &[],
        handler: || delete(models::cancel),
        ..reads(
            "/api/v1/models/pull",
            "cancel_model_pull",
            "Ends the pull that goes on; what came so far is kept for the next one. For the operator only.",
            Success::Object(|schemas| schemas.subschema_for::<models::Pull>()),
        )
    },
    Operation {
        method: "post",
        body: Some(|schemas| schemas.subschema_for::<setup::objects::HomeAssistantRequest>()),
        refusals: &WITH_BODY,
        handler: || post(setup::home_assistant),
        ..reads(
            "/api/v1/setup/home-assistant",
            "setup_home_assistant",
            "Tries Home Assistant, and writes it where it lets Hark in. The token is kept in a file that only Hark reads. For the operator only.",
            Success::Object(|schemas| schemas.subschema_for::<setup::objects::Connected>()),
        )
    },
    Operation {
        method: "post",
        body: Some(|schemas| schemas.subschema_for::<setup::objects::BrokerRequest>()),
        refusals: &WITH_BODY,
        handler: || post(setup::broker),
        ..reads(
            "/api/v1/setup/broker",
            "setup_broker",
            "Tries an MQTT broker, and writes it where it lets Hark in. The password is kept in a file that only Hark reads. For the operator only.",
            Success::Object(|schemas| schemas.subschema_for::<setup::objects::Connected>()),
        )
    },
    Operation {
        method: "post",
        body: Some(|schemas| schemas.subschema_for::<setup::objects::RoomsRequest>()),
        refusals: &WITH_BODY,
        handler: || post(setup::add_rooms),
        ..reads(
            "/api/v1/setup/rooms",
            "setup_rooms",
            "Writes rooms into the home's file, which is made where there is none, and has it read anew. For the operator only.",
            Success::Nothing,
        )
    },
    Operation {
        method: "post",
        body: Some(|schemas| schemas.subschema_for::<setup::objects::ServerRequest>()),
        refusals: &WITH_BODY,
        handler: || post(setup::models_at),
        ..reads(
            "/api/v1/setup/models",
            "setup_models",
            "The models of a server, of Ollama or one that speaks as OpenAI does. For the operator only.",
            Success::Object(|schemas| schemas.subschema_for::<setup::objects::ModelsFound>()),
        )
    },
    Operation {
        method: "post",
        body: Some(|schemas| schemas.subschema_for::<setup::objects::ModelRequest>()),
        refusals: &WITH_BODY,
        handler: || post(setup::use_model),
        ..reads(
            "/api/v1/setup/model",
            "setup_model",
            "Writes which language model is asked, and asks it. For the operator only.",
            Success::Object(|schemas| schemas.subschema_for::<setup::objects::Connected>()),
        )
    },
];
