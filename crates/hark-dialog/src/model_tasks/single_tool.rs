//! One tool that a model named: its arguments taken out of the request, verified where it changes something, run
//! behind the gate, and its result put into words. All under contracts.

use super::claimed_action::ClaimedAction;
use super::{More, Suspended, ThoughtEnd, Work, needs_approval};
use crate::contracts::arguments::{
    Next, after_extraction, after_verification, takes_none, too_little, validated,
};
use crate::contracts::reference::{CONVERSATION, TOOL_PREFIX};
use crate::contracts::scoring::Subject;
use crate::contracts::{Contract, Outcome, PipelineError};
use crate::summary;
use futures_util::future::join;
use hark_core::{Fault, FaultKind, PublicEvent, Receipt, Risk, Slots, Tier, ToolCall};
use serde_json::{Value, json};

/// Below this a named tool is not believed; up to `SURE` one of its words must have been said.
const MIN_CONFIDENCE: f64 = 0.6;
const SURE: f64 = 0.85;

impl Work<'_> {
    /// The small model says which way; what it says is checked like everything else.
    pub(super) async fn routed(&self) -> ThoughtEnd {
        let vars = self.context.vars(&self.task.text, &[]);
        let outcome = self.contract(Contract::IntentClassification, vars, More::default()).await;
        if let Some(error) = outcome.model_error.as_ref().filter(|_| outcome.fallback) {
            return Self::no_answer(Some(error));
        }
        let intent = outcome.value["intent"].as_str().unwrap_or_default().to_owned();
        let confidence = outcome.value["confidence"].as_f64().unwrap_or_default();
        if intent == CONVERSATION {
            return self.converse().await;
        }
        let Some(tool) = intent.strip_prefix(TOOL_PREFIX).filter(|_| confidence >= MIN_CONFIDENCE) else {
            return self.inquire().await;
        };
        let reference = self.mind.parts.contracts.reference();
        let text = self.task.text.to_lowercase();
        let told = reference.tool(tool).is_some_and(|spec| spec.is_told_by(&text));
        if confidence < SURE && !told {
            return match self.inquire().await {
                ThoughtEnd::Answered { text, language, failed } => {
                    let hint = Some(tool.to_owned());
                    ThoughtEnd::Hinted { text, language, failed, hint }
                }
                other => other,
            };
        }
        self.decided(&intent, confidence as f32, "the language model named this tool");
        self.single(tool, &self.task.text, false).await
    }

    /// One tool from the words of a request. `asked`: the person has been asked for what was missing.
    pub(super) async fn single(&self, tool: &str, request: &str, asked: bool) -> ThoughtEnd {
        let args = match self.arguments(tool, request, asked).await {
            Ok(args) => args,
            Err(end) => return end,
        };
        let call = self.new_call(0, self.task.turn.clone(), tool, args);
        self.run_single(call, request).await
    }

    /// Runs it, finds out the language meanwhile, and says what came of it.
    pub(super) async fn run_single(&self, call: ToolCall, request: &str) -> ThoughtEnd {
        self.goes_on_with(request);
        let approved = Some(&call).filter(|call| call.approved);
        let (language, (made, receipt)) =
            join(self.detected(request), self.act(&call.tool, &call.args, approved)).await;
        if needs_approval(&receipt) {
            let (tool, text) = (call.tool, request.to_owned());
            self.suspend(Suspended::Single { tool, text });
            return ThoughtEnd::NeedsApproval { call: made, receipt };
        }
        self.put_into_words(&made, request, &receipt, language).await
    }

    async fn put_into_words(
        &self,
        call: &ToolCall,
        request: &str,
        receipt: &Receipt,
        language: String,
    ) -> ThoughtEnd {
        let ToolCall { tool, args, .. } = call;
        self.answers_as(Subject::Tool(tool.clone()));
        if !receipt.ok {
            let text = summary::apology(&receipt.detail, &self.words());
            return ThoughtEnd::Answered { text, language, failed: true };
        }
        let plain = summary::told(&receipt.detail, &self.words());
        let vars = json!({"text": plain, "request": request, "language": known(&language)});
        let outcome = self.contract(Contract::ResponseFormatting, vars, More::default()).await;
        let writes = self.mind.parts.tools.risk(tool) != Some(Risk::Read);
        let action = ClaimedAction::of(tool, writes, &json!(args), receipt, &self.words());
        // Words for a result claim no action that it does not prove; the result itself is quoted then.
        let honest = self.honest(outcome.text(), &[action], writes).await;
        let text = honest.unwrap_or_else(|| self.words_in(&language).quoted(&plain));
        ThoughtEnd::Answered { text, language, failed: false }
    }

    /// The language of a request; asked for only where nobody knows.
    async fn detected(&self, request: &str) -> String {
        let known = self.language();
        if known != "unknown" {
            return known;
        }
        let vars = json!({"text": request});
        let outcome = self.contract(Contract::LanguageDetection, vars, More::default()).await;
        outcome.value["language"].as_str().unwrap_or("unknown").to_owned()
    }

    async fn arguments(&self, tool: &str, request: &str, asked: bool) -> Result<Slots, ThoughtEnd> {
        let reference = self.mind.parts.contracts.reference();
        let Some(spec) = reference.tool(tool) else {
            let error =
                PipelineError::new("unknown_tool", format!("there is no tool {tool}"), "ask for another");
            return Err(self.rerouted(tool, request, &error).await);
        };
        self.taint(spec.outside);
        if takes_none(&spec.schema) {
            return Ok(Slots::new());
        }
        let only = [tool.to_owned()];
        let mut tries = 0;
        // What was taken out before and found wrong: the same prompt would give the same again.
        let mut rejected: Vec<Value> = Vec::new();
        loop {
            tries += 1;
            let language = self.context.language();
            let vars = json!({"request": request, "tool": tool, "language": language, "data": rejected});
            let more = More { tools: Some(&only), ..More::default() };
            let outcome = self.contract(Contract::ToolArgumentExtraction, vars, more).await;
            if let Some(error) = outcome.model_error.as_ref().filter(|_| outcome.fallback) {
                return Err(Self::no_answer(Some(error)));
            }
            match after_extraction(&outcome, asked) {
                Next::Run => {}
                Next::Ask(_) => return Err(self.ask_for_more(tool, request, None)),
                Next::Extract | Next::Cancel => return Err(Self::no_answer(None)),
            }
            if too_little(&spec.schema, &outcome.value) {
                return Err(self.inquire().await);
            }
            let args = match validated(tool, reference.arguments(tool), &outcome.value) {
                Ok(args) => args,
                Err(error) => return Err(self.rerouted(tool, request, &error).await),
            };
            if spec.risk == Risk::Read {
                return Ok(args);
            }
            let verified = self.verified(tool, request, &args).await;
            match after_verification(&verified, tries) {
                Next::Run => return Ok(args),
                Next::Extract => {
                    let text = json!({"arguments": args, "problems": verified.value["problems"]}).to_string();
                    rejected = vec![json!({"name": "rejected", "text": text})];
                }
                Next::Ask(question) => return Err(self.ask_for_more(tool, request, Some(question))),
                Next::Cancel => return Err(Self::no_answer(None)),
            }
        }
    }

    async fn verified(&self, tool: &str, request: &str, args: &Slots) -> Outcome {
        let vars = json!({"request": request, "tool": tool, "args": Value::Object(args.clone())});
        let only = [tool.to_owned()];
        let more = More { tools: Some(&only), ..More::default() };
        self.contract(Contract::ToolArgumentVerification, vars, more).await
    }

    fn ask_for_more(&self, tool: &str, request: &str, question: Option<String>) -> ThoughtEnd {
        let (tool, text) = (tool.to_owned(), request.to_owned());
        self.suspend(Suspended::Single { tool, text });
        let question = question.filter(|question| !question.trim().is_empty());
        question.map_or(ThoughtEnd::AsksAgain, |question| ThoughtEnd::Asks { question })
    }

    /// An error on the way: it is told, and the model may say how to go on, under contract.
    async fn rerouted(&self, tool: &str, request: &str, error: &PipelineError) -> ThoughtEnd {
        let fault = Fault::new(FaultKind::BadInput, "pipeline", error.message.clone(), error.fix.clone());
        self.tell(PublicEvent::Error(fault.recoverable()));
        let vars = json!({"request": request, "error": error.message});
        let outcome = self.contract(Contract::ErrorChannel, vars, More::default()).await;
        let contract = outcome.value["contract"].as_str().and_then(Contract::named);
        let may_act = self.task.kind.as_ref().is_some_and(|kind| kind.tier == Tier::Action);
        match (outcome.value["reroute"].as_str(), contract) {
            (Some("abort"), _) => Self::no_answer(None),
            (Some("contract"), Some(Contract::ConversationalAnswer)) => self.converse().await,
            // What changes something is never begun for a question, whatever a model decides.
            (Some("contract"), Some(Contract::Plan)) if may_act => self.plan().await,
            (Some("new_decision"), _) if may_act && !outcome.fallback => self.react().await,
            // Taken out of the same words they would be the same: the person says it more exactly.
            (Some("contract"), Some(Contract::ToolArgumentExtraction)) if self.is_known(tool) => {
                self.ask_for_more(tool, request, None)
            }
            _ => self.inquire().await,
        }
    }

    fn is_known(&self, tool: &str) -> bool {
        self.mind.parts.contracts.reference().tool(tool).is_some()
    }
}

fn known(language: &str) -> &str {
    if language == "unknown" { "" } else { language }
}
