/** Turns the events of a turn into what is shown of it. */

import type { Happening, HarkEvent, Step, Timings } from './events';

type Of<Name extends Happening['event']> = Extract<HarkEvent, { event: Name }>;

export interface Plan {
  id: string;
  summary: string;
  steps: Step[];
}

export interface Story {
  /** Words so far, until the transcript is there. */
  partial: string | null;
  transcript: Of<'transcript'> | null;
  intents: Of<'intent'>[];
  contracts: Of<'contract'>[];
  plans: Plan[];
  actions: Of<'action'>[];
  reply: string | null;
  language: string | null;
  /** The reply is complete. */
  replied: boolean;
  errors: Of<'error'>[];
  lessons: Of<'lesson'>[];
  route: string | null;
  outcome: string | null;
  timings: Timings | null;
  /** Names to choose from, when it was asked which one is meant. */
  candidates: string[];
  /** What needs a yes, as it was asked. */
  question: string | null;
  /** A yes is not enough. */
  needsPin: boolean;
  /** There was speech, not only text. */
  spoken: boolean;
  speaking: boolean;
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
}

export function tell(events: readonly HarkEvent[]): Story {
  const story: Story = {
    partial: null,
    transcript: null,
    intents: [],
    contracts: [],
    plans: [],
    actions: [],
    reply: null,
    language: null,
    replied: false,
    errors: [],
    lessons: [],
    route: null,
    outcome: null,
    timings: null,
    candidates: [],
    question: null,
    needsPin: false,
    spoken: false,
    speaking: false,
  };
  for (const event of events) {
    switch (event.event) {
      case 'speech_started':
        story.spoken = true;
        break;
      case 'partial':
        story.spoken = true;
        story.partial = event.text;
        break;
      case 'transcript':
        story.transcript = event;
        break;
      case 'intent':
        story.intents.push(event);
        break;
      case 'contract':
        story.contracts.push(event);
        break;
      case 'plan':
        story.plans.push({ id: event.id, summary: event.summary, steps: event.steps.map((step) => ({ ...step })) });
        break;
      case 'step_update': {
        const step = story.plans.find((plan) => plan.id === event.plan)?.steps.find((one) => one.id === event.step);
        if (step) {
          step.status = event.status;
          step.message = event.message;
        }
        break;
      }
      case 'action': {
        story.actions.push(event);
        const { detail } = event.receipt;
        story.needsPin = detail['error'] === 'needs_pin';
        if ((story.needsPin || detail['error'] === 'needs_approval') && typeof detail['question'] === 'string') {
          story.question = detail['question'];
        }
        if (detail['error'] === 'ambiguous') {
          const names = strings(detail['names']);
          story.candidates = names.length > 0 ? names : strings(detail['candidates']);
        }
        break;
      }
      case 'reply':
        // With `ends` the whole reply is told; before it, what has been made of it so far.
        if (event.ends || !story.replied) story.reply = event.text;
        story.replied = story.replied || event.ends;
        story.language = event.language;
        break;
      case 'speaking_started':
        story.speaking = true;
        break;
      case 'speaking_ended':
        story.speaking = false;
        break;
      case 'lesson':
        story.lessons.push(event);
        break;
      case 'error':
        story.errors.push(event);
        break;
      case 'turn':
        story.route = event.route;
        story.outcome = event.outcome;
        story.timings = event.timings_ms;
        break;
    }
  }
  return story;
}

export type Stage = 'speech' | 'recognise' | 'understand' | 'model' | 'act' | 'answer' | 'voice' | 'speak';

/** One bar; times in milliseconds from the first event of the turn on. */
export interface Span {
  stage: Stage;
  name: string | null;
  from: number;
  to: number;
}

/** The stages of a turn, in the order of their beginning. */
export function spans(events: readonly HarkEvent[]): Span[] {
  const sorted = [...events].sort((a, b) => a.t_ms - b.t_ms);
  const found: Span[] = [];
  const first = sorted[0];
  if (!first) return found;
  let speechFrom: number | null = null;
  let speechTo: number | null = null;
  let transcriptAt: number | null = null;
  let speakingFrom: number | null = null;
  let replyAt: number | null = null;
  let last = first.t_ms;
  const add = (stage: Stage, from: number, to: number, name: string | null = null) =>
    found.push({ stage, name, from: from - first.t_ms, to: Math.max(to, from) - first.t_ms });
  for (const event of sorted) {
    const at = event.t_ms;
    switch (event.event) {
      case 'speech_started':
        speechFrom = at;
        break;
      case 'speech_ended':
        if (speechFrom !== null) add('speech', speechFrom, at);
        speechFrom = null;
        speechTo = at;
        break;
      case 'transcript':
        if (speechTo !== null) add('recognise', speechTo, at);
        transcriptAt = at;
        break;
      case 'intent':
        if (transcriptAt !== null) add('understand', transcriptAt, at, event.name);
        transcriptAt = null;
        break;
      case 'contract':
        add('model', last, at, event.name);
        break;
      case 'action':
        add('act', at - event.duration_ms, at, event.tool);
        break;
      case 'reply':
        if (replyAt === null) add('answer', last, at);
        replyAt = at;
        break;
      case 'speaking_started':
        add('voice', last, at);
        speakingFrom = at;
        break;
      case 'speaking_ended':
        if (speakingFrom !== null) add('speak', speakingFrom, at);
        speakingFrom = null;
        break;
    }
    if (event.event !== 'partial' && event.event !== 'state' && event.event !== 'turn') last = at;
  }
  const earliest = Math.min(0, ...found.map((span) => span.from));
  return found
    .map((span) => ({ ...span, from: span.from - earliest, to: span.to - earliest }))
    .sort((a, b) => a.from - b.from);
}

/** The value below which this share of the values lies. */
export function percentile(values: readonly number[], share: number): number | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? null;
}

export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** Reads the text format of Prometheus. */
export function metrics(text: string): Sample[] {
  const samples: Sample[] = [];
  for (const line of text.split('\n')) {
    const match = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})?\s+(\S+)/.exec(line);
    if (!match) continue;
    const labels: Record<string, string> = {};
    for (const pair of (match[2] ?? '').matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) {
      labels[pair[1] ?? ''] = (pair[2] ?? '').replace(/\\(.)/g, (_, c: string) => (c === 'n' ? '\n' : c));
    }
    samples.push({ name: match[1] ?? '', labels, value: Number(match[3]) });
  }
  return samples;
}
