import { useEffect, useRef, useState } from 'preact/hooks';
import { get, store, stored } from '../api';
import { phrase } from '../commands';
import { Curves, type Series } from '../curves';
import { Figure, pose } from '../figure';
import { level, microphone, microphoneIsPossible, startMicrophone, stopMicrophone } from '../microphone';
import type { Entity, Timer } from '../events';
import { Badge, Icon, Panel, useReading } from '../parts';
import { still } from '../preferences';
import { MAX_PICTURES, picture, release, type Picture } from '../pictures';
import { useMeter } from '../meter';
import { send } from '../socket';
import {
  connection,
  curve,
  curveBegan,
  draft,
  entries,
  hasMicrophone,
  hasSpeaker,
  heard,
  meter,
  notify,
  sent,
  session,
  spokenLanguage,
  timerChanges,
  write,
  type Entry,
} from '../store';
import { clock, inLanguage, moment, number, t } from '../text';
import type { Plan } from '../story';
import { leftOf, nameOf } from './timers';

const MAX_CHARACTERS = 4096;

function Screen() {
  const shown = pose();
  const last = entries.value.at(-1);
  const isOpen = last !== undefined && last.story.outcome === null;
  const said = last?.story.transcript?.text ?? last?.story.partial;
  return (
    <section class={`screen pose-${shown}`} aria-label={t('now.screen')}>
      <Figure shown={shown} />
      <p class="pose">
        <span class="lamp" />
        {t(`pose.${shown}`)}
      </p>
      <div class="captions" aria-hidden="true">
        {last === undefined && <p class="dim">{t('now.nothing')}</p>}
        {said !== undefined && said !== null && (
          <p class="said" lang={last?.story.transcript?.language}>
            › {said}
            {isOpen && last.story.transcript === null && <span class="cursor" />}
          </p>
        )}
        {last?.story.reply && <p lang={last.story.language ?? undefined}>{last.story.reply}</p>}
      </div>
      {microphone.value === 'on' && <Meter />}
    </section>
  );
}

/** Level of the browser's microphone. */
function Meter() {
  const share = Math.max(0, Math.min(1, 1 + level.value / 60));
  return (
    <div class="meter" role="meter" aria-label={t('now.microphone.level')} aria-valuemin={-60} aria-valuemax={0} aria-valuenow={Math.round(Math.max(-60, level.value))}>
      {Array.from({ length: 24 }, (_, index) => (
        <i key={index} class={index / 24 < share ? 'lit' : ''} />
      ))}
    </div>
  );
}

