import { useState } from 'preact/hooks';
import { change, look } from '../commands';
import { Form, Lacking, Panel, Sure, useReading } from '../parts';
import { connection, entries, isSet } from '../store';
import { day, t } from '../text';

interface Note {
  title: string;
  date: string;
  /** The first line that has the words that were looked for. */
  text: string;
}

interface Whole {
  title: string;
  text: string;
  truncated: boolean;
}

/** Another title, another text, or none at all; `done` is told what came of it. */
function Changes({ note, done }: { note: Whole; done: (told: string) => void }) {
  const { title } = note;
  const [name, setName] = useState(title);
  const [text, setText] = useState(note.text);
  const act = async (tool: string, args: Record<string, unknown>, told: string) => {
    done((await change(tool, { id: title, ...args }, told)).told);
  };
  return (
    <>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          void act('notes.rename', { to: name.trim() }, t('notes.renamed', { title: name.trim() }));
        }}
      >
        <label class="field grow">
          <span>{t('notes.rename', { title })}</span>
          <input type="text" required maxLength={100} autocomplete="off" value={name} onInput={(event) => setName(event.currentTarget.value)} />
        </label>
        <button type="submit" disabled={connection.value !== 'open' || name.trim() === title}>
          {t('notes.rename.go')}
        </button>
      </form>
      {!note.truncated && (
        <form
          class="stacked"
          onSubmit={(event) => {
            event.preventDefault();
            void act('notes.replace', { text: text.trim() }, t('notes.replaced', { title }));
          }}
        >
          <label class="field">
            <span>{t('notes.replace', { title })}</span>
            <textarea rows={6} required value={text} onInput={(event) => setText(event.currentTarget.value)} />
          </label>
          <button type="submit" disabled={connection.value !== 'open' || text.trim() === note.text}>
            {t('notes.replace.go')}
          </button>
        </form>
      )}
      <Sure
        label={t('notes.remove')}
        name={t('notes.remove.this', { title })}
        question={t('notes.remove.sure', { title })}
        yes={t('notes.remove.yes')}
        onYes={() => void act('notes.remove', {}, t('notes.removed', { title }))}
      />
    </>
  );
}

function Text({ title, id, again, done }: { title: string; id: string; again: unknown; done: (told: string) => void }) {
  const [added, setAdded] = useState('');
  const [told, setTold] = useState('');
  const [changes, setChanges] = useState(0);
  const { value, failure } = useReading(() => look<Whole>('notes.read', { title }), [title, changes, again]);
  const add = async () => {
    const done = await change('notes.append', { title, text: added.trim() }, t('notes.appended'));
    setTold(done.told);
    if (done.ok) setAdded('');
    setChanges((before) => before + 1);
  };
  return (
    <div id={id} class="opened">
      <Lacking why={failure} />
      {value !== null && <pre tabIndex={0} aria-label={title}>{value.text}</pre>}
      {value?.truncated === true && <p class="dim">{t('notes.cut')}</p>}
      <Form class="filters" submit={add}>
        <label class="field grow">
          <span>{t('notes.append', { title })}</span>
          <input
            type="text"
            required
            maxLength={1000}
            autocomplete="off"
            value={added}
            onInput={(event) => setAdded(event.currentTarget.value)}
          />
        </label>
        <button type="submit" disabled={connection.value !== 'open'}>
          {t('notes.append.go')}
        </button>
      </Form>
      <p role="status">{told}</p>
      {value !== null && <Changes key={value.text} note={value} done={done} />}
    </div>
  );
}

function Row({ note, index, again, done }: { note: Note; index: number; again: unknown; done: (told: string) => void }) {
  const [isOpen, setIsOpen] = useState(false);
  const id = `note-${index}`;
  return (
    <li>
      <div class="fact">
        <div>
          <strong>{note.title}</strong>
          <p class="dim small-text">{[t('notes.changed', { day: day(note.date) }), note.text].filter((part) => part !== '').join(' · ')}</p>
        </div>
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={isOpen ? id : undefined}
          aria-label={t(isOpen ? 'notes.close.this' : 'notes.open.this', { title: note.title })}
          onClick={() => setIsOpen(!isOpen)}
        >
          {t(isOpen ? 'notes.close' : 'notes.open')}
        </button>
      </div>
      {isOpen && <Text title={note.title} id={id} again={again} done={done} />}
    </li>
  );
}

function New({ done }: { done: () => void }) {
  const [title, setTitle] = useState('');
  const [text, setText] = useState('');
  const [told, setTold] = useState('');
  const save = async () => {
    const args = { text: text.trim(), ...(title.trim() === '' ? {} : { title: title.trim() }) };
    const answer = await change('notes.create', args, t('notes.taken'));
    setTold(answer.told);
    if (answer.ok) {
      setTitle('');
      setText('');
    }
    done();
  };
  return (
    <Panel title={t('notes.new')} id="notes-new">
      <Form class="stacked" submit={save}>
        <label class="field">
          <span>{t('notes.title.field')}</span>
          <input type="text" maxLength={100} autocomplete="off" value={title} onInput={(event) => setTitle(event.currentTarget.value)} />
        </label>
        <label class="field">
          <span>{t('notes.text')}</span>
          <textarea rows={4} required maxLength={1500} value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </label>
        <button type="submit" class="main" disabled={connection.value !== 'open'}>
          {t('notes.save')}
        </button>
      </Form>
      <p role="status">{told}</p>
    </Panel>
  );
}

export function Notes() {
  const [text, setText] = useState('');
  const [words, setWords] = useState('');
  const [changes, setChanges] = useState(0);
  const [news, setNews] = useState('');
  const done = (told: string) => {
    setNews(told);
    setChanges((before) => before + 1);
  };
  const newest = entries.value.findLast((entry) => entry.story.outcome !== null)?.turn;
  const again = `${changes} ${newest}`;
  const { value, failure } = useReading(
    () => look<{ count: number; notes: Note[] }>('notes.search', words === '' ? {} : { words }),
    [words, again],
  );
  const shown = failure === null ? value : null;
  return (
    <>
      <h1>{t('notes.title')}</h1>
      <p class="dim lead">{t('notes.about')}</p>
      <Lacking why={failure} part={{ text: 'lacking.notes', keys: 'personal.notes_folder', isChosen: isSet('personal', 'notes_folder') }} />
      {shown !== null && (
        <>
          <New done={() => setChanges((before) => before + 1)} />
          <form
            class="filters"
            onSubmit={(event) => {
              event.preventDefault();
              setWords(text.trim());
            }}
          >
            <label class="field grow">
              <span>{t('notes.search')}</span>
              <input type="search" maxLength={200} value={text} onInput={(event) => setText(event.currentTarget.value)} />
            </label>
            <button type="submit">{t('notes.search.go')}</button>
          </form>
          <p role="status">{t(shown.count === 0 ? 'notes.none' : 'notes.count', { count: shown.count })}</p>
          <p role="status">{news}</p>
          {shown.notes.length > 0 && (
            <ul class="plain-list panel">
              {shown.notes.map((note, index) => (
                <Row key={note.title} note={note} index={index} again={again} done={done} />
              ))}
            </ul>
          )}
        </>
      )}
    </>
  );
}
