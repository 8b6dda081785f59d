//! Chooses the next token of an answer, within the grammar of a JSON schema where there is one.

use crate::Error;
use llama_cpp_2::context::LlamaContext;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::sampling::LlamaSampler;
use llama_cpp_2::token::LlamaToken;
use llama_cpp_2::token::data::LlamaTokenData;
use llama_cpp_2::token::data_array::LlamaTokenDataArray;

/// llama.cpp takes another seed every time for this one (`LLAMA_DEFAULT_SEED`).
const ANY_SEED: u32 = u32::MAX;

/// See the module.
pub(crate) struct Sampler {
    grammar: Option<LlamaSampler>,
    chain: LlamaSampler,
}

impl Sampler {
    /// At temperature 0 the likeliest token, else llama.cpp's own defaults at that temperature.
    pub(crate) fn new(model: &LlamaModel, schema: Option<&str>, temperature: f32) -> Self {
        let chain = if temperature <= 0.0 {
            LlamaSampler::chain_simple([LlamaSampler::greedy()])
        } else {
            LlamaSampler::chain_simple([
                LlamaSampler::top_k(40),
                LlamaSampler::top_p(0.95, 1),
                LlamaSampler::min_p(0.05, 1),
                LlamaSampler::temp(temperature),
                LlamaSampler::dist(ANY_SEED),
            ])
        };
        Self { grammar: schema.and_then(|schema| grammar(model, schema)), chain }
    }

    /// Whether answers are held to a grammar.
    pub(crate) fn is_constrained(&self) -> bool {
        self.grammar.is_some()
    }

    /// The next token, by what the context computed at this place of its last batch.
    ///
    /// # Errors
    /// [`Error::Failed`] when the grammar has no way on.
    pub(crate) fn next(&mut self, context: &LlamaContext<'_>, at: i32) -> Result<LlamaToken, Error> {
        let Some(grammar) = &mut self.grammar else { return Ok(self.chain.sample(context, at)) };
        // The grammar looks at one token first: at all of them only where the likeliest one does not fit, which takes far longer.
        let choose = |chain: &mut LlamaSampler, grammar: Option<&mut LlamaSampler>| {
            let mut all = context.token_data_array_ith(at);
            if let Some(grammar) = grammar {
                all.apply_sampler(grammar);
            }
            all.apply_sampler(chain);
            all.selected_token()
        };
        let mut token = choose(&mut self.chain, None);
        if !token.is_some_and(|token| fits(grammar, token)) {
            token = choose(&mut self.chain, Some(grammar)).filter(|token| fits(grammar, *token));
        }
        let token = token.ok_or_else(|| Error::Failed("no token fits the grammar".into()))?;
        grammar.try_accept(token).map_err(|error| Error::Failed(error.to_string()))?;
        self.chain.accept(token);
        Ok(token)
    }
}

/// Whether a token may come next.
fn fits(grammar: &mut LlamaSampler, token: LlamaToken) -> bool {
    let mut one = LlamaTokenDataArray::new(vec![LlamaTokenData::new(token, 1.0, 0.0)], false);
    one.apply_sampler(grammar);
    one.data.first().is_some_and(|data| data.logit().is_finite())
}

/// The grammar of a schema; `None` where llama.cpp makes none of it: whoever asked checks the answer in any case.
fn grammar(model: &LlamaModel, schema: &str) -> Option<LlamaSampler> {
    let made = llama_cpp_2::json_schema_to_grammar(schema).map_err(|error| error.to_string());
    let made =
        made.and_then(|text| LlamaSampler::grammar(model, &text, "root").map_err(|error| error.to_string()));
    made.inspect_err(|error| tracing::warn!(error, "no grammar for a schema: its answer is only checked"))
        .ok()
}
