import { useState } from 'preact/hooks';
import { fetchApi, get } from '../api';
import { tellFailure, useReading, useTick } from '../parts';
import { configured, connection, notify, readConfiguration } from '../store';
import { number, t } from '../text';

interface Training {
  state: 'idle' | 'running' | 'cancelled' | 'done' | 'failed';
  phrase: string | null;
  progress: { stage: 'speaking' | 'learning' | 'counting'; done: number; of: number } | null;
  word: {
    file: string;
    missed: number;
    said: number;
    near_wakes: number;
    near: number;
    false_wakes: number;
    other_speech_hours: number;
  } | null;
  message: string | null;
}

/** Where each stage begins in the whole, in percent: they take unequal times. */
const BEGINS = { speaking: 0, learning: 20, counting: 60 } as const;
const SHARES = { speaking: 20, learning: 40, counting: 40 } as const;

function Progress({ of, cancel }: { of: NonNullable<Training['progress']>; cancel: () => void }) {
  const share = of.of === 0 ? 0 : Math.min(1, of.done / of.of);
  const percent = Math.round(BEGINS[of.stage] + SHARES[of.stage] * share);
  return (
    <div class="row wrap">
      <progress class="grow" max={100} value={percent} aria-label={t('wake.progress')} />
      <span>{t('wake.stage', { percent: number(percent), stage: t(`wake.stage.${of.stage}`) })}</span>
      <button type="button" onClick={cancel}>
        {t('wake.cancel')}
      </button>
    </div>
  );
}

function Word({ word, phrase }: { word: NonNullable<Training['word']>; phrase: string }) {
  const [told, setTold] = useState('');
  const words = configured('wake', 'words');
  const all = Array.isArray(words) ? words.map(String) : [];
  const use = async (changed: string[]) => {
    try {
      const answer = await fetchApi('PATCH', 'config', { changes: { 'wake.words': changed } });
      const { needs_restart: waits } = (await answer.json()) as { needs_restart: string[] };
      await readConfiguration();
      setTold(t(waits.includes('wake.words') ? 'wake.used.later' : 'wake.used', { phrase }));
    } catch (error) {
      tellFailure(error);
    }
  };
  const percent = (count: number, of: number) => number(of === 0 ? 0 : (100 * count) / of, 1);
  return (
    <>
      <dl class="facts">
        <div>
          <dt>{t('wake.missed')}</dt>
          <dd>{t('wake.of', { count: word.missed, of: word.said, percent: percent(word.missed, word.said) })}</dd>
        </div>
        <div>
          <dt>{t('wake.near')}</dt>
          <dd>{t('wake.of', { count: word.near_wakes, of: word.near, percent: percent(word.near_wakes, word.near) })}</dd>
        </div>
        <div>
          <dt>{t('wake.false')}</dt>
          <dd>{t('wake.hours', { count: word.false_wakes, hours: number(word.other_speech_hours, 2) })}</dd>
        </div>
        <div>
          <dt>{t('wake.file')}</dt>
          <dd>{word.file}</dd>
        </div>
      </dl>
      <p class="dim">{t('wake.counted')}</p>
      <div class="row wrap">
        <button type="button" class="main" disabled={all.includes(word.file)} onClick={() => void use([...all, word.file])}>
          {t('wake.use')}
        </button>
        <button type="button" onClick={() => void use([word.file])}>
          {t('wake.use.alone')}
        </button>
      </div>
      <p role="status">{told}</p>
    </>
  );
}

/** What `hark wake train` does, while Hark goes on listening. */
export function TrainWakeWord() {
  const [phrase, setPhrase] = useState('');
  const [changes, setChanges] = useState(0);
  const tick = useTick(1000);
  const [isRunning, setIsRunning] = useState(false);
  const { value } = useReading(async () => {
    const training = await get<Training>('wake/training');
    setIsRunning(training.state === 'running');
    return training;
  }, [changes, isRunning ? tick : 0]);
  const ask = async (method: 'POST' | 'DELETE') => {
    try {
      await fetchApi(method, 'wake/training', method === 'POST' ? { phrase: phrase.trim() } : undefined);
      if (method === 'POST') notify(t('wake.begun', { phrase: phrase.trim() }), '', false);
    } catch (error) {
      tellFailure(error);
    }
    setChanges((before) => before + 1);
  };
  const told = value?.phrase ?? '';
  return (
    <>
      <p class="dim">{t('wake.about')}</p>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          void ask('POST');
        }}
      >
        <label class="field grow">
          <span>{t('wake.phrase')}</span>
          <input
            type="text"
            required
            minLength={5}
            maxLength={60}
            autocomplete="off"
            placeholder={t('wake.hint')}
            value={phrase}
            onInput={(event) => setPhrase(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="main" disabled={isRunning || connection.value !== 'open'}>
          {t('wake.go')}
        </button>
      </form>
      <p role="status">
        {value?.state === 'running' && t('wake.running', { phrase: told })}
        {value?.state === 'cancelled' && t('wake.cancelled', { phrase: told })}
        {value?.state === 'done' && t('wake.done', { phrase: told })}
      </p>
      {value?.progress && <Progress of={value.progress} cancel={() => void ask('DELETE')} />}
      {value?.state === 'failed' && (
        <p class="bad-text" role="alert" lang="en">
          {value.message}
        </p>
      )}
      {value?.word && <Word word={value.word} phrase={told} />}
    </>
  );
}
