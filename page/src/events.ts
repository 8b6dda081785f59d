/** What the daemon sends; see contracts/openapi.json and contracts/events.json. */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Fields = { [key: string]: Json };

export interface Receipt {
  id: string;
  ok: boolean;
  changed: boolean;
  detail: Fields;
  tainted?: boolean;
}

export interface Step {
  id: string;
  description: string;
  tool: string;
  args?: Fields;
  depends_on?: string[];
  status: 'pending' | 'running' | 'completed' | 'failed';
  message?: string;
}

export interface Timings {
  speech_end_to_transcript: number | null;
  transcript_to_intent: number | null;
  intent_to_action: number | null;
  to_first_audio: number | null;
  speech_end_to_first_audio: number | null;
}

export type HarkState = 'idle' | 'listening' | 'processing' | 'responding' | 'muted' | 'error';
export type Mode = 'ALERT' | 'WORKING' | 'WAITING' | 'GUARDING' | 'RESTING';

interface Common {
  turn: string | null;
  t_ms: number;
  at: string;
}

export interface Fault {
  kind: string;
  part: string;
  message: string;
  fix: string;
  recoverable: boolean;
}

export type Happening =
  | { event: 'wake'; word: string; score: number }
  | { event: 'wake_rejected'; word: string; score: number; why: string }
  | { event: 'speech_started' }
  | { event: 'speech_ended'; endpoint: string }
  | { event: 'partial'; text: string; stable: number }
  | { event: 'transcript'; text: string; engine: string; confidence: number; language: string; why?: string }
  | {
      event: 'intent';
      name: string;
      slots: Fields;
      confidence: number;
      route: string;
      why: string;
      category?: string;
      category_confidence?: number;
    }
  | { event: 'contract'; name: string; attempt: number; valid: boolean; errors: string[]; fallback: boolean }
  | { event: 'plan'; id: string; summary: string; steps: Step[] }
  | { event: 'step_update'; plan: string; step: string; status: Step['status']; message: string }
  | { event: 'action'; tool: string; args: Fields; receipt: Receipt; duration_ms: number }
  | { event: 'reply'; text: string; language: string; ends: boolean }
  | { event: 'speaking_started' }
  | { event: 'speaking_ended'; reason: string }
  | { event: 'barge_in'; decision: string; latency_ms: number }
  | { event: 'mode'; from: Mode; to: Mode; why: string }
  | { event: 'state'; state: HarkState }
  | { event: 'timer'; change: string; timer: { id: string; kind: string; name: string | null; state: string } }
  | { event: 'setting'; name: string; value: Json }
  | { event: 'lesson'; text: string; meant: string; known: boolean; note: string | null }
  | { event: 'delegation'; task: string; state: string; text: string }
  | ({ event: 'error' } & Fault)
  | { event: 'turn'; timings_ms: Timings; route: string | null; attempts: number; outcome: string };

export type HarkEvent = Happening & Common;

export interface TurnSummary {
  turn: string;
  at: string;
  session: string;
  text: string | null;
  intents: string[];
  reply: string | null;
  language: string | null;
  route: string | null;
  outcome: string | null;
  timings_ms: Timings | null;
}

export interface Turn extends TurnSummary {
  events: HarkEvent[];
}

export interface Entity {
  id: string;
  domain: string;
  name: string;
  aliases: string[];
  area: string | null;
  device_class: string | null;
  state: string;
  attributes: Fields;
  source: string;
}

export interface Area {
  id: string;
  name: string;
  aliases: string[];
  floor: string | null;
}

export interface Floor {
  id: string;
  name: string;
  aliases: string[];
  level: number;
}

export interface Timer {
  id: string;
  kind: string;
  name: string | null;
  area: string | null;
  state: string;
  duration_ms: number;
  created_at: string | null;
  due_at: string | null;
  remaining_ms: number | null;
  recurrence: string | null;
}

export interface Fact {
  id: number;
  text: string;
  told_at: string | null;
  /** The day that is meant, such as `2026-12-01` or `2026-12-01T10:00:00`. */
  date: string | null;
  yearly: boolean;
  private: boolean;
  /** Since when it is not so any more. */
  ended_at: string | null;
}

export interface Part {
  name: string;
  state: 'well' | 'problem' | 'off';
  fault?: Fault;
}

export interface Health {
  ok: boolean;
  state: HarkState;
  parts: Part[];
  faults: (Fault & { at: string })[];
  version: string;
  uptime_s: number;
}

export interface Model {
  name: string;
  provider: string;
  chosen: boolean;
}
