import { useState } from 'preact/hooks';
import { get } from '../api';
import { ask } from '../commands';
import { Panel, useReading } from '../parts';
import { connection, entries } from '../store';
import { inLanguage, t } from '../text';

interface List {
  name: string;
  items: { text: string; done: boolean }[];
}

/** As sentences call it. */
export function called(name: string): string {
  return /\blist$/i.test(name) ? name : inLanguage('en', 'lists.called', { name });
}

function One({ list, index, done }: { list: List; index: number; done: () => void }) {
  const [text, setText] = useState('');
  const [answer, setAnswer] = useState('');
  const isAway = connection.value !== 'open';
  const say = async (phrase: string) => {
    const turn = await ask(phrase);
    setAnswer(turn?.reply ?? '');
    done();
    return turn?.outcome === 'done';
  };
  const add = async () => {
    const phrase = inLanguage('en', 'lists.phrase.add', { item: text.trim(), list: called(list.name) });
    if (await say(phrase)) setText('');
  };
  return (
    <Panel title={list.name} id={`list-${index}`}>
      {list.items.length === 0 && <p class="dim">{t('lists.empty')}</p>}
      <ul class="plain-list">
        {list.items.map((item, at) => (
          <li key={`${at} ${item.text}`} class="fact">
            <div>
              {item.done ? <s>{item.text}</s> : item.text}
              {item.done && ' '}
              {item.done && <span class="badge good">{t('lists.done')}</span>}
            </div>
            {!item.done && (
              <button
                type="button"
                aria-label={t('lists.check.this', { item: item.text })}
                disabled={isAway}
                onClick={() => void say(inLanguage('en', 'lists.phrase.check', { item: item.text, list: called(list.name) }))}
              >
                {t('lists.check')}
              </button>
            )}
          </li>
        ))}
      </ul>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        <label class="field grow">
          <span>{t('lists.item', { list: list.name })}</span>
          <input
            type="text"
            required
            maxLength={100}
            value={text}
            autocomplete="off"
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="main" disabled={isAway}>
          {t('lists.add')}
        </button>
      </form>
      <p role="status">{answer}</p>
    </Panel>
  );
}

export function Lists() {
  const [changes, setChanges] = useState(0);
  const newest = entries.value.findLast((entry) => entry.story.outcome !== null)?.turn;
  const { value, failure } = useReading(async () => (await get<{ lists: List[] }>('lists')).lists, [changes, newest]);
  return (
    <>
      <h1>{t('lists.title')}</h1>
      {failure !== null && <p class="bad-text">{failure}</p>}
      {value?.length === 0 && <p>{t('lists.none')}</p>}
      <div class="columns">
        {(value ?? []).map((list, index) => (
          <One key={list.name} list={list} index={index} done={() => setChanges((before) => before + 1)} />
        ))}
      </div>
    </>
  );
}
