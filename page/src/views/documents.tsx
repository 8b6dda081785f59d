import { useState } from 'preact/hooks';
import { ApiFailure, fetchApi, get } from '../api';
import { Badge, Form, Panel, useReading } from '../parts';
import { connection, notify } from '../store';
import { number, t } from '../text';

interface Document {
  path: string;
  title: string;
  kind: string;
  passages: number;
  state: 'ready' | 'pending' | 'failed';
  problem?: string;
  fix?: string;
}

interface Listing {
  documents: Document[];
  status: { documents: number; passages: number; failed: number };
}

interface Passage {
  path: string;
  title: string;
  heading: string;
  page?: number;
  passage: string;
  answer: string;
}

interface Change {
  done: boolean;
  indexed: number;
  unchanged: number;
  removed: number;
  failed: number;
}

function tell(error: unknown): void {
  if (error instanceof ApiFailure) notify(error.message, error.fix);
}

function Row({ document, done }: { document: Document; done: () => void }) {
  const [isSure, setIsSure] = useState(false);
  const remove = async () => {
    try {
      const answer = await fetchApi('DELETE', `documents?path=${encodeURIComponent(document.path)}`);
      const change = (await answer.json()) as Change;
      notify(change.done ? t('documents.removed', { count: change.removed }) : t('documents.later'), '', false);
    } catch (error) {
      tell(error);
    }
    done();
  };
  return (
    <li class="fact">
      <div>
        <strong>{document.title}</strong> <Badge group="document" name={document.state} />
        <p class="dim small-text">
          {document.path} · {t('documents.passages', { count: number(document.passages) })}
        </p>
        {document.problem !== undefined && (
          <p class="bad-text" lang="en">
            {document.problem}. {document.fix}
          </p>
        )}
      </div>
      {isSure ? (
        <div class="row wrap">
          <span>{t('documents.sure')}</span>
          <button type="button" class="danger" aria-label={t('documents.remove.this', { name: document.title })} onClick={() => void remove()}>
            {t('documents.remove')}
          </button>
          <button type="button" onClick={() => setIsSure(false)}>
            {t('documents.keep')}
          </button>
        </div>
      ) : (
        <button
          type="button"
          aria-label={t('documents.remove.this', { name: document.title })}
          disabled={connection.value !== 'open'}
          onClick={() => setIsSure(true)}
        >
          {t('documents.remove')}
        </button>
      )}
    </li>
  );
}

function Ask() {
  const [text, setText] = useState('');
  const [found, setFound] = useState<Passage[] | null>(null);
  const search = async () => {
    try {
      setFound((await get<{ results: Passage[] }>(`documents/search?q=${encodeURIComponent(text)}`)).results);
    } catch (error) {
      tell(error);
    }
  };
  return (
    <Panel title={t('documents.search')} id="documents-search">
      <Form class="filters" submit={search}>
        <label class="field grow">
          <span>{t('documents.question')}</span>
          <input type="search" required maxLength={400} value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </label>
        <button type="submit" class="main" disabled={connection.value !== 'open'}>
          {t('documents.go')}
        </button>
      </Form>
      <p role="status">
        {found !== null && (found.length === 0 ? t('documents.nothing') : t('documents.found', { count: found.length }))}
      </p>
      <ol class="plain-list">
        {(found ?? []).map((one, index) => (
          <li key={index} class="passage">
            <p>
              <strong>{one.answer}</strong>
            </p>
            <p class="dim small-text">
              {[one.title, one.heading, one.page === undefined ? '' : t('documents.page', { page: one.page })]
                .filter((part) => part !== '')
                .join(' · ')}
            </p>
            <details>
              <summary class="small-text">{one.path}</summary>
              <p>{one.passage}</p>
            </details>
          </li>
        ))}
      </ol>
    </Panel>
  );
}

function Add({ done }: { done: () => void }) {
  const [path, setPath] = useState('');
  const [answer, setAnswer] = useState('');
  const add = async () => {
    try {
      const change = (await (await fetchApi('POST', 'documents', { path: path.trim() })).json()) as Change;
      setAnswer(change.done ? t('documents.added', { ...change, done: '' }) : t('documents.later'));
      setPath('');
    } catch (error) {
      if (error instanceof ApiFailure) setAnswer(`${error.message} ${error.fix}`);
    }
    done();
  };
  return (
    <Panel title={t('documents.add')} id="documents-add">
      <Form class="filters" submit={add}>
        <label class="field grow">
          <span>{t('documents.path')}</span>
          <input
            type="text"
            required
            pattern="/.*"
            maxLength={4096}
            spellcheck={false}
            placeholder="/home/me/manuals"
            value={path}
            onInput={(event) => setPath(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="main" disabled={connection.value !== 'open'}>
          {t('documents.add.go')}
        </button>
      </Form>
      <p role="status">{answer}</p>
    </Panel>
  );
}

export function Documents() {
  const [changes, setChanges] = useState(0);
  const { value, failure } = useReading(() => get<Listing>('documents'), [changes]);
  const done = () => setChanges((before) => before + 1);
  return (
    <>
      <h1>{t('documents.title')}</h1>
      <p class="dim lead">{t('documents.about')}</p>
      {failure !== null && <p class="bad-text">{failure}</p>}
      <Ask />
      <Add done={done} />
      {value?.documents.length === 0 && <p>{t('documents.none')}</p>}
      {value !== null && value.documents.length > 0 && (
        <>
          <p class="dim lead">
            {t('documents.counts', {
              documents: number(value.status.documents),
              passages: number(value.status.passages),
              failed: number(value.status.failed),
            })}
          </p>
          <ul class="plain-list panel">
            {value.documents.map((document) => (
              <Row key={document.path} document={document} done={done} />
            ))}
          </ul>
        </>
      )}
    </>
  );
}
