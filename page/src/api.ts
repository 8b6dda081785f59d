/** REST: requests relative to the page, with the token where one is needed. */

import { signal } from '@preact/signals';

const TOKEN_KEY = 'hark.token';

/** Storage can be forbidden (private windows, embedded pages); the page works without. */
export function stored(storage: () => Storage, key: string): string | null {
  try {
    return storage().getItem(key);
  } catch {
    return null;
  }
}

export function store(storage: () => Storage, key: string, value: string | null): void {
  try {
    if (value === null) storage().removeItem(key);
    else storage().setItem(key, value);
  } catch {
    // Kept for this page only.
  }
}

export const token = signal<string | null>(stored(() => sessionStorage, TOKEN_KEY));
/** The daemon asks for a token; `wrong` once one was refused. */
export const tokenNeeded = signal<'no' | 'missing' | 'wrong'>('no');

export function useToken(value: string): void {
  token.value = value;
  store(() => sessionStorage, TOKEN_KEY, value);
}

/** What is wrong in a configuration. */
export interface Mistake {
  key: string;
  message: string;
  fix: string;
}

export class ApiFailure extends Error {
  constructor(
    readonly status: number,
    readonly kind: string,
    message: string,
    readonly fix: string,
    readonly mistakes: Mistake[] = [],
  ) {
    super(message);
  }
}

export function address(path: string): URL {
  return new URL(path, document.baseURI);
}

export async function fetchApi(method: string, path: string, body?: unknown, timeoutMs = 100_000): Promise<Response> {
  const headers: Record<string, string> = {};
  if (token.value !== null) headers['Authorization'] = `Bearer ${token.value}`;
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  const request: RequestInit = { method, headers, signal: AbortSignal.timeout(timeoutMs) };
  if (body !== undefined) request.body = JSON.stringify(body);
  let response: Response;
  try {
    response = await fetch(address(`api/v1/${path}`), request);
  } catch (error) {
    throw new ApiFailure(0, 'away', error instanceof Error ? error.message : String(error), '');
  }
  if (response.ok) return response;
  let told: { kind?: string; message?: string; fix?: string; mistakes?: Mistake[] } = {};
  try {
    told = ((await response.json()) as { error?: typeof told }).error ?? {};
  } catch {
    // A proxy in between answers in its own way.
  }
  // Without Hark's own word it is the proxy that wants something: behind Home Assistant's Ingress, a new session.
  if (response.status === 401 && told.kind === undefined) {
    throw new ApiFailure(0, 'away', `${response.status} ${response.statusText}`, '');
  }
  if (response.status === 401) tokenNeeded.value = token.value === null ? 'missing' : 'wrong';
  const message = told.message ?? `${response.status} ${response.statusText}`;
  throw new ApiFailure(response.status, told.kind ?? 'failed', message, told.fix ?? '', told.mistakes);
}

export async function get<T>(path: string, timeoutMs?: number): Promise<T> {
  return (await (await fetchApi('GET', path, undefined, timeoutMs)).json()) as T;
}

/** Whether a token is the operator's. Asked without taking it over: a wrong one would lock the page. */
export async function isOperator(value: string): Promise<boolean> {
  let answer: Response;
  try {
    answer = await fetch(address('api/v1/config/keys'), { headers: { Authorization: `Bearer ${value}` } });
  } catch (error) {
    throw new ApiFailure(0, 'away', error instanceof Error ? error.message : String(error), '');
  }
  if (!answer.ok) return false;
  return ((await answer.json()) as { may_change: boolean }).may_change;
}
