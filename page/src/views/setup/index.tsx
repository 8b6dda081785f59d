/** The first five minutes: what `hark setup` asks in a terminal. Every step can be left out, and done again. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { fetchApi, get } from '../../api';
import type { Health, Json } from '../../events';
import { Panel, tellFailure, useReading, useTick } from '../../parts';
import { connection, health } from '../../store';
import { t, type TextKey } from '../../text';
import { Unlock, shown, type Key } from '../settings';
import { BrokerStep, HomeAssistantStep, ModelStep, RoomsStep } from './house';
import type { Choices, StepProps } from './parts';
import { LanguageStep, MicrophoneStep, SpeakerStep, VoiceStep, WakeStep } from './sound';
import { TestStep } from './test';

const STEPS = [
  ['language', LanguageStep],
  ['speaker', SpeakerStep],
  ['voice', VoiceStep],
  ['microphone', MicrophoneStep],
  ['wake', WakeStep],
  ['home-assistant', HomeAssistantStep],
  ['broker', BrokerStep],
  ['rooms', RoomsStep],
  ['model', ModelStep],
  ['test', TestStep],
] as const;
type StepName = (typeof STEPS)[number][0];

interface Keys {
  file: string;
  may_change: boolean;
  sections: { keys: Key[] }[];
}

/** What is so by now, in short. */
function state(step: StepName, of: (key: string) => Json | undefined): string {
  const text = (key: string) => (of(key) === 'none' ? t('setup.none') : String(of(key) ?? ''));
  switch (step) {
    case 'language':
      return text('speaking.language');
    case 'speaker':
      return text('audio.output_device');
    case 'voice':
      return text('speaking.voice');
    case 'microphone':
      return text('audio.input_device');
    case 'wake':
      return shown(of('wake.words'));
    case 'home-assistant':
      return text('homeassistant.url') || t('setup.none');
    case 'broker':
      return text('mqtt.url') || t(of('mqtt.broker') === 'none' ? 'setup.none' : 'setup.broker.short');
    case 'rooms':
      return text('home.area') || t('setup.rooms.nowhere');
    case 'model':
      return text('llm.url') === '' ? t('setup.none') : text('llm.model');
    case 'test':
      return '';
  }
}

function Steps(props: { at: number; of: (key: string) => Json | undefined; results: Record<string, string> }) {
  return (
    <ol class="steps" aria-label={t('setup.steps')}>
      {STEPS.map(([name], index) => (
        <li key={name} class={name in props.results ? 'done' : ''}>
          <a href={`#/setup/${name}`} aria-current={index === props.at ? 'step' : undefined}>
            <span>
              {index + 1}. {t(`setup.${name}` as TextKey)}
            </span>
            <small class="dim">{state(name, props.of)}</small>
          </a>
        </li>
      ))}
    </ol>
  );
}

function Restart({ pending }: { pending: string[] }) {
  const [told, setTold] = useState('');
  const restart = async () => {
    try {
      await fetchApi('POST', 'restart');
      setTold(t('health.restart.done'));
    } catch (error) {
      tellFailure(error);
    }
  };
  return (
    <div role="status">
      {pending.length > 0 && (
        <div class="bar waits">
          <span>{t('settings.waits', { keys: pending.join(', ') })}</span>
          <button type="button" disabled={connection.value !== 'open'} onClick={() => void restart()}>
            {t('health.restart.go')}
          </button>
        </div>
      )}
      <p>{pending.length > 0 && told}</p>
    </div>
  );
}

function Step(props: { at: number; result: string; stepProps: StepProps }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const [name, Body] = STEPS[props.at] ?? STEPS[0];
  const isFirst = useRef(true);
  // Who goes on by the keyboard begins at the top of the step.
  useEffect(() => {
    if (!isFirst.current) heading.current?.focus();
    isFirst.current = false;
  }, [name]);
  const before = STEPS[props.at - 1]?.[0];
  const next = STEPS[props.at + 1]?.[0];
  return (
    <section class="panel step" aria-labelledby="step-title">
      <h2 id="step-title" ref={heading} tabIndex={-1}>
        {t('setup.step', { number: props.at + 1, of: STEPS.length, title: t(`setup.${name}` as TextKey) })}
      </h2>
      <p class="dim">{t(`setup.${name}.about` as TextKey)}</p>
      <Body key={name} {...props.stepProps} />
      <p role="status" class="good-text result">
        {props.result !== '' && `✓ ${props.result}`}
      </p>
      <div class="step-foot">
        {before === undefined ? <span /> : <a class="button" href={`#/setup/${before}`}>{t('setup.back')}</a>}
        <a class={`button ${props.result === '' ? '' : 'main'}`} href={`#/setup/${next ?? 'end'}`}>
          {t(props.result === '' ? 'setup.skip' : next === undefined ? 'setup.end' : 'setup.next')}
        </a>
      </div>
    </section>
  );
}

function Summary({ of, results, file }: { of: (key: string) => Json | undefined; results: Record<string, string>; file: string }) {
  return (
    <Panel title={t('setup.summary')} id="setup-summary">
      <dl class="facts">
        {STEPS.map(([name]) => (
          <div key={name}>
            <dt>
              <a href={`#/setup/${name}`}>{t(`setup.${name}` as TextKey)}</a>
            </dt>
            <dd>{results[name] ?? (state(name, of) || t('setup.skipped'))}</dd>
          </div>
        ))}
      </dl>
      <p class="dim">{t('settings.file', { file })}</p>
      <p>
        <a class="button main" href="#/now">
          {t('setup.finish')}
        </a>
      </p>
    </Panel>
  );
}

/** `wanted`: the step behind `#/setup/`; `end` for what is set by now. */
export function Setup({ wanted }: { wanted: string }) {
  const [changes, setChanges] = useState(0);
  const [results, setResults] = useState<Record<string, string>>({});
  const again = () => setChanges((before) => before + 1);
  const tick = useTick(5000);
  useReading(async () => {
    health.value = await get<Health>('health');
  }, [tick]);
  const { value, failure } = useReading(
    async () => {
      const [keys, choices] = await Promise.all([get<Keys>('config/keys'), get<Choices>('setup')]);
      return { keys, choices };
    },
    [changes],
  );
  const at = Math.max(0, STEPS.findIndex(([name]) => name === wanted));
  const all = value?.keys.sections.flatMap((section) => section.keys) ?? [];
  const of = (key: string) => all.find((one) => one.key === key)?.configured;
  const done = (told: string) => setResults((before) => ({ ...before, [STEPS[at]?.[0] ?? '']: told }));
  return (
    <>
      <h1>{t('setup.title')}</h1>
      <p class="dim lead">{t('setup.about')}</p>
      {failure !== null && <p class="bad-text">{failure}</p>}
      {value === null && failure === null && <p role="status">{t('settings.reading')}</p>}
      {value !== null && !value.keys.may_change && <Unlock done={again} />}
      {value !== null && value.keys.may_change && (
        <>
          <Restart pending={all.filter((key) => key.is_pending).map((key) => key.key)} />
          <div class="setup">
            {wanted === 'end' ? (
              <Summary of={of} results={results} file={value.keys.file} />
            ) : (
              <Step
                at={at}
                result={results[STEPS[at]?.[0] ?? ''] ?? ''}
                stepProps={{ choices: value.choices, of, again, done }}
              />
            )}
            <Steps at={wanted === 'end' ? -1 : at} of={of} results={results} />
          </div>
        </>
      )}
    </>
  );
}
