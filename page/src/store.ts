/** What the page knows, kept up to date by the events of the daemon. */

import { computed, signal } from '@preact/signals';
import { get, stored, store } from './api';
import type { HarkEvent, HarkState, Health, Mode, Model, Timer, Turn, TurnSummary } from './events';
import { tell, type Story } from './story';

export interface Entry {
  turn: string;
  at: string;
  /** Its conversation, where that is one of this page's, or was told by the list of turns. */
  session: string | null;
  /** It can be answered from here. */
  isOwn: boolean;
  events: HarkEvent[];
  story: Story;
}

export type Connection = 'connecting' | 'open' | 'away' | 'refused';

export const connection = signal<Connection>('connecting');
/** Why the daemon refuses this page. */
export const refusal = signal<{ message: string; fix: string } | null>(null);
export const health = signal<Health | null>(null);
export const state = signal<HarkState>('idle');
export const mode = signal<Mode>('ALERT');
export const entries = signal<Entry[]>([]);
export const models = signal<Model[] | null>(null);
export const settings = signal<Record<string, unknown>>({});
export const configuration = signal<Record<string, Record<string, unknown>>>({});
/** Timers that ring. */
export const ringing = signal<{ id: string; name: string | null }[]>([]);
/** Counts changes of timers, so that a list of them can be read anew. */
export const timerChanges = signal(0);
/** Counts news of the task that was handed to another program. */
export const taskChanges = signal(0);
/** States that receipts have proved since the home was read. */
export const provedStates = signal<Record<string, string>>({});

/** What the node's microphone hears; null while nobody looks. */
export interface Meter {
  is_open: boolean;
  level_dbfs: number;
  speech: number;
  wake: number;
  echo: { erle_db: number; delay_ms: number; drift_ppm: number; is_learning: boolean; age_s: number } | null;
}
export const meter = signal<Meter | null>(null);

export interface Heard {
  at: number;
  word: string;
  score: number;
  why: string | null;
}
/** Wake words and near misses, the newest first. */
export const heard = signal<Heard[]>([]);

/** Samples of the curves: seconds since the page was opened. */
export interface Curve {
  at: number;
  speech: number | null;
  wake: number | null;
  level: number | null;
}
export const curve: Curve[] = [];
/** There is something to be drawn. */
export const curveBegan = signal(false);
const CURVE_SECONDS = 60;
let speech = 0;

export function sample(change: Partial<Omit<Curve, 'at'>>): void {
  if (change.speech !== undefined && change.speech !== null) speech = change.speech;
  const at = performance.now() / 1000;
  curve.push({ at, speech, wake: change.wake ?? null, level: change.level ?? null });
  while (curve[0] && curve[0].at < at - CURVE_SECONDS) curve.shift();
  curveBegan.value = true;
}

export interface Notice {
  id: number;
  text: string;
  fix: string;
  isBad: boolean;
}
export const notices = signal<Notice[]>([]);
let noticeId = 0;
const GOOD_NEWS_MS = 8000;

export function notify(text: string, fix = '', isBad = true): void {
  noticeId += 1;
  const id = noticeId;
  // A fault that comes again is told once.
  const others = notices.value.filter((notice) => notice.text !== text);
  notices.value = [...others.slice(-3), { id, text, fix, isBad }];
  if (!isBad) setTimeout(() => dismiss(id), GOOD_NEWS_MS);
}

export function dismiss(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}