function Signal() {
  useMeter();
  const isOn = microphone.value === 'on';
  const hasData = curveBegan.value || hasMicrophone.value;
  const isHeard = isOn || meter.value?.is_open === true;
  const everyMs = isHeard && !still.value ? 200 : 1000;
  const [, redraw] = useState(0);
  useEffect(() => {
    // The curve moves on while nothing happens.
    const timer = setInterval(() => redraw((before) => before + 1), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  if (!hasData) return null;
  const now = performance.now() / 1000;
  const lastSpeech = curve.at(-1)?.speech ?? 0;
  const shown = [...curve, { at: now, speech: lastSpeech, wake: null, level: null }];
  const series: Series[] = [
    { label: t('now.curve.speech'), colour: '--curve-speech', kind: 'area' },
    { label: t('now.curve.wake'), colour: '--curve-wake', kind: 'points' },
    { label: t('now.curve.level'), colour: '--curve-level', kind: 'line' },
  ];
  const data: [number[], (number | null)[], (number | null)[], (number | null)[]] = [
    shown.map((one) => one.at),
    shown.map((one) => one.speech),
    shown.map((one) => one.wake),
    shown.map((one) => one.level),
  ];
  const wake = heard.value[0];
  const label = t('now.signal.about', {
    speech: lastSpeech > 0 ? '1' : '0',
    wake: wake ? number(wake.score, 2) : '–',
    level: isOn ? `${Math.round(level.peek())} dB` : meter.value?.is_open ? `${Math.round(meter.value.level_dbfs)} dB` : '–',
  });
  return (
    <Panel title={t('now.signal')} id="signal">
      <Curves
        label={label}
        series={series}
        data={data}
        range={[0, 1.05]}
        axis={(value) => number(value, 1)}
        height={120}
        xRange={() => [performance.now() / 1000 - 60, performance.now() / 1000]}
      />
      {heard.value.length > 0 && (
        <>
          <h3>{t('now.heard')}</h3>
          <ul class="plain-list small-text">
            {heard.value.map((one) => (
              <li key={`${one.at}-${one.score}`}>
                {clock(new Date(one.at).toISOString())} {one.word.replaceAll('_', ' ')} {number(one.score, 2)}{' '}
                <span class="dim">{one.why === null ? t('now.heard.yes') : t('now.heard.no', { why: one.why })}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </Panel>
  );
}

export function PlanSteps({ plan }: { plan: Plan }) {
  return (
    <div class="plan">
      <p>
        <strong>{t('plan')}:</strong> {plan.summary}
      </p>
      <ol>
        {plan.steps.map((step) => (
          <li key={step.id} class={`step-${step.status}`}>
            {step.description} <Badge group="step" name={step.status} />
            {step.message ? <small class="dim"> {step.message}</small> : null}
          </li>
        ))}
      </ol>
    </div>
  );
}

/** Outcomes of requests that were taken for something. */
const LEARNABLE = ['done', 'failed'];

function Exchange({ entry, isLast }: { entry: Entry; isLast: boolean }) {
  const { story } = entry;
  const said = story.transcript?.text ?? story.partial;
  const outcome = story.outcome ?? 'open';
  return (
    <li class={`exchange ${entry.isOwn ? 'own' : ''}`}>
      {said !== null && said !== undefined && (
        <p class="bubble you" lang={story.transcript?.language}>
          <span class="unseen">{t('now.you')}: </span>
          {said}
          {story.transcript === null && story.outcome === null && <span class="cursor" />}
        </p>
      )}
      {story.plans.map((plan) => (
        <PlanSteps key={plan.id} plan={plan} />
      ))}
      {story.reply !== null ? (
        <p class="bubble hark" lang={story.language ?? undefined}>
          <span class="unseen">{t('name')}: </span>
          {story.reply}
          {!story.replied && story.outcome === null && <span class="cursor" />}
        </p>
      ) : (
        story.outcome === null && <p class="bubble hark dim">{t('now.thinking')}</p>
      )}
      <p class="meta">
        <time dateTime={entry.at}>{moment(entry.at)}</time>
        {outcome !== 'done' && <Badge group="outcome" name={outcome} />}
        <a href={`#/turns/${encodeURIComponent(entry.turn)}`}>
          {t('now.details')}
          <span class="unseen">: {said ?? story.reply ?? entry.turn}</span>
        </a>
        {isLast && entry.isOwn && story.transcript !== null && story.intents.length > 0 && LEARNABLE.includes(outcome) && (
          <button
            type="button"
            class="link"
            onClick={() => {
              write(inLanguage(spokenLanguage.value, 'wrong.phrase'));
              document.getElementById('ask')?.focus();
            }}
          >
            {t('now.wrong')}
          </button>
        )}
      </p>
    </li>
  );
}

function Conversation() {
  const list = useRef<HTMLDivElement>(null);
  const all = entries.value;
  const newest = all.at(-1);
  useEffect(() => {
    const box = list.current;
    if (box) box.scrollTop = box.scrollHeight;
  }, [all.length, newest?.story.reply, newest?.events.length, sent.value.length]);
  return (
    <div class="conversation panel">
      <h2 id="conversation">{t('now.conversation')}</h2>
      <div class="scroll" ref={list} tabIndex={0} role="region" aria-labelledby="conversation">
        {all.length === 0 && sent.value.length === 0 && (
          <>
            <p class="dim">{t('now.empty')}</p>
            <p>
              <a href="#/setup">{t('now.setup')}</a>
            </p>
          </>
        )}
        <ol class="plain-list">
          {all.map((entry, index) => (
            <Exchange key={entry.turn} entry={entry} isLast={index === all.length - 1} />
          ))}
          {sent.value.map((one) => (
            <li key={`sent-${one.id}`} class="exchange own">
              <p class="bubble you">{one.text}</p>
              <p class="meta">{t('now.sending')}</p>
            </li>
          ))}
        </ol>
      </div>
    </div>
  );
}

let sentId = 0;

function Composer() {
  const [pictures, setPictures] = useState<Picture[]>([]);
  const [isAloud, setIsAloud] = useState(stored(() => localStorage, 'hark.aloud') === 'yes');
  const [isOver, setIsOver] = useState(false);
  const files = useRef<HTMLInputElement>(null);
  const box = useRef<HTMLTextAreaElement>(null);
  const isOpen = connection.value === 'open';
  const text = draft.value;

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    element.style.height = 'auto';
    element.style.height = `${Math.min(160, element.scrollHeight + 2)}px`;
  }, [text]);

  const submit = () => {
    // The daemon takes one line.
    const content = text.replace(/[\n\r\t]/g, ' ').trim();
    if (content === '' || !isOpen) return;
    const images = pictures.map(({ media_type, base64 }) => ({ media_type, base64 }));
    const mode = isAloud && hasSpeaker.value ? 'voice' : 'chat';
    const message = { type: 'chat', content, mode, session_id: session, ...(images.length > 0 ? { images } : {}) };
    if (!send(message)) return;
    sentId += 1;
    sent.value = [...sent.value, { id: sentId, text: content }];
    write('');
    pictures.forEach(release);
    setPictures([]);
  };

  const add = async (list: File[]) => {
    const found: Picture[] = [];
    for (const file of list) {
      if (pictures.length + found.length >= MAX_PICTURES) {
        notify(t('now.picture.many', { count: MAX_PICTURES }));
        break;
      }
      try {
        found.push(await picture(file));
      } catch {
        notify(t('now.picture.bad', { name: file.name }));
      }
    }
    setPictures((before) => [...before, ...found].slice(0, MAX_PICTURES));
  };

  const toggleMicrophone = async () => {
    if (microphone.value !== 'off') {
      stopMicrophone();
      return;
    }
    try {
      await startMicrophone();
    } catch (error) {
      notify(t('now.microphone.refused', { why: error instanceof Error ? error.message : String(error) }));
    }
  };

  return (
    <form
      class={`composer ${isOver ? 'over' : ''}`}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setIsOver(false);
        void add([...(event.dataTransfer?.files ?? [])]);
      }}
    >
      {isOver && <p class="drop">{t('now.picture.drop')}</p>}
      {pictures.length > 0 && (
        <ul class="pictures">
          {pictures.map((one) => (
            <li key={one.id}>
              <img src={one.preview} alt={one.name} />
              <button
                type="button"
                aria-label={t('now.picture.remove', { name: one.name })}
                onClick={() => {
                  release(one);
                  setPictures(pictures.filter((other) => other.id !== one.id));
                }}
              >
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <div class="ask-row">
        <textarea
          id="ask"
          ref={box}
          rows={1}
          maxLength={MAX_CHARACTERS}
          aria-label={t('now.ask')}
          placeholder={t('now.placeholder')}
          value={text}
          onInput={(event) => write(event.currentTarget.value)}
          onPaste={(event) => {
            const pasted = event.clipboardData?.files;
            if (pasted && pasted.length > 0) {
              event.preventDefault();
              void add([...pasted]);
            }
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
              event.preventDefault();
              submit();
            }
          }}
        />
        <button type="submit" class="main" disabled={!isOpen || text.trim() === ''}>
          <Icon name="send" />
          <span>{t('now.send')}</span>
        </button>
      </div>
      <div class="tools">
        {microphoneIsPossible ? (
          <button
            type="button"
            class={`microphone ${microphone.value}`}
            aria-pressed={microphone.value !== 'off'}
            disabled={!isOpen && microphone.value === 'off'}
            onClick={() => void toggleMicrophone()}
          >
            <Icon name="microphone" />
            <span>
              {t(
                microphone.value === 'off'
                  ? 'now.microphone.on'
                  : microphone.value === 'on'
                    ? 'now.microphone.off'
                    : 'now.microphone.starting',
              )}
            </span>
          </button>
        ) : null}
        <button type="button" onClick={() => files.current?.click()}>
          <Icon name="picture" />
          <span>{t('now.picture')}</span>
        </button>
        <input
          ref={files}
          type="file"
          accept="image/*"
          multiple
          hidden
          onChange={(event) => {
            void add([...(event.currentTarget.files ?? [])]);
            event.currentTarget.value = '';
          }}
        />
        <button type="button" title={t('now.stop.hint')} disabled={!isOpen} onClick={() => send({ type: 'stop' })}>
          <Icon name="stop" />
          <span>{t('now.stop')}</span>
        </button>
        {hasSpeaker.value && (
          <label class="check">
            <input
              type="checkbox"
              checked={isAloud}
              onChange={(event) => {
                setIsAloud(event.currentTarget.checked);
                store(() => localStorage, 'hark.aloud', event.currentTarget.checked ? 'yes' : null);
              }}
            />
            {t('now.aloud')}
          </label>
        )}
      </div>
      {microphone.value === 'on' && <p class="hint">{t('now.hears')}</p>}
      {!microphoneIsPossible && <p class="hint dim">{t('now.microphone.insecure')}</p>}
    </form>
  );
}

/** What rings next. */
function Next() {
  const { value } = useReading(async () => (await get<{ timers: Timer[] }>('timers')).timers, [timerChanges.value]);
  const due = (value ?? [])
    .filter((timer) => timer.due_at !== null)
    .sort((a, b) => Date.parse(a.due_at ?? '') - Date.parse(b.due_at ?? ''))
    .slice(0, 3);
  if (due.length === 0) return null;
  return (
    <Panel title={t('now.next')} id="next">
      <ul class="plain-list next">
        {due.map((timer) => (
          <li key={timer.id}>
            <span>{nameOf(timer)}</span>
            <span class="timer-left">{leftOf(timer)}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** Requests to begin with, some with things of this home. */
function Try() {
  const { value } = useReading(async () => (await get<{ entities: Entity[] }>('entities')).entities);
  const language = spokenLanguage.value;
  const first = (domain: string) => value?.find((entity) => entity.domain === domain && entity.state !== 'unavailable');
  const [light, cover] = [first('light'), first('cover')];
  const requests = [
    ...(light ? [phrase('on', light, null)] : []),
    ...(cover ? [phrase('close', cover, null)] : []),
    ...(['try.time', 'try.timer', 'try.lights'] as const).map((key) => inLanguage(language, key)),
  ];
  return (
    <Panel title={t('now.try')} id="try" class="try">
      <p class="dim small-text">{t('now.try.about')}</p>
      <div class="chips">
        {requests.map((request) => (
          <button
            key={request}
            type="button"
            lang={language}
            onClick={() => {
              write(request);
              document.getElementById('ask')?.focus();
            }}
          >
            {request}
          </button>
        ))}
      </div>
    </Panel>
  );
}

export function Now() {
  return (
    <>
      <h1 class="unseen">{t('nav.now')}</h1>
      <div class="now">
        <div class="left">
          <Screen />
          <Signal />
          <Next />
          <Try />
        </div>
        <div class="right">
          <Conversation />
          <Composer />
        </div>
      </div>
    </>
  );
}
