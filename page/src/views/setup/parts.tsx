/** What every step of setting up has: what is configured, what can be chosen, and how it is written. */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { ApiFailure, fetchApi } from '../../api';
import type { Json } from '../../events';
import { notify } from '../../store';
import { t } from '../../text';

export interface Choices {
  languages: { code: string; name: string }[];
  voices: { name: string; description: string }[];
  wake_words: { name: string; spoken: string }[];
  rooms: { id: string; name: string }[];
  sample: string;
  request: string;
}

export interface StepProps {
  choices: Choices;
  /** What the file says of a key. */
  of: (key: string) => Json | undefined;
  /** Reads it all anew. */
  again: () => void;
  /** What the step came to, in words. */
  done: (told: string) => void;
}

/** What does not work, with what helps; both are texts of the daemon, in English. */
export interface Trouble {
  message: string;
  fix: string;
}

export function trouble(error: unknown): Trouble {
  if (!(error instanceof ApiFailure)) throw error;
  const [mistake] = error.mistakes;
  if (mistake) return { message: `${mistake.key}: ${mistake.message}`, fix: mistake.fix };
  return { message: error.message, fix: error.status === 403 ? t('operator.needed') : error.fix };
}

export async function post<T>(path: string, body: unknown): Promise<T> {
  return (await (await fetchApi('POST', `setup/${path}`, body)).json()) as T;
}

/** Writes keys; false where that was refused, which is told. */
export async function writeKeys(changes: Record<string, Json>): Promise<boolean> {
  try {
    await fetchApi('PATCH', 'config', { changes });
    return true;
  } catch (error) {
    const { message, fix } = trouble(error);
    notify(message, fix);
    return false;
  }
}

/** Something that takes its time, one at a time, and what did not work of it. */
export function useWork(): {
  isBusy: boolean;
  failed: Trouble | null;
  setFailed: (failed: Trouble | null) => void;
  work: (what: () => Promise<void>) => void;
} {
  const [isBusy, setIsBusy] = useState(false);
  const [failed, setFailed] = useState<Trouble | null>(null);
  const work = (what: () => Promise<void>) => {
    setIsBusy(true);
    setFailed(null);
    what()
      .catch((error: unknown) => setFailed(trouble(error)))
      .finally(() => setIsBusy(false));
  };
  return { isBusy, failed, setFailed, work };
}

export function Failed({ of }: { of: Trouble | null }) {
  return (
    <div role="alert">
      {of !== null && (
        <p class="bad-text" lang="en">
          {of.message}
          {of.fix !== '' && <small> {t('health.fix', { fix: of.fix })}</small>}
        </p>
      )}
    </div>
  );
}

export interface Option {
  value: string;
  label: string;
  about?: string;
}

/** One of several. */
export function Options(props: { legend: string; value: string; options: Option[]; onChange: (value: string) => void }) {
  return (
    <fieldset class="options">
      <legend>{props.legend}</legend>
      {props.options.map((one) => (
        <label key={one.value} class="option">
          <input
            type="radio"
            name={props.legend}
            value={one.value}
            checked={one.value === props.value}
            onChange={() => props.onChange(one.value)}
          />
          <span>
            {one.label}
            {one.about !== undefined && one.about !== '' && (
              <small class="dim" lang="en">
                {one.about}
              </small>
            )}
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** A form that does something with its main button. */
export function Doing(props: { go: string; isBusy: boolean; act: () => void; children: ComponentChildren; more?: ComponentChildren }) {
  return (
    <form
      class="step-form"
      onSubmit={(event) => {
        event.preventDefault();
        props.act();
      }}
    >
      {props.children}
      <div class="row wrap">
        <button type="submit" class="main" disabled={props.isBusy}>
          {props.go}
        </button>
        {props.more}
      </div>
    </form>
  );
}
