import { useState } from 'preact/hooks';
import { ApiFailure, fetchApi, get } from '../api';
import { ask } from '../commands';
import type { Timer } from '../events';
import { Panel, useReading } from '../parts';
import { clockNow, connection, entries, notify, spokenLanguage, timerChanges } from '../store';
import { countdown, inLanguage, moment, recurrence, t, type TextKey } from '../text';
import { HandedOn } from './task';

const KINDS = ['timer', 'alarm', 'reminder', 'command'];

export function nameOf(timer: Timer): string {
  if (timer.name !== null) return timer.name;
  return KINDS.includes(timer.kind) ? t(`timers.unnamed.${timer.kind}` as TextKey) : timer.kind;
}

export function leftOf(timer: Timer): string {
  if (timer.state === 'ringing') return t('timers.ringing');
  if (timer.remaining_ms !== null) return t('timers.paused', { time: countdown(timer.remaining_ms) });
  if (timer.due_at === null) return '';
  return t('timers.left', { time: countdown(Date.parse(timer.due_at) - clockNow.value) });
}

function Row({ timer, done }: { timer: Timer; done: () => void }) {
  const name = nameOf(timer);
  const cancel = async () => {
    try {
      await fetchApi('DELETE', `timers/${encodeURIComponent(timer.id)}`);
      notify(t('timers.cancelled', { name }), '', false);
    } catch (error) {
      if (error instanceof ApiFailure) notify(error.message, error.fix);
    }
    done();
  };
  const total = timer.duration_ms;
  const rest = timer.remaining_ms ?? (timer.due_at === null ? 0 : Date.parse(timer.due_at) - clockNow.value);
  const share = total > 0 ? Math.max(0, Math.min(1, rest / total)) : 0;
  return (
    <li class={`timer ${timer.state}`}>
      <div class="timer-text">
        <strong>{name}</strong>
        {timer.area && <span class="dim"> {timer.area}</span>}
        <p class="dim">
          {timer.due_at !== null && <time dateTime={timer.due_at}>{t('timers.due', { time: moment(timer.due_at) })}</time>}
          {timer.recurrence && (
            <>
              {' '}
              · {t('timers.repeats')} {recurrence(timer.recurrence)}
            </>
          )}
        </p>
      </div>
      <span class="timer-left">{leftOf(timer)}</span>
      <button type="button" aria-label={t('timers.cancel', { name })} onClick={() => void cancel()} disabled={connection.value !== 'open'}>
        {t('timers.cancel.short')}
      </button>
      {timer.kind === 'timer' && <i class="timer-bar" style={{ width: `${share * 100}%` }} />}
    </li>
  );
}

function NewTimer({ done }: { done: () => void }) {
  const [minutes, setMinutes] = useState(5);
  const [name, setName] = useState('');
  const [answer, setAnswer] = useState('');
  const start = async () => {
    const key = name.trim() === '' ? 'timers.phrase' : 'timers.phrase.named';
    const turn = await ask(inLanguage(spokenLanguage.value, key, { name: name.trim(), minutes }));
    setAnswer(turn?.reply ?? '');
    if (turn) setName('');
    done();
  };
  return (
    <Panel title={t('timers.add')} id="timers-add">
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          void start();
        }}
      >
        <label class="field">
          <span>{t('timers.minutes')}</span>
          <input
            type="number"
            min={1}
            max={1440}
            required
            value={minutes}
            onInput={(event) => setMinutes(event.currentTarget.valueAsNumber)}
          />
        </label>
        <label class="field grow">
          <span>{t('timers.label')}</span>
          <input type="text" maxLength={60} value={name} autocomplete="off" onInput={(event) => setName(event.currentTarget.value)} />
        </label>
        <button type="submit" class="main" disabled={connection.value !== 'open'}>
          {t('timers.start')}
        </button>
      </form>
      <p role="status">{answer}</p>
    </Panel>
  );
}

