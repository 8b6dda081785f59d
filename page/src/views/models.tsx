import { useEffect, useRef, useState } from 'preact/hooks';
import { fetchApi, get } from '../api';
import { Badge, Lacking, Panel, Pick, Search, tellFailure, useReading } from '../parts';
import { connection } from '../store';
import { bytes, number, t, word } from '../text';

interface Model {
  id: string;
  role: string;
  purpose: string;
  licence: string;
  version: string;
  language: string | null;
  size_bytes: number | null;
  optional: boolean;
  state: 'installed' | 'missing' | 'corrupt' | 'unsupported';
  why: string | null;
  needs: string[];
}

interface Pull {
  state: 'idle' | 'running' | 'cancelled' | 'done' | 'failed';
  names: string[];
  progress: { id: string; stage: string; done_bytes: number; total_bytes: number } | null;
  message: string | null;
  fix: string | null;
}

/** How often it is asked how far a pull is, ms. */
const POLL_MS = 500;

function Progress({ of, cancel }: { of: NonNullable<Pull['progress']>; cancel: () => void }) {
  const isKnown = of.stage === 'downloading' && of.total_bytes > 0;
  const percent = isKnown ? Math.floor((100 * of.done_bytes) / of.total_bytes) : undefined;
  return (
    <div class="row wrap">
      <progress class="grow" max={100} value={percent} aria-label={t('models.progress', { id: of.id })} />
      <span>
        {isKnown
          ? t('models.bytes', { done: bytes(of.done_bytes), total: bytes(of.total_bytes), percent: number(percent ?? 0) })
          : word('models.stage', of.stage)}
      </span>
      <button type="button" onClick={cancel}>
        {t('models.cancel')}
      </button>
    </div>
  );
}

/** How the pull stands, whoever began it and when. */
function State({ pull, cancel }: { pull: Pull; cancel: () => void }) {
  const names = pull.names.join(', ');
  return (
    <>
      <p role="status">{pull.state !== 'idle' && pull.state !== 'failed' && t(`models.pull.${pull.state}`, { names })}</p>
      {pull.progress !== null && (
        <Panel title={pull.progress.id} id="models-pull">
          <Progress of={pull.progress} cancel={cancel} />
        </Panel>
      )}
      {pull.state === 'failed' && (
        <div class="bar bad" role="alert">
          <span>
            {t('models.pull.failed', { names })}
            <small lang="en">
              {pull.message}. {pull.fix}
            </small>
          </span>
        </div>
      )}
    </>
  );
}

function Row({ model, isBusy, pull }: { model: Model; isBusy: boolean; pull: () => void }) {
  const canBeHad = model.state === 'missing' || model.state === 'corrupt' || (model.state === 'installed' && model.needs.length > 0);
  const facts = [model.language, model.version, model.licence, model.size_bytes === null ? t('models.folder') : bytes(model.size_bytes)];
  return (
    <li class="fact">
      <div>
        <strong>{model.id}</strong> <Badge group="model" name={model.state} />
        {!model.optional && model.state !== 'installed' && <span class="badge bad">{t('models.needed')}</span>}
        <p lang="en">{model.purpose}</p>
        <p class="dim small-text">{facts.filter((fact) => fact !== null && fact !== '').join(' · ')}</p>
        {model.why !== null && (
          <p class="bad-text" lang="en">
            {model.why}
          </p>
        )}
        {model.needs.length > 0 && <p class="dim small-text">{t('models.needs', { names: model.needs.join(', ') })}</p>}
      </div>
      {canBeHad && (
        <button type="button" aria-label={t('models.get.this', { id: model.id })} disabled={isBusy || connection.value !== 'open'} onClick={pull}>
          {t('models.get')}
        </button>
      )}
    </li>
  );
}

export function Models() {
  const [changes, setChanges] = useState(0);
  const [pull, setPull] = useState<Pull | null>(null);
  const [shown, setShown] = useState('all');
  const [text, setText] = useState('');
  const was = useRef<Pull['state'] | null>(null);
  const { value, failure } = useReading(async () => {
    const all = await get<{ models: Model[]; pull: Pull }>('models');
    setPull(all.pull);
    return all.models;
  }, [changes]);
  const isRunning = pull?.state === 'running';
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setInterval(() => void get<Pull>('models/pull').then(setPull, () => undefined), POLL_MS);
    return () => clearInterval(timer);
  }, [isRunning]);
  // What is here has changed when a pull is over.
  useEffect(() => {
    if (was.current === 'running' && !isRunning) setChanges((before) => before + 1);
    was.current = pull?.state ?? null;
  }, [pull?.state]);
  const send = async (method: 'POST' | 'DELETE', names?: string[]) => {
    try {
      setPull((await (await fetchApi(method, 'models/pull', names && { names })).json()) as Pull);
    } catch (error) {
      tellFailure(error);
    }
  };
  const isShown = (model: Model) =>
    (shown === 'all' || (shown === 'installed') === (model.state === 'installed')) &&
    `${model.id} ${model.purpose} ${model.language ?? ''}`.toLowerCase().includes(text.toLowerCase());
  const found = (value ?? []).filter(isShown);
  const roles = [...new Set(found.map((model) => model.role))];
  const sum = found.reduce((bytes, model) => bytes + (model.state === 'installed' ? (model.size_bytes ?? 0) : 0), 0);
  return (
    <>
      <h1>{t('models.title')}</h1>
      <p class="dim lead">
        {t('models.about')} <a href="#/setup/voice">{t('models.choose')}</a>
      </p>
      <Lacking why={failure} />
      {pull !== null && <State pull={pull} cancel={() => void send('DELETE')} />}
      {value !== null && (
        <div class="filters">
          <Pick
            label={t('models.show')}
            value={shown}
            options={(['all', 'installed', 'missing'] as const).map((one) => [one, t(`models.show.${one}`)])}
            onChange={setShown}
          />
          <Search label={t('models.search')} value={text} onInput={setText} />
        </div>
      )}
      {value !== null && <p class="dim">{t('models.count', { count: found.length, bytes: bytes(sum) })}</p>}
      {roles.map((role) => (
        <Panel key={role} title={word('models.role', role)} id={`role-${role}`}>
          <ul class="plain-list">
            {found
              .filter((model) => model.role === role)
              .map((model) => (
                <Row key={model.id} model={model} isBusy={isRunning} pull={() => void send('POST', [...new Set([model.id, ...model.needs])])} />
              ))}
          </ul>
        </Panel>
      ))}
    </>
  );
}
