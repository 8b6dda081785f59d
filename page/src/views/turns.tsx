import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ApiFailure, fetchApi, get } from '../api';
import type { Turn, TurnSummary } from '../events';
import { Badge, FieldList, Panel, Pick, Search, useReading } from '../parts';
import { configured, connection, entries, type Entry, heard, notify, spokenLanguage } from '../store';
import { spans, tell } from '../story';
import { inLanguage, locale, milliseconds, moment, number, t, type TextKey, word } from '../text';
import { PlanSteps } from './now';

const PAGE = 200;
const ROUTES = ['instinct', 'direct', 'context', 'template', 'intent', 'llm', 'none'];
const OUTCOMES = [
  'done',
  'failed',
  'not_understood',
  'awaiting_approval',
  'awaiting_answer',
  'lapsed',
  'cancelled',
  'nothing_said',
  'elsewhere',
  'dry_run',
];
/** Rows that are put in at a time. */
const SHOWN = 100;

/** Reads turns page by page: the first at once, the others when they are wanted. */
function useTurns(wanted: boolean, again: number) {
  const [turns, setTurns] = useState<TurnSummary[]>([]);
  const [next, setNext] = useState<string | null | undefined>(undefined);
  const [isReading, setIsReading] = useState(false);
  const isOpen = connection.value === 'open';
  useEffect(() => {
    setNext(undefined);
  }, [again]);
  useEffect(() => {
    if (!isOpen || isReading || next === null) return;
    if (next !== undefined && !wanted) return;
    setIsReading(true);
    const isFirst = next === undefined;
    const before = isFirst ? '' : `&before=${encodeURIComponent(next)}`;
    get<{ turns: TurnSummary[]; next: string | null }>(`turns?limit=${PAGE}${before}`)
      .then((page) => {
        setTurns((known) => (isFirst ? page.turns : [...known, ...page.turns]));
        setNext(page.next);
      })
      .catch((error: unknown) => {
        setNext(null);
        if (error instanceof ApiFailure && error.status !== 0) notify(error.message, error.fix);
      })
      .finally(() => setIsReading(false));
  }, [isOpen, wanted, next, isReading]);
  return { turns, isReading, hasMore: next !== null };
}

