/** Small parts that several views have. */

import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ApiFailure } from './api';
import type { Fields, Json } from './events';
import { connection, notify } from './store';
import { t, word, type TextKey } from './text';

const ICONS = {
  now: 'M12 3a3 3 0 0 0-3 3v6a3 3 0 0 0 6 0V6a3 3 0 0 0-3-3zM5 11v1a7 7 0 0 0 14 0v-1M12 19v3',
  turns: 'M4 6h10M4 12h16M4 18h7',
  home: 'M3 11l9-7 9 7M6 9v11h12V9',
  timers: 'M12 6v7l4 3M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z',
  lists: 'M4 6h2M4 12h2M4 18h2M9 6h11M9 12h11M9 18h11',
  memory: 'M6 3h12v18l-6-4-6 4z',
  documents: 'M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6',
  notes: 'M5 3h14v18H5zM9 8h6M9 12h6M9 16h3',
  calendar: 'M4 5h16v15H4zM4 10h16M8 3v4M16 3v4',
  files: 'M3 6h7l2 2h9v11H3z',
  models: 'M12 3l8 4.5v9L12 21l-8-4.5v-9zM4 7.5l8 4.5 8-4.5M12 12v9',
  sessions: 'M4 5h16v11H10l-4 4v-4H4z',
  people: 'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4 20a8 8 0 0 1 16 0',
  settings: 'M4 7h10M18 7h2M4 17h2M10 17h10M16 4.5v5M8 14.5v5',
  health: 'M3 12h4l3-7 4 14 3-7h4',
  send: 'M4 12h14M12 5l7 7-7 7',
  stop: 'M6 6h12v12H6z',
  microphone: 'M12 3a3 3 0 0 0-3 3v6a3 3 0 0 0 6 0V6a3 3 0 0 0-3-3zM5 11v1a7 7 0 0 0 14 0v-1M12 19v3',
  picture: 'M3 5h18v14H3zM3 16l5-5 5 5 3-3 5 4',
  close: 'M6 6l12 12M18 6L6 18',
  light: 'M9 18h6M10 21h4M12 3a6 6 0 0 0-4 10.5V16h8v-2.5A6 6 0 0 0 12 3z',
  switch: 'M12 3v8M7 6a8 8 0 1 0 10 0',
  fan: 'M12 12c-2-4-1-8 1-9s4 3-1 9c4-2 8-1 9 1s-3 4-9-1c2 4 1 8-1 9s-4-3 1-9c-4 2-8 1-9-1s3-4 9 1z',
  cover: 'M4 4h16v16H4zM4 9h16M4 14h16',
  lock: 'M6 11h12v9H6zM8 11V7a4 4 0 0 1 8 0v4',
  climate: 'M10 4v10a4 4 0 1 0 4 0V4zM12 8v8',
  media_player: 'M9 18V5l10-2v13M9 18a3 3 0 1 1-3-3 3 3 0 0 1 3 3zM19 16a3 3 0 1 1-3-3 3 3 0 0 1 3 3z',
  vacuum: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8z',
  lawn_mower: 'M3 15h11l3-9h4M7 18a2 2 0 1 1-2-2 2 2 0 0 1 2 2zM17 18a2 2 0 1 1-2-2 2 2 0 0 1 2 2z',
  valve: 'M12 3c-4 5-6 8-6 11a6 6 0 0 0 12 0c0-3-2-6-6-11z',
  todo: 'M4 6h2M4 12h2M4 18h2M9 6h11M9 12h11M9 18h11',
  sensor: 'M4 18a9 9 0 1 1 16 0M12 15l4-5',
  binary_sensor: 'M12 3l9 9-9 9-9-9z',
  scene: 'M12 3l2.5 6.5L21 12l-6.5 2.5L12 21l-2.5-6.5L3 12l6.5-2.5z',
  script: 'M7 4l12 8-12 8z',
  thing: 'M8 8h8v8H8z',
} as const;

export type IconName = keyof typeof ICONS;

export function isIcon(name: string): name is IconName {
  return name in ICONS;
}

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={ICONS[name]} />
    </svg>
  );
}

/** A text whose words in backticks are to be typed. */
export function WithCode({ text }: { text: string }) {
  return <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>;
}

/** Whether a device is one: ALSA lists `null` everywhere, which is silent and hears nothing. */
export function isReal(device: { name: string }): boolean {
  return device.name !== 'null';
}

/** Tells why something was not done; what only the operator may do is unlocked under the settings. */
export function tellFailure(error: unknown): void {
  if (!(error instanceof ApiFailure)) throw error;
  notify(error.message, error.status === 403 ? t('operator.needed') : error.fix);
}

