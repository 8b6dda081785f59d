/** The WebSocket: opened again whenever it closes, with a growing pause. */

import { ApiFailure, address, get, token, tokenNeeded } from './api';
import type { HarkEvent, Health, Model } from './events';
import {
  connection,
  giveBack,
  health,
  meter,
  models,
  notify,
  readConfiguration,
  readRecent,
  readRinging,
  receive,
  refusal,
  state,
  type Meter,
} from './store';

const FIRST_PAUSE_MS = 400;
const LONGEST_PAUSE_MS = 15_000;
const LIFE_TIMEOUT_MS = 5000;

let socket: WebSocket | null = null;
let attempts = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
let isConnecting = false;

type Message =
  | { type: 'event'; data: HarkEvent; session_id?: string }
  | { type: 'content' | 'plan' | 'step_update' | 'complete'; data: HarkEvent & { session_id?: string } }
  | { type: 'error'; data: { event?: string; kind: string; message: string; fix: string; session_id?: string } }
  | { type: 'models'; data: { models: Model[] } }
  | { type: 'meter'; data: Meter };

/** Whether it was sent. */
export function send(message: object): boolean {
  if (socket?.readyState !== WebSocket.OPEN) return false;
  socket.send(JSON.stringify(message));
  return true;
}

/** Sound of the microphone; dropped when it would pile up. */
export function sendSound(pcm: ArrayBuffer): void {
  if (socket?.readyState === WebSocket.OPEN && socket.bufferedAmount < 256 * 1024) socket.send(pcm);
}

function take(text: string): void {
  const message = JSON.parse(text) as Message;
  switch (message.type) {
    case 'event':
      receive(message.data, message.session_id ?? null);
      break;
    case 'content':
    case 'plan':
    case 'step_update':
    case 'complete': {
      // The same as an event, and sent even where events are left out.
      const { session_id: conversation, ...event } = message.data;
      receive(event as HarkEvent, conversation ?? null);
      break;
    }
    case 'error':
      if (message.data.event === undefined) {
        giveBack();
        notify(message.data.message, message.data.fix);
      }
      break;
    case 'meter':
      meter.value = message.data;
      break;
    case 'models':
      models.value = message.data.models;
      break;
  }
}

function later(): void {
  clearTimeout(timer);
  const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempts);
  attempts += 1;
  timer = setTimeout(() => void connect(), pause * (0.75 + Math.random() / 2));
}

function lost(): void {
  socket = null;
  giveBack();
  if (connection.value !== 'refused') connection.value = 'away';
  if (tokenNeeded.value === 'no') later();
}

export async function connect(): Promise<void> {
  clearTimeout(timer);
  if (isConnecting || socket !== null) return;
  isConnecting = true;
  try {
    // The reason of a refused WebSocket is not told to a page; that of a request is.
    const told = await get<Health>('health', LIFE_TIMEOUT_MS);
    health.value = told;
    state.value = told.state;
    tokenNeeded.value = 'no';
    refusal.value = null;
    open();
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 401) {
      connection.value = 'away';
    } else if (error instanceof ApiFailure && error.status === 403) {
      connection.value = 'refused';
      refusal.value = { message: error.message, fix: error.fix };
      later();
    } else {
      connection.value = 'away';
      later();
    }
  } finally {
    isConnecting = false;
  }
}

function open(): void {
  const url = address('ws');
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  url.hash = '';
  const protocols = ['hark', ...(token.value === null ? [] : [`hark.bearer.${token.value}`])];
  let made: WebSocket;
  try {
    made = new WebSocket(url, protocols);
  } catch {
    // A token with characters that no header may have.
    tokenNeeded.value = 'wrong';
    return;
  }
  socket = made;
  made.binaryType = 'arraybuffer';
  made.addEventListener('open', () => {
    attempts = 0;
    connection.value = 'open';
    const failed = (error: unknown) => {
      if (error instanceof ApiFailure && error.status !== 0) notify(error.message, error.fix);
    };
    readConfiguration().catch(failed);
    readRecent().catch(failed);
    readRinging().catch(failed);
  });
  made.addEventListener('message', (message) => {
    if (typeof message.data === 'string') take(message.data);
  });
  made.addEventListener('close', () => {
    if (socket === made) lost();
  });
}

async function look(): Promise<void> {
  if (socket === null) {
    attempts = 0;
    await connect();
    return;
  }
  // After sleep a connection can be dead without anybody having said so.
  const looked = socket;
  try {
    health.value = await get<Health>('health', LIFE_TIMEOUT_MS);
  } catch {
    looked.close();
    if (socket === looked) lost();
  }
}

export function stayConnected(): void {
  void connect();
  addEventListener('online', () => void look());
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void look();
  });
}
