import { useState } from 'preact/hooks';
import { ApiFailure, fetchApi, get } from '../api';
import { ask, change } from '../commands';
import type { Timer } from '../events';
import { Form, Panel, Sure, useReading } from '../parts';
import { send } from '../socket';
import { clockNow, connection, notify, spokenLanguage, timerChanges } from '../store';
import { countdown, inLanguage, left, moment, recurrence, t, type TextKey } from '../text';
import { Move, NewAlarm, NewReminder } from './due';
import { Automations, NewRoutine } from './routines';
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
  return t('timers.left', { time: left(Date.parse(timer.due_at) - clockNow.value) });
}

/** How long what rings is quiet when it is put off. */
export const SNOOZE_MINUTES = 10;

/** Has everything that rings ring again later. */
export async function snooze(): Promise<void> {
  const { ok, told } = await change('timer.snooze', { minutes: SNOOZE_MINUTES }, t('timers.snoozed', { minutes: SNOOZE_MINUTES }));
  notify(told, '', !ok);
}

function Row({ timer, done }: { timer: Timer; done: () => void }) {
  const name = nameOf(timer);
  const [isMoved, setIsMoved] = useState(false);
  const isAway = connection.value !== 'open';
  const pause = async () => {
    const tool = timer.state === 'paused' ? 'timer.resume' : 'timer.pause';
    const { ok, told } = await change(tool, { id: timer.id }, '');
    if (!ok) notify(told, '');
    done();
  };
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
      <span class="row wrap">
        {timer.state === 'ringing' && (
          <>
            <button type="button" aria-label={t('timers.snooze', { minutes: SNOOZE_MINUTES, name })} onClick={() => void snooze().then(done)} disabled={isAway}>
              {t('timers.snooze.short', { minutes: SNOOZE_MINUTES })}
            </button>
            <button type="button" aria-label={t('timers.silence', { name })} onClick={() => send({ type: 'stop' })} disabled={isAway}>
              {t('now.stop')}
            </button>
          </>
        )}
        {timer.kind === 'timer' && timer.state !== 'ringing' && (
          <button
            type="button"
            aria-label={t(timer.state === 'paused' ? 'timers.resume' : 'timers.pause', { name })}
            onClick={() => void pause()}
            disabled={isAway}
          >
            {t(timer.state === 'paused' ? 'timers.resume.short' : 'timers.pause.short')}
          </button>
        )}
        {(timer.kind === 'alarm' || timer.kind === 'reminder') && timer.state !== 'ringing' && (
          <button
            type="button"
            aria-expanded={isMoved}
            aria-label={t('timers.move', { name })}
            onClick={() => setIsMoved(!isMoved)}
            disabled={isAway}
          >
            {t('timers.move.short')}
          </button>
        )}
        <button type="button" aria-label={t('timers.cancel', { name })} onClick={() => void cancel()} disabled={isAway}>
          {t('timers.cancel.short')}
        </button>
      </span>
      {isMoved && (
        <Move
          timer={timer}
          name={name}
          done={() => {
            setIsMoved(false);
            done();
          }}
        />
      )}
      {timer.kind === 'timer' && <i class="timer-bar" style={{ width: `${share * 100}%` }} />}
    </li>
  );
}

/** Kinds that are taken away all at once. */
const CLEARED = ['timer', 'alarm', 'reminder'];

async function cancelAll(kind: string): Promise<void> {
  const { ok, told } = await change(`${kind}.cancel_all`, {}, t('timers.all.done'));
  notify(told, '', !ok);
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
      <Form class="filters" submit={start}>
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
      </Form>
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
      <Form class="filters" submit={say}>
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
      </Form>
      <p role="status">{answer}</p>
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
          <Panel
            key={kind}
            title={t(`timers.${kind}` as TextKey)}
            id={`timers-${kind}`}
            aside={
              list.length > 1 && CLEARED.includes(kind) && connection.value === 'open' ? (
                <Sure
                  label={t('timers.all')}
                  name={`${t('timers.all')}: ${t(`timers.${kind}` as TextKey)}`}
                  question={t('timers.all.sure')}
                  yes={t('timers.all')}
                  onYes={() => void cancelAll(kind).then(done)}
                />
              ) : null
            }
          >
            <ul class="plain-list">
              {list.map((timer) => (
                <Row key={timer.id} timer={timer} done={done} />
              ))}
            </ul>
          </Panel>
        ))}
      <HandedOn />
      <Automations changes={changes} done={done} />
      <div class="columns">
        <NewTimer done={done} />
        <NewAlarm done={done} />
        <NewReminder done={done} />
        <NewRoutine done={done} />
      </div>
      <InWords done={done} />
    </>
  );
}