const GOOD = ['done', 'completed', 'well', 'passed', 'ready', 'installed'];
const BAD = ['failed', 'not_understood', 'problem', 'error', 'corrupt'];
const OPEN = ['awaiting_approval', 'awaiting_answer', 'running', 'lapsed', 'pending'];

export function Badge({ group, name }: { group: string; name: string }) {
  const kind = GOOD.includes(name) ? 'good' : BAD.includes(name) ? 'bad' : OPEN.includes(name) ? 'open' : 'plain';
  return <span class={`badge ${kind}`}>{word(group, name)}</span>;
}

export function Panel(props: { title: string; id: string; children: ComponentChildren; class?: string; aside?: ComponentChildren }) {
  return (
    <section class={`panel ${props.class ?? ''}`} aria-labelledby={props.id}>
      <div class="panel-head">
        <h2 id={props.id}>{props.title}</h2>
        {props.aside}
      </div>
      {props.children}
    </section>
  );
}

/** The names in a text with commas between them. */
export function byCommas(text: string): string[] {
  return text.split(',').map((one) => one.trim()).filter((one) => one !== '');
}

/** A form that the page handles itself; the browser sends nothing. */
export function Form(props: { submit: () => void | Promise<void>; class?: string; children: ComponentChildren; 'aria-label'?: string }) {
  const { submit, ...rest } = props;
  return (
    <form
      {...rest}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    />
  );
}

function written(value: Json | undefined): string {
  if (value === null || value === undefined) return '–';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Names with their values, as text. */
export function FieldList({ fields }: { fields: Fields }) {
  return (
    <dl class="fields">
      {Object.entries(fields).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{written(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

export function Pick(props: {
  label: string;
  value: string;
  options: [string, string][];
  onChange: (value: string) => void;
}) {
  return (
    <label class="field">
      <span>{props.label}</span>
      <select value={props.value} onChange={(event) => props.onChange(event.currentTarget.value)}>
        {props.options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A button that asks before it does what is not lightly taken back. */
export function Sure(props: { label: string; name: string; question: string; yes: string; onYes: () => void }) {
  const [isAsked, setIsAsked] = useState(false);
  if (!isAsked) {
    return (
      <button type="button" aria-label={props.name} onClick={() => setIsAsked(true)}>
        {props.label}
      </button>
    );
  }
  return (
    <div class="row wrap" role="group" aria-label={props.question}>
      <span role="alert">{props.question}</span>
      <button
        type="button"
        class="main"
        onClick={() => {
          setIsAsked(false);
          props.onYes();
        }}
      >
        {props.yes}
      </button>
      <button type="button" onClick={() => setIsAsked(false)}>
        {t('sure.no')}
      </button>
    </div>
  );
}

export function Search(props: { label: string; hint?: string; value: string; onInput: (value: string) => void }) {
  return (
    <label class="field grow">
      <span>{props.label}</span>
      <input
        type="search"
        placeholder={props.hint ?? ''}
        value={props.value}
        autocomplete="off"
        onInput={(event) => props.onInput(event.currentTarget.value)}
      />
    </label>
  );
}

/** Reads something when the page is connected, and again when one of `again` changes. */
export function useReading<T>(read: () => Promise<T>, again: unknown[] = []): { value: T | null; failure: string | null } {
  const [value, setValue] = useState<T | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const isOpen = connection.value === 'open';
  useEffect(() => {
    if (!isOpen) return undefined;
    let isGone = false;
    read().then(
      (found) => {
        if (isGone) return;
        setValue(() => found);
        setFailure(null);
      },
      (error: unknown) => {
        if (!isGone && error instanceof ApiFailure && error.status !== 0) setFailure(`${error.message} ${error.fix}`);
      },
    );
    return () => {
      isGone = true;
    };
  }, [isOpen, ...again]);
  return { value, failure };
}

/** Why something cannot be read, with what helps; what the daemon says of it is English. `part`: what is not there before
 * somebody has chosen it under Settings. */
export function Lacking({ why, part }: { why: string | null; part?: { text: TextKey; keys: string; isChosen: boolean } }) {
  if (why === null) return null;
  if (part !== undefined && !part.isChosen) {
    return (
      <div class="panel">
        <p>{t(part.text)}</p>
        <p>
          <a href={`#/settings/${part.keys}`}>{t('lacking.connect')}</a>
        </p>
        <p class="dim small-text" lang="en">
          {t('lacking.why', { why })}
        </p>
      </div>
    );
  }
  return (
    <p class="bad-text" role="alert" lang="en">
      {why}
    </p>
  );
}

/** A number that grows every so often while this is shown and the tab is looked at. */
export function useTick(everyMs: number): number {
  const [tick, setTick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') setTick((before) => before + 1);
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return tick;
}
