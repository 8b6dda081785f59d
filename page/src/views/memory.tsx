import { useState } from 'preact/hooks';
import { ApiFailure, fetchApi, get } from '../api';
import { ask } from '../commands';
import type { Fact } from '../events';
import { Panel, Search, useReading } from '../parts';
import { connection, entries, notify, spokenLanguage } from '../store';
import { language } from '../preferences';
import { day, inLanguage, moment, t } from '../text';

/** The day that is meant, with the time where one was said. */
function meant(date: string, isYearly: boolean): string {
  const [on = '', time = ''] = date.split('T');
  if (isYearly) return new Date(`${on}T12:00`).toLocaleDateString(language.value, { day: 'numeric', month: 'long' });
  return time === '' ? day(on) : `${day(on)}, ${time.slice(0, 5)}`;
}

function Row({ fact, done }: { fact: Fact; done: () => void }) {
  const [isSure, setIsSure] = useState(false);
  const forget = async () => {
    try {
      await fetchApi('DELETE', `memory/${fact.id}`);
    } catch (error) {
      if (error instanceof ApiFailure) notify(error.message, error.fix);
    }
    done();
  };
  return (
    <li class="fact">
      <div>
        <p>{fact.text}</p>
        {fact.told_at && (
          <time class="dim" dateTime={fact.told_at}>
            {t('memory.told', { time: moment(fact.told_at) })}
          </time>
        )}
        {fact.date !== null && (
          <span class="dim">
            {' · '}
            <time dateTime={fact.date}>{t(fact.yearly ? 'memory.date.yearly' : 'memory.date', { day: meant(fact.date, fact.yearly) })}</time>
          </span>
        )}
      </div>
      {isSure ? (
        <div class="row">
          <span>{t('memory.sure')}</span>
          <button type="button" class="danger" aria-label={t('memory.forget.this', { text: fact.text })} onClick={() => void forget()}>
            {t('memory.forget')}
          </button>
          <button type="button" onClick={() => setIsSure(false)}>
            {t('memory.keep')}
          </button>
        </div>
      ) : (
        <button
          type="button"
          aria-label={t('memory.forget.this', { text: fact.text })}
          disabled={connection.value !== 'open'}
          onClick={() => setIsSure(true)}
        >
          {t('memory.forget')}
        </button>
      )}
    </li>
  );
}

export function Memory() {
  const [changes, setChanges] = useState(0);
  const [text, setText] = useState('');
  const [added, setAdded] = useState('');
  const [answer, setAnswer] = useState('');
  const newest = entries.value.findLast((entry) => entry.story.outcome !== null)?.turn;
  const { value, failure } = useReading(async () => (await get<{ facts: Fact[] }>('memory')).facts, [changes, newest]);
  const done = () => setChanges((before) => before + 1);
  const found = (value ?? []).filter((fact) => fact.text.toLowerCase().includes(text.toLowerCase()));
  const remember = async () => {
    const turn = await ask(inLanguage(spokenLanguage.value, 'memory.phrase', { text: added.trim() }));
    setAnswer(turn?.reply ?? '');
    if (turn?.outcome === 'done') setAdded('');
    done();
  };
  return (
    <>
      <h1>{t('memory.title')}</h1>
      <p class="dim">{t('memory.about')}</p>
      {failure !== null && <p class="bad-text">{failure}</p>}
      <Panel title={t('memory.add')} id="memory-add">
        <form
          class="filters"
          onSubmit={(event) => {
            event.preventDefault();
            void remember();
          }}
        >
          <label class="field grow">
            <span class="unseen">{t('memory.add')}</span>
            <input
              type="text"
              required
              maxLength={1000}
              placeholder={t('memory.placeholder')}
              value={added}
              autocomplete="off"
              onInput={(event) => setAdded(event.currentTarget.value)}
            />
          </label>
          <button type="submit" class="main" disabled={connection.value !== 'open'}>
            {t('memory.save')}
          </button>
        </form>
        <p role="status">{answer}</p>
      </Panel>
      {(value?.length ?? 0) > 5 && (
        <div class="filters">
          <Search label={t('memory.search')} value={text} onInput={setText} />
        </div>
      )}
      {value !== null && found.length === 0 && <p>{t('memory.none')}</p>}
      {found.length > 0 && (
        <ul class="plain-list panel">
          {found.map((fact) => (
            <Row key={fact.id} fact={fact} done={done} />
          ))}
        </ul>
      )}
    </>
  );
}
