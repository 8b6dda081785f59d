import { useState } from 'preact/hooks';
import { fetchApi, get } from '../api';
import { Panel, tellFailure, useReading } from '../parts';
import { connection, entries, session } from '../store';
import { moment, number, t, type TextKey } from '../text';

interface Session {
  name: string;
  opened_at: string | null;
  used_at: string | null;
  requests: number;
}

interface Exchange {
  turn: string;
  at: string;
  request: string;
  reply: string;
}

/** Where a conversation is held, by how its name begins; one with a name of its own is called by that. */
function title(name: string): string {
  if (name === session) return t('sessions.kind.own');
  const [, kind] = /^(page|api|ws|voice|ask|hear)-/.exec(name) ?? [];
  if (kind !== undefined) return t(`sessions.kind.${kind}` as TextKey);
  return name === 'hark' || name === 'mqtt' ? t(`sessions.kind.${name}`) : name;
}

/** The address of a conversation. */
function link(name: string): string {
  return `#/sessions/${encodeURIComponent(name)}`;
}

function Chosen({ name, done }: { name: string; done: () => void }) {
  const newest = entries.value.findLast((entry) => entry.story.outcome !== null)?.turn;
  const read = async () => (await get<{ said: Exchange[] }>(`sessions/${encodeURIComponent(name)}`)).said;
  const { value, failure } = useReading(read, [name, newest]);
  const [isSure, setIsSure] = useState(false);
  const clear = async () => {
    try {
      await fetchApi('DELETE', `sessions/${encodeURIComponent(name)}`);
      location.hash = '#/sessions';
      done();
    } catch (error) {
      tellFailure(error);
    }
  };
  return (
    <Panel title={title(name)} id="session">
      {title(name) !== name && <p class="dim small-text">{name}</p>}
      {failure !== null && <p class="bad-text">{failure}</p>}
      {value?.length === 0 && <p class="dim">{t('sessions.nothing')}</p>}
      <ol class="plain-list">
        {(value ?? []).map((one) => (
          <li key={one.turn}>
            <p>
              <strong>{one.request}</strong>{' '}
              <a href={`#/turns/${one.turn}`} aria-label={t('sessions.turn.this', { text: one.request })}>
                {t('sessions.turn')}
              </a>{' '}
              <time class="dim" dateTime={one.at}>
                {moment(one.at)}
              </time>
            </p>
            {one.reply !== '' && <p>{one.reply}</p>}
          </li>
        ))}
      </ol>
      {isSure ? (
        <p class="row wrap">
          <span>{t('sessions.sure')}</span>
          <button type="button" class="danger" onClick={() => void clear()}>
            {t('sessions.clear')}
          </button>
          <button type="button" onClick={() => setIsSure(false)}>
            {t('memory.keep')}
          </button>
        </p>
      ) : (
        <p>
          <button type="button" disabled={connection.value !== 'open'} onClick={() => setIsSure(true)}>
            {t('sessions.clear')}
          </button>
        </p>
      )}
    </Panel>
  );
}

export function Sessions({ chosen }: { chosen: string }) {
  const [changes, setChanges] = useState(0);
  const newest = entries.value.findLast((entry) => entry.story.outcome !== null)?.turn;
  const read = async () => (await get<{ sessions: Session[] }>('sessions')).sessions;
  const { value, failure } = useReading(read, [changes, newest]);
  return (
    <>
      <h1>{t('sessions.title')}</h1>
      <p class="dim lead">{t('sessions.about')}</p>
      {failure !== null && <p class="bad-text">{failure}</p>}
      {value?.length === 0 && <p>{t('sessions.none')}</p>}
      <div class="columns">
        {(value?.length ?? 0) > 0 && (
          <ul class="plain-list panel" aria-label={t('sessions.title')}>
            {(value ?? []).map((one) => (
              <li key={one.name} class="fact">
                <div>
                  <a href={link(one.name)} aria-current={one.name === chosen ? 'true' : undefined}>
                    {title(one.name)}
                    {one.used_at !== null && `, ${moment(one.used_at)}`}
                  </a>
                  {title(one.name) !== one.name && <p class="dim small-text">{one.name}</p>}
                </div>
                <span class="dim">{t('sessions.requests', { count: number(one.requests) })}</span>
              </li>
            ))}
          </ul>
        )}
        {chosen !== '' && <Chosen key={chosen} name={chosen} done={() => setChanges((before) => before + 1)} />}
      </div>
    </>
  );
}
