/** What the switches of the page say. Every act is a request in words, so that it goes the same way as a spoken one: through
 * the rules for what is dangerous, with a receipt. */

import { ApiFailure, fetchApi } from './api';
import type { Entity, Turn } from './events';
import { claim, notify, receiveTurn, session, spokenLanguage } from './store';

type Act =
  | 'on'
  | 'off'
  | 'open'
  | 'close'
  | 'lock'
  | 'unlock'
  | 'activate'
  | 'run'
  | 'clean'
  | 'dock'
  | 'mow'
  | 'temperature'
  | 'brightness';

/** Without a German sentence it is said in English, which is understood beside it. */
const PHRASES: { en: Record<Act, string>; de: Partial<Record<Act, string>> } = {
  en: {
    on: 'turn on the {name}',
    off: 'turn off the {name}',
    open: 'open the {name}',
    close: 'close the {name}',
    lock: 'lock the {name}',
    unlock: 'unlock the {name}',
    activate: 'activate {name}',
    run: 'run {name}',
    clean: 'start the {name}',
    dock: 'return the {name} to its base',
    mow: 'start the {name}',
    temperature: 'set the {name} to {value} degrees',
    brightness: 'set the {name} to {value} percent',
  },
  de: {
    on: 'schalte {name} ein',
    off: 'schalte {name} aus',
    open: 'öffne {name}',
    close: 'schließe {name}',
    lock: 'schließe {name} ab',
    unlock: 'entriegle {name}',
    activate: 'aktiviere {name}',
    run: 'starte {name}',
    temperature: 'stelle {name} auf {value} Grad',
    brightness: 'stelle {name} auf {value} Prozent',
  },
};

const IN_AREA = { en: '{name} in the {area}', de: '{name} im {area}' };

/** The request of an act. `area` where another thing has the same name. */
export function phrase(act: Act, entity: Entity, area: string | null, value?: number): string {
  const sentence = PHRASES[spokenLanguage.value][act];
  const language = sentence === undefined ? 'en' : spokenLanguage.value;
  const fill = (text: string, values: Record<string, string>) =>
    text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
  const name = area === null ? entity.name : fill(IN_AREA[language], { name: entity.name, area });
  return fill(sentence ?? PHRASES.en[act], { name, value: String(value ?? '') });
}

/** Sends a request and waits for its turn; null when it failed, which is told. */
export async function ask(text: string, conversation: string | null = null): Promise<Turn | null> {
  try {
    const turn = (await (await fetchApi('POST', 'ask', { text, session_id: conversation ?? session })).json()) as Turn;
    receiveTurn(turn);
    return turn;
  } catch (error) {
    if (error instanceof ApiFailure) notify(error.message, error.fix);
    return null;
  }
}

/** What a tool answers. */
interface ToolAnswer<T> {
  ok: boolean;
  detail: T & { error?: string; message?: string; fix?: string };
  reply: string | null;
  /** Null for a tool that only looks. */
  turn: string | null;
}

/** Has a tool look. Where it cannot, why and what helps is in the failure. */
export async function look<T>(tool: string, args: Record<string, unknown> = {}): Promise<T> {
  const answer = (await (await fetchApi('POST', `tools/${tool}`, { args })).json()) as ToolAnswer<T>;
  if (answer.ok) return answer.detail;
  const { error, message, fix } = answer.detail;
  throw new ApiFailure(422, error ?? 'failed', `${message ?? error ?? ''}.`, fix ?? '');
}

/** Has a tool change something, in a turn of this page's conversation: what is asked first is asked as ever. `told` is `done`
 * where it was done, else what is asked or why it was not. */
export async function change(tool: string, args: Record<string, unknown>, done: string): Promise<{ ok: boolean; told: string }> {
  try {
    const body = { args, session_id: session };
    const answer = (await (await fetchApi('POST', `tools/${tool}`, body)).json()) as ToolAnswer<object>;
    if (answer.turn !== null) claim(answer.turn);
    if (answer.ok) return { ok: true, told: done };
    const { message = '', fix = '' } = answer.detail;
    return { ok: false, told: [answer.reply ?? message, fix].filter((part) => part !== '').join(' ') };
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    return { ok: false, told: `${error.message} ${error.fix}` };
  }
}

export interface Switch {
  kind: 'switch';
  isOn: boolean;
  on: Act;
  off: Act;
}
export interface Buttons {
  kind: 'buttons';
  acts: Act[];
}
export type Control = Switch | Buttons | null;

/** Buttons a thing has, by what its domain can do. */
export function control(entity: Entity): Control {
  if (entity.state === 'unavailable') return null;
  const isOneOf = (...states: string[]) => states.includes(entity.state);
  switch (entity.domain) {
    case 'light':
    case 'switch':
    case 'fan':
    case 'input_boolean':
    case 'siren':
    case 'humidifier':
      return { kind: 'switch', isOn: entity.state === 'on', on: 'on', off: 'off' };
    case 'media_player':
      return { kind: 'switch', isOn: !isOneOf('off', 'standby'), on: 'on', off: 'off' };
    case 'cover':
    case 'valve':
      return { kind: 'buttons', acts: ['open', 'close'] };
    case 'lock':
      return { kind: 'buttons', acts: isOneOf('locked', 'locking') ? ['unlock'] : ['lock'] };
    case 'scene':
      return { kind: 'buttons', acts: ['activate'] };
    case 'script':
      return { kind: 'buttons', acts: ['run'] };
    case 'vacuum':
      return { kind: 'buttons', acts: isOneOf('cleaning') ? ['dock'] : ['clean'] };
    case 'lawn_mower':
      return { kind: 'buttons', acts: isOneOf('mowing') ? ['dock'] : ['mow'] };
    default:
      return null;
  }
}