export function Turns({ chosen }: { chosen: string }) {
  const [text, setText] = useState('');
  const [route, setRoute] = useState('');
  const [outcome, setOutcome] = useState('');
  const [most, setMost] = useState(SHOWN);
  const [again, setAgain] = useState(0);
  const isFiltered = text !== '' || route !== '' || outcome !== '';
  const [wanted, setWanted] = useState(false);
  const newest = entries.value.findLast((entry) => entry.story.outcome !== null)?.turn;
  useEffect(() => setAgain((before) => before + 1), [newest]);
  const { turns, isReading, hasMore } = useTurns(wanted || isFiltered, again);

  const found = useMemo(() => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    return turns.filter((turn) => {
      if (route !== '' && (turn.route ?? 'none') !== route) return false;
      if (outcome !== '' && turn.outcome !== outcome) return false;
      if (words.length === 0) return true;
      const all = [turn.text, turn.reply, turn.session, turn.turn, ...turn.intents].join(' ').toLowerCase();
      return words.every((one) => all.includes(one));
    });
  }, [turns, text, route, outcome]);

  const anyOf = (group: string, names: string[]): [string, string][] => [
    ['', t('turns.any')],
    ...names.map((name): [string, string] => [name, word(group, name)]),
  ];
  return (
    <>
      <h1>{t('turns.title')}</h1>
      <div class={`turns ${chosen === '' ? '' : 'chosen'}`}>
        <section class="list" aria-label={t('turns.title')}>
          <div class="filters">
            <Search label={t('turns.search')} hint={t('turns.search.hint')} value={text} onInput={setText} />
            <Pick label={t('turns.route')} value={route} options={anyOf('route', ROUTES)} onChange={setRoute} />
            <Pick label={t('turns.outcome')} value={outcome} options={anyOf('outcome', OUTCOMES)} onChange={setOutcome} />
          </div>
          <p class="dim" role="status">
            {isReading
              ? t('turns.reading')
              : t(hasMore ? 'turns.countMore' : 'turns.count', {
                  shown: number(found.length),
                  loaded: number(turns.length),
                })}
          </p>
          <WakeWords />
          {found.length === 0 && !isReading && <p>{t('turns.none')}</p>}
          <ol class="plain-list rows">
            {found.slice(0, most).map((turn) => (
              <li key={turn.turn}>
                <a
                  href={`#/turns/${encodeURIComponent(turn.turn)}`}
                  aria-current={turn.turn === chosen ? 'true' : undefined}
                >
                  <span class="row-main">
                    <span class="row-text">{turn.text ?? turn.reply ?? '…'}</span>
                    <time class="dim" dateTime={turn.at}>
                      {moment(turn.at)}
                    </time>
                  </span>
                  <span class="row-sub">
                    <span class="dim row-text">{turn.text === null ? '' : turn.reply}</span>
                    {turn.route && <span class="badge plain">{word('route', turn.route)}</span>}
                    <Badge group="outcome" name={turn.outcome ?? 'open'} />
                  </span>
                </a>
              </li>
            ))}
          </ol>
          {(found.length > most || hasMore) && (
            <button
              type="button"
              onClick={() => {
                setMost(most + SHOWN);
                if (most + SHOWN > turns.length) setWanted(true);
              }}
            >
              {t('turns.more')}
            </button>
          )}
        </section>
        <section class="detail" aria-label={t('turn.title')}>
          {chosen === '' ? <p class="dim pick">{t('turns.pick')}</p> : <TurnDetail key={chosen} id={chosen} />}
        </section>
      </div>
    </>
  );
}

interface HeardWord {
  at: string;
  word: string;
  score: number;
  why: string | null;
}

