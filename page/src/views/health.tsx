import { useEffect, useMemo, useState } from 'preact/hooks';
import { ApiFailure, fetchApi, get } from '../api';
import { Curves, type Series } from '../curves';
import type { Health as HealthReport, Timings, TurnSummary } from '../events';
import { Badge, Panel, Search, useReading, useTick } from '../parts';
import { send } from '../socket';
import { configuration, connection, entries, hasSpeaker, health, models, notify } from '../store';
import { metrics, percentile } from '../story';
import { duration, milliseconds, moment, number, t, word } from '../text';

const STAGES: (keyof Timings)[] = [
  'speech_end_to_transcript',
  'transcript_to_intent',
  'intent_to_action',
  'to_first_audio',
  'speech_end_to_first_audio',
];

function Parts({ report }: { report: HealthReport }) {
  return (
    <>
      <p class={report.ok ? 'good-text' : 'bad-text'}>{t(report.ok ? 'health.ok' : 'health.notOk')}</p>
      <ul class="plain-list parts">
        {report.parts.map((part) => (
          <li key={part.name}>
            <span>{word('part', part.name)}</span>
            <Badge group="health.part" name={part.state} />
            {part.fault && (
              <p>
                {part.fault.message}
                {part.fault.fix !== '' && <small class="dim"> {t('health.fix', { fix: part.fault.fix })}</small>}
              </p>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

/** A logarithmic scale has no zero. */
function onLog(value: number | null | undefined): number | null {
  return value === null || value === undefined ? null : Math.max(0.1, value);
}

function Latency() {
  const newest = entries.value.findLast((entry) => entry.story.outcome !== null)?.turn;
  const { value } = useReading(async () => (await get<{ turns: TurnSummary[] }>('turns?limit=200')).turns, [newest]);
  const rows = useMemo(
    () =>
      STAGES.map((stage) => {
        const times = (value ?? []).flatMap((turn) => turn.timings_ms?.[stage] ?? []);
        return { stage, times };
      }).filter(({ times }) => times.length > 0),
    [value],
  );
  const data = useMemo((): [number[], (number | null)[], (number | null)[]] => {
    const turns = (value ?? []).filter((turn) => turn.timings_ms !== null).slice(0, 100).reverse();
    return [
      turns.map((_, index) => index),
      turns.map((turn) => onLog(turn.timings_ms?.transcript_to_intent)),
      turns.map((turn) => onLog(turn.timings_ms?.intent_to_action)),
    ];
  }, [value]);
  const series: Series[] = [
    { label: t('timing.transcript_to_intent'), colour: '--curve-level', kind: 'line' },
    { label: t('timing.intent_to_action'), colour: '--curve-wake', kind: 'line' },
  ];
  return (
    <Panel title={t('health.latency')} id="latency">
      {rows.length === 0 ? (
        <p class="dim">{t('health.none')}</p>
      ) : (
        <>
          <p class="dim">{t('health.latency.about', { count: number(value?.length ?? 0) })}</p>
          <div class="scroll-x" tabIndex={0} role="group" aria-labelledby="latency">
            <table>
              <thead>
                <tr>
                  <th scope="col">{t('health.stage')}</th>
                  <th scope="col">{t('health.turns')}</th>
                  <th scope="col">{t('health.median')}</th>
                  <th scope="col">{t('health.p95')}</th>
                  <th scope="col">{t('health.max')}</th>
                </tr>
              </thead>
              <tbody>
                {rows.map(({ stage, times }) => (
                  <tr key={stage}>
                    <th scope="row">{word('timing', stage)}</th>
                    <td>{number(times.length)}</td>
                    <td>{milliseconds(percentile(times, 0.5))}</td>
                    <td>{milliseconds(percentile(times, 0.95))}</td>
                    <td>{milliseconds(Math.max(...times))}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          {data[0].length > 1 && (
            <Curves
              label={t('health.chart')}
              series={series}
              data={data}
              range={null}
              axis={(at) => milliseconds(at)}
              height={150}
              isLog
            />
          )}
        </>
      )}
    </Panel>
  );
}

function Counts({ report }: { report: HealthReport }) {
  const tick = useTick(10_000);
  const { value } = useReading(async () => metrics(await (await fetchApi('GET', 'metrics')).text()), [tick]);
  const of = (name: string) => value?.find((sample) => sample.name === name)?.value;
  const turns = (value ?? []).filter((sample) => sample.name === 'hark_turns_total' && sample.value > 0);
  const memory = of('hark_resident_memory_bytes');
  return (
    <Panel title={t('health.counts')} id="counts">
      <dl class="facts">
        <div><dt>{t('health.version')}</dt><dd>{report.version}</dd></div>
        <div><dt>{t('health.uptime')}</dt><dd>{duration(report.uptime_s)}</dd></div>
        {memory !== undefined && <div><dt>{t('health.memory')}</dt><dd>{number(memory / 1024 / 1024)} MiB</dd></div>}
        <div><dt>{t('health.xruns')}</dt><dd>{number(of('hark_xruns_total') ?? 0)}</dd></div>
        <div><dt>{t('health.refused')}</dt><dd>{number(of('hark_events_refused_total') ?? 0)}</dd></div>
      </dl>
      {turns.length > 0 && (
        <ul class="plain-list counts">
          {turns.map((sample) => (
            <li key={`${sample.labels['route']}-${sample.labels['outcome']}`}>
              <span>{word('route', sample.labels['route'] ?? '')}</span>
              <Badge group="outcome" name={sample.labels['outcome'] ?? ''} />
              <strong>{number(sample.value)}</strong>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Voice() {
  const [text, setText] = useState(t('health.say.default'));
  const [answer, setAnswer] = useState('');
  const say = async () => {
    try {
      const said = (await (await fetchApi('POST', 'say', { text })).json()) as { spoken: boolean };
      setAnswer(t(said.spoken ? 'health.say.done' : 'health.say.quiet'));
    } catch (error) {
      if (error instanceof ApiFailure) notify(error.message, error.fix);
    }
  };
  return (
    <Panel title={t('health.say')} id="say">
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          void say();
        }}
      >
        <label class="field grow">
          <span>{t('health.say.text')}</span>
          <input type="text" required maxLength={1000} value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </label>
        <button type="submit" class="main">
          {t('health.say.go')}
        </button>
      </form>
      <p role="status">{answer}</p>
    </Panel>
  );
}

function Models() {
  const isOpen = connection.value === 'open';
  useEffect(() => {
    if (isOpen) send({ type: 'list_models' });
  }, [isOpen]);
  if (models.value === null) return null;
  return (
    <Panel title={t('health.models')} id="models">
      {models.value.length === 0 && <p class="dim">{t('health.models.none')}</p>}
      <ul class="plain-list parts">
        {models.value.map((model) => (
          <li key={`${model.provider}/${model.name}`}>
            <span>
              {model.name} <small class="dim">{model.provider}</small>
            </span>
            {model.chosen && <span class="badge good">{t('health.models.chosen')}</span>}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Settings() {
  const [text, setText] = useState('');
  const rows = Object.entries(configuration.value).flatMap(([section, keys]) =>
    Object.entries(keys).map(([key, value]) => ({ name: `${section}.${key}`, value: JSON.stringify(value) })),
  );
  const found = rows.filter(({ name, value }) => `${name} ${value}`.toLowerCase().includes(text.toLowerCase()));
  return (
    <details class="panel">
      <summary>
        <h2>{t('health.settings')}</h2>
      </summary>
      <p class="dim">{t('health.settings.about')}</p>
      <div class="filters">
        <Search label={t('health.settings.search')} value={text} onInput={setText} />
      </div>
      <dl class="fields settings">
        {found.map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

export function Health() {
  const tick = useTick(5000);
  const { value } = useReading(() => get<HealthReport>('health'), [tick]);
  useEffect(() => {
    if (value) health.value = value;
  }, [value]);
  const report = value ?? health.value;
  return (
    <>
      <h1>{t('health.title')}</h1>
      {report && (
        <div class="columns">
          <Panel title={t('health.parts')} id="parts">
            <Parts report={report} />
            <h3>{t('health.faults')}</h3>
            {report.faults.length === 0 && <p class="dim">{t('health.noFaults')}</p>}
            <ul class="plain-list">
              {report.faults.map((fault) => (
                <li key={`${fault.part}-${fault.at}`} class="fault">
                  <p>
                    <strong>{word('part', fault.part)}</strong> <time class="dim" dateTime={fault.at}>{moment(fault.at)}</time>
                  </p>
                  <p>{fault.message}</p>
                  {fault.fix !== '' && <p class="dim">{t('health.fix', { fix: fault.fix })}</p>}
                </li>
              ))}
            </ul>
          </Panel>
          <Counts report={report} />
          <Latency />
          {hasSpeaker.value && <Voice />}
          <Models />
        </div>
      )}
      <Settings />
      <p class="dim">
        <a href="./licenses.txt">{t('health.licences')}</a>
      </p>
    </>
  );
}
