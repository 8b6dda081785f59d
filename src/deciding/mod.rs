//! From intents to actions and replies: the pure turn machine, instincts, routes, reply templates.