/** Wake words that were heard, and those that were nearly heard: why it did not wake. */
function WakeWords() {
  const newest = heard.value[0]?.at;
  const { value } = useReading(async () => (await get<{ heard: HeardWord[] }>('wake/heard')).heard, [newest]);
  if ((value?.length ?? 0) === 0) return null;
  return (
    <details class="panel">
      <summary>
        <h2>{t('now.heard')}</h2>
      </summary>
      <p class="dim" id="heard-about">
        {t('turns.heard.about')}
      </p>
      <div class="scroll-x" tabIndex={0} role="group" aria-labelledby="heard-about">
        <table>
          <thead>
            <tr>
              <th scope="col">{t('turn.when')}</th>
              <th scope="col">{t('turns.heard.word')}</th>
              <th scope="col">{t('turns.heard.score')}</th>
              <th scope="col">{t('turn.outcome')}</th>
            </tr>
          </thead>
          <tbody>
            {(value ?? []).map((one, index) => (
              <tr key={`${one.at}-${index}`}>
                <th scope="row">
                  <time dateTime={one.at}>{moment(one.at)}</time>
                </th>
                <td>{one.word.replaceAll('_', ' ')}</td>
                <td>{number(one.score, 2)}</td>
                <td class={one.why === null ? 'good-text' : ''}>
                  {one.why === null ? t('now.heard.yes') : t('now.heard.no', { why: one.why })}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function Stages({ turn }: { turn: Turn }) {
  const bars = spans(turn.events);
  const end = Math.max(1, ...bars.map((bar) => bar.to));
  if (bars.length === 0) return null;
  return (
    <>
      <ol class="stages">
        {bars.map((bar, index) => (
          <li key={`${bar.stage}-${index}`}>
            <span class="stage-name">
              {t(`stage.${bar.stage}` as TextKey)}
              {bar.name && <small class="dim"> {bar.name}</small>}
            </span>
            <span class="track" aria-hidden="true">
              <i
                class={`stage-bar ${bar.stage}`}
                style={{
                  left: `${(100 * bar.from) / end}%`,
                  width: `max(3px, ${(100 * (bar.to - bar.from)) / end}%)`,
                }}
              />
            </span>
            <span class="stage-time">{milliseconds(bar.to - bar.from)}</span>
          </li>
        ))}
      </ol>
      <p class="dim">{t('turn.total', { time: milliseconds(end) })}</p>
    </>
  );
}

/** Plays what was said; by Web Audio, so that the request can carry the token. */
function Sound({ id }: { id: string }) {
  const playing = useRef<{ context: AudioContext } | null>(null);
  const [isPlaying, setIsPlaying] = useState(false);
  const stop = () => {
    void playing.current?.context.close();
    playing.current = null;
    setIsPlaying(false);
  };
  useEffect(() => stop, []);
  const play = async () => {
    try {
      const file = await (await fetchApi('GET', `turns/${encodeURIComponent(id)}/audio`)).arrayBuffer();
      const context = new AudioContext();
      playing.current = { context };
      const source = new AudioBufferSourceNode(context, { buffer: await context.decodeAudioData(file) });
      source.connect(context.destination);
      source.addEventListener('ended', stop);
      source.start();
      setIsPlaying(true);
    } catch (error) {
      stop();
      if (error instanceof ApiFailure) notify(error.message, error.fix);
      else notify(String(error));
    }
  };
  return (
    <button type="button" onClick={() => (isPlaying ? stop() : void play())}>
      {t(isPlaying ? 'turn.stopSound' : 'turn.listen')}
    </button>
  );
}

interface Lesson {
  text: string;
  meant: string;
  known: boolean;
  note: string | null;
}

/** Tells Hark what was meant with a turn that it took wrongly. */
function Wrong({ id }: { id: string }) {
  const [meant, setMeant] = useState('');
  const [told, setTold] = useState('');
  const [note, setNote] = useState('');
  const teach = async (of: string) => {
    setTold('');
    setNote('');
    try {
      const answer = await fetchApi('POST', `turns/${encodeURIComponent(id)}/wrong`, { meant: of });
      const lesson = (await answer.json()) as Lesson;
      const what = { text: lesson.text, meant: lesson.meant === NOTHING ? t('wrong.nothing') : lesson.meant };
      setTold(t(lesson.known ? 'wrong.known' : 'wrong.kept', what));
      setNote(lesson.note ?? '');
      setMeant('');
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      setTold(t('wrong.unknown'));
      setNote(`${error.message}. ${error.fix}`);
    }
  };
  return (
    <details class="panel">
      <summary>
        <h2>{t('now.wrong')}</h2>
      </summary>
      <p class="dim">{t('wrong.about')}</p>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          void teach(meant.trim());
        }}
      >
        <label class="field grow">
          <span>{t('wrong.meant')}</span>
          <input
            type="text"
            required
            maxLength={300}
            autocomplete="off"
            placeholder={inLanguage(spokenLanguage.value, 'wrong.placeholder')}
            value={meant}
            onInput={(event) => setMeant(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="main" disabled={connection.value !== 'open'}>
          {t('wrong.go')}
        </button>
        <button type="button" disabled={connection.value !== 'open'} onClick={() => void teach(NOTHING)}>
          {t('wrong.none')}
        </button>
      </form>
      <div role="status">
        <p>{told}</p>
        {note !== '' && (
          <p class="dim" lang="en">
            {note}
          </p>
        )}
      </div>
    </details>
  );
}

/** The intent of what nothing was understood of. */
const OUT_OF_SCOPE = 'out_of_scope';
/** What is meant by a request that was none. */
const NOTHING = 'none';

function ofEntry({ turn, at, session, events, story }: Entry): Turn {
  return {
    turn,
    at,
    session: session ?? '–',
    text: story.transcript?.text ?? story.partial,
    intents: story.intents.map((intent) => intent.name),
    reply: story.reply,
    language: story.language,
    route: story.route,
    outcome: story.outcome,
    timings_ms: story.timings,
    events,
  };
}

function TurnDetail({ id }: { id: string }) {
  const [kept, setKept] = useState<Turn | null>(null);
  const [isGone, setIsGone] = useState(false);
  const isOpen = connection.value === 'open';
  // Read again when it goes on.
  const live = entries.value.find((entry) => entry.turn === id);
  const version = live?.story.outcome ?? '';
  // One that goes on is not kept yet.
  const turn = kept ?? (live ? ofEntry(live) : null);
  useEffect(() => {
    if (!isOpen) return;
    get<Turn>(`turns/${encodeURIComponent(id)}`).then(setKept, (error: unknown) => {
      if (error instanceof ApiFailure && error.status === 404) setIsGone(true);
    });
  }, [id, isOpen, version]);
  const head = useRef<HTMLHeadingElement>(null);
  const hasTurn = turn !== null;
  useEffect(() => {
    if (hasTurn) head.current?.focus({ preventScroll: true });
  }, [hasTurn]);
  const back = (
    <a class="back" href="#/turns">
      ← {t('turns.back')}
    </a>
  );
  if (isGone && !turn) return <>{back}<p>{t('turn.gone')}</p></>;
  if (!turn) return <>{back}<p class="dim">{t('turns.reading')}</p></>;
  const story = tell(turn.events);
  const hasSound = story.spoken && configured('journal', 'record_audio') === true;
  return (
    <>
      {back}
      <h2 ref={head} tabIndex={-1} class="turn-head">
        {turn.text ?? turn.reply ?? turn.turn}
      </h2>
      {turn.text !== null && turn.reply !== null && (
        <p class="turn-reply" lang={turn.language ?? undefined}>
          {turn.reply}
        </p>
      )}
      <dl class="facts">
        <div><dt>{t('turn.when')}</dt><dd>{new Date(turn.at).toLocaleString(locale())}</dd></div>
        <div><dt>{t('turn.outcome')}</dt><dd><Badge group="outcome" name={turn.outcome ?? 'open'} /></dd></div>
        <div><dt>{t('turn.route')}</dt><dd>{word('route', turn.route ?? 'none')}</dd></div>
        <div><dt>{t('turn.conversation')}</dt><dd>{turn.session}</dd></div>
        {story.transcript && (
          <div>
            <dt>{t('turn.heardBy')}</dt>
            <dd>
              {story.transcript.engine}, {t('turn.confidence', { percent: Math.round(story.transcript.confidence * 100) })}
              {story.transcript.why ? ` – ${story.transcript.why}` : ''}
            </dd>
          </div>
        )}
      </dl>
      {hasSound && <Sound id={id} />}
      <Panel title={t('turn.stages')} id="stages">
        <Stages turn={turn} />
      </Panel>
      {story.intents.length > 0 && (
        <Panel title={t('turn.understood')} id="understood">
          {story.intents.map((intent, index) => (
            <div key={index} class="card">
              <p>
                <strong>{intent.name === OUT_OF_SCOPE ? t('turn.outOfScope') : intent.name}</strong>{' '}
                {intent.name !== OUT_OF_SCOPE && (
                  <span class="dim">
                    {word('route', intent.route)}, {t('turn.confidence', { percent: Math.round(intent.confidence * 100) })}
                  </span>
                )}
              </p>
              <p>
                <span class="dim">{t('turn.why')}:</span> {intent.why}
              </p>
              {intent.category && (
                <p>
                  <span class="dim">{t('turn.category')}:</span> {intent.category}
                  {intent.category_confidence !== undefined &&
                    ` (${t('turn.confidence', { percent: Math.round(intent.category_confidence * 100) })})`}
                </p>
              )}
              <FieldList fields={intent.slots} />
            </div>
          ))}
        </Panel>
      )}
      {story.candidates.length > 0 && (
        <Panel title={t('turn.candidates')} id="candidates">
          <p>{story.candidates.join(', ')}</p>
        </Panel>
      )}
      {story.plans.length > 0 && (
        <Panel title={t('plan')} id="plans">
          {story.plans.map((plan) => (
            <PlanSteps key={plan.id} plan={plan} />
          ))}
        </Panel>
      )}
      {story.contracts.length > 0 && (
        <Panel title={t('turn.models')} id="contracts">
          {story.contracts.map((contract, index) => (
            <div key={index} class="card">
              <p>
                <strong>{contract.name}</strong> {t('turn.attempt', { attempt: contract.attempt })}{' '}
                <span class={`badge ${contract.valid ? 'good' : 'bad'}`}>
                  {t(contract.valid ? 'turn.valid' : 'turn.invalid')}
                </span>{' '}
                {contract.fallback && <span class="badge open">{t('turn.fallback')}</span>}
              </p>
              {contract.errors.map((error) => (
                <p key={error} class="dim">
                  {error}
                </p>
              ))}
            </div>
          ))}
        </Panel>
      )}
      {story.actions.length > 0 && (
        <Panel title={t('turn.tools')} id="tools">
          {story.actions.map((action, index) => (
            <div key={index} class="card">
              <p>
                <strong>{action.tool}</strong>{' '}
                <span class={`badge ${action.receipt.ok ? 'good' : 'bad'}`}>
                  {t(action.receipt.ok ? 'turn.ok' : 'turn.notOk')}
                </span>{' '}
                <span class="badge plain">{t(action.receipt.changed ? 'turn.changed' : 'turn.unchanged')}</span>{' '}
                {action.receipt.tainted && <span class="badge open">{t('turn.tainted')}</span>}{' '}
                <span class="dim">{milliseconds(action.duration_ms)}</span>
              </p>
              {!action.receipt.ok && typeof action.receipt.detail['message'] === 'string' && (
                <p>
                  <span class="dim">{t('turn.why')}:</span> {action.receipt.detail['message']}
                </p>
              )}
              {Object.keys(action.args).length > 0 && (
                <>
                  <h3>{t('turn.arguments')}</h3>
                  <FieldList fields={action.args} />
                </>
              )}
              <h3>
                {t('turn.receipt')} <small class="dim">{action.receipt.id}</small>
              </h3>
              <pre tabIndex={0}>{JSON.stringify(action.receipt.detail, null, 1)}</pre>
            </div>
          ))}
        </Panel>
      )}
      {turn.text !== null && turn.outcome !== null && <Wrong id={turn.turn} />}
      {story.lessons.map((lesson, index) => (
        <p key={index}>{t('turn.lesson', { text: lesson.text, meant: lesson.meant })}</p>
      ))}
      {story.errors.length > 0 && (
        <Panel title={t('turn.errors')} id="turn-errors">
          {story.errors.map((error, index) => (
            <p key={index}>
              {error.part}: {error.message} <span class="dim">{error.fix}</span>
            </p>
          ))}
        </Panel>
      )}
      {turn.timings_ms && Object.values(turn.timings_ms).some((value) => value !== null) && (
        <Panel title={t('turn.timings')} id="timings">
          <dl class="facts">
            {Object.entries(turn.timings_ms).map(([name, value]) =>
              value === null ? null : (
                <div key={name}>
                  <dt>{word('timing', name)}</dt>
                  <dd>{milliseconds(value as number)}</dd>
                </div>
              ),
            )}
          </dl>
        </Panel>
      )}
      <details>
        <summary>{t('turn.events')}</summary>
        <pre tabIndex={0}>{turn.events.map((event) => JSON.stringify(event)).join('\n')}</pre>
      </details>
    </>
  );
}