/** The conversation of this page; kept over a reload, so that a question can still be answered. */
export const session = (() => {
  const kept = stored(() => sessionStorage, 'hark.session');
  if (kept !== null) return kept;
  const bytes = crypto.getRandomValues(new Uint8Array(8));
  const made = `page-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
  store(() => sessionStorage, 'hark.session', made);
  return made;
})();

const MAX_ENTRIES = 40;
/** Turns that are read when the page is opened. */
const RECENT = 8;

function put(entry: Entry): void {
  const rest = entries.value.filter((one) => one.turn !== entry.turn);
  const all = [...rest, entry].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  const told = (one: Entry | undefined) => (one && isUnasked(one) ? one.story.reply : null);
  entries.value = all.filter((one, index) => !repeats(told(one), told(all[index + 1]))).slice(-MAX_ENTRIES);
}

function isUnasked({ story }: Entry): boolean {
  return story.transcript === null && story.partial === null && story.outcome === 'done';
}

/** A timer that rings says every few seconds that it does, each time a little differently: the last time is enough. */
function repeats(reply: string | null, next: string | null): boolean {
  return reply !== null && next !== null && reply.slice(0, 12) === next.slice(0, 12);
}

/** What is said last is told to screen readers. */
export const captions = signal<{ id: number; who: 'you' | 'hark'; text: string; language: string | null }[]>([]);
let captionId = 0;

function caption(who: 'you' | 'hark', text: string, language: string | null): void {
  captionId += 1;
  captions.value = [...captions.value.slice(-3), { id: captionId, who, text, language }];
}

function isSame(a: HarkEvent, b: HarkEvent): boolean {
  return a.event === b.event && a.t_ms === b.t_ms && JSON.stringify(a) === JSON.stringify(b);
}

function note(event: HarkEvent): void {
  switch (event.event) {
    case 'wake':
    case 'wake_rejected': {
      const why = event.event === 'wake_rejected' ? event.why : null;
      heard.value = [{ at: Date.now(), word: event.word, score: event.score, why }, ...heard.value].slice(0, 12);
      sample({ wake: event.score });
      break;
    }
    case 'speech_started':
      sample({ speech: 0 });
      sample({ speech: 1 });
      break;
    case 'speech_ended':
      sample({ speech: 1 });
      sample({ speech: 0 });
      break;
    case 'transcript':
      caption('you', event.text, event.language);
      break;
    case 'reply':
      if (event.ends) caption('hark', event.text, event.language);
      break;
    case 'state':
      state.value = event.state;
      break;
    case 'mode':
      mode.value = event.to;
      break;
    case 'setting':
      settings.value = { ...settings.value, [event.name]: event.value };
      break;
    case 'timer': {
      const others = ringing.value.filter((timer) => timer.id !== event.timer.id);
      const rings = event.change === 'finished';
      ringing.value = rings ? [...others, { id: event.timer.id, name: event.timer.name }] : others;
      timerChanges.value += 1;
      break;
    }
    case 'action': {
      const told = event.receipt.detail['entities'];
      if (!event.receipt.ok || !Array.isArray(told)) break;
      const proved: Record<string, string> = {};
      for (const one of told) {
        if (one === null || typeof one !== 'object' || Array.isArray(one)) continue;
        if (typeof one['id'] === 'string' && typeof one['to'] === 'string') proved[one['id']] = one['to'];
      }
      provedStates.value = { ...provedStates.value, ...proved };
      break;
    }
    case 'delegation':
      taskChanges.value += 1;
      break;
    case 'error':
      notify(event.message, event.fix);
      break;
  }
}

/** Takes an event in; `conversation` where it is of one of this page's. */
export function receive(event: HarkEvent, conversation: string | null): void {
  const { turn } = event;
  const known = turn === null ? undefined : entries.value.find((entry) => entry.turn === turn);
  if (known?.events.slice(-16).some((one) => isSame(one, event))) {
    if (conversation !== null && !known.isOwn) put({ ...known, session: conversation, isOwn: true });
    return;
  }
  note(event);
  if (turn === null) return;
  const events = [...(known?.events ?? []), event];
  put({
    turn,
    at: known?.at ?? event.at,
    session: conversation ?? known?.session ?? null,
    isOwn: conversation !== null || known?.isOwn === true,
    events,
    story: tell(events),
  });
  settle(event, conversation);
}

/** Texts on their way to the daemon. */
export interface Sent {
  id: number;
  text: string;
}
export const sent = signal<Sent[]>([]);
/** What stands in the text box. */
export const draft = signal(stored(() => sessionStorage, 'hark.draft') ?? '');

export function write(text: string): void {
  draft.value = text;
  store(() => sessionStorage, 'hark.draft', text === '' ? null : text);
}

/** The turn whose request was found among what was sent. */
let settledTurn: string | null = null;

function settle(event: HarkEvent, conversation: string | null): void {
  if (conversation === null || sent.value.length === 0) return;
  if (event.event === 'transcript') {
    const at = sent.value.findIndex((one) => one.text === event.text);
    if (at < 0) return;
    sent.value = sent.value.filter((_, index) => index !== at);
    settledTurn = event.turn;
  } else if (event.event === 'turn' && event.turn !== settledTurn && event.outcome !== 'lapsed') {
    const transcript = entries.value.find((one) => one.turn === event.turn)?.story.transcript;
    // A PIN is not told back, and a command such as `/persona` has no transcript.
    if (!transcript || transcript.engine === 'typed') sent.value = sent.value.slice(1);
  }
}

/** What was sent and not taken goes back into the text box. */
export function giveBack(): void {
  if (sent.value.length === 0) return;
  const texts = sent.value.map((one) => one.text);
  sent.value = [];
  write([...texts, draft.value].filter((text) => text !== '').join('\n'));
}

/** Takes in a turn as the answer to a request has it. */
export function receiveTurn(turn: Turn): void {
  for (const event of turn.events) receive(event, turn.session);
}

/** Takes a turn for one of this page's conversation, which may answer what it asks. Its events come by themselves. */
export function claim(turn: string): void {
  const known = entries.value.find((entry) => entry.turn === turn);
  const none = { turn, at: new Date().toISOString(), events: [], story: tell([]) };
  put({ ...(known ?? none), session, isOwn: true });
}

/** The last turns, for a page that was just opened. */
export async function readRecent(): Promise<void> {
  const { turns } = await get<{ turns: TurnSummary[] }>('turns?limit=100');
  const reply = (turn: TurnSummary | undefined) => (turn && turn.text === null ? turn.reply : null);
  const recent = turns.filter((turn, index) => index === 0 || !repeats(reply(turn), reply(turns[index - 1]))).slice(0, RECENT);
  const isKnown = (turn: string) => entries.value.some((entry) => entry.turn === turn && entry.story.outcome !== null);
  const missing = recent.filter(({ turn }) => !isKnown(turn));
  const read = missing.map(({ turn }) => get<Turn>(`turns/${encodeURIComponent(turn)}`));
  for (const result of await Promise.allSettled(read)) {
    // One that was forgotten meanwhile is not shown.
    if (result.status === 'rejected') continue;
    const { turn, at, session: of, events } = result.value;
    if (!isKnown(turn)) put({ turn, at, session: of, isOwn: of === session, events, story: tell(events) });
  }
}

/** Timers that ring already. */
export async function readRinging(): Promise<void> {
  const { timers } = await get<{ timers: Timer[] }>('timers');
  ringing.value = timers.filter((timer) => timer.state === 'ringing').map(({ id, name }) => ({ id, name }));
}

export async function readConfiguration(): Promise<void> {
  configuration.value = (await get<{ config: Record<string, Record<string, unknown>> }>('config')).config;
}

export function configured(section: string, key: string): unknown {
  return configuration.value[section]?.[key];
}

/** Whether one of these keys of a section holds something. */
export function isSet(section: string, ...keys: string[]): boolean {
  return keys.some((key) => {
    const value = configured(section, key);
    return Array.isArray(value) ? value.length > 0 : typeof value === 'string' && value !== '';
  });
}

/** The language requests are written in. */
export const spokenLanguage = computed(() => {
  const told = settings.value['language'] ?? configured('speaking', 'language');
  return told === 'de' ? 'de' : 'en';
});

export const hasSpeaker = computed(
  () => health.value?.parts.some((part) => part.name === 'speaker' && part.state !== 'off') ?? false,
);
export const hasMicrophone = computed(
  () => health.value?.parts.some((part) => part.name === 'microphone' && part.state !== 'off') ?? false,
);

export interface Question {
  entry: Entry;
  text: string;
  kind: 'approval' | 'pin' | 'answer';
  candidates: string[];
}

/** The newest question that nothing has answered since. */
export const question = computed<Question | null>(() => {
  const all = entries.value;
  for (let index = all.length - 1; index >= 0; index -= 1) {
    const entry = all[index];
    if (!entry) continue;
    const { outcome, reply, question: asked, candidates } = entry.story;
    if (outcome !== 'awaiting_approval' && outcome !== 'awaiting_answer') continue;
    const later = all.slice(index + 1);
    // Turns of other conversations are not told apart: any of theirs may have answered theirs.
    const isAnswered = later.some((one) => (entry.session === null ? !one.isOwn : one.session === entry.session));
    const windowMs = Number(
      (outcome === 'awaiting_approval'
        ? configured('permissions', 'approval_window_ms')
        : configured('route', 'question_window_ms')) ?? 30_000,
    );
    const isOld = clockNow.value - Date.parse(entry.at) > windowMs + 5000;
    if (isAnswered || isOld) continue;
    const kind = outcome === 'awaiting_answer' ? 'answer' : entry.story.needsPin ? 'pin' : 'approval';
    return { entry, text: reply ?? asked ?? '', kind, candidates };
  }
  return null;
});

/** Wall clock, ticking where somebody looks at it. */
export const clockNow = signal(Date.now());
setInterval(() => (clockNow.value = Date.now()), 1000);
