/** What is done when something happens, and routines: what is done when certain words are said. They are made and changed in words, as
 * they are by voice, so that the gate asks about what is dangerous in them. */

import { useState } from 'preact/hooks';
import { ApiFailure, fetchApi, get } from '../api';
import { ask } from '../commands';
import type { Turn } from '../events';
import { Form, Panel, useReading } from '../parts';
import type { Language } from '../preferences';
import { connection, entries, notify, spokenLanguage } from '../store';
import { inLanguage, moment, t } from '../text';

/** The intent of a request that is kept until something happens. */
const KEPT = 'HarkAutomate';

interface Automation {
  id: string;
  said: string;
  said_when: string;
  language: string;
  trigger: 'becomes' | 'sun' | 'at' | 'rings' | 'said';
  /** What has to be said, of a routine. */
  words: string | null;
  action: 'request' | 'restore';
  devices: string[];
  repeats: boolean;
  conditions: number;
  next_at: string | null;
}

/** The request that makes a routine. */
function routine(language: Language, words: string, what: string): string {
  return inLanguage(language, 'routines.phrase', { words: words.trim(), what: what.trim() });
}

function languageOf(one: Automation): Language {
  return one.language === 'de' ? 'de' : 'en';
}

/** What is to be done, in the words it was asked for; without any somebody is told of it. */
function told(one: Automation): string {
  return one.said === '' ? inLanguage(languageOf(one), 'automations.tell') : one.said;
}

/** The request that makes this once more. */
function request(one: Automation): string {
  return one.words === null ? `${told(one)} ${one.said_when}` : routine(languageOf(one), one.words, told(one));
}

/** Whether it is kept now. */
function isKept(turn: Turn | null): boolean {
  return turn !== null && turn.outcome === 'done' && turn.intents.includes(KEPT);
}

/** Forgets it; false where that did not work, which is told. */
async function forget(one: Automation): Promise<boolean> {
  try {
    await fetchApi('DELETE', `automations/${encodeURIComponent(one.id)}`);
    return true;
  } catch (error) {
    if (error instanceof ApiFailure) notify(error.message, error.fix);
    return false;
  }
}

/** The same in other words: the new one is kept first, and the old one forgotten then. */
function Change({ of, done }: { of: Automation; done: () => void }) {
  const [text, setText] = useState(request(of));
  const [answer, setAnswer] = useState('');
  const save = async () => {
    const turn = await ask(text.trim());
    const reply = turn?.reply ?? '';
    // The answer comes by the question at the top of the page: whether the new one is kept is not known here.
    setAnswer(turn?.outcome === 'awaiting_approval' ? `${reply} ${t('automations.change.asked')}` : reply);
    if (isKept(turn) && (await forget(of))) done();
  };
  return (
    <Form class="filters wide" submit={save}>
      <label class="field grow">
        <span>{t('automations.change.about')}</span>
        <input type="text" required maxLength={1000} value={text} autocomplete="off" onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      <button type="submit" class="main" disabled={connection.value !== 'open'}>
        {t('automations.change.go')}
      </button>
      <span role="status">{answer}</span>
    </Form>
  );
}

function Row({ one, done }: { one: Automation; done: () => void }) {
  const [isChanged, setIsChanged] = useState(false);
  const isAway = connection.value !== 'open';
  const what = one.action === 'restore' ? t('automations.restore', { devices: one.devices.join(', ') }) : told(one);
  const name = [what, one.said_when].filter((part) => part !== '').join(', ') || t('automations.unnamed');
  const about = [
    t(`automations.kind.${one.trigger}`),
    one.words === null ? t(one.repeats ? 'automations.repeats' : 'automations.once') : '',
    one.conditions > 0 ? t('automations.conditions', { count: one.conditions }) : '',
    one.next_at === null ? '' : t('automations.next', { time: moment(one.next_at) }),
  ];
  const run = async (words: string) => {
    const turn = await ask(words);
    if (turn !== null) notify(turn.reply ?? '', '', turn.outcome !== 'done');
  };
  const remove = async () => {
    if (await forget(one)) notify(t('automations.removed', { name }), '', false);
    done();
  };
  return (
    <li class="fact">
      <div>
        <strong lang={one.language}>{name}</strong>
        <p class="dim small-text">{about.filter((part) => part !== '').join(' · ')}</p>
      </div>
      <span class="row wrap">
        {one.words !== null && (
          <button type="button" aria-label={t('routines.run', { name: one.words })} disabled={isAway} onClick={() => void run(one.words ?? '')}>
            {t('routines.run.short')}
          </button>
        )}
        {one.action === 'request' && (
          <button type="button" aria-expanded={isChanged} aria-label={t('automations.change', { name })} disabled={isAway} onClick={() => setIsChanged(!isChanged)}>
            {t('automations.change.short')}
          </button>
        )}
        <button type="button" aria-label={t('automations.remove', { name })} disabled={isAway} onClick={() => void remove()}>
          {t('automations.remove.short')}
        </button>
      </span>
      {isChanged && (
        <Change
          of={one}
          done={() => {
            setIsChanged(false);
            done();
          }}
        />
      )}
    </li>
  );
}

export function Automations({ changes, done }: { changes: number; done: () => void }) {
  const newest = entries.value.findLast((entry) => entry.story.outcome !== null)?.turn;
  const { value, failure } = useReading(
    async () => (await get<{ automations: Automation[] }>('automations')).automations,
    [changes, newest],
  );
  if (failure !== null) return <p class="bad-text">{failure}</p>;
  const all = value ?? [];
  const groups = [
    { id: 'routines', title: t('routines.title'), list: all.filter((one) => one.words !== null) },
    { id: 'automations', title: t('automations.title'), list: all.filter((one) => one.words === null) },
  ];
  return (
    <>
      {groups
        .filter(({ list }) => list.length > 0)
        .map(({ id, title, list }) => (
          <Panel key={id} title={title} id={id}>
            <ul class="plain-list">
              {list.map((one) => (
                <Row key={one.id} one={one} done={done} />
              ))}
            </ul>
          </Panel>
        ))}
    </>
  );
}

export function NewRoutine({ done }: { done: () => void }) {
  const [words, setWords] = useState('');
  const [what, setWhat] = useState('');
  const [answer, setAnswer] = useState('');
  const make = async () => {
    const turn = await ask(routine(spokenLanguage.value, words, what));
    setAnswer(turn?.reply ?? '');
    if (isKept(turn)) {
      setWords('');
      setWhat('');
    }
    done();
  };
  return (
    <Panel title={t('routines.add')} id="routines-add">
      <Form class="stacked" submit={make}>
        <label class="field">
          <span>{t('routines.words')}</span>
          <input
            type="text"
            required
            maxLength={60}
            value={words}
            autocomplete="off"
            placeholder={inLanguage(spokenLanguage.value, 'routines.words.placeholder')}
            onInput={(event) => setWords(event.currentTarget.value)}
          />
        </label>
        <label class="field">
          <span>{t('routines.what')}</span>
          <input
            type="text"
            required
            maxLength={300}
            value={what}
            autocomplete="off"
            placeholder={inLanguage(spokenLanguage.value, 'routines.what.placeholder')}
            onInput={(event) => setWhat(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="main" disabled={connection.value !== 'open'}>
          {t('routines.make')}
        </button>
      </Form>
      <p role="status">{answer}</p>
    </Panel>
  );
}
