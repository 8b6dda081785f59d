import { useState } from 'preact/hooks';
import { get } from '../api';
import { change } from '../commands';
import type { Entity } from '../events';
import { Form, Panel, Sure, useReading } from '../parts';
import { connection, entries } from '../store';
import { t } from '../text';

interface Item {
  text: string;
  done: boolean;
}

interface List {
  name: string;
  items: Item[];
}

/** A list that Home Assistant or another source has, as its entity tells of it. */
function ofEntity({ name, attributes }: Entity): List {
  const items = Array.isArray(attributes['items']) ? attributes['items'] : [];
  return {
    name,
    items: items.flatMap((item) => {
      if (typeof item === 'string') return [{ text: item, done: false }];
      if (item === null || typeof item !== 'object' || Array.isArray(item) || typeof item['summary'] !== 'string') return [];
      return [{ text: item['summary'], done: item['status'] === 'completed' }];
    }),
  };
}

/** The household's own lists, and those of other sources that have no namesake among them. */
async function read(): Promise<List[]> {
  const [{ lists }, { entities }] = await Promise.all([get<{ lists: List[] }>('lists'), get<{ entities: Entity[] }>('entities')]);
  const names = new Set(lists.map((list) => list.name.toLowerCase()));
  const others = entities.filter(({ domain, name }) => domain === 'todo' && !names.has(name.toLowerCase()));
  return [...lists, ...others.map(ofEntity)];
}

function One({ list, index, done }: { list: List; index: number; done: () => void }) {
  const [text, setText] = useState('');
  const [answer, setAnswer] = useState('');
  const isAway = connection.value !== 'open';
  const act = async (tool: string, args: Record<string, string>, told = '') => {
    const { ok, told: answered } = await change(tool, { name: list.name, ...args }, told);
    setAnswer(answered);
    done();
    return ok;
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
            <span class="row">
              {!item.done && (
                <button
                  type="button"
                  aria-label={t('lists.check.this', { item: item.text })}
                  disabled={isAway}
                  onClick={() => void act('list.complete', { item: item.text })}
                >
                  {t('lists.check')}
                </button>
              )}
              <button
                type="button"
                aria-label={t('lists.remove.this', { item: item.text })}
                disabled={isAway}
                onClick={() => void act('list.remove', { item: item.text })}
              >
                {t('lists.remove')}
              </button>
            </span>
          </li>
        ))}
      </ul>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          void act('list.add', { item: text.trim() }).then((ok) => ok && setText(''));
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
      {list.items.length > 0 && !isAway && (
        <Sure
          label={t('lists.clear')}
          name={t('lists.clear.this', { list: list.name })}
          question={t('lists.clear.sure', { list: list.name })}
          yes={t('lists.clear')}
          onYes={() => void act('list.clear', {}, t('lists.cleared'))}
        />
      )}
      <p role="status">{answer}</p>
    </Panel>
  );
}

function NewList({ done }: { done: () => void }) {
  const [name, setName] = useState('');
  const [told, setTold] = useState('');
  const make = async () => {
    const answer = await change('list.create', { name: name.trim() }, t('lists.made', { name: name.trim() }));
    setTold(answer.told);
    if (answer.ok) setName('');
    done();
  };
  return (
    <Panel title={t('lists.new')} id="lists-new">
      <Form class="filters" submit={make}>
        <label class="field grow">
          <span>{t('lists.name')}</span>
          <input
            type="text"
            required
            maxLength={60}
            placeholder={t('lists.name.placeholder')}
            value={name}
            autocomplete="off"
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="main" disabled={connection.value !== 'open'}>
          {t('lists.make')}
        </button>
      </Form>
      <p role="status">{told}</p>
    </Panel>
  );
}

export function Lists() {
  const [changes, setChanges] = useState(0);
  const newest = entries.value.findLast((entry) => entry.story.outcome !== null)?.turn;
  const { value, failure } = useReading(read, [changes, newest]);
  const done = () => setChanges((before) => before + 1);
  return (
    <>
      <h1>{t('lists.title')}</h1>
      <p class="dim lead">{t('lists.about')}</p>
      {failure !== null && <p class="bad-text">{failure}</p>}
      {value?.length === 0 && <p class="lead">{t('lists.none')}</p>}
      <div class="columns">
        {(value ?? []).map((list, index) => (
          <One key={list.name} list={list} index={index} done={done} />
        ))}
        <NewList done={done} />
      </div>
    </>
  );
}
