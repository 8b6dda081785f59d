//! From words to intents: the template language, its automaton, sampler and parser; numbers, durations, slots.