function InWords({ done }: { done: () => void }) {
  const [text, setText] = useState('');
  const [answer, setAnswer] = useState('');
  const say = async () => {
    const turn = await ask(text.trim());
    setAnswer(turn?.reply ?? '');
    if (turn?.outcome === 'done') setText('');
    done();
  };
  return (
    <Panel title={t('timers.words')} id="timers-words">
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          void say();
        }}
      >
        <label class="field grow">
          <span>{t('timers.words.about')}</span>
          <input
            type="text"
            required
            maxLength={1000}
            placeholder={t('timers.words.placeholder')}
            value={text}
            autocomplete="off"
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="main" disabled={connection.value !== 'open'}>
          {t('timers.words.go')}
        </button>
      </form>
      <p role="status">{answer}</p>
    </Panel>
  );
}

interface Automation {
  id: string;
  said: string;
  said_when: string;
  action: 'request' | 'restore';
  devices: string[];
  repeats: boolean;
  conditions: number;
  next_at: string | null;
}

function Automations({ changes, done }: { changes: number; done: () => void }) {
  const newest = entries.value.findLast((entry) => entry.story.outcome !== null)?.turn;
  const { value, failure } = useReading(
    async () => (await get<{ automations: Automation[] }>('automations')).automations,
    [changes, newest],
  );
  const named = (one: Automation) => {
    const what = one.action === 'restore' ? t('automations.restore', { devices: one.devices.join(', ') }) : one.said;
    return [what, one.said_when].filter((part) => part !== '').join(', ') || t('automations.unnamed');
  };
  const remove = async (one: Automation) => {
    try {
      await fetchApi('DELETE', `automations/${encodeURIComponent(one.id)}`);
      notify(t('automations.removed', { name: named(one) }), '', false);
    } catch (error) {
      if (error instanceof ApiFailure) notify(error.message, error.fix);
    }
    done();
  };
  if (failure !== null) return <p class="bad-text">{failure}</p>;
  if (value === null || value.length === 0) return null;
  return (
    <Panel title={t('automations.title')} id="automations">
      <ul class="plain-list">
        {value.map((one) => (
          <li key={one.id} class="fact">
            <div>
              <strong>{named(one)}</strong>
              <p class="dim small-text">
                {[
                  t(one.repeats ? 'automations.repeats' : 'automations.once'),
                  one.conditions > 0 ? t('automations.conditions', { count: one.conditions }) : '',
                  one.next_at === null ? '' : t('automations.next', { time: moment(one.next_at) }),
                ]
                  .filter((part) => part !== '')
                  .join(' · ')}
              </p>
            </div>
            <button
              type="button"
              aria-label={t('automations.remove', { name: named(one) })}
              disabled={connection.value !== 'open'}
              onClick={() => void remove(one)}
            >
              {t('automations.remove.short')}
            </button>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

export function Timers() {
  const [changes, setChanges] = useState(0);
  const { value, failure } = useReading(async () => (await get<{ timers: Timer[] }>('timers')).timers, [
    changes,
    timerChanges.value,
  ]);
  const done = () => setChanges((before) => before + 1);
  const groups = [...KINDS, 'other'].map((kind) => ({
    kind,
    list: (value ?? []).filter((timer) => (kind === 'other' ? !KINDS.includes(timer.kind) : timer.kind === kind)),
  }));
  return (
    <>
      <h1>{t('timers.title')}</h1>
      {failure !== null && <p class="bad-text">{failure}</p>}
      {value?.length === 0 && <p class="lead">{t('timers.none')}</p>}
      {groups
        .filter(({ list }) => list.length > 0)
        .map(({ kind, list }) => (
          <Panel key={kind} title={t(`timers.${kind}` as TextKey)} id={`timers-${kind}`}>
            <ul class="plain-list">
              {list.map((timer) => (
                <Row key={timer.id} timer={timer} done={done} />
              ))}
            </ul>
          </Panel>
        ))}
      <HandedOn />
      <Automations changes={changes} done={done} />
      <NewTimer done={done} />
      <InWords done={done} />
    </>
  );
}
