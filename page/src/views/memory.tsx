import { useState } from 'preact/hooks';
import { ApiFailure, fetchApi, get } from '../api';
import { ask, change } from '../commands';
import type { Fact } from '../events';
import { Form, Panel, Pick, Search, useReading } from '../parts';
import { connection, entries, notify, spokenLanguage } from '../store';
import { day, inLanguage, locale, moment, t } from '../text';

/** The day that is meant, with the time where one was said. */
function meant(date: string, isYearly: boolean): string {
  const [on = '', time = ''] = date.split('T');
  if (isYearly) return new Date(`${on}T12:00`).toLocaleDateString(locale(), { day: 'numeric', month: 'long' });
  return time === '' ? day(on) : `${day(on)}, ${time.slice(0, 5)}`;
}

interface Named {
  name: string;
  kind: string;
  facts: number;
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
        {fact.ended_at !== null && <span class="dim"> · {t('memory.until', { time: moment(fact.ended_at) })}</span>}
        {fact.private && (
          <>
            {' '}
            <span class="badge plain">{t('memory.private')}</span>
          </>
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
  const [isPrivate, setIsPrivate] = useState(false);
  const [isBefore, setIsBefore] = useState(false);
  const [whom, setWhom] = useState('');
  const newest = entries.value.findLast((entry) => entry.story.outcome !== null)?.turn;
  // The service takes one of them at a time: what was so before is looked through here.
  const query = isBefore ? '?history=true' : whom === '' ? '' : `?about=${encodeURIComponent(whom)}`;
  const read = async () => (await get<{ facts: Fact[] }>(`memory${query}`)).facts;
  const { value, failure } = useReading(read, [changes, newest, query]);
  const toldOf = async () => (await get<{ entities: Named[] }>('memory/entities')).entities;
  const { value: named } = useReading(toldOf, [changes, newest]);
  const done = () => setChanges((before) => before + 1);
  const found = (value ?? []).filter((fact) => fact.text.toLowerCase().includes(text.toLowerCase()));
  const remember = async () => {
    const fact = added.trim();
    if (isPrivate) {
      const { ok, told } = await change('memory.remember', { fact, private: true }, t('memory.saved'));
      setAnswer(told);
      if (ok) setAdded('');
    } else {
      const turn = await ask(inLanguage(spokenLanguage.value, 'memory.phrase', { text: fact }));
      setAnswer(turn?.reply ?? '');
      if (turn?.outcome === 'done') setAdded('');
    }
    done();
  };
  const isFiltered = isBefore || whom !== '' || text !== '';
  return (
    <>
      <h1>{t('memory.title')}</h1>
      <p class="dim lead">{t('memory.about')}</p>
      {failure !== null && <p class="bad-text">{failure}</p>}
      <Panel title={t('memory.add')} id="memory-add">
        <Form class="filters" submit={remember}>
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
          <label class="check">
            <input type="checkbox" checked={isPrivate} onChange={(event) => setIsPrivate(event.currentTarget.checked)} />
            {t('memory.private.add')}
          </label>
        </Form>
        <p role="status">{answer}</p>
      </Panel>
      <div class="filters">
        <Search label={t('memory.search')} value={text} onInput={setText} />
        <Pick
          label={t('memory.show')}
          value={isBefore ? 'before' : 'now'}
          options={[
            ['now', t('memory.show.now')],
            ['before', t('memory.show.before')],
          ]}
          onChange={(chosen) => {
            setIsBefore(chosen === 'before');
            setWhom('');
          }}
        />
        {!isBefore && (named?.length ?? 0) > 0 && (
          <Pick
            label={t('memory.about.whom')}
            value={whom}
            options={[
              ['', t('memory.about.all')],
              ...(named ?? []).map(({ name }): [string, string] => (name === '' ? ['me', t('memory.about.you')] : [name, name])),
            ]}
            onChange={setWhom}
          />
        )}
      </div>
      {value !== null && found.length === 0 && (
        <p>{t(isBefore && text === '' ? 'memory.none.before' : isFiltered ? 'memory.none.fits' : 'memory.none')}</p>
      )}
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
